"""Simplification after each round of contractions: reuse, folds, lemmas, like terms.

Every rule is applied in a step of its own. Nothing here looks for cheaper forms; that is a search,
and has its own place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import sympy as sp

from indexcalc.algebra.canonical import collect, components, term_key
from indexcalc.algebra.terms import Access, Add, Term, Terms, tensors_of
from indexcalc.calculus.steps import Cited, Detail, Proof, Rule, Step, Subject, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Program
from indexcalc.rewrite.cases import joined_cases
from indexcalc.rewrite.clamps import unclamped
from indexcalc.rewrite.differences import with_ordered_differences
from indexcalc.rewrite.gather import gathered
from indexcalc.rewrite.lemmas import assumed_rules, find_lemmas, vanishing_lemma
from indexcalc.rewrite.orientation import oriented, slots_of, with_first_orders
from indexcalc.rewrite.pins import pinned
from indexcalc.rewrite.reuse import Held, reusable_tensors, reuse
from indexcalc.rewrite.rules import RuleBook, SumRule, apply_rules, fold_rule, lemma_rule
from indexcalc.rewrite.symmetry import Order, Symmetries, find_symmetries

ROUND_LIMIT = 20
"""The most rounds of simplification of one expression."""


@dataclass(frozen=True)
class Simplifier:
    """What a forward program knows about its own expressions; call it to simplify one.

    `inverses` are entries of tensors that it does not compute, and that are symmetric in their last two slots.
    """

    program: Program
    inverses: tuple[Access, ...] = ()

    @cached_property
    def lemmas(self) -> tuple[Proof, ...]:
        """The identities found in the program."""
        return find_lemmas(self.program)

    @cached_property
    def symmetries(self) -> Symmetries:
        """The symmetries of tensors, assumed and found."""
        known = find_symmetries(self.program)
        for entry in self.inverses:
            known = known.extended(entry, (last_exchanged(entry),))
        return known

    @cached_property
    def held(self) -> Held:
        """The tensors whose definitions are recognised in products."""
        return reusable_tensors(self.program)

    @cached_property
    def rules(self) -> tuple[SumRule, ...]:
        """Lemmas and assumptions first, then the definitions by sums."""
        identities = (lemma_rule(proof.identity) for proof in self.lemmas)
        folds = (fold_rule(equation) for equation in self.program.equations)
        found = (*identities, *assumed_rules(self.program), *folds)
        return tuple(with_ordered_slots(rule, self.symmetries) for rule in found if rule is not None)

    @cached_property
    def longer(self) -> tuple[Equation, ...]:
        """The equations of several terms, some of them sums, later ones first."""
        return tuple(
            equation
            for equation in reversed(self.program.equations)
            if len(equation.terms) > 1 and any(term.summed for term in equation.terms)
        )

    @cached_property
    def book(self) -> RuleBook:
        """The rules, found by what they read."""
        return RuleBook(self.rules)

    def __call__(self, subject: Subject, terms: Terms) -> tuple[Step, ...]:
        """Steps from `terms` to a form in which no rule applies."""
        steps: list[Step] = []
        tactics = (
            self.pin,
            self.turn,
            self.combine,
            self.join,
            self.recall,
            self.apply,
            self.gather,
            self.clamp,
            self.vanish,
            self.orient,
        )
        settled: dict[int, Terms] = {}  # what each tactic last left as it was
        for _ in range(ROUND_LIMIT):
            before = terms
            for number, tactic in enumerate(tactics):
                if settled.get(number) == terms:
                    continue
                found = tuple(tactic(subject, terms))
                if found:
                    steps.extend(found)
                    terms = found[-1].after
                else:
                    settled[number] = terms
            if terms == before:
                break
        return tuple(steps)

    def pin(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Beside a delta, one of its indices is read."""
        yield from pinned(subject, terms, slots_of(subject))

    def turn(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Differences of two entries are written with the earlier index first."""
        after = with_ordered_differences(terms, slots_of(subject))
        if after != terms:
            yield Step(Rule.TURN, subject, terms, after)

    def combine(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Like terms are combined."""
        after = collect(terms)
        if after != terms:
            yield Step(Rule.COLLECT, subject, terms, after)

    def join(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Cases that cover all values of an index are joined."""
        after = joined_cases(terms)
        if after != terms:
            yield Step(Rule.CASES, subject, terms, after)

    def recall(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Expressions that a tensor holds are replaced by it."""
        yield from reuse(subject, terms, self.held)

    def apply(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Lemmas, assumptions and definitions by sums are applied, each in its own step."""
        for rule in self.book.relevant(terms):
            after, used = apply_rules(terms, (rule,))
            if used:
                detail: Detail = Used((rule.name,)) if rule.name else Cited(rule.identity)
                yield Step(rule.rule, subject, terms, after, detail)
                terms = after

    def gather(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """The right side of an equation of several terms, one of them a sum, is replaced by its name."""
        present = frozenset(tensors_of(terms))
        for equation in self.longer:
            if len(equation.terms) <= len(terms) and present.issuperset(tensors_of(equation.terms)):
                after = gathered(terms, equation)
                if after is not None:
                    yield Step(Rule.FOLD, subject, terms, after, Used((equation.name,)))
                    terms = after

    def clamp(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Indicators go where a clamped value needs none."""
        yield from unclamped(subject, terms, self.program.definitions)

    def vanish(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """A sum over a parenthesis that is constant, such as the sum of deviations from a mean, is replaced."""
        for term in terms:
            for powers, summed in components(term):
                # What a gradient multiplies depends on it: no rule of the program takes it away.
                given = any(isinstance(base, Access) and base.tensor not in self.program.tensors for base, _ in powers)
                if summed and not given and any(isinstance(base, Add) for base, _ in powers):
                    proof = self.vanishing(Term(sp.S.One, powers, summed))
                    rule = lemma_rule(proof.identity) if proof is not None else None
                    if rule is None:
                        continue
                    after, used = apply_rules(terms, (rule,))
                    if used:
                        yield Step(Rule.LEMMA, subject, terms, after, Cited(rule.identity))
                        terms = after

    def orient(self, subject: Subject, terms: Terms) -> Iterator[Step]:
        """Entries of symmetric tensors are read in one order of their slots."""
        if self.symmetries:
            yield from oriented(subject, terms, self.symmetries)

    def vanishing(self, component: Term) -> Proof | None:
        """The proof that a component is constant, remembered by the component's canonical key."""
        try:
            key = term_key(component)
        except LimitError:
            return None
        if key not in self.memory:
            self.memory[key] = vanishing_lemma(component.powers, component.summed, self.program)
        return self.memory[key]

    @cached_property
    def memory(self) -> dict[str, Proof | None]:
        """Proofs found on the way: a cache, keyed by what was proved."""
        return {}


def last_exchanged(entry: Access) -> Order:
    """The order of slots in which the last two have changed places."""
    *outer, row, column = range(len(entry.slots))
    return (*outer, column, row)


def with_ordered_slots(rule: SumRule, known: Symmetries) -> SumRule:
    """The rule with the slots of symmetric tensors in the order in which expressions read them."""
    if rule.reads.isdisjoint(known.orders):
        return rule
    pattern = with_first_orders(Term(sp.S.One, rule.powers, rule.summed), known)
    return replace(rule, powers=pattern.powers)
