"""How many slots the names of a page have of which nothing says so: the numbers with which most statements fit.

A statement fits if its products, sums and equal signs join arrays whose axes go together. Nothing is computed for
that, so a page as a whole can be looked at before any of its relations is tried. Names that are added to each other
or set equal have one rank, as a name has at all of its steps; their ranks change together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, islice, pairwise

from indexcalc.document.choices import Choice, Interpretation, Key, Kind, Option
from indexcalc.document.meaning.sizes import OrientationError, ShapeError, SizeError
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError
from indexcalc.document.outcomes import Relation, comparison, table_of
from indexcalc.document.page import Page
from indexcalc.document.ranks import FAMILY
from indexcalc.document.reader import read
from indexcalc.document.search import relations
from indexcalc.document.statements.labels import ABOVE_NAMES, of_any_layer
from indexcalc.document.statements.trees import sums_of
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum

PASSES = 3
"""How often the statements that do not fit are gone through."""

TOGETHER = 2
"""The most names, or families of names, of one statement whose ranks are changed at once."""

MOVES = 24
"""The most changes that are tried for one statement."""

REPAIRS = 4
"""How many names in other statements are changed along with those of one."""

MENDED = 3
"""Of how many statements that do not fit after a change one is made to fit."""

LIKELY = 6
"""How many changes are tried for that."""

READINGS = 4_000
"""How many readings a page is given."""

ACCENTS = ("hat ", "tilde ")
"""Accents that leave an array its shape."""


class Fit(StrEnum):
    """Whether the arrays of a statement go together; one that cannot be read says nothing."""

    FITS = "fits"
    MISFITS = "misfits"
    UNREAD = "unread"


WORTH = {Fit.MISFITS: 0.0, Fit.UNREAD: 0.5, Fit.FITS: 1.0}
"""How much the page gains by a statement; what cannot be read may fit or not."""


@dataclass(frozen=True)
class Reading:
    """A relation as it is read with some ranks.

    Attributes:
        fit: whether its arrays go together.
        asked: the ranks for which it asked.
    """

    fit: Fit
    asked: Mapping[Key, Choice]


Move = Mapping[Key, str]
"""Names with other ranks than they had."""


@dataclass
class Fitting:
    """The ranks of the names of a page, and how its relations are read with them.

    Attributes:
        page: the page.
        relations: those whose members are compared.
        families: the names that have one rank with each name.
        ranks: the options taken so far.
        choices: the ranks that were asked for.
        readings: each relation as it is read with them.
        known: how each relation was read before, with the ranks of its names.
        left: how many readings are left.
    """

    page: Page
    relations: tuple[Relation, ...]
    families: Mapping[str, frozenset[str]]
    ranks: Interpretation = field(default_factory=Interpretation)
    choices: dict[Key, Choice] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    known: dict[int, list[tuple[Mapping[Key, str], Reading]]] = field(default_factory=dict)
    left: int = READINGS

    def __post_init__(self) -> None:
        """Read all relations as is usual."""
        self.readings = [self.reading(number, self.ranks) for number in range(len(self.relations))]

    def reading(self, number: int, ranks: Interpretation) -> Reading:
        """A relation as it is read with some ranks; with the same ranks of the names it has, it is read once."""
        known = self.known.setdefault(number, [])
        for taken, reading in known:
            if all(ranks.option(asked).name == taken[key] for key, asked in reading.asked.items()):
                return reading
        self.left -= 1
        reading = reading_of(self.page, self.relations[number], ranks)
        self.choices.update(reading.asked)
        known.append(({key: ranks.option(asked).name for key, asked in reading.asked.items()}, reading))
        return reading

    def fits(self, number: int, ranks: Interpretation) -> bool:
        """Whether a relation fits with some ranks."""
        return self.left > 0 and self.reading(number, ranks).fit is Fit.FITS

    def improve(self) -> None:
        """Change ranks as long as more statements fit than before: one at a time, then where that does not help."""
        self.climb()
        for _ in range(PASSES):
            changed = [self.settle(number) for number, one in enumerate(self.readings) if one.fit is Fit.MISFITS]
            if not any(changed):
                return
            self.climb()

    def climb(self) -> None:
        """Take the change of one name or family that gains most, again and again, as long as one gains anything."""
        tried: dict[tuple[tuple[Key, ...], str], tuple[float, Move, Mapping[int, Reading]]] = {}
        while self.left > 0:
            self.left -= 1
            for keys, option in self.single():
                if (keys, option.name) not in tried and (move := self.move(keys, option, self.ranks)):
                    readings = self.after(move)
                    tried[keys, option.name] = self.gain(move, readings), move, readings
            gain, move, readings = max(tried.values(), key=lambda one: one[0], default=(0.0, {}, {}))
            if gain <= 0:
                return
            concerned = {key for one in move for key in self.family(self.choices[one])}
            concerned.update(key for number in readings for key in self.readings[number].asked)
            self.take(move, readings)
            concerned.update(key for number in readings for key in self.readings[number].asked)
            tried = {one: result for one, result in tried.items() if concerned.isdisjoint(one[0])}

    def single(self) -> list[tuple[tuple[Key, ...], Option]]:
        """Each name at all of its steps, and each family, with each rank that it may have."""
        found = {
            (keys, option.name): option
            for asked in self.choices.values()
            for keys in (self.family(asked), self.steps(asked))
            for option in asked.options
        }
        return [(keys, option) for (keys, _), option in found.items()]

    def settle(self, number: int) -> bool:
        """Make one relation fit, by the change that serves the page most; False if none serves it."""
        best: tuple[float, Move, Mapping[int, Reading]] = (0.0, {}, {})
        for move in self.moves(self.readings[number], self.ranks):
            if self.fits(number, changed(self.ranks, move)):
                results = ((self.gain(one, readings), one, readings) for one, readings in self.repaired(move))
                best = max(best, *results, key=lambda one: one[0])
        self.take(*best[1:])
        return bool(best[2])

    def take(self, move: Move, readings: Mapping[int, Reading]) -> None:
        """Change ranks."""
        self.ranks = changed(self.ranks, move)
        for number, one in readings.items():
            self.readings[number] = one

    def gain(self, move: Move, readings: Mapping[int, Reading]) -> float:
        """How many more relations fit after a change, less what it costs."""
        return sum(gained(self.readings[number], one) for number, one in readings.items()) - self.cost(move, self.ranks)

    def after(self, move: Move) -> Mapping[int, Reading]:
        """The relations that a change concerns, as they are read after it."""
        ranks = changed(self.ranks, move)
        return {
            number: self.reading(number, ranks)
            for number, one in enumerate(self.readings)
            if not one.asked.keys().isdisjoint(move)
        }

    def repaired(self, move: Move) -> Iterator[tuple[Move, Mapping[int, Reading]]]:
        """A change, and the same with what lets those relations fit again that it breaks; with all that it concerns."""
        for _ in range(REPAIRS):
            readings = self.after(move)
            yield move, readings
            misfits = [number for number, one in readings.items() if one.fit is Fit.MISFITS]
            misfits.sort(key=lambda number: self.readings[number].fit is not Fit.FITS)
            repairs = (one for number in misfits[:MENDED] for one in self.repairs(number, readings[number], move))
            repair = next(repairs, None)
            if repair is None:
                return
            move = {**move, **repair}

    def repairs(self, number: int, reading: Reading, move: Move) -> Iterator[Move]:
        """Changes of one more name or family with which a relation fits after a change."""
        ranks = changed(self.ranks, move)
        for one in self.moves(reading, ranks, together=1)[:LIKELY]:
            if one.keys().isdisjoint(move) and self.fits(number, changed(ranks, one)):
                yield one

    def moves(self, reading: Reading, ranks: Interpretation, together: int = TOGETHER) -> list[Move]:
        """Changes of the ranks for which a relation asks, the likely ones first."""
        single = {
            tuple(sorted(move.items())): move
            for asked in reading.asked.values()
            for option in asked.options
            for move in (self.move(self.family(asked), option, ranks), self.move(self.steps(asked), option, ranks))
            if move
        }
        likely = sorted(single.values(), key=lambda move: self.cost(move, ranks))
        joint = (ones for count in range(2, together + 1) for ones in combinations(likely, count))
        found = likely + [joined(ones) for ones in islice(joint, 4 * MOVES) if are_apart(ones)]
        return sorted(found, key=lambda move: self.cost(move, ranks))[:MOVES]

    def family(self, asked: Choice) -> tuple[Key, ...]:
        """The ranks that are one with that of a name, as far as they were asked for."""
        keys = ((Kind.RANK, name) for name in sorted(self.families.get(asked.subject, {asked.subject})))
        return tuple(key for key in keys if key in self.choices)

    def steps(self, asked: Choice) -> tuple[Key, ...]:
        """The ranks of a name at all of its steps or layers."""
        plain = of_any_layer(asked.subject)
        return tuple(key for key in self.family(asked) if of_any_layer(key[1]) == plain) or (asked.key,)

    def move(self, keys: Iterable[Key], option: Option, ranks: Interpretation) -> Move:
        """Some names with one rank, those that may have it."""
        return {
            asked.key: option.name
            for asked in (self.choices[key] for key in keys)
            if ranks.option(asked).name != option.name and any(one.name == option.name for one in asked.options)
        }

    def cost(self, move: Move, ranks: Interpretation) -> float:
        """How much more unusual the ranks become by a change; a family is as unusual as its least likely name."""
        after = changed(ranks, move)
        touched = dict.fromkeys(self.family(self.choices[key]) for key in move)
        return sum(self.unusual(family, after) - self.unusual(family, ranks) for family in touched)

    def unusual(self, family: Iterable[Key], ranks: Interpretation) -> float:
        """What the rank of a family costs."""
        return max(ranks.option(self.choices[key]).cost for key in family)


def fitted_ranks(page: Page) -> dict[Key, str]:
    """The options for ranks with which most statements of a page fit, where these are not the usual ones."""
    numbers = range(page.told, len(page.statements))
    neighbours = tuple(r for n in numbers for r in relations(page, n) if r.against == r.member - 1)
    found = Fitting(page, neighbours, families(page))
    found.improve()
    return dict(found.ranks.chosen)


def reading_of(page: Page, relation: Relation, ranks: Interpretation) -> Reading:
    """A relation as it is read with some ranks, each name for itself: definitions are statements like others."""
    table = table_of(page, relation, ranks, defined=False)
    try:
        if relation.against == 0 and relation.number in page.function_heads:
            read(table, {}, relation.right, {})  # the shape of the function's value is what it says
        else:
            comparison(table, relation)
        fit = Fit.FITS
    except (SizeError, OrientationError):  # the numbers of axes go together
        fit = Fit.FITS
    except (RankError, ShapeError):
        fit = Fit.MISFITS
    except (NotUnderstoodError, IndexCalcError, RecursionError):
        fit = Fit.UNREAD
    return Reading(fit, {key: asked for key, asked in table.asking.asked.items() if key[0] is Kind.RANK})


def families(page: Page) -> Mapping[str, frozenset[str]]:
    """The names that have one rank: those that are added or set equal, a name at its steps, and with an accent."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while name in parents:
            name = parents[name]
        return name

    def join(names: Iterable[str]) -> None:
        for one, other in pairwise(names):
            if root(one) != root(other):
                parents[root(other)] = root(one)

    every: set[str] = set()
    for statement in page.statements:
        join(name for tree in statement.trees for name in lone_terms(page, tree))
        for tree in statement.trees:
            every.update(found.name for found in page.survey.names(tree))
            for inner in sums_of(tree):
                join(lone_terms(page, inner))
    for name in sorted(every):
        above = next((end for end in ABOVE_NAMES if name.endswith(end)), "")
        plain = of_any_layer(name.removesuffix(above))
        for accent in ACCENTS:
            plain = plain.removeprefix(accent)
        join((plain, f"{name}{FAMILY}" if above else name))
    found: dict[str, set[str]] = {}
    for name in (*every, *(f"{name}{FAMILY}" for name in every)):
        found.setdefault(root(name), set()).add(name)
    return {name: frozenset(names) for names in found.values() for name in names}


def lone_terms(page: Page, tree: Sum) -> Iterator[str]:
    """The names that are terms of a sum, each as the question for its rank calls it."""
    for _, term in tree.terms:
        found = page.survey.name(term.items[0]) if len(term.items) == 1 else None
        if found is not None and not found.powers:
            yield found.name if found.parts is None else f"{found.name}{FAMILY}"


def changed(ranks: Interpretation, move: Move) -> Interpretation:
    """The ranks after a change."""
    return Interpretation({**ranks.chosen, **move})


def joined(moves: Iterable[Move]) -> Move:
    """Several changes at once."""
    return {key: name for move in moves for key, name in move.items()}


def are_apart(moves: Iterable[Move]) -> bool:
    """Whether no two changes concern the same name."""
    keys = [key for move in moves for key in move]
    return len(set(keys)) == len(keys)


def gained(before: Reading, after: Reading) -> float:
    """How much better a relation fits after a change."""
    return WORTH[after.fit] - WORTH[before.fit]
