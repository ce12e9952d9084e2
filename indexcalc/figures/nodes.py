"""Expressions of a worksheet: figures, names of entries, and arithmetic on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexcalc.figures.intervals import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it is written: its value, and half a unit of its last digit.

    Attributes:
        text: the digits shown.
        value: what they say.
        half: half a unit of the last digit; an integer has half a one.
        whole: whether it has neither a point nor an exponent.
        start: where it stands in the text.
    """

    text: str
    value: float
    half: float
    whole: bool
    start: int = 0

    @property
    def digits(self) -> Interval:
        """All numbers that round to the figure."""
        return Interval(self.value - self.half, self.value + self.half)

    @property
    def negated(self) -> Figure:
        """The figure with a minus in front."""
        return Figure(f"-{self.text}", -self.value, self.half, self.whole, self.start)


@dataclass(frozen=True, slots=True)
class Name:
    """A tensor, an entry or a part of one: ``dL/dW[1][0]``, ``V^T[0,:]``; an index is a number or None for a slice.

    Attributes:
        base: the name without its derivative.
        gradient: whether it is the derivative of the loss by it.
        places: the indices, empty for the whole.
        transposed: whether it is read as its transpose.
        text: as it is written.
        symbolic: whether an index is a letter, so that it stands for many entries.
    """

    base: str
    gradient: bool = False
    places: tuple[int | None, ...] = ()
    transposed: bool = False
    text: str = ""
    symbolic: bool = False


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms added up, each with its sign."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors multiplied, each above (1) or below (-1) the bar; `matrix` if a sign says that it is a matrix product."""

    factors: tuple[tuple[int, Node], ...]
    matrix: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """``base ^ exponent``."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call:
    """``name(argument)``."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A list in brackets; `gap` is the number of items before an ellipsis, or None."""

    items: tuple[Node, ...]
    gap: int | None = None


@dataclass(frozen=True, slots=True)
class Dots:
    """An ellipsis in a sum."""


Node = Figure | Name | Sum | Product | Power | Call | Rows | Dots


def parts(node: Node) -> tuple[Node, ...]:
    """The expressions right inside one."""
    match node:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(factors):
            return tuple(factor for _, factor in factors)
        case Power(base, exponent):
            return (base, exponent)
        case Call(_, arguments):
            return arguments
        case Rows(items):
            return items
    return ()


def walk(node: Node) -> Iterator[Node]:
    """The expression and all inside it, left to right."""
    yield node
    for part in parts(node):
        yield from walk(part)


def has_figures(node: Node) -> bool:
    """Whether a figure with a point or an exponent, or a list, stands in it."""
    return any((isinstance(inner, Figure) and not inner.whole) or isinstance(inner, Rows) for inner in walk(node))


def names_in(node: Node) -> list[Name]:
    """The names that occur, in order."""
    return [inner for inner in walk(node) if isinstance(inner, Name)]


def shape_of(node: Node) -> tuple[int, ...] | None:
    """The shape of a list of figures; () for a figure; None for anything else or for rows of unequal lengths."""
    if isinstance(node, Figure):
        return ()
    if not isinstance(node, Rows) or not node.items:
        return None
    shapes = {shape_of(item) for item in node.items}
    if len(shapes) != 1 or None in shapes:
        return None
    return (len(node.items), *(next(iter(shapes)) or ()))


def figure_items(node: Node, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Figure]]:
    """Every figure of a list with its place; those after an ellipsis count from the end, as -1, -2, ..."""
    if isinstance(node, Figure):
        yield place, node
    elif isinstance(node, Rows):
        for number, item in enumerate(node.items):
            at = number if node.gap is None or number < node.gap else number - len(node.items)
            yield from figure_items(item, (*place, at))


def replaced(node: Node, old: Node, new: Node, which: int) -> Node:
    """The expression with one of the places where `old` stands taken by `new`, counted from the left."""
    seen = -1

    def visit(inner: Node) -> Node:
        nonlocal seen
        if inner == old:
            seen += 1
            return new if seen == which else inner
        match inner:
            case Sum(terms):
                return Sum(tuple((sign, visit(term)) for sign, term in terms))
            case Product(factors, matrix):
                return Product(tuple((side, visit(factor)) for side, factor in factors), matrix)
            case Power(base, exponent):
                return Power(visit(base), visit(exponent))
            case Call(name, arguments):
                return Call(name, tuple(visit(argument) for argument in arguments))
            case Rows(items, gap):
                return Rows(tuple(visit(item) for item in items), gap)
        return inner

    return visit(node)
