"""A spec text cut into its statements, each read alone: one that is half written leaves the others readable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Tree
from lark.exceptions import LarkError

from indexcalc.language.reader import parser

PART = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|[(\[]|[)\]]|\n|[^"#()\[\]\n]+|.')
"""Strings, comments, brackets, ends of lines, and what is between them."""

TEXT_LIMIT = 50_000
"""The longest text in which names are looked for; the largest spec at hand has a twelfth of it."""

REMEMBERED = 4_096
"""How many statements are kept with their trees; a change of one leaves the others read."""

Node = Tree[Token]


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement, or an empty line: where it starts, its text without the end of the line, and its tree."""

    start: int
    text: str
    tree: Node | None

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def pieces(text: str) -> Iterator[Piece]:
    """All statements in order; of one that can't be read each line is taken for itself.

    Args:
        text: with line feeds at the ends of lines; of one beyond `TEXT_LIMIT` nothing is read.
    """
    if len(text) > TEXT_LIMIT:
        return
    for start, whole in logical_lines(text):
        tree = tree_of(whole)
        if tree is not None or "\n" not in whole:
            yield Piece(start, whole, tree)
            continue
        ahead = start
        for line in whole.split("\n"):
            yield Piece(ahead, line, tree_of(line))
            ahead += len(line) + 1


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those that follow while a bracket is open, and where they start."""
    depth = start = 0
    for part in PART.finditer(text):
        found = part.group()
        if found in ("(", "["):
            depth += 1
        elif found in (")", "]"):
            depth = max(0, depth - 1)
        elif found == "\n" and depth == 0:
            yield start, text[start : part.start()]
            start = part.end()
    yield start, text[start:]


@lru_cache(maxsize=REMEMBERED)
def tree_of(statement: str) -> Node | None:
    """The tree of one statement; None if it can't be read."""
    try:
        found = parser().parse(statement + "\n")
    except LarkError:
        return None
    return found.children[0] if found.children and isinstance(found.children[0], Tree) else Tree("empty", [])
