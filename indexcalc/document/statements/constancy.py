"""Which names the words beside a formula hold: ``treating $P$ as constant``, ``with $V$ fixed``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexcalc.document.statements.nouns import names_of
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.language.document import Document

REACH = 4
"""How many formulas before and behind are looked at."""

CONSTANT = r"(?:constants?|fixed|held|unchanged|常数|常量|常矩阵|不变)"
"""Words for what does not vary."""

BEFORE = re.compile(
    r"(?:\b(?:fix(?:ing)?|holding|hold|keeping|keep|freezing|fixed|constant)|固定)(?:\s+(?:the\s+)?\w+)?[\s$(]*$",
    re.IGNORECASE,
)
"""A word right before a name that says that it is held."""

TREATED = re.compile(
    r"(?:\b(?:treat\w*|regard\w*|consider\w*|view\w*|tak\w+|with|where|for)|视|把|将)[\s$(]*$", re.IGNORECASE
)
"""A word right before a name to which the word behind it belongs."""

BEHIND = re.compile(
    rf"^[\s$)]*,?\s*(?:is|are|as|being|为|作)?\s*(?:an?\s+|kept\s+|held\s+|看作|视作)?{CONSTANT}", re.IGNORECASE
)
"""A word right behind a name that says that it is held."""

STATED = re.compile(rf"^[\s$)]*,?\s*(?:is|are|being)\s+(?:an?\s+|kept\s+|held\s+)?{CONSTANT}\b", re.IGNORECASE)
"""A word behind a name that says so without one before it."""

END = re.compile(r"[.;!?](?=\s|\Z)|[。；！？]")
"""The end of a sentence."""


def held_beside(
    document: Document, survey: Survey, statements: Sequence[Statement], number: int, told: int
) -> frozenset[str]:
    """The names that the sentence around a formula holds; the first statements are those of a context."""
    return frozenset(
        found.name
        for statement in in_sentence(document, statements, number, told)
        if len(statement.sides) == 1 and is_held(document.source, statement)
        for found in names_of(survey, statement)
    )


def in_sentence(document: Document, statements: Sequence[Statement], number: int, told: int) -> Iterator[Statement]:
    """The other formulas in the sentence of a formula."""
    for step in (-1, 1):
        for place in range(number + step, number + step * (REACH + 1), step):
            if not told <= place < len(statements):
                break
            first, second = sorted((place, place - step))
            if END.search(document.source[statements[first].span.end : statements[second].span.start]):
                break
            yield statements[place]


def is_held(source: str, statement: Statement) -> bool:
    """Whether the words right around a formula say that it does not vary."""
    start, end = statement.span.start, statement.span.end
    around = max(0, start - 40)
    behind = source[end : end + 60]
    if BEFORE.search(source[:start], around):
        return True
    return bool(STATED.match(behind) or (TREATED.search(source[:start], around) and BEHIND.match(behind)))
