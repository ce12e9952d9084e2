"""Scalars as Python source: equal in value, and plain floats."""

import numpy as np
import pytest
import sympy as sp

from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat
from indexcalc.errors import UnsupportedError

d, n = sp.symbols("d n", positive=True, integer=True)
eps = sp.Symbol("eps", real=True)
SYMBOLS = {d: "d", n: "n", eps: "eps"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / sp.sqrt(d), "1 / d**0.5"),
        (sp.Rational(1, 3), "1 / 3"),
        (sp.Rational(1, 8), "0.125"),
        (sp.Rational(1, 100_000), "1e-05"),
        (-d, "-d"),
        (d * n, "d * n"),
        (2 / n, "2 / n"),
        (sp.pi, "np.pi"),
        (sp.sqrt(2) / 2, "1.0 / 2**0.5"),
        (sp.sqrt(3) * d / 2, "3**0.5 * d / 2"),
        (sp.sqrt(2) / (2 * sp.sqrt(sp.pi)), "1.0 / (2 * np.pi) ** 0.5"),
        (4 / sp.sqrt(sp.pi), "4 / np.pi**0.5"),
        (sp.exp(eps), "float(np.exp(eps))"),
        # Array libraries have no integers of this size.
        (sp.Integer(2) ** 53, "9007199254740992"),
        (sp.Integer(10) ** 20, "1e20"),
        (d / (3 * sp.Integer(2) ** 60), "d / 3.458764513820541e18"),
        (sp.Rational(10**20, 7), "1e20 / 7"),
    ],
)
def test_text(value, text):
    assert flat(scalar_node(value, SYMBOLS)) == text


@pytest.mark.parametrize(
    "value",
    [
        -sp.sqrt(2) / (2 * sp.sqrt(sp.pi)),
        (d + 1) / (n - eps) ** 2,
        -((d - n) ** 3) * sp.Rational(2, 3),
        sp.log(d) ** -2 - eps,
        1 - d * n**-2 / 7,
        sp.sqrt(eps**2 + sp.exp(-n)),
    ],
)
def test_value_and_type(value):
    numbers = {"d": 5, "n": 3, "eps": 0.25}
    found = eval(flat(scalar_node(value, SYMBOLS)), {"np": np, **numbers})
    assert type(found) in (int, float)
    assert found == pytest.approx(float(value.subs({d: 5, n: 3, eps: sp.Rational(1, 4)})), rel=1e-14)


def test_unknown_symbols_and_functions_are_refused():
    with pytest.raises(UnsupportedError, match="q has no value"):
        scalar_node(sp.Symbol("q"), SYMBOLS)
    with pytest.raises(UnsupportedError, match="cannot be written"):
        scalar_node(sp.zeta(eps), SYMBOLS)
