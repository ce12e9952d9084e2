r"""``dW = x^T dy``: gradients by short names, letter by letter, in documents that define such a name.

``d`` and ``W`` side by side are two names to the reader of LaTeX, and ``d`` is often a size. In a document
that has ``dX`` alone on a left side, a ``d`` that touches a name is the first letter of a gradient's name,
but in fractions such as ``dL/dX``, where it stays the sign of a derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.language.latex.tokens import Token

BEGINNINGS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "SEMICOLON", "BEGIN", "TEXT"})
"""What may stand before the left side of an equation."""


def with_gradients(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with ``dX`` as one name where the document defines such names."""
    if not any(defines_gradient(tokens) for tokens in pieces):
        return list(pieces)
    return [joined(tokens) for tokens in pieces]


def defines_gradient(tokens: Sequence[Token]) -> bool:
    """Whether ``dX``, with scripts or without, is the left side of an equation."""
    for position in range(len(tokens) - 2):
        if not touches(tokens, position) or not (position == 0 or tokens[position - 1].kind in BEGINNINGS):
            continue
        end = after_scripts(tokens, position + 2)
        while end < len(tokens) and tokens[end].kind in ("AMP", "COLON"):
            end += 1
        if end < len(tokens) and tokens[end].kind == "REL" and tokens[end].text in ("=", ":="):
            return True
    return False


def touches(tokens: Sequence[Token], position: int) -> bool:
    """Whether a ``d`` and a name stand side by side without a space."""
    if position + 1 >= len(tokens):
        return False
    sign, name = tokens[position], tokens[position + 1]
    close = sign.kind == "NAME" and sign.text == "d" and name.kind == "NAME" and name.start == sign.start + 1
    return close and not (position and tokens[position - 1].kind == "SUB")


def after_scripts(tokens: Sequence[Token], position: int) -> int:
    """The position after the scripts that begin here."""
    while position < len(tokens) and tokens[position].kind in ("SUB", "SUP"):
        position += 1
        if position < len(tokens) and tokens[position].kind == "{":
            depth = 0
            while position < len(tokens):
                depth += (tokens[position].kind == "{") - (tokens[position].kind == "}")
                position += 1
                if depth == 0:
                    break
        else:
            position += 1
    return position


def joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with every ``dX`` as one name, but in quotients of differentials."""
    rates = set(differentials(tokens))
    result: list[Token] = []
    skip = False
    for position, token in enumerate(tokens):
        if skip:
            skip = False
        elif touches(tokens, position) and position not in rates:
            result.append(replace(token, text=f"d{tokens[position + 1].text}"))
            skip = True
        else:
            result.append(token)
    return result


def differentials(tokens: Sequence[Token]) -> list[int]:
    r"""The places of every ``d`` in ``\frac{dL}{dX}`` and ``dL/dX``."""
    found: list[int] = []
    opened = [
        n + 1
        for (_, before), (n, token) in pairwise(enumerate(tokens))
        if token.kind == "{" and before.kind in ("FRAC", "}")
    ]
    found.extend(position for position in opened if touches(tokens, position))
    for position, token in enumerate(tokens):
        if token.kind == "SLASH" and touches(tokens, position + 1):
            starts = [n for n in range(position) if touches(tokens, n) and after_scripts(tokens, n + 2) == position]
            found.extend([*starts, position + 1])
    return found
