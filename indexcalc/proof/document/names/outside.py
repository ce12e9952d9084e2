"""What a document computes outside its mathematics: ``Lse[i] = log(sum(exp(S[i])))`` in a block of code.

Such a name is no input, and what it depends on was not read. What a formula defines too is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from indexcalc.language.document import Document
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles

ASSIGNED = re.compile(r"^[ \t>]*([A-Za-z]\w*)[ \t]*(?:\[[^\]\n]*\])?[ \t]*=(?!=)([^\n]+)$", re.MULTILINE)
WORD = re.compile(r"[A-Za-z]\w*")

HEADINGS = 5
"""The deepest level of sections that is looked at: headings, but neither items nor rows."""


def computed_outside(roles: Roles, statement: Statement, names: Collection[str]) -> str | None:
    """One of the names, if the lines before a statement compute it from other tensors, outside mathematics."""
    here = statement.span.start
    for match in ASSIGNED.finditer(roles.document.source, 0, here):
        name = match[1]
        if name not in names or name in roles.symbols.definitions or in_mathematics(roles.document, match.start(1)):
            continue
        start, end = section_of(roles.document, match.start())
        if start <= here < end and computes(roles.symbols, match):
            return name
    return None


def computes(symbols: Symbols, match: re.Match[str]) -> bool:
    """Whether the right side of an assignment names a tensor of the document."""
    return any(symbols.slots.get(symbols.resolve(word)) and word != match[1] for word in WORD.findall(match[2]))


def in_mathematics(document: Document, position: int) -> bool:
    """Whether a position is inside a formula."""
    return any(span.start <= position < span.end for span in document.spans)


def section_of(document: Document, position: int) -> tuple[int, int]:
    """Where the section around a position starts, and where the next one of its level or a higher one does."""
    headings = [section for section in document.sections if section.level <= HEADINGS]
    before = [section for section in headings if section.start <= position]
    start, level = (before[-1].start, before[-1].level) if before else (0, HEADINGS)
    after = (section.start for section in headings if section.start > position and section.level <= level)
    return start, next(after, len(document.source))
