"""Vectors are rows or columns for a whole document, as its declarations and products say."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

ROWS = r"""
$x \in \mathbb{R}^{1 \times m}$, $W \in \mathbb{R}^{m \times n}$, $b \in \mathbb{R}^{1 \times n}$

$$z = x W + b$$
"""

COLUMNS = r"""
$x \in \mathbb{R}^{m \times 1}$, $W \in \mathbb{R}^{n \times m}$

$$z = W x$$
"""

UNDECLARED = r"""
$W \in \mathbb{R}^{m \times n}$

$$\mathbf{z} = \mathbf{x} W$$
"""


def verdict(text: str) -> Verdict:
    """The verdict of the last claim."""
    return check(text).claims[-1].verdict


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (ROWS, r"\frac{\partial L}{\partial W} = x^\top \frac{\partial L}{\partial z}"),
        (ROWS, r"\frac{\partial L}{\partial x} = \frac{\partial L}{\partial z} W^\top"),
        (COLUMNS, r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z} x^\top"),
        (COLUMNS, r"\frac{\partial L}{\partial x} = W^\top \frac{\partial L}{\partial z}"),
        (UNDECLARED, r"\frac{\partial L}{\partial W} = \mathbf{x}^\top \frac{\partial L}{\partial \mathbf{z}}"),
    ],
)
def test_outer_products_are_read_as_the_document_has_its_vectors(text, claim):
    assert verdict(f"{text}\n$${claim}$$\n") is Verdict.PROVED


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (ROWS, r"\frac{\partial L}{\partial W} = x \frac{\partial L}{\partial z}^\top"),
        (COLUMNS, r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z}^\top x"),
        (
            UNDECLARED,
            r"\frac{\partial L}{\partial W} = \mathbf{x} \left(\frac{\partial L}{\partial \mathbf{z}}\right)^\top",
        ),
    ],
)
def test_the_other_product_is_refuted(text, claim):
    assert verdict(f"{text}\n$${claim}$$\n") is Verdict.REFUTED


def test_where_rows_and_columns_meet_nothing_is_refuted():
    text = r"""
$W \in \mathbb{R}^{m \times n}$, $M \in \mathbb{R}^{n \times n}$

$$\mathbf{z} = \mathbf{x} W$$

$$\mathbf{u} = M \mathbf{z}$$

$$\frac{\partial L}{\partial W} = \mathbf{x} \left(\frac{\partial L}{\partial \mathbf{z}}\right)^\top$$
"""
    assert verdict(text) is not Verdict.REFUTED
