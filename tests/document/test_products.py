"""Two vectors side by side: what their product is, is found out from the other statements."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

SIZES = r"Let $u, v, w \in \mathbb{R}^n$. $$z = u v$$"
EVIDENCE = {
    "entries": (r"$$\mathbf 1^\top z = \sum_i u_i v_i$$ $$w^\top z = \sum_i w_i u_i v_i$$"),
    "inner": (r"$$\frac{\partial z}{\partial v} = u$$ $$z w = \sum_i u_i v_i w$$"),
}
CLAIMS = {
    "entries": (r"(u + w)^\top z = \sum_i u_i v_i (u_i + w_i)", r"(u + w)^\top z = \sum_i u_i v_i (u_i - w_i)"),
    "inner": (r"\frac{\partial z}{\partial u} = v", r"\frac{\partial z}{\partial u} = 2 v"),
}
TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


def verdict(*texts: str) -> Verdict:
    """The verdict on the last relation of a document."""
    return check("\n\n".join(texts), "note.md").claims[-1].verdict


@pytest.mark.parametrize("meaning", EVIDENCE)
def test_the_other_statements_say_what_is_meant(meaning: str) -> None:
    """With evidence a claim is judged, right or wrong."""
    right, wrong = CLAIMS[meaning]
    assert verdict(SIZES, EVIDENCE[meaning], f"$${right}$$") in TRUE
    assert verdict(SIZES, EVIDENCE[meaning], f"$${wrong}$$") is Verdict.REFUTED


@pytest.mark.parametrize("claim", [claim for pair in CLAIMS.values() for claim in pair])
def test_nothing_is_judged_by_a_product_of_which_nothing_is_said(claim: str) -> None:
    """Without evidence all is open."""
    assert verdict(SIZES, f"$${claim}$$") is Verdict.UNCLEAR


@pytest.mark.parametrize("right", [r"x^\top x", r"x \odot x"])
def test_the_square_of_a_vector_accuses_neither_meaning(right: str) -> None:
    """A square is that of the entries or of the length."""
    claim = rf"$$(x^2 + x^2) = {right} + {right}$$"
    assert verdict(r"Let $x \in \mathbb{R}^n$.", claim) is not Verdict.REFUTED
