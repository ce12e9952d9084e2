"""What the statements of a document say for the options of a choice.

A statement speaks for an option if it is true under it and under none of the alternatives; one that is true either
way says nothing. No statement speaks for the reading by which it is judged itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from indexcalc.document.choices import SUMS, Choice, Interpretation, Key, Kind, meaning_key
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Outcome, Relation, Truth
from indexcalc.document.page import Page
from indexcalc.document.reader import read
from indexcalc.document.search import Judged, RelationKey
from indexcalc.document.table import Table
from indexcalc.document.view import PROJECTION
from indexcalc.errors import IndexCalcError

SUPPORT = 1.0
"""What other statements must say for an option that is not the usual one."""


def in_doubt(
    page: Page, judged: Collection[Judged], votes: Votes | None, explain: Collection[int] = ()
) -> frozenset[Key]:
    """The choices of which it matters what the document says.

    They are those that are taken otherwise than usual, because other relations say so; those in which a relation must
    be read otherwise to hold; and all that is asked for by one that does not hold even so, or stands on some line.
    Without votes nothing has been said yet, and any reading may be supported.
    """
    found: set[Key] = set()
    for one in judged:
        usual, number = one.outcomes[0], one.relation.number
        found.update(key for key, asked in usual.asked.items() if not is_usual(one.base, asked))
        line = page.line(number)
        if line not in explain and (usual.truth is Truth.TRUE or all(o.truth is Truth.SILENT for o in one.outcomes)):
            continue
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        if line not in explain and any(votes is None or supported(page, o, votes, number) for o in true):
            found.update(key for o in true for key in changed(o, one.base))
            continue
        found.update(key for o in one.outcomes for key in o.asked)
        head = page.heads[number]
        if head is not None:  # whether it gives the name a new meaning is seen where the name is read
            found.add(meaning_key(head.name, line))
    sections = {page.sections.standing_choice(section).key: section for section in page.sections.renewing}
    for key in found & sections.keys():
        found.update(page.sections.standing_choice(one).key for one in page.sections.alike(sections[key]))
    return frozenset(found)


def changed(result: Outcome, base: Interpretation) -> Iterator[Key]:
    """The choices in which a reading differs from another one."""
    for key, asked in result.asked.items():
        if result.interpretation.option(asked) != base.option(asked):
            yield key


def is_usual(interpretation: Interpretation, asked: Choice) -> bool:
    """Whether an interpretation takes the usual option."""
    return interpretation.option(asked).name == asked.options[0].name


def bears_on(judged: Judged, base: Interpretation) -> bool:
    """Whether a relation asks for a choice that the document has settled in another way than it was read."""
    asked = {key for o in judged.outcomes for key in o.asked}
    before = judged.base.chosen
    return any(before.get(key) != base.chosen.get(key) for key in asked)


ALL = -1
"""The number of no statement: what is said for its reading is said by all of them."""


def consensus(votes: Votes, number: int = ALL) -> Interpretation:
    """The interpretation for which the statements but one speak."""
    leading = ((key, most_supported(says, number)) for key, says in votes.items())
    return Interpretation({key: name for key, name in leading if name})


def bases(votes: Votes, count: int) -> Mapping[int, Interpretation]:
    """For each statement the interpretation for which all others speak, and under `ALL` that of all of them."""
    whole = consensus(votes)
    involved: dict[int, list[Key]] = {}
    for key, says in votes.items():
        for number in {n for who in says.values() for one, rests in who for n in (one, *rests)}:
            involved.setdefault(number, []).append(key)
    found = dict.fromkeys((ALL, *range(count)), whole)
    for number, keys in involved.items():
        own = {key: most_supported(votes[key], number) for key in keys}
        found[number] = Interpretation({key: name for key, name in {**whole.chosen, **own}.items() if name})
    return found


def most_supported(says: Mapping[str, set[Voter]], number: int) -> str:
    """The option for which most statements but one speak; empty if there is none."""
    counted = [(others(who, number), name) for name, who in says.items()]
    first, *rest = sorted(counted, key=lambda one: (-len(one[0]), one[1]))
    # Options for which the same statements speak are as good as one.
    alone = all(len(who) < len(first[0]) or who == first[0] for who, _ in rest)
    return first[1] if first[0] and alone else ""


GUESSES = frozenset({Kind.RANK, Kind.WORD})
"""Choices of which even the usual option supports a refutation only if another statement is true under it."""


MIXED = frozenset({Kind.SUMS, Kind.TIE})
"""Choices of which authors take one option here and another one there."""


CLOSE = 0.5
"""Options of a guess that are as near to each other as this may well be confused."""


Voter = tuple[int, frozenset[int]]
"""A statement that speaks for an option, and the statements that it rests on."""

Votes = Mapping[Key, Mapping[str, set[Voter]]]
"""For each option of each choice, the statements that speak for it."""


def others(voters: Collection[Voter], number: int) -> set[Voter]:
    """The voters but a statement itself, and those that rest on it."""
    return {voter for voter in voters if voter[0] != number and number not in voter[1]}


def votes_of(page: Page, judged: Mapping[RelationKey, Judged]) -> Votes:
    """What each statement speaks for: the options under which alone it is true."""
    votes = {key: {name: set(who) for name, who in says.items()} for key, says in readability(page).items()}
    for one in judged.values():
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        # Zeros on both sides speak against a reading only if nothing depends on what is differentiated by under it.
        fits = [o for o in one.outcomes if o.truth is Truth.TRUE or (o.truth is Truth.EMPTY and not o.open)]
        tried = [o for o in one.outcomes if o.truth is not Truth.SILENT]
        voter = (one.relation.number, frozenset(n for o in true for n in o.used))
        for o in true[:1]:
            for key, name in o.spoken:
                votes.setdefault(key, {}).setdefault(name, set()).add(voter)
            for key, name in o.options.items():
                if key[0] in GUESSES:
                    votes.setdefault((key[0], f"{key[1]} in use"), {}).setdefault(name, set()).add(voter)
        unsaid = silent_kinds(page, one.relation)
        for key in {key for o in true for key in o.options if key[0] not in unsaid}:
            # What holds of symmetric matrices alone says nothing of what is tied to them.
            likely = [o for o in true if o.cost < true[0].cost + CLOSE] if key[0] is Kind.TIE else true
            under = {o.options.get(key) for o in likely}
            against = {o.options.get(key) for o in tried} - {o.options.get(key) for o in fits}
            if against and (len(under) == 1 or key[0] is Kind.TIE):
                for name in sorted(one for one in under if one not in (None, PROJECTION)):
                    votes.setdefault(key, {}).setdefault(name, set()).add(voter)
    return {**votes, **dict(of_others(page, votes))}


def of_others(page: Page, votes: Votes) -> Iterator[tuple[Key, Mapping[str, set[Voter]]]]:
    """What is said for sections of which one statement at most says something: for the others of their level, too."""
    keys = {section: page.sections.standing_choice(section).key for section in page.sections.renewing}
    for section, key in keys.items():
        own = votes.get(key, {})
        if len({number for who in own.values() for number, _ in who}) <= 1:
            every = [own, *(votes[keys[one]] for one in page.sections.alike(section) if keys[one] in votes)]
            says = {name: {voter for one in every for voter in one.get(name, ())} for one in every for name in one}
            if says:
                yield key, says


def silent_kinds(page: Page, relation: Relation) -> frozenset[Kind]:
    """The choices of which a true relation says nothing.

    Only a law about one name says that a matrix is symmetric; and an equation that gives a name a meaning again holds
    with what is before its section, and is a definition without it.
    """
    law, head = relation.number in page.about_one_name, page.heads[relation.number]
    gives = head is not None and relation.number in page.defining.get(head.name, ())
    return frozenset((() if law else (Kind.PROPERTY,)) + ((Kind.SECTION,) if gives else ()))


def telling(page: Page, one: Judged) -> frozenset[Key]:
    """The choices of which a relation that holds as it is read may say something."""
    unsaid = silent_kinds(page, one.relation)
    return frozenset(key for key in one.outcomes[0].asked if key[0] not in unsaid)


def readability(page: Page) -> Votes:
    """What definitions speak for: the conventions under which alone they can be read."""
    votes: dict[Key, dict[str, set[Voter]]] = {}
    for number in sorted({n for numbers in page.defining.values() for n in numbers}):
        if number not in page.remembered:
            page.remembered[number] = tuple(readable_only_under(page, number))
        for key, name in page.remembered[number]:
            votes.setdefault(key, {}).setdefault(name, set()).add((number, frozenset()))
    return votes


def readable_only_under(page: Page, number: int) -> Iterator[tuple[Key, str]]:
    """The convention for unwritten sums under which alone a definition can be read."""
    fits: list[str] = []
    for option in SUMS.options:
        asking = page.asking(Interpretation().but(SUMS, option))
        head = page.heads[number]
        assert head is not None
        try:
            Table(page, asking, number, read).define(head.name, number)
        except (NotUnderstoodError, ShapeError, IndexCalcError, RecursionError):
            pass
        else:
            fits.append(option.name)
        if SUMS.key not in asking.asked:
            return  # it is read alike under all of them
    if len(fits) == 1 or fits == ["chain", "repeated"]:
        yield SUMS.key, fits[-1]


def supported(page: Page, result: Outcome, votes: Votes, number: int, returns: str = "") -> bool:
    """Whether each option of a reading is usual and not spoken against, stated, or spoken for by other statements."""
    for key, name in result.options.items():
        asked = result.asked[key]
        option = asked.option(name)
        says = {o: len(others(who, number)) for o, who in votes.get(key, {}).items()}
        voters = votes.get(key, {})
        rival = max((n for o, n in says.items() if o != name and voters[o] != voters.get(name)), default=0)
        usual = name == asked.options[0].name
        if returns and asked.name == returns:
            continue  # a name may return to an earlier meaning whenever it is given again
        if option.general and result.truth is Truth.TRUE:
            continue
        if usual:
            if rival >= 2 * SUPPORT and rival > 2 * says.get(name, 0):
                return False
        elif option.free and not rival:
            continue
        elif not option.stated and (says.get(name, 0) < SUPPORT or rival > says.get(name, 0)):
            return False
    return True


def contradicted(result: Outcome, votes: Votes, number: int) -> bool:
    """Whether other statements speak against an option that nothing else asks for."""
    for key, name in result.options.items():
        if key[0] not in MIXED and name != result.asked[key].options[0].name:
            says = {o: len(others(who, number)) for o, who in votes.get(key, {}).items()}
            if not says.get(name) and any(says.values()):
                return True
    return False


def is_guess(result: Outcome, key: Key) -> bool:
    """Whether another option is about as usual as the one taken."""
    asked = result.asked[key]
    taken = result.interpretation.option(asked)
    return any(option.name != taken.name and option.cost - taken.cost < CLOSE for option in asked.options)


def witnesses(votes: Votes, key: Key, name: str, number: int) -> bool:
    """Whether another statement is true under an option, or under it alone."""
    return bool(others(votes.get((key[0], f"{key[1]} in use"), {}).get(name, set()), number))
