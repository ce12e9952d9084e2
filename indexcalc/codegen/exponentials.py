"""Exponentials and sums of them, found by their structure, also where they have names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import (
    Access,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Term,
    free_indices,
)
from indexcalc.program import Equation, Program

Mask = Delta | Iverson
ONE = sp.S.One


@dataclass(frozen=True, slots=True)
class Exponential:
    """``masks * exp(argument)``: what is summed over, and what numerators are matched with."""

    fn: Fn
    masks: tuple[Mask, ...]

    @property
    def axes(self) -> tuple[Index, ...]:
        """The indices of the argument, then those that only masks have."""
        return free_indices((Term(ONE, tuple((base, ONE) for base in (self.fn, *self.masks))),))


@dataclass(frozen=True, slots=True)
class ExpSum:
    """A tensor that is a sum of exponentials, and the names of what its shifted form needs.

    Attributes:
        equation: the definition of the sum.
        source: the factor that is the exponential, or the tensor that holds it.
        exponential: the exponential with the deltas and brackets around it.
        largest: the name for the largest argument.
        shifted: the name for the sum of shifted exponentials.
        numerator: the name for the shifted exponentials.
        hidden: the name for the argument with minus infinity where deltas and brackets are zero.
    """

    equation: Equation
    source: Base
    exponential: Exponential
    largest: str
    shifted: str
    numerator: str
    hidden: str

    @property
    def slots(self) -> tuple[Index, ...]:
        """The indices of the sum."""
        return self.equation.lhs.slots

    @property
    def names(self) -> tuple[str, str, str]:
        """The names of the parts of the shifted form that expressions read."""
        return self.largest, self.shifted, self.numerator


def find_sums(program: Program, taken: set[str]) -> Iterator[ExpSum]:
    """Every equation that is one sum over an exponential, whatever its weights."""
    for equation in program.equations:
        if len(equation.terms) != 1 or not equation.terms[0].summed:
            continue
        (term,) = equation.terms
        masks = tuple(base for base, _ in term.powers if isinstance(base, Mask))
        factors = [(base, as_exponential(base, program)) for base, exponent in term.powers if exponent == 1]
        found = [(base, e) for base, e in factors if e is not None and set(free_indices(e.fn.arg)) & set(term.summed)]
        if len(found) != 1:
            continue
        ((base, own),) = found
        fn, exponential = own.fn, Exponential(own.fn, tuple(dict.fromkeys((*masks, *own.masks))))
        if set(exponential.axes) != {*equation.lhs.slots, *term.summed}:
            continue
        source = fn.arg[0].powers[0][0] if len(fn.arg) == 1 and len(fn.arg[0].powers) == 1 else None
        stem = source.tensor if isinstance(source, Access) else equation.name
        names = [
            unused(name, taken) for name in (f"{stem}_max", f"{equation.name}_shifted", f"exp_{stem}", f"{stem}_masked")
        ]
        yield ExpSum(equation, base, exponential, *names)


def unused(name: str, taken: set[str]) -> str:
    """The name, or the name with a number; it counts as taken from now on."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    taken.add(chosen)
    return chosen


def as_exponential(base: Base, program: Program) -> Exponential | None:
    """The factor as ``masks * exp(argument)``, read through the definition of a named tensor."""
    if isinstance(base, Fn):
        return Exponential(base, ()) if base.name == "exp" else None
    if not isinstance(base, Access) or base.tensor not in program.definitions:
        return None
    equation = program.definitions[base.tensor]
    if len(equation.terms) != 1 or equation.terms[0].summed or equation.terms[0].coeff != 1:
        return None
    (term,) = substitute(equation.terms, dict(zip(equation.lhs.slots, base.slots, strict=True)))
    fns = [b for b, exponent in term.powers if isinstance(b, Fn) and b.name == "exp" and exponent == 1]
    masks = tuple(b for b, _ in term.powers if isinstance(b, Mask))
    return Exponential(fns[0], masks) if len(fns) == 1 and len(term.powers) == 1 + len(masks) else None
