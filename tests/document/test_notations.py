"""Notations: a document in each, with a true line and its wrong twin."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
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
