"""Logarithms to a base that is written below, or that log has beside ln."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

TRUE, FALSE = (Verdict.PROVED, Verdict.CONFIRMED), (Verdict.REFUTED,)


def verdict(*lines: str) -> Verdict:
    """The verdict on the last of several displayed equations."""
    report = check("\n\n".join(f"$$ {line} $$" for line in lines))
    return report.claims[-1].verdict


@pytest.mark.parametrize(("sign", "base"), [(r"\log_2", 2), (r"\log_{10}", 10), (r"\ln_{3}", 3)])
@pytest.mark.parametrize("argument", ["x", "(x)", r"\left( x \right)"])
def test_a_number_below_is_the_base(sign, base, argument):
    equation = rf"f = {sign} {argument}"
    assert verdict(equation, rf"\frac{{df}}{{dx}} = \frac{{1}}{{x \ln {base}}}") in TRUE
    assert verdict(equation, r"\frac{df}{dx} = \frac{1}{x}") in FALSE
    assert verdict(equation, rf"\frac{{df}}{{dx}} = \frac{{1}}{{x \ln {base + 1}}}") in FALSE


def test_the_base_e_is_the_natural_one():
    assert verdict(r"f = \log_e x", r"\frac{df}{dx} = \frac{1}{x}") in TRUE


def test_a_base_that_is_no_number_is_not_read():
    assert verdict(r"f = \log_a(x)", r"\frac{df}{dx} = \frac{1}{x}") not in (*TRUE, *FALSE)


@pytest.mark.parametrize("base", [2, 10])
def test_log_beside_ln_may_have_another_base(base):
    change = rf"\log(x) = \frac{{\ln(x)}}{{\ln({base})}}"
    assert verdict(change) in TRUE
    assert verdict(r"f = \log(x)", change, rf"\frac{{df}}{{dx}} = \frac{{1}}{{x \ln {base}}}") in TRUE
    assert verdict(r"f = \log(x)", r"g = \ln(x)", r"\frac{df}{dx} = \frac{1}{x}") in TRUE


def test_what_holds_for_no_base_is_refuted():
    assert verdict(r"f = \log(x)", r"g = \ln(x)", r"\frac{df}{dx} = \frac{2}{x}") in FALSE


def test_log_alone_is_the_natural_one():
    assert verdict(r"f = \log(x)", r"\frac{df}{dx} = \frac{1}{x}") in TRUE
    assert verdict(r"f = \log(x)", r"\frac{df}{dx} = \frac{1}{2 x}") in FALSE
