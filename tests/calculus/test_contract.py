"""Deltas collapse sums: ``sum_i delta_ij f_i = f_j``."""

from __future__ import annotations

import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Delta, Iverson, Term, free_indices
from indexcalc.calculus.contract import contract, next_collapse
from indexcalc.calculus.steps import Rule
from tests.support.build import add, at, ell, i, j, k, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors

SUBJECT = at("Y", i)


def test_a_delta_kills_the_sum_and_the_survivor_takes_its_place():
    (step,) = contract(SUBJECT, (term(at("A", i, j), Delta(j, ell), over=(j,)),))
    assert step.rule is Rule.COLLAPSE
    assert (step.detail.killed, step.detail.survivor) == (j, ell)
    assert step.after == (term(at("A", i, ell)),)


def test_one_step_serves_all_terms_that_share_the_delta():
    terms = (term(at("A", j), Delta(i, j), over=(j,)), term(at("B", j), Delta(i, j), over=(j,), coeff=-2))
    (step,) = contract(SUBJECT, terms)
    assert step.after == (term(at("A", i)), term(at("B", i), coeff=-2))


def test_a_delta_between_free_indices_stays():
    assert contract(SUBJECT, (term(at("A", i), Delta(i, j)),)) == ()


def test_a_delta_inside_a_bracket_is_brought_out_first():
    bracket = add(term(Delta(j, i)), term(at("A", i), coeff=-1))
    steps = contract(SUBJECT, (term(at("D", j), bracket, over=(j,)),))
    assert [step.rule for step in steps] == [Rule.EXPAND, Rule.COLLAPSE]
    assert steps[-1].after == (term(at("D", i)), term(at("D", j), at("A", i), over=(j,), coeff=-1))


def test_two_deltas_on_one_sum_leave_one_of_them():
    steps = contract(SUBJECT, (term(at("A", j), Delta(j, i), Delta(j, ell), over=(j,)),))
    (only,) = steps[-1].after
    assert Delta(i, ell) in only.bases
    assert not only.summed


def test_indices_of_different_tensors_are_followed():
    steps = contract(SUBJECT, (term(at("A", j, k), at("B", k, j), Delta(j, i), over=(j, k)),))
    assert steps[-1].after == (term(at("A", i, k), at("B", k, i), over=(k,)),)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions(), st.data())
def test_contraction_keeps_the_value(drawn, data):
    terms, tensors = drawn
    with_deltas = []
    for one in terms:
        pairs = [(a, b) for a in one.summed for b in (*one.summed, *free_indices(one)) if a.extent == b.extent]
        chosen = data.draw(st.lists(st.sampled_from(pairs), max_size=2)) if pairs else []
        with_deltas.append(term(*one.powers, *(Delta(a, b) for a, b in chosen), coeff=one.coeff, over=one.summed))
    before, free = tuple(with_deltas), free_indices(terms)
    steps = contract(SUBJECT, before)
    after = steps[-1].after if steps else before
    assert_same_value(before, after, free, random_tensors(tensors))
    assert next_collapse(after) is None


@settings(max_examples=100, deadline=None, derandomize=True)
@given(expressions(), st.sampled_from(["<", "<=", "!="]), st.data())
def test_no_bracket_compares_an_index_with_itself(drawn, relation, data):
    terms, tensors = drawn
    plain, built = [], []
    for one in terms:
        every = (*one.summed, *free_indices(one))
        pairs = [(a, b) for a in every for b in every if a.extent == b.extent]
        a, b = data.draw(st.sampled_from(pairs)) if pairs else (i, i)
        c, d = data.draw(st.sampled_from(pairs)) if pairs else (i, i)
        extra = ((Delta(a, b), sp.S.One), (Iverson(c, relation, d), sp.S.One))
        plain.append(Term(one.coeff, one.powers + extra, one.summed))
        built.append(product(one.coeff, one.powers + extra, one.summed))
    steps = contract(SUBJECT, tuple(built))
    after = steps[-1].after if steps else tuple(built)
    assert not any(isinstance(base, Iverson) and base.left == base.right for one in after for base in one.bases)
    assert_same_value(tuple(plain), after, free_indices(tuple(plain)), random_tensors(tensors))


def test_a_bracket_without_a_delta_is_not_multiplied_out():
    difference = add(term(at("X", j)), term(at("X", ell), coeff=-1))
    deltas = add(term(Delta(j, i)), term(Delta(ell, i), coeff=-1))
    steps = contract(SUBJECT, (term(at("D", j, ell), difference, deltas, over=(j, ell)),))
    assert all(difference in one.bases for one in steps[0].after)
    assert [len(step.after) for step in steps] == [2, 2, 2]
