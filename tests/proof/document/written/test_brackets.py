"""Entries in square brackets, as code writes them."""

from __future__ import annotations

import pytest

from indexcalc.language.latex.tokens import tokenize
from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.written.brackets import with_brackets
from tests.support.guards import Guard, assert_refuted, assert_true, claims_of

GUARDS = {
    "entries": Guard(
        r"$$S[i,j] = \frac{1}{\sqrt{d}} \sum_k Q[i,k] K[j,k]$$",
        (
            r"\frac{\partial L}{\partial Q[i,k]} = \frac{1}{\sqrt{d}} \sum_j \frac{\partial L}{\partial S[i,j]} K[j,k]",
            r"dK[j,k] = \frac{1}{\sqrt{d}} \sum_i dS[i,j] Q[i][k]",
        ),
        (r"\frac{\partial L}{\partial Q[i,k]} = \frac{1}{\sqrt{d}} \sum_j \frac{\partial L}{\partial S[j,i]} K[j,k]",),
    ),
    "a letter alone is an index where it is one elsewhere": Guard(
        r"$$m[i] = \frac{1}{N} \sum_{j=1}^N x[i,j]$$",
        (r"\frac{\partial L}{\partial x[i,j]} = \frac{1}{N} \frac{\partial L}{\partial m[i]}",),
        (r"\frac{\partial L}{\partial x[i,j]} = \frac{\partial L}{\partial m[i]}",),
    ),
    "a bracket of one letter that is no index": Guard(
        r"$$f(t) = a [t] + t^2$$", (r"\frac{df}{dt} = a + 2 t",), (r"\frac{df}{dt} = a t + 2 t",)
    ),
}


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "true"))
def test_true_relations_are_understood(name: str, claim: str) -> None:
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_wrong_twins_are_refuted(name: str, claim: str) -> None:
    assert_refuted(GUARDS[name], claim)


def test_a_correction_keeps_the_brackets() -> None:
    (_, wrong) = check(r"$$S[i,j] = \sum_k Q[i,k] K[j,k]$$ $$dQ[i,k] = \sum_j dS[j,i] K[j,k]$$").claims
    assert wrong.verdict is Verdict.REFUTED
    assert "K[j,k]" in wrong.correction


@pytest.mark.parametrize("text", [r"\mathbb{E}[x, y]", r"a [x + 1, y]", r"\log [i, j]", r"[i, j]", r"A_n[i, j]"])
def test_other_brackets_stay(text: str) -> None:
    tokens = tokenize(text)
    assert with_brackets([tokens]) == [tokens]
