"""Two vectors side by side, whose product the other statements say; and powers of matrices."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from tests.support.verdicts import last

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


DOTTED = SIZES.replace("u v", r"u \cdot v")


def test_a_dot_between_vectors_stands_for_their_inner_product() -> None:
    """Without a word it is the sum of the products."""
    right, wrong = CLAIMS["inner"]
    assert verdict(DOTTED, f"$${right}$$") in TRUE
    assert verdict(DOTTED, f"$${wrong}$$") is Verdict.REFUTED


def test_a_dot_between_vectors_stands_for_products_entry_by_entry_where_others_say_so() -> None:
    """What the result is multiplied with elsewhere says it."""
    right, wrong = CLAIMS["entries"]
    assert verdict(DOTTED, EVIDENCE["entries"], f"$${right}$$") in TRUE
    assert verdict(DOTTED, EVIDENCE["entries"], f"$${wrong}$$") is Verdict.REFUTED


LOOSE = {
    r"v^\top \frac{\partial (W x)}{\partial W}": (r"v x^\top", r"x v^\top"),
    r"(v + u)^\top \frac{\partial (u \odot (W x))}{\partial W}": (r"(v \odot u + u \odot u) x^\top", r"(v + u) x^\top"),
}
"""Vectors before the derivative of one by a matrix, what they are, and what they are not."""


@pytest.mark.parametrize("left", LOOSE)
def test_a_vector_before_a_derivative_by_a_matrix(left: str) -> None:
    """The sum runs over the entries of what is differentiated."""
    right, wrong = LOOSE[left]
    declared = r"Let $W \in \mathbb{R}^{m \times n}$, $u, v \in \mathbb{R}^m$, $x \in \mathbb{R}^n$."
    assert verdict(declared, f"$${left} = {right}$$") in TRUE
    assert verdict(declared, f"$${left} = {wrong}$$") not in TRUE


@pytest.mark.parametrize("right", [r"x^\top x", r"x \odot x"])
def test_the_square_of_a_vector_accuses_neither_meaning(right: str) -> None:
    """A square is that of the entries or of the length."""
    claim = rf"$$(x^2 + x^2) = {right} + {right}$$"
    assert verdict(r"Let $x \in \mathbb{R}^n$.", claim) is not Verdict.REFUTED


POWERS = {
    "(A B)^0": ("I", "2 I"),
    "A^2": ("A A", "A^{\\top} A"),
    "A^3": ("A A^2", "A^2"),
    "A^4": ("A^2 A^2", "A^3 A A"),
    "(A B)^2": ("A B A B", "A^2 B^2"),
}
"""Powers of a matrix, what they are, and what they are not."""


@pytest.mark.parametrize("power", POWERS)
def test_a_power_of_a_matrix_is_its_product_with_itself(power: str) -> None:
    """Written out it is the same, and another product is not."""
    right, wrong = POWERS[power]
    square = r"Let $A, B \in \mathbb{R}^{n \times n}$."
    assert verdict(square, f"$${power} + B = {right} + B$$") in TRUE
    assert verdict(square, f"$${power} + B = {wrong} + B$$") is Verdict.REFUTED


def test_a_letter_above_a_matrix_makes_it_one_of_which_nothing_more_is_known() -> None:
    """It may be a power, or count steps: it is equal to itself, and nothing false of it is refuted."""
    square = r"Let $A, B \in \mathbb{R}^{n \times n}$."
    assert verdict(square, "$$B A^k + 2 B A^k = 3 B A^k$$") in TRUE
    assert verdict(square, r"$$(B A^k)^\top = (A^k)^\top B^\top$$") in TRUE
    for open_claim in ("A A^k + B = A^{k+1} + B", "A^k A + B = A A^k + B", "A^{2k} + B = A^k A^k + B"):
        assert verdict(square, f"$${open_claim}$$") is Verdict.UNCLEAR


def test_a_word_above_a_matrix_is_no_power() -> None:
    text = r"$$A = U V$$ $A^{\mathrm{old}}$ is a matrix. Let $U, V, A \in \mathbb{R}^{n \times n}$."
    wrong = "$$A^{\\mathrm{old}} B + A^{\\mathrm{old}} A = 2 A^{\\mathrm{old}} A + B A^{\\mathrm{old}}$$"
    assert verdict(text + r" Let $B \in \mathbb{R}^{n \times n}$.", wrong) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("left", "right"), [("(u v^\\top) : A", "u^\\top A v"), ("(A + B) : C", "A : C + B : C"), ("A : B", "B : A")]
)
def test_a_formula_before_a_colon_is_a_factor(left, right):
    page = f"$u$ and $v$ are vectors, $A$, $B$ and $C$ matrices.\n\n$${left} = {right}$$"
    assert check(page).claims[-1].verdict in TRUE
    assert check(page.replace(f"= {right}", f"= 2 {right}")).claims[-1].verdict is Verdict.REFUTED


def test_a_name_before_a_colon_is_a_label():
    assert check("$$b = 3 a$$\n\n$$(i): b + a = 4 a$$").claims[-1].verdict in TRUE


MATRICES = r"Let $A, B \in \mathbb{R}^{n \times d}$ and $C \in \mathbb{R}^{d \times n}$."


def test_a_dot_between_matrices_without_a_product_is_one_entry_by_entry() -> None:
    """What their shapes forbid is not meant; where they allow a product, it is one."""
    assert verdict(MATRICES, r"$$A \cdot B = B \odot A$$") in TRUE
    assert verdict(MATRICES, r"$$A \cdot B = A \odot A$$") not in TRUE
    assert verdict(MATRICES, r"$$\mathrm{tr}(A \cdot C) = \mathrm{tr}(C A)$$") in TRUE
    assert verdict(MATRICES, r"$$A \cdot C = A \odot C^\top$$") not in TRUE


def test_a_power_of_a_vector_is_one_of_its_entries() -> None:
    """Any number may stand above it; a name there may be a mark."""
    page = r"Let $s, x \in \mathbb{R}^n$."
    assert verdict(page, r"$$\frac{x}{\sqrt{s}} = s^{-1/2} \odot x$$") in TRUE
    assert verdict(page, r"$$\frac{x}{\sqrt{s}} = s^{-3/2} \odot x$$") is Verdict.REFUTED
    assert verdict(page, r"$$(s + x)^{3/2} \odot (s + x)^{1/2} = (s + x)^2$$") in TRUE
    assert verdict(page, r"$$(s + x)^k \odot (s + x)^k = (s + x)^k$$") is Verdict.UNCLEAR


ROWS = (
    r"Let $\mathbf{x} \in \mathbb{R}^m$, $W \in \mathbb{R}^{m \times n}$, $\mathbf{b} \in \mathbb{R}^n$.",
    r"\mathbf{z} = \mathbf{x} W + \mathbf{b}",
)
COLUMNS = (ROWS[0], r"\mathbf{z} = W^T \mathbf{x} + \mathbf{b}")
OUTER = r"\frac{\partial L}{\partial W} = \mathbf{x}^T \frac{\partial L}{\partial \mathbf{z}}"


def test_where_a_vector_stands_before_a_matrix_vectors_may_be_rows():
    assert last(*ROWS, OUTER) in TRUE
    assert last(*ROWS, r"\frac{\partial L}{\partial \mathbf{x}} = \frac{\partial L}{\partial \mathbf{z}} W^T") in TRUE
    assert last(*COLUMNS, OUTER) is Verdict.REFUTED
    swapped = r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial \mathbf{z}}^T \mathbf{x}"
    assert last(*ROWS, swapped) is Verdict.REFUTED


def test_a_number_before_a_cross_may_be_the_size_of_a_vector():
    """An angular velocity of 2.1 is a vector of that size; in a product that says so, it is a number."""
    turning = r"Let $\omega = 2.1$ and $r = (0.5, 0, 0)$."
    assert last(turning, r"a = \omega \times (\omega \times r) = -\omega^2 r") is not Verdict.REFUTED
    scaled = r"Let $x \in \mathbb{R}^n$ and $c = 3$. Then $y = c \times x$ and $y = c x$."
    assert last(scaled, r"c \times x = 2 c x") is Verdict.REFUTED
