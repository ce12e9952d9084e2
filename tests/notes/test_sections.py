"""The derivation of one gradient: what it says of statistics, and of steps that are cited."""

from __future__ import annotations

import pytest

from indexcalc.language import read_problem
from indexcalc.notes import markdown_note
from indexcalc.rewrite.derive import derive

HEAD = 'title "t"\nindex i : I\nindex k : K\nindex m : M\ninput X[i,k], W[k]\n'
CENTRED = "mu[i] = sum[k](X[i,k])\nvar[i] = sum[k]((X[i,k] - mu[i])^2)\nY[i,k] = X[i,k] * mu[i] / var[i]\nderive X\n"
STACK = """title "stack"
index i : I
index a : A
index b : B
index c : C
input X[i,a], U[a,b], V[b,c]
Y[i,b] = sum[a](X[i,a] * U[a,b])
Z[i,c] = sum[b](Y[i,b] * V[b,c])
derive V, U
"""


def note(spec: str) -> str:
    return markdown_note(derive(read_problem(spec, "t.ixc")))


@pytest.mark.parametrize(
    ("equations", "sentence"),
    [
        ("s[i] = sum[k](X[i,k]^2)\nY[i,k] = W[k] * s[i]\nderive X\n", "$`Y`$ depends on $`X`$ through $`s`$, whose"),
        (CENTRED, "$`Y`$ depends on $`X`$ also through $`\\mu`$ and $`\\mathrm{var}`$, whose derivatives come first."),
    ],
)
def test_statistics_are_announced_once_together(equations: str, sentence: str) -> None:
    text = note(HEAD + equations)
    assert text.count(sentence) == 1
    assert text.count("come first") + text.count("comes first") == 1


def test_names_that_change_into_each_other_change_at_once() -> None:
    assert "with $`Y`$ for $`Z`$, $`U`$ for $`V`$ and $`X`$ for $`Y`$, all at once." in note(STACK)


def test_a_result_of_zero_is_said_to_be_zero() -> None:
    text = note(HEAD + "Y[i,k] = step(X[i,k]) * W[k]\nderive X\n")
    assert "Reading the result. Nothing is left: the result is zero." in text
    assert "computed entry by entry" not in text
