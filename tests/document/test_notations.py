"""Notations: a document in each, with a true line and its wrong twin."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.page import page_of
from indexcalc.document.statements.context import Context
from indexcalc.language.document import read_document
from tests.support.verdicts import judged

NOTATIONS = {
    "indices above": (
        r"y^i = \sum_j A^i_j x^j",
        r"\frac{\partial y^i}{\partial x^k} = A^i_k",
        r"\frac{\partial y^i}{\partial x^k} = 2 A^i_k",
    ),
    "letters with primes": (
        r"p_i = \frac{e^{z_i}}{\sum_{k'} e^{z_{k'}}}",
        r"\frac{\partial p_i}{\partial z_{k'}} = p_i (\delta_{ik'} - p_{k'})",
        r"\frac{\partial p_i}{\partial z_{k'}} = p_i (\delta_{ik'} + p_{k'})",
    ),
    "names with primes": (
        r"X'_{ij} = X_{ij} - \frac{1}{n} \sum_k X_{kj}",
        r"\frac{\partial X'_{ij}}{\partial X_{kl}} = \delta_{jl} (\delta_{ik} - \frac{1}{n})",
        r"\frac{\partial X'_{ij}}{\partial X_{kl}} = \delta_{jl} (\delta_{ik} + \frac{1}{n})",
    ),
    "a sum over a set": (
        r"f = \sum_{w \in V} a_w b_w",
        r"\frac{\partial f}{\partial a_w} = b_w",
        r"\frac{\partial f}{\partial a_w} = a_w",
    ),
    "a sum without a letter": (
        r"f = \sum x_i y_i",
        r"\frac{\partial f}{\partial x_i} = y_i",
        r"\frac{\partial f}{\partial x_i} = 2 y_i",
    ),
    "a product over a letter": (
        r"P = \prod_{i=1}^n p_i",
        r"\frac{\partial \log P}{\partial p_k} = \frac{1}{p_k}",
        r"\frac{\partial \log P}{\partial p_k} = \frac{2}{p_k}",
    ),
    "inner products that name their kind": (
        r"A, B \in \mathbb{R}^{n \times n}",
        r"\left\langle A, B \right\rangle_F = \operatorname{tr}(A^\top B)",
        r"\langle A, B \rangle_{\mathrm{F}} = 2 \operatorname{tr}(A^\top B)",
    ),
    "the positive part": (r"y_i = [x_i]_+", r"y_i = \max(0, x_i)", r"y_i = 2 \max(0, x_i)"),
    "all products of two vectors": (
        r"x \in \mathbb{R}^n, u \in \mathbb{R}^m",
        r"x \otimes u = x u^\top",
        r"x \otimes u = 2 x u^\top",
    ),
    "entries of the identity": (
        r"Y_{ij} = X_{ij}",
        r"\frac{\partial Y_{ij}}{\partial X_{kl}} = I_{ik} I_{jl}",
        r"\frac{\partial Y_{ij}}{\partial X_{kl}} = 2 I_{ik} I_{jl}",
    ),
    "unit vectors": (r"v = \sum_i v_i e_i", r"\mathbf{v}^\top e_i = \mathbf{v}_i", r"e_i^\top e_j = 2 \delta_{ij}"),
    "ones of a size": (
        r"A \in \mathbb{R}^{n \times m}",
        r"\mathbf 1_n^\top A \mathbf 1_m = \sum_{i=1}^n \sum_{j=1}^m A_{ij}",
        r"\mathbf 1_n^\top A \mathbf 1_m = 2 \sum_{i=1}^n \sum_{j=1}^m A_{ij}",
    ),
    "the letter of a class": (
        r"p_k = \frac{e^{z_k}}{\sum_j e^{z_j}} \\ L = -\log p_y",
        r"\frac{\partial L}{\partial z_k} = p_k - \mathbb 1[k = y]",
        r"\frac{\partial L}{\partial z_k} = p_k + \mathbb 1[k = y]",
    ),
    "a derivative by a square": (
        r"L = -\frac{n}{2} \log(2 \pi \sigma^2) - \frac{1}{2 \sigma^2} \sum_{i=1}^n (x_i - m)^2",
        r"\frac{\partial L}{\partial \sigma^2} = -\frac{n}{2 \sigma^2} + \frac{1}{2 \sigma^4} \sum_{i=1}^n (x_i - m)^2",
        r"\frac{\partial L}{\partial \sigma^2} = -\frac{n}{\sigma^2} + \frac{1}{2 \sigma^4} \sum_{i=1}^n (x_i - m)^2",
    ),
    "a sum in an exponent": (
        r"P = e^{-\frac{\sum_{i=1}^n (x_i - m)^2}{2 c}}",
        r"\frac{\partial \log P}{\partial m} = \frac1c \sum_{i=1}^n (x_i - m)",
        r"\frac{\partial \log P}{\partial m} = \frac2c \sum_{i=1}^n (x_i - m)",
    ),
    "the identity with its size": (
        r"X \in \mathbb{R}^{n \times d}",
        r"(X^\top X + \lambda I_d)^{-1} X^\top = X^\top (X X^\top + \lambda I_n)^{-1}",
        r"(X^\top X + \lambda I_d)^{-1} X^\top = X^\top (X X^\top - \lambda I_n)^{-1}",
    ),
    "a fraction of two letters": (
        r"f = \frac n2 \sum_{i=1}^n x_i^2",
        r"\frac{\partial f}{\partial x_i} = n x_i",
        r"\frac{\partial f}{\partial x_i} = \frac n2 x_i",
    ),
    "the inverse of a product with enough rows": (
        r"b = (X^\top X)^{-1} X^\top y, \quad y = X c + e",
        r"b = c + (X^\top X)^{-1} X^\top e",
        r"b = c - (X^\top X)^{-1} X^\top e",
    ),
    "the transpose of a gradient": (
        r"f(x) = x^\top x + b^\top x",
        r"f(x + p) = f(x) + \nabla f(x)^\top p + p^\top p",
        r"f(x + p) = f(x) - \nabla f(x)^\top p + p^\top p",
    ),
    "an expectation in round brackets": (
        r"S = E((H u + v)(H u + v)^\top)",
        r"S = H E(u u^\top) H^\top + H E(u v^\top) + E(v u^\top) H^\top + E(v v^\top)",
        r"S = H E(u u^\top) H^\top - H E(u v^\top) + E(v u^\top) H^\top + E(v v^\top)",
    ),
    "indices of the undeformed body": (
        r"E_{IJ} = \frac12 \sum_k (F_{kI} F_{kJ} - \delta_{IJ})",
        r"\frac{\partial E_{IJ}}{\partial F_{kL}} = \frac12 (\delta_{IL} F_{kJ} + F_{kI} \delta_{JL})",
        r"\frac{\partial E_{IJ}}{\partial F_{kL}} = \frac12 (\delta_{IL} F_{kJ} - F_{kI} \delta_{JL})",
    ),
    "an index written as ell": (
        r"y_\ell = \sum_k A_{\ell k} x_k",
        r"\frac{\partial y_\ell}{\partial x_k} = A_{\ell k}",
        r"\frac{\partial y_\ell}{\partial x_k} = 2 A_{\ell k}",
    ),
    "a sum in braces": (
        r"m = {\frac{1}{n}} {\sum_{i=1}^n} {x_i}",
        r"\frac{\partial m}{\partial x_i} = \frac1n",
        r"\frac{\partial m}{\partial x_i} = \frac2n",
    ),
    "an array written out with dots": (
        r"\mathbf{A} = \begin{bmatrix} a_{11} & \cdots & a_{1n} \\ \vdots & & \vdots \\ a_{m1} & \cdots & a_{mn}"
        r"\end{bmatrix}",
        r"(\mathbf{A} \mathbf{B})^\top = \mathbf{B}^\top \mathbf{A}^\top",
        r"(\mathbf{A} \mathbf{B})^\top = 2 \mathbf{B}^\top \mathbf{A}^\top",
    ),
    "a size called d": (
        r"\mu_i = \frac{1}{d} \sum_j x_{ij}",
        r"\frac{\partial \mu_i}{\partial x_{ij}} = \frac1d",
        r"\frac{\partial \mu_i}{\partial x_{ij}} = \frac2d",
    ),
}
"""What is given, a true line, and a wrong one."""


def last(*lines: str) -> Verdict:
    return judged(check("\n\n".join(f"$${line}$$" for line in lines)).claims[-1])


@pytest.mark.parametrize("name", NOTATIONS)
def test_what_is_true_is_found_so_and_its_twin_is_not(name):
    given, true, wrong = NOTATIONS[name]
    assert last(given, true) is Verdict.CONFIRMED
    assert last(given, wrong) in (Verdict.REFUTED, Verdict.UNCLEAR)


def test_most_wrong_twins_are_refuted():
    refuted = [name for name, (given, _, wrong) in NOTATIONS.items() if last(given, wrong) is Verdict.REFUTED]
    assert len(refuted) >= 0.7 * len(NOTATIONS), refuted


def test_a_sum_without_a_letter_that_could_be_several_is_open():
    assert last(r"s = \sum a_{jk} b_j", r"s = 2 \sum a_{jk} b_j") is Verdict.UNCLEAR


def test_the_power_of_a_letter_that_is_summed_is_no_index():
    slope = r"\frac{{\partial f}}{{\partial x}} = \sum_j {} a_j x^{{j-1}}"
    assert last(r"f = \sum_j a_j x^j", slope.format("j")) is Verdict.CONFIRMED
    assert last(r"f = \sum_j a_j x^j", slope.format("2 j")) is not Verdict.CONFIRMED


def test_a_prime_on_a_function_is_its_derivative():
    assert last("f(x) = x^3", "f'(x) = 3 x^2") is Verdict.CONFIRMED
    assert last("f(x) = x^3", "f'(x) = 2 x^2") is not Verdict.CONFIRMED


def test_a_vector_product_has_the_signs_of_permutations():
    given, term = r"\mathbf u \times \mathbf v = -\mathbf v \times \mathbf u", r"(\mathbf u \cdot \mathbf w) \mathbf v"
    double = r"\mathbf u \times (\mathbf v \times \mathbf w) = {} {} (\mathbf u \cdot \mathbf v) \mathbf w"
    assert last(given) is Verdict.CONFIRMED
    assert last(given, double.format(term, "-")) is Verdict.CONFIRMED
    assert last(given, double.format(term, "+")) is not Verdict.CONFIRMED


@pytest.mark.parametrize("inverse", ["", "^{-1}"])
def test_a_matrix_below_a_norm_weighs_it(inverse):
    words = r"Let $x, u \in \mathbb{R}^n$ and let $C \in \mathbb{R}^{n \times n}$ be symmetric."
    given = rf"$$\|u\|_C^2 = u^\top C{inverse} u$$ $$J = \frac12 \|x - u\|_{{C}}^2$$"
    slope = rf"C{inverse} (x - u)$$"
    head = r"$$\frac{\partial J}{\partial x} ="
    right, wrong = (check(f"{words}\n{given}\n{head} {sign} {slope}").claims[-1] for sign in ("", "-"))
    assert judged(right) is Verdict.CONFIRMED
    assert judged(wrong) is not Verdict.CONFIRMED


def test_an_equation_that_leads_back_to_a_name_does_not_say_what_it_is():
    given = (r"z = H x + v", r"m = H^{-1} z", r"z = H m", r"x = A u", r"x = m")
    assert last(*given, r"z - v = H x") is Verdict.CONFIRMED
    assert last(*given, r"z - v = 2 H x") is not Verdict.CONFIRMED


def test_a_reason_beside_an_equation_is_no_member():
    row = r"y &= x^\top A x && \text{{{} }} x = 2x \\ &= x^\top A^\top x && \text{{(by transposing)}}"
    lines = row.format("from")
    report = check(rf"$$\begin{{aligned}} {lines} \end{{aligned}}$$")
    assert [judged(claim) for claim in report.claims] == [Verdict.DEFINITION, Verdict.CONFIRMED]


@pytest.mark.parametrize("wrong", ["", "2"])
def test_what_a_zero_on_the_left_side_says_is_no_claim(wrong):
    report = check(rf"$$\mathbf 0 = A B - C \\ \mathbf 0 = {wrong} A B D - C D$$")
    assert Verdict.REFUTED not in [claim.verdict for claim in report.claims]


def test_a_letter_of_a_size_may_also_be_that_of_a_vector():
    words = r"Let $u \in \mathbb{R}^d$, $G \in \mathbb{R}^{m \times d}$."
    words += r" Let $C \in \mathbb{R}^{d \times d}$ be symmetric."
    loss, slope = r"$$J = \frac12 (u - m)^\top C (u - m)$$", r"$$\frac{{\partial J}}{{\partial u}} = C (u {} m)$$"
    right, wrong = (check(f"{words}\n{loss}\n{slope.format(sign)}").claims[-1] for sign in "-+")
    assert judged(right) is Verdict.CONFIRMED
    assert judged(wrong) is not Verdict.CONFIRMED


def test_what_a_later_section_sets_is_not_what_a_declared_name_is_before():
    text = r"""# General
Let $G \in \mathbb{R}^{n \times d}$, $u \in \mathbb{R}^d$ and $y \in \mathbb{R}^n$.
$$J = \frac12 (y - G u)^\top (y - G u)$$
$$\frac{\partial J}{\partial u} = -G^\top (y - G u)$$
# A special case
Let $X \in \mathbb{R}^{n \times p}$.
$$G = X$$
"""
    assert [judged(c) for c in check(text).claims if "-G" in c.latex] == [Verdict.CONFIRMED]


def test_a_second_derivative_does_not_forget_what_the_first_one_holds():
    given = (r"y = X b + e", r"S(b) = (y - X b)^\top (y - X b)", r"\frac{\partial S}{\partial b} = -2 X^\top (y - X b)")
    more = r"\frac{\partial S}{\partial b} = -2 X^\top y + 2 X^\top X b"
    assert last(*given, more, r"\nabla^2 S = 2 X^\top X") is not Verdict.REFUTED


def test_an_entry_that_is_one_gives_its_letter_only_on_a_page_of_one_hot_vectors():
    def given(words: str) -> frozenset[str]:
        return page_of(read_document(words + " $$q_t = 2 y_t$$ $$y_t = 1$$", "note.md"), Context()).given_letters

    assert given("The label is one-hot.") == {"t"}
    assert given("The gate is open.") == frozenset()
