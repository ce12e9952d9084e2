"""The cost model counts what a pairwise contraction does, and only live equations."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings

from indexcalc.algebra.terms import Index, free_indices
from indexcalc.language.read import read_problem
from indexcalc.program import Equation
from indexcalc.rewrite.cost import (
    Sizes,
    component_cost,
    live_cost,
    live_equations,
    nominal_sizes,
    reading_cost,
    size_of,
    term_cost,
    terms_cost,
)
from tests.support.build import D, N, P, at, attention, i, j, k, p, term
from tests.support.programs import M as COLUMN
from tests.support.programs import N as ROW
from tests.support.programs import expressions

SIZES = Sizes({N: 10, D: 3, P: 4})


def operands(*slots):
    return tuple(map(frozenset, slots))


def test_nominal_sizes_differ_and_an_extent_that_a_tensor_has_twice_is_large():
    sizes = nominal_sizes(attention().program)
    assert len(set(sizes.values())) == 3
    assert sizes[N] > 8 * max(sizes[D], sizes[P])


def test_the_extent_of_every_index_of_a_program_is_looked_up_and_not_computed():
    text = "index i : N\nindex k : 3\nindex c : N*D\nindex d : D\ninput x[i,k], w[c], b[(i,d)]\ny = sum[i,k](x[i,k])\n"
    program = read_problem(text).program
    sizes = nominal_sizes(program)
    named = Sizes({extent: sizes[extent] for extent in program.extents})
    assert {index.extent for index in program.indices} <= set(sizes)
    for index in program.indices:
        assert size_of((index,), sizes) == size_of((index,), named)


def test_sizes_of_numbers_and_products():
    assert size_of((Index("a", sp.Integer(5)), i), SIZES) == 50
    assert size_of((Index("a", N * D),), SIZES) == 30
    assert size_of((), SIZES) == 1


def test_a_matrix_product_multiplies_and_adds():
    assert component_cost(operands((i, k), (j, k)), frozenset((k,)), SIZES) == 2 * 10 * 10 * 3


def test_the_cheapest_pair_goes_first():
    assert component_cost(operands((i, k), (j, k), (j,)), frozenset((k, j)), SIZES) == 2 * 10 * 3 + 2 * 10 * 3


def test_parts_with_few_indices_are_multiplied_first():
    assert term_cost(term(at("r", i), at("y", i, j), at("s", i)), SIZES) == 10 + 100


def test_parts_are_computed_once_and_multiplied_over_the_output():
    outer = term(at("x", i), at("y", j))
    assert term_cost(outer, SIZES) == 100
    assert term_cost(term(at("x", i)), SIZES) == 0


def test_an_extra_term_costs_an_addition_an_entry():
    one, two = (term(at("x", i)),), (term(at("x", i)), term(at("y", i)))
    assert terms_cost(two, (i,), SIZES) - terms_cost(one, (i,), SIZES) == 10


def test_dead_equations_cost_nothing():
    equations = (
        Equation(at("u", i), (term(at("x", i), at("x", i)),)),
        Equation(at("w", i), (term((at("x", i), 2), at("y", i)),)),
        Equation(at("z", i), (term(at("w", i), at("y", i)),)),
    )
    assert [equation.name for equation in live_equations(equations, ("z",))] == ["w", "z"]
    assert live_cost(equations, ("z",), SIZES) == live_cost(equations[1:], ("z",), SIZES)
    assert live_equations(equations, ()) == ()


def test_reading_an_intermediate_costs_its_entries():
    terms = (term(at("A", i, j), at("V", j, p), over=(j,)),)
    assert reading_cost(terms, ("A",), SIZES) == 100
    assert reading_cost(terms, ("A", "V"), SIZES) == 140


@pytest.mark.parametrize("count", [40])
def test_many_factors_are_costed_in_short_order(count):
    assert component_cost(operands(*[(i, j)] * count), frozenset((j,)), SIZES) == 100 * (count - 2) + 200
    assert component_cost(operands((i, j)), frozenset((j,)), SIZES) == 100


@settings(max_examples=60, deadline=None, derandomize=True)
@given(expressions())
def test_larger_extents_never_cost_less(drawn):
    terms, _ = drawn
    small, large = Sizes({ROW: 5, COLUMN: 7}), Sizes({ROW: 9, COLUMN: 8})
    output = free_indices(terms)
    assert 0 <= terms_cost(terms, output, small) <= terms_cost(terms, output, large)
