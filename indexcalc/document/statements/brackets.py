"""``A[i,j]`` and ``A[i][j]``, as code writes entries: read as ``A_{ij}``, in definitions too.

One letter alone in brackets is an index only if it is one elsewhere, for ``a [x]`` may be a product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

SPREADS = {"Var": 1, "Cov": 2}
"""The names of variances and covariances, and of how many things they are at most."""

OPERATORS = frozenset({"E", "P", *SPREADS, "Pr", "KL", "D"})
"""Names whose square brackets hold an argument."""


def with_brackets(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, entries in brackets as subscripts."""
    if not any(listed(tokens, position)[1] for tokens in pieces for position in range(len(tokens))):
        return list(pieces)
    indices = frozenset(letter for tokens in pieces for letter in index_letters(tokens))
    return [list(lowered(tokens, indices)) for tokens in pieces]


def listed(tokens: Sequence[Token], position: int) -> tuple[int, int]:
    """Where the lists in brackets behind the name that stands here begin and end; ``(0, 0)`` if there are none."""
    name = tokens[position].text
    if tokens[position].kind != "NAME" or name in OPERATORS or name in FUNCTIONS or name in STRUCTURAL:
        return 0, 0
    start = end = after_scripts(tokens, position + 1)
    while end < len(tokens) and tokens[end].kind == "[" and (after := list_end(tokens, end)):
        end = after
    return (start, end) if end > start else (0, 0)


def list_end(tokens: Sequence[Token], position: int) -> int:
    """Where a list of letters, numbers and colons in square brackets ends; 0 if it is anything else."""
    place = position + 1
    while place + 1 < len(tokens) and is_place(tokens[place]):
        place += 1
        while tokens[place].kind == "PRIME" and place + 1 < len(tokens):
            place += 1
        if tokens[place].kind == "]":
            return place + 1
        if tokens[place].kind != "COMMA":
            return 0
        place += 1
    return 0


def is_place(token: Token) -> bool:
    """Whether a token is a letter of an index, the number of an entry, or all of an axis."""
    letter = token.kind == "NAME" and ((len(token.text) == 1 and token.text.islower()) or token.text in GREEK)
    return letter or token.kind == "COLON" or (token.kind == "NUM" and token.text.isdigit())


def index_letters(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters of subscripts, those of sums too, and of lists of several."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB":
            yield from (part.text for part in tokens[position : after_scripts(tokens, position)] if part.kind == "NAME")
        start, end = listed(tokens, position)
        names = [part.text for part in tokens[start:end] if part.kind == "NAME"]
        yield from names if len(names) > 1 else ()


def lowered(tokens: Sequence[Token], indices: frozenset[str]) -> Iterator[Token]:
    """The tokens of one formula, entries in brackets as subscripts that keep their brackets."""
    position = 0
    while position < len(tokens):
        start, end = listed(tokens, position)
        parts = [part for part in tokens[start:end] if is_place(part)]
        before = tokens[position:start]
        certain = len(parts) > 1 or any(part.kind != "NAME" or part.text in indices for part in parts)
        named = labelled_name(before) if end and certain else None
        if named is None:
            after = max(start, position + 1)
            yield from tokens[position:after]
            position = after
            continue
        first, last = tokens[start], tokens[end - 1]
        yield from named
        yield replace(first, kind="SUB", text="_")
        yield replace(first, kind="{", text="{")
        yield from tokens[start:end]
        yield replace(last, kind="}", text="}")
        position = end


def labelled_name(tokens: Sequence[Token]) -> list[Token] | None:
    """A name with its superscripts, a label below it made a part of it; None if an index stands below it."""
    below = [place for place, token in enumerate(tokens) if token.kind == "SUB"]
    if not below:
        return list(tokens)
    label = [token for token in tokens[1:] if token.kind not in ("SUB", "{", "}")]
    if below != [1] or len(label) != 1 or not (label[0].kind == "TEXT" or label[0].text[:1].isupper()):
        return None
    return [replace(tokens[0], text=f"{tokens[0].text}_{label[0].text}", last=tokens[-1].start)]
