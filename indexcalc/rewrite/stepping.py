"""Systems that fall into steps: ``x_t - A x_t = x_{t-1} + u_t`` is a system for each t, after that for t - 1.

Where the entries of an unknown that a residual reads at other steps are shown to come before its own, they stand on the
right side, and what is left of the matrix has a delta of the step. So the work is that of a system a step, and what is
read of earlier steps may stand in any function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.renaming import with_tensors
from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Access, Base, Term, Terms, accesses_of, tensors_of, with_inner_terms
from indexcalc.program import Equation, Program, Unknown
from indexcalc.recurrence import Recurrence, recurrence_of
from indexcalc.rewrite.systems import Affine, affine_residual, affine_system, whole_residual

EARLIER = "earlier"
"""What stands before the name of an unknown where it is read at other steps: no author's name has a blank."""


def solved_system(unknown: Unknown, block: Sequence[Equation], program: Program) -> Affine | None:
    """A system as code solves it: in steps if it falls into them, else as one; None if it is not affine.

    The right side of a system in steps reads the unknown.
    """
    return stepped_system(unknown, block, program) or affine_system(unknown, block, program)


def stepped_system(unknown: Unknown, block: Sequence[Equation], program: Program) -> Affine | None:
    """The system for each step of a slot of its unknown, from those before it; None if there is no such slot."""
    if len(program.determined_by(block)) > 1:
        return None
    whole = whole_residual(unknown, block, program)
    if whole is None or len(accesses_of(whole.terms, unknown.name)) < 2:
        return None
    for axis, row in steps_of(unknown, whole):
        earlier = f"{EARLIER} {unknown.name}"
        terms = tuple(apart(term, unknown.name, axis, row, earlier) for term in whole.terms)
        system = affine_residual(unknown, replace(whole, terms=terms), program)
        step = unknown.tensor.slots[axis]
        if system is None or step not in (*system.batch, *system.shared):
            continue
        if earlier in tensors_of(system.matrix) or earlier not in tensors_of(system.right):
            continue
        system = replace(system, right=with_tensors(system.right, {earlier: unknown.name}), step=step)
        if isinstance(recurrence_of(as_equations(system)), Recurrence):
            return system
    return None


def steps_of(unknown: Unknown, residual: Equation) -> Iterator[tuple[int, Index]]:
    """The slots of an unknown, by place, each with an index of the equations over the same extent."""
    for axis, slot in enumerate(unknown.tensor.slots):
        yield from ((axis, row) for row in residual.slots if row.extent == slot.extent)


def as_equations(system: Affine) -> tuple[Equation, Equation]:
    """What is computed at a step: the right side, and the unknown from it."""
    side = Access("right side", system.side)
    unknown = system.unknown.tensor.entry
    return Equation(side, system.right), Equation(unknown, (Term(sp.S.One, ((side, sp.S.One),)),))


def apart(term: Term, name: str, axis: int, row: Index, earlier: str) -> Term:
    """The term with another name for the entries of a tensor at other steps than `row`."""
    powers = tuple((apart_in(base, name, axis, row, earlier), exponent) for base, exponent in term.powers)
    return Term(term.coeff, powers, term.summed)


def apart_in(base: Base, name: str, axis: int, row: Index, earlier: str) -> Base:
    """One factor with another name for them."""

    def all_of(terms: Terms) -> Terms:
        return tuple(apart(term, name, axis, row, earlier) for term in terms)

    match base:
        case Access(tensor, slots) if tensor == name and slots[axis] != row:
            return Access(earlier, slots)
    return with_inner_terms(base, all_of)
