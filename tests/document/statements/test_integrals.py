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
