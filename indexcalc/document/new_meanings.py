"""Equations that may give a name a new meaning: what they say is no claim about the meaning that it had."""

from __future__ import annotations

import re

from indexcalc.document.choices import Key, Kind, meaning_key
from indexcalc.document.evidence import Votes
from indexcalc.document.outcomes import Truth
from indexcalc.document.page import Page
from indexcalc.document.search import Judged

NEW = re.compile(
    r"\b(?:but|instead|now|suppose|assume|let|another|alternativ\w+|redefine|consider|if|where|denote|set"
    r"|reduces to|lineari[sz]\w+|approximat\w+|first order|in the limit)\b"
)
"""Words before an equation that may give a name a new meaning."""


def renames(page: Page, judged: Judged, votes: Votes, name: str) -> bool:
    """Whether an equation may give a name a new meaning: nothing defined it, a word says so, or it stands elsewhere.

    It does so in another section, example, item or row, and where a name in the earlier equation has a new meaning
    since. An item in which its shapes do not fit with what stands outside of it speaks of other arrays. It gives no new
    meaning if what follows holds with the earlier one; in the same place it does if what follows holds with its own
    alone.
    """
    own = judged.relation.number
    numbers = [n for n in page.defining.get(name, ()) if n < own]
    if not numbers:
        return True
    start = page.statements[own].span.start
    before = page.statements[numbers[-1]]
    if says_new(page, own) or followed(votes, own, name):
        return True
    sections, earlier = page.sections, before.span.start
    units = {sections.unit(earlier), sections.unit(start)}
    clash = any(o.truth is Truth.CLASH for o in judged.outcomes)
    if clash and sections.unit(start) and len(units) > 1:
        return True
    elsewhere = sections.around(earlier) != sections.around(start) or (len(units) == 2 and "" not in units)
    examples = {sections.example(earlier), sections.example(start)}
    elsewhere = elsewhere or (len(examples) == 2 and -1 not in examples) or read_anew(page, numbers[-1], own)
    return elsewhere and not rejected(page, votes, own, name)


def read_anew(page: Page, earlier: int, own: int) -> bool:
    """Whether an equation reads a name that has a new meaning since: what it defines may be given anew, too."""
    read = {found.name for tree in page.statements[earlier].trees[1:] for found in page.survey.names(tree)}
    return any(earlier < number < own for name in read for number in page.defining.get(name, ())[1:])


def followed(votes: Votes, own: int, name: str) -> bool:
    """Whether what follows an equation holds with the meaning that it gives a name, and with no earlier one."""
    readings = (says for key, says in votes.items() if key[0] is Kind.DEFINITION and is_meaning(key, name))
    found = [(option, {voter for voter in who if voter[0] != own}) for says in readings for option, who in says.items()]
    return any(who for option, who in found if option == str(own)) and not any(
        who for option, who in found if option.isdigit() and int(option) < own
    )


def is_meaning(key: Key, name: str) -> bool:
    """Whether a choice is about the equation that gives a name its meaning at some line."""
    return key[1].startswith(meaning_key(name, 0)[1].removesuffix("0"))


def says_new(page: Page, number: int) -> bool:
    """Whether a word before an equation may say that it gives a name a new meaning."""
    start = page.statements[number].span.start
    return NEW.search(page.document.source[max(0, start - 120) : start].lower()) is not None


def rejected(page: Page, votes: Votes, number: int, name: str) -> bool:
    """Whether what follows holds with another meaning of the name than the one that an equation would give it."""
    line = page.document.place(page.statements[number].span.start)[0]
    says = votes.get(meaning_key(name, line), {})
    behind = {option: sum(voter[0] > number for voter in who) for option, who in says.items()}
    own = behind.pop(str(number), 0)
    return any(count > own for count in behind.values())
