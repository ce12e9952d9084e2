"""Which sum a Kronecker delta collapses, in the layout of a formula: the sum that binds one of its two indices.

A delta both of whose indices are summed over could collapse either sum, and stays without a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from indexcalc.notes.formula import (
    Aligned,
    Boxed,
    Bracketed,
    Fraction,
    Kind,
    Leaf,
    Marked,
    Node,
    Root,
    Row,
    Scripted,
)
from indexcalc.notes.names import DELTA_MARK

SUM_MARK, COLLAPSE_MARK = "sum:", "collapse:"
"""The marks of a sum that a delta collapses, followed by its number; and of the delta, with the index's mark too."""

COMMA = Leaf(Kind.SIGN, ",")
ENDS_TERM = frozenset("+−=←,") | {":="}
"""The signs that end what a sum in front of them ranges over."""

Scope = dict[str, int]
"""The sums that are open, by the marks of their indices."""


def with_collapses(row: Row) -> Row:
    """The formula with marks on its sums, and on each delta that collapses one of them."""
    return linked(row, {}, {}, count())


def linked(row: Row, outer: Mapping[str, int], scope: Scope, numbers: Iterator[int]) -> Row:
    """The same for a row.

    Args:
        row: items side by side.
        outer: the sums around the row.
        scope: the sums open at its beginning; changed to those open at its end.
        numbers: numbers for sums.
    """
    scope.update(outer)
    items: list[Node] = []
    for item in row.items:
        if ends_scope(item):
            scope.clear()
            scope.update(outer)
        if is_sum(item) and isinstance(item, Scripted):
            number = next(numbers)
            scope.update(dict.fromkeys(plain_marks(item.below), number))
            items.append(Marked(f"{SUM_MARK}{number}", Row((item,))))
        elif is_delta(item) and isinstance(item, Scripted):
            found = [mark for mark in plain_marks(item.below) if mark in scope]
            mark = f"{COLLAPSE_MARK}{scope[found[0]]}:{found[0]}" if len(found) == 1 else ""
            items.append(Marked(mark, Row((item,))) if mark else item)
        else:
            items.append(inside(item, dict(scope), numbers))
    return Row(tuple(items))


def inside(node: Node, scope: Scope, numbers: Iterator[int]) -> Node:
    """A node with the same done in its rows."""

    def row(one: Row) -> Row:
        return linked(one, scope, {}, numbers)

    match node:
        case Row():
            return row(node)
        case Bracketed(body=body) | Boxed(body) | Root(body=body):
            return replace(node, body=row(body))
        case Fraction(above, below):
            return Fraction(row(above), row(below))
        case Scripted(base):
            return replace(node, base=inside(base, scope, numbers))
        case Aligned(lines):
            # A product that goes on in the next line is still under its sums.
            open_sums: Scope = {}
            return Aligned(tuple(tuple(linked(cell, scope, open_sums, numbers) for cell in line) for line in lines))
    return node


def ends_scope(node: Node) -> bool:
    """Whether a sum in front does not reach beyond: a sign between terms, or a bracket that an earlier line opened."""
    if isinstance(node, Bracketed):
        return not node.left and not node.body.items
    return isinstance(node, Leaf) and node.kind is Kind.SIGN and node.text in ENDS_TERM


def is_sum(node: Node) -> bool:
    """Whether this is a sum sign with its indices."""
    return isinstance(node, Scripted) and node.base == Leaf(Kind.SIGN, "∑")


def is_delta(node: Node) -> bool:
    """Whether this is a Kronecker delta."""
    return isinstance(node, Scripted) and isinstance(node.base, Marked) and node.base.mark == DELTA_MARK


def plain_marks(row: Row | None) -> tuple[str, ...]:
    """The marks of the indices that stand alone in a place of a subscript."""
    items = row.items if row is not None else ()
    places: list[list[Node]] = [[]]
    for item in items:
        if item == COMMA:
            places.append([])
        else:
            places[-1].append(item)
    if len(places) == 1 and all(isinstance(item, Marked) for item in items):
        places = [[item] for item in items]
    return tuple(place[0].mark for place in places if len(place) == 1 and isinstance(place[0], Marked))
