"""The interpretations of a relation: the one that the document supports first, then those that differ a little."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from indexcalc.document.choices import Asking, Choice, Interpretation, Key, Kind, alternatives
from indexcalc.document.expectations import VANISHES
from indexcalc.document.outcomes import Conditions, Outcome, Relation, Truth, outcome
from indexcalc.document.page import Page
from indexcalc.document.statements.outline import ANEW, EQUALITIES, condition, heading_conditions
from indexcalc.document.statements.scripts import is_letter
from indexcalc.document.table import Table
from indexcalc.document.view import SYMMETRIC
from indexcalc.language.latex.tree import Sum

READINGS = 24
"""The most interpretations of one relation."""


AFTER = 4
"""How many more are tried once it holds under one: whether it holds under others too says what it speaks for."""


AGAINST = 3
"""The most members before it with which a member is compared: the first one, and the last ones."""


UNLIKELY = 1.0
"""What a reading costs that nobody would think of unless the document speaks for it."""


LEAST = 0.05
"""The least that a reading costs which differs from what the document supports."""


FLIPS = 2
"""The most choices in which a reading differs from the usual one."""


@dataclass(frozen=True)
class Judged:
    """A relation with its outcomes: those without definitions first, then with them."""

    relation: Relation
    outcomes: tuple[Outcome, ...]
    base: Interpretation = field(default_factory=Interpretation)


Changes = frozenset[tuple[Key, str]]
"""The options in which an interpretation differs from another one."""


RelationKey = tuple[int, int, int]


def relation_key(relation: Relation) -> RelationKey:
    """What tells relations apart: the statement, and the places of the two members."""
    return (relation.number, relation.member, relation.against)


def relations(page: Page, number: int) -> Iterator[Relation]:
    """The pairs of members of a statement that are said to be equal: each with the first and with the one before.

    Behind an inequality, or what is nearly equal or equal up to a factor, the first is the value that stands there.
    Nothing is compared behind other relations.
    """
    statement = page.statements[number]
    sides = statement.sides
    for member in range(1, len(sides)):
        if sides[member].relation not in EQUALITIES | ANEW:
            return
        origin = statement.origin(member)
        for against in (
            list(dict.fromkeys((origin, *range(member - 1, origin, -1))))[:AGAINST] if origin < member else ()
        ):
            left, right = sides[against].tree, sides[member].tree
            if left is not None and right is not None:
                conditions, near = tuple(statement.conditions), conditions_near(page, number)
                letters = index_letters(page, left) | index_letters(page, right)
                yield Relation(number, left, right, member, against, conditions, near, letters)


def index_letters(page: Page, tree: Sum) -> frozenset[str]:
    """The letters that index names in a member; below ones a letter that indexes nothing else is a size."""
    parts = ((found.name, part) for found in page.survey.names(tree) for part in found.parts or ())
    return frozenset(part for name, part in parts if is_letter(part) and (name != "1" or part in page.index_letters))


CONDITION_REACH = 3
"""How many statements behind a condition, in its section, it may still hold for."""


def conditions_near(page: Page, number: int) -> tuple[tuple[str, str, str], ...]:
    """The conditions on indices that stand just before a statement, or that the words around it say."""
    found = [*page.statements[number].spoken]
    section = page.section(number)
    for before in range(max(0, number - CONDITION_REACH), number):
        if page.section(before) == section:
            own = said_condition(page, before)
            found = [*(found if said_condition(page, before - 1) else ()), *own] if own else found
    heading = heading_conditions(page.document.heading(page.statements[number].span.start).replace("Case", ""))
    return tuple(found or heading)


def said_condition(page: Page, number: int) -> Conditions:
    """The relations between letters that a statement consists of; behind ``Unless`` what holds otherwise."""
    if page.statements[number].trails:
        return ()
    found, start = condition(page.statements[number]), page.start(number)
    if len(found) == 1 and EXCEPT.search(page.document.source[max(0, start - 30) : start]):
        ((left, sign, right),) = found
        return ((left, OPPOSITE[sign], right),) if sign in OPPOSITE else ()
    return found


EXCEPT = re.compile(r"\b(?:Unless|Except (?:for|if|when|where))[\s$(\\]*$")
"""Words that begin a sentence with what is excepted; within one, ``zero unless i = k``, that is what follows."""

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""What holds where a relation does not."""


@dataclass
class Trials:
    """The outcomes of one relation: interpretations that agree on all that it asks for are one.

    Where one of them takes too long, no other one is tried.
    """

    page: Page
    relation: Relation
    known: list[tuple[bool, bool, Outcome]] = field(default_factory=list)

    def __call__(self, interpretation: Interpretation, *, defined: bool, cost: float, screen: bool = False) -> Outcome:
        """The outcome under an interpretation."""
        for with_definitions, screened, one in self.known:
            alike = with_definitions == defined and screened <= screen and agree(one, interpretation)
            if alike or one.is_cut_short:
                return replace(one, interpretation=interpretation, cost=cost)
        found = outcome(self.page, self.relation, interpretation, defined=defined, cost=cost, screen=screen)
        self.known.append((defined, screen, found))
        return found


def agree(one: Outcome, interpretation: Interpretation) -> bool:
    """Whether an interpretation takes the options that an outcome asked for."""
    chosen, own = interpretation.chosen, one.interpretation.chosen
    return all(
        chosen.get(key) == own.get(key) or interpretation.option(asked) == one.interpretation.option(asked)
        for key, asked in one.asked.items()
    )


def with_joint_options(first: Outcome, trials: Trials, *, defined: bool) -> Iterator[Outcome]:
    """A false relation under an option that several of its choices take together, as few as it takes, if it then holds.

    Covariances come together, and what is true of them is false as long as one is any matrix; so do the noises of a
    model, whose products have the expectation zero. Of one alone, the transpose that is not written is likely to be
    forgotten.
    """
    keys = {key: name for key, asked in first.asked.items() if (name := joint_option(first, asked))}

    def outcome_with(some: Collection[Key]) -> Outcome:
        chosen = {**first.interpretation.chosen, **{key: keys[key] for key in some}}
        return trials(Interpretation(chosen), defined=defined, cost=LEAST * len(some), screen=True)

    for names in ({SYMMETRIC}, {VANISHES}, {SYMMETRIC, VANISHES}):
        some = [key for key, name in keys.items() if name in names]
        if not 1 < len(some) <= MOST_TOGETHER or {keys[key] for key in some} != names:
            continue
        result = outcome_with(some)
        if result.truth is not Truth.TRUE:
            continue
        for key in list(some):
            fewer = outcome_with([other for other in some if other != key])
            if fewer.truth is Truth.TRUE:
                some.remove(key)
                result = fewer
        if len(some) > 1:
            yield result
        return


MOST_TOGETHER = 8
"""The most choices that take one option at once."""


def joint_option(outcome: Outcome, asked: Choice) -> str:
    """The option that a choice takes together with others; empty if there is none."""
    table = outcome.comparison.table if outcome.comparison is not None else None
    if table is not None and may_be_symmetric(table, asked):
        return SYMMETRIC
    return VANISHES if any(option.name == VANISHES for option in asked.options) else ""


def may_be_symmetric(table: Table, asked: Choice) -> bool:
    """Whether a choice asks if a square matrix is symmetric."""
    slots = table.known.get(asked.subject, ())
    asks = asked.kind is Kind.PROPERTY and any(one.name == SYMMETRIC for one in asked.options)
    return asks and len(slots) == 2 and table.sizes.find(slots[0]) == table.sizes.find(slots[1])


def judge(relation: Relation, base: Interpretation, trials: Trials, doubtful: Collection[Key] | None = None) -> Judged:
    """A relation under its interpretations, from the one that the rest of the document supports.

    Where it holds under that one, others only say what it speaks for, which matters for choices that are in doubt:
    those that are `doubtful`, or all if none are given.
    """
    bare = trials(base, defined=False, cost=0.0, screen=True)
    # What holds whatever its names are defined as needs no definitions.
    defined = bare.truth is not Truth.TRUE
    found: list[Outcome] = []
    pending: list[tuple[float, Changes, Interpretation]] = [(0.0, frozenset(), base)]
    seen: set[Changes] = {frozenset()}
    left = READINGS
    while pending and left:
        left -= 1
        # One choice at a time, the usual options first; but two likely changes before one that nobody thinks of.
        pending.sort(key=lambda entry: (entry[0] >= UNLIKELY, len(entry[1]), entry[0]))
        cost, changes, interpretation = pending.pop(0)
        result = trials(interpretation, defined=defined, cost=cost, screen=bool(changes))
        found.append(result)
        if result.truth is Truth.TRUE:
            left = min(left, AFTER)
        if not changes and result.truth is Truth.FALSE:
            found.extend(with_joint_options(result, trials, defined=defined))
        if len(changes) == FLIPS:
            continue
        holds = doubtful is not None and found[0].truth is Truth.TRUE
        for asked, option, more in alternatives(Asking(interpretation, asked=result.asked)):
            if holds and asked.key not in (doubtful or ()):
                continue
            other = changes | {(asked.key, option.name)}
            if other not in seen and all(key != asked.key for key, _ in changes):
                seen.add(other)
                pending.append((cost + max(more, LEAST), other, interpretation.but(asked, option)))
    return Judged(relation, tuple(found), base)
