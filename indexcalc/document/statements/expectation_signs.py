"""``E(x)``: expectations whose argument stands in round brackets, as statisticians write them, read as ``E[x]``.

They are where the document speaks of what is random, and a bracket with one argument follows the sign wherever it
stands: a function of several is an energy, and a sign that stands alone is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.language.latex.tokens import Token

SIGN = "E"

WORDS = re.compile(r"\bexpectations?\b|\bexpected\b|\b(?:co)?variances?\b|\brandom (?:variables?|vectors?)\b", re.I)
"""How a document speaks of what is random."""

OPENING = {"(": ")", "[": "]", "{": "}"}


def with_expectations(pieces: Sequence[list[Token]], prose: str) -> list[list[Token]]:
    """The tokens of a document's mathematics, arguments of expectations in square brackets."""
    found = [list(brackets(tokens)) for tokens in pieces]
    ends = [end for own in found for _, end in own]
    if not ends or 0 in ends or not WORDS.search(prose):
        return list(pieces)
    return [squared(tokens, own) for tokens, own in zip(pieces, found, strict=True)]


def brackets(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where the bracket behind each sign begins and ends; the end is 0 where no bracket with one argument follows."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind in ("SUB", "SUP"):  # a label
            position = after_scripts(tokens, position)
            continue
        position += 1
        following = tokens[position : position + 1]
        word = any(one.kind == "NAME" and one.start == token.start + len(SIGN) for one in following)
        if token.kind == "NAME" and token.text == SIGN and not word:
            start = after_scripts(tokens, position)
            yield start, end_of_argument(tokens, start)


def end_of_argument(tokens: Sequence[Token], start: int) -> int:
    """Where the bracket ends that opens here, if it holds one argument; else 0."""
    if start >= len(tokens) or tokens[start].kind not in ("(", "["):
        return 0
    depth = 0
    for position in range(start, len(tokens)):
        kind = tokens[position].kind
        depth += (kind in OPENING) - (kind in OPENING.values())
        if depth == 0:
            return position
        if depth == 1 and kind == "COMMA":
            return 0
    return 0


def squared(tokens: list[Token], found: Sequence[tuple[int, int]]) -> list[Token]:
    """The tokens with the brackets of expectations square."""
    result = list(tokens)
    for start, end in found:
        if tokens[end].kind == ")":
            result[start] = replace(tokens[start], kind="[", text="[")
            result[end] = replace(tokens[end], kind="]", text="]")
    return result
