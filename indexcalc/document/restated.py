"""Definitions that are wrong: the document states the name again otherwise, and what follows holds by that alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from indexcalc.document.choices import Choice
from indexcalc.document.new_meanings import says_new
from indexcalc.document.outcomes import Outcome, Truth, outcome
from indexcalc.document.page import Page
from indexcalc.document.search import Judged, RelationKey

AGAIN = 2
"""How many restatements at least must agree with each other: a single one may be the mistake itself."""

ASKED = 20
"""Of how many relations at most it is asked whether they hold by the definition too."""


def contradicted(page: Page, judged: Mapping[RelationKey, Judged]) -> Mapping[int, int]:
    """The definitions that are wrong, each with the first of its restatements.

    All restatements of the name are made of the same names, and agree with each other and not with the definition;
    something holds by them alone, and nothing by the definition. They stand in other sections, which go on with what
    else the definition's own defines: one that reads nothing of it may well give the name a meaning of its own.
    """
    found = {}
    for name, numbers in page.defining.items():
        first, *again = numbers
        own = [judged[number, 1, 0] for number in again if (number, 1, 0) in judged]
        if first < page.told or len(again) < AGAIN or len(own) < len(again):
            continue
        if (
            all(agrees(one, name, first, again) for one in own)
            and any(denies(one, name, first) for one in own)
            and any(goes_on(page, one, numbers) for one in own)
            and not any(says_new(page, number) or read_in(page, number) != read_in(page, first) for number in again)
            and settles(page, judged.values(), name, numbers)
        ):
            found[first] = again[0]
    return found


def meaning(result: Outcome, name: str) -> tuple[Choice, str] | None:
    """The choice of the equation that gives a name its meaning, and what a reading takes; None if it asks for none."""
    return next(((asked, result.options[key]) for key, asked in result.asked.items() if asked.name == name), None)


def read_in(page: Page, number: int) -> frozenset[str]:
    """The names of which a definition is made."""
    trees = page.statements[number].trees[1:]
    return frozenset(found.name for tree in trees for found in page.survey.names(tree))


def takes(result: Outcome, name: str, numbers: Sequence[int]) -> bool:
    """Whether a reading takes the meaning of a name from one of these statements."""
    found = meaning(result, name)
    return found is not None and found[1] in map(str, numbers)


def agrees(one: Judged, name: str, first: int, again: Sequence[int]) -> bool:
    """Whether a restatement is true by another one, and not by the definition."""
    true = [o for o in one.outcomes if o.truth is Truth.TRUE]
    return any(takes(o, name, again) for o in true) and not any(takes(o, name, (first,)) for o in true)


def denies(one: Judged, name: str, first: int) -> bool:
    """Whether a restatement is clearly false by the definition."""
    return any(o.truth is Truth.FALSE and not o.open and takes(o, name, (first,)) for o in one.outcomes)


def goes_on(page: Page, one: Judged, numbers: Sequence[int]) -> bool:
    """Whether a restatement in another section rests on what else the section of the definition defines."""
    section = page.section(numbers[0])
    rests = {n for o in one.outcomes if o.truth is Truth.TRUE for n in o.used} - {*numbers}
    return page.section(one.relation.number) != section and any(page.section(n) == section for n in rests)


def settles(page: Page, judged: Iterable[Judged], name: str, numbers: Sequence[int]) -> bool:
    """Whether something holds by the restatements of a name alone, and nothing by its definition."""
    first, *again = numbers
    holding = [one for one in judged if one.outcomes[0].truth is Truth.TRUE and one.relation.number not in again]
    if any(first in one.outcomes[0].used for one in holding):
        return False
    resting = (one for one in holding if takes(one.outcomes[0], name, again))
    return any(fails_by(page, one, name, first) for one in islice(resting, ASKED))


def fails_by(page: Page, one: Judged, name: str, number: int) -> bool:
    """Whether a relation that holds as it is read is false by another equation of a name."""
    result = one.outcomes[0]
    found = meaning(result, name)
    if found is None or str(number) not in [option.name for option in found[0].options]:
        return False
    other = result.interpretation.but(found[0], found[0].option(str(number)))
    return outcome(page, one.relation, other, defined=True, cost=0.0).truth is Truth.FALSE
