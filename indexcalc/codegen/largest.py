"""Maxima and minima along indices, found by their structure and computed as such.

``c[i,j] = sum[l](step(x[i,l] - x[i,j]))`` counts the entries that are larger than this one, so
``step(c[i,j])`` is ``step(m[i] - x[i,j])`` with ``m[i] = max[l](x[i,l])``; and the mean of ``x`` over
the entries with ``1 - step(c[i,j])`` is ``m[i]`` itself. No comparison of all pairs is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import is_negative, power, product, scale
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Fn,
    Index,
    Slot,
    Term,
    Terms,
    free_indices,
    tensors_of,
    with_inner_terms,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Program

ONE = sp.S.One


@dataclass(frozen=True, slots=True)
class Extreme:
    """The largest (or smallest) entries along some indices.

    Attributes:
        count: the tensor that counts the entries beyond this one.
        slots: its slots.
        own: those of its slots that the count runs over, in the order of `over`.
        value: the entry itself.
        statement: the maximum or minimum.
    """

    count: str
    slots: tuple[Index, ...]
    own: tuple[Index, ...]
    value: Terms
    statement: Statement

    def beyond(self, slots: tuple[Slot, ...]) -> Fn:
        """``step(m - x)``: 1 where another entry is larger."""
        entry = Term(ONE, ((Access(self.statement.name, self.statement.axes), ONE),))
        largest = self.statement.kind is Kind.MAXIMUM
        gap = (entry, *scale(self.value, -ONE)) if largest else (*self.value, Term(-ONE, entry.powers))
        return Fn("step", (substitute(gap, dict(zip(self.slots, slots, strict=True))),))


def find_extremes(program: Program, taken: set[str]) -> tuple[Extreme, ...]:
    """Every count of larger or smaller entries; an equation that is the extreme itself lends its name."""
    found = []
    for equation in program.equations:
        extreme = as_extreme(equation, taken)
        if extreme is None:
            continue
        for other in program.equations:
            if mean_of_extremes(other, extreme, program) is not None:
                statement = replace(extreme.statement, name=other.name)
                extreme = replace(extreme, statement=statement)
                break
        found.append(extreme)
    return tuple(found)


def as_extreme(equation: Equation, taken: set[str]) -> Extreme | None:
    """The extreme that an equation ``c[i,j] = sum[l](step(x[i,l] - x[i,j]))`` asks for."""
    if len(equation.terms) != 1:
        return None
    (term,) = equation.terms
    fn = term.powers[0][0] if len(term.powers) == 1 and term.powers[0][1] == 1 else None
    if term.coeff != 1 or not term.summed or not isinstance(fn, Fn) or fn.name != "step":
        return None
    others = tuple(part for part in fn.arg if set(free_indices(part)) & set(term.summed))
    entry = tuple(part for part in fn.arg if part not in others)
    own = tuple(slot for slot in free_indices(entry) if slot not in free_indices(others))
    if not others or len(own) != len(term.summed) or not set(own) <= set(equation.slots):
        return None
    over = tuple(index for index in free_indices(others) if index in term.summed)
    if frozenset(substitute(others, dict(zip(over, own, strict=True)))) != frozenset(scale(entry, -ONE)):
        return None
    rest = tuple(slot for slot in equation.slots if slot not in own)
    if set(rest) != set(free_indices(others)) - set(over):
        return None
    smallest = is_negative(others[0].coeff)
    kind = Kind.MINIMUM if smallest else Kind.MAXIMUM
    stem = (*tensors_of(others), "entry")[0]
    name = unused(f"{stem}_{'min' if smallest else 'max'}", taken)
    value, among = (entry, scale(others, -ONE)) if smallest else (scale(entry, -ONE), others)
    return Extreme(equation.name, equation.slots, own, value, Statement(name, rest, among, kind, over))


def mean_of_extremes(equation: Equation, extreme: Extreme, program: Program) -> Equation | None:
    """The equation, if it is ``sum[j]((1 - step(c)) * x) / sum[j](1 - step(c))``: the mean of the extreme entries."""
    rest = extreme.statement.axes
    if len(equation.terms) != 1 or len(equation.slots) != len(rest):
        return None
    (term,) = equation.terms
    weight = next((base for base in term.bases if is_weight(base, extreme)), None)
    totals = [base for base, exponent in term.powers if isinstance(base, Access) and exponent == -1]
    if weight is None or not any(is_total(total, extreme, program) for total in totals):
        return None
    entries = next(base for base in tensors_at(weight, extreme.count))
    binding = dict(zip(extreme.slots, entries.indices, strict=True))
    if tuple(binding[slot] for slot in rest) != equation.slots:
        return None
    factor = power(substitute(extreme.value, binding), ONE)
    for total in totals:
        own = tuple(binding[slot] for slot in extreme.own)
        expected = product(factor.coeff, [(weight, ONE), *factor.powers, (total, -ONE)], own)
        same = dict(expected.powers) == dict(term.powers) and set(expected.summed) == set(term.summed)
        if same and expected.coeff == term.coeff and total.slots == equation.slots:
            return equation
    return None


def tensors_at(base: Base, tensor: str) -> tuple[Access, ...]:
    """The entries of a tensor inside the functions of ``1 - step(c)``."""
    assert isinstance(base, Add)
    fns = (b for term in base.terms for b in term.bases if isinstance(b, Fn))
    return tuple(b for fn in fns for term in fn.arg for b in term.bases if isinstance(b, Access) and b.tensor == tensor)


def is_weight(base: Base, extreme: Extreme) -> bool:
    """Whether a factor is ``1 - step(c[...])``."""
    if not (isinstance(base, Add) and len(base.terms) == 2 and Term(ONE) in base.terms):
        return False
    (other,) = (term for term in base.terms if term != Term(ONE))
    return other.coeff == -1 and len(other.powers) == 1 and is_test(other.powers[0][0], extreme)


def is_test(base: Base, extreme: Extreme) -> bool:
    """Whether a factor is ``step(c[...])``."""
    if not (isinstance(base, Fn) and base.name == "step" and len(base.arg) == 1):
        return False
    (inner,) = base.arg
    entry = inner.powers[0][0] if inner.coeff == 1 and len(inner.powers) == 1 and inner.powers[0][1] == 1 else None
    return isinstance(entry, Access) and entry.tensor == extreme.count


def is_total(entry: Access, extreme: Extreme, program: Program) -> bool:
    """Whether a tensor is ``sum[j](1 - step(c))`` over the indices of the extreme."""
    equation = program.definitions.get(entry.tensor)
    if equation is None or len(equation.terms) != 1 or len(equation.slots) != len(extreme.statement.axes):
        return False
    (term,) = equation.terms
    if term.coeff != 1 or len(term.powers) != 1 or term.powers[0][1] != 1 or not is_weight(term.powers[0][0], extreme):
        return False
    binding = dict(zip(extreme.slots, tensors_at(term.powers[0][0], extreme.count)[0].slots, strict=True))
    rest = tuple(binding[slot] for slot in extreme.statement.axes)
    return rest == equation.slots and {binding[slot] for slot in extreme.own} == set(term.summed)


def compared(equation: Equation, extremes: tuple[Extreme, ...]) -> Equation:
    """The equation with every test for a larger entry as a comparison with the largest."""
    return replace(equation, terms=compared_terms(equation.terms, extremes)) if extremes else equation


def compared_terms(terms: Terms, extremes: tuple[Extreme, ...]) -> Terms:
    """Every ``step(c[...])`` replaced, at every depth."""
    return tuple(
        product(term.coeff, [(compared_base(base, extremes), e) for base, e in term.powers], term.summed)
        for term in terms
    )


def compared_base(base: Base, extremes: tuple[Extreme, ...]) -> Base:
    """One factor."""
    if isinstance(base, Add):
        return Add(compared_terms(base.terms, extremes))
    if not isinstance(base, Fn):
        return base
    for extreme in extremes:
        if is_test(base, extreme):
            (entry,) = base.arg[0].bases
            assert isinstance(entry, Access)
            return extreme.beyond(entry.slots)
    return with_inner_terms(base, lambda terms: compared_terms(terms, extremes))


def with_extremes(
    statements: Iterable[Statement], extremes: tuple[Extreme, ...], given: frozenset[str]
) -> tuple[Statement, ...]:
    """The statements, with every extreme that is read and not `given` computed before its first use."""
    result = list(statements)
    for extreme in extremes:
        name = extreme.statement.name
        place = next((n for n, s in enumerate(result) if s.name == name or name in s.reads), None)
        if place is not None and name not in given:
            result = [s for s in result[:place] if s.name != name] + [
                extreme.statement,
                *(s for s in result[place:] if s.name != name),
            ]
    return tuple(result)


def live(statements: tuple[Statement, ...], wanted: frozenset[str], spare: frozenset[str]) -> tuple[Statement, ...]:
    """The statements without those of `spare` that neither `wanted` nor another statement needs."""
    reads = {statement.name: statement.reads for statement in statements}
    pending = [name for name in reads if name in wanted or name not in spare]
    needed = set(pending)
    while pending:
        fresh = [name for name in reads[pending.pop()] if name in reads and name not in needed]
        needed.update(fresh)
        pending += fresh
    return tuple(statement for statement in statements if statement.name in needed)
