"""Elementary functions in the ways in which people write them: random derivatives that SymPy takes and prints."""

from __future__ import annotations

import random

import pytest
import sympy as sp

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from indexcalc.language.latex.vocabulary import ELEMENTARY

TRUE, FALSE = (Verdict.PROVED, Verdict.CONFIRMED), (Verdict.REFUTED,)
x, y = sp.symbols("x y", positive=True)

INSIDE = (x, 2 * x, x * y, x + y, x**2, x / y, 3 * x * y)
OUTSIDE = (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc, sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.exp, sp.log, sp.sqrt)
OPAQUE = (sp.asin, sp.acos, sp.atan, sp.asinh, sp.acosh, sp.atanh)
STYLES = (
    {},
    {"ln_notation": True},
    {"fold_func_brackets": True},
    {"fold_func_brackets": True, "ln_notation": True, "fold_short_frac": True},
    {"inv_trig_style": "full"},
    {"inv_trig_style": "power"},
    {"mul_symbol": "dot"},
)


def formula(seed: int, outside=OUTSIDE) -> sp.Expr:
    """A random formula in x and y."""
    draw = random.Random(seed)
    one, other = (draw.choice(outside)(draw.choice(INSIDE)) for _ in range(2))
    power = draw.choice((1, 1, 2, 3))
    return draw.choice((one, one**power, one * other, one + y * other, x * one**power))


def page(value: sp.Expr, slope: sp.Expr, style: dict) -> str:
    """A page that says what f is, and its derivative by x."""
    names = r"$x > 0$ and $y > 0$ are numbers."
    left = r"\frac{\partial f}{\partial x}"
    return f"{names}\n\n$$ f = {sp.latex(value, **style)} $$\n\n$$ {left} = {sp.latex(slope, **style)} $$\n"


def verdict(source: str) -> Verdict:
    """The verdict on the last claim of a page."""
    return check(source).claims[-1].verdict


@pytest.mark.parametrize("seed", range(42))
def test_what_sympy_derives_is_true_and_something_else_is_not(seed):
    style = STYLES[seed % len(STYLES)]
    value = formula(seed)
    slope = sp.diff(value, x)
    assert verdict(page(value, slope, style)) in TRUE, page(value, slope, style)
    value = value.subs(y, 2)  # of what is not said to be constant, more could be true
    wrong = sp.diff(value, x) + sp.Rational(1, 3) * x
    assert verdict(page(value, wrong, style)) in FALSE, page(value, wrong, style)


@pytest.mark.parametrize("seed", range(100, 114))
def test_functions_of_which_nothing_is_known_are_left_open(seed):
    style = STYLES[seed % len(STYLES)]
    value = formula(seed, OPAQUE)
    found = verdict(page(value, sp.diff(value, x), style))
    assert found not in FALSE, page(value, sp.diff(value, x), style)
    assert verdict(page(value, sp.diff(value, x) + 1, style)) not in TRUE


@pytest.mark.parametrize("name", sorted(ELEMENTARY | {"log", "ln", "exp", "sin", "cos", "tanh"}))
@pytest.mark.parametrize("argument", ["x", "2x", "(x)", r"\left( x \right)", "{x}", r"\frac{x}{2}"])
def test_a_function_is_no_factor(name, argument):
    sign = rf"\operatorname{{{name}}}"
    source = f"$$ f = {sign} {argument} $$\n\n" + rf"$$ \frac{{df}}{{dx}} = {sign} $$"
    assert verdict(source) not in TRUE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (r"\sin 2x", r"2 \sin x \cos x"),
        (r"\cos 2x", r"\cos^2 x - \sin^2 x"),
        (r"\log 2\pi x", r"\log 2 + \log \pi + \log x"),
        (r"\log x y", r"\log x + \log y"),
        (r"\tan x", r"\frac{\sin x}{\cos x}"),
        (r"\cosh^2 x - \sinh^2 x", "1 + 0 x"),
        (r"y \log x - x \log y", r"\log x \, y - \log y \, x"),
    ],
)
def test_identities(left, right):
    source = f"$x > 0$ and $y > 0$ are numbers.\n\n$$ f = {left} $$\n\n$$ f = {right} $$\n\n$$ {left} = {right} $$\n"
    assert verdict(source) not in FALSE
    assert verdict(source.replace(f"= {right} $$\n", f"= 2 x + {right} $$\n")) not in TRUE
