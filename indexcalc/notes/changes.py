"""What is new in a formula, compared with the one that it follows from: found in the layouts of both.

Items are compared first whole, then inside those that have one form: of ``A_{ac}`` beside ``A_{aj}`` only the j is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from indexcalc.notes.collapses import COLLAPSE_MARK, SUM_MARK
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

CHANGED_MARK = "changed"
"""The mark of what is new in a formula."""

EQUALS = frozenset(("=", ":=", "←"))
"""The signs between the sides of a formula."""

UNSEEN = frozenset((Kind.SPACE, Kind.TIMES))
"""What is not there to be seen, and so never marked."""


def with_changes(row: Row, before: Row | None) -> Row:
    """The formula with marks on what is new in each side, compared with the side it follows from.

    The first side behind the left one follows from the last side of the formula `before`, where there is one. A side
    that keeps nothing has no marks: it is another formula, not a step.
    """
    items = list(cells_of(row))
    last = sides_of([bare(item) for item in cells_of(before)])[-1] if before is not None else []
    new: list[Node] = []
    for number, side in enumerate(sides_of(items)):
        new.extend(side_with_changes(last, side) if number and last else side)
        if number:
            last = [bare(item) for item in side]
    return put_back(row, with_signs(items, new))


def sides_of(items: Sequence[Node]) -> list[list[Node]]:
    """The items between the signs of equality."""
    sides: list[list[Node]] = [[]]
    for item in items:
        if is_equals(item):
            sides.append([])
        else:
            sides[-1].append(item)
    return sides


def with_signs(items: Sequence[Node], others: Sequence[Node]) -> Iterator[Node]:
    """The items with those that are no signs of equality replaced, in order."""
    rest = iter(others)
    for item in items:
        yield item if is_equals(item) else next(rest)


def is_equals(node: Node) -> bool:
    """Whether this is a sign between the sides of a formula."""
    return isinstance(node, Leaf) and node.kind is Kind.SIGN and node.text in EQUALS


def side_with_changes(before: Sequence[Node], side: Sequence[Node]) -> Sequence[Node]:
    """One side with its marks; without any where nothing that can be seen is kept.

    Words behind a formula say why it holds: they, and what they name, are no part of it.
    """
    end = next((place for place, item in enumerate(side) if are_words(item)), None)
    if end is not None:
        return [*side_with_changes(before, side[:end]), *side[end:]]
    kept = set(before) & {bare(item) for item in side if is_seen(item)}
    heads = {head(item) for item in before} & {head(bare(item)) for item in side if is_seen(item)}
    return with_new_items(before, side) if kept or heads else side


def are_words(node: Node) -> bool:
    """Whether words stand here."""
    return isinstance(node, Leaf) and node.kind is Kind.WORDS


def is_seen(node: Node) -> bool:
    """Whether a node is more than a sign or a space."""
    return is_visible(node) and not (isinstance(node, Leaf) and node.kind is Kind.SIGN)


def with_new_items(before: Sequence[Node], items: Sequence[Node]) -> list[Node]:
    """Items with marks on those that are new, or inside those of which only a part is."""
    found: list[Node] = []
    for tag, a, b, c, d in matched(before, [bare(item) for item in items]):
        found.extend(items[c:d] if tag == "equal" else with_new_parts(before[a:b], items[c:d]))
    return found


def with_new_parts(before: Sequence[Node], items: Sequence[Node]) -> Iterator[Node]:
    """Items of which none is as it was: those that have the form of one before are marked inside."""
    for tag, a, b, c, d in matched([head(item) for item in before], [head(bare(item)) for item in items]):
        if tag == "equal":
            yield from (new_inside(old, new) for old, new in zip(before[a:b], items[c:d], strict=True))
        else:
            yield from map(marked_new, items[c:d])


def matched(before: Sequence[object], after: Sequence[object]) -> Sequence[tuple[str, int, int, int, int]]:
    """How one sequence becomes the other, as the standard library says it."""
    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def marked_new(node: Node) -> Node:
    """A node marked as new, if it can be seen."""
    return Marked(CHANGED_MARK, Row((node,))) if is_visible(node) else node


def is_visible(node: Node) -> bool:
    """Whether a node is more than a space."""
    return not (isinstance(node, Leaf) and node.kind in UNSEEN)


def joined(items: Iterable[Node]) -> Row:
    """Items in a row, in which neighbours that are new share one mark, with the spaces between them."""
    found: list[Node] = []
    spaces: list[Node] = []
    for item in items:
        if not is_visible(item):
            spaces.append(item)
            continue
        match found[-1:], item:
            case [Marked(mark, earlier)], Marked(other, body) if mark == other == CHANGED_MARK:
                found[-1] = Marked(CHANGED_MARK, Row((*earlier.items, *spaces, *body.items)))
            case _:
                found.extend((*spaces, item))
        spaces = []
    return Row((*found, *spaces))


def head(node: Node) -> object:
    """What two nodes have in common of which only the parts differ."""
    match node:
        case Scripted(base, below, above):
            return Scripted, base, below is None, above is None
        case Fraction():
            return Fraction
        case Bracketed(left, _, right, _):
            return Bracketed, left, right
        case Root(_, degree):
            return Root, degree
        case Row():
            return Row
    return node


def new_inside(before: Node, node: Node) -> Node:
    """A node whose form is that of another, with marks on what is new inside."""
    match before, node:
        case _, Marked(mark, Row((inner,))) if is_collapse(mark):
            return Marked(mark, Row((new_inside(before, inner),)))
        case Scripted(_, old_below, old_above), Scripted(base, below, above):
            return Scripted(base, new_row(old_below, below), new_row(old_above, above))
        case Fraction(old_above, old_below), Fraction(above, below):
            return Fraction(row_with_changes(old_above, above), row_with_changes(old_below, below))
        case Bracketed(body=old), Bracketed(left, body, right, size):
            return Bracketed(left, row_with_changes(old, body), right, size)
        case Root(old), Root(body, degree):
            return Root(row_with_changes(old, body), degree)
        case Row(), Row():
            return row_with_changes(before, node)
    return node


def new_row(before: Row | None, row: Row | None) -> Row | None:
    """A script with marks on what is new in it."""
    return row_with_changes(before, row) if before is not None and row is not None else row


def row_with_changes(before: Row, row: Row) -> Row:
    """A row with marks on what is new in it."""
    return joined(with_new_items(before.items, row.items))


def bare(node: Node) -> Node:
    """A node without the marks of sums and of the deltas that collapse them."""
    match node:
        case Marked(mark, Row((inner,))) if is_collapse(mark):
            return bare(inner)
        case Marked(mark, body):
            return Marked(mark, bare_row(body))
        case Row():
            return bare_row(node)
        case Bracketed(body=body) | Boxed(body) | Root(body=body):
            return replace(node, body=bare_row(body))
        case Fraction(above, below):
            return Fraction(bare_row(above), bare_row(below))
        case Scripted(base):
            return replace(node, base=bare(base))
    return node


def bare_row(row: Row) -> Row:
    """A row without these marks."""
    return Row(tuple(bare(item) for item in row.items))


def is_collapse(mark: str) -> bool:
    """Whether a mark is that of a sum, or of a delta that collapses one."""
    return mark.startswith((SUM_MARK, COLLAPSE_MARK))


def cells_of(row: Row) -> Iterator[Node]:
    """The items of a formula in the order in which they are read, of all its lines and of what stands in its frame."""
    for item in row.items:
        match item:
            case Boxed(body):
                yield from cells_of(body)
            case Aligned(lines):
                for line in lines:
                    for cell in line:
                        yield from cell.items
            case _:
                yield item


def put_back(row: Row, items: Iterator[Node]) -> Row:
    """The formula with its items replaced in the order in which they are read."""
    found: list[Node] = []
    for item in row.items:
        match item:
            case Boxed(body):
                found.append(Boxed(put_back(body, items)))
            case Aligned(lines):
                cells = (tuple(joined([next(items) for _ in cell.items]) for cell in line) for line in lines)
                found.append(Aligned(tuple(cells)))
            case _:
                found.append(next(items))
    return joined(found)
