"""Systems as matrices: ``r_i = c_i - sum_j M_ij x_j``, where a residual is affine in its unknown.

The matrix is the derivative of the residual, with its sign changed. Where all of it has a delta between an equation's
index and one of the unknown's, there is a system by itself for each value of that index; where nothing else in the
matrix has the index, these systems share the matrix, and differ in their right sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import expand, is_negative, product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.guards import guarded_entries
from indexcalc.algebra.ranges import in_range
from indexcalc.algebra.renaming import substitute, substitute_term
from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Access, Delta, Term, Terms, occurring_indices, tensors_of
from indexcalc.calculus.contract import contract
from indexcalc.calculus.differentiate import Wanted, local_derivative, no_tidying
from indexcalc.calculus.relabel import Nomenclature, other_indices, relabel
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Program, Unknown
from indexcalc.recurrence import groups_of, is_recurrent
from indexcalc.rewrite.inline import put_in

MATRIX_LIMIT = 200
"""The most terms of a matrix, or of a right side, multiplied out."""


@dataclass(frozen=True)
class Affine:
    """``sum over columns of matrix * x = right``, for each value of `batch` and `rows`.

    Attributes:
        unknown: what is determined, under its own slots.
        batch: the slots of the unknown along which there is a matrix for each value.
        shared: those along which there is a right side for each value, and one matrix for all.
        rows: the indices of the equations.
        columns: the other slots of the unknown.
        matrix: over `batch`, `rows` and `columns`.
        right: over `batch`, `rows` and `shared`.
        partners: for each slot of the unknown, the place of the residual's slot that it belongs to: the one it is equal
            to, else the row as far down as it is as a column; empty where there are other rows than columns.
        step: where the system falls into steps, the slot of the unknown that they run along: the right side reads the
            unknown at steps before.
    """

    unknown: Unknown
    batch: tuple[Index, ...]
    shared: tuple[Index, ...]
    rows: tuple[Index, ...]
    columns: tuple[Index, ...]
    matrix: Terms
    right: Terms
    partners: tuple[int, ...] = ()
    step: Index | None = None

    @property
    def side(self) -> tuple[Index, ...]:
        """The axes of the array of right sides: the step comes first, so that what is done at a step lies together."""
        axes = (*self.batch, *self.rows, *self.shared)
        return axes if self.step is None else (self.step, *(axis for axis in axes if axis != self.step))


def whole_residual(unknown: Unknown, block: Sequence[Equation], program: Program) -> Equation | None:
    """The residual of an unknown with all that stands between it and unknowns put in; None if that can't be.

    What is computed step by step reads itself, and can't be put in.
    """
    residual = program.definitions[unknown.residual]
    residuals = program.residuals.values()
    if any(map(is_recurrent, groups_of(block))):
        return None
    terms = residual.terms
    try:
        for equation in reversed(block):
            if equation.name not in residuals and equation.name in tensors_of(terms):
                guarded = is_guarded(terms, equation)
                found = put_in(terms, Guarded(equation.lhs, equation.terms) if guarded else equation)
                if found is None:
                    return None
                terms = contracted(Access(residual.name, residual.slots), found)
    except LimitError:
        return None
    return Equation(residual.lhs, terms, place=residual.place)


@dataclass(frozen=True, slots=True)
class Guarded(Equation):
    """A definition that is put in wherever its name stands: beside each entry outside of its tensor a bracket is zero.

    By itself such an entry reads as zero, which a definition need not be.
    """

    def holds_at(self, entry: Access) -> bool:
        """Always."""
        return True


def is_guarded(terms: Terms, equation: Equation) -> bool:
    """Whether all entries of the tensor of an equation lie inside of it wherever the brackets around them hold."""
    return all(
        in_range(slot, index.extent, given)
        for entry, given in guarded_entries(terms)
        if entry.tensor == equation.name
        for slot, index in zip(entry.slots, equation.slots, strict=True)
    )


def contracted(subject: Access, terms: Terms) -> Terms:
    """The terms with deltas collapsed."""
    steps = contract(subject, terms)
    return steps[-1].after if steps else terms


def affine_system(unknown: Unknown, block: Sequence[Equation], program: Program) -> Affine | None:
    """A system of one unknown as a matrix and a right side; None if it has several, is not affine, or is too long."""
    if len(program.determined_by(block)) > 1:
        return None
    whole = whole_residual(unknown, block, program)
    return None if whole is None else affine_residual(unknown, whole, program)


def affine_residual(unknown: Unknown, whole: Equation, program: Program) -> Affine | None:
    """The system of a residual in which the unknown stands itself; None if it is not affine in it, or too long."""
    name, slots = unknown.name, unknown.tensor.slots
    try:
        terms = collect(expand(whole.terms, MATRIX_LIMIT))
        own = [term for term in terms if name in tensors_of((term,))]
        if not all(is_linear(term, name) for term in own):
            return None
        rows = other_indices(whole.slots, slots, program)
        here = dict(zip(whole.slots, rows, strict=True))
        right = substitute(tuple(term for term in terms if term not in own), here)
        matrix = negative(derivative(Equation(whole.lhs, terms), rows, unknown, program))
    except LimitError:
        return None
    return in_batches(unknown, rows, matrix, right, Nomenclature({}, program.indices))


def derivative(residual: Equation, rows: Sequence[Index], unknown: Unknown, program: Program) -> Terms:
    """The derivative of the entry of a residual at `rows` by the unknown, multiplied out."""
    wrt = unknown.tensor.entry
    entry = Access(residual.name, tuple(rows))
    avoid = program.names | {index.name for index in (*rows, *wrt.indices)}
    found = local_derivative(residual, entry, Wanted(wrt, {}, avoid), no_tidying)
    return collect(expand(found.result, MATRIX_LIMIT))


def is_linear(term: Term, name: str) -> bool:
    """Whether a term has one entry of the tensor as a factor, and no other."""
    reading = [(base, exponent) for base, exponent in term.powers if name in tensors_of(base)]
    return len(reading) == 1 and isinstance(reading[0][0], Access) and reading[0][1] == 1


def negative(terms: Terms) -> Terms:
    """The terms with their signs changed."""
    return tuple(Term(-term.coeff, term.powers, term.summed) for term in terms)


def in_batches(unknown: Unknown, rows: tuple[Index, ...], matrix: Terms, right: Terms, names: Nomenclature) -> Affine:
    """The system with a delta that all of its matrix has taken away: rows and columns that are equal are one index."""
    columns, every = unknown.tensor.slots, rows
    equal: list[Index] = []
    partners: dict[Index, int] = {}
    for column in columns:
        row = next((row for row in rows if matrix and all(Delta(row, column) in term.bases for term in matrix)), None)
        if row is not None and row.extent == column.extent:
            equal.append(column)
            partners[column] = every.index(row)
            rows = tuple(other for other in rows if other != row)
            matrix = tuple(substitute_term(without(term, Delta(row, column)), {row: column}) for term in matrix)
            right = substitute(right, {row: column})
    used = set(occurring_indices(matrix))
    batch = tuple(index for index in equal if index in used)
    shared = tuple(index for index in equal if index not in used)
    rest = tuple(column for column in columns if column not in equal)
    if not rest:
        # One number for each entry: all of them stand side by side.
        batch, shared = tuple(equal), ()
    matrix = relabelled((*batch, *rows, *rest), matrix, names)
    right = relabelled((*batch, *rows, *shared), right, names)
    if [row.extent for row in rows] == [column.extent for column in rest]:
        partners.update((column, every.index(row)) for row, column in zip(rows, rest, strict=True))
    places = tuple(partners[column] for column in columns) if len(partners) == len(columns) else ()
    return Affine(unknown, batch, shared, rows, rest, matrix, right, places)


def relabelled(slots: Sequence[Index], terms: Terms, names: Nomenclature) -> Terms:
    """The terms with dummies of the author's."""
    steps = relabel(Access("", tuple(slots)), terms, names)
    return steps[-1].after if steps else terms


def without(term: Term, factor: Delta) -> Term:
    """The term without a factor."""
    return product(term.coeff, (power for power in term.powers if power[0] != factor), term.summed)


def sides_of(residual: Terms) -> tuple[Terms, Terms]:
    """The two sides of ``left = right`` from ``right - left``: what has a minus sign stands on the left."""
    left = tuple(Term(-term.coeff, term.powers, term.summed) for term in residual if is_negative(term.coeff))
    return left, tuple(term for term in residual if not is_negative(term.coeff))


def divided(system: Affine, matrix: str, right: str) -> Equation | None:
    """``x_j = c_j / M_j`` where each equation has one entry of the unknown in it; None for other systems."""
    if system.columns:
        return None
    powers = ((Access(right, system.batch), sp.S.One), (Access(matrix, system.batch), -sp.S.One))
    return Equation(Access(system.unknown.name, system.unknown.tensor.slots), (Term(sp.S.One, powers),))
