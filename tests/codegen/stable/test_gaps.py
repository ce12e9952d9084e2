"""Gaps: the difference of a huge exponent and its bound is taken before anything is added to it."""

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Index
from indexcalc.codegen import numpy_module
from indexcalc.codegen.fast import fast_module
from indexcalc.codegen.stable.bounds import Bound, Part
from indexcalc.codegen.stable.exponents import exponential
from indexcalc.codegen.stable.gaps import together
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import evaluate
from indexcalc.rewrite.derive import derive

HUGE = 1e20
"""So large that 20 added to it is rounded off."""

N = sp.Symbol("N", integer=True, positive=True)
ROW, COLUMN, OTHER = Index("i", N), Index("j", N), Index("k", N)
ONE = sp.S.One


@pytest.mark.parametrize("style", ["numpy", "fast"])
def test_what_a_delta_in_an_exponent_leaves_is_bounded_too(style):
    text = """
index i, k, l : N
index j : M
input S[i,j], C[i]
Z = sum[l](exp(C[l]))
q[i] = log(sum[k,j](exp(delta[i,k] * S[k,j] / Z)))
upstream g[i] = dL/dq[i]
derive S
"""
    derivation = derive(read_problem(text))
    module = loaded(numpy_module(derivation) if style == "numpy" else fast_module(derivation).source)
    C = np.array([20.0, 19.0])
    sum_of_C = np.exp(C).sum()
    S = HUGE * sum_of_C * np.array([[1.0, 0.1, -1.0], [0.2, 1.1, 1.0]])
    gradients = module.backward(module.forward(S, C), np.array([1.0, 2.0]))
    np.testing.assert_allclose(gradients[0], np.array([[1.0, 0, 0], [0, 2.0, 0]]) / sum_of_C, rtol=1e-9)


def bounds_of_rows():
    """The largest entry of each row of S, and the logarithm of the sum of all exponentials."""
    entry = ((exponential(Access("S", (ROW, COLUMN))), ONE),)
    rows = Bound("m", (ROW,), (Part("m", (COLUMN,), entry),))
    return {"m": rows, "L": Bound("L", (), (Part("", (ROW, COLUMN), entry),), given=True)}


def product_of_exponentials(*factors):
    return product(ONE, [(exponential(entry), sp.Integer(times)) for entry, times in factors])


@pytest.mark.parametrize("count", [1, 2])
def test_a_largest_exponent_and_the_logarithm_of_its_sum_are_one_bracket(count):
    row, total, other = Access("m", (OTHER,)), Access("L", ()), Access("c", ())
    term = product_of_exponentials((row, count), (other, 1), (total, -count))
    values = {"m": np.array([HUGE, HUGE / 2]), "L": np.array(HUGE), "c": np.array(20.0)}
    found = evaluate((together(term, bounds_of_rows()),), (OTHER,), values, {N: 2})
    np.testing.assert_allclose(found, [np.exp(20.0), 0.0])


def test_what_does_not_bound_an_exponent_is_no_part_of_a_bracket():
    # A bound of other exponents, and one that divides more often.
    other = product_of_exponentials((Access("c", ()), 1), (Access("L", ()), -1))
    more = product_of_exponentials((Access("m", (OTHER,)), 1), (Access("L", ()), -2))
    for term in (other, more):
        (joined,) = together(term, bounds_of_rows()).bases
        assert all(len(part.powers) == 1 and isinstance(part.powers[0][0], Access) for part in joined.arg)
