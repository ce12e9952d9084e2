"""Arrays made of arrays: blocks beside and below each other, whose sizes are the most general that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexcalc.document.meaning.nodes import ZERO, Meaning, Stacked, renamed
from indexcalc.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed

Rows = Sequence[Sequence[Typed]]
"""Blocks, row by row."""

THIN: tuple[Ix, ...] = ()
"""The axes of a block along a direction in which it is one entry thick."""


def of_blocks(rows: Rows, sizes: Sizes) -> Typed:
    """The array that blocks make; a vector if it is one entry thick. A zero is as large as it must be.

    Raises:
        NotUnderstoodError: for blocks with more than two axes.
        ShapeError: for rows of several lengths, and for a matrix where others are one entry thick.
    """
    if len({len(row) for row in rows}) > 1:
        raise ShapeError("rows of blocks of several lengths")
    if any(len(block.axes) > 2 for row in rows for block in row):
        raise NotUnderstoodError("a block with more than two axes")
    heights = [extent((down(block) for block in row if block.node != ZERO), sizes) for row in rows]
    widths = [extent((across(block) for block in one if block.node != ZERO), sizes) for one in zip(*rows, strict=True)]
    lines = [
        [laid(block, high, wide) for block, wide in zip(row, widths, strict=True)]
        for row, high in zip(rows, heights, strict=True)
    ]
    width, height = together(widths, sizes), together(heights, sizes)
    node = stacked([stacked(line, widths, width) for line in lines], heights, height)
    thick = [axis for axis in (height, width) if sizes.exact.get(sizes.find(axis)) != 1]
    orientation = ROW if thick == [width] else COLUMN
    return Typed(node, tuple(thick), orientation, any(block.jacobian for row in rows for block in row))


def down(block: Typed) -> tuple[Ix, ...]:
    """The axis of a block along which its rows lie."""
    return block.axes[:1] if len(block.axes) == 2 or block.orientation == COLUMN else THIN


def across(block: Typed) -> tuple[Ix, ...]:
    """The axis of a block along which its columns lie."""
    return block.axes[-1:] if len(block.axes) == 2 or block.orientation == ROW else THIN


def extent(found: Iterable[tuple[Ix, ...]], sizes: Sizes) -> Ix:
    """The common axis of the blocks of a row or a column; of any size if all of them are zeros."""
    axes = list(found)
    if not axes:
        return sizes.fresh()
    if THIN in axes and any(axes):
        raise ShapeError("a matrix beside a block that is one entry thick")
    if THIN in axes:
        return sizes.measured(1)
    common = sizes.like(axes[0][0])
    for (axis,) in axes[1:]:
        sizes.fit(common, axis)
    return common


def laid(block: Typed, height: Ix, width: Ix) -> Meaning:
    """A block over the axes of its row and its column."""
    pairs = [*zip(down(block), (height,), strict=False), *zip(across(block), (width,), strict=False)]
    return renamed(block.node, dict(pairs))


def together(axes: Sequence[Ix], sizes: Sizes) -> Ix:
    """The axis of several blocks in a row: as long as all of them."""
    return axes[0] if len(axes) == 1 else sizes.joined(axes)


def stacked(bodies: Sequence[Meaning], axes: Sequence[Ix], whole: Ix) -> Meaning:
    """Expressions one behind the other along the axis of them all."""
    return bodies[0] if len(bodies) == 1 else Stacked(whole, tuple(axes), tuple(bodies))
