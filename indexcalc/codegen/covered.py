"""Brackets that a window makes good: they hide nothing but what lies outside of a tensor, where a window is zero.

Zero times what has no value, or exceeds a format, is no zero. So a bracket stays beside an exponential or a quotient.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sympy as sp

from indexcalc.algebra.ranges import never_negative, room_above
from indexcalc.algebra.terms import (
    Access,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Slot,
    Term,
    free_indices,
    inner_terms,
    occurring_indices,
)
from indexcalc.calculus.pointwise import row_of
from indexcalc.program import Tensor


def without_covered_brackets(
    powers: Sequence[Power], summed: Collection[Index], tensors: dict[str, Tensor]
) -> tuple[Power, ...]:
    """The factors without the brackets that hide nothing but entries outside of their tensors, which read as zero."""
    wild = [set(free_in(power)) for power in powers if may_be_infinite(*power)]
    direct: list[Slot] = []
    for base, exponent in powers:
        if isinstance(base, Access) and base.tensor in tensors and exponent.is_positive:
            for slot, declared in zip(base.slots, tensors[base.tensor].slots, strict=True):
                if not isinstance(slot, Index) or slot.extent != declared.extent:
                    direct += (slot, room_above(slot, declared.extent))
        elif (not isinstance(base, Access | Delta | Iverson) and reads_expressions(base)) or (
            isinstance(base, Access) and not base.is_plain
        ):
            return tuple(powers)
    given = tuple(direct)
    return tuple(
        (base, exponent)
        for base, exponent in powers
        if not (given and isinstance(base, Iverson) and not is_needed(base, given) and not hides(base, wild, summed))
    )


def hides(bracket: Iverson, wild: Sequence[set[Index]], summed: Collection[Index]) -> bool:
    """Whether a bracket may be zero throughout where a factor has no value: one that depends on what it depends on.

    Where a sum runs over an index of the bracket that the factor lacks, the factor multiplies all of the sum.
    """
    own = set(occurring_indices(bracket))
    return any(own & indices and own.intersection(summed) <= indices for indices in wild)


def free_in(power: Power) -> tuple[Index, ...]:
    """The indices that a factor depends on."""
    return free_indices((Term(sp.S.One, (power,)),))


def may_be_infinite(base: Base, exponent: sp.Expr) -> bool:
    """Whether a factor may exceed a format, or have no value, where all that it reads is there and ordinary."""
    if exponent.is_negative or not exponent.is_Integer:
        return True
    match base:
        case Fn(name) if name == "exp" or row_of(name).positive:
            return True
    return any(may_be_infinite(*factor) for term in inner_terms(base) for factor in term.powers)


def is_needed(bracket: Iverson, given: tuple[Slot, ...]) -> bool:
    """Whether a bracket hides more than what is outside anyway."""
    return bracket.relation == "!=" or not never_negative(bracket.slack, given)


def reads_expressions(base: Base) -> bool:
    """Whether an entry inside a factor is read under an expression."""
    if isinstance(base, Access):
        return not base.is_plain
    return any(reads_expressions(inner) for term in inner_terms(base) for inner in term.bases)
