"""Kronecker products and vec: each identity with a wrong twin, and NumPy as the judge of which is which."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR

Array = np.ndarray
Value = Callable[..., Array]


def vec(matrix: Array) -> Array:
    """The columns of a matrix one below the other."""
    return matrix.reshape(-1, 1, order="F")


def square(side: int, seed: int) -> Array:
    """A square matrix that is far from singular."""
    return np.random.default_rng(seed).normal(size=(side, side)) + 3 * np.eye(side)


CASES: dict[str, tuple[str, str, tuple[Value, Value, Value]]] = {
    r"(A \otimes B)(C \otimes D)": (
        r"AC \otimes BD",
        r"CA \otimes BD",
        (
            lambda a, b, c, d: np.kron(a, b) @ np.kron(c, d),
            lambda a, b, c, d: np.kron(a @ c, b @ d),
            lambda a, b, c, d: np.kron(c @ a, b @ d),
        ),
    ),
    r"(A \otimes B)^\top": (
        r"A^\top \otimes B^\top",
        r"B^\top \otimes A^\top",
        (
            lambda a, b, c, d: np.kron(a, b).T,
            lambda a, b, c, d: np.kron(a.T, b.T),
            lambda a, b, c, d: np.kron(b.T, a.T),
        ),
    ),
    r"(A \otimes B)^{-1}": (
        r"A^{-1} \otimes B^{-1}",
        r"A^{-1} \otimes B",
        (
            lambda a, b, c, d: np.linalg.inv(np.kron(a, b)),
            lambda a, b, c, d: np.kron(np.linalg.inv(a), np.linalg.inv(b)),
            lambda a, b, c, d: np.kron(np.linalg.inv(a), b),
        ),
    ),
    r"\mathrm{vec}(A C B)": (
        r"(B^\top \otimes A) \mathrm{vec}(C)",
        r"(B \otimes A) \mathrm{vec}(C)",
        (
            lambda a, b, c, d: vec(a @ c @ b),
            lambda a, b, c, d: np.kron(b.T, a) @ vec(c),
            lambda a, b, c, d: np.kron(b, a) @ vec(c),
        ),
    ),
    r"\operatorname{tr}(A^\top B)": (
        r"\mathrm{vec}(A)^\top \mathrm{vec}(B)",
        r"\mathrm{vec}(A^\top)^\top \mathrm{vec}(B)",
        (
            lambda a, b, c, d: np.trace(a.T @ b).reshape(1, 1),
            lambda a, b, c, d: vec(a).T @ vec(b),
            lambda a, b, c, d: vec(a.T).T @ vec(b),
        ),
    ),
    r"\operatorname{tr}(A B C D)": (
        r"\mathrm{vec}(D^\top)^\top (C^\top \otimes A) \mathrm{vec}(B)",
        r"\mathrm{vec}(D)^\top (C^\top \otimes A) \mathrm{vec}(B)",
        (
            lambda a, b, c, d: np.trace(a @ b @ c @ d).reshape(1, 1),
            lambda a, b, c, d: vec(d.T).T @ np.kron(c.T, a) @ vec(b),
            lambda a, b, c, d: vec(d).T @ np.kron(c.T, a) @ vec(b),
        ),
    ),
    r"\operatorname{tr}(A \otimes B)": (
        r"\operatorname{tr}(A) \operatorname{tr}(B)",
        r"\operatorname{tr}(A B)",
        (
            lambda a, b, c, d: np.trace(np.kron(a, b)).reshape(1, 1),
            lambda a, b, c, d: (np.trace(a) * np.trace(b)).reshape(1, 1),
            lambda a, b, c, d: np.trace(a @ b).reshape(1, 1),
        ),
    ),
    r"A \otimes (B + C)": (
        r"A \otimes B + A \otimes C",
        r"A \otimes B - A \otimes C",
        (
            lambda a, b, c, d: np.kron(a, b + c),
            lambda a, b, c, d: np.kron(a, b) + np.kron(a, c),
            lambda a, b, c, d: np.kron(a, b) - np.kron(a, c),
        ),
    ),
    r"\mathrm{diag}(\mathrm{vec}(A)) \mathrm{vec}(B)": (
        r"\mathrm{vec}(A \odot B)",
        r"\mathrm{vec}(A^\top \odot B)",
        (
            lambda a, b, c, d: np.diag(vec(a).ravel()) @ vec(b),
            lambda a, b, c, d: vec(a * b),
            lambda a, b, c, d: vec(a.T * b),
        ),
    ),
    r"\|A \otimes B\|_F": (
        r"\|A\|_F \|B\|_F",
        r"\|A\|_F + \|B\|_F",
        (
            lambda a, b, c, d: np.linalg.norm(np.kron(a, b)).reshape(1, 1),
            lambda a, b, c, d: (np.linalg.norm(a) * np.linalg.norm(b)).reshape(1, 1),
            lambda a, b, c, d: (np.linalg.norm(a) + np.linalg.norm(b)).reshape(1, 1),
        ),
    ),
}
"""A left side with a right member, a wrong one, and the values of all three."""

PAGE = "All matrices are square, and $\\otimes$ is the Kronecker product.\n\n" + "\n\n".join(
    f"$${left} = {right}$$" for left, (right, _, _) in CASES.items()
)


@pytest.mark.parametrize("left", CASES)
def test_the_labels_are_those_of_numpy(left):
    for side in (2, 3):
        values = [case(*(square(side, seed) for seed in range(4))) for case in CASES[left][2]]
        assert np.allclose(values[0], values[1])
        assert values[0].shape != values[2].shape or not np.allclose(values[0], values[2])


def test_a_page_of_identities_is_true():
    assert [judged(claim) for claim in check(PAGE).claims] == [CONFIRMED] * len(CASES)


@pytest.mark.parametrize("left", CASES)
def test_a_wrong_twin_is_refuted(left):
    claims = check(f"{PAGE}\n\n$${left} = {CASES[left][1]}$$").claims
    assert judged(claims[-1]) is REFUTED
    assert [judged(claim) for claim in claims[:-1]] == [CONFIRMED] * len(CASES)


def test_determinants_need_the_sizes():
    page = r"$A$ is an $m \times m$ matrix, and $B$ is an $n \times n$ matrix. $$\det(A \otimes B) = {}$$"
    assert judged(check(page.replace("{}", r"\det(A)^n \det(B)^m")).claims[-1]) is CONFIRMED
    assert judged(check(page.replace("{}", r"\det(A)^m \det(B)^n")).claims[-1]) is REFUTED


def test_rows_one_below_the_other_are_another_vec():
    """With the rows of X one below the other, this holds; nothing else on the page says that columns are meant."""
    assert judged(check(r"$$\mathrm{vec}(AXB) = (A \otimes B^\top) \mathrm{vec}(X)$$").claims[-1]) is not REFUTED


def test_a_matrix_of_which_no_blocks_are_known_is_left_open():
    assert judged(check(r"$$(A \otimes B) M = A \otimes M$$").claims[-1]) is OPEN
    assert judged(check(r"$$\mathrm{vec}(X) = K \mathrm{vec}(X^\top)$$").claims[-1]) is OPEN


def test_vectors_have_a_kronecker_product_too():
    page = "The Kronecker product of $a$ and $b$, which are vectors: $$\\mathrm{vec}(a b^\\top) = {}$$"
    assert judged(check(page.replace("{}", r"b \otimes a")).claims[-1]) is CONFIRMED
    assert judged(check(page.replace("{}", r"2 (b \otimes a)")).claims[-1]) is not CONFIRMED


def test_numbers_have_no_kronecker_product():
    """``u_1`` is no number where it stands beside such a sign; a reading in which it is one says nothing."""
    page = "$x_i = u_i v_i$. $$(u_1 \\otimes v_1) (u_2 \\otimes v_2) = 2 u_1 v_1^\\top u_2 v_2^\\top$$"
    assert judged(check(page).claims[-1]) is not CONFIRMED
    assert judged(check(page.replace("2 u_1", "u_1")).claims[-1]) is not REFUTED


def test_indices_below_the_sign_are_left_open():
    """In mechanics they are those of all products."""
    assert judged(check(r"$$(A \otimes B)_{ijkl} = A_{ij} B_{kl}$$").claims[-1]) is not REFUTED
    assert judged(check(r"$$(A \otimes B) : C = A (B : C)$$ $$(A \otimes B) C = A (B : C)$$").claims[-1]) is not REFUTED


def test_sides_that_are_as_long_in_other_blocks_are_left_open():
    page = r"$A_{m \times n}$ and $B_{n \times m}$ are matrices. $$\operatorname{tr}(A \otimes B) = {}$$"
    assert judged(check(page.replace("{}", r"\operatorname{tr}(A B)")).claims[-1]) is OPEN
    page = r"$A_{m \times n}$ and $B_{p \times q}$ are matrices. $$\operatorname{tr}(A \otimes B) = 0$$"
    assert judged(check(page).claims[-1]) is not CONFIRMED
