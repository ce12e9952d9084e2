"""Extents at which a program has no value: ``1/(N - 1)`` at ``N = 1``, ``sqrt(N - 2)`` below 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy as sp

from indexcalc.algebra.ranges import is_compound
from indexcalc.algebra.terms import scalars_of
from indexcalc.errors import UndefinedError
from indexcalc.program import Program
from indexcalc.proof.evaluate import number, numbers_of

Sizes = dict[sp.Symbol, int]


def undefined_at(program: Program, sizes: Mapping[sp.Symbol, int]) -> str:
    """Why the program has no value at these extents; empty if all its scalars of extents have one."""
    numbers = numbers_of(sizes)
    for scalar in extent_scalars(program):
        try:
            number(scalar, numbers)
        except UndefinedError as error:
            return str(error)
    for extent in index_extents(program):
        if number(extent, numbers) < 1:
            there = ", ".join(f"{symbol} = {sizes[symbol]}" for symbol in sorted(extent.free_symbols, key=str))
            return f"an index has no value, for its extent {extent} is below 1 at {there}"
    return ""


def index_extents(program: Program) -> tuple[sp.Expr, ...]:
    """The extents of all indices that are more than a symbol or a number, each once."""
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    sums = [index for equation in program.equations for term in equation.terms for index in term.summed]
    extents = dict.fromkeys(index.extent for index in (*slots, *sums))
    return tuple(extent for extent in extents if not (extent.is_Symbol or extent.is_Integer))


def has_parts(program: Program) -> bool:
    """Whether an index may run over a part of a slot, since some extents are such as ``N - 1``."""
    return any(map(is_compound, index_extents(program)))


def left_out(program: Program, sets: Sequence[Mapping[sp.Symbol, int]]) -> Iterator[tuple[Sizes, str]]:
    """Every value above 1 of one extent at which a scalar of it alone has no value, up to the largest tried, and why.

    An extent of 1 is tried by itself, and says so itself.
    """
    for extent in program.extents:
        alone = [scalar for scalar in extent_scalars(program) if scalar.free_symbols == {extent}]
        for size in range(2, max((sizes[extent] for sizes in sets), default=1) + 1):
            for scalar in alone:
                try:
                    number(scalar, ((extent, size),))
                except UndefinedError as error:
                    yield {extent: size}, str(error)
                    break


def extent_scalars(program: Program) -> tuple[sp.Expr, ...]:
    """The coefficients, exponents and constants made of extents alone, each once."""
    extents = frozenset(program.extents)
    every = dict.fromkeys(scalar for equation in program.equations for scalar in scalars_of(equation.terms))
    return tuple(s for s in every if not s.is_Number and s.free_symbols and s.free_symbols <= extents)
