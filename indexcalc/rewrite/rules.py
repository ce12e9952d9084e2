"""Rewrite rules as data: a sum of a product that is known to equal something simpler.

``sum_l exp(S_il) -> Z_i`` (a definition read from right to left), ``sum_j A_ij -> 1`` (a lemma) and
``sum_c y_nc -> 1`` (an assumption) are rules of one kind, applied by one function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sympy as sp

from indexcalc.algebra.build import is_divisor, multiply_bodies, product
from indexcalc.algebra.match import Match, find_products
from indexcalc.algebra.renaming import rename_apart, substitute
from indexcalc.algebra.terms import (
    Access,
    Index,
    Power,
    Term,
    Terms,
    free_indices,
    index_names,
    tensors_of,
)
from indexcalc.calculus.steps import Rule
from indexcalc.program import Equation, Identity

APPLICATION_LIMIT = 400
"""The most applications of rules to one expression."""


RULE_CACHE = 4_000
"""The number of equations whose rules are remembered."""


@dataclass(frozen=True, slots=True)
class SumRule:
    """``sum[summed] product(powers) -> value``, for all values of the free indices.

    Attributes:
        rule: how a step that applies it is called: FOLD or LEMMA.
        identity: the identity that a note cites; its left side is the sum with its coefficient.
        name: the tensor whose definition it is, for FOLD.
        reads: the tensors in the pattern: a term that lacks one cannot match.
    """

    rule: Rule
    powers: tuple[Power, ...]
    summed: tuple[Index, ...]
    value: Terms
    identity: Identity
    name: str = ""
    reads: frozenset[str] = frozenset()


def lemma_rule(identity: Identity) -> SumRule | None:
    """An identity whose left side is one sum and binds every index of the right one, as a rule from left to right."""
    if len(identity.left) != 1 or not identity.left[0].summed:
        return None
    if not set(free_indices(identity.right)) <= set(free_indices(identity.left)):
        return None
    (left,) = identity.left
    if not is_divisor(left.coeff):
        return None
    value = tuple(Term(term.coeff / left.coeff, term.powers, term.summed) for term in identity.right)
    return SumRule(Rule.LEMMA, left.powers, left.summed, value, identity, reads=frozenset(tensors_of(left)))


@lru_cache(maxsize=RULE_CACHE)
def fold_rule(equation: Equation) -> SumRule | None:
    """A definition by one sum, as a rule from its right side to its name; None for other definitions."""
    if len(equation.terms) != 1 or not equation.terms[0].summed:
        return None
    (term,) = equation.terms
    if not set(equation.slots) <= set(free_indices(term)) or not is_divisor(term.coeff):
        return None
    value = (Term(1 / term.coeff, ((equation.lhs, sp.S.One),)),)
    here = (Term(sp.S.One, ((equation.lhs, sp.S.One),)),)
    identity = Identity(equation.terms, here)
    reads = frozenset(tensors_of(term))
    return SumRule(Rule.FOLD, term.powers, term.summed, value, identity, equation.name, reads)


@dataclass(frozen=True)
class RuleBook:
    """Rules found by the tensors they read, so that a long program does not slow down each step."""

    rules: tuple[SumRule, ...]

    @cached_property
    def by_tensor(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of the rules under the first tensor of each; under "" those that read none."""
        found: dict[str, list[int]] = {}
        for position, rule in enumerate(self.rules):
            found.setdefault(min(rule.reads, default=""), []).append(position)
        return {name: tuple(positions) for name, positions in found.items()}

    def relevant(self, terms: Terms) -> tuple[SumRule, ...]:
        """The rules that might apply to some term, in their order."""
        present = frozenset(tensors_of(terms))
        positions = (n for name in ("", *present) for n in self.by_tensor.get(name, ()))
        return tuple(self.rules[n] for n in sorted(positions) if self.rules[n].reads <= present)


def apply_match(term: Term, rule: SumRule, match: Match) -> Terms:
    """The matched factors and sums replaced by the rule's value."""
    images = frozenset(match.binding[index] for index in rule.summed)
    taken = dict(zip(match.positions, (exponent for _, exponent in rule.powers), strict=True))
    powers = tuple((base, e - taken.get(n, 0)) for n, (base, e) in enumerate(term.powers) if e != taken.get(n, 0))
    rest = Term(term.coeff, powers, tuple(index for index in term.summed if index not in images))
    renaming = {key: value for key, value in match.binding.items() if key not in rule.summed}
    value = substitute(rule.value, renaming)
    return tuple(multiply_bodies(rest, rename_apart(part, index_names(rest))) for part in value)


def apply_once(term: Term, rules: Sequence[SumRule]) -> tuple[SumRule, Terms] | None:
    """The first rule that applies to a term, with the result; None if none does."""
    if not term.summed:
        return None
    present = frozenset(tensors_of(term))
    for rule in rules:
        if rule.reads <= present and len(rule.summed) <= len(term.summed) and len(rule.powers) <= len(term.powers):
            match = next(find_products(rule.powers, rule.summed, term), None)
            if match is not None:
                return rule, apply_match(term, rule, match)
    return None


def apply_rules(terms: Terms, rules: Sequence[SumRule]) -> tuple[Terms, tuple[SumRule, ...]]:
    """Rules applied until none applies: the result, and the rules that were used, each once."""
    done: list[Term] = []
    pending = list(reversed(terms))
    used: dict[int, SumRule] = {}
    for _ in range(APPLICATION_LIMIT):
        if not pending:
            break
        term = pending.pop()
        found = apply_once(term, rules)
        if found is None:
            done.append(term)
        else:
            used[id(found[0])] = found[0]
            pending.extend(reversed(found[1]))
    return (*done, *reversed(pending)), tuple(used.values())


def unfold_term(term: Term, position: int, equation: Equation) -> Terms:
    """The tensor entry at `position` (to a positive integer power) replaced by its definition, once."""
    base, exponent = term.powers[position]
    assert isinstance(base, Access)
    assert exponent.is_Integer
    assert exponent > 0
    rest = ((base, exponent - 1),) if exponent > 1 else ()
    outer = product(sp.S.One, (*term.powers[:position], *rest, *term.powers[position + 1 :]))
    # A dummy with the name of a tensor could be taken for it.
    names = index_names(term) | frozenset((*tensors_of(term), *tensors_of(equation.terms)))
    value = substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))
    parts = (rename_apart(part, names) for part in value)
    return tuple(
        product(
            term.coeff * part.coeff,
            (*outer.powers[:position], *part.powers, *outer.powers[position:]),
            (*term.summed, *part.summed),
        )
        for part in parts
    )
