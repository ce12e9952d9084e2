"""Gradients that nobody asked for are put into their readers where that saves work, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.algebra.terms import tensors_of
from indexcalc.codegen import numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.program import Equation
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.inline import LENGTH_LIMIT, put_in
from tests.support.build import add, at, ell, fn, i, j, term

CROSS_ENTROPY = """
index n : N
index c, l : C
input z[n,c], y[n,c]
p[n,c] = softmax[c](z[n,c])
q[n,c] = log(p[n,c])
L = -sum[n,c](y[n,c] * q[n,c])
loss L
derive z
"""

SUMMED = Equation(at("u", i), (term(at("A", i, j), at("v", j), over=(j,)),))
PLAIN = Equation(at("u", i), (term(at("v", i)), term(at("w", i), coeff=-1)))


def names(spec: str) -> list[str]:
    problem = read_problem(spec)
    derivation = derive(problem)
    assert check_backward(problem, derivation.backward).ok
    return [equation.name for equation in derivation.backward.equations]


def test_a_chain_that_cancels_is_inlined():
    assert "dq" not in names(CROSS_ENTROPY)
    assert "dp" not in names(CROSS_ENTROPY)


def test_what_is_asked_for_or_named_stays():
    assert "dp" in names(CROSS_ENTROPY.replace("derive z", "derive z, p"))
    assert "m" in names(CROSS_ENTROPY + "name m = dL/dp\n")


def test_a_name_among_factors_is_unfolded_with_its_sums():
    (after,) = put_in((term(at("x", i), at("u", i)),), SUMMED)
    assert tensors_of(after) == ("x", "A", "v")
    assert len(after.summed) == 1


def test_dummies_of_the_reader_are_not_captured():
    (after,) = put_in((term(at("B", ell, j), at("u", j), over=(j,)),), SUMMED)
    assert len({index.name for index in after.summed}) == 2


@pytest.mark.parametrize(("count", "fits"), [(3, True), (LENGTH_LIMIT // 4, True), (LENGTH_LIMIT // 4 + 1, False)])
def test_what_would_be_too_long_for_a_reader_keeps_its_name(count, fits):
    """Three factors in each term, and one more of the reader's."""
    terms = tuple(term(at("v", i), at("w", i), at(f"x{number}", i)) for number in range(count))
    after = put_in((term(at("y", i), at("u", i)),), Equation(at("u", i), terms))
    assert (after is not None) == fits


@pytest.mark.parametrize("base", [fn("tanh", term(at("u", i))), at("u", i)])
def test_sums_cannot_stand_inside_a_function_or_a_denominator(base):
    reader = (term((base, -1)),)
    assert put_in(reader, SUMMED) is None
    assert put_in(reader, PLAIN) is not None


def test_a_bracket_is_multiplied_out_to_let_the_sums_in():
    after = put_in((term(add(term(at("u", i)), term(at("x", i))), at("y", i)),), SUMMED)
    assert [len(part.summed) for part in after] == [1, 0]


INVARIANT = """
index i, k : D
input Y[i]
R[k] = logsoftmax[k](Y[k])
E = sum[i](sqrt(((Y[i] - mean[i](Y[i])) / sqrt(var[i](Y[i]) + 1/10))^2 + 1))
L = E + sum[k](tanh(R[k]))
loss L
derive Y
"""


def test_differences_from_a_mean_are_not_multiplied_out():
    module = loaded(numpy_module(derive(read_problem(INVARIANT))))
    inputs = np.round(np.random.default_rng(3).uniform(-1, 1, 6) * 2**20) / 2**20
    near = module.backward(module.forward(inputs)).dY
    far = module.backward(module.forward(inputs + 2**14)).dY  # exact, and the loss is the same
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-10)


LOG_LOSS = """
index n : N
input z[n], y[n]
p[n] = sigmoid(z[n])
L = -1/N * sum[n](y[n] * log(p[n]) + (1 - y[n]) * log(1 - p[n]))
loss L
derive z
"""


def test_brackets_that_cancel_are_multiplied_out():
    (gradient,) = derive(read_problem(LOG_LOSS)).backward.equations
    exponents = [exponent for term in gradient.terms for _, exponent in term.powers]
    assert tensors_of(gradient.terms) == ("p", "y")
    assert set(exponents) == {1}, "nothing is divided by"
