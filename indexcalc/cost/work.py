"""The operations of one equation: what is added, multiplied, divided, and put into functions, and how often.

The conventions are those of docs/cost.md. What stands twice in an equation is computed once; signs,
deltas, brackets and scalar constants by themselves are free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import components
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import (
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Term,
    Terms,
    occurring_indices,
)
from indexcalc.cost.counts import Count, span, total
from indexcalc.cost.order import Factor, Indices, Work, contraction
from indexcalc.errors import UnsupportedError
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, size_of


@dataclass(frozen=True, slots=True)
class Value:
    """An array that some operations give.

    Attributes:
        works: the operations.
        indices: what it varies with.
        equal: the indices that a delta makes equal to another one: elsewhere the array is zero.
    """

    works: tuple[Work, ...]
    indices: Indices
    equal: Mapping[Index, Index] = field(default_factory=dict)

    def diagonal(self, indices: Iterable[Index]) -> Indices:
        """Those of the indices that are left where it is not zero."""
        return tuple(dict.fromkeys(self.equal.get(index, index) for index in indices))


@dataclass(frozen=True, slots=True)
class Moved:
    """What deltas of expressions add up somewhere else.

    Attributes:
        inner: the summed indices in them, one part for each of their values.
        places: the other indices in them, of the places.
    """

    inner: Indices = ()
    places: Indices = ()


Seen = set[Base | tuple[Base, sp.Expr]]
"""The functions, sums in parentheses and powers of an equation that are computed already."""


def equation_flops(equation: Equation, sizes: Sizes) -> Count:
    """Operations to compute every entry of an equation's left side.

    Args:
        equation: of a program.
        sizes: the nominal size of every extent, by which orders of products are compared.
    """
    return total(span(work.indices, work.times) for work in sum_value(equation.terms, sizes, set()).works)


def sum_value(terms: Terms, sizes: Sizes, seen: Seen) -> Value:
    """A sum of terms: the smallest are added first, those on a diagonal last, to its entries only."""
    values = [term_value(part, sizes, seen) for term in terms for part in distributed(term, sizes, seen)]
    values.sort(key=lambda value: (bool(value.equal), size_of(value.indices, sizes)))
    works = [work for value in values for work in value.works]
    union: Indices = ()
    for number, value in enumerate(values):
        union = tuple(dict.fromkeys((*union, *value.indices, *value.equal)))
        if number:
            works.append(Work(value.diagonal(union)))
    return Value(tuple(works), union)


def distributed(term: Term, sizes: Sizes, seen: Seen) -> Terms:
    """The term, with a sum in parentheses multiplied out where it is larger than its parts and that costs less.

    ``sum[j](X[j,l] * (B[i,j] * C[l,k] + ...))`` costs two small products, not an array over all four indices.
    """
    for number, (base, exponent) in enumerate(term.powers):
        if not isinstance(base, Add) or exponent != 1 or not is_outer(base, term):
            continue
        before, after = term.powers[:number], term.powers[number + 1 :]
        parts = tuple(product(term.coeff * p.coeff, before + p.powers + after, term.summed) for p in base.terms)
        if nominal(sum_value(parts, sizes, set(seen)), sizes) < nominal(term_value(term, sizes, set(seen)), sizes):
            return tuple(piece for part in parts for piece in distributed(part, sizes, seen))
    return (term,)


def is_outer(base: Add, term: Term) -> bool:
    """Whether a sum in parentheses is summed over, and has more indices than any factor of its terms."""
    indices = occurring_indices(base)
    widest = max(len(occurring_indices(factor)) for part in base.terms for factor in (*part.bases, Add(())))
    return len(indices) > widest and not set(indices).isdisjoint(term.summed)


def nominal(value: Value, sizes: Sizes) -> int:
    """The number of operations at nominal sizes."""
    return sum(work.times * size_of(work.indices, sizes) for work in value.works)


def term_value(term: Term, sizes: Sizes, seen: Seen) -> Value:
    """One term: each sum of a product pair by pair, then their product; scalars go to the smallest array.

    What a delta of an expression takes to its place is added up there, one addition for each part.
    """
    term, equal = without_deltas(term)
    term, moved = without_moves(term)
    value = product_value(term, sizes, seen)
    if not moved.inner:
        return replace(value, equal=equal)
    parts = dict.fromkeys((*value.indices, *moved.inner))
    indices = dict.fromkeys((*(index for index in parts if index not in moved.inner), *moved.places))
    return Value((*value.works, Work(tuple(parts))), tuple(indices), equal)


def product_value(term: Term, sizes: Sizes, seen: Seen) -> Value:
    """A term without deltas."""
    works: list[Work] = []
    arrays: list[Factor] = []
    scalars = [] if term.coeff in (1, -1) else [Factor(())]
    places: list[Indices] = []
    for powers, bound in components(term):
        factors = []
        for base, exponent in powers:
            works.extend(power_works(base, exponent, sizes, seen))
            factors.append(Factor(occurring_indices(base), bool(exponent.could_extract_minus_sign())))
        plan = contraction(factors, bound, sizes)
        works.extend(plan.works)
        if plan.result.indices:
            arrays.append(plan.result)
            places.extend(factor.indices for factor in (*factors, plan.result) if factor.indices)
        else:
            scalars.append(plan.result)
    if not arrays:
        return Value((*works, *scalar_works(scalars, alone=True)), ())
    plan = contraction(arrays, (), sizes)
    works.extend((*plan.works, *scalar_works(scalars)))
    if plan.result.inverse:
        works.append(Work(plan.result.indices))
    elif scalars:
        works.append(Work(min(places, key=lambda indices: size_of(indices, sizes))))
    return Value(tuple(works), plan.result.indices)


def scalar_works(scalars: Sequence[Factor], *, alone: bool = False) -> tuple[Work, ...]:
    """The product of factors without indices; one division more where all of them divide and nothing else is there."""
    number = max(0, len(scalars) - 1) + (alone and bool(scalars) and all(factor.inverse for factor in scalars))
    return (Work((), number),) if number else ()


def power_works(base: Base, exponent: sp.Expr, sizes: Sizes, seen: Seen) -> tuple[Work, ...]:
    """What it takes to have one factor; to divide by it is left to the product."""
    works = base_works(base, sizes, seen)
    size = -exponent if exponent.could_extract_minus_sign() else exponent
    if size == 1 or (base, size) in seen:
        return works
    seen.add((base, size))
    return (*works, Work(occurring_indices(base)))


def base_works(base: Base, sizes: Sizes, seen: Seen) -> tuple[Work, ...]:
    """What it takes to have one base: an argument and a function of it, or a sum in parentheses."""
    if isinstance(base, Partial):
        raise UnsupportedError("an unevaluated derivative has no cost")
    if not isinstance(base, Fn | Add | MatrixFunction) or base in seen:
        return ()
    seen.add(base)
    if isinstance(base, MatrixFunction):
        # Elimination; all entries of a factor come of one.
        return (Work((*occurring_indices(base.matrix), Index("", base.extent))),)
    if isinstance(base, Add):
        return sum_value(base.terms, sizes, seen).works
    arguments = (work for arg in base.args for work in sum_value(arg, sizes, seen).works)
    return (*arguments, Work(occurring_indices(base)))


def without_deltas(term: Term) -> tuple[Term, Mapping[Index, Index]]:
    """The term on the diagonals that its deltas leave, and which index each of them makes equal to which."""
    equal: dict[Index, Index] = {}
    while (delta := next((base for base in term.bases if isinstance(base, Delta) and base.is_plain), None)) is not None:
        left, right = plain_slots((delta.left, delta.right))
        killed, kept = (left, right) if left in term.summed and right not in term.summed else (right, left)
        renaming = {killed: kept}
        if killed not in term.summed:
            equal = {old: renaming.get(new, new) for old, new in equal.items()} | renaming
        summed = (index for index in term.summed if index != killed)
        term = product(term.coeff, rename_powers(term.powers, renaming), summed)
    return term, equal


def without_moves(term: Term) -> tuple[Term, Moved]:
    """The term without what moves entries but computes none: deltas of expressions, brackets that windows make good.

    ``sum_ik G_i w_k delta_{a,2i+k}`` takes a product and an addition for each i and k, not for each a: what is summed
    in the delta stays apart until it is added up at its place.
    """
    gone = [base for base in term.bases if is_move(base, term)]
    if not gone:
        return term, Moved()
    deltas = [base for base in gone if isinstance(base, Delta)]
    held = dict.fromkeys(index for delta in deltas for index in occurring_indices(delta))
    kept = tuple(power for power in term.powers if power[0] not in gone)
    summed = tuple(index for index in term.summed if index not in held)
    inner = tuple(index for index in held if index in term.summed)
    return Term(term.coeff, kept, summed), Moved(inner, tuple(index for index in held if index not in inner))


def is_move(base: Base, term: Term) -> bool:
    """Whether a factor only says where entries are read, or where a sum is added up."""
    if not isinstance(base, Delta | Iverson) or base.is_plain:
        return False
    others = {index for other in term.bases if other != base for index in occurring_indices(other)}
    own = set(occurring_indices(base))
    if isinstance(base, Iverson):
        return own <= others
    free = {side for side in (base.left, base.right) if isinstance(side, Index) and side not in term.summed}
    return own - others <= free | set(term.summed)
