"""Recurrences: equations that read one another, each read provably earlier along one axis.

``h[t,i] = tanh(sum_j W[i,j] h[t-1,j])`` is computed step by step. Equations that read one another belong together;
each has one slot that is the step, and reads the others at steps that come before its own, or at its own step what
stands above it. Steps may come in either order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from indexcalc.algebra.guards import Given, guarded_entries
from indexcalc.algebra.ranges import never_negative
from indexcalc.algebra.slots import Index, Slot, difference, place
from indexcalc.algebra.terms import Access, MatrixFunction, Terms, tensors_of, walk

NO_SYSTEMS: Mapping[str, str] = MappingProxyType({})
"""No tensor is determined by a system."""


class Defining(Protocol):
    """What defines a tensor: an equation."""

    @property
    def name(self) -> str:
        """The tensor."""

    @property
    def slots(self) -> tuple[Index, ...]:
        """The slots of the left side."""

    @property
    def terms(self) -> Terms:
        """The right side."""


@dataclass(frozen=True)
class Recurrence:
    """Tensors that are computed together, one step after another.

    Attributes:
        axes: the slot of each tensor that is the step, by its place; in the order within a step.
        direction: 1 where steps go up, -1 where they go down.
    """

    axes: Mapping[str, int]
    direction: int

    def step(self, equation: Defining) -> Index:
        """The index of an equation that is its step."""
        return equation.slots[self.axes[equation.name]]


@dataclass(frozen=True)
class Unordered:
    """Equations that read one another in no order: the reader, and what it reads too late."""

    reader: str
    entry: Access
    names: tuple[str, ...]


def groups_of(
    equations: Sequence[Defining], residuals: Mapping[str, str] = NO_SYSTEMS
) -> tuple[tuple[Defining, ...], ...]:
    """The equations in the order of reading; those that read one another, directly or not, in one group.

    Equations keep their order as far as possible (Tarjan, 1972, without recursion).

    Args:
        equations: what to put in order.
        residuals: for every unknown of a system the equation of its residual: who reads the unknown comes after all
            equations of the system, and these are one group.
    """
    places = {equation.name: number for number, equation in enumerate(equations)}
    places.update({name: places[residual] for name, residual in residuals.items() if residual in places})
    reads = [[places[name] for name in tensors_of(equation.terms) if name in places] for equation in equations]
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    groups: list[tuple[Defining, ...]] = []
    for start in range(len(equations)):
        if start in number:
            continue
        pending: list[tuple[int, Iterator[int]]] = [(start, iter(reads[start]))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while pending:
            node, rest = pending[-1]
            following = next(rest, None)
            if following is None:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    place_of_node = stack.index(node)
                    members = sorted(stack[place_of_node:])
                    del stack[place_of_node:]
                    on_stack.difference_update(members)
                    groups.append(tuple(equations[member] for member in members))
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                on_stack.add(following)
                pending.append((following, iter(reads[following])))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return tuple(groups)


def is_recurrent(group: Sequence[Defining]) -> bool:
    """Whether the equations of a group read one another, or one reads itself."""
    return len(group) > 1 or group[0].name in tensors_of(group[0].terms)


def recurrence_of(group: Sequence[Defining]) -> Recurrence | Unordered:
    """The recurrence that equations which read one another are, or a read that comes too late."""
    by_name = {equation.name: equation for equation in group}
    last: Unordered | None = None
    for direction in (1, -1):
        for start in range(len(group[0].slots)):
            axes = axes_from(group, by_name, start, direction)
            if isinstance(axes, Unordered):
                last = last or axes
                continue
            found = ordered(group, by_name, axes, direction)
            if isinstance(found, Recurrence):
                return found
            last = found
    if last is None:
        own = Access(group[0].name, group[0].slots)
        entry = next((entry for equation in group for entry in entries_in(equation, by_name)), own)
        last = Unordered(group[0].name, entry, tuple(by_name))
    return last


def entries_in(equation: Defining, names: Mapping[str, Defining]) -> list[Access]:
    """The entries of a group that one of its equations reads."""
    return [entry for entry, _ in entries_read(equation) if entry.tensor in names]


def entries_read(equation: Defining) -> Iterator[tuple[Access, Given]]:
    """What an equation reads, with what the brackets around it say; of a function of a matrix, all its entries."""
    yield from guarded_entries(equation.terms)
    for base in walk(equation.terms):
        if isinstance(base, MatrixFunction):
            yield base.matrix, ()


def axes_from(
    group: Sequence[Defining], by_name: Mapping[str, Defining], start: int, direction: int
) -> dict[str, int] | Unordered:
    """The slot of every tensor that is the step, if it is the slot `start` of the first."""
    axes = {group[0].name: start}
    pending = [group[0]]
    while pending:
        equation = pending.pop()
        step = equation.slots[axes[equation.name]]
        for entry, given in entries_read(equation):
            if entry.tensor not in by_name or entry.tensor in axes:
                continue
            known = (axes_of for axes_of in range(len(entry.slots)))
            chosen = next((n for n in known if comes_first(entry.slots[n], step, given, direction, 0)), None)
            if chosen is None:
                return Unordered(equation.name, entry, tuple(by_name))
            axes[entry.tensor] = chosen
            pending.append(by_name[entry.tensor])
    return axes


def comes_first(slot: Slot, step: Index, given: Given, direction: int, least: int) -> bool:
    """Whether a slot is at least `least` steps before the step of its reader, wherever `given` are not negative."""
    gap = difference(step, slot) if direction > 0 else difference(slot, step)
    return never_negative(difference(gap, place(least)), given)


def ordered(
    group: Sequence[Defining], by_name: Mapping[str, Defining], axes: Mapping[str, int], direction: int
) -> Recurrence | Unordered:
    """The order within a step: what is read at the same step stands above."""
    waiting: dict[str, set[str]] = {}
    kept: dict[tuple[str, str], Access] = {}
    for equation in group:
        step, same = equation.slots[axes[equation.name]], set[str]()
        for entry, given in entries_read(equation):
            if entry.tensor not in by_name:
                continue
            slot = entry.slots[axes[entry.tensor]]
            if not comes_first(slot, step, given, direction, 0):
                return Unordered(equation.name, entry, tuple(by_name))
            if not comes_first(slot, step, given, direction, 1):
                same.add(entry.tensor)
                kept[equation.name, entry.tensor] = entry
        waiting[equation.name] = same
    done: dict[str, int] = {}
    while len(done) < len(group):
        ready = next((name for name in waiting if name not in done and waiting[name] <= set(done)), None)
        if ready is None:
            reader = next(name for name in waiting if name not in done)
            read = next(name for name in waiting[reader] if name not in done)
            return Unordered(reader, kept[reader, read], tuple(by_name))
        done[ready] = axes[ready]
    return Recurrence(done, direction)
