"""A mesh of devices, and which index is split over which of its axes.

An index on an axis of n devices is cut into n blocks of one length, one for each device along the axis. What a
device holds of an extent is then another extent, named ``(T/4)``, so that counts for one device are polynomials too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from math import prod
from types import MappingProxyType

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.errors import IndexCalcError, UnsupportedError
from indexcalc.program import Program
from indexcalc.rewrite.cost import Sizes

EXAMPLE = "h=4,s+t=2"

MAX_DEVICES = 1 << 24
"""The most devices of a mesh."""

MAX_AXES = 4
"""The most axes of a mesh: what is tried for an equation grows with the power of them."""


class MeshError(IndexCalcError):
    """A mesh that is misspelt, or doesn't fit the indices of a program or their sizes."""


@dataclass(frozen=True, slots=True)
class MeshAxis:
    """An axis of so many devices, and the indices that are split over it.

    Of a tensor that has several of them, the first is split.

    Attributes:
        indices: what is split.
        devices: how many there are along the axis.
        called: the name that the author gave to the axis; empty for one that is called after its indices.
        parts: of several axes over which one index is split together, these, the slowest first.
    """

    indices: tuple[str, ...]
    devices: int
    called: str = ""
    parts: tuple[MeshAxis, ...] = ()

    @property
    def name(self) -> str:
        """What the axis is called in code: ``s_t``."""
        return self.called or "_".join(self.indices)

    @property
    def single(self) -> tuple[MeshAxis, ...]:
        """The axes of the mesh that this is: itself, or several."""
        return self.parts or (self,)

    def __str__(self) -> str:
        if self.parts:
            return " and ".join(map(str, self.parts))
        return f"{self.called or '+'.join(self.indices)}={self.devices}"


def together(axes: Iterable[MeshAxis]) -> MeshAxis | None:
    """What an index is split over: nothing, an axis of the mesh, or several of them as one."""
    found = tuple(axes)
    if len(found) < 2:
        return found[0] if found else None
    indices = tuple(dict.fromkeys(index for axis in found for index in axis.indices))
    return MeshAxis(indices, prod(axis.devices for axis in found), parts=found)


@dataclass(frozen=True)
class Mesh:
    """The axes of a mesh of devices, in order."""

    axes: tuple[MeshAxis, ...]

    @property
    def devices(self) -> int:
        """How many devices there are."""
        return prod(axis.devices for axis in self.axes)

    @cached_property
    def axis_of(self) -> Mapping[str, MeshAxis]:
        """What each index is split over, by the index's name."""
        every = dict.fromkeys(index for axis in self.axes for index in axis.indices)
        found = {index: together(axis for axis in self.axes if index in axis.indices) for index in every}
        return {index: axis for index, axis in found.items() if axis is not None}

    def split(self, groups: Iterable[Sequence[Index]]) -> tuple[MeshAxis | None, ...]:
        """For every slot of a stored tensor what it is split over: those of its axes that no slot before it is.

        Args:
            groups: its axes, each with the slots that are fused in it: only the first of them can be split, since
                a block of the others is no block of the fused axis.
        """
        found: list[MeshAxis | None] = []
        used: set[MeshAxis] = set()
        for group in groups:
            for place, slot in enumerate(group):
                axes = [axis for axis in self.axes if slot.name in axis.indices and axis not in used and not place]
                used.update(axes)
                found.append(together(axes))
        return tuple(found)

    def __str__(self) -> str:
        return ",".join(map(str, self.axes))


def read_mesh(texts: Iterable[str], splits: Mapping[str, tuple[str, ...]] = MappingProxyType({})) -> Mesh:
    """The mesh in texts such as ``h=4,s+t=2``: an axis for each piece, with the indices that are split over it.

    Args:
        texts: with commas between the pieces.
        splits: the axes that a spec names, with their indices: a piece may be ``model=4`` then.

    Raises:
        MeshError: for a piece that is not INDEX=DEVICES, an index that is split twice, a number that is out of range,
            an axis of the spec that has no number of devices.
    """
    over: dict[str, str] = {}
    for axis, indices in splits.items():
        over |= {index: f"{over[index]} and {axis}" if index in over else axis for index in indices}
    axes: list[MeshAxis] = []
    for piece in (piece.strip() for text in texts for piece in text.split(",")):
        left, equals, right = (part.strip() for part in piece.partition("="))
        indices = tuple(part.strip() for part in left.split("+"))
        if not (all(indices) and equals and right):
            raise MeshError(f"{piece!r} is not INDEX=DEVICES; write a mesh like {EXAMPLE}")
        if not (right.isascii() and right.isdecimal() and len(right) < 10 and 1 <= int(right) <= MAX_DEVICES):
            raise MeshError(
                f"the axis of {left} has {right!r} devices; expected a whole number from 1 to {MAX_DEVICES}, "
                f"like in {EXAMPLE}"
            )
        for index in indices:
            if index in over:
                written = over[index].replace(" and ", f"={right},")
                raise MeshError(f"the spec splits {index} over {over[index]}; write {written}={right}")
        own = splits.get(left)
        axes.append(MeshAxis(indices, int(right)) if own is None else MeshAxis(own, int(right), left))
    check_named(axes, splits)
    for one in axes:
        if len(set(one.indices)) < len(one.indices):
            name = max(one.indices, key=one.indices.count)
            raise MeshError(f"the index {name} is split twice over one axis, {one}; name it once")
    called = [axis.name for axis in axes]
    if len(set(called)) < len(called):
        name = max(called, key=called.count)
        alike = [axis for axis in axes if axis.name == name]
        out = f"one with {prod(axis.devices for axis in alike)} devices does the same"
        if len({axis.indices for axis in alike}) > 1:
            out = "name other indices"
        raise MeshError(f"two axes of the mesh would be called {name}; {out}")
    if len(axes) > MAX_AXES:
        raise MeshError(
            f"the mesh has {len(axes)} axes; the limit is {MAX_AXES}. Put several indices on one axis: s+t=8"
        )
    mesh = Mesh(tuple(axes))
    if mesh.devices > MAX_DEVICES:
        raise MeshError(f"the mesh has {mesh.devices} devices; the limit is {MAX_DEVICES}")
    return mesh


def check_named(axes: Collection[MeshAxis], splits: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a mesh that leaves out an axis over which a spec splits indices.

    Raises:
        MeshError: with how to say how many devices it has.
    """
    known = {axis.called for axis in axes}
    missing = [name for name in splits if name not in known]
    if missing:
        said = " and ".join(f"{', '.join(splits[name])} over {name}" for name in missing)
        wanted = ",".join([*map(str, axes), *(f"{name}=2" for name in missing)])
        raise MeshError(
            f"the spec splits {said}, and nothing says how many devices there are along {' and '.join(missing)}; give "
            f"the mesh, such as --mesh {wanted}, with 1 for an axis that is not to be split"
        )


def indices_of(program: Program) -> dict[str, Index]:
    """The indices by which an author's tensors can be split: those of their slots, and those of sums, by name."""
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    return {index.name: index for index in (*slots, *program.indices)}


def check_mesh(mesh: Mesh, program: Program, sizes: Mapping[sp.Symbol, int] | None = None) -> None:
    """Refuse a mesh that the program can't be split over.

    Args:
        mesh: to be checked.
        program: the forward pass.
        sizes: the size of every extent, if they are known.

    Raises:
        MeshError: if the program lacks an index, or a size is no multiple of the devices.
        UnsupportedError: if the program has systems.
    """
    known = indices_of(program)
    if program.unknowns:
        raise UnsupportedError("the program has systems, which are not split over a mesh so far; leave out --mesh")
    for name, axis in mesh.axis_of.items():
        if name not in known:
            raise MeshError(
                f"there is no index {name!r} to split; {near(name, known)}the indices are: {', '.join(known)}"
            )
        extent = known[name].extent
        size = int(extent) if extent.is_Integer else None
        if sizes is not None:
            size = int(extent.subs(dict(sizes)))
        if size is not None and size % axis.devices:
            raise MeshError(
                f"the index {name} runs over {extent} = {size}, which is no multiple of the {axis.devices} devices "
                f"of its axis; split it over {near_divisor(size, axis.devices)}, or change {extent}"
            )


def near(name: str, known: Collection[str]) -> str:
    """A guess at what was meant."""
    found = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {found[0]}? " if found else ""


def near_divisor(size: int, devices: int) -> int:
    """The largest number of devices, up to a given one, that divides a size."""
    return max(number for number in range(1, min(devices, 10_000) + 1) if not size % number)


def block_extent(extent: sp.Expr, devices: int) -> sp.Expr:
    """What one of several devices holds of an extent: ``(T/4)``, a name like any other."""
    if devices == 1:
        return extent
    if extent.is_Integer and not int(extent) % devices:
        return sp.Integer(int(extent) // devices)
    return sp.Symbol(f"({extent}/{devices})", positive=True, integer=True)


def block(index: Index, axis: MeshAxis | None) -> Index:
    """The index over what one device holds."""
    return index if axis is None else Index(index.name, block_extent(index.extent, axis.devices))


def with_blocks(sizes: Mapping[sp.Expr, int], mesh: Mesh, program: Program) -> Sizes:
    """The sizes, with those of all blocks; rounded up, so that nominal sizes need not be multiples."""
    found: dict[sp.Expr, int] = dict(sizes)
    extents = {index.extent for index in (*indices_of(program).values(),)}
    lengths = [axis.devices for axis in mesh.axes]
    devices = {prod(some) for count in range(1, len(lengths) + 1) for some in combinations(lengths, count)}
    for extent in extents:
        size = found[extent] if extent in found else int(extent.subs(dict(sizes)))
        for number in devices:
            found[block_extent(extent, number)] = max(1, -(-size // number))
    return Sizes(found)
