"""Costs in symbols, and what need not be stored."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Index
from indexcalc.cost.streams import memory_of
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes.cost import dominant, equation_cost, is_contraction
from indexcalc.program import Equation
from indexcalc.rewrite.derive import derive
from tests.notes.problems import DV, PROBLEMS, D, H, N, T


def test_the_contractions_of_attention() -> None:
    backward = derive(PROBLEMS["attention"]()).backward
    costs = {equation.name: equation_cost(equation) for equation in backward.equations}
    assert costs == {"dV": T**2 * DV, "D": T**2 * DV, "r": T * DV, "dS": T**2, "dQ": T**2 * D, "dK": T**2 * D}
    assert sum(is_contraction(equation.terms) for equation in backward.equations) == 5


def test_a_chain_of_three_is_contracted_pair_by_pair() -> None:
    i, j, k, m = (Index(name, T) for name in "ijkm")
    names = {"X": (i, j), "Y": (j, k), "Z": (k, m)}
    term = product(1, ((Access(name, slots), sp.S.One) for name, slots in names.items()), (j, k))
    assert equation_cost(Equation(Access("R", (i, m)), (term,))) == T**3


def test_lower_orders_are_dropped() -> None:
    assert dominant([T**2, 3 * T, T * D, T**2 * D]) == T**2 * D
    assert dominant([T * D, T**2]) == T * D + T**2
    assert dominant([sp.S.One]) == 1


def test_attention_need_not_keep_its_scores() -> None:
    derivation = derive(PROBLEMS["attention"]())
    memory = memory_of(derivation.problem.program, derivation.backward)
    assert memory.unread == ("S", "Z")
    assert memory.streamed == {T**2: ("S", "A", "D", "dS")}


def test_layer_norm_has_no_tensor_larger_than_its_input() -> None:
    derivation = derive(PROBLEMS["layer_norm"]())
    memory = memory_of(derivation.problem.program, derivation.backward)
    assert memory.unread == ("mu", "var")
    assert memory.streamed == {}
    assert N * H in [equation_cost(equation) for equation in derivation.backward.equations]


def test_of_sizes_with_as_many_extents_none_is_left_out() -> None:
    derivation = derive(load_problem(shipped_paths()["attention_projected"]))
    memory = memory_of(derivation.problem.program, derivation.backward)
    assert set(memory.streamed) == {T * D, T**2}
    assert {"S", "A", "dA"} <= set(memory.streamed[T**2])


def test_what_deltas_place_is_met_once_for_each_value() -> None:
    (equation,) = read_problem(COUNTS).program.equations[:1]
    assert equation_cost(equation) == N + sp.Symbol("S", positive=True, integer=True)


COUNTS = """
index n : N
index s : S
input seg[n] in S, x[s]
c[s] = sum[n](delta[seg[n], s])
y[s] = c[s] * x[s]
derive x
"""
