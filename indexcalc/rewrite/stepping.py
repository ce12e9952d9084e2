"""Systems that fall into steps: ``x_t - A x_t = x_{t-1} + u_t`` is a system for each t, after that for t - 1.

Where the entries of an unknown that a residual reads at other steps are shown to come before its own, they are known
when its step is solved, and what is left of the matrix has a delta of the step. So the work is that of a system a step,
and what is read of earlier steps may stand in any function: on the right side, in the matrix, or in equations between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

import sympy as sp

from indexcalc.algebra.renaming import with_tensors
from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Access, Base, Term, Terms, accesses_of, tensors_of, with_inner_terms
from indexcalc.program import Equation, Program, Unknown
from indexcalc.recurrence import Recurrence, groups_of, is_recurrent, recurrence_of
from indexcalc.rewrite.joint import is_affine
from indexcalc.rewrite.systems import Affine, affine_residual, affine_system, whole_residual

EARLIER = "earlier"
"""What stands before the name of an unknown where it is read at other steps: no author's name has a blank."""


MOST_WAYS = 64
"""The most ways to choose the step among the slots of several unknowns that are tried."""


def solved_systems(unknowns: Sequence[Unknown], block: Sequence[Equation], program: Program) -> tuple[Affine, ...]:
    """The systems of some unknowns as code solves them, one after the other; none if they can't be solved so.

    They are systems for each step if the block falls into steps. Else a single unknown may have an affine one. The
    matrices, the right sides, and equations of the block that they read, read the unknowns of systems in steps.
    """
    stepped = stepped_systems(unknowns, block, program)
    if stepped or len(unknowns) > 1:
        return stepped
    whole = affine_system(unknowns[0], block, program)
    return () if whole is None else (whole,)


def needs_newton(unknown: Unknown, program: Program) -> bool:
    """Whether an unknown is found by Newton's method: its system is affine neither as a whole nor step by step."""
    block = program.systems[unknown.name]
    return not is_affine(unknown, program) and not stepped_systems(program.determined_by(block), block, program)


def stepped_systems(unknowns: Sequence[Unknown], block: Sequence[Equation], program: Program) -> tuple[Affine, ...]:
    """A system for each unknown and each step, from what stands before them; none if there are no such steps.

    At one step, an unknown may be read by the systems of those after it.
    """
    near = {equation.name for unknown in unknowns for equation in at_its_step(unknown, block)}
    near |= {unknown.residual for unknown in unknowns}
    others = tuple(equation for equation in block if equation.name not in near)
    ways = [list(systems_in_steps(unknown, block, program)) for unknown in unknowns]
    for systems in islice(product(*ways), MOST_WAYS):
        solved = (equation for system in systems for equation in as_equations(system))
        loops = [group for group in groups_of((*solved, *others)) if is_recurrent(group)]
        if loops and all(isinstance(recurrence_of(group), Recurrence) for group in loops):
            return systems
    return ()


def systems_in_steps(unknown: Unknown, block: Sequence[Equation], program: Program) -> Iterator[Affine]:
    """The systems of an unknown for each step of one of its slots, with what is known before the step as given."""
    near = at_its_step(unknown, block)
    whole = whole_residual(unknown, (*near, program.definitions[unknown.residual]), program)
    if whole is None:
        return
    for axis, row in steps_of(unknown, whole):
        earlier = f"{EARLIER} {unknown.name}"
        terms = tuple(apart(term, unknown.name, axis, row, earlier) for term in whole.terms)
        system = affine_residual(unknown, replace(whole, terms=terms), program)
        step = unknown.tensor.slots[axis]
        if system is not None and step in (*system.batch, *system.shared):
            matrix, right = (with_tensors(side, {earlier: unknown.name}) for side in (system.matrix, system.right))
            yield replace(system, matrix=matrix, right=right, step=step)


def at_its_step(unknown: Unknown, block: Sequence[Equation]) -> tuple[Equation, ...]:
    """The equations of a block by which a residual reads its unknown at its own step: they are parts of the system.

    An entry under indices alone is read at the reader's step, if there are steps; under ``t-1`` it is at another one.
    """
    reads = {
        one.name: {name for name in tensors_of(one.terms) if any(e.is_plain for e in accesses_of(one.terms, name))}
        for one in block
    }
    read_by = {name: {one for one, names in reads.items() if name in names} for name in (*reads, unknown.name)}
    within = reached(unknown.residual, reads) & reached(unknown.name, read_by)
    return tuple(one for one in block if one.name in within and one.name != unknown.residual)


def reached(start: str, ways: Mapping[str, Collection[str]]) -> set[str]:
    """What ways lead to from a start, itself included."""
    found, pending = {start}, [start]
    while pending:
        more = set(ways.get(pending.pop(), ())) - found
        found |= more
        pending += more
    return found


def steps_of(unknown: Unknown, residual: Equation) -> Iterator[tuple[int, Index]]:
    """The slots of an unknown, by place, each with an index of the equations over the same extent."""
    for axis, slot in enumerate(unknown.tensor.slots):
        yield from ((axis, row) for row in residual.slots if row.extent == slot.extent)


def as_equations(system: Affine) -> tuple[Equation, Equation, Equation]:
    """What is computed at a step: the matrix, the right side, and the unknown from both."""
    # These names have blanks too.
    unknown = system.unknown.tensor.entry
    matrix = Access(f"the matrix of {unknown.tensor}", (*system.batch, *system.rows, *system.columns))
    side = Access(f"the right side of {unknown.tensor}", system.side)
    solution = tuple(Term(sp.S.One, ((entry, sp.S.One),)) for entry in (matrix, side))
    return Equation(matrix, system.matrix), Equation(side, system.right), Equation(unknown, solution)


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
