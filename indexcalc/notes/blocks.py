"""What a note is made of: neutral blocks that keep their mathematics as algebra objects.

A writer turns blocks into a format; no block knows one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.terms import Access, Base, Index, Slot, Terms
from indexcalc.calculus.steps import Subject, ThroughConsumer
from indexcalc.cost import Count
from indexcalc.notes.matrix import Matrix, Whole
from indexcalc.notes.sides import Side
from indexcalc.program import Equation


@dataclass(frozen=True, slots=True)
class Symbol:
    """The symbol of a tensor without its indices."""

    tensor: str


@dataclass(frozen=True, slots=True)
class Loss:
    """The symbol of the loss."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """The derivative of the loss by an entry, or by a whole tensor where no slots are given."""

    entry: Access


@dataclass(frozen=True, slots=True)
class Match:
    """``left = right`` between an index and what it equals."""

    left: Slot
    right: Slot


@dataclass(frozen=True, slots=True)
class Within:
    """The interval in which the entries of an input lie."""

    entry: Access
    domain: sp.Interval


@dataclass(frozen=True, slots=True)
class Renaming:
    """``old -> new`` between two indices."""

    old: Index
    new: Index


@dataclass(frozen=True, slots=True)
class Equality:
    """``left = right`` in running text."""

    left: Terms
    right: Terms


@dataclass(frozen=True, slots=True)
class Order:
    """``O(T^2 d)``: a count up to a constant factor."""

    count: sp.Expr


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A count of operations or entries: a polynomial in the extents."""

    count: Count


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar expression, such as an extent."""

    value: sp.Expr


@dataclass(frozen=True, slots=True)
class Shape:
    """The space of arrays with these axes, or `bare` their lengths alone; an axis may fuse several slots.

    The entries are real numbers, "R", or whole ones, "N".
    """

    axes: tuple[tuple[sp.Expr, ...], ...]
    numbers: str = "R"
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Sign:
    """A fixed piece of notation, in LaTeX."""

    latex: str


@dataclass(frozen=True, slots=True)
class Code:
    """Text in typewriter."""

    text: str


Span = (
    str
    | Base
    | Slot
    | Terms
    | Symbol
    | Loss
    | Gradient
    | Match
    | Within
    | Renaming
    | Equality
    | Order
    | Polynomial
    | Scalar
    | Shape
    | Sign
    | Code
    | ThroughConsumer
)
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title of some level; 1 is the document's own."""

    level: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short paragraphs."""

    items: tuple[Spans, ...]


Left = Subject | Terms


@dataclass(frozen=True, slots=True)
class Display:
    """``left = side = side``, set on lines of its own.

    Attributes:
        left: what the equation is about; Terms for an identity.
        sides: at least one.
        defines: whether the first sign is ``:=``.
        boxed: whether it is a result to remember.
        spelled: whether the left side prints a named gradient as ``name := dL/dX``.
        reasons: why each side is equal to what stands before it, printed beside it; none, or one for each side.
    """

    left: Left
    sides: tuple[Side, ...]
    defines: bool = False
    boxed: bool = False
    spelled: bool = False
    reasons: tuple[Spans, ...] = ()


@dataclass(frozen=True, slots=True)
class Displays:
    """Several equations in one place."""

    items: tuple[Display, ...]


@dataclass(frozen=True, slots=True)
class Solved:
    """``left = right``, which determines a tensor: between whole arrays where that can be said, or between entries."""

    unknown: str
    left: Matrix | Terms
    right: Matrix | Terms

    @property
    def is_whole(self) -> bool:
        """Whether both sides are expressions between whole arrays."""
        return not isinstance(self.left, tuple)


@dataclass(frozen=True, slots=True)
class MatrixDisplays:
    """Equations between whole arrays or slices: ``(backward tensor, matrix expression)``, or systems."""

    items: tuple[tuple[Whole, Matrix] | Solved, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every cell is running text. The last `wrapping` columns hold sentences."""

    header: tuple[str, ...]
    rows: tuple[tuple[Spans, ...], ...]
    wrapping: int = 1


@dataclass(frozen=True, slots=True)
class Node:
    """A tensor in a diagram.

    Attributes:
        tensor: what stands in the node for it.
        shape: its shape as text.
        made: whether it is made there, or comes from elsewhere.
        name: its name in the program, where something else stands in the node.
    """

    tensor: str
    shape: str
    made: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A tensor is read to make another one, by an operation; `kept` if it comes from an earlier pass."""

    source: str
    sink: str
    operation: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """A dataflow diagram with a sentence above it; formats that cannot draw one leave it out."""

    caption: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Assignments:
    """A numbered list of assignments, between whole arrays or between entries; gradients read ``dX``."""

    items: tuple[tuple[Whole, Matrix] | Equation | Solved, ...]


Block = Heading | Paragraph | Items | Display | Displays | MatrixDisplays | Table | Diagram | Assignments


def displays_of(blocks: Iterable[Block]) -> tuple[Display, ...]:
    """Every displayed equation of the blocks, in reading order."""
    found: list[Display] = []
    for block in blocks:
        if isinstance(block, Display):
            found.append(block)
        elif isinstance(block, Displays):
            found.extend(block.items)
    return tuple(found)
