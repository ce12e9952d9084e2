r"""Kronecker's delta with indices above, ``\delta^i_j`` or ``\delta^{ij}``: read as ``\delta_{ij}``.

In other documents ``\delta^l_j`` is the error of a layer. A letter above is an index only if it stands below names
elsewhere, or together with others above them, no delta has another form than two indices, and no equation begins with
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.layer_marks import argument, is_small_letter
from indexcalc.language.latex.tokens import Token

DELTA = "delta"


def with_deltas(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with both indices of such deltas below."""
    indices = {text for tokens in pieces for text in letters_of_indices(tokens)}
    found = [delta for tokens in pieces for delta in deltas(tokens)]
    if not found or not all(indices.issuperset(above) if above else len(lower) == 2 for lower, above, _ in found):
        return list(pieces)
    return list(pieces) if any(leads for _, _, leads in found) else [list(lowered(tokens)) for tokens in pieces]


def letters_of_indices(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters that stand below names other than deltas, or together above them."""
    for position, token in enumerate(tokens):
        if token.kind in ("SUB", "SUP") and position and tokens[position - 1].text != DELTA:
            script = argument(tokens, position + 1)[0]
            together = len(script) > 1 and all(part.kind == "NAME" and is_small_letter(part.text) for part in script)
            if token.kind == "SUB" or together:
                yield from (part.text for part in script if part.kind == "NAME")


def deltas(tokens: Sequence[Token]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], bool]]:
    """Of each delta what stands below it and above it, and whether an equation begins with it."""
    for position, token in enumerate(tokens):
        if token.kind == "NAME" and token.text == DELTA:
            lower, upper, end = scripts(tokens, position + 1)
            leads = bool(upper) and position == 0 and end < len(tokens) and tokens[end].kind in ("REL", "AMP")
            above = tuple(part.text for part in upper) if upper and len(lower) + len(upper) == len("ij") else ()
            yield tuple(part.text for part in lower if part.kind == "NAME"), above, leads


def scripts(tokens: Sequence[Token], position: int) -> tuple[tuple[Token, ...], tuple[Token, ...], int]:
    """What stands below and above a name whose scripts begin here, and where they end."""
    found: dict[str, tuple[Token, ...]] = {}
    while position < len(tokens) and tokens[position].kind in ("SUB", "SUP") and tokens[position].kind not in found:
        kind = tokens[position].kind
        found[kind], position = argument(tokens, position + 1)
    return found.get("SUB", ()), found.get("SUP", ()), position


def lowered(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with the indices above each delta before those below it."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind == "NAME" and token.text == DELTA:
            lower, upper, end = scripts(tokens, position)
            if upper:
                start, last = tokens[position].start, tokens[end - 1]
                yield from (Token("SUB", "_", start), Token("{", "{", start), *upper, *lower, replace(last, kind="}"))
                position = end
