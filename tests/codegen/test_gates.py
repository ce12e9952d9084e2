"""What a step hides is chosen, not multiplied: exponentials beside it may exceed the format."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import loaded

HEAD = "index i : N\nindex j : M\ninput x[i], y[i], w[i,j]\n"
FORMULAS = (
    "L = sum[i](where(x[i] > 0, x[i], exp(x[i]) - 1))",
    "L = sum[i](where(x[i] < 80, exp(x[i]), y[i]))",
    "L = sum[i]([x[i] <= 80] * exp(x[i]) * y[i])",
    "e[i] = exp(x[i])\nL = sum[i](where(x[i] > 0, x[i], e[i]))",
    "L = sum[i,j](where(x[i] > 0, w[i,j], exp(x[i])*w[i,j]^2))",
    "L = sum[i]([x[i] < 80] * [y[i] > 0] * 2^x[i])",
)
STYLES = ("numpy", "fast")


def module_of(formula: str, style: str):
    derivation = ic.derive(ic.read_problem(f"{HEAD}{formula}\nloss L\nderive x, y, w"))
    return loaded(ic.numpy_module(derivation) if style == "numpy" else ic.fast_module(derivation).source)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("formula", FORMULAS)
def test_what_is_hidden_may_exceed_the_format(formula, style):
    module = module_of(formula, style)
    x = np.array([-1000.0, 1000.0, 90.0, 0.5, 3.0], dtype=np.float32)
    given = {"x": x, "y": np.full(5, 0.7, np.float32), "w": np.ones((5, 2), np.float32)}
    with warnings.catch_warnings():
        # What the author gives a name to is infinite, and NumPy says so.
        warnings.simplefilter("error" if style == "numpy" and "e[i] =" not in formula else "ignore")
        values = module.forward(*(given[name] for name in "xyw"))
        gradients = module.backward(values)
    assert np.isfinite(values.L)
    assert all(np.all(np.isfinite(array)) and array.dtype == np.float32 for array in gradients)
