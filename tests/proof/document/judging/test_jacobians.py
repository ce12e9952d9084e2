"""Derivatives of vectors by vectors, in the layout that a document keeps."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

NETWORK = r"""Let $x \in \mathbb{R}^n$, $W \in \mathbb{R}^{m \times n}$, $V \in \mathbb{R}^{k \times m}$.
$$y = W x, \quad a = \tanh(y), \quad z = V a, \quad s = \operatorname{softmax}(z)$$
"""
ROWS = r"$$\frac{\partial y}{\partial x} = W$$"
COLUMNS = r"$$\frac{\partial y}{\partial x} = W^\top$$"


def last(text: str) -> Verdict:
    """The verdict of the last claim."""
    return check(NETWORK + text).claims[-1].verdict


@pytest.mark.parametrize("layout", [ROWS, COLUMNS, ""])
def test_what_is_true_in_both_layouts_is_confirmed(layout):
    assert last(rf"{layout} $$\frac{{\partial a}}{{\partial y}} = \operatorname{{diag}}(1 - a \odot a)$$") is (
        Verdict.CONFIRMED
    )
    assert last(rf"{layout} $$\frac{{\partial s}}{{\partial z}} = \operatorname{{diag}}(s) - s s^\top$$") is (
        Verdict.CONFIRMED
    )


def test_the_layout_that_a_document_keeps_is_assumed():
    claims = check(NETWORK + ROWS).claims
    assert claims[-1].verdict is Verdict.CONFIRMED
    assert "a row for each entry of the first" in claims[-1].assumptions[-1]
    assert "a column for each entry" in check(NETWORK + COLUMNS).claims[-1].assumptions[-1]


def test_a_layout_is_kept():
    kept = ROWS + r" $$\frac{\partial z}{\partial a} = V$$"
    assert last(kept) is Verdict.CONFIRMED
    assert last(kept + r" $$\frac{\partial z}{\partial a} = V^\top$$") is Verdict.SCHEMATIC


def test_a_chain_of_jacobians_is_judged_in_it():
    chain = r"$$\frac{\partial z}{\partial x} = \frac{\partial z}{\partial a} \frac{\partial a}{\partial y} W$$"
    assert last(ROWS + chain) is Verdict.CONFIRMED
    assert last(COLUMNS + chain) is Verdict.SCHEMATIC


@pytest.mark.parametrize(
    "claim",
    [r"\frac{\partial s}{\partial z} = \operatorname{diag}(s) + s s^\top", r"\frac{\partial y}{\partial x} = 2 W"],
)
def test_what_is_true_in_no_layout_is_not_judged(claim):
    assert last(f"{ROWS} $${claim}$$") is Verdict.SCHEMATIC
