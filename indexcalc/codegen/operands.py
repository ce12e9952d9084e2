"""Array expressions with the index of every axis: alignment for broadcasting, masks and sums over axes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import is_negative
from indexcalc.algebra.slots import indices_of_slot
from indexcalc.algebra.terms import Delta, Index, Iverson, Lookup, Slot, occurring_indices
from indexcalc.codegen.dialect import NUMPY, Dialect
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Method, Node, Prefix, Trailer, flat, signed_sum

Axes = tuple[Index, ...]
Mask = Delta | Iverson


@dataclass(frozen=True, slots=True)
class Operand:
    """A Python expression whose array axes run over `axes`; a scalar has none."""

    node: Node
    axes: Axes


@dataclass(frozen=True, slots=True)
class EntryAt:
    """An array at places along some of its axes, as code.

    Attributes:
        tensor: whose array it is.
        parts: what stands in each axis; ``:`` where nothing does.
    """

    tensor: str
    parts: tuple[str, ...]

    def text(self, array: str) -> str:
        """``h[t - 1]``, or ``h[:, t - 1]``."""
        kept = list(self.parts)
        while kept and kept[-1] == ":":
            kept.pop()
        return f"{array}[{', '.join(kept)}]"

    def in_list(self, array: str, axis: int) -> str:
        """The same where the array is a list along one axis: ``h[t - 1]``, or ``h[t - 1][:, 0]``."""
        rest = EntryAt(self.tensor, (*self.parts[:axis], *self.parts[axis + 1 :]))
        first = f"{array}[{self.parts[axis]}]"
        return first if all(part == ":" for part in rest.parts) else rest.text(first)


@dataclass(frozen=True)
class Scope:
    """The Python names that an expression may use.

    Attributes:
        tensors: the variable of every tensor.
        scalars: the variable of every extent and parameter.
        dtype: an expression for the dtype of arrays made from nothing, such as ``X.dtype``.
        layouts: how many slots each axis of a stored tensor holds, for tensors with fused axes.
        dialect: the array library whose words are used.
        entries: those of the tensors that are arrays at a step.
        lists: those that are lists along one axis, and which.
    """

    tensors: Mapping[str, str]
    scalars: Mapping[sp.Symbol, str]
    dtype: str
    layouts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    dialect: Dialect = NUMPY
    entries: Mapping[str, EntryAt] = field(default_factory=dict)
    lists: Mapping[str, int] = field(default_factory=dict)


def transposed(operand: Operand, axes: Axes) -> Operand:
    """The same array with its axes in another order."""
    if operand.axes == axes:
        return operand
    order = [operand.axes.index(axis) for axis in axes]
    rank = len(order)
    if rank == 2:
        return Operand(Trailer(operand.node, ".T"), axes)
    if order == [*range(rank - 2), rank - 1, rank - 2]:
        return Operand(Method(operand.node, "swapaxes", ("-1", "-2")), axes)
    return Operand(Method(operand.node, "transpose", tuple(map(str, order))), axes)


def aligned(operand: Operand, axes: Axes) -> Node:
    """The node with an axis of length one wherever it lacks one of `axes`, ready to broadcast."""
    operand = transposed(operand, tuple(axis for axis in axes if axis in operand.axes))
    if not operand.axes or operand.axes == axes[-len(operand.axes) :]:
        return operand.node
    first = axes.index(operand.axes[0])
    slots = [":" if axis in operand.axes else "None" for axis in axes[first:]]
    if len(slots) > 2 and slots.count("None") == 1 and slots[-1] == "None":
        slots = ["...", "None"]
    return Trailer(operand.node, f"[{', '.join(slots)}]")


def of_matrices(word: str, matrices: Node) -> Node:
    """What a word of the language makes from each of the matrices over the last two axes of an array."""
    if word == "logdet":
        return Trailer(Call("np.linalg.slogdet", (matrices,)), "[1]")
    return Call(f"np.linalg.{word}", (matrices,))


def common_axes(operands: Collection[Operand], order: Axes) -> Axes:
    """The axes of a broadcast of `operands`: as the largest has them if it has all, else as in `order`."""
    union = dict.fromkeys(axis for operand in operands for axis in operand.axes)
    for operand in operands:
        if len(operand.axes) == len(union):
            return operand.axes if in_order(operand.axes, order) or len(operands) == 1 else arranged(union, order)
    return arranged(union, order)


def in_order(axes: Axes, order: Axes) -> bool:
    """Whether `axes` stand in the same sequence as in `order`."""
    places = [order.index(axis) for axis in axes if axis in order]
    return places == sorted(places)


def arranged(axes: Collection[Index], order: Axes) -> Axes:
    """The axes sorted as in `order`, with those that it lacks at the end."""
    known = [axis for axis in order if axis in axes]
    return (*known, *(axis for axis in axes if axis not in order))


def mask_node(mask: Mask, axes: Axes, scope: Scope) -> Operand:
    """A boolean array that is true where the delta or bracket is 1, with its axes in the order of `axes`."""
    if not (isinstance(mask.left, Index) and isinstance(mask.right, Index)):
        return compared_node(mask, axes, scope)
    if mask.left == mask.right:
        truth = isinstance(mask, Iverson) and mask.relation in ("<", "!=")
        size = flat(scalar_node(mask.left.extent, scope.scalars))
        return Operand(Call("np.zeros" if truth else "np.ones", (Atom(size),), ("dtype=bool",)), (mask.left,))
    rows, columns = arranged((mask.left, mask.right), axes)
    sizes = [scalar_node(rows.extent, scope.scalars)]
    if columns.extent != rows.extent:
        sizes.append(scalar_node(columns.extent, scope.scalars))
    if isinstance(mask, Delta) or mask.relation == "!=":
        eye = Call("np.eye", tuple(sizes), ("dtype=bool",))
        return Operand(eye if isinstance(mask, Delta) else Prefix("~", eye), (rows, columns))
    # np.tri(n, m, k) is true where column <= row + k; the bracket is [left relation right].
    strict = mask.relation == "<"
    below = columns == mask.left
    offset = strict if below else not strict
    shift = ("k=-1",) if offset else ()
    triangle = Call("np.tri", tuple(sizes), (*shift, "dtype=bool"))
    return Operand(triangle if below else Prefix("~", triangle), (rows, columns))


def compared_node(mask: Mask, axes: Axes, scope: Scope) -> Operand:
    """A delta or bracket of expressions: the values of its sides, compared on the grid of its indices."""
    order = arranged(occurring_indices(mask), axes)
    relation = "==" if isinstance(mask, Delta) else mask.relation
    left, right = slot_node(mask.left, order, scope), slot_node(mask.right, order, scope)
    if not order:
        # Two numbers compared are no array, as what follows needs it.
        left = Call("np.asarray", (left,))
    return Operand(Binary(relation, left, right), order)


def slot_node(slot: Slot, axes: Axes, scope: Scope) -> Node:
    """The values of what a slot holds, ready to broadcast against arrays over `axes`."""
    if isinstance(slot, Index):
        return aligned(
            Operand(Call("np.arange", (scalar_node(slot.extent, scope.scalars),), ("dtype=int",)), (slot,)), axes
        )
    if isinstance(slot, Lookup):
        inner = arranged(indices_of_slot(slot), axes)
        whole = Atom(scope.tensors[slot.tensor])
        plain = tuple(one for one in slot.slots if isinstance(one, Index))
        if len(set(plain)) == len(slot.slots):
            return aligned(Operand(whole, plain), axes)
        places = ", ".join(flat(slot_node(one, inner, scope)) for one in slot.slots)
        return aligned(Operand(Trailer(whole, f"[{places}]"), inner), axes)
    parts: list[tuple[bool, Node]] = []
    for atom, coeff in slot.parts:
        minus = is_negative(coeff)
        size = -coeff if minus else coeff
        node = slot_node(atom, axes, scope)
        parts.append((minus, node if size == 1 else Binary("*", scalar_node(size, scope.scalars), node)))
    if slot.const != 0 or not parts:
        minus = is_negative(slot.const)
        parts.append((minus, scalar_node(-slot.const if minus else slot.const, scope.scalars)))
    parts.sort(key=lambda part: part[0])
    return signed_sum(parts)


def as_numbers(mask: Operand, scope: Scope) -> Operand:
    """A mask as zeros and ones."""
    node = mask.node
    if isinstance(node, Call) and node.keywords[-1:] == ("dtype=bool",):
        return Operand(Call(node.function, node.arguments, (*node.keywords[:-1], f"dtype={scope.dtype}")), mask.axes)
    return Operand(Method(node, "astype", (scope.dtype,)), mask.axes)


def masks_node(masks: list[Mask], order: Axes, scope: Scope) -> Operand:
    """The conjunction of deltas and brackets."""
    parts = [mask_node(mask, order, scope) for mask in masks]
    axes = arranged(dict.fromkeys(axis for part in parts for axis in part.axes), order)
    node = aligned(parts[0], axes)
    for part in parts[1:]:
        node = Binary("&", node, aligned(part, axes))
    return Operand(node, axes)


def reduced(operand: Operand, summed: Collection[Index], method: str = "sum") -> Operand:
    """The sum (or another reduction) of an array over some of its axes."""
    places = [number for number, axis in enumerate(operand.axes) if axis in summed]
    if not places:
        return operand
    left = tuple(axis for axis in operand.axes if axis not in summed)
    text = str(places[0]) if len(places) == 1 else f"({', '.join(map(str, places))})"
    return Operand(Method(operand.node, method, (), (f"axis={text}",) if left else ()), left)
