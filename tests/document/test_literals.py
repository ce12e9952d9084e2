"""Arrays written out, values under conditions, second derivatives, and powers of vectors."""

from __future__ import annotations

import pytest

from tests.document.test_deciding import CONFIRMED, OPEN, REFUTED, last

SQUARE_MATRIX = r"Let $A \in \mathbb{R}^{2 \times 2}$ and $x \in \mathbb{R}^2$."
PRODUCT = (SQUARE_MATRIX, "y = A x")
CUBE = ("y_i = x_i^3",)
LARGER = (r"y_i = \max(0, x_i)",)
FORM = (r"Let $A \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$.", r"f(x) = x^\top A x")
EXPONENTIAL = ("h(u) = e^{3u}",)
SQUARES = (r"Let $x \in \mathbb{R}^n$.", r"s = \mathbf{1}^\top x^2")

CLAIMS = {
    "y": (
        PRODUCT,
        r"\begin{bmatrix} A_{11} x_1 + A_{12} x_2 \\ A_{21} x_1 + A_{22} x_2 \end{bmatrix}",
        r"\begin{bmatrix} A_{11} x_1 + A_{21} x_2 \\ A_{12} x_1 + A_{22} x_2 \end{bmatrix}",
    ),
    r"A x x^\top": (
        PRODUCT,
        r"A \begin{pmatrix} x_1^2 & x_1 x_2 \\ x_2 x_1 & x_2^2 \end{pmatrix}",
        r"A \begin{pmatrix} x_1^2 & x_1 x_2 \\ x_2 x_1 & x_1^2 \end{pmatrix}",
    ),
    r"\frac{\partial y_i}{\partial x_j}": (
        CUBE,
        r"\begin{cases} 3 x_i^2 & \text{if } i = j \\ 0 & \text{otherwise} \end{cases}",
        r"\begin{cases} 2 x_i^2 & \text{if } i = j \\ 0 & \text{otherwise} \end{cases}",
    ),
    r"\frac{\partial y_j}{\partial x_i}": (
        LARGER,
        r"\mathbf{1}[x_i > 0] \delta_{ij}",
        r"\mathbf{1}[x_i < 0] \delta_{ij}",
    ),
    r"\frac{\partial^2 f}{\partial x_i \partial x_j}": (FORM, "A_{ij} + A_{ji}", "2 A_{ij}"),
    r"\frac{\partial^2 f}{\partial x \partial x^\top}": (FORM, r"A + A^\top", "2 A"),
    r"\frac{d^2 h}{du^2}": (EXPONENTIAL, "9 h(u)", "3 h(u)"),
    r"\frac{d^2}{du^2} h(u)": (EXPONENTIAL, "9 e^{3u}", "3 e^{3u}"),
    r"\frac{\partial s}{\partial x}": (SQUARES, "2 x", "x"),
}


@pytest.mark.parametrize("left", CLAIMS)
def test_a_true_line_is_confirmed_and_a_broken_one_refuted(left):
    start, right, wrong = CLAIMS[left]
    assert last(*start, f"{left} = {right}") is CONFIRMED
    assert last(*start, f"{left} = {right}", f"{left} = {wrong}") is REFUTED


def test_a_zero_below_a_name_is_a_label():
    start = "h = W_0 x + B A x"
    assert last(start, "h = (W_0 + B A) x") is CONFIRMED
    assert last(start, "h = (W_0 + B A) x", "h = (W_0 - B A) x") is REFUTED


def test_an_entry_numbered_zero_is_not_known():
    assert last(r"y_i = x_i^2 x_0", r"\frac{\partial y_i}{\partial x_j} = 2 x_i \delta_{ij}") is OPEN


def test_a_list_behind_an_unknown_name_is_no_vector():
    assert last("y_i = u(x_i, 2)", "y_i = 2 u(x_i, 1)") is OPEN


def test_a_matrix_with_another_size_does_not_fit():
    wrong = r"A \begin{bmatrix} x_1 \\ x_2 \\ x_3 \end{bmatrix}"
    assert last(*PRODUCT, f"y = {wrong}") is not CONFIRMED


def test_a_mark_that_may_count_steps_is_no_power_of_a_vector():
    start = r"Let $u \in \mathbb{R}^n$ and $v \in \mathbb{R}^n$."
    assert last(start, "v_k = u_k^2", "u^k = u^{k-1} + v") is OPEN


def test_a_sum_may_leave_out_a_letter_or_begin_at_one():
    start = r"s_i = \sum_j x_j - x_i"
    assert last(start, r"s_i = \sum_{j=1, j \neq i}^n x_j") is CONFIRMED
    assert last(start, r"s_i = \sum_{j=1, j \neq i}^n x_j", r"s_i = \sum_j x_j") is REFUTED
    start = r"t_j = x_j + \sum_{i > j} x_i"
    assert last(start, r"t_j = \sum_{i=j}^n x_i") is CONFIRMED
    assert last(start, r"t_j = \sum_{i=j}^n x_i", r"t_j = \sum_{i > j} x_i") is REFUTED


UPPER = r"\begin{pmatrix} I_k & 0 \\ -A_{21} A_{11}^{-1} & I_{m-k} \end{pmatrix}"
PARTED = r"\begin{pmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{pmatrix}"


def test_an_elimination_of_blocks():
    page = f"A = {PARTED}", r"A_{11} A_{11}^{-1} A_{12} = A_{12}"
    right = UPPER + r" A = \begin{pmatrix} A_{11} & A_{12} \\ 0 & A_{22} - A_{21} A_{11}^{-1} A_{12} \end{pmatrix}"
    assert last(*page, right) is CONFIRMED
    assert last(*page, right.replace("A_{22} -", "A_{22} +")) is not CONFIRMED
