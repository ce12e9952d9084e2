"""Rules from right to left: definitions, lemmas and assumptions, applied where they fit and nowhere else."""

from __future__ import annotations

from indexcalc.calculus.steps import Rule
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.rules import RuleBook, apply_rules, fold_rule, lemma_rule, unfold_term
from tests.support.build import D, at, attention, ell, fn, i, j, k, p, term

ONE = (term(),)
ROWS_SUM_TO_ONE = lemma_rule(Identity((term(at("A", i, j), over=(j,)),), ONE))
OUTPUT = fold_rule(attention().program.definitions["O"])


def test_a_definition_is_folded_under_any_names():
    before = (term(at("A", ell, i), at("V", i, p), at("G", ell, p), over=(i, p)),)
    after, used = apply_rules(before, (OUTPUT,))
    assert after == (term(at("G", ell, p), at("O", ell, p), over=(p,)),)
    assert [rule.rule for rule in used] == [Rule.FOLD]


def test_a_sum_that_another_factor_uses_is_not_folded():
    before = (term(at("A", i, j), at("V", j, p), at("B", j), over=(j,)),)
    assert apply_rules(before, (OUTPUT,)) == (before, ())


def test_a_free_index_is_no_sum():
    before = (term(at("A", i, j), at("V", j, p)),)
    assert apply_rules(before, (OUTPUT,)) == (before, ())


def test_a_summed_factor_needs_its_whole_exponent():
    before = (term((at("A", i, j), 2), over=(j,)),)
    assert apply_rules(before, (ROWS_SUM_TO_ONE,)) == (before, ())


def test_a_diagonal_is_no_row():
    before = (term(at("A", j, j), over=(j,)),)
    assert apply_rules(before, (ROWS_SUM_TO_ONE,)) == (before, ())


def test_the_coefficient_of_a_definition_is_undone():
    mean = fold_rule(Equation(at("mu", i), (term(at("X", i, k), coeff=1 / D, over=(k,)),)))
    after, _ = apply_rules((term(at("X", j, k), coeff=3, over=(k,)),), (mean,))
    assert after == (term(at("mu", j), coeff=3 * D),)


def test_factors_without_sums_may_leave_a_rest():
    rule = fold_rule(Equation(at("c", i), (term(at("x", i, k), (at("a", i), -1), over=(k,)),)))
    after, _ = apply_rules((term(at("x", i, k), (at("a", i), -3), over=(k,)),), (rule,))
    assert after == (term((at("a", i), -2), at("c", i)),)


def test_a_definition_that_is_no_single_sum_is_no_rule():
    assert fold_rule(Equation(at("y", i), (term(at("x", i)),))) is None
    assert fold_rule(Equation(at("y", i), (term(at("x", i, j), over=(j,)), term(at("b", i))))) is None
    assert fold_rule(Equation(at("y", i, j), (term(at("x", i, k), over=(k,)),))) is None


def test_the_value_of_a_rule_captures_nothing():
    rule = lemma_rule(Identity((term(at("A", i, j), over=(j,)),), (term(at("B", i, ell), over=(ell,)),)))
    (after,), _ = apply_rules((term(at("A", ell, j), at("C", ell), over=(j, ell)),), (rule,))
    assert len(after.summed) == 2
    assert at("C", ell) in after.bases
    assert at("B", ell, ell) not in after.bases


def test_the_book_finds_what_may_apply_and_nothing_else():
    book = RuleBook((ROWS_SUM_TO_ONE, OUTPUT))
    assert book.relevant((term(at("A", i, j), over=(j,)),)) == (ROWS_SUM_TO_ONE,)
    assert book.relevant((term(at("A", i, j), at("V", j, p), over=(j,)),)) == (ROWS_SUM_TO_ONE, OUTPUT)
    assert book.relevant((term(at("B", i)),)) == ()


def test_unfolding_keeps_the_other_powers_and_renames_apart():
    z = attention().program.definitions["Z"]
    (after,) = unfold_term(term((at("Z", i), 2), at("B", ell), over=(ell,)), 0, z)
    assert dict(after.powers)[at("Z", i)] == 1
    assert len({index.name for index in after.summed}) == 2
    assert any(isinstance(base, type(fn("exp"))) for base in after.bases)
    assert after.coeff == 1
