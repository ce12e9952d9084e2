r"""``dW = x^T dy``: gradients by short names, letter by letter, in documents that define such a name.

``d`` and ``W`` side by side are two names to the reader of LaTeX, and ``d`` is often a size. In a document
that has ``dX`` alone on a left side, a ``d`` that touches a name is the first letter of a gradient's name,
but in fractions such as ``dL/dX``, where it stays the sign of a derivative. So is an upright or bold ``d``
before a name, and a delta, in a document in which every delta without a subscript stands before a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.document.statements.nesting import after_scripts, end_of
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import WORDS

BEGINNINGS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "SEMICOLON", "BEGIN", "TEXT"})
"""What may stand before the left side of an equation."""


def with_gradients(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with ``dX`` as one name where the document defines such names."""
    bare = [unbraced(tokens) for tokens in pieces]
    if any(defines_gradient(tokens) for tokens in bare):
        pieces = [joined(tokens) for tokens in bare]
    varied = [with_deltas(tokens) for tokens in pieces]
    if any(defines_gradient(tokens) for tokens in varied) and all(is_sign(tokens) for tokens in pieces):
        pieces = [joined(tokens) for tokens in varied]
    return list(pieces)


def unbraced(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens without braces around the name behind an upright or bold d, as in ``\mathrm{d}{V}``."""
    result: list[Token] = []
    dropped: list[int] = []
    for position, token in enumerate(tokens):
        if token.kind == "{" and position and is_marked(tokens[position - 1]):
            inner = tokens[position + 1] if position + 1 < len(tokens) else token
            if inner.kind == "NAME" and not (position > 1 and tokens[position - 2].kind in ("{", "SUB", "SUP")):
                dropped.extend((position, end_of(tokens, position) - 1))
        if position not in dropped:
            result.append(token)
    return result


def is_marked(token: Token) -> bool:
    """Whether a token is a d in an upright or bold font."""
    return token.kind == "NAME" and token.text == "d" and (token.upright or token.bold)


def with_deltas(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an upright d for every delta before a name."""
    return [
        replace(token, text="d", upright=True) if is_delta(token) and before_name(tokens, position) else token
        for position, token in enumerate(tokens)
    ]


def is_sign(tokens: Sequence[Token]) -> bool:
    """Whether every delta without a subscript stands before a name."""
    return all(
        before_name(tokens, position) or (position + 1 < len(tokens) and tokens[position + 1].kind == "SUB")
        for position, token in enumerate(tokens)
        if is_delta(token)
    )


def is_delta(token: Token) -> bool:
    """Whether a token is a small delta."""
    return token.kind == "NAME" and token.text == "delta"


def before_name(tokens: Sequence[Token], position: int) -> bool:
    """Whether a name follows, and no subscript holds the sign."""
    follows = position + 1 < len(tokens) and tokens[position + 1].kind == "NAME"
    return follows and not (position and tokens[position - 1].kind == "SUB")


def defines_gradient(tokens: Sequence[Token]) -> bool:
    """Whether ``dX``, with scripts or without, is the left side of an equation; or ``d(X W)``, of one with ``dX``."""
    for position in range(len(tokens) - 2):
        if position and tokens[position - 1].kind not in BEGINNINGS:
            continue
        if differentiates(tokens, position):
            return True
        if not touches(tokens, position):
            continue
        end = after_scripts(tokens, position + 2)
        while end < len(tokens) and tokens[end].kind in ("AMP", "COLON"):
            end += 1
        if end < len(tokens) and tokens[end].kind == "REL" and tokens[end].text in ("=", ":="):
            return True
    return False


def differentiates(tokens: Sequence[Token], position: int) -> bool:
    """Whether an equation begins with a d before a bracket or a function, and has a ``dX`` in its second member."""
    sign, following = tokens[position], tokens[position + 1]
    if (sign.kind, sign.text) != ("NAME", "d") or not (following.kind == "(" or is_word(following)):
        return False
    signs = [n for n in range(position, len(tokens)) if tokens[n].kind == "REL" and tokens[n].text == "="]
    return bool(signs) and any(touches(tokens, n) for n in range(signs[0], len(tokens)))


def is_word(token: Token) -> bool:
    """Whether a token is the name of a function."""
    return token.kind == "NAME" and token.text in WORDS


def touches(tokens: Sequence[Token], position: int) -> bool:
    """Whether a ``d`` and a name stand side by side, without a space unless a font marks the sign."""
    if not before_name(tokens, position) or is_word(tokens[position + 1]):
        return False
    sign, name = tokens[position], tokens[position + 1]
    return sign.kind == "NAME" and sign.text == "d" and (name.start == sign.start + 1 or is_marked(sign))


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
