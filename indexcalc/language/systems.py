"""Tensors that systems determine: ``solve x[j] : left = right`` is an unknown x, and ``r_x[i] = right - left``.

Of several tensors that one system determines, each goes with one of the equations, in the order in which they are
written. Which goes with which has no meaning: all of them are one system, as far as they read one another.

From here on the residual is an equation like any other. Its slots are the free indices of both sides: there is one
equation of the system for each of their values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from indexcalc.language.lines import EquationLine, IndexLine, InputLine, SolveLine, Statement
from indexcalc.language.source import Source
from indexcalc.language.sugar import keeps_indices
from indexcalc.language.syntax import (
    Bracket,
    Entry,
    Expression,
    Negate,
    Plus,
    Reduce,
    Slot,
    beyond_limits,
    children,
    names_in_slot,
    nodes_in,
)
from indexcalc.program import Tensor, Unknown


def with_residuals(lines: tuple[Statement, ...], source: Source) -> tuple[Statement, ...]:
    """The statements with an unknown and the equation of its residual in the place of every system.

    Raises:
        SpecError: for a system that does not read its unknown.
    """
    if not any(isinstance(line, SolveLine) for line in lines):
        return lines
    indices = {slot.name for line in lines if isinstance(line, IndexLine) for slot in line.names}
    taken = set(names_of(lines))
    found: list[Statement] = []
    for line in lines:
        if not isinstance(line, SolveLine):
            found.append(line)
            continue
        equations: list[Statement] = []
        for part in line.parts:
            name = part.unknown.name
            for side in (part.left, part.right):
                if (beyond := beyond_limits(side)) is not None:
                    raise source.error(f"{beyond[1]}; give a part of it a name by an equation", beyond[0].at)
            residual = f"r_{name}"
            while residual in taken:
                residual += "_"
            taken.add(residual)
            difference = Plus((part.right, Negate(part.left, part.left.at)), part.left.at)
            slots = rows_of(part, indices)
            rows = Entry(residual, tuple(Slot(slot, part.at) for slot in slots), part.at)
            # All unknowns stand before the equations, which may read each of them.
            found.append(InputLine(part.unknown, part.doc, part.at, residual=residual, hoisted=part.hoisted))
            equations.append(EquationLine(rows, difference, at=part.at, solves=name))
        found += equations
    return tuple(found)


def rows_of(line: SolveLine, indices: Collection[str]) -> tuple[str, ...]:
    """The free indices of both sides: those of the unknown in their places, the others where slots are summed over."""
    free = tuple(dict.fromkeys(free_names(Plus((line.left, line.right)), indices)))
    own = [slot.name for slot in line.unknown.slots or ()]
    others = [name for name in free if name not in own]
    placed = [name if name in free else others.pop(0) for name in own if name in free or others]
    return tuple(dict.fromkeys((*placed, *others, *free)))


def names_of(lines: Iterable[Statement]) -> Iterator[str]:
    """The names that the statements give to tensors, or read."""
    for line in lines:
        match line:
            case InputLine(entry=entry):
                yield entry.name
            case EquationLine(left=entry, right=right):
                yield entry.name
                yield from (node.name for node in nodes_in(right) if isinstance(node, Entry))
            case SolveLine(parts=parts):
                yield from (part.unknown.name for part in parts)


def free_names(node: Expression, indices: Collection[str]) -> Iterator[str]:
    """The names of the free indices of an expression, in order of occurrence."""
    match node:
        case Entry(slots=slots):
            yield from (name.name for slot in slots or () for name in names_in_slot(slot) if name.name in indices)
        case Bracket(left=left, right=right):
            yield from (name.name for slot in (left, right) for name in names_in_slot(slot) if name.name in indices)
        case Reduce(operator=operator, indices=bound):
            gone = frozenset() if keeps_indices(operator) else frozenset(slot.name for slot in bound)
            yield from (name for name in free_names(node.body, indices) if name not in gone)
        case _:
            for child in children(node):
                yield from free_names(child, indices)


def unknowns_of(lines: Iterable[Statement], declared: Mapping[str, Tensor]) -> tuple[Unknown, ...]:
    """The unknowns among the tensors that are declared."""
    named = (line for line in lines if isinstance(line, InputLine) and line.residual)
    return tuple(Unknown(declared[line.entry.name], line.residual, line.hoisted) for line in named)
