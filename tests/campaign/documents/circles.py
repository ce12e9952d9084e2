"""The definition of a name becomes unreadable: no claim that rests on it stays true.

Which claims rest on it is found by a third form of the document, with three times what the definition says: what is
refuted there depends on the definition, and can't be known without it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document import Verdict
from tests.campaign.case import Case
from tests.campaign.documents.ablation import INDEX_RELATION
from tests.campaign.documents.blocks import formulas_of
from tests.campaign.documents.comparing import REACH, Checker, Said, both, checked, counted, found, placed, report_on
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edit, Edited, edited
from tests.campaign.documents.formulas import Chain, Member, chains_in, name_of
from tests.campaign.documents.letters import DEFINED

TRIES = 80
"""How many documents are drawn for one with a name that it defines."""

UNREADABLE = (
    r"\mathfrak{W}\bigl\langle \text{as described in the text} \bigr\rangle",
    r"\operatorname{Blend}\{\text{the quantities above}\}",
    r"\text{(see the figure on the left)}",
    r"\overset{\frown}{\mathfrak{U}}\,\Vert\,\text{all of the above}",
)
"""What no reader can make a formula of."""

WHOLE, FIRST = "unreadable definition", "unreadable first member"


@dataclass(frozen=True)
class Circle:
    """A document, the same with a name defined otherwise, the same with it defined by nothing readable, and the name.

    Attributes:
        document: as it is.
        otherwise: with three times what stands in its equations; none for the members of the definition's own chain.
        unreadable: with words there.
        operation: whether all members of its equations are unreadable, or the first only.
        judged: the places of the members that must not be called true, if they are known; else all that rest on it.
    """

    document: Document
    otherwise: Edited | None
    unreadable: Edited
    operation: str
    judged: tuple[int, ...] = ()


def cases(seed: int, count: int, among: Sequence[str] = (), checker: Checker = checked) -> Iterator[Case]:
    """So many names without a definition, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        subject = circle_of(random.Random(f"circles {own}"), among, checker)
        features = frozenset({subject.operation, f"of {subject.document.collection}"})
        yield Case(own, subject.unreadable.text, features, subject)


def circle_of(rng: random.Random, among: Sequence[str], checker: Checker) -> Circle:
    """A document whose text defines a name, and its other forms."""
    for _ in range(TRIES):
        document = drawn(rng, among)
        if DEFINED.search(document.text):
            continue
        equations = equations_of(document)
        defined = defined_names(document, equations, checker)
        for name in rng.sample(defined, len(defined)):
            words = rng.choice(UNREADABLE)
            own = equations[name]
            if len(own) == 1 and len(own[0].members) > 2 and rng.random() < 0.5:
                first, second = own[0].members[1:3]
                return Circle(document, None, replaced(document, [first], words), FIRST, (second.start,))
            members = [member for chain in own for member in chain.members[1:]]
            if any(
                document.text[one.start : one.end].count("{") != document.text[one.start : one.end].count("}")
                for one in members
            ):
                continue
            otherwise = edited(document.text, [edit for one in members for edit in tripled(one)])
            return Circle(document, otherwise, emptied(document, own, words), WHOLE)
    raise LookupError("no document defines a name")


def equations_of(document: Document) -> dict[str, list[Chain]]:
    """The chains that begin with a single name, by names; not those of names that stand alone elsewhere in a chain."""
    text = document.text
    found: dict[str, list[Chain]] = {}
    elsewhere = set()
    for region in formulas_of(text, document.name):
        about_indices = INDEX_RELATION.fullmatch(text[region.inner : region.inner_end])
        for chain in [] if about_indices else chains_in(text, region.inner, region.inner_end):
            names = [key_of(name_of(text[member.start : member.end])) for member in chain.members]
            elsewhere.update(names[1:])
            if names[0] and len(names) > 1 and all(member.relation == "=" for member in chain.members[1:]):
                found.setdefault(names[0], []).append(chain)
    return {name: chains for name, chains in found.items() if name not in elsewhere}


def key_of(name: str) -> str:
    """A name without its font, in small letters: Y, y and a bold y may be one thing."""
    return re.sub(r"\\(?:mathbf|boldsymbol|bm|mathrm|mathit)(?![A-Za-z])|[{}]", "", name).lower()


def defined_names(document: Document, equations: dict[str, list[Chain]], checker: Checker) -> list[str]:
    """The names for which one of their equations is taken for the definition."""
    report = report_on(checker, document.text, document.name)
    places = {one.position for one in placed(report, document.text) if one.claim.verdict is Verdict.DEFINITION}
    return sorted(name for name, chains in equations.items() if any(near(chain.members[1], places) for chain in chains))


def near(member: Member, places: set[int]) -> bool:
    """Whether a member begins at one of these places, or a bracket or font before it."""
    return any(member.mark < place <= min(member.start + 12, member.end) for place in places)


def inside(changed: Edited, position: int) -> bool:
    """Whether a position is in what was replaced."""
    return any(edit.start <= position < edit.end for edit in changed.edits)


def tripled(member: Member) -> list[Edit]:
    """Three times a member."""
    return [Edit(member.start, member.start, r"3 \, \bigl( "), Edit(member.end, member.end, r" \bigr) ")]


def replaced(document: Document, members: Sequence[Member], words: str) -> Edited:
    """The document with words in the place of members."""
    return edited(document.text, [Edit(one.start, one.end, words) for one in members])


def emptied(document: Document, chains: Sequence[Chain], words: str) -> Edited:
    """The document with words in the place of all members but the heads of chains."""
    return edited(document.text, [Edit(chain.members[1].start, chain.end, words) for chain in chains])


def verdict(case: Case, checker: Checker = checked) -> str:
    """The claims that are called true although what they rest on can't be read."""
    subject: Circle = case.subject
    document = subject.document
    _, _, compared = both(document, subject.unreadable, checker)
    if subject.otherwise is None:
        resting = {one.position for one, _ in compared if any(abs(one.position - at) <= REACH for at in subject.judged)}
    else:
        _, _, others = both(document, subject.otherwise, checker)
        places = {
            chain.members[1].mark
            for region in formulas_of(document.text, document.name)
            for chain in chains_in(document.text, region.inner, region.inner_end)
            if len(chain.members) > 1
        }
        resting = {
            one.position
            for one, other in others
            if one.said is Said.TRUE
            and other.accused
            and not inside(subject.unreadable, one.position)
            and any(0 < one.position - mark <= REACH for mark in places)
        }
    findings = [
        found(subject.operation, f"still true: {other.claim.verdict}", document, one.claim)
        for one, other in compared
        if one.position in resting and other.said is Said.TRUE
    ]
    accused = [
        found(subject.operation, f"newly refuted: {one.said} to {other.said}", document, one.claim)
        for one, other in compared
        if other.accused and one.said is not Said.REFUTED
    ]
    return "\n".join((counted("claims", len(resting)), *findings, *accused))
