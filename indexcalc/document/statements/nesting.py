"""Brackets among tokens: where one ends that opens, where scripts end, and what stands in no bracket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexcalc.language.latex.tokens import Token

BRACES = {"{": "}"}

BRACKETS = {"(": ")", "[": "]", **BRACES}

SCRIPTS = ("SUB", "SUP")
"""The signs of scripts."""


def depths(tokens: Iterable[Token], pairs: Mapping[str, str] = BRACES) -> Iterator[tuple[Token, int]]:
    """The tokens, each with how many brackets are open behind it."""
    depth = 0
    for token in tokens:
        depth += (token.kind in pairs) - (token.kind in pairs.values())
        yield token, depth


def outside(tokens: Iterable[Token], pairs: Mapping[str, str] = BRACES) -> Iterator[Token]:
    """The tokens that stand in no bracket, and those that close one."""
    return (token for token, depth in depths(tokens, pairs) if depth == 0)


def kinds_outside(tokens: Iterable[Token], pairs: Mapping[str, str] = BRACES) -> list[str]:
    """The kinds of these."""
    return [token.kind for token in outside(tokens, pairs)]


def end_of(tokens: Sequence[Token], start: int, pairs: Mapping[str, str] = BRACES) -> int:
    """The place behind the bracket that opens here; 0 if it does not end."""
    behind = enumerate(depths((tokens[place] for place in range(start, len(tokens))), pairs), start + 1)
    return next((place for place, (_, depth) in behind if depth == 0), 0)


def after_script(tokens: Sequence[Token], position: int) -> int:
    """The place behind the one script that begins here."""
    if position + 1 < len(tokens) and tokens[position + 1].kind == "{":
        return end_of(tokens, position + 1) or len(tokens)
    return min(position + 2, len(tokens))


def after_scripts(tokens: Sequence[Token], position: int) -> int:
    """The place behind the scripts that begin here."""
    while position < len(tokens) and tokens[position].kind in SCRIPTS:
        position = after_script(tokens, position)
    return min(position, len(tokens))
