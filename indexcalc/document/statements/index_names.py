r"""Indices that are spelt with more than a letter: a name that a sum binds, ``\sum_{row} x_{row}``, ``\sum_\hi r_\hi``.

A macro that the document does not say, a word and a capital are labels below a name, unless a sum runs over them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.index_expressions import is_index_letter
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token

LIMIT = 30
"""The most tokens of a subscript that are looked at."""

WORDS = ("NAME", "TEXT")


def with_index_names(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, names that sums bind and that stand below others as indices there."""
    bound = {text for tokens in pieces for text in bound_names(tokens)}
    if not bound:
        return list(pieces)
    inside = [set(subscripts(tokens)) for tokens in pieces]
    outside = {
        token.text
        for tokens, places in zip(pieces, inside, strict=True)
        for place, token in enumerate(tokens)
        if place not in places
    }
    words = {text for text in bound if len(text) > 1 or text not in outside}
    return [list(marked(tokens, words, places)) for tokens, places in zip(pieces, inside, strict=True)]


def bound_names(tokens: Sequence[Token]) -> Iterator[str]:
    """The names over which sums run that are no letters of indices."""
    for position, token in enumerate(tokens[:-1]):
        if token.kind == "SUM" and tokens[position + 1].kind == "SUB":
            end = after_scripts(tokens[: position + LIMIT], position + 1)
            for below in tokens[position + 2 : end]:
                if below.kind in ("REL", "SUP"):
                    break
                if below.kind in WORDS and below.text.isalpha() and not is_index_letter(below):
                    yield below.text


def subscripts(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of what stands below names and signs."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB":
            end = after_scripts([*tokens[: position + LIMIT]], position)
            behind = next((n for n in range(position + 1, end) if tokens[n].kind == "SUP"), end)
            yield from range(position + 1, behind)


def marked(tokens: Sequence[Token], words: Collection[str], places: Collection[int]) -> Iterator[Token]:
    """The tokens, some words at some places as indices."""
    for place, token in enumerate(tokens):
        is_index = place in places and token.kind in WORDS and token.text in words
        yield replace(token, kind="NAME", index=True) if is_index else token
