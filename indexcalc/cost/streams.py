"""Tensors that need not be there in full, and those that need not be kept, by the structure of both passes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.terms import Index, accesses_of
from indexcalc.program import Equation, Program, read_in


def extent_product(indices: Iterable[Index]) -> sp.Expr:
    """How many points the ranges of some indices span."""
    return sp.Mul(*(index.extent for index in indices))


def degree(count: sp.Expr) -> int:
    """How many extents a product of extents has, with repetition."""
    return sum(int(exp) for base, exp in count.as_powers_dict().items() if not base.is_Number)


def divides(one: sp.Expr, other: sp.Expr) -> bool:
    """Whether a product of extents divides another."""
    powers = other.as_powers_dict()
    return all(bool(powers.get(base, 0) >= exp) for base, exp in one.as_powers_dict().items() if not base.is_Number)


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
