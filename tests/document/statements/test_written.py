"""Factorials, sums with dots, and zeros and identities with their sizes."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

GIVEN = r"""Let $X \in \mathbb{R}^{n \times d}$ and $v \in \mathbb{R}^d$.

$$y = X v$$
"""


def verdict(claim: str, given: str = GIVEN) -> Verdict:
    return check(f"{given}\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"X I_{d \times d} v = y", r"X I_{d \times d} v = 2 y"),
        (r"X v + \mathbf{0}_{n \times 1} = y", r"X v + \mathbf{0}_{n \times 1} = -y"),
        (
            r"\mathbf{1}_{d \times n} y = \mathbf{1}_d \mathbf{1}_n^\top X v",
            r"\mathbf{1}_{d \times n} y = \mathbf{1}_d",
        ),
    ],
)
def test_zeros_and_identities_are_as_large_as_they_must_be(right, wrong):
    assert verdict(right) is Verdict.PROVED
    assert verdict(wrong) is Verdict.REFUTED


@pytest.mark.parametrize("start", ["v_1", "v_1 + v_2"])
def test_terms_with_dots_between_them_are_a_sum(start):
    assert verdict(rf"\sum_i v_i = {start} + \dots + v_d") is Verdict.PROVED
    assert verdict(r"y_i = X_{i1} v_1 + \dots + X_{id} v_d") is Verdict.PROVED
    assert verdict(rf"\mathbf{{1}}^\top v = 2 ({start} + \dots + v_d)") is Verdict.REFUTED


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("term", ["v_{}", "v_{} x_{}", "q_{{{}}} v_{{{}}}^2"])
def test_any_number_of_terms_may_stand_before_the_dots(count, term):
    numbered = [term.format(*[n] * 2) for n in (*range(1, count + 1), "d")]
    series = " + ".join([*numbered[:-1], r"\dots", numbered[-1]])
    general = term.format("i", "i")
    given = GIVEN + r"Let $x, q \in \mathbb{R}^d$."
    assert verdict(rf"2 ({series}) = \sum_i 2 {general}", given) is Verdict.PROVED
    assert verdict(rf"2 ({series}) = \sum_i {general}", given) not in TRUE


@pytest.mark.parametrize(
    "terms", [r"v_1 + v_3 + \dots + v_d", r"v_1 + 2 v_2 + \dots + v_d", r"v_1 - v_2 + \dots + v_d"]
)
def test_terms_that_are_no_series_stay_unread(terms):
    assert verdict(rf"\sum_i v_i = {terms}") is Verdict.UNCLEAR


def test_a_factorial_is_a_function_of_which_nothing_is_known():
    given = r"$$f = \frac{n!}{(n - m)!}$$"
    assert verdict(r"\log f = \log n! - \log[(n - m)!]", given) in (Verdict.PROVED, Verdict.CONFIRMED)
    assert verdict(r"\log f = \log n!", given) is Verdict.UNCLEAR


def test_a_wide_space_in_square_brackets_is_a_comma():
    given = r"Let $u, v \in \mathbb{R}^n$ and $w \in \mathbb{R}^{2n}$. $$b = w^\top [u; v]$$"
    assert check(given + "\n\n" + r"$$\frac{\partial b}{\partial w} = [u \quad v]$$").claims[-1].verdict in TRUE


def test_a_digit_right_behind_a_letter_is_its_subscript():
    given = (
        r"Let $W \in \mathbb{R}^{n \times d}$, $x \in \mathbb{R}^d$ and $b_1, b_2 \in \mathbb{R}^n$. $$z = Wx + b1$$"
    )
    assert check(given + "\n\n" + r"$$z + b2 = Wx + b_1 + b_2$$").claims[-1].verdict in TRUE
    assert check(given + "\n\n" + r"$$z + b2 = Wx + b_1 + 2 b$$").claims[-1].verdict not in TRUE


def test_the_inverse_of_a_function_is_a_function_of_its_own():
    given = r"$$z = g^{-1}(X v)$$"
    assert check(GIVEN + given + "\n\n" + r"$$2 g^{-1}(y) = 2 z$$").claims[-1].verdict in TRUE
    assert check(GIVEN + given + "\n\n" + r"$$2 g(y) = 2 z$$").claims[-1].verdict is Verdict.UNCLEAR


def test_an_entry_in_brackets_stands_for_its_array():
    page = r"$$(R_{ij}) = \begin{pmatrix} 0 & 1 \\ -1 & 0 \end{pmatrix}$$ $$y_i = \sum_j R_{ij} x_j$$" + "\n\n"
    assert check(page + r"$$2 y_1 = 2 x_2$$").claims[-1].verdict in TRUE
    assert check(page + r"$$y_2 x_2 = x_1 x_2$$").claims[-1].verdict is Verdict.REFUTED


def test_samples_bear_powers_and_transposes_and_one_may_be_left_out():
    sample = r"Let $b \in \mathbb{R}^d$. $$r^{(i)} = y^{(i)} - \mathbf{x}^{\top(i)} b$$"
    page = sample + r"$$D = \sum_i r^{(i)2}$$ $$d^{(-i)} = D^{(-i)} - D$$" + "\n\n"
    assert check(page + r"$$\frac{\partial D}{\partial y^{(i)}} = 2 r^{(i)}$$").claims[-1].verdict in TRUE
    plain = page.replace(r"\mathbf{x}^{\top(i)} b", "z^{(i)}")
    assert check(plain + r"$$\frac{\partial D}{\partial y^{(i)}} = r^{(i)}$$").claims[-1].verdict is Verdict.REFUTED
    assert check(page + r"$$2 d^{(-i)} = 2 D^{(-i)} - 2 D$$").claims[-1].verdict in TRUE


@pytest.mark.parametrize(
    "words", [r"\text{with } v = 2 v \text{ put in}", r"\text{the map at } 3 y", r"\text{trivially}"]
)
def test_words_in_columns_of_their_own_are_no_member(words):
    claim = rf"\begin{{aligned}} y &= X v && {words} \\ &= y + 0 \cdot X v && {words} \end{{aligned}}"
    plain = check(f"{GIVEN}\n$${claim.replace(words, '')}$$\n").claims
    claims = check(f"{GIVEN}\n$${claim}$$\n").claims
    assert [found.verdict for found in claims] == [found.verdict for found in plain]
    assert claims[-1].verdict in TRUE


def test_an_equation_whose_name_is_words_is_one_beside_another_too():
    claim = r"\begin{aligned} y &= X v && \text{loss} &= 2 y_1 \end{aligned}"
    assert any("2 y_1" in found.latex for found in check(f"{GIVEN}\n$${claim}$$\n").claims)


def test_a_row_of_words_is_no_member():
    page = r"""Let $X \in \mathbb{R}^{n \times d}$ and $v \in \mathbb{R}^d$.

$$\begin{aligned}
\sum_i (X v)_i &= \sum_{ik} X_{ik} v_k \\
&\qquad \text{the sum over } i \text{ of 1 is } n \\
&= \mathbf{1}^\top X v
\end{aligned}$$
"""
    assert [claim.verdict in TRUE for claim in check(page).claims[-2:]] == [True, True]
    assert check(page.replace(r"&= \mathbf{1}^\top X v", r"&= 2 \mathbf{1}^\top X v")).claims[-1].verdict not in TRUE


def test_the_factorial_of_an_entry_is_of_all_of_it() -> None:
    """Of the name with what stands below it."""
    given = r"$$\ell = \sum_{i=1}^n (x_i \log a - a - \log x_i!)$$"
    assert verdict(r"\frac{\partial \ell}{\partial a} = \frac{1}{a} \sum_{i=1}^n x_i - n", given) in (
        Verdict.PROVED,
        Verdict.CONFIRMED,
    )


def test_braces_within_braces_say_nothing() -> None:
    """As programs write fractions."""
    assert verdict(r"\frac{{\partial f}}{{\partial x}} = 2 a x", r"$$f = a {{x^{{2}}}}$$") in (
        Verdict.PROVED,
        Verdict.CONFIRMED,
    )
