"""``E(x)`` and ``E x``: expectations without square brackets, as statisticians write them, read as ``E[x]``.

In round brackets they are where the document speaks of what is random, and a bracket with one argument follows the
sign wherever it stands: a function of several, one with a formula of its argument, or one that is differentiated is an
energy or an error, and a sign that stands alone is a name. A name behind the sign is its argument where square brackets
follow it elsewhere, and no factor follows the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.calls import SIGN
from indexcalc.document.statements.nesting import BRACKETS, after_scripts, end_of, kinds_outside
from indexcalc.language.latex.tokens import Token

WORDS = re.compile(r"\bexpectations?\b|\bexpected\b|\b(?:co)?variances?\b|\brandom (?:variables?|vectors?)\b", re.I)
"""How a document speaks of what is random."""


def with_expectations(pieces: Sequence[list[Token]], prose: str) -> list[list[Token]]:
    """The tokens of a document's mathematics, arguments of expectations in square brackets."""
    found = [list(brackets(tokens)) for tokens in pieces]
    kinds = {
        tokens[start].kind if end or tokens[start].kind == "NAME" else "none"
        for tokens, own in zip(pieces, found, strict=True)
        for start, end in own
    }
    if not kinds <= {"[", "(", "NAME"} or ("[" not in kinds and (kinds != {"("} or not WORDS.search(prose))):
        return list(pieces)
    if "(" in kinds and any(map(is_function, pieces)):
        return list(pieces)
    return [list(squared(tokens, own)) for tokens, own in zip(pieces, found, strict=True)]


def is_function(tokens: Sequence[Token]) -> bool:
    """Whether a formula makes the sign that of a function: it gives a formula of its argument, or a derivative."""
    for position, token in enumerate(tokens):
        if token.kind == "NAME" and token.text == SIGN and is_differentiated(tokens[:position]):
            return True
    if [token.kind for token in tokens[:3]] != ["NAME", "(", "NAME"] or tokens[0].text != SIGN:
        return False
    end = end_of_argument(tokens, 1)
    if not end or after_scripts(tokens, 3) != end or [one.kind for one in tokens[end + 1 : end + 2]] != ["REL"]:
        return False
    inside = {place for start, close in brackets(tokens) for place in range(start, close + 1)}
    return any(
        token.kind == "NAME" and token.text == tokens[2].text
        for place, token in enumerate(tokens)
        if place > end and place not in inside
    )


def is_differentiated(before: Sequence[Token]) -> bool:
    """Whether the sign of a derivative stands right before, with what stands below it."""
    kinds = [token.kind for token in before]
    if kinds[-1:] and kinds[-1] in ("NABLA", "PARTIAL"):
        return True
    nablas = [place for place, kind in enumerate(kinds) if kind == "NABLA"]
    return bool(nablas) and after_scripts(before, nablas[-1] + 1) == len(before)


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
    end = end_of(tokens, start, BRACKETS)
    return end - 1 if end and "COMMA" not in kinds_outside(tokens[start + 1 : end - 1], BRACKETS) else 0


ENDS = frozenset({"PLUS", "MINUS", "REL", ")", "]", "}", "COMMA", "SEMICOLON", "DOT", "AMP", "NEWLINE", "BAR", "TEXT"})
"""What stands behind a name that is all of an argument: no factor."""


def squared(tokens: Sequence[Token], found: Sequence[tuple[int, int]]) -> Iterator[Token]:
    """The tokens with square brackets behind each sign: for round ones, or around a name that no factor follows."""
    opening = {start: end for start, end in found if end}
    opening |= {start: 0 for start, end in found if not end and is_alone(tokens, start)}
    ends = {end for end in opening.values() if end}
    behind = {after_scripts(tokens, start + 1) for start, end in opening.items() if not end}
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


def is_alone(tokens: Sequence[Token], start: int) -> bool:
    """Whether no factor follows a name with its scripts: ``E x y`` may be the expectation of x, or of x y."""
    end = after_scripts(tokens, start + 1)
    return end >= len(tokens) or tokens[end].kind in ENDS or tokens[end].text == SIGN
