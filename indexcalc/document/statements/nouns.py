"""What the words beside a formula call the names in it: ``the vector $x$``, ``where $A$ and $B$ are matrices``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.survey import Survey
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import parted

NOUNS = {
    **dict.fromkeys(("scalar", "scalars", "number", "numbers", "constant", "constants"), 0),
    **dict.fromkeys(("vector", "vectors"), 1),
    **dict.fromkeys(("matrix", "matrices"), 2),
    **dict.fromkeys(("scalar field", "scalar fields"), 0),
    **dict.fromkeys(("vector field", "vector fields"), 1),
}
"""Words for arrays, by how many slots they have."""

NOUN = "|".join(sorted(NOUNS, key=len, reverse=True))

BEFORE = re.compile(rf"(?<![\w-])({NOUN})\s*(?:is|are)?[\s$(]*$", re.IGNORECASE)
"""A word right before a formula."""

BEHIND = re.compile(
    r"^[\s$)]*,?\s*(?:both\s+|each\s+)?(?:is|are|be|being|denotes?|represents?|indicates?|(?=an?\b))\s*"
    r"(?:(?!(?:of|in|for|by|with|from|to|that|which|not|no)\b)[\w-]+\s+){0,4}?"
    rf"({NOUN})(?![\w-])(?!\s+(?:space|field|function|product|norm|element|entr|component|valued|multipl))",
    re.IGNORECASE,
)
"""A word that the verb behind a formula leads to."""

LINK = re.compile(r"^[\s$]*(?:,|and|or|,\s*and|,\s*or|&)[\s$]*$", re.IGNORECASE)
"""What stands between the formulas of a list."""


def called_in(document: Document, survey: Survey, statements: Sequence[Statement]) -> Mapping[tuple[str, int], int]:
    """How many slots the words of a document give names, each with so many indices; what is called two things has none.

    A number is no array without its indices: the word for an entry says nothing of the name.
    """
    counted: dict[tuple[str, int], Counter[int]] = {}
    for listed in lists_of(document, statements):
        rank = word_of(document, listed)
        if rank is None:
            continue
        for found in (one for statement in spoken_of(document, listed) for one in names_of(survey, statement)):
            counted.setdefault((found.name, len(found.parts or ())), Counter())[rank] += 1
    return {key: next(iter(ranks)) for key, ranks in counted.items() if len(ranks) == 1}


def lists_of(document: Document, statements: Sequence[Statement]) -> Iterator[list[Statement]]:
    """The formulas, those together that only commas or an *and* part."""
    listed: list[Statement] = []
    for statement in statements:
        if listed and not LINK.match(document.source[listed[-1].span.end : statement.span.start]):
            yield listed
            listed = []
        listed.append(statement)
    if listed:
        yield listed


def fields_called(document: Document, survey: Survey, statements: Sequence[Statement]) -> frozenset[str]:
    """The names that the words of a document call fields."""
    return frozenset(
        found.name
        for listed in lists_of(document, statements)
        if "field" in (noun_of(document, listed) or "")
        for statement in spoken_of(document, listed)
        for found in names_of(survey, statement)
    )


OWNER = re.compile(r"\b(?:of|in|by|from|with)[\s$(]*$", re.IGNORECASE)
"""A word right before a formula that ends what was said before it: *rows of $A$, $c$ is a vector*."""


def spoken_of(document: Document, listed: Sequence[Statement]) -> Sequence[Statement]:
    """The formulas in a list of which a word behind it speaks: not the first one, if that belongs to what is before."""
    start = listed[0].span.start
    owned = len(listed) > 1 and OWNER.search(document.source[:start], max(0, start - 20))
    return listed[1:] if owned and not BEFORE.search(document.source[:start], max(0, start - 40)) else listed


def word_of(document: Document, listed: Sequence[Statement]) -> int | None:
    """How many slots the word before or behind formulas in a list says that they have; None if no word does."""
    noun = noun_of(document, listed)
    return NOUNS[noun] if noun is not None else None


def noun_of(document: Document, listed: Sequence[Statement]) -> str | None:
    """The word before or behind formulas in a list that says what they are; None if none does."""
    start, end = listed[0].span.start, listed[-1].span.end
    found = BEFORE.search(document.source[:start], max(0, start - 40)) or BEHIND.match(document.source[end : end + 120])
    return found.group(1).lower() if found is not None else None


def names_of(survey: Survey, statement: Statement) -> Iterator[Named]:
    """The names that a formula is, or lists."""
    for tokens in parted(statement.sides[0].tokens, "COMMA"):
        try:
            found = survey.lone(parse(tokens))
        except (IndexCalcError, RecursionError):
            continue
        if found is not None and not found.powers and not found.transposed:
            yield found
