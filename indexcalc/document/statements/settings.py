"""Sizes that words give a number for what follows, as ``For $n = 2$:``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.language.document import Document

CASE = re.compile(r"\b(?:for|if|when|where|case|cases|with|let|take|say)\W*$", re.IGNORECASE)
"""The words before a setting."""

WORD = re.compile(r"(?<![\\\w])[^\W\d_]{2,}")
"""A word, and no name of a command."""

REACH = 16
"""How many characters before a formula they stand in."""


class Setting(NamedTuple):
    """A number that a name is from a place of the document on."""

    start: int
    value: int


def settings_in(
    document: Document, survey: Survey, statements: Sequence[Statement], limit: int
) -> Mapping[str, tuple[Setting, ...]]:
    """The numbers up to a limit that words give names, in the order of the document."""
    found: dict[str, list[Setting]] = {}
    for statement in statements:
        if [side.relation for side in statement.sides] != ["", "="]:
            continue
        name, number = (side.tree for side in statement.sides)
        tokens = statement.sides[1].tokens
        lone = survey.lone(name) if name is not None else None
        if lone is None or lone.parts is not None or number is None or len(tokens) != 1 or tokens[0].kind != "NUM":
            continue
        start, text = statement.span.start, tokens[0].text
        said = CASE.search(document.source[max(0, start - REACH) : start])
        if said and text.isdecimal() and 0 < int(text) <= limit:
            found.setdefault(lone.name, []).append(Setting(start, int(text)))
    return {name: tuple(settings) for name, settings in found.items()}


def words_of_prose(document: Document, statements: Sequence[Statement]) -> tuple[int, ...]:
    """Where the words of a document start, those in its formulas aside."""
    starts = [match.start() for match in WORD.finditer(document.source)]
    spans = sorted({(one.span.start, one.span.end) for one in statements})
    inside = {n for start, end in spans for n in range(bisect_left(starts, start), bisect_left(starts, end))}
    return tuple(start for n, start in enumerate(starts) if n not in inside)
