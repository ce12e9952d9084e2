"""What a slot holds: an index, an affine expression of indices, or the value of an integer tensor at an entry.

``x[i+k]``, ``x[2*i+k-1]``, ``S[0,j]`` and ``E[tok[n],m]`` are entries like any other: the expression says which
one is read. A fixed place is an affine expression without indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.scalars import put_together, scalar_str, signed_summands


class Arithmetic:
    """``2*i + k - 1`` and ``T - 1 - t`` in Python: what holds an index may be added, and multiplied by scalars."""

    __slots__ = ()

    def __add__(self, other: object) -> Slot:
        return joined(self, other, sp.S.One)

    def __radd__(self, other: object) -> Slot:
        return joined(self, other, sp.S.One)

    def __sub__(self, other: object) -> Slot:
        return joined(self, other, sp.S.NegativeOne)

    def __rsub__(self, other: object) -> Slot:
        return joined(self.__neg__(), other, sp.S.One)

    def __neg__(self) -> Slot:
        return self.__mul__(sp.S.NegativeOne)

    def __mul__(self, factor: object) -> Slot:
        if not isinstance(factor, int | sp.Expr):
            raise TypeError(f"in a slot an index is multiplied by whole numbers and extents, not by {factor!r}")
        assert isinstance(self, Index | Lookup | Affine)
        return times_scalar(self, sp.sympify(factor))

    def __rmul__(self, factor: object) -> Slot:
        return self.__mul__(factor)


@dataclass(frozen=True, slots=True, order=False)
class Index(Arithmetic):
    """A named index that runs over ``0 .. extent-1``; the extent is a symbol, an integer, or an expression of them."""

    name: str
    extent: sp.Expr

    def __hash__(self) -> int:
        # By name alone: terms are hashed all the time, and indices of one name rarely differ in extent.
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}:{self.extent}"


@dataclass(frozen=True, slots=True)
class Lookup(Arithmetic):
    """``tok[n]``: the entry of an integer tensor whose values lie in ``0 .. extent-1``."""

    tensor: str
    slots: tuple[Slot, ...]
    extent: sp.Expr

    @property
    def name(self) -> str:
        """The entry as text."""
        return f"{self.tensor}[{','.join(map(slot_text, self.slots))}]" if self.slots else self.tensor


@dataclass(frozen=True, slots=True)
class Affine(Arithmetic):
    """``sum of coeff * atom, plus const``; atoms are sorted and distinct, coefficients whole and not zero."""

    parts: tuple[tuple[Atom, sp.Expr], ...]
    const: sp.Expr = sp.S.Zero


Atom = Index | Lookup
Slot = Index | Lookup | Affine


def affine(parts: Iterable[tuple[Atom, sp.Expr]], const: sp.Expr = sp.S.Zero) -> Slot:
    """The sum of the parts in its one form: a single atom as itself."""
    total: dict[Atom, sp.Expr] = {}
    for atom, coeff in parts:
        total[atom] = sp.expand(total.get(atom, sp.S.Zero) + coeff)
    kept = sorted(((atom, coeff) for atom, coeff in total.items() if coeff != 0), key=lambda part: part[0].name)
    const = sp.expand(const)
    if len(kept) == 1 and kept[0][1] == 1 and const == 0:
        return kept[0][0]
    return Affine(tuple(kept), const)


def parts_of_slot(slot: Slot) -> tuple[tuple[Atom, sp.Expr], ...]:
    """The atoms of an expression with their coefficients."""
    return slot.parts if isinstance(slot, Affine) else ((slot, sp.S.One),)


def constant_of(slot: Slot) -> sp.Expr:
    """What an expression has beside its atoms."""
    return slot.const if isinstance(slot, Affine) else sp.S.Zero


def combined(left: Slot, right: Slot, factor: sp.Expr = sp.S.One) -> Slot:
    """``left + factor * right``."""
    scaled = ((atom, factor * coeff) for atom, coeff in parts_of_slot(right))
    return affine((*parts_of_slot(left), *scaled), constant_of(left) + factor * constant_of(right))


def difference(left: Slot, right: Slot) -> Slot:
    """``left - right``."""
    return combined(left, right, sp.S.NegativeOne)


def times_scalar(slot: Slot, factor: sp.Expr) -> Slot:
    """``factor * slot``."""
    return combined(Affine(()), slot, factor)


def joined(one: object, other: object, factor: sp.Expr) -> Slot:
    """``one + factor * other``, where the other may be a whole number or an extent."""
    if isinstance(other, int | sp.Expr):
        other = place(other)
    if not isinstance(one, Index | Lookup | Affine) or not isinstance(other, Index | Lookup | Affine):
        raise TypeError(f"a slot adds indices, whole numbers and extents, not {other!r}")
    return combined(one, other, factor)


def place(value: sp.Expr | int) -> Affine:
    """A fixed place."""
    return Affine((), sp.sympify(value))


def is_fixed(slot: Slot) -> bool:
    """Whether an expression has neither indices nor lookups."""
    return isinstance(slot, Affine) and not slot.parts


def indices_of_slot(slot: Slot) -> tuple[Index, ...]:
    """The indices that an expression reads, those of its lookups included, each once."""
    if isinstance(slot, Index):
        return (slot,)
    if isinstance(slot, Lookup):
        return tuple(dict.fromkeys(index for inner in slot.slots for index in indices_of_slot(inner)))
    return tuple(dict.fromkeys(index for atom, _ in slot.parts for index in indices_of_slot(atom)))


def lookups_of_slot(slot: Slot) -> tuple[Lookup, ...]:
    """The lookups in an expression, those inside others included."""
    if isinstance(slot, Index):
        return ()
    if isinstance(slot, Lookup):
        return (slot, *(found for inner in slot.slots for found in lookups_of_slot(inner)))
    return tuple(found for atom, _ in slot.parts for found in lookups_of_slot(atom))


def renamed_slot(slot: Slot, renaming: Mapping[Index, Slot]) -> Slot:
    """The expression with indices replaced by expressions."""
    if isinstance(slot, Index):
        return renaming.get(slot, slot)
    if isinstance(slot, Lookup):
        return Lookup(slot.tensor, tuple(renamed_slot(inner, renaming) for inner in slot.slots), slot.extent)
    total: Slot = Affine((), slot.const)
    for atom, coeff in slot.parts:
        total = combined(total, renamed_slot(atom, renaming), coeff)
    return total


def with_lookup_as(slot: Slot, lookup: Lookup, index: Slot) -> Slot:
    """The expression with an index, or another value, in the place of a lookup."""
    if slot == lookup:
        return index
    if isinstance(slot, Index):
        return slot
    if isinstance(slot, Lookup):
        return Lookup(slot.tensor, tuple(with_lookup_as(inner, lookup, index) for inner in slot.slots), slot.extent)
    total: Slot = Affine((), slot.const)
    for atom, coeff in slot.parts:
        total = combined(total, with_lookup_as(atom, lookup, index), coeff)
    return total


def with_lookups_named(slot: Slot, names: Mapping[str, str]) -> Slot:
    """The expression with other names for the tensors that it looks up."""
    if isinstance(slot, Index) or not lookups_of_slot(slot):
        return slot
    if isinstance(slot, Lookup):
        inner = tuple(with_lookups_named(one, names) for one in slot.slots)
        return Lookup(names.get(slot.tensor, slot.tensor), inner, slot.extent)
    parts = []
    for atom, coeff in slot.parts:
        named = with_lookups_named(atom, names)
        assert not isinstance(named, Affine)
        parts.append((named, coeff))
    return affine(parts, slot.const)


def slot_text(slot: Slot) -> str:
    """The expression in plain text: ``2*i + k - 1`` without blanks, what is added before what is taken away."""
    if not isinstance(slot, Affine):
        return slot.name
    parts = [(minus, f"{coefficient_text(size)}{atom.name}") for minus, atom, size in signed_atoms(slot)]
    numbers = [(minus, scalar_str(size)) for minus, size in signed_summands(slot.const)]
    return put_together(parts, numbers, "-", "+")


def coefficient_text(size: sp.Expr) -> str:
    """What stands in front of an atom: nothing for 1, a sum or a rounded quotient in parentheses."""
    if size == 1:
        return ""
    text = scalar_str(size)
    return f"({text})*" if isinstance(size, sp.Add | sp.floor) else f"{text}*"


def signed_atoms(slot: Affine) -> list[tuple[bool, Atom, sp.Expr]]:
    """The atoms with a sign, whether it is a minus, and the size of the coefficient."""
    signs = [(bool(coeff.could_extract_minus_sign()), atom, coeff) for atom, coeff in slot.parts]
    return [(minus, atom, -coeff if minus else coeff) for minus, atom, coeff in signs]


def plain_slots(slots: Iterable[Slot]) -> tuple[Index, ...]:
    """The slots of a definition, which are indices.

    Raises:
        TypeError: for an expression; definitions have none.
    """
    found = []
    for slot in slots:
        if not isinstance(slot, Index):
            raise TypeError(f"a definition has the slot {slot_text(slot)}")
        found.append(slot)
    return tuple(found)


def are_plain(slots: Iterable[Slot]) -> bool:
    """Whether all slots hold indices."""
    return all(isinstance(slot, Index) for slot in slots)
