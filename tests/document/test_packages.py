"""Macros of packages: derivatives, bold letters and brackets that a page uses without defining them."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.language.latex.macros import Macro, expanded
from indexcalc.language.latex.packages import PACKAGES

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\dv{f}{x} = 3x^2", r"\dv{f}{x} = 3x"),
        (r"\dv[2]{f}{x} = 6x", r"\dv[2]{f}{x} = 3x"),
        (r"\pdv*{(x^2)}{x} = 2x", r"\pdv*{(x^2)}{x} = 3x"),
        (r"\dv{x} \qty(x^3) = 3 x^2", r"\dv{x} \qty(x^3) = x^2"),
        (r"\pdv{(x^2 y)}{x}{y} = 2x", r"\pdv{(x^2 y)}{x}{y} = 2y"),
    ],
)
def test_derivatives(right, wrong):
    given = "$$f(x) = x^3$$\n\n"
    assert check(f"{given}$${right}$$\n").claims[-1].verdict in TRUE
    assert check(f"{given}$${wrong}$$\n").claims[-1].verdict not in TRUE


def test_the_macros_of_a_page_come_first():
    text = r"\vb{a} \dv{f}{x}"
    assert expanded(text, PACKAGES) == r"\mathbf{a} \frac{\mathrm{d} f}{\mathrm{d} x}"
    assert expanded(text, {**PACKAGES, "vb": Macro(1, "<#1>")}).startswith("<a>")


def test_as_many_arguments_as_there_are_in_braces():
    assert expanded(r"\pdv{x} f", PACKAGES) == r"\frac{\partial}{\partial x} f"
    assert expanded(r"\pdv[2]{f}{x}", PACKAGES) == r"\frac{\partial^{2} f}{\partial x^{2}}"
    assert expanded(r"\pdv*{f}{x}{y}", PACKAGES) == r"\frac{\partial^{2} f}{\partial x\,\partial y}"
