"""The cost model: floating-point operations of a program at nominal sizes, by which forms are compared.

Every term is split into components connected by summed indices; a component is contracted pair by
pair, cheapest pair first. Nominal sizes differ from extent to extent, and an extent that occurs
twice in one tensor (a square matrix of scores) counts as large, since it is the one that grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.canonical import components
from indexcalc.algebra.factor import factor
from indexcalc.algebra.terms import (
    Access,
    Add,
    Fn,
    Index,
    Term,
    Terms,
    inner_terms,
    occurring_indices,
    tensors_of,
    walk,
)
from indexcalc.program import Equation, Program
from indexcalc.recurrence import NO_SYSTEMS

BASE_SIZE = 64
"""The nominal size of the first extent, as a number of entries."""

SMALL_SIZE = 5
"""The nominal size of an extent, such as that of a kernel, that others lose something by."""


class Sizes(dict[sp.Expr, int]):
    """A size for each extent, for costs; equal only to itself, so that costs can be remembered under it."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


Operand = frozenset[Index]

COST_CACHE = 20_000
"""The number of products whose costs are remembered."""


def nominal_sizes(program: Program) -> Sizes:
    """A size for each extent: all different, and eight times larger for each repetition in one tensor.

    Numbers, and products of extents, have the sizes that follow.
    """
    extents: list[sp.Expr] = list(program.extents)
    sizes: dict[sp.Expr, int] = {}
    small = subtracted_extents(program)
    for number, extent in enumerate(extents):
        repeats = max(
            (sum(slot.extent == extent for slot in tensor.slots) for tensor in program.tensors.values()), default=1
        )
        sizes[extent] = (BASE_SIZE + 3 * (len(extents) - number)) * 8 ** max(0, repeats - 1)
        if extent in small:
            sizes[extent] = SMALL_SIZE + number
    # Numbers and products of extents are looked up too: substitution is slow, and costs are asked for many times.
    named = dict(sizes)
    for slot in (*program.indices, *(slot for tensor in program.tensors.values() for slot in tensor.slots)):
        if slot.extent not in sizes:
            sizes[slot.extent] = int(slot.extent.subs(named))
    return Sizes(sizes)


def subtracted_extents(program: Program) -> frozenset[sp.Expr]:
    """The extents that others lose something by, as N does by K in ``N - K + 1``: they are small beside these."""
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    sums = [part for index in (*program.indices, *slots) for part in index.extent.atoms(sp.Add)]
    lost = (part for total in sums for part in total.args if part.could_extract_minus_sign())
    return frozenset(symbol for part in lost for symbol in part.free_symbols)


def size_of(indices: Iterable[Index], sizes: Sizes) -> int:
    """The number of entries of a tensor over these indices."""
    total = 1
    for index in indices:
        extent = index.extent
        total *= sizes[extent] if extent in sizes else int(extent.subs(dict(sizes)))
    return total


@lru_cache(maxsize=COST_CACHE)
def term_cost(term: Term, sizes: Sizes) -> int:
    """Operations to compute the parts of a term, and to multiply them, those with few indices first."""
    parts = components(term)
    total = sum(
        component_cost(tuple(frozenset(occurring_indices(base)) for base, _ in powers), frozenset(summed), sizes)
        for powers, summed in parts
    )
    functions = {base for base in walk(term) if isinstance(base, Fn)}
    total += sum(size_of(occurring_indices(function), sizes) for function in functions)
    free = tuple(
        frozenset(index for base, _ in powers for index in occurring_indices(base)) - frozenset(summed)
        for powers, summed in parts
    )
    return total + component_cost(free, frozenset(), sizes)


@lru_cache(maxsize=COST_CACHE)
def component_cost(factors: tuple[Operand, ...], bound: frozenset[Index], sizes: Sizes) -> int:
    """Multiplications and additions of a pairwise contraction of what has these indices, the cheapest pair first."""
    operands = list(factors)
    total = 0
    while len(operands) > 1:
        pairs = [(a, b) for a in range(len(operands)) for b in range(a + 1, len(operands))]
        a, b = min(pairs, key=lambda pair: size_of(operands[pair[0]] | operands[pair[1]], sizes))
        union = operands[a] | operands[b]
        rest = [operand for n, operand in enumerate(operands) if n not in (a, b)]
        needed = frozenset(index for operand in rest for index in operand)
        left = frozenset(index for index in union if index not in bound or index in needed)
        total += size_of(union, sizes) * (1 if left == union else 2)
        operands = [*rest, left]
    if operands and operands[0] & bound:
        total += size_of(operands[0], sizes)
    return total


def equation_cost(equation: Equation, sizes: Sizes) -> int:
    """Operations to compute every entry of an equation's left side."""
    return terms_cost(equation.terms, equation.slots, sizes)


def terms_cost(terms: Terms, output: tuple[Index, ...], sizes: Sizes) -> int:
    """Operations to compute a sum of terms over the `output` indices."""
    additions = max(0, len(terms) - 1) * size_of(output, sizes)
    return additions + sum(term_cost(term, sizes) for term in terms)


def written_cost(terms: Terms, output: tuple[Index, ...], sizes: Sizes) -> int:
    """Operations of a sum as it is written in the end: common factors taken out, brackets and functions worked out."""
    written = factor(terms)
    inner = {base for term in written for base in walk(term) if isinstance(base, Add | Fn)}
    outer = sum(power_count(term) * size_of(occurring_indices(term), sizes) for term in written)
    return outer + terms_cost(written, output, sizes) + sum(bracket_cost(base, sizes) for base in inner)


def bracket_cost(base: Add | Fn, sizes: Sizes) -> int:
    """Operations to work out a bracket, or the argument of a function and the function."""
    terms = inner_terms(base)
    entries = occurring_indices(base)
    own = sum(map(power_count, terms)) + (0 if isinstance(base, Add) else 1)
    return terms_cost(terms, entries, sizes) + own * size_of(entries, sizes)


def length(terms: Terms) -> int:
    """How many factors are written, at all depths."""
    return sum(1 for term in terms for _ in walk(term))


def power_count(term: Term) -> int:
    """The powers to work out; a reciprocal beside another factor is a division, which is counted as a product."""
    divided = any(exponent != -1 for _, exponent in term.powers)
    return sum(exponent != 1 and not (divided and exponent == -1) for _, exponent in term.powers)


def live_equations(
    equations: Iterable[Equation], outputs: Iterable[str], residuals: Mapping[str, str] = NO_SYSTEMS
) -> tuple[Equation, ...]:
    """The equations that an output depends on, in order; an unknown depends on the residual that determines it."""
    every = tuple(equations)
    reads = {equation.name: tensors_of(equation.terms) for equation in every}
    reads.update({name: (residual,) for name, residual in residuals.items() if residual in reads})
    pending = [name for name in outputs if name in reads]
    wanted = set(pending)
    while pending:
        fresh = [name for name in reads[pending.pop()] if name in reads and name not in wanted]
        wanted.update(fresh)
        pending += fresh
    return tuple(equation for equation in every if equation.name in wanted)


def live_cost(equations: Iterable[Equation], outputs: Iterable[str], sizes: Sizes) -> int:
    """Operations of the equations that an output depends on."""
    return sum(equation_cost(equation, sizes) for equation in live_equations(equations, outputs))


def reading_cost(terms: Terms, intermediates: Iterable[str], sizes: Sizes) -> int:
    """Entries of intermediate tensors that an expression reads: a tie-breaker between equal costs."""
    names = frozenset(intermediates)
    entries = {base for term in terms for base in term.bases if isinstance(base, Access) and base.tensor in names}
    return sum(size_of(occurring_indices(entry), sizes) for entry in entries)
