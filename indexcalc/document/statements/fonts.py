r"""A small letter that stands alone both in bold and without, ``y`` and ``\mathbf{y}``: a number beside a vector.

Many authors forget a font now and then, so the two are one name unless a formula has both. A letter with an index
is an entry of the bold one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.language.latex.tokens import Token

PLAIN = "plain "
"""What the name of a letter begins with that is not bold, beside the same letter in bold."""

CONSTANTS = frozenset({"d", "e", "i"})
"""Letters that without bold are signs and constants."""


def with_fonts(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with names of their own for letters that are not bold."""
    places = [list(alone(tokens)) for tokens in pieces]
    found: set[str] = set()
    for tokens, here in zip(pieces, places, strict=True):
        bold = {tokens[n].text for n in here if tokens[n].bold}
        found.update(tokens[n].text for n in here if not tokens[n].bold and tokens[n].text in bold)
    for tokens in pieces:  # the letter of an index, and not of a tensor
        found.difference_update(letters_in_scripts(tokens))
    if not found:
        return list(pieces)
    return [renamed(tokens, here, found) for tokens, here in zip(pieces, places, strict=True)]


def alone(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of small letters outside of scripts that bear nothing but a transpose or a power."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = after_scripts(tokens, position) if token.kind in ("SUB", "SUP") else position + 1
        if token.kind == "NAME" and len(token.text) == 1 and token.text.islower() and token.text not in CONSTANTS:
            behind = after_scripts(tokens, end)
            if behind == end or (tokens[end].kind == "SUP" and is_mark(tokens[end + 1 : behind])):
                yield position
        position = end


def is_mark(script: Sequence[Token]) -> bool:
    """Whether a superscript is a number or a transpose."""
    inner = [token for token in script if token.kind not in ("{", "}")]
    return is_transpose(inner) or (len(inner) == 1 and inner[0].kind == "NUM")


def letters_in_scripts(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters in scripts that are not bold."""
    position = 0
    while position < len(tokens):
        end = after_scripts(tokens, position)
        yield from (one.text for one in tokens[position:end] if one.kind == "NAME" and not one.bold)
        position = max(end, position + 1)


def renamed(tokens: Sequence[Token], places: Sequence[int], letters: set[str]) -> list[Token]:
    """The tokens of one formula, letters that are not bold with names of their own."""
    changed = {n for n in places if not tokens[n].bold and tokens[n].text in letters}
    return [
        replace(token, text=PLAIN + token.text) if position in changed else token
        for position, token in enumerate(tokens)
    ]
