from __future__ import annotations

import textwrap

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.program import Equation, Identity, Parameter, Program, Tensor
from indexcalc.proof import evaluate
from indexcalc.proof.domain import HAIR, MARGIN, Violation, demands_by_equation, run_where_defined
from indexcalc.proof.evaluate import numbers_of
from indexcalc.proof.orders import closest, fixed_inputs
from indexcalc.proof.sampling import sample_point, size_sets
from tests.support.build import D, N, P, add, at, attention, fn, i, j, k, term

INPUTS = (Tensor("X", (i, k)),)
RNG = np.random.default_rng


def program(*equations, inputs=INPUTS, **more):
    return Program("test", inputs, equations, (equations[-1].name,), (i, j, k), **more)


def test_extents_differ_and_each_is_one_once():
    sets = size_sets(attention().program, RNG(0))
    assert len(sets) == 7
    for chosen in sets[:3]:
        assert len(set(chosen.values())) == 3
        assert min(chosen.values()) > 1
    for number, chosen in enumerate(sets[3:6]):
        assert list(chosen.values())[number] == 1
        assert len(set(chosen.values())) == 3
    assert set(sets[6].values()) == {1}


def test_literal_extents_are_kept_and_avoided():
    three = Tensor("W", (Index("c", sp.Integer(3)),))
    fixed = program(Equation(at("Y", i), (term(at("X", i, k)),)), inputs=(*INPUTS, three))
    for chosen in size_sets(fixed, RNG(0)):
        assert 3 not in chosen.values()


def test_the_same_seed_gives_the_same_point():
    sizes = {N: 2, D: 3, P: 4}
    one, two = (sample_point(attention().program, sizes, RNG(5)) for _ in "ab")
    for name, array in one.values.items():
        np.testing.assert_array_equal(array, two.values[name])


def test_a_logarithm_gets_a_positive_input():
    direct = program(Equation(at("Y", i, k), (term(fn("log", term(at("X", i, k)))),)))
    assert np.all(sample_point(direct, {N: 9, D: 9}, RNG(0)).values["X"] > 0)


def test_a_root_of_an_intermediate_makes_its_ancestors_positive():
    rooted = program(
        Equation(at("s", i), (term(at("X", i, k), over=(k,)),)),
        Equation(at("Y", i), (term((at("s", i), sp.Rational(1, 2))),)),
    )
    values = sample_point(rooted, {N: 30, D: 2}, RNG(0)).values
    assert np.all(values["s"] > 0)


def test_kinks_and_poles_are_avoided():
    kinked = program(Equation(at("Y", i, k), (term(fn("relu", term(at("X", i, k)), term(coeff=-1))),)))
    inverse = program(Equation(at("Y", i, k), (term((at("X", i, k), -1)),)))
    for seed in range(20):
        assert np.all(np.abs(sample_point(kinked, {N: 6, D: 5}, RNG(seed)).values["X"] - 1) > 1e-3)
        assert np.all(np.abs(sample_point(inverse, {N: 6, D: 5}, RNG(seed)).values["X"]) > 1e-3)


def test_an_assumed_sum_holds():
    given = Identity((term(at("X", i, k), over=(k,)),), (term(),))
    centred = Identity((term(at("W", i, k), over=(i,)),), ())
    assumed = program(
        Equation(at("Y", i), (term(at("X", i, k), at("W", i, k), over=(k,)),)),
        inputs=(Tensor("X", (i, k)), Tensor("W", (i, k))),
        assumptions=(given, centred),
    )
    values = sample_point(assumed, {N: 3, D: 4}, RNG(0)).values
    np.testing.assert_allclose(values["X"].sum(axis=1), 1.0)
    np.testing.assert_allclose(values["W"].sum(axis=0), 0.0, atol=1e-12)


def test_an_assumption_of_another_form_is_refused():
    squares = Identity((term((at("X", i, k), 2), over=(k,)),), (term(),))
    assumed = program(Equation(at("Y", i), (term(at("X", i, k), over=(k,)),)), assumptions=(squares,))
    with pytest.raises(UnsupportedError, match="only assumptions of the form"):
        sample_point(assumed, {N: 3, D: 4}, RNG(0))


def test_a_program_that_is_defined_nowhere_is_named():
    square = fn("log", term((at("X", i, k), 2), coeff=-1))
    with pytest.raises(UnsupportedError, match=r"N = 3, D = 4.*equation of Y, the argument of log must be positive"):
        sample_point(program(Equation(at("Y", i, k), (term(square),))), {N: 3, D: 4}, RNG(0))


def test_nothing_is_computed_beyond_what_is_not_defined(monkeypatch):
    second = Equation(at("Z", i), (term(at("Y", i, k), over=(k,)),))
    logarithm = program(Equation(at("Y", i, k), (term(fn("log", term(at("X", i, k)))),)), second)
    computed = []
    compute = evaluate.evaluate_lanes
    monkeypatch.setattr(evaluate, "evaluate_lanes", lambda *args: computed.append(args[0]) or compute(*args))
    numbers = numbers_of({N: 2, D: 3})
    asked = demands_by_equation(logarithm, numbers)
    for entry, beyond in ((-1.0, False), (1.0, True)):
        with np.errstate(invalid="ignore"):
            found = run_where_defined(logarithm, {"X": np.full((2, 3), entry)}, numbers, asked)
        assert isinstance(found, Violation) is not beyond
        assert (second.terms in computed) is beyond


def test_parameters_are_drawn_or_given():
    eps = sp.Symbol("eps", positive=True)
    guarded = program(
        Equation(at("Y", i, k), (term((add(term((at("X", i, k), 2)), term(coeff=eps)), sp.Rational(-1, 2))),)),
        parameters=(Parameter(eps, default=sp.Rational(1, 1000)),),
    )
    assert 0.5 <= sample_point(guarded, {N: 1, D: 1}, RNG(0)).parameters[eps] <= 1.5
    assert sample_point(guarded, {N: 1, D: 1}, RNG(0), {eps: 2.0}).parameters[eps] == 2.0


def largest_of(equations):
    """A program that takes the largest entry of y, given by equations."""
    head = "index i, j : N\ninput x[i], W\n"
    return read_problem(f"{head}{textwrap.dedent(equations)}\nm = max[i](y[i])\nloss m\nderive W\n").program


@pytest.mark.parametrize(
    "equations",
    [
        "y[i] = logsumexp[j](delta[i,j]*W)",
        "y[i] = sum[j](x[j]*W) + 0*x[i]",
    ],
)
def test_entries_that_are_equal_but_for_rounding_are_not_compared(equations):
    with pytest.raises(UnsupportedError, match="what is compared must not be equal but for rounding"):
        sample_point(largest_of(equations), {N: 4}, np.random.default_rng(0))


@pytest.mark.parametrize(
    "equations",
    [
        "y[i] = x[i]*W",
        "y[i] = relu(x[i]) - relu(x[i] - 30)",
        "y[i] = step(x[i])*W^0 + 0*W",
    ],
)
def test_entries_that_are_equal_without_rounding_are_compared(equations):
    for seed in range(10):
        sample_point(largest_of(equations), {N: 4}, np.random.default_rng(seed))


def test_among_thousands_of_arguments_none_is_at_a_kink():
    problem = read_problem(
        textwrap.dedent("""
            index i : N
            index j : M
            input u[i,j]
            r[i,j] = relu(u[i,j])
            L = sum[i,j](r[i,j])
            loss L
            """)
    )
    sizes = dict(zip(problem.program.extents, (150, 150), strict=True))
    with pytest.raises(UnsupportedError, match="near its kink"):
        sample_point(problem.program, sizes, np.random.default_rng(0))
    point = sample_point(problem.program, sizes, np.random.default_rng(0), margin=closest(problem))
    assert HAIR < np.abs(point.values["u"]).min() < MARGIN


@pytest.mark.parametrize(
    ("wanted", "margin"),
    [("derive u", HAIR), ("jacobian r by u", HAIR), ("hessian L by u", MARGIN)],  # complex step moves nothing
)
def test_a_point_may_be_near_a_kink_where_its_oracle_moves_nothing(wanted, margin):
    text = f"index i : N\ninput u[i]\nr[i] = relu(u[i])^3\nL = sum[i](r[i])\nloss L\n{wanted}\n"
    assert closest(read_problem(text)) == margin


def test_where_a_clip_does_nothing_both_sides_are_one():
    text = "index n : N\ninput r[n], A[n]\nu[n] = r[n]*A[n]\nv[n] = min(max(r[n], -0.5), 0.5)*A[n]\n"
    problem = read_problem(text + "L = sum[n](u[n] - relu(u[n] - v[n]))\nloss L\nderive r\n")
    for seed in range(10):
        for margin in (closest(problem), MARGIN):
            values = sample_point(problem.program, {N: 5}, RNG(seed), margin=margin).values
            assert np.all((values["u"] == values["v"]) | (np.abs(values["u"] - values["v"]) > margin))


def test_a_sum_of_small_exponentials_is_not_near_zero_but_a_difference_is():
    text = "index i, j : N\ninput x[i], w\n"
    dens = read_problem(text + "L = sum[i](log(sum[j](exp(-30 - (x[i]-x[j])^2)) + 0*w))\nloss L\nderive x\n")
    assert sample_point(dens.program, {N: 4}, RNG(0), margin=closest(dens)).values["L"] < -100
    with pytest.raises(UnsupportedError, match="argument of log must be positive"):
        sample_point(dens.program, {N: 4}, RNG(0))
    rest = read_problem(text + "y[i] = x[i]*w\nz[i] = y[i] + x[i]^2*1e-15\nL = sum[i](1/(z[i] - y[i]))\nloss L\n")
    with pytest.raises(UnsupportedError, match="denominator must not be near zero"):
        sample_point(rest.program, {N: 4}, RNG(0), margin=closest(rest))


def test_a_mask_is_drawn_from_the_ends_of_its_interval_where_it_must():
    text = "index i : N\nindex j : M\ninput s[i,j], m[i,j] in [0,1]\nA[i,j] = softmax[j](s[i,j] - 1e9*(1 - m[i,j]))\n"
    M = sp.Symbol("M", integer=True, positive=True)
    problem = read_problem(text + "upstream G[i,j] = dL/dA[i,j]\nderive s\n")
    point = sample_point(problem.program, {N: 4, M: 6}, RNG(0), held=fixed_inputs(problem))
    assert set(np.unique(point.values["m"])) == {0.0, 1.0}
    assert np.array_equal(point.values["A"] > 0, point.values["m"] == 1)
    asked = read_problem(text + "upstream G[i,j] = dL/dA[i,j]\n")
    with pytest.raises(UnsupportedError, match="if m is a mask, leave it out of what is derived"):
        sample_point(asked.program, {N: 4, M: 6}, RNG(0), held=fixed_inputs(asked))
