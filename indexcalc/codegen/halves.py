"""Symmetric products of matrices from one factor: ``X^T diag(d) X = R^T R`` with ``R = diag(sqrt(d)) X``, ``d >= 0``.

BLAS computes only half of a matrix times its own transpose, and NumPy asks for that where both are one array.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Access, Add, Base, Fn, Power, Term, free_indices
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Program

NOT_NEGATIVE = ("exp", "sigmoid", "softplus", "abs", "relu", "step", "reach")
"""The functions whose values are never negative."""

WITHIN_ONE = ("sigmoid", "tanh", "sin", "cos", "erf", "step", "reach", "sign")
"""The functions whose values lie in [-1, 1], in code too."""


def halved(
    statements: Collection[Statement], names: Collection[str], programs: Collection[Program]
) -> Iterator[Statement]:
    """The statements, with the root of the middle factor of a symmetric product put into the other two.

    Args:
        statements: of one pass, in order.
        names: the results that may be symmetric.
        programs: those that define what is read.
    """
    known = Known(programs)
    taken = {statement.name for statement in statements} | {name for program in programs for name in program.tensors}
    for statement in statements:
        found = rooted(statement, known) if statement.name in names else ()
        if not found or {own.name for own in found[:-1]} & taken:
            yield statement
        else:
            yield from found


def rooted(statement: Statement, known: Known) -> tuple[Statement, ...]:
    """The factor of a symmetric product, and the product of it with itself; nothing for anything else."""
    if statement.kind is not Kind.ASSIGN or len(statement.terms) != 1 or len(statement.axes) != 2:
        return ()
    (term,), (row, column) = statement.terms, statement.axes
    outer = [power for power in term.powers if {row, column} & set(free_indices(power[0]))]
    middle = [power for power in term.powers if power not in outer]
    if len(outer) != 2 or not middle or not term.summed or any(exponent != 1 for _, exponent in outer):
        return ()
    left, right = (base for base, _ in sorted(outer, key=lambda power: column in free_indices(power[0])))
    if rename_base(left, {row: column}) != right or column in free_indices(left):
        return ()
    if not all(known.is_not_negative(power) for power in middle):
        return ()
    half = product(1, ((base, exponent / 2) for base, exponent in middle))
    narrow = tuple(index for index in term.summed if index in free_indices(half))
    if not set(term.summed) <= {*narrow, *free_indices(left)} or set(free_indices(half)) - set(narrow):
        return ()
    scale, name = f"{statement.name}_scale", f"{statement.name}_root"
    alone = len(middle) > 1
    powers: tuple[Power, ...] = ((Access(scale, narrow), sp.S.One),) if alone else half.powers
    first = (Statement(scale, narrow, (half,)),) if alone else ()
    factor = Statement(name, (*term.summed, row), (product(1, (*powers, (left, sp.S.One))),))
    entries = (Access(name, (*term.summed, row)), Access(name, (*term.summed, column)))
    whole = Term(term.coeff, tuple((entry, sp.S.One) for entry in entries), term.summed)
    return *first, factor, replace(statement, terms=(whole,))


class Known:
    """What is known of the values of tensors."""

    def __init__(self, programs: Collection[Program]) -> None:
        self.definitions: Mapping[str, Equation] = {
            name: equation for program in programs for name, equation in program.definitions.items()
        }
        self.domains = {
            tensor.name: tensor.domain for program in programs for tensor in program.inputs if tensor.domain is not None
        }

    def is_not_negative(self, power: Power, depth: int = 4) -> bool:
        """Whether a power is never negative."""
        base, exponent = power
        if exponent.is_even:
            return True
        match base:
            case Fn(name):
                return name in NOT_NEGATIVE
            case Access(tensor) if tensor in self.domains:
                return bool(self.domains[tensor].start >= 0)
            case Access(tensor) if tensor in self.definitions and depth:
                terms = self.definitions[tensor].terms
                return all(
                    bool(t.coeff.is_positive) and all(self.is_not_negative(p, depth - 1) for p in t.powers)
                    for t in terms
                )
            case Add((first, second)):
                one = first.coeff == 1 and not first.powers
                return one and second.coeff == -1 and all(self.is_within_one(base) for base, _ in second.powers)
        return False

    def is_within_one(self, base: Base) -> bool:
        """Whether a factor lies in [-1, 1]."""
        match base:
            case Fn(name):
                return name in WITHIN_ONE
            case Access(tensor) if tensor in self.domains:
                return bool(self.domains[tensor].start >= -1 and self.domains[tensor].end <= 1)
            case Access(tensor) if tensor in self.definitions:
                terms = self.definitions[tensor].terms
                if len(terms) != 1 or terms[0].coeff != 1 or terms[0].summed or len(terms[0].powers) != 1:
                    return False
                ((value, exponent),) = terms[0].powers
                return exponent == 1 and isinstance(value, Fn) and value.name in WITHIN_ONE
        return False
