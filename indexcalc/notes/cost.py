"""The cost of an equation in symbols: multiplications up to a constant factor, such as ``T^2 d``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.canonical import components
from indexcalc.algebra.terms import Add, Delta, Index, Iverson, Power, Terms, accesses_of, occurring_indices
from indexcalc.program import Equation, Program, read_in


def extent_product(indices: Iterable[Index]) -> sp.Expr:
    """How many points the ranges of some indices span."""
    return sp.Mul(*(index.extent for index in indices))


def degree(count: sp.Expr) -> int:
    """How many extents a product of extents has, with repetition."""
    return sum(int(exp) for base, exp in count.as_powers_dict().items() if not base.is_Number)


def elimination_costs(factors: Sequence[frozenset[Index]], bound: Sequence[Index]) -> list[sp.Expr]:
    """The cost of each sum of a product, the cheapest sum first; then that of the product itself."""
    remaining, waiting, costs = list(factors), list(bound), []
    while waiting:
        touched = {index: joined_indices(remaining, index) for index in waiting}
        chosen = min(waiting, key=lambda index: degree(extent_product(touched[index])))
        costs.append(extent_product(touched[chosen]))
        remaining = [factor for factor in remaining if chosen not in factor]
        remaining.append(frozenset(touched[chosen]) - {chosen})
        waiting.remove(chosen)
    costs.append(extent_product(dict.fromkeys(index for factor in remaining for index in sorted_indices(factor))))
    return costs


def joined_indices(factors: Sequence[frozenset[Index]], index: Index) -> tuple[Index, ...]:
    """The indices of all factors that carry `index`."""
    return tuple(dict.fromkeys(other for factor in factors if index in factor for other in sorted_indices(factor)))


def sorted_indices(factor: frozenset[Index]) -> list[Index]:
    """The indices of a factor by name, for an order that is the same in every run."""
    return sorted(factor, key=lambda index: index.name)


def dominant(counts: Iterable[sp.Expr]) -> sp.Expr:
    """The sum of those products of extents that divide none of the others."""
    distinct = list(dict.fromkeys(strip_number(count) for count in counts))
    kept = [one for one in distinct if not any(one != other and divides(one, other) for other in distinct)]
    return sp.Add(*kept)


def strip_number(count: sp.Expr) -> sp.Expr:
    """A product of extents without its numeric factor."""
    return count.as_coeff_Mul()[1] if not count.is_Number else sp.S.One


def divides(one: sp.Expr, other: sp.Expr) -> bool:
    """Whether a product of extents divides another."""
    powers = other.as_powers_dict()
    return all(bool(powers.get(base, 0) >= exp) for base, exp in one.as_powers_dict().items() if not base.is_Number)


def equation_cost(equation: Equation) -> sp.Expr:
    """Multiplications of an equation, up to a constant factor."""
    counts = [extent_product(equation.slots)]
    for term in equation.terms:
        for powers, bound in components(term):
            factors = [frozenset(occurring_indices(base)) for base, _ in powers if not isinstance(base, Delta)]
            counts.extend(elimination_costs(factors, bound))
            # What deltas place is met once for each value of the sum, though nothing is read.
            placed = [index for index in bound if not any(index in factor for factor in factors)]
            counts.append(extent_product(placed))
    return dominant(counts)


def is_contraction(terms: Terms) -> bool:
    """Whether a product of two factors or more is summed over; what deltas and brackets only place or hide is none."""
    return any(bound and factors(powers) > 1 for term in terms for powers, bound in components(term))


def factors(powers: Iterable[Power]) -> int:
    """How many factors there are, in a sum those of the term with most."""
    return sum(
        max(factors(term.powers) for term in base.terms) if isinstance(base, Add) else 1
        for base, _ in powers
        if not isinstance(base, Delta | Iverson)
    )


@dataclass(frozen=True, slots=True)
class Memory:
    """Which tensors need not be stored.

    Attributes:
        unread: forward intermediates that no equation of the backward pass reads.
        streamed: intermediates of the sizes with most extents that no input and no output has, by their size; they are
            only read entry by entry or summed, so that they can be made block by block.
    """

    unread: tuple[str, ...]
    streamed: Mapping[sp.Expr, tuple[str, ...]]


def memory_of(forward: Program, backward: Program, results: Collection[str] = ()) -> Memory:
    """What the structure of both passes says about storage.

    Args:
        forward: the forward pass.
        backward: the backward pass.
        results: tensors that are asked for, besides gradients.
    """
    made = {equation.name for equation in backward.computed}
    read = {name for name, readers in backward.consumers.items() if readers or name in made} | set(results)
    unread = tuple(
        equation.name
        for equation in forward.computed
        if equation.name not in read and equation.name not in forward.outputs
    )
    inner = (*forward.computed, *backward.computed)
    sizes = {equation.name: extent_product(equation.slots) for equation in inner}
    ends = [tensor.slots for tensor in forward.inputs]
    ends.extend(equation.slots for equation in inner if equation.name in forward.outputs)
    visible = [extent_product(slots) for slots in ends]
    large = [
        name
        for name, size in sizes.items()
        if name not in forward.outputs
        and name not in results
        and not any(divides(size, other) for other in visible)
        and size != 1
    ]
    most = max((degree(sizes[name]) for name in large), default=0)
    # A system is solved with the whole of what it reads.
    whole = {name for program in (forward, backward) for block in program.systems.values() for name in read_in(block)}
    # What a step makes is there for the next one, whoever else reads it.
    whole |= {name for program in (forward, backward) for name in program.recurrence_by_name}
    streamed: dict[sp.Expr, tuple[str, ...]] = {}
    for name in large:
        if degree(sizes[name]) == most and name not in whole and is_streamed(name, inner, large):
            streamed[sizes[name]] = (*streamed.get(sizes[name], ()), name)
    return Memory(unread, streamed)


def is_streamed(name: str, equations: Iterable[Equation], large: Sequence[str]) -> bool:
    """Whether every large tensor that is made from this one is made from it entry by entry."""
    return all(
        slot not in term.summed
        for equation in equations
        if equation.name in large
        for term in equation.terms
        for entry in accesses_of(term, name)
        for slot in entry.slots
    )
