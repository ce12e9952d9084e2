r"""``W [h, x]``: a matrix times vectors one below the other is the sum of what its two blocks make of them.

The blocks are tensors of their own, so that what depends on the product is understood; of the gradient by the whole
matrix nothing is said. ``[x, h] W`` for rows, ``W \cdot \mathrm{concat}(h, x)`` and a column written out likewise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

CONCATENATES = frozenset({"concat", "Concat", "concatenate", "cat", "Concatenate"})
"""Functions that put vectors one below the other."""

COLUMNS = frozenset({"bmatrix", "pmatrix"})
"""Environments in which vectors stand one below the other."""

BLOCK = "block{number} {name}"
"""What the blocks of a matrix are called."""


def with_blocks(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one formula, products with lists of vectors as sums of products with blocks."""
    return list(blocked(tokens))


def blocked(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, as far as they are no such products, and sums in the place of those that are."""
    position = 0
    while position < len(tokens):
        end = matrix_end(tokens, position)
        start = end + 1 if end and end < len(tokens) and tokens[end].kind == "TIMES" else end
        parts, after = listed(tokens, start) if end else ([], 0)
        if parts:
            yield from summed(
                [(block(tokens[position:end], n), part) for n, part in enumerate(parts, 1)], tokens[start]
            )
            position = after
            continue
        parts, after = listed(tokens, position)
        start = after + 1 if parts and after < len(tokens) and tokens[after].kind == "TIMES" else after
        end = matrix_end(tokens, start) if parts and start < len(tokens) else 0
        if end:
            yield from summed(
                [(part, block(tokens[start:end], n)) for n, part in enumerate(parts, 1)], tokens[position]
            )
            position = end
            continue
        yield tokens[position]
        position += 1


def matrix_end(tokens: Sequence[Token], position: int) -> int:
    """Where the capital with its scripts ends that stands here; 0 if there is none."""
    token = tokens[position]
    name = token.text.rsplit(" ", maxsplit=1)[-1]
    if token.kind != "NAME" or not name[:1].isupper() or name in FUNCTIONS or name in STRUCTURAL or len(name) > 1:
        return 0
    return after_scripts(tokens, position + 1)


def listed(tokens: Sequence[Token], position: int) -> tuple[list[Sequence[Token]], int]:
    """The vectors of the list that stands here, each a name with its scripts, and its end; none if it is no list."""
    start, closing = opened(tokens, position)
    parts: list[Sequence[Token]] = []
    place = start
    while start and place < len(tokens) and tokens[place].kind == "NAME":
        end = after_scripts(tokens, place + 1)
        parts.append(tokens[place:end])
        if end < len(tokens) and tokens[end].kind == closing:
            turned = end + 1 < len(tokens) and tokens[end + 1].kind in ("SUP", "PRIME")
            return (parts, end + 1) if len(parts) > 1 and not turned else ([], 0)
        if end >= len(tokens) or tokens[end].kind not in ("COMMA", "SEMICOLON", "NEWLINE"):
            break
        place = end + 1
    return [], 0


def opened(tokens: Sequence[Token], position: int) -> tuple[int, str]:
    """Where a list begins whose bracket stands here, and what closes it; 0 if there is none."""
    token = tokens[position] if position < len(tokens) else None
    following = tokens[position + 1].kind if position + 1 < len(tokens) else ""
    if token is None:
        return 0, ""
    if token.kind == "[":
        return position + 1, "]"
    if token.kind == "BEGIN" and token.text in COLUMNS:
        return position + 1, "END"
    if token.kind in ("NAME", "TEXT") and token.text in CONCATENATES and following == "(":
        return position + 2, ")"
    return 0, ""


def block(name: Sequence[Token], number: int) -> list[Token]:
    """The block of a matrix that belongs to a vector."""
    return [replace(name[0], text=BLOCK.format(name=name[0].text, number=number)), *name[1:]]


def summed(products: Sequence[tuple[Sequence[Token], Sequence[Token]]], place: Token) -> Iterator[Token]:
    """The sum of products, in brackets."""
    yield Token("(", "(", place.start)
    for number, (left, right) in enumerate(products):
        if number:
            yield Token("PLUS", "+", place.start)
        yield from left
        yield from right
    yield Token(")", ")", place.start)
