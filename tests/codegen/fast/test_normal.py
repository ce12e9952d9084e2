"""The normal form: the same values, sums alone and of two factors at most, nothing twice."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings

from indexcalc.algebra.terms import Access, Delta, Index, Iverson
from indexcalc.codegen.fast.normal import normal_form
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.errors import LimitError
from indexcalc.language import load_problem
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.rewrite.derive import derive
from tests.support.build import add, at, fn, i, i2, j, k, m, p, term
from tests.support.gradients import at_once
from tests.support.programs import problems
from tests.support.statements import run_statements, statements_of

SHIPPED = at_once()


@cache
def shipped(name):
    return derive(load_problem(SHIPPED[name]))


def normal(*statements, wanted=(), taken=()):
    names = {statement.name for statement in statements}
    return normal_form(statements, wanted or [statements[-1].name], {*names, *taken})


def values_at_a_point(derivation, statements):
    """What the statements compute from random inputs at sizes that are all different."""
    problem, rng = derivation.problem, np.random.default_rng(0)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    weights = weights_for(problem, point, rng)
    inputs = {tensor.name: point.values[tensor.name] for tensor in problem.program.inputs}
    with np.errstate(all="ignore"):
        return run_statements(statements, inputs | {up.name: weights[up.of] for up in problem.upstream}, point)


@pytest.mark.parametrize("name", SHIPPED)
def test_results_are_the_same(name):
    statements, wanted, taken = statements_of(shipped(name))
    before = values_at_a_point(shipped(name), statements)
    after = values_at_a_point(shipped(name), normal_form(statements, wanted, taken))
    for tensor in wanted:
        np.testing.assert_allclose(after[tensor], before[tensor], rtol=1e-9, atol=1e-12, err_msg=tensor)


def assert_normal(statements, wanted):
    """Every sum stands alone, of one entry or two that share what is summed; nothing is computed twice."""
    seen = set()
    for statement in statements:
        assert statement.name not in seen
        seen.add(statement.name)
        if statement.kind is not Kind.ASSIGN or not any(one.summed for one in statement.terms):
            continue
        (only,) = statement.terms
        factors = [base for base, power in only.powers for _ in range(int(power))]
        assert 1 <= len(factors) <= 2, statement
        assert all(isinstance(factor, Access) for factor in factors), statement
        assert all(len(set(factor.slots)) == len(factor.slots) for factor in factors), statement
        for index in only.summed:
            assert all(index in factor.slots for factor in factors), statement
    texts = [(s.kind, s.axes, s.over, s.masks, s.terms) for s in statements if s.name not in wanted]
    assert len({str(text) for text in texts}) == len(texts)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_statements_are_in_normal_form(name):
    statements, wanted, taken = statements_of(shipped(name))
    assert_normal(normal_form(statements, wanted, taken), wanted)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_random_statements_are_in_normal_form_and_keep_their_form(problem):
    try:
        statements, wanted, taken = statements_of(derive(problem))
    except LimitError:
        assume(False)
    once = normal_form(statements, wanted, taken)
    assert_normal(once, wanted)
    assert normal_form(once, wanted, {*taken, *(s.name for s in once)}) == once


def test_what_a_guard_hides_is_computed_once():
    def hidden(name, row, column):
        return Statement(name, (row, column), (), Kind.HIDDEN, guards=(Iverson(column, "<=", row),))

    first, last = normal(hidden("Y", i, j), hidden("Z", j, i), Statement("w", (i,), (term(at("Z", i, j), over=(j,)),)))
    assert (first.name, last.terms) == ("Y", (term(at("Y", i, j), over=(j,)),))


def test_a_product_of_three_is_cut_into_products_of_two():
    whole = Statement("Y", (i, p), (term(at("A", i, k), at("B", k, j), at("C", j, p), over=(k, j)),))
    first, second = normal(whole)
    assert {base.tensor for base in first.terms[0].bases} < {"A", "B", "C"}
    assert second.name == "Y"
    assert first.name == "Y_1"
    assert len(second.terms[0].powers) == 2


def test_the_cheapest_order_multiplies_the_vector_first():
    whole = Statement("y", (i,), (term(at("A", i, k), at("B", k, j), at("v", j), over=(k, j)),))
    first, _ = normal(whole)
    assert {base.tensor for base in first.terms[0].bases} == {"B", "v"}


def test_a_sum_that_one_factor_alone_has_is_taken_first():
    whole = Statement("y", (i,), (term(at("A", i, k), at("B", i, k, j), over=(k, j)),))
    first, second = normal(whole)
    assert first.axes == (i, k)
    assert first.terms == (term(at("B", i, k, j), over=(j,)),)
    assert second.terms == (term(at("y_1", i, k), at("A", i, k), over=(k,)),)


def test_a_square_is_a_product_with_itself():
    (only,) = normal(Statement("y", (i,), (term((at("A", i, k), 2), over=(k,)),)))
    assert only.terms[0].powers == ((at("A", i, k), 2),)


def test_a_squared_difference_gets_a_name():
    inside = add(term(at("A", i, k)), term(at("b", i), coeff=-1))
    first, second = normal(Statement("y", (i,), (term((inside, 2), over=(k,)),)))
    assert first.terms == (term(inside),)
    assert second.terms == (term((at("y_1", i, k), 2), over=(k,)),)


def test_sums_among_other_factors_get_names():
    whole = Statement("y", (i,), (term(at("a", i)), term(at("b", i), at("C", i, k), over=(k,), coeff=2)))
    first, second = normal(whole)
    assert first == Statement("y_1", (i,), (term(at("C", i, k), over=(k,)),))
    assert second.terms == (term(at("a", i)), term(at("b", i), at("y_1", i), coeff=2))


def test_copies_are_other_names():
    copy = Statement("T", (j, i), (term(at("X", i, j)),))
    reader = Statement("y", (i, j), (term(fn("exp", term(at("T", i, j)))),))
    assert normal(copy, reader) == (Statement("y", (i, j), (term(fn("exp", term(at("X", j, i)))),)),)


def test_a_copy_that_is_asked_for_is_made():
    copy = Statement("T", (j, i), (term(at("X", i, j)),))
    assert normal(copy, wanted=["T"]) == (copy,)


def test_a_diagonal_is_no_copy():
    (kept,) = normal(Statement("d", (i,), (term(at("X", i, i)),)))
    assert kept.terms == (term(at("X", i, i)),)


def test_what_is_the_same_under_other_names_is_computed_once():
    first = Statement("a", (i, j), (term(fn("tanh", term(at("X", i, j)))),))
    second = Statement("b", (j, i), (term(fn("tanh", term(at("X", j, i)))),))
    reader = Statement("y", (i, j), (term(at("a", i, j), at("b", i, j)),))
    found = normal(first, second, reader)
    assert [statement.name for statement in found] == ["a", "y"]
    assert found[-1].terms == (term((at("a", i, j), 2)),)


def test_what_is_transposed_is_another_value():
    first = Statement("a", (i, j), (term(fn("tanh", term(at("X", i, j)))),))
    second = Statement("b", (i, j), (term(fn("tanh", term(at("X", j, i)))),))
    reader = Statement("y", (i, j), (term(at("a", i, j), at("b", i, j)),))
    assert len(normal(first, second, reader)) == 3


def test_sums_over_names_of_their_own_are_one():
    first = Statement("a", (i,), (term(at("X", i, j), at("w", j), over=(j,)),))
    second = Statement("b", (j,), (term(at("X", j, i2), at("w", i2), over=(i2,)),))
    reader = Statement("y", (i,), (term(at("a", i)), term(at("b", i))))
    assert [statement.name for statement in normal(first, second, reader)] == ["a", "y"]


@pytest.mark.parametrize("mask", [Iverson(j, "<=", i), Delta(i, j)], ids=["bracket", "delta"])
def test_a_mask_is_put_on_what_it_hides_before_the_sum(mask):
    whole = Statement("y", (i,), (term(mask, at("X", i, j), at("w", m, j), over=(j, m)),))
    *before, last = normal(whole)
    bases = [base for one in last.terms for base in one.bases]
    assert not any(isinstance(base, Delta | Iverson) for base in bases)
    masked = [s for s in before if any(isinstance(base, Iverson) for one in s.terms for base in one.bases)]
    assert all(not one.summed for statement in masked for one in statement.terms)


def test_new_names_avoid_those_in_use():
    whole = Statement("y", (i,), (term(at("b", i)), term(at("C", i, k), over=(k,))))
    first, _ = normal(whole, taken=["y_1", "y_2"])
    assert first.name == "y_3"


def test_a_scalar_before_a_lone_sum_goes_in_and_its_sign_stays():
    product = term(at("A", i, k), at("B", k, j), coeff=-3, over=(k,))
    named, whole = normal(Statement("S", (i, j), (product, term(at("M", i, j)))))
    assert named.terms[0].coeff == 3
    assert [part.coeff for part in whole.terms] == [-1, 1]


@pytest.mark.parametrize(("users", "first"), [(150, ("Q", "Q")), (4, ("Q", "W"))])
def test_sizes_decide_in_which_order_a_long_product_is_multiplied(users, first):
    """``sum_i W_ui Q_ik Q_il``: what is left of two factors is smaller, by the number of users or of features."""
    u, item, one, other = (Index(name, sp.Symbol(size)) for name, size in zip("uikl", "UIKK", strict=True))
    block = term(Access("W", (u, item)), Access("Q", (item, one)), Access("Q", (item, other)), over=(item,))
    sizes = {u.extent: users, item.extent: 120, one.extent: 16}
    names = {"H", "W", "Q"}
    part, _ = normal_form([Statement("H", (u, one, other), (block,))], ["H"], names, sizes=sizes)
    assert sorted(base.tensor for base in part.terms[0].bases) == sorted(first)
