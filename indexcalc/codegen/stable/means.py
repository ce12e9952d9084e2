"""Deviations from a mean, centred twice: the mean of ``x - m`` is taken off once more.

A mean of n numbers near x is off by eps x at best, and by about sqrt(n) times as much where they are added one after
the other, as NumPy does along all axes but the last. ``x - m`` keeps this error whatever its own size is, and what
rests on deviations adding up to zero is wrong by it. Their own mean is this error to first order: Chan, Golub and
LeVeque, "Algorithms for computing the sample variance", The American Statistician 37 (1983), 242-247.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import multiplied, power, product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Index, Term, Terms, inner_terms, with_inner_terms
from indexcalc.codegen.names import unused
from indexcalc.codegen.stable.exponents import ONE
from indexcalc.program import Equation


@dataclass(frozen=True, slots=True)
class Deviation:
    """The deviation of ``entry`` from its mean ``mean``, which is the tensor `name` under the slots of the entry."""

    entry: Access
    mean: Access
    name: str

    def of(self, left: Access, right: Access) -> Access | None:
        """The deviation if `left` is an entry and `right` its mean."""
        if left.tensor != self.entry.tensor or right.tensor != self.mean.tensor:
            return None
        names = dict(zip(self.entry.slots, left.slots, strict=True))
        fits = tuple(names[slot] for slot in self.mean.slots) == right.slots
        return Access(self.name, left.slots) if fits else None


def with_deviations(
    forward: Sequence[Equation], backward: Sequence[Equation], taken: set[str]
) -> tuple[list[Equation], list[Equation]]:
    """The equations of both passes, with deviations from means along other axes than the last centred twice.

    Args:
        forward: the forward equations.
        backward: the backward equations.
        taken: the names in use; new ones join.
    """
    subtracted = {pair for equation in (*forward, *backward) for pair in differences(equation.terms)}
    known: dict[tuple[str, str], Deviation] = {}
    first: list[Equation] = []
    for equation in forward:
        entry = averaged(equation)
        if entry is None or (entry.tensor, equation.name) not in subtracted or is_along_last_axes(entry, equation):
            first.append(replaced(equation, known))
            continue
        made, deviation = centred_twice(equation, entry, taken)
        first += made
        known[entry.tensor, equation.name] = deviation
    return first, [replaced(equation, known) for equation in backward]


def centred_twice(equation: Equation, entry: Access, taken: set[str]) -> tuple[list[Equation], Deviation]:
    """The equations of a mean and of the deviations from it, and what stands for these."""
    (term,) = equation.terms
    slots = equation.slots
    rough = Access(unused(f"{equation.name}_rough", taken), slots)
    near = Access(unused(f"{entry.tensor}_near", taken), entry.slots)
    rest = Access(unused(f"{equation.name}_rest", taken), slots)
    centred = Access(unused(f"{entry.tensor}_centred", taken), entry.slots)
    made = [
        Equation(rough, equation.terms, hoisted=True),
        Equation(near, (lone(entry), lone(rough, -ONE)), hoisted=True),
        Equation(rest, (product(term.coeff, ((near, ONE),), term.summed),), hoisted=True),
        Equation(centred, (lone(near), lone(rest, -ONE)), hoisted=True),
        replace(equation, terms=(lone(rough), lone(rest))),
    ]
    return made, Deviation(entry, equation.lhs, centred.tensor)


def lone(entry: Access, coeff: sp.Expr = ONE) -> Term:
    """A multiple of one entry."""
    return Term(coeff, ((entry, ONE),))


def averaged(equation: Equation) -> Access | None:
    """The entry x of ``m = 1/n sum(x)``."""
    if len(equation.terms) != 1:
        return None
    (term,) = equation.terms
    base = term.powers[0][0] if len(term.powers) == 1 and term.powers[0][1] == 1 else None
    extents = sp.Mul(*(index.extent for index in term.summed))
    if not isinstance(base, Access) or not term.summed or len(set(base.slots)) < len(base.slots):
        return None
    return base if sp.cancel(term.coeff * extents) == 1 and set(equation.slots) <= set(base.slots) else None


def is_along_last_axes(entry: Access, equation: Equation) -> bool:
    """Whether what is averaged over stands last in memory, where sums are accurate as they are."""
    summed: set[Index] = set(equation.terms[0].summed)
    return set(entry.slots[len(entry.slots) - len(summed) :]) == summed


def differences(terms: Terms) -> Iterator[tuple[str, str]]:
    """The tensors of which entries are subtracted from each other, at every depth: what is left, what is taken off."""
    entries = [(entry.tensor, term.coeff) for term in terms if (entry := lone_entry(term)) is not None]
    yield from ((name, other) for name, coeff in entries for other, against in entries if coeff == -against)
    for term in terms:
        for base in term.bases:
            for inner in base.args if isinstance(base, Fn) else (inner_terms(base),):
                yield from differences(inner)


def lone_entry(term: Term) -> Access | None:
    """The entry that a term is a multiple of."""
    if len(term.powers) != 1 or term.powers[0][1] != 1 or term.summed:
        return None
    base = term.powers[0][0]
    return base if isinstance(base, Access) else None


def replaced(equation: Equation, known: Mapping[tuple[str, str], Deviation]) -> Equation:
    """The equation with deviations by their names."""
    return replace(equation, terms=replaced_terms(equation.terms, known)) if known else equation


def replaced_terms(terms: Terms, known: Mapping[tuple[str, str], Deviation]) -> Terms:
    """A sum with deviations by their names, at every depth."""
    inner = [replaced_term(term, known) for term in terms]
    for place, term in enumerate(inner):
        for other, against in enumerate(inner):
            left, right = lone_entry(term), lone_entry(against)
            if left is None or right is None or term.coeff != -against.coeff:
                continue
            deviation = known.get((left.tensor, right.tensor))
            entry = deviation.of(left, right) if deviation is not None else None
            if entry is not None:
                inner[place] = lone(entry, term.coeff)
                return replaced_terms(tuple(part for n, part in enumerate(inner) if n != other), known)
    return tuple(inner)


def replaced_term(term: Term, known: Mapping[tuple[str, str], Deviation]) -> Term:
    """One term with deviations inside its factors by their names."""
    factors = (replaced_power(base, exponent, known) for base, exponent in term.powers)
    return multiplied(factors, term.coeff, term.summed)


def replaced_power(base: Base, exponent: sp.Expr, known: Mapping[tuple[str, str], Deviation]) -> Term:
    """One power with deviations by their names."""
    if isinstance(base, Add):
        return power(replaced_terms(base.terms, known), exponent)
    if isinstance(base, Fn):
        return Term(ONE, ((with_inner_terms(base, lambda terms: replaced_terms(terms, known)), exponent),))
    return Term(ONE, ((base, exponent),))
