"""The normal form in which identities are proved: definitions unfolded, products multiplied out.

Definitions without sums are unfolded everywhere. A tensor defined by sums is unfolded where it
stands as a factor to a positive integer power; where it also stands elsewhere (in a denominator, a
root, a function) it stays as it is, and its definition becomes a rule from right to left instead
(``sum_l exp S_il -> Z_i``). The form is not confluent: two expressions with the same normal form
are equal; with different ones, nothing is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from indexcalc.algebra.build import expand, expand_term, is_divisor, multiplied, power, product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import rename_apart, substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Fn,
    Index,
    Partial,
    Power,
    Term,
    Terms,
    accesses_of,
    free_indices,
    inner_terms,
    tensors_of,
)
from indexcalc.calculus.contract import contract
from indexcalc.calculus.steps import Cited, Detail, Rule, Step, Subject, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.orientation import oriented
from indexcalc.rewrite.rules import RuleBook, SumRule, apply_rules, unfold_term
from indexcalc.rewrite.symmetry import NONE, Symmetries

TERM_LIMIT = 1_000
"""The most terms that a normal form may have on the way."""
FACTOR_LIMIT = 4_000
"""The most factors, at all depths, that unfolding may give: each unfolding may double what functions hold."""
ROUND_LIMIT = 12
"""The most rounds of folding."""
DEPTH_LIMIT = 60
"""The deepest nesting of functions and parentheses that unfolding may give."""


@dataclass(frozen=True)
class Knowledge:
    """What a normal form may use.

    Attributes:
        definitions: equations by name, in program order; later ones read earlier ones.
        rules: lemmas and assumptions.
        symmetries: those of the tensors.
        terms: the most terms of a normal form on the way.
        factors: the most factors of it, at all depths.
    """

    definitions: Mapping[str, Equation]
    rules: tuple[SumRule, ...] = ()
    symmetries: Symmetries = NONE
    terms: int = TERM_LIMIT
    factors: int = FACTOR_LIMIT

    @cached_property
    def folds(self) -> dict[tuple[str, frozenset[str]], tuple[SumRule, ...]]:
        """The rules of opaque names, as far as they were asked for, by name and by what was unfolded in them."""
        return {}


@dataclass(frozen=True, slots=True)
class Unfolded:
    """What unfolding gave.

    Attributes:
        stages: the names unfolded with the terms that each gave, last definition first.
        opaque: the names that stay.
    """

    stages: tuple[tuple[str, Terms], ...]
    opaque: tuple[str, ...]

    def summed(self, indices: Sequence[Index]) -> Unfolded:
        """The same under sums over free indices."""
        return Unfolded(
            tuple((name, tuple(sum_of(term, indices) for term in terms)) for name, terms in self.stages), self.opaque
        )


def sum_of(term: Term, indices: Sequence[Index]) -> Term:
    """The sum of a term over free indices: one that it does not have counts how often, whatever its own sums bind."""
    free = free_indices(term)
    present = tuple(index for index in indices if index in free)
    often = sp.Mul(*(index.extent for index in indices if index not in free))
    apart = rename_apart(term, frozenset(index.name for index in present))
    return product(often * apart.coeff, apart.powers, (*present, *apart.summed))


def normal_form(subject: Subject, terms: Terms, known: Knowledge, unfoldable: Collection[str]) -> tuple[Step, ...]:
    """Steps from `terms` to their normal form, unfolding only the tensors in `unfoldable`.

    Raises:
        LimitError: if more terms or factors come up than may.
    """
    return folded(subject, terms, unfold_all(terms, known, unfoldable), known, unfoldable)


def folded(
    subject: Subject, terms: Terms, unfolded: Unfolded, known: Knowledge, unfoldable: Collection[str]
) -> tuple[Step, ...]:
    """Steps from `terms`, which are unfolded already, to their normal form.

    Raises:
        LimitError: if more terms come up than may.
    """
    steps: list[Step] = []

    def advance(rule: Rule, after: Terms, detail: Detail = None) -> None:
        before = steps[-1].after if steps else terms
        if after != before:
            steps.append(Step(rule, subject, before, after, detail))

    def current() -> Terms:
        return steps[-1].after if steps else terms

    for name, after in unfolded.stages:
        advance(Rule.UNFOLD, after, Used((name,)))
    inner = frozenset(unfoldable).difference(unfolded.opaque)
    folds = tuple(rule for name in unfolded.opaque for rule in definition_rules(name, known, inner))
    book = RuleBook((*known.rules, *folds))
    advance(Rule.EXPAND, expand(current(), known.terms))
    steps.extend(contract(subject, current()))
    advance(Rule.COLLECT, collect(current()))
    for _ in range(ROUND_LIMIT):
        before = current()
        for rule in book.relevant(before):
            after, used = apply_rules(current(), (rule,))
            if used:
                advance(rule.rule, after, Used((rule.name,)) if rule.name else Cited(rule.identity))
                advance(Rule.EXPAND, expand(current(), known.terms))
        if known.symmetries:
            steps.extend(oriented(subject, current(), known.symmetries))
        advance(Rule.COLLECT, collect(current()))
        if current() == before:
            break
    return tuple(steps)


def unfold_all(terms: Terms, known: Knowledge, unfoldable: Collection[str]) -> Unfolded:
    """The definitions put in, the last one first.

    Raises:
        LimitError: if more terms or factors come up than may.
    """
    stages: list[tuple[str, Terms]] = []
    opaque: list[str] = []
    present = frozenset(tensors_of(terms))
    for name in reversed(tuple(known.definitions)):
        if name not in unfoldable or name not in present:
            continue
        equation = known.definitions[name]
        if not equation.holds_in(terms):
            opaque.append(name)
            continue
        if all(not term.summed for term in equation.terms):
            terms = tuple(term for term in (unfold_everywhere(t, equation) for t in terms) if term.coeff != 0)
        elif any(stands_elsewhere(name, term) for term in terms):
            opaque.append(name)
            continue
        else:
            terms = unfold_factors(terms, equation, known.terms)
        stages.append((name, terms))
        present = frozenset(tensors_of(terms))
        check_size(name, terms, known)
    return Unfolded(tuple(stages), tuple(opaque))


def check_size(name: str, terms: Terms, known: Knowledge) -> None:
    """Return if an expression that came from unfolding is small enough to go on with.

    Raises:
        LimitError: for more terms or factors than may be, or more than `DEPTH_LIMIT` levels.
    """
    if len(terms) > known.terms:
        raise LimitError(f"unfolding {name} gives more than {known.terms} terms")
    count, depth, level = 0, 0, list(terms)
    while level:
        count, depth = count + sum(len(term.powers) for term in level), depth + 1
        if count > known.factors or depth > DEPTH_LIMIT:
            raise LimitError(f"unfolding {name} gives more than {known.factors} factors or {DEPTH_LIMIT} nested levels")
        level = [inner for term in level for base in term.bases for inner in inner_terms(base)]


def stands_elsewhere(name: str, term: Term) -> bool:
    """Whether the tensor occurs inside another factor, or to a power that is no positive integer."""
    for base, exponent in term.powers:
        if isinstance(base, Access):
            if base.tensor == name and not (exponent.is_Integer and exponent > 0):
                return True
        elif isinstance(base, Add) and exponent.is_Integer and exponent > 0:
            if any(stands_elsewhere(name, part) for part in base.terms):
                return True
        elif name in tensors_of(base):
            return True
    return False


def unfold_everywhere(term: Term, equation: Equation) -> Term:
    """A sum-free definition put in at any depth and to any power."""
    if equation.name not in tensors_of(term):
        return term
    factors = (unfolded_base(base, exponent, equation) for base, exponent in term.powers)
    return multiplied(factors, term.coeff, term.summed)


def unfolded_base(base: Base, exponent: sp.Expr, equation: Equation) -> Term:
    """One power with the definition put in."""
    if equation.name not in tensors_of(base):
        return Term(sp.S.One, ((base, exponent),))
    if isinstance(base, Access) and base.tensor == equation.name and equation.holds_at(base):
        value = substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))
        return power(value, exponent)
    if isinstance(base, Access):
        return Term(sp.S.One, ((base, exponent),))
    if isinstance(base, Fn):
        unfolded = Fn(base.name, tuple(unfold_in_sum(arg, equation) for arg in base.args))
        return without_logs(unfolded.arg, exponent) if base.name == "exp" else Term(sp.S.One, ((unfolded, exponent),))
    if isinstance(base, Add):
        return power(unfold_in_sum(base.terms, equation), exponent)
    assert not isinstance(base, Partial)
    return Term(sp.S.One, ((base, exponent),))


def unfold_in_sum(terms: Terms, equation: Equation) -> Terms:
    """A sum-free definition put into what a function or a parenthesis holds."""
    return collect(tuple(unfold_everywhere(term, equation) for term in terms))


def without_logs(arg: Terms, exponent: sp.Expr) -> Term:
    """``exp(a + n log b)**e = b**(n e) exp(a)**e``: logarithms of products without sums leave the exponential."""
    rest: list[Term] = []
    powers: list[Power] = []
    for term in arg:
        base, once = term.powers[0] if len(term.powers) == 1 else (None, sp.S.Zero)
        if isinstance(base, Fn) and base.name == "log" and once == 1 and len(base.arg) == 1:
            (inner,) = base.arg
            if term.coeff.is_Rational and inner.coeff == 1 and not term.summed and not inner.summed:
                powers.extend((b, e * term.coeff * exponent) for b, e in inner.powers)
                continue
        rest.append(term)
    if rest:
        powers.append((Fn("exp", (tuple(rest),)), exponent))
    return product(sp.S.One, powers)


def unfold_factors(terms: Terms, equation: Equation, most: int = TERM_LIMIT) -> Terms:
    """A definition with sums put in wherever its name is a factor; sums that hold it are multiplied out."""
    pending = list(reversed(terms))
    done: list[Term] = []
    while pending:
        term = pending.pop()
        inside = [n for n, (b, _) in enumerate(term.powers) if isinstance(b, Add) and holds_unfoldable(b, equation)]
        position = next(
            (n for n, (b, _) in enumerate(term.powers) if is_unfoldable(b, equation)),
            None,
        )
        if inside:
            pending.extend(reversed(expand_term(term, lambda base: holds_unfoldable(base, equation))))
        elif position is not None:
            pending.extend(reversed(unfold_term(term, position, equation)))
        else:
            done.append(term)
        if len(done) + len(pending) > most:
            raise LimitError(f"unfolding {equation.name} gives more than {most} terms")
    return tuple(done)


def is_unfoldable(base: Base, equation: Equation) -> bool:
    """Whether a factor is an entry for which the definition may be put in."""
    return isinstance(base, Access) and base.tensor == equation.name and equation.holds_at(base)


def holds_unfoldable(base: Add, equation: Equation) -> bool:
    """Whether a sum has such an entry."""
    return any(equation.holds_at(entry) for entry in accesses_of(base, equation.name))


def definition_rules(name: str, known: Knowledge, unfoldable: frozenset[str]) -> tuple[SumRule, ...]:
    """The definition of an opaque name as a rule: its first sum equals the name less the other terms."""
    key = (name, unfoldable)
    if key not in known.folds:
        known.folds[key] = found_rules(known.definitions[name], known, unfoldable)
    return known.folds[key]


def found_rules(equation: Equation, known: Knowledge, unfoldable: frozenset[str]) -> tuple[SumRule, ...]:
    """What `definition_rules` gives."""
    stages = unfold_all(equation.terms, known, unfoldable).stages
    terms = collect(expand(stages[-1][1] if stages else equation.terms))
    lead = next((term for term in terms if term.summed), None)
    if lead is None or not set(equation.slots) <= set(free_indices(lead)) or not is_divisor(lead.coeff):
        return ()
    rest = tuple(Term(-t.coeff / lead.coeff, t.powers, t.summed) for t in terms if t is not lead)
    value = (Term(1 / lead.coeff, ((equation.lhs, sp.S.One),)), *rest)
    here = (Term(sp.S.One, ((equation.lhs, sp.S.One),)),)
    identity = Identity(equation.terms, here)
    return (SumRule(Rule.FOLD, lead.powers, lead.summed, value, identity, equation.name, frozenset(tensors_of(lead))),)
