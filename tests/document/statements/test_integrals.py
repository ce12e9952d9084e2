"""Integrals are values of which no more is known than how they are written."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

GIVEN = r"$$Z = \int_0^1 g(x) \, dx$$"


def verdict(claim: str, given: str = GIVEN) -> Verdict:
    return check(f"{given}\n\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize("integral", [r"\int_0^1 g(x) dx", r"\int_0^1 g(u) \, \mathrm{d} u"])
def test_an_integral_is_the_same_over_any_letter(integral):
    assert verdict(rf"2 \log Z = 2 \log {integral}") is Verdict.PROVED


@pytest.mark.parametrize("integral", [r"\int_0^2 g(x) dx", r"\int_0^1 g(x)^2 dx", r"\int dx\, g(x)"])
def test_another_integral_is_another_value_and_nothing_false_of_it_is_refuted(integral):
    assert verdict(rf"2 Z = 2 {integral}") is Verdict.UNCLEAR


def test_indices_that_stand_around_an_integral_are_its_own():
    given = r"$$T_{ij} = \int_V x_i x_j \, dV$$"
    assert verdict(r"T_{ij} v_j = v_j \int_V x_i x_j \, dV", given) is Verdict.PROVED
    assert verdict(r"T_{ij} v_j = v_i \int_V x_i x_j \, dV", given) is not Verdict.PROVED


@pytest.mark.parametrize("open_ended", [r"\int g(x)", r"\int_0^1 g(x) = x dx"])
def test_an_integral_whose_end_is_not_seen_stays_unread(open_ended):
    assert verdict(rf"2 Z = 2 {open_ended}") is Verdict.UNCLEAR


EXTREME = r"$$m = \min_{x \in S} f(x, a)$$"


@pytest.mark.parametrize(
    "value",
    [r"\min_{u \in S} f(u, a)", r"\underset{x \in S}{\min} f(x, a)", r"\operatorname*{min}_{x\in S} f(x, a)"],
)
def test_an_extreme_value_is_the_same_over_any_letter(value):
    assert verdict(rf"2 \log m = 2 \log {value}", EXTREME) is Verdict.PROVED


@pytest.mark.parametrize("value", [r"\min_{x \in T} f(x, a)", r"\max_{x \in S} f(x, a)", r"\min_{x \in S} f(x, b)"])
def test_another_extreme_value_is_another_and_nothing_false_of_it_is_refuted(value):
    assert verdict(rf"2 m = 2 {value}", EXTREME) is Verdict.UNCLEAR


@pytest.mark.parametrize("word", [r"\argmin", r"\arg\min", r"\operatorname{argmin}", r"\mathrm{arg\,min}"])
def test_what_minimizes_is_no_factor(word):
    given = rf"Let $x_k = {word}_{{x \in K}} f(x)$ and $v_k = x_k - x_{{k-1}}$."
    assert verdict(r"v_k^T A v_k = v_k^T b", given) is Verdict.UNCLEAR


def test_an_extreme_entry_has_the_indices_around_it():
    given = r"$$m_i = \max_j S_{ij}$$"
    assert verdict(r"\sum_i m_i v_i = \sum_i v_i \max_k S_{ik}", given) is Verdict.PROVED
    softmax = r"\frac{e^{S_{ij} - m_i}}{\sum_k e^{S_{ik} - m_i}} = \frac{e^{S_{ij}}}{\sum_k e^{S_{ik}}}"
    assert verdict(softmax, given) in (Verdict.PROVED, Verdict.CONFIRMED)
    assert verdict(softmax.replace("e^{S_{ik} - m_i}", "e^{S_{ik}}"), given) is Verdict.UNCLEAR


@pytest.mark.parametrize("other", [r"\max(a, b)", r"x_{\max}", r"\min", r"\lim"])
def test_words_without_anything_below_them_are_no_values_over_a_letter(other):
    text = rf"$$c = 2 {other}$$"
    assert not any("[_" in found.reason for found in check(text).claims)


def test_a_letter_below_that_is_no_index_around_it_stays_in_the_name():
    given = r"""$x^{(k)} = \arg\min_{x \in K_k} f(x)$

$v^{(k)} = x^{(k)} - x^{(k-1)}$"""
    assert verdict(r"v^{(k)\top} A v^{(k)} = 0", given) not in (Verdict.PROVED, Verdict.CONFIRMED)
    given = r"$$u = \int_{V_a} g(x) \, dx, \qquad w = \int_{V_b} g(x) \, dx$$"
    assert verdict(r"2 u = 2 w", given) is Verdict.UNCLEAR


@pytest.mark.parametrize(
    "false",
    [
        r"\max_x \sqrt{x + c} = \max_x \sqrt{x} + c",
        r"\max_x \frac{f(x)}{2 g(x)} = \max_x \frac{f(x)}{2} g(x)",
        r"\max_w e^{-w x} = \max_w e^{-w} x",
        r"\lim_{n \to \infty} \frac{a_n b_n}{n} = \lim_{n \to \infty} \frac{a_n}{b_n n}",
        r"\int \frac{f(x)}{2 g(x)} dx = \int \frac{f(x)}{2} g(x) dx",
        r"\min_{A x = b} c^\top x = \min_{D x = b} c^\top x",
        r"\min_{x: g(x) \le 0} f(x) = \min_{x: h(x) \le 0} f(x)",
        r"\max_{x^\top A x = 1} c^\top x = \max_{x^\top B x = 1} c^\top x",
    ],
)
def test_what_is_written_otherwise_is_another_value(false):
    assert check(f"$${false}$$").claims[-1].verdict not in (Verdict.PROVED, Verdict.CONFIRMED)


def test_braces_around_one_letter_say_nothing():
    assert verdict(r"2 Z = 2 \int_{0}^{1} g(x) dx") is Verdict.PROVED
