"""Windows that products of matrices read: BLAS needs their entries one after another, so each window is a copy.

A view of windows shows every entry of an array several times. As a factor of a product of matrices it is copied to as
many places, which is work for memory and not for BLAS: it is done block by block, and once for all products that
read the same windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy as sp

from indexcalc.algebra.slots import indices_of_slot, lookups_of_slot
from indexcalc.algebra.terms import Index
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.views import are_apart
from indexcalc.codegen.windows import source_of

LONG, SHORT = 1000, 10
"""What the extents of an array that windows are taken of are supposed to be, and all others."""

Windows = Mapping[str, frozenset[int]]
"""The tensors that show windows: which of their axes say where the window is, rather than what lies in it."""


def windows_of(
    statements: Iterable[Statement], slots: Mapping[str, Sequence[Index]], sizes: Mapping[sp.Symbol, int]
) -> Windows:
    """The statements that show windows.

    Args:
        statements: which may.
        slots: of the tensors that are there before.
        sizes: the extents, where they are known.
    """
    known = dict(slots)
    found: dict[str, frozenset[int]] = {}
    for statement in statements:
        known[statement.name] = statement.axes
        if shows_windows(statement):
            entry = source_of(statement)
            pairs = zip(entry.slots, known[entry.tensor], strict=True)
            longest = {
                max(indices, key=lambda index: nominal(index.extent, along.extent, sizes))
                for slot, along in pairs
                if len(indices := indices_of_slot(slot)) > 1
            }
            found[statement.name] = frozenset(statement.axes.index(index) for index in longest)
    return found


def shows_windows(statement: Statement) -> bool:
    """Whether a statement is a view in which entries of one array appear several times."""
    if statement.kind is not Kind.GATHER:
        return False
    entry = source_of(statement)
    several = any(len(indices_of_slot(slot)) > 1 for slot in entry.slots)
    return several and are_apart(entry.slots) and not any(lookups_of_slot(slot) for slot in entry.slots)


def nominal(extent: sp.Expr, along: sp.Expr, sizes: Mapping[sp.Symbol, int]) -> int:
    """How long an axis may be, where windows lie along an axis of length `along`."""
    if sizes:
        return int(extent.subs(sizes))
    symbols = extent.free_symbols | along.free_symbols
    short = dict.fromkeys(symbols, SHORT)
    # What makes the array longer is its own length; what makes it shorter is that of a window.
    long = {symbol for symbol in symbols if along.subs({**short, symbol: LONG}) > along.subs(short)}
    return int(extent.subs({symbol: LONG if symbol in long else SHORT for symbol in symbols}))


def order_of_copy(
    axes: Sequence[Index], positions: Iterable[Index], kept: Iterable[Index], summed: Iterable[Index]
) -> tuple[Index, ...]:
    """The axes of a copy: those of a batch, then the two sides of the matrix, positions on the last.

    Rows are then copied as they lie in memory, and a product that sums over the other side reads the transpose.

    Args:
        axes: of the windows.
        positions: those of them that say where the window is.
        kept: those that the other factor lacks.
        summed: those that are summed.
    """
    sides = [[axis for axis in axes if axis in set(side)] for side in (kept, summed)]
    batch = [axis for axis in axes if axis not in sides[0] and axis not in sides[1]]
    last = max((axis for axis in positions), key=axes.index)
    first, second = sides if last in sides[1] else reversed(sides)
    return (*batch, *first, *second)
