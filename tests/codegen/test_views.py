"""What einsum gives for a diagonal is a view of its argument: nothing may be written into it."""

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import loaded

HEAD = """
index g, h : H
index q    : D
input a[q,g], b[h,q]
"""

PROGRAMS = {
    "a diagonal of an intermediate": """
x[h,g,q] = a[q,g] * b[h,q]
z[g,q] = exp(x[g,g,q])
""",
    "a diagonal of a transpose": """
x[h,g,q] = a[q,g] * b[h,q]
y[h,g,q] = x[g,h,q]
z[g,q] = exp(y[g,g,q])
w = sum[g,q](y[g,g,q] * z[g,q])
""",
    "a diagonal that a sum made": """
x[h,g,q] = sum[q](a[q,g]) / (2 + sin(sum[q](b[h,q] * a[q,h])) + b[h,q]^2)
y[h,g,q] = x[g,h,q]
z[g,q] = exp(y[g,g,q])
""",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_diagonal_is_not_overwritten(text):
    derivation = ic.derive(ic.read_problem(HEAD + text))
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_values_stay_what_their_equations_say(text):
    module = loaded(ic.numpy_module(ic.derive(ic.read_problem(HEAD + text))))
    rng = np.random.default_rng(0)
    values = module.forward(rng.uniform(0.5, 1, (3, 4)), rng.uniform(0.5, 1, (4, 3)))
    x = values.x if "y[" not in text else values.y
    np.testing.assert_allclose(values.z, np.exp(np.einsum("ggq->gq", x)))
