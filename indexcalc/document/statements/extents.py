"""How many values an index has, where a row of a table says so: ``i`` beside ``N - K + 1``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import sympy as sp

from indexcalc.document.statements.index_expressions import is_index_letter
from indexcalc.document.statements.outline import Statement
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Sum

SIZES = re.compile(r"\b(?:number of values|sizes?|extents?|lengths?|ranges?|runs? (?:to|over))\b", re.IGNORECASE)
"""What a column of sizes is called at the head of a table."""


def extents_in(document: Document, statements: Sequence[Statement]) -> Mapping[str, tuple[tuple[int, sp.Expr], ...]]:
    """The number of values of each letter that a row of a table gives as an expression of sizes, with the row's place.

    A size alone behind a letter may be anything that belongs to it, unless the table says at its head that it is one.
    """
    found: dict[str, tuple[tuple[int, sp.Expr], ...]] = {}
    lone = (one for one in statements if len(one.sides) == 1)
    for line, row in groupby(lone, key=lambda one: document.place(one.span.start)[0]):
        text = text_of(document, line)
        if text.lstrip().startswith("|") or text.rstrip().endswith(r"\\"):
            letters, extent = extent_of([one.sides[0].tokens for one in row])
            if extent is not None and (extent.is_Add or (extent.is_Symbol and SIZES.search(head_of(document, line)))):
                place = document.line_starts[line - 1]
                found.update({letter: (*found.get(letter, ()), (place, extent)) for letter in letters})
    return found


def head_of(document: Document, line: int) -> str:
    """The first line of the table in which a line stands."""
    while line > 1 and text_of(document, line - 1).lstrip().startswith("|"):
        line -= 1
    return text_of(document, line)


def text_of(document: Document, line: int) -> str:
    """The text of a line, by its number."""
    start = document.line_starts[line - 1]
    return document.source[start : document.source.find("\n", start)]


def extent_of(cells: Sequence[Sequence[Token]]) -> tuple[list[str], sp.Expr | None]:
    """The letters that stand first in a row, and the expression behind them; None without one."""
    letters: list[str] = []
    for tokens in cells:
        if len(tokens) == 1 and is_index_letter(tokens[0]):
            letters.append(tokens[0].text)
            continue
        return letters, size_of(tokens) if letters else None
    return letters, None


def size_of(tokens: Sequence[Token]) -> sp.Expr | None:
    """An expression of sizes; a bracket that rounds down may stand around a part of it."""
    try:
        pieces = list(rounded(tokens))
        total = sp.S.Zero
        for sign, inner, is_rounded in pieces:
            value = sum_of(parse(inner))
            total += sign * (sp.floor(value) if is_rounded else value)
    except (IndexCalcError, RecursionError, NoSizeError):
        return None
    return sp.expand(total)


class NoSizeError(Exception):
    """What is no expression of sizes."""


def rounded(tokens: Sequence[Token]) -> Iterator[tuple[int, list[Token], bool]]:
    """The parts of a sum that stand in brackets that round down, and what stands between them, with signs."""
    part: list[Token] = []
    sign = 1
    for token in tokens:
        if token.text == "lfloor":
            sign = -1 if part and part[-1].kind == "MINUS" else 1
            if part and part[-1].kind not in ("PLUS", "MINUS"):
                raise NoSizeError
            if part[:-1]:
                yield 1, part[:-1], False
            part = []
        elif token.text == "rfloor":
            yield sign, part, True
            part = []
        else:
            part.append(token)
    if part:
        yield 1, part, False


def sum_of(tree: Sum) -> sp.Expr:
    """A sum of products of numbers and names."""
    return sp.Add(*(sign * sp.Mul(*(factor_of(item) for item in term.items)) for sign, term in tree.terms))


def factor_of(item: Node) -> sp.Expr:
    """A number, the name of a size, a quotient, or a sum in brackets."""
    match item:
        case Atom() if item.kind == "NUM" and item.text.isdigit():
            return sp.Integer(item.text)
        case Atom() if item.kind == "NAME":
            return sp.Symbol(item.text)
        case Fraction(above, below):
            return sum_of(above) / sum_of(below)
        case Group(_, (inner,)):
            return sum_of(inner)
    raise NoSizeError
