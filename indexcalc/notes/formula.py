"""The layout of a formula as a tree: letters, rows, scripts, fractions, brackets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What a leaf is, and so how it is set."""

    LETTER = auto()
    UPRIGHT = auto()
    TYPEWRITER = auto()
    FUNCTION = auto()
    NUMBER = auto()
    SIGN = auto()
    TIMES = auto()
    SPACE = auto()
    WORDS = auto()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A symbol, number, sign or word; `TIMES` is the thin space of a product."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Items side by side."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A row between delimiters, of which one may be empty; `size` is 0, 1 or 2, or 3 for as large as needed."""

    left: str
    body: Row
    right: str
    size: int


@dataclass(frozen=True, slots=True)
class Scripted:
    """A base with what stands below and above it."""

    base: Node
    below: Row | None
    above: Row | None


@dataclass(frozen=True, slots=True)
class Fraction:
    """One row over another."""

    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Root:
    """The root of a row, square without a degree."""

    body: Row
    degree: Row | None


@dataclass(frozen=True, slots=True)
class Boxed:
    """A row in a frame."""

    body: Row


@dataclass(frozen=True, slots=True)
class Aligned:
    """Lines of cells, right and left by turns."""

    lines: tuple[tuple[Row, ...], ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A row that stands for what the mark says."""

    mark: str
    body: Row


Node = Leaf | Row | Bracketed | Scripted | Fraction | Root | Boxed | Aligned | Marked
