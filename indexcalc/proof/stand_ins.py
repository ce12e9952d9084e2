"""Symbols in the place of extents that are large numbers, so that a program can be checked at small sizes.

A program over 784 pixels is that over ``n784`` pixels, unless it reads the number itself. A coefficient
that is a multiple of ``1/784`` under a sum over the pixels follows, since it is a mean; any other stays a
number, and the program is another one then, but one whose gradients are right or wrong in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Access, Index, Term, Terms, occurring_indices
from indexcalc.problem import Problem
from indexcalc.program import Equation, Identity, Program

SMALL = 9
"""The largest extent that is checked as it is; it is as large as the sizes of symbolic extents get."""


@dataclass(frozen=True)
class StandIns:
    """A problem with symbols for its large literal extents.

    Attributes:
        problem: the problem, with the symbols.
        literal: the number that each symbol stands for.
    """

    problem: Problem
    literal: Mapping[sp.Symbol, int]


def stand_ins(problem: Problem) -> StandIns | None:
    """The problem with a symbol for each literal extent above `SMALL`; None if there is none."""
    found = sorted({int(index.extent) for index in indices_of(problem.program) if is_large(index)})
    if not found:
        return None
    taken = problem.program.names
    symbols = {number: sp.Symbol(free_name(number, taken), positive=True, integer=True) for number in found}

    def renamed(index: Index) -> Index:
        return Index(index.name, symbols[int(index.extent)]) if is_large(index) else index

    program = with_indices(problem.program, renamed)
    claims = tuple(identity_with(claim, renamed) for claim in problem.claims)
    literal = {symbol: number for number, symbol in symbols.items()}
    return StandIns(replace(problem, program=program, claims=claims), literal)


def is_large(index: Index) -> bool:
    """Whether an extent is a number above `SMALL`."""
    return bool(index.extent.is_Integer) and int(index.extent) > SMALL


def indices_of(program: Program) -> Collection[Index]:
    """Every index of a program."""
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    bound = [index for equation in program.equations for term in equation.terms for index in term.summed]
    return {*program.indices, *slots, *bound}


def free_name(number: int, taken: Collection[str]) -> str:
    """``n784``, with as many n as it takes."""
    name = f"n{number}"
    while name in taken:
        name = "n" + name
    return name


Renamed = Callable[[Index], Index]


def with_indices(program: Program, renamed: Renamed) -> Program:
    """The program with other indices in the place of some."""

    def slots(entry: tuple[Index, ...]) -> tuple[Index, ...]:
        return tuple(map(renamed, entry))

    return replace(
        program,
        inputs=tuple(replace(tensor, slots=slots(tensor.slots)) for tensor in program.inputs),
        equations=tuple(
            Equation(Access(eq.name, slots(eq.slots)), terms_with(eq.terms, renamed), eq.doc, eq.hoisted)
            for eq in program.equations
        ),
        indices=slots(program.indices),
        assumptions=tuple(identity_with(identity, renamed) for identity in program.assumptions),
    )


def identity_with(identity: Identity, renamed: Renamed) -> Identity:
    """The identity with other indices in the place of some."""
    left, right = (terms_with(side, renamed) for side in (identity.left, identity.right))
    return replace(identity, left=left, right=right)


def terms_with(terms: Terms, renamed: Renamed) -> Terms:
    """Terms with other indices in the place of some, and coefficients that follow."""
    return tuple(term_with(term, renamed) for term in terms)


def term_with(term: Term, renamed: Renamed) -> Term:
    """One term: under a sum over a literal extent, a multiple of its reciprocal follows."""
    renaming = {index: renamed(index) for index in {*occurring_indices(term), *term.summed}}
    coeff = term.coeff
    for index in term.summed:
        number = index.extent
        if renaming[index] != index and (coeff.as_coeff_Mul()[0] * number).q * number == coeff.as_coeff_Mul()[0].q:
            coeff = coeff * number / renaming[index].extent
    return Term(coeff, rename_powers(term.powers, renaming), tuple(renaming[index] for index in term.summed))
