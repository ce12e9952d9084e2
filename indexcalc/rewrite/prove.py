"""Proofs of identities: the author's claims, and sums of gradients that vanish.

A proof is a chain of steps from the left side to the right side (or from their difference to zero).
Short proofs are tried first: they unfold only the tensors that the claim names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Term, Terms, tensors_of
from indexcalc.calculus.steps import Proof, Rule, Section, Step
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.normal import Knowledge, normal_form
from indexcalc.rewrite.rules import SumRule, fold_rule
from indexcalc.rewrite.symmetry import NONE, Symmetries

TERM_LIMIT = 16
"""The most terms of a gradient whose sums are tried: a longer one is zero by no short proof."""


@dataclass(frozen=True)
class Prover:
    """What proofs may use: all definitions, forward and backward, and rules.

    Attributes:
        forward: the forward equations, by name, in order.
        sections: the backward equations, in order, with the first forms of named parts.
        rules: lemmas and assumptions.
        symmetries: those of tensors and gradients.
    """

    forward: Mapping[str, Equation]
    sections: tuple[Section, ...]
    rules: tuple[SumRule, ...]
    symmetries: Symmetries = NONE

    @property
    def definitions(self) -> dict[str, Equation]:
        """Every definition in an order in which later ones read earlier ones."""
        return {**self.forward, **{s.equation.name: s.equation for s in self.sections}}

    @property
    def part_rules(self) -> tuple[SumRule, ...]:
        """The definitions of named parts, in their first and in their final form, as rules to their names."""
        forms: list[Equation] = []
        for section in self.sections:
            if section.target is None:
                first = section.steps[0].before if section.steps else section.equation.terms
                forms.append(Equation(section.equation.lhs, first))
                forms.append(section.equation)
        found = (fold_rule(equation) for equation in forms)
        return tuple(rule for rule in found if rule is not None)

    def prove(self, identity: Identity) -> Proof | None:
        """A proof of the identity; None if none is found, which says nothing about its truth."""
        start, goal = sides(identity)
        subject = Identity(start, goal, identity.doc)
        for known, unfoldable in self.levels(identity):
            try:
                steps = normal_form(subject, start, known, unfoldable)
                if same(steps[-1].after if steps else start, goal):
                    return Proof(identity, cut_short(steps, goal))
            except LimitError:
                continue
        return None

    def levels(self, identity: Identity) -> Iterator[tuple[Knowledge, frozenset[str]]]:
        """What to unfold: the tensors that are named, then the backward pass, then everything."""
        definitions = self.definitions
        named = frozenset(tensors_of((*identity.left, *identity.right)))
        backward = frozenset(section.equation.name for section in self.sections)
        statistics = frozenset(
            name for name, eq in self.forward.items() if len(eq.slots) < max_slots(self.forward, named)
        )
        yield Knowledge(definitions, (*self.rules, *self.part_rules), self.symmetries), named
        yield Knowledge(definitions, self.rules, self.symmetries), named | backward
        yield Knowledge(definitions, self.rules, self.symmetries), named | backward | statistics
        yield Knowledge(definitions, self.rules, self.symmetries), frozenset(definitions)


def cut_short(steps: Sequence[Step], goal: Terms) -> tuple[Step, ...]:
    """The steps up to the first expression that is the goal once like terms are combined."""
    for number, step in enumerate(steps):
        if same(step.after, goal):
            last = () if step.after == goal else (Step(Rule.COLLECT, step.subject, step.after, goal),)
            return (*steps[: number + 1], *last)
    return tuple(steps)


def max_slots(equations: Mapping[str, Equation], named: frozenset[str]) -> int:
    """The largest number of slots of a tensor in an identity, at least one."""
    return max((len(equations[name].lhs.slots) for name in named if name in equations), default=1)


def sides(identity: Identity) -> tuple[Terms, Terms]:
    """Where a proof starts and ends: the two sides if the right one is a constant, else difference and zero."""
    if all(not term.powers for term in identity.right):
        return identity.left, identity.right
    return (*identity.left, *(Term(-t.coeff, t.powers, t.summed) for t in identity.right)), ()


def found_identities(prover: Prover, names: Sequence[str], known: Sequence[Identity]) -> Iterator[Proof]:
    """Gradients whose sum over a slot is zero, by a short proof, where not among the `known` identities."""
    for section in prover.sections:
        if section.equation.name not in names or len(section.equation.terms) > TERM_LIMIT:
            continue
        for slot in section.equation.slots:
            left = (Term(sp.S.One, ((section.equation.lhs, sp.S.One),), (slot,)),)
            identity = Identity(left, ())
            if any(same(left, other.left) and not other.right for other in known):
                continue
            knowledge, unfoldable = next(iter(prover.levels(identity)))
            try:
                steps = normal_form(identity, left, knowledge, unfoldable)
            except LimitError:
                continue
            if steps and not steps[-1].after:
                yield Proof(identity, with_subject(steps, identity))


def with_subject(steps: Sequence[Step], identity: Identity) -> tuple[Step, ...]:
    """The same steps, about this identity."""
    return tuple(Step(step.rule, identity, step.before, step.after, step.detail) for step in steps)
