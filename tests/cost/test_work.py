"""Operations of an equation: counted by hand, and by arrays that count while NumPy computes the same formulas."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings

from indexcalc.algebra.terms import (
    Delta,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Term,
    free_indices,
    inner_terms,
    occurring_indices,
    tensors_of,
    walk,
)
from indexcalc.cost import cost_report
from indexcalc.cost.work import equation_flops
from indexcalc.errors import UnsupportedError
from indexcalc.language import load_problem
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, nominal_sizes, size_of
from indexcalc.rewrite.derive import derive
from tests.cost.counting import Meter
from tests.support.build import D, M, N, P, add, at, ell, fn, i, j, k, p, term
from tests.support.gradients import of_gradients
from tests.support.programs import M as COLUMN
from tests.support.programs import N as ROW
from tests.support.programs import expressions

SIZES = Sizes({N: 100, D: 8, P: 9, M: 30})


def flops(*terms: Term, out: tuple[Index, ...] = (i,)) -> str:
    return str(equation_flops(Equation(at("R", *out), terms), SIZES))


BY_HAND = {
    "a copy": ((term(at("x", i)),), "0"),
    "a sign": ((term(at("x", i), coeff=-1),), "0"),
    "a scalar factor": ((term(at("x", i), coeff=sp.sqrt(D) / 2),), "N"),
    "an addition": ((term(at("x", i)), term(at("y", i), coeff=-1)), "N"),
    "a square": ((term((at("x", i), 2)),), "N"),
    "a reciprocal": ((term((at("x", i), -1)),), "N"),
    "a scalar over a square root": ((term((at("x", i), sp.Rational(-1, 2)), coeff=3),), "2 N"),
    "a quotient of products": ((term(at("x", i), (at("y", i), -1), (at("z", i), -1)),), "2 N"),
    "a function": ((term(fn("exp", term(at("x", i)))),), "N"),
    "a function of a sum": ((term(fn("exp", term(at("x", i)), term(at("y", i)))),), "2 N"),
    "the same function twice": (
        (term(fn("exp", term(at("x", i))), at("y", i)), term(fn("exp", term(at("x", i))))),
        "3 N",
    ),
    "a matrix product": ((term(at("Q", i, k), at("K", j, k), over=(k,)),), "2 D N^2"),
    "a scaled one, at the smaller factor": ((term(at("Q", i, k), at("K", j, k), coeff=2, over=(k,)),), "2 D N^2 + D N"),
    "a scalar tensor times a matrix product": (
        (term(at("s"), at("Q", i, k), at("K", j, k), coeff=2, over=(k,)),),
        "2 D N^2 + D N + 1",
    ),
    "an inner product": ((term(at("x", j), at("y", j), over=(j,)),), "2 N"),
    "its half": ((term(at("x", j), at("y", j), coeff=sp.Rational(1, 2), over=(j,)),), "2 N + 1"),
    "a sum of squares": ((term((at("x", j), 2), over=(j,)),), "2 N"),
    "a factor in front of a sum": ((term(at("x", i), at("A", i, j), over=(j,)),), "N^2 + N"),
    "a vector first, then a matrix": (
        (term(at("A", i, j), at("B", j, k), at("v", k), over=(j, k)),),
        "2 D N + 2 N^2",
    ),
    "a bracket in parentheses": ((term(add(term(at("x", i)), term(at("mu"))), at("y", i)),), "2 N"),
    "small terms first": ((term(at("X", i, k)), term(at("u", i)), term(at("w", i))), "D N + N"),
    "a bracket": ((term(Iverson(j, "<=", i), at("A", i, j), over=(j,)),), "2 N^2"),
    "a diagonal": ((term(Delta(i, j), at("x", i), at("y", j)),), "N"),
    "a matrix less a diagonal": ((term(at("A", i, j)), term(Delta(i, j), at("x", i), coeff=-1)), "N"),
    "a sum over a delta": ((term(Delta(i, j), at("A", i, j), at("y", j), over=(j,)),), "N"),
    "the identity matrix": ((term(Delta(i, j)),), "0"),
    "two deltas": ((term(Delta(i, j), Delta(j, ell), at("x", ell)), term(at("A", i, j, ell))), "N"),
    "a sum over three of a kind": ((term(Delta(i, j), at("x", j), over=(j,)),), "0"),
    "multiplied out where that is less": (
        (term(at("v", j), add(term(at("B", i), at("x", j)), term(at("C", k), at("y", j))), over=(j,)),),
        "D N + D + 5 N",
    ),
    "left in parentheses where that is less": (
        (term(at("V", j, p), add(term(at("A", i, j)), term(at("B", j, i))), over=(j,)),),
        "2 N^2 P + N^2",
    ),
    "nothing": ((), "0"),
    "a number": ((term(coeff=7),), "0"),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_by_hand(what):
    terms, expected = BY_HAND[what]
    assert flops(*terms) == expected


def test_no_cost_is_made_up_for_what_is_not_evaluated():
    with pytest.raises(UnsupportedError, match="derivative"):
        flops(term(Partial(at("y", i), at("x", j))))


def attention(meter, T, d, d_v):
    Q, K, V, G = meter.array(T, d), meter.array(T, d), meter.array(T, d_v), meter.array(T, d_v)
    yield "start"
    S = (Q * (1 / np.sqrt(d))) @ K.T
    Z = np.exp(S).sum(axis=1, keepdims=True)
    A = np.exp(S) / Z
    out = A @ V
    yield "forward"
    A.T @ G
    dA = G @ V.T
    r = (G * out).sum(axis=1, keepdims=True)
    dS = A * (dA - r)
    dS @ (K * (1 / np.sqrt(d)))
    dS.T @ (Q * (1 / np.sqrt(d)))
    yield "backward"


def layer_norm(meter, N, H):
    X, g, b, G, eps = meter.array(N, H), meter.array(H), meter.array(H), meter.array(N, H), 1e-5
    yield "start"
    mu = X.sum(axis=1, keepdims=True) / H
    var = ((X - mu) ** 2).sum(axis=1, keepdims=True) / H
    rs = 1 / (var + eps) ** 0.5
    xh = (X - mu) * rs
    xh * g + b
    yield "forward"
    (G * xh).sum(axis=0)
    G.sum(axis=0)
    dxh = G * g
    r = dxh.sum(axis=1, keepdims=True) / H
    s = (dxh * xh).sum(axis=1, keepdims=True) / H
    rs * (dxh - r - s * xh)
    yield "backward"


def linear(meter, N, M, F):
    X, W, b, G = meter.array(N, F), meter.array(M, F), meter.array(M), meter.array(N, M)
    yield "start"
    X @ W.T + b
    yield "forward"
    G @ W
    G.T @ X
    G.sum(axis=0)
    yield "backward"


def softmax(meter, N, C):
    x, G = meter.array(N, C), meter.array(N, C)
    yield "start"
    Z = np.exp(x).sum(axis=1, keepdims=True)
    y = np.exp(x) / Z
    yield "forward"
    r = (G * y).sum(axis=1, keepdims=True)
    y * (G - r)
    yield "backward"


def rms_norm(meter, N, H):
    X, g, G, eps = meter.array(N, H), meter.array(H), meter.array(N, H), 1e-5
    yield "start"
    rms = ((X**2).sum(axis=1, keepdims=True) / H + eps) ** 0.5
    xh = X / rms
    xh * g
    yield "forward"
    (G * xh).sum(axis=0)
    dxh = G * g
    s = (dxh * xh).sum(axis=1, keepdims=True) / H
    (dxh - s * xh) / rms
    yield "backward"


HAND_WRITTEN = [attention, layer_norm, linear, softmax, rms_norm]


@pytest.mark.parametrize("written", HAND_WRITTEN, ids=lambda written: written.__name__)
@pytest.mark.parametrize("factor", [1, 5])
def test_the_report_is_what_counting_arrays_count(written, factor):
    report = cost_report(derive(load_problem(of_gradients()[written.__name__])))
    sizes = {extent: factor * (3 + 2 * number) for number, extent in enumerate(report.extents)}
    meter = Meter()
    counted, before = {}, 0
    for name in written(meter, **{str(extent): size for extent, size in sizes.items()}):
        counted[name], before = meter.count - before, meter.count
    assert counted["start"] == 0
    assert report.forward.flops.at(sizes) == counted["forward"]
    assert report.backward.flops.at(sizes) == counted["backward"]


def from_scratch(terms, sizes, over) -> int:
    """Operations if every factor of every term is computed anew at every point of all indices."""
    points = (size_of(dict.fromkeys((*over, *occurring_indices(one))), sizes) for one in terms)
    whole = sum(
        size_of([Index("", base.extent)] * 3, sizes) for base in walk(terms) if isinstance(base, MatrixFunction)
    )
    return whole + sum(count * at_one_point(one) for count, one in zip(points, terms, strict=True))


def at_one_point(one: Term) -> int:
    """At most a power, a product and a function for each factor; a coefficient, a division and an addition."""
    inside = (part for base in one.bases for part in inner_terms(base))
    return 3 * len(one.powers) + 3 + sum(map(at_one_point, inside))


@pytest.mark.parametrize("name", of_gradients())
def test_no_equation_costs_more_than_computing_every_point_from_scratch(name):
    derivation = derive(load_problem(of_gradients()[name]))
    sizes = nominal_sizes(derivation.problem.program)
    report = cost_report(derivation)
    assert report.before is not None
    for row in (*report.both.equations, *report.before.cost.equations):
        slots = row.equation.lhs.slots
        if row.equation.name in tensors_of(row.equation.terms):
            continue  # What a system determines; no sum of products gives it.
        assert 0 <= row.flops.at(sizes) <= from_scratch(row.equation.terms, sizes, slots), row.equation.name


@settings(max_examples=80, deadline=None, derandomize=True)
@given(expressions())
def test_larger_extents_never_cost_less(drawn):
    terms, _ = drawn
    count = equation_flops(Equation(at("R", *free_indices(terms)), terms), Sizes({ROW: 40, COLUMN: 50}))
    assert 0 <= count.at({ROW: 5, COLUMN: 7}) <= count.at({ROW: 9, COLUMN: 8})
