"""Whole powers of arrays: squares and products in NumPy code of both styles, with the values of a power."""

from __future__ import annotations

import re

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.codegen.plan import MOST_SQUARES
from indexcalc.generation import loaded

SPEC = "index i : N\ninput x[i], c[i]\ny[i] = (x[i] - c[i])^{n} + x[i]^{n}\nL = sum[i](y[i])\nloss L\nderive x"


@pytest.mark.parametrize("style", ["readable", "fast"])
@pytest.mark.parametrize("exponent", [3, 4, 5, 6, 7, 11, MOST_SQUARES, MOST_SQUARES + 1])
def test_powers_are_those_of_numpy_and_no_slow_power_is_called(exponent, style):
    derivation = ic.derive(ic.read_problem(SPEC.replace("{n}", str(exponent))))
    code = ic.numpy_module(derivation) if style == "readable" else fast_module(derivation, FastOptions({}, None)).source
    x, c = np.linspace(-1.5, 1.5, 40), np.linspace(0.4, -0.3, 40)
    module = loaded(code)
    values = module.forward(x, c)
    if style == "readable":
        # Code for speed keeps what its backward pass reads alone.
        np.testing.assert_allclose(values.y, (x - c) ** exponent + x**exponent, rtol=1e-13, atol=1e-13)
    found = module.backward(values).dx
    np.testing.assert_allclose(
        found, exponent * ((x - c) ** (exponent - 1) + x ** (exponent - 1)), rtol=1e-12, atol=1e-13
    )
    body = "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("#"))
    slow = re.findall(r"\*\* ?(?!2\b)\d+|np\.power", body)
    assert bool(slow) == (exponent > MOST_SQUARES)
