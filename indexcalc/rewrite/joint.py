"""Several unknowns that one system determines, as a matrix of matrices: ``r_a = c_a - sum_b M_ab x_b``.

A matrix ``M_ab`` is the derivative of a residual by an unknown, with its sign changed. An index that every residual has
a delta with, to one slot of each unknown that it reads, makes a system for each of its values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import substitute, substitute_term
from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Delta, Terms, tensors_of
from indexcalc.calculus.relabel import Nomenclature, other_indices
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.systems import (
    MATRIX_LIMIT,
    affine_system,
    derivative,
    is_linear,
    negative,
    relabelled,
    whole_residual,
    without,
)

Block = tuple[int, int]
"""The number of a residual, and that of an unknown."""


@dataclass(frozen=True)
class Joint:
    """``sum over b of M_ab x_b = c_a`` for each a; a, b number the residuals and the unknowns.

    Attributes:
        unknowns: what is determined, each under its own slots.
        batch: for each unknown the slots along which there is a system for each value, in one order for all.
        rows: for each residual the other indices of its equations.
        columns: for each unknown its other slots.
        matrices: over the batch of the unknown, the rows and the columns; without terms where a residual does not read
            an unknown.
        rights: over the batch of the first unknown, and the rows.
    """

    unknowns: tuple[Unknown, ...]
    batch: tuple[tuple[Index, ...], ...]
    rows: tuple[tuple[Index, ...], ...]
    columns: tuple[tuple[Index, ...], ...]
    matrices: Mapping[Block, Terms]
    rights: tuple[Terms, ...]


def is_affine(unknown: Unknown, program: Program) -> bool:
    """Whether the residuals of the system that determines an unknown are affine in all of its unknowns."""
    together = program.together_with(unknown)
    if len(together) > 1:
        return joint_system(together, program.systems[unknown.name], program) is not None
    return affine_system(unknown, program.systems[unknown.name], program) is not None


def joint_system(unknowns: Sequence[Unknown], block: Sequence[Equation], program: Program) -> Joint | None:
    """A system of several unknowns as matrices and right sides; None if a residual is not affine, or too long for that.

    Args:
        unknowns: what it determines.
        block: its equations.
        program: of which it is a part.
    """
    names = [unknown.name for unknown in unknowns]
    matrices: dict[Block, Terms] = {}
    rows: list[tuple[Index, ...]] = []
    rights: list[Terms] = []
    every = [slot for unknown in unknowns for slot in unknown.tensor.slots]
    try:
        for number, unknown in enumerate(unknowns):
            whole = whole_residual(unknown, block, program)
            if whole is None:
                return None
            terms = collect(expand(whole.terms, MATRIX_LIMIT))
            own = [term for term in terms if not set(names).isdisjoint(tensors_of((term,)))]
            if not all(sum(is_linear(term, name) for name in names) == 1 for term in own):
                return None
            if any(len(set(names).intersection(tensors_of((term,)))) > 1 for term in own):
                return None
            rows.append(other_indices(whole.slots, every, program))
            here = dict(zip(whole.slots, rows[-1], strict=True))
            rights.append(substitute(tuple(term for term in terms if term not in own), here))
            equation = Equation(whole.lhs, terms)
            for column, other in enumerate(unknowns):
                matrices[number, column] = negative(derivative(equation, rows[-1], other, program))
    except LimitError:
        return None
    return in_joint_batches(tuple(unknowns), rows, matrices, rights, Nomenclature({}, program.indices))


def in_joint_batches(
    unknowns: tuple[Unknown, ...],
    rows: Sequence[tuple[Index, ...]],
    matrices: Mapping[Block, Terms],
    rights: Sequence[Terms],
    names: Nomenclature,
) -> Joint:
    """The system with deltas that all of its matrices have taken away, as far as the index runs through all of it."""
    slots = [unknown.tensor.slots for unknown in unknowns]
    ties = list(common_indices(rows, slots, matrices))
    batch = tuple(tuple(tie.slots[number] for tie in ties) for number in range(len(slots)))
    left = tuple(tuple(i for i in own if i not in {tie.rows[a] for tie in ties}) for a, own in enumerate(rows))
    columns = tuple(tuple(i for i in own if i not in batch[b]) for b, own in enumerate(slots))
    done: dict[Block, Terms] = {}
    for (a, b), terms in matrices.items():
        for tie in ties:
            delta, here = Delta(tie.rows[a], tie.slots[b]), {tie.rows[a]: tie.slots[b]}
            terms = tuple(substitute_term(without(term, delta), here) for term in terms)  # noqa: PLW2901 - one a tie
        done[a, b] = relabelled((*batch[b], *left[a], *columns[b]), terms, names)
    sides = []
    for a, terms in enumerate(rights):
        here = {tie.rows[a]: tie.slots[0] for tie in ties}
        sides.append(relabelled((*batch[0], *left[a]), substitute(terms, here), names))
    return Joint(unknowns, batch, left, columns, done, tuple(sides))


@dataclass(frozen=True)
class Tie:
    """An index of each residual that deltas make equal to one slot of each unknown."""

    rows: tuple[Index, ...]
    slots: tuple[Index, ...]


def common_indices(
    rows: Sequence[tuple[Index, ...]], slots: Sequence[tuple[Index, ...]], matrices: Mapping[Block, Terms]
) -> Iterator[Tie]:
    """Every slot of the first unknown that runs through the whole system, as long as something else is left."""
    taken: set[Index] = set()
    for slot in slots[0]:
        tie = tied(slot, rows, slots, matrices)
        if tie is not None and taken.isdisjoint((*tie.rows, *tie.slots)):
            taken.update((*tie.rows, *tie.slots))
            yield tie


def tied(
    slot: Index, rows: Sequence[tuple[Index, ...]], slots: Sequence[tuple[Index, ...]], matrices: Mapping[Block, Terms]
) -> Tie | None:
    """The indices that deltas make equal to a slot of the first unknown, one of each residual and each unknown."""
    at_rows: dict[int, Index] = {}
    at_slots: dict[int, Index] = {0: slot}
    for _ in range(len(rows) + len(slots)):
        for (a, b), terms in matrices.items():
            if not terms or (a in at_rows and b in at_slots):
                continue
            if b in at_slots and (row := partner(at_slots[b], rows[a], terms)) is not None:
                at_rows[a] = row
            elif a in at_rows and (column := partner(at_rows[a], slots[b], terms)) is not None:
                at_slots[b] = column
    if len(at_rows) < len(rows) or len(at_slots) < len(slots):
        return None
    for (a, b), terms in matrices.items():
        if not all(Delta(at_rows[a], at_slots[b]) in term.bases for term in terms):
            return None
    return Tie(tuple(at_rows[a] for a in range(len(rows))), tuple(at_slots[b] for b in range(len(slots))))


def partner(index: Index, others: Collection[Index], terms: Terms) -> Index | None:
    """The one of the others that every term has a delta with an index to."""
    fitting = (other for other in others if other.extent == index.extent)
    return next((one for one in fitting if all(Delta(index, one) in term.bases for term in terms)), None)
