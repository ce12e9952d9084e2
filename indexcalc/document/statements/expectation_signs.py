"""``E(x)`` and ``E x``: expectations without square brackets, as statisticians write them, read as ``E[x]``.

In round brackets they are where the document speaks of what is random, and a bracket with one argument follows the
sign wherever it stands: a function of several is an energy, and a sign that stands alone is a name. A name behind the
sign is its argument where square brackets follow it elsewhere, and nothing else does but names.
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
    kinds = {
        tokens[start].kind if end or tokens[start].kind == "NAME" else "none"
        for tokens, own in zip(pieces, found, strict=True)
        for start, end in own
    }
    square, alone = "[" in kinds, kinds <= {"[", "(", "NAME"}
    if not alone or not (square or (kinds == {"("} and WORDS.search(prose))):
        return list(pieces)
    return [list(squared(tokens, own)) for tokens, own in zip(pieces, found, strict=True)]


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
            if start < len(tokens):  # else it is only spoken of
                yield start, end_of_argument(tokens, start)


def end_of_argument(tokens: Sequence[Token], start: int) -> int:
    """Where the bracket ends that opens here, if it holds one argument; else 0."""
    if tokens[start].kind not in ("(", "["):
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


def squared(tokens: Sequence[Token], found: Sequence[tuple[int, int]]) -> Iterator[Token]:
    """The tokens with square brackets behind each sign: for round ones, or around a name with its scripts."""
    opening = {start for start, _ in found}
    ends = {end for _, end in found if end}
    behind = {after_scripts(tokens, start + 1) for start, end in found if not end}
    for position, token in enumerate(tokens):
        if position in behind:
            yield replace(tokens[position - 1], kind="]", text="]")
        if position in opening and token.kind == "NAME":
            yield replace(token, kind="[", text="[")
        if position in opening and token.kind == "(":
            yield replace(token, kind="[", text="[")
        elif position in ends and token.kind == ")":
            yield replace(token, kind="]", text="]")
        else:
            yield token
    if len(tokens) in behind:
        yield replace(tokens[-1], kind="]", text="]")
