"""What repeats an earlier derivation is cited; what differs by more than names is not."""

from __future__ import annotations

import pytest

from indexcalc.language import read_problem
from indexcalc.notes import displayed_equations, markdown_note
from indexcalc.notes.repetition import repeats_of
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

SPEC = """title "Two projections"
index i, j : T
index m : D
index k : d
input X[i,m], W[m,k], U[m,k]
Q[i,k] = sum[m](X[i,m] * W[m,k])
K[j,k] = sum[m](X[j,m] * U[m,k])
S[i,j] = sum[k](Q[i,k] * K[j,k])
upstream G[i,j] = dL/dS[i,j]
derive W, U, X
"""
DERIVATION = derive(read_problem(SPEC, "two.ixc"))


def test_the_second_projection_repeats_the_first() -> None:
    repeats = repeats_of(DERIVATION)
    assert set(repeats) == {("W", "Q"), ("X", "K")}
    assert dict(repeats["W", "Q"].renamed) == {"K": "Q", "U": "W"}
    assert dict(repeats["X", "K"].renamed) == {"Q": "K", "W": "U"}
    assert (repeats["X", "K"].target, repeats["X", "K"].consumer) == ("X", "Q")


def test_the_note_cites_and_still_shows_the_local_derivative_and_the_result() -> None:
    text = markdown_note(DERIVATION)
    assert (
        "The steps are those for $`\\partial L/\\partial U`$, with $`Q`$ for $`K`$ and $`W`$ for $`U`$. They give"
        in text
    )
    assert "The steps are those of the path through $`Q`$" in text
    shown = displayed_equations(DERIVATION)
    for section in DERIVATION.sections:
        assert (section.equation.lhs, section.equation.terms) in shown
        for path in section.paths:
            assert any(terms == path.result for _, terms in shown)
            assert all((local.partial, local.result) in shown for local in path.locals)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_nothing_is_cited_that_differs_in_structure(name: str) -> None:
    assert repeats_of(derive(PROBLEMS[name]())) == {}
