"""The values of symbolic extents, solved from the shapes of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.errors import IndexCalcError

Axes = tuple[tuple[Index, ...], ...]
Shaped = tuple[str, Axes, tuple[int, ...]]


class ExtentError(IndexCalcError):
    """Shapes that contradict each other, or do not say how large an extent is."""


def solve_sizes(
    extents: Sequence[sp.Symbol], shapes: Sequence[Shaped], fixed: Mapping[str, int]
) -> dict[sp.Symbol, int]:
    """The value of every extent.

    Args:
        extents: what to solve for.
        shapes: ``(what it is called in errors, axes with their slots, lengths)`` for each array.
        fixed: values that are given, by name.

    Raises:
        ExtentError: if a number of axes or a length does not fit, or an extent stays unknown.
    """
    sizes = {extent: fixed[str(extent)] for extent in extents if str(extent) in fixed}
    sources = dict.fromkeys(sizes, "[sizes]")
    lengths = [
        (f"{place}, axis {number}", sp.Mul(*(slot.extent for slot in axis)), length)
        for place, axes, shape in shapes
        for number, (axis, length) in enumerate(zip(checked(place, axes, shape), shape, strict=True))
    ]
    # Every round may make one more product have a single unknown.
    for _ in range(len(lengths) + 1):
        for place, product, length in lengths:
            found = product.subs(sizes)
            unknown = sorted(found.free_symbols, key=str)
            if len(unknown) == 1:
                factor = sp.Integer(length) * unknown[0] / found
                if factor.is_Integer and factor >= 1:
                    sizes[unknown[0]], sources[unknown[0]] = int(factor), place
    for place, product, length in lengths:
        compare(place, product, length, sizes, sources)
    missing = [str(extent) for extent in extents if extent not in sizes]
    if missing:
        raise ExtentError(f"no shape says how large {missing[0]} is; write [sizes] and {missing[0]} = ... below it")
    return sizes


def checked(place: str, axes: Axes, shape: tuple[int, ...]) -> Axes:
    """The axes, if the array has as many."""
    if len(axes) != len(shape):
        raise ExtentError(f"{place} has {len(shape)} levels of lists, expected {len(axes)}: {described(axes)}")
    return axes


def described(axes: Axes) -> str:
    """The lengths that are expected, in words."""
    return " x ".join("*".join(str(slot.extent) for slot in axis) for axis in axes) or "a single number"


def compare(
    place: str, product: sp.Expr, length: int, sizes: Mapping[sp.Symbol, int], sources: Mapping[sp.Symbol, str]
) -> None:
    """Return if a length is what the sizes say, or if they say nothing."""
    expected = product.subs(sizes)
    if expected.is_Integer and expected != length:
        why = ", ".join(f"{s} = {sizes[s]} from {sources[s]}" for s in sorted(product.free_symbols, key=str))
        raise ExtentError(f"{place} has length {length}, expected {product} = {expected}{f' ({why})' if why else ''}")
    if not expected.is_Integer and len(expected.free_symbols) == 1:
        raise ExtentError(f"{place} has length {length}, which {product} cannot be")


def shape_in_slots(slots: Sequence[Index], sizes: Mapping[sp.Symbol, int]) -> tuple[int, ...]:
    """The shape of an array with one axis a slot."""
    return tuple(int(slot.extent.subs(dict(sizes))) for slot in slots)
