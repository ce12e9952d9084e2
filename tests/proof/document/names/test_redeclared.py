"""Sections that declare a name with another shape than before are read on their own."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check

NOTE = r"""
# Layers

The input $x \in \mathbb{R}^{d}$ is the same throughout.

## Linear

Let $W \in \mathbb{R}^{k \times d}$.
$$y = W x$$
$$\frac{\partial L}{\partial x} = FIRST$$

## Quadratic

Let HERE.
$$s = x^\top W x$$
$$\frac{\partial s}{\partial x} = SECOND$$

### Of the same

$$\frac{\partial s}{\partial W} = THIRD$$
"""

RIGHT = {
    "FIRST": r"W^\top \frac{\partial L}{\partial y}",
    "SECOND": r"(W + W^\top) x",
    "THIRD": r"x x^\top",
    "HERE": r"$W \in \mathbb{R}^{d \times d}$",
}
D, P, R, X = "definition", "proved", "refuted", "declaration"


def verdicts(**changed: str) -> list[str]:
    """The verdicts of the note with some formulas changed."""
    note = NOTE
    for mark, text in {**RIGHT, **changed}.items():
        note = note.replace(mark, text)
    return [str(claim.verdict) for claim in check(note).claims]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [P, P, P]),
        ({"FIRST": r"W \frac{\partial L}{\partial y}"}, [R, P, P]),
        ({"SECOND": r"(W - W^\top) x"}, [P, R, P]),
        ({"THIRD": r"2 x x^\top"}, [P, P, R]),
        ({"HERE": r"$W, V \in \mathbb{R}^{d \times d}$"}, [P, P, P]),
    ],
)
def test_errors_are_found_in_each_section_and_nothing_true_is_accused(changed, expected):
    first, second, third = expected
    assert verdicts(**changed) == [X, X, D, first, X, D, second, third]


def test_the_same_shape_again_opens_no_scope():
    note = r"""
## Forward
Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$.
$$Y = X W$$
## Backward
Recall $W \in \mathbb{R}^{d \times k}$.
$$\frac{\partial L}{\partial W} = X^\top \frac{\partial L}{\partial Y}$$
$$\frac{\partial L}{\partial W} = \frac{\partial L}{\partial Y} X^\top$$
"""
    assert [str(claim.verdict) for claim in check(note).claims] == [X, X, D, X, P, R]


def test_one_of_many_and_the_whole_are_two_names():
    note = r"""
## All
Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^{d}$.
$$y = X w$$
## One
Here $w_j \in \mathbb{R}$.
$$\frac{\partial L}{\partial w} = X^\top \frac{\partial L}{\partial y}$$
"""
    assert [str(claim.verdict) for claim in check(note).claims][-1] == P


def test_two_shapes_in_one_section_support_no_accusation():
    note = r"""
Let $W \in \mathbb{R}^{d \times k}$, $X \in \mathbb{R}^{n \times d}$, $A \in \mathbb{R}^{p \times m}$.
$$Y = X W$$
Now $W \in \mathbb{R}^{m \times n}$.
$$Z = A W$$
$$\frac{\partial L}{\partial W} = A^\top \frac{\partial L}{\partial Z}$$
"""
    assert not check(note).refuted
