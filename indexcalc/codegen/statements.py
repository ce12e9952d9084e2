"""What a generated function does, one statement after another, before it is put into NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from indexcalc.algebra.terms import Delta, Index, Iverson, Terms


class Kind(Enum):
    """What is done with the terms of a statement."""

    ASSIGN = "name[axes] = terms"
    MAXIMUM = "name[axes] = the largest value of terms over `over`"
    MINIMUM = "name[axes] = the smallest value of terms over `over`"
    HIDDEN = "name[axes] = terms where all `masks` hold, -inf elsewhere"


@dataclass(frozen=True, slots=True)
class Statement:
    """One assignment.

    Attributes:
        name: the tensor that is assigned.
        axes: its slots.
        terms: the value.
        kind: what is done with the terms.
        over: for a maximum or minimum, the indices it is taken over.
        masks: for hidden entries, the deltas and brackets that must be 1.
        note: a comment, if the equation itself is not enough.
        may_overflow: whether infinity is a right answer here, about which NumPy need not warn.
    """

    name: str
    axes: tuple[Index, ...]
    terms: Terms
    kind: Kind = Kind.ASSIGN
    over: tuple[Index, ...] = ()
    masks: tuple[Delta | Iverson, ...] = ()
    note: str = ""
    may_overflow: bool = False
