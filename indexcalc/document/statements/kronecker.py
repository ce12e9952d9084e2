r"""Kronecker's delta with one index above, ``\delta^i_j``: read as ``\delta_{ij}``.

In other documents ``\delta^l_j`` is the error of a layer. The letter above is an index only if it stands below names
elsewhere, no delta has another form than two indices, and no equation begins with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.document.statements.layer_marks import argument
from indexcalc.language.latex.tokens import Token

DELTA = "delta"


def with_deltas(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with both indices of such deltas below."""
    below = {text for tokens in pieces for text in letters_below(tokens)}
    found = [delta for tokens in pieces for delta in deltas(tokens)]
    if not found or not all(above in below if above else len(lower) == 2 for lower, above, _ in found):
        return list(pieces)
    return list(pieces) if any(leads for _, _, leads in found) else [list(lowered(tokens)) for tokens in pieces]


def letters_below(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters that stand below names other than deltas."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB" and position and tokens[position - 1].text != DELTA:
            yield from (part.text for part in argument(tokens, position + 1)[0] if part.kind == "NAME")


def deltas(tokens: Sequence[Token]) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Of each delta what stands below it and above it, and whether an equation begins with it."""
    for position, token in enumerate(tokens):
        if token.kind == "NAME" and token.text == DELTA:
            lower, upper, end = scripts(tokens, position + 1)
            leads = bool(upper) and position == 0 and end < len(tokens) and tokens[end].kind in ("REL", "AMP")
            above = upper[0].text if len(upper) == 1 and len(lower) == 1 else ""
            yield tuple(part.text for part in lower if part.kind == "NAME"), above, leads


def scripts(tokens: Sequence[Token], position: int) -> tuple[tuple[Token, ...], tuple[Token, ...], int]:
    """What stands below and above a name whose scripts begin here, and where they end."""
    found: dict[str, tuple[Token, ...]] = {}
    while position < len(tokens) and tokens[position].kind in ("SUB", "SUP") and tokens[position].kind not in found:
        kind = tokens[position].kind
        found[kind], position = argument(tokens, position + 1)
    return found.get("SUB", ()), found.get("SUP", ()), position


def lowered(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with the index above each delta before the one below it."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind == "NAME" and token.text == DELTA:
            lower, upper, end = scripts(tokens, position)
            if lower and upper:
                start = tokens[position].start
                yield from (Token("SUB", "_", start), Token("{", "{", start), *upper, *lower, Token("}", "}", start))
                position = end
