"""Why sums are ours and not SymPy's: each measured trap, and the same work done right by our algebra.

What SymPy does is asserted for version 1.14 only, where it was measured; a SymPy that is mended breaks
nothing. What our algebra does is asserted always.
"""

from __future__ import annotations

import time

import numpy as np
import sympy as sp

from indexcalc.algebra.canonical import same, term_key
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Index, free_indices, walk
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.support.build import D, N, add, at, attention, ell, fn, i, j, k, term

MEASURED = sp.__version__.startswith("1.14")

n = sp.Symbol("n", integer=True, positive=True)
si, sj, sk, sl = sp.symbols("i j k l", integer=True)
x = sp.IndexedBase("x")


def gradient(problem, target):
    """The derived equation of one gradient."""
    derivation = derive(problem)
    return derivation.backward.definitions[problem.gradient_names[target]]


def loss_problem(equations, inputs, target):
    """The gradient of the last, scalar equation by one input."""
    program = Program("trap", inputs, equations, (equations[-1].name,), (i, j, ell, k))
    return Problem(program, (), (target,), loss=equations[-1].name)


def test_the_derivative_of_a_sum_does_not_capture_its_dummy():
    """d/dx_i sum_i x_i^2 is 2 x_i, an entry; SymPy leaves a sum over i."""
    if MEASURED:
        total = sp.Sum(x[si] ** 2, (si, 0, n - 1))
        assert total.diff(x[si]) == sp.Sum(2 * x[si], (si, 0, n - 1))
    problem = loss_problem((Equation(at("L"), (term((at("x", i), 2), over=(i,)),)),), (Tensor("x", (i,)),), "x")
    assert gradient(problem, "x").terms == (term(at("x", i), coeff=2),)


def test_substitution_does_not_capture():
    """sum_i x_i x_j at j = i is x_i sum_a x_a; SymPy's xreplace and subs both give sum_i x_i^2."""
    if MEASURED:
        total = sp.Sum(x[si] * x[sj], (si, 0, n - 1))
        captured = sp.Sum(x[si] ** 2, (si, 0, n - 1))
        assert total.xreplace({sj: si}) == captured
        assert total.subs(sj, si) == captured
    ours = (term(at("x", i), at("x", j), over=(i,)),)
    found = substitute(ours, {j: i})
    assert free_indices(found) == (i,)
    array = np.array([1.0, -2.0, 4.0])
    np.testing.assert_allclose(evaluate(found, (i,), {"x": array}, {N: 3}), array * array.sum())


def test_sums_that_differ_in_their_dummies_are_equal():
    """sum_i x_i = sum_j x_j; SymPy's == says False."""
    if MEASURED:
        assert sp.Sum(x[si], (si, 0, n - 1)) != sp.Sum(x[sj], (sj, 0, n - 1))
    one, other = term(at("x", i), over=(i,)), term(at("x", j), over=(j,))
    assert term_key(one) == term_key(other)
    assert same((one,), (other,))


def row_variance(final):
    """mu_i, then v_i = 1/d sum_k (x_ik - mu_i)^2, then a last equation."""
    centred = add(term(at("x", i, k)), term(at("mu", i), coeff=-1))
    return (
        Equation(at("mu", i), (term(at("x", i, k), coeff=1 / D, over=(k,)),), hoisted=True),
        Equation(at("v", i), (term((centred, 2), coeff=1 / D, over=(k,)),)),
        final,
    )


def test_the_derivative_of_a_row_variance():
    """d v_i / d x_ik is 2/d (x_ik - mu_i); SymPy's doit gives an expression that is 0 for every x."""
    if MEASURED:
        mean = sp.Sum(x[si, sl], (sl, 0, n - 1)) / n
        variance = sp.Sum((x[si, sj] - mean) ** 2, (sj, 0, n - 1)) / n
        wrong = variance.diff(x[si, sj]).doit().subs({n: 3, si: 0}).doit()
        assert sp.simplify(wrong) == 0
    total = Equation(at("L"), (term(at("w", i), at("v", i), over=(i,)),))
    problem = loss_problem(row_variance(total), (Tensor("x", (i, k)), Tensor("w", (i,))), "x")
    found = gradient(problem, "x")
    rng = np.random.default_rng(0)
    tensors = {"x": rng.normal(size=(3, 4)), "w": rng.normal(size=3)}
    mean = tensors["x"].mean(axis=1)
    variance = ((tensors["x"] - mean[:, None]) ** 2).mean(axis=1)
    known = {**tensors, "mu": mean, "v": variance, "dv": tensors["w"]}
    value = evaluate(found.terms, found.lhs.slots, known, {N: 3, D: 4})
    np.testing.assert_allclose(value, tensors["w"][:, None] * (tensors["x"] - mean[:, None]) / 2)


def test_exponentials_do_not_merge():
    """exp(a) exp(a) stays a power of one factor, so that exp(S) Z^-2 exp(S) is A^2 by adding exponents."""
    if MEASURED:
        a = sp.Symbol("a")
        assert (sp.exp(a) ** 2).args == (2 * a,)
        assert sp.exp(2 * a) * sp.exp(a) == sp.exp(3 * a)
    here, there = fn("exp", term(at("S", i, j))), fn("exp", term(at("S", i, ell)))
    squared = term(here, here, (at("Z", i), -2), there)
    assert squared.powers == ((here, 2), (at("Z", i), -2), (there, 1))
    assert fn("exp", term(at("S", i, j), coeff=2)) not in squared.bases


def test_the_gradient_of_attention_is_quick_and_holds_no_delta():
    """dL/dQ takes SymPy 1.4 s and comes back with deltas inside Piecewise."""
    derive(attention())
    started = time.perf_counter()
    found = gradient(attention(), "Q")
    assert time.perf_counter() - started < 1.0
    assert {type(base).__name__ for base in walk(found.terms)} <= {"Access", "Add"}
    assert check_backward(attention(), derive(attention()).backward).ok


def test_the_gradient_of_layer_norm_exists():
    """SymPy raises TypeError; ours is checked by complex step."""
    centred = add(term(at("x", i, k)), term(at("mu", i), coeff=-1))
    guarded = add(term(at("v", i)), term())
    normed = Equation(at("y", i, k), (term(centred, (guarded, sp.Rational(-1, 2))),))
    program = Program("norm", (Tensor("x", (i, k)),), row_variance(normed), ("y",), (i, j, k))
    problem = Problem(program, (Upstream("G", "y"),), ("x",))
    assert check_backward(problem, derive(problem).backward).ok


def test_slots_of_equal_extent_are_still_different_slots():
    """A delta joins two indices; that their extents agree says nothing of their values."""
    other = Index("other", N)
    found = substitute((term(at("x", i), at("y", other)),), {})
    assert free_indices(found) == (i, other)
