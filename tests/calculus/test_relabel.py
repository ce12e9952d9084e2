"""Dummies get the names an author would choose, and never one that is taken."""

from __future__ import annotations

from hypothesis import given, settings

from indexcalc.algebra.renaming import fresh_indices, rename_bound
from indexcalc.algebra.terms import Access, Index, free_indices
from indexcalc.calculus.relabel import Nomenclature, relabel
from tests.support.build import N, at, ell, i, j, k, m, p, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors

a, b = Index("a", N), Index("b", N)
NAMES = Nomenclature({"A": (i, j), "G": (i, p), "Q": (i, k)}, (i, j, ell, k, m, p))


def test_a_dummy_gets_the_declared_name_of_its_slot():
    (step,) = relabel(at("V", j), (term(at("A", a, j), over=(a,)),), NAMES)
    assert step.after == (term(at("A", i, j), over=(i,)),)
    assert step.detail.pairs == ((a, i),)


def test_a_name_that_is_free_is_passed_over():
    (step,) = relabel(at("S", i, j), (term(at("A", i, a), over=(a,)),), NAMES)
    assert step.after == (term(at("A", i, ell), over=(ell,)),)


def test_two_dummies_never_share_a_name():
    (step,) = relabel(at("y"), (term(at("A", a, b), at("A", b, a), over=(a, b)),), NAMES)
    (only,) = step.after
    assert len({index.name for index in only.summed}) == 2


def test_a_dummy_with_no_free_declared_name_gets_a_new_one():
    few = Nomenclature({"A": (i, j)}, (i, j))
    (step,) = relabel(at("S", i, j), (term(at("A", i, i), at("A", j, j), at("B", i), over=(i,)),), few)
    (only,) = step.after
    assert only.summed[0].name not in {"i", "j"}


def test_names_that_are_right_already_make_no_step():
    assert relabel(at("V", j), (term(at("A", i, j), over=(i,)),), NAMES) == ()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions())
def test_relabelling_keeps_the_value(drawn):
    terms, tensors = drawn
    free = free_indices(terms)
    dummies = tuple(
        rename_bound(t, dict(zip(t.summed, fresh_indices(t.summed, {"i", "j", "k", "l"}), strict=True))) for t in terms
    )
    names = Nomenclature({t.name: t.slots for t in tensors}, tuple(dict.fromkeys(s for t in tensors for s in t.slots)))
    steps = relabel(Access("Y", free), dummies, names)
    assert_same_value(terms, steps[-1].after if steps else dummies, free, random_tensors(tensors))


def test_sums_that_rename_otherwise_are_told_apart():
    terms = (term(at("Q", a, b), over=(a, b)), term(at("G", b, a), over=(a, b)))
    (step,) = relabel(at("y"), terms, Nomenclature({"Q": (i, j), "G": (i, j)}, (i, j)))
    assert step.detail.pairs == ((a, i), (b, j), (a, j), (b, i))
    assert not step.detail.is_one


@settings(max_examples=60, deadline=None)
@given(expressions())
def test_what_is_told_gives_the_new_names(drawn):
    terms, _ = drawn
    for step in relabel(at("y"), terms, NAMES):
        pairs = step.detail.pairs
        for before, after in zip(step.before, step.after, strict=True):
            own = {old: new for old, new in zip(before.summed, after.summed, strict=True) if old != new}
            assert rename_bound(before, own) == after
            assert set(own.items()) <= set(pairs)
            if step.detail.is_one:
                assert len({old for old, _ in pairs}) == len(pairs)
