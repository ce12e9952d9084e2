r"""Conditions on indices that words around a formula state: ``When $i \neq k$, we get``, or in a heading.

It is not certain that such words mean the formula beside them, so they save a true one and never
accuse: a relation that holds under them is confirmed, and they are named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from indexcalc.document.statements.outline import Condition, Statement, condition
from indexcalc.language.document import Document

REACH = 400
"""How many characters before a formula are looked at."""

LINK = 60
"""So few characters between two displays only lead on: a condition before the first one still holds."""

RELATIONS = {
    **{"=": "=", "==": "=", "!=": "!=", "≠": "!=", "\\neq": "!=", "\\ne": "!="},
    **{"<": "<", "\\lt": "<", "<=": "<=", "≤": "<=", "\\le": "<=", "\\leq": "<="},
    **{">": ">", "\\gt": ">", ">=": ">=", "≥": ">=", "\\ge": ">=", "\\geq": ">="},
}

PLAIN = re.compile(
    r"(?:\b(?:for|when|where|if|case|with|suppose|assume)\b[^.$]{0,30}?|\$\s*|[:(,]\s*)"
    r"\b([a-z])\s*([<>=!]=|[=<>≠≤≥]|\\(?:neq?|leq?|geq?|lt|gt)(?![a-z]))\s*([a-z])\b",
    re.IGNORECASE,
)
"""A relation between two letters, in mathematics or behind a word that states a condition."""

FOLLOWING = re.compile(r"^[\s$]*(?:\(|,)?\s*(?:if|when|where|for|whenever)\b[^.]{0,20}", re.IGNORECASE)
"""Words behind a formula that lead to a condition on it."""


def attach_spoken(document: Document, statements: Sequence[Statement]) -> None:
    """Give every statement the conditions that the words around it state."""
    end = 0
    before: tuple[Condition, ...] = ()
    for statement in statements:
        if condition(statement):
            continue
        start = statement.span.start
        text = document.source[max(end, start - REACH, 0) : start]
        found = last_stated(text)
        if not found and len(text.strip("$ \n\\[]()")) <= LINK and end:
            found = before
        own = found or stated_after(document, statement) or last_stated(document.heading(start))
        statement.spoken = own or stated_between(document, statement)
        if statement.span.display:
            end, before = statement.span.end, found


def stated_between(document: Document, statement: Statement) -> tuple[Condition, ...]:
    """The first condition between the displays that a chain runs through."""
    for before, side in pairwise(statement.sides):
        if side.start > statement.span.end:
            found = last_stated(document.source[max(before.end, side.start - REACH) : side.start])
            if found:
                return found
    return ()


def last_stated(text: str) -> tuple[Condition, ...]:
    """The conditions that the last sentence with any of them states."""
    for sentence in reversed(re.split(r"(?<=[.;])\s|\n\s*\n", text)):
        found = tuple(stated(sentence))
        if found:
            return found if len({frozenset((a, b)) for a, _, b in found}) == len(found) else found[-1:]
    return ()


def stated(text: str) -> list[Condition]:
    """Every condition in a text."""
    return [
        (left, RELATIONS[relation], right)
        for left, relation, right in (match.groups() for match in PLAIN.finditer(text))
        if left != right
    ]


def stated_after(document: Document, statement: Statement) -> tuple[Condition, ...]:
    """The condition right behind a formula."""
    text = document.source[statement.span.end : statement.span.end + REACH // 4]
    return tuple(stated(text)[:1]) if FOLLOWING.match(text) else ()
