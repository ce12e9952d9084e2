"""Derivatives set to zero, and what follows at the minimum."""

from __future__ import annotations

from indexcalc import check

RIDGE = r"""
Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$, $y \in \mathbb{R}^n$.
$$L(w) = \frac{1}{2}\|Xw - y\|^2 + \frac{\lambda}{2} \|w\|^2$$
$$\nabla_w L = X^T (Xw - y) + \lambda w = 0$$
$$X^T X w + \lambda w = X^T y$$
$$w = %s$$
$$\frac{\partial L}{\partial w} = X^T X w - X^T y + \lambda w$$
$$\frac{\partial L}{\partial w} = X^T X w - X^T y$$
"""

LINE = r"""
The loss is $L = \sum_{i=1}^n (y_i - a x_i - b)^2$.
$$\frac{\partial L}{\partial b} = -2 \sum_{i=1}^n (y_i - a x_i - b) = 0$$
Solving, we get $$b = \bar{y} - a \bar{x}$$
where $\bar{x} = \frac{1}{n} \sum_i x_i$ and $\bar{y} = \frac{1}{n} \sum_i y_i$.
$$\frac{\partial L}{\partial b} = -\sum_{i=1}^n (y_i - a x_i - b)$$
"""


def verdicts(text: str) -> list[str]:
    """The verdicts of a note, in order."""
    return [str(claim.verdict) for claim in check(text).claims]


def test_a_solution_is_tried_and_defines_nothing() -> None:
    found = verdicts(RIDGE % r"(X^T X + \lambda I)^{-1} X^T y")[3:]
    assert found == ["definition", "proved", "condition", "confirmed", "confirmed", "proved", "refuted"]


def test_what_solves_nothing_is_left_open() -> None:
    found = verdicts(RIDGE % r"(X^T X)^{-1} X^T y")[3:]
    assert found[2:] == ["condition", "not understood", "not understood", "proved", "refuted"]


def test_solutions_in_entries() -> None:
    found = verdicts(LINE)
    assert found == ["definition", "proved", "condition", "confirmed", "definition", "definition", "refuted"]


def test_zeros_that_nobody_asked_for_are_judged() -> None:
    note = r"$$p_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$ $$\sum_i \frac{\partial p_i}{\partial x_j} = 0$$"
    assert verdicts(note + r" $$\frac{\partial p_i}{\partial x_j} = 0$$")[1:] == ["proved", "refuted"]


def test_an_identity_asks_for_nothing() -> None:
    note = r"$$p_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$ Together, the derivatives vanish: "
    note += r"$$\sum_i \frac{\partial p_i}{\partial x_j} = 0$$ $$\frac{\partial p_i}{\partial x_j} = p_i \delta_{ij}$$"
    assert verdicts(note)[1:] == ["proved", "refuted"]
