"""A formula as rows of items: names with their scripts, numbers, groups, fractions, signs; by its text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tests.campaign.documents.blocks import Part, Region
from tests.campaign.documents.letters import FONTS, WORDS, Piece, pieces_in


class Role(StrEnum):
    """What an item of a formula is."""

    NAME = "name"
    NUMBER = "number"
    GROUP = "group"
    FRACTION = "fraction"
    DERIVATIVE = "derivative"
    FUNCTION = "function"
    SUM = "sum"
    SIGN = "sign"
    TIMES = "times"
    OTHER = "other"


OPERANDS = frozenset({Role.NAME, Role.NUMBER, Role.GROUP, Role.FRACTION, Role.DERIVATIVE})


@dataclass(frozen=True)
class Item:
    """A name with its scripts, a number, a group, a sign: from where to where, and what is inside it.

    Attributes:
        role: what it is.
        start: where it starts.
        end: where it ends, with its scripts.
        base: what is written without its scripts.
        inside: the rows of items in its brackets.
    """

    role: Role
    start: int
    end: int
    base: str
    inside: tuple[tuple[Item, ...], ...] = ()


FUNCTIONS = frozenset(
    rf"\{name}"
    for name in (
        *("log", "ln", "exp", "sin", "cos", "tan", "tanh", "sigma", "max", "min", "det", "sqrt", "nabla"),
        *("operatorname", "arg", "Pr", "sgn", "sup"),
    )
)
ACCENTS = frozenset(
    rf"\{name}"
    for name in (
        *("hat", "bar", "tilde", "vec", "dot", "overline", "widehat", "widetilde", "underline", "ddot", "boxed"),
        "underbrace",
    )
)
PRODUCTS = frozenset((r"\cdot", r"\times", r"\odot", r"\circ", r"\otimes", r"\,", r"\;", r"\!", r"\:", r"\ ", "."))
OPENING = {"(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle"}
SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)")
EMPTY = re.compile(r"\{?\s*(?:\\partial|\\mathrm\s*\{?\s*d\s*\}?|d(?![a-z]{2}))")
PARTIAL = frozenset((r"\partial", r"\mathrm{d}"))


@dataclass
class Reader:
    """Reads the pieces of a formula from left to right."""

    text: str
    pieces: list[Piece]
    at: int = 0

    @property
    def here(self) -> str:
        """The piece that comes next; empty behind the last."""
        return self.pieces[self.at].text if self.at < len(self.pieces) else ""

    def row(self, closing: str = "") -> tuple[Item, ...]:
        """The items up to a closing bracket, or to the end."""
        items: list[Item] = []
        while self.at < len(self.pieces) and self.here != closing:
            if SIZED.fullmatch(self.here):
                self.at += 1
                continue
            items.append(self.item())
        return tuple(items)

    def item(self) -> Item:
        """The next item with its scripts."""
        first = self.pieces[self.at]
        role, inside = self.base()
        end = self.pieces[self.at - 1].end
        base = self.text[first.start : end]
        while self.here in ("_", "^", "'", r"\limits"):
            script = self.here
            self.at += 1
            if script in ("_", "^") and self.at < len(self.pieces):
                self.base()
            end = self.pieces[self.at - 1].end
        return Item(role, first.start, end, base, inside)

    def base(self) -> tuple[Role, tuple[tuple[Item, ...], ...]]:
        """What the next item is, and what is inside it; read past it."""
        piece = self.here
        self.at += 1
        if piece == "{":
            row = self.row("}")
            self.at += 1
            return Role.GROUP, (row,)
        if piece in OPENING:
            row = self.row(OPENING[piece])
            self.at += 1
            return Role.GROUP, (row,)
        if piece in (r"\frac", r"\dfrac", r"\tfrac"):
            start = self.pieces[self.at].start if self.here else 0
            above = self.base()[1] if self.here else ()
            below = self.base()[1] if self.here else ()
            if EMPTY.match(self.text, start):
                return Role.DERIVATIVE, ()
            return Role.FRACTION, (*above, *below)
        if piece in WORDS or piece in FONTS or piece in ACCENTS or piece == r"\sqrt":
            inside = self.base()[1] if self.here else ()
            if piece == r"\sqrt":
                return Role.FUNCTION, inside
            return (Role.FUNCTION if piece.startswith(r"\operatorname") else Role.NAME), ()
        if piece in ("+", "-"):
            return Role.SIGN, ()
        if piece in PRODUCTS:
            return Role.TIMES, ()
        if piece in (r"\sum", r"\prod", r"\int"):
            return Role.SUM, ()
        if piece in FUNCTIONS:
            return Role.FUNCTION, ()
        if piece[0].isdigit():
            return Role.NUMBER, ()
        if re.fullmatch(r"[^\W\d_]", piece):
            return Role.NAME, ()
        if re.fullmatch(r"\\[A-Za-z]+", piece) and piece not in PARTIAL and piece not in NO_OPERANDS:
            groups = False
            while self.here == "{":
                self.base()
                groups = True
            return (Role.OTHER if groups else Role.NAME), ()
        return Role.OTHER, ()


NO_OPERANDS = frozenset(
    rf"\{name}"
    for name in (
        *("quad", "qquad", "in", "to", "le", "ge", "leq", "geq", "neq", "ne", "sim", "approx", "equiv", "mid"),
        "mapsto",
        *("dots", "ldots", "cdots", "vdots", "begin", "end", "left", "right", "forall", "exists", "iff", "implies"),
        *("Rightarrow", "rightarrow", "infty", "top", "intercal", "limits", "displaystyle", "nonumber"),
    )
)


OPERATOR = re.compile(r"\\[dt]?frac\s*\{\s*(?:\\partial|d|\\mathrm\s*\{\s*d\s*\})\s*\}")
"""A derivative that has nothing above its line, and so takes what follows."""


def items_of(text: str, start: int, end: int) -> tuple[Item, ...]:
    """The items of a member, up to a derivative that takes what follows."""
    operator = OPERATOR.search(text, start, end)
    stop = operator.start() if operator else end
    return Reader(text, list(pieces_in(text, Region(Part.INLINE, start, stop, start, stop), 0))).row()


def rows_in(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """A row of items, and the rows in their brackets."""
    yield items
    for item in items:
        for row in item.inside:
            yield from rows_in(row)


def neighbours(row: tuple[Item, ...], number: int) -> tuple[Item | None, Item | None]:
    """The items before and behind one, signs of products left out."""
    before = next((item for item in reversed(row[:number]) if item.role is not Role.TIMES), None)
    behind = next((item for item in row[number + 1 :] if item.role is not Role.TIMES), None)
    return before, behind
