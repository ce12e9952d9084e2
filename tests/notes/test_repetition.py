"""What repeats an earlier derivation is cited; what differs by more than names is not."""

from __future__ import annotations

import re

import pytest

from indexcalc.language import read_problem
from indexcalc.notes import Detail, displayed_equations, markdown_note
from indexcalc.notes.repetition import mirrors_of, repeats_of
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


MIRROR = (
    "index i, j : T\nindex k : d\ninput Q[i,k], K[j,k]\nS[i,j] = {body}\nupstream G[i,j] = dL/dS[i,j]\nderive Q, K\n"
)


@pytest.mark.parametrize(
    ("body", "indices"),
    [
        ("sum[k](Q[i,k] * K[j,k])", (("i", "j"),)),
        ("tanh(sum[k]((Q[i,k] - K[j,k])^2))", (("i", "j"),)),
        ("sum[k](Q[i,k] * K[j,k]^2)", None),
        ("sum[k](Q[i,k] * K[j,k] + Q[i,k])", None),
        ("sum[k](Q[i,k] - K[j,k])", None),
        ("sum[k](Q[i,k] * exp(K[j,k])) + sum[k](K[j,k] * exp(Q[i,k]))", (("i", "j"),)),
    ],
)
def test_a_mirror_keeps_the_equation_of_the_consumer(body, indices):
    found = mirrors_of(derive(read_problem(MIRROR.format(body=body))))
    if indices is None:
        assert not found
    else:
        (repeat,) = found.values()
        assert tuple((one.name, other.name) for one, other in repeat.indices) == indices


def test_factors_of_a_product_entry_by_entry_are_mirrors_without_indices():
    text = "index i : N\ninput x[i], y[i]\nu[i] = x[i] * y[i]\nupstream g[i] = dL/du[i]\nderive x, y\n"
    (repeat,) = mirrors_of(derive(read_problem(text))).values()
    assert repeat.indices == ()


def test_a_brief_note_cites_a_mirror_with_what_changes_places():
    text = markdown_note(derive(read_problem(MIRROR.format(body="sum[k](Q[i,k] * K[j,k])"))), detail=Detail.BRIEF)
    assert "$`S`$ stays the same if $`Q`$ and $`K`$ change places together with $`i`$ and $`j`$." in text
    assert len(re.findall("The equation of [^,]*, with its own dummy", text)) == 1
