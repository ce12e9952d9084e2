"""Arrays whose axes bear names: index letters, and the axes of matrices and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from indexcalc.proof.numeric import Array

SMALL = 1e-2
"""Inputs are of order 1: members below this are compared as if they were this large, so that zeros agree."""


class MismatchError(Exception):
    """Sizes that do not fit: no value at all."""


@dataclass(frozen=True)
class Value:
    """An array with a name for each axis; `axes` are those of a matrix or vector, in order."""

    array: Array
    labels: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    row: bool = False


def on_diagonal(array: Array, labels: Sequence[str], axes: tuple[str, ...]) -> Value:
    """The array with one axis for each label; a label that stands twice reads the diagonal."""
    distinct = list(dict.fromkeys(labels))
    for label in distinct:
        lengths = {array.shape[n] for n, own in enumerate(labels) if own == label}
        if len(lengths) > 1:
            raise MismatchError(f"{label} has two sizes")
    numbers = [distinct.index(label) for label in labels]
    return Value(np.einsum(array, numbers, list(range(len(distinct)))), tuple(distinct), axes)


def spread(value: Value, labels: Sequence[str]) -> Array:
    """The array with an axis for each of the labels, of length 1 where it has none."""
    order = [value.labels.index(label) for label in labels if label in value.labels]
    shape = [value.array.shape[value.labels.index(label)] if label in value.labels else 1 for label in labels]
    return value.array.transpose(order).reshape(shape)


def joined(operation: np.ufunc, left: Value, right: Value) -> Value:
    """Two values combined entry by entry; the axes of the right meet those of the left in order."""
    if left.axes and right.axes:
        if len(left.axes) != len(right.axes):
            raise MismatchError("a vector and a matrix")
        right = relabelled(right, dict(zip(right.axes, left.axes, strict=True)))
    labels = tuple(dict.fromkeys((*left.labels, *right.labels)))
    try:
        array = operation(spread(left, labels), spread(right, labels))
    except ValueError as error:
        raise MismatchError(str(error)) from None
    return Value(array, labels, left.axes or right.axes, left.row if left.axes else right.row)


def relabelled(value: Value, names: Mapping[str, str]) -> Value:
    """The value with axes renamed."""
    return replace(
        value,
        labels=tuple(names.get(label, label) for label in value.labels),
        axes=tuple(names.get(label, label) for label in value.axes),
    )


def times(left: Value, right: Value, number: int) -> Value:
    """The product of scalars, entries, vectors and matrices."""
    if not (left.axes and right.axes):
        return joined(np.multiply, left, right)
    if len(left.axes) == len(right.axes) == 1 and right.row and not left.row:
        joint = joined(np.multiply, replace(left, axes=()), replace(right, axes=()))
        return replace(joint, axes=(*left.axes, *right.axes))
    if len(left.axes) == 1 and not left.row:
        raise MismatchError("a column before what is no row")
    if len(right.axes) == 1 and right.row:
        raise MismatchError("a row after a matrix")
    inner = f"#inner{number}"
    one, other = relabelled(left, {left.axes[-1]: inner}), relabelled(right, {right.axes[0]: inner})
    joint = joined(np.multiply, replace(one, axes=()), replace(other, axes=()))
    axes = (*left.axes[:-1], *right.axes[1:])
    return replace(summed(joint, inner), axes=axes, row=len(left.axes) == 1)


def summed(value: Value, label: str) -> Value:
    """The sum over one axis."""
    place = value.labels.index(label)
    labels = tuple(other for other in value.labels if other != label)
    return replace(value, array=value.array.sum(axis=place), labels=labels)


def diagonal(value: Value) -> Value:
    """The diagonal matrix of a vector, or the diagonal of a matrix."""
    if len(value.axes) == 2:
        merged = relabelled(value, {value.axes[1]: value.axes[0]})
        return on_diagonal(value.array, merged.labels, value.axes[:1])
    (axis,) = value.axes
    size = value.array.shape[value.labels.index(axis)]
    other = axis + "'"
    return replace(joined(np.multiply, value, Value(np.eye(size), (axis, other))), axes=(axis, other), row=False)


def equal(one: Value, other: Value, tolerance: float = 1e-8) -> bool:
    """Whether two members agree: at every entry, over the letters of both."""
    if one.axes and other.axes and len(one.axes) == len(other.axes):
        other = relabelled(other, dict(zip(other.axes, one.axes, strict=True)))
    labels = tuple(dict.fromkeys((*one.labels, *other.labels)))
    try:
        a, b = np.broadcast_arrays(spread(one, labels), spread(other, labels))
    except ValueError:
        return False
    scale = max(SMALL, float(np.max(np.abs(a), initial=0)), float(np.max(np.abs(b), initial=0)))
    return float(np.max(np.abs(a - b), initial=0)) <= tolerance * scale
