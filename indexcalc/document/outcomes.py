"""Whether two members of a statement are equal under one interpretation, tried at points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from indexcalc.document.choices import Choice, Interpretation, Key, Kind, Option, choice
from indexcalc.document.memory import RememberedPoints
from indexcalc.document.page import Page
from indexcalc.document.reader import Reader, read
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.meaning.nodes import (
    ZERO,
    Derivative,
    Meaning,
    Plus,
    Times,
    Total,
    free,
    names_of,
    renamed,
    walk,
)
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed, at
from indexcalc.proof.document.numerics.points import positive_names, regular_names
from indexcalc.proof.document.numerics.trials import Trial, tried

Conditions = tuple[tuple[str, str, str], ...]
"""Relations between index letters."""


class Truth(StrEnum):
    """What a relation is under one interpretation.

    TRUE: equal at all points, and not by chance.
    FALSE: clearly different at several points and sizes.
    EMPTY: equal, but it says nothing: both sides are zero.
    MISFIT: its shapes do not fit.
    LOOSE: an index is free in one member only.
    SILENT: it cannot be read, or not be tried.
    """

    TRUE = "true"
    FALSE = "false"
    EMPTY = "empty"
    MISFIT = "misfit"
    LOOSE = "loose"
    SILENT = "silent"


@dataclass(frozen=True)
class Outcome:
    """A relation under one interpretation.

    Attributes:
        truth: whether it holds.
        interpretation: the interpretation.
        asked: the choices it asked for.
        cost: how far the options taken are from the usual.
        reason: why it is silent or does not fit.
        open: what is not known of its names; what is false of them says nothing.
        used: the statements it rests on.
        alone: the names that stand in one member only, and have no definition.
        spoken: the options that the way in which it is written speaks for.
    """

    truth: Truth
    interpretation: Interpretation
    asked: dict[Key, Choice]
    cost: float = 0.0
    reason: str = ""
    open: tuple[str, ...] = ()
    used: frozenset[int] = frozenset()
    alone: tuple[str, ...] = ()
    spoken: frozenset[tuple[Key, str]] = frozenset()

    @property
    def options(self) -> tuple[tuple[Key, str], ...]:
        """The options taken, the usual ones too."""
        return tuple((key, self.interpretation.option(asked).name) for key, asked in self.asked.items())


@dataclass(frozen=True)
class Relation:
    """Two members of a statement that are said to be equal."""

    number: int
    left: Sum
    right: Sum
    member: int
    against: int
    conditions: Conditions = ()
    spoken: Conditions = ()
    letters: frozenset[str] = frozenset()


def outcome(
    page: Page, relation: Relation, interpretation: Interpretation, *, defined: bool, cost: float, screen: bool = False
) -> Outcome:
    """Read a relation under an interpretation and try it."""
    asking = page.asking(interpretation)
    table = Table(page, asking, relation.number, read, defined=defined, letters=relation.letters)
    table.head = page.free_letters(relation.number)
    reader = Reader(table)
    try:
        left = reader.sum(relation.left)
        right = reader.sum(relation.right)
        truth, reason = compared(reader, left, right, relation, screen=screen)
        alone = names_apart(table, left.node, right.node)
        for text in (*table.unknown_between(left.node), *table.unknown_between(right.node)):
            table.open.setdefault(text, text)
    except (NotUnderstoodError, RecursionError) as error:
        truth, reason, alone = Truth.SILENT, str(error), ()
    except ShapeError as error:
        truth, reason, alone = Truth.MISFIT, str(error), ()
    except IndexCalcError as error:
        truth, reason, alone = Truth.SILENT, str(error), ()
    return Outcome(
        truth,
        interpretation,
        asking.asked,
        cost,
        reason,
        tuple(table.open.values()),
        frozenset(table.used),
        alone,
        frozenset(table.spoken),
    )


def compared(reader: Reader, left: Typed, right: Typed, relation: Relation, *, screen: bool) -> tuple[Truth, str]:
    """Both members brought to common axes, and tried at points."""
    table = reader.table
    left, right = at_entry(reader, left, right), at_entry(reader, right, left)
    if len(left.axes) != len(right.axes):
        return Truth.MISFIT, f"an array with {len(left.axes)} axes is set equal to one with {len(right.axes)}"
    if len(left.axes) == 1 and left.orientation != right.orientation:
        return Truth.MISFIT, "a row is set equal to a column"
    for one, other in zip(left.axes, right.axes, strict=True):
        table.sizes.unify(one, other)
    right_node = renamed(right.node, dict(zip(right.axes, left.axes, strict=True)))
    left_free, right_free = free(left.node), free(right_node)
    if extra := [index for index in right_free if index not in left_free and index not in left.axes]:
        return Truth.LOOSE, f"the index {extra[0].name or '?'} is free in one member only"
    over = tuple(dict.fromkeys((*left.axes, *left_free)))
    conditions = relation.conditions
    if relation.spoken:
        said = choice(
            Kind.CONDITION,
            str(relation.number),
            Option("in general", 0.0),
            Option("said", 0.1, " and ".join(" ".join(one) for one in relation.spoken), stated=True),
        )
        conditions = (*conditions, *relation.spoken) if table.asking(said).name == "said" else conditions
    trial = trial_of(table, left.node, right_node, over, conditions, screen=screen)
    if trial.equal and trial.vanish and not says_zero(table, left.node, right_node, over):
        return Truth.EMPTY, "both sides are zero"
    if trial.equal:
        return Truth.TRUE, ""
    if trial.different or (screen and trial.failures):
        return Truth.FALSE, ""
    return Truth.SILENT, "it cannot be tried at enough points"


def at_entry(reader: Reader, value: Typed, other: Typed) -> Typed:
    """An array that is set equal to an entry, at that entry, whose letters the statement gives in order."""
    order = reader.table.page.order(reader.table.number)
    if other.axes or not value.axes or len(order) != len(value.axes) or len(set(order)) < len(order):
        return value
    if not all(part in reader.letters for part in order):
        return value
    return at(value, tuple(reader.letters[part] for part in order), reader.table.sizes)


def says_zero(table: Table, left: Meaning, right: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether of two sides that are zero one is so whatever its names mean, and what adds up to the other is not."""
    return any(
        cancels(table, one, over) and is_zero(table, other, over) for one, other in ((left, right), (right, left))
    )


def is_zero(table: Table, node: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether an expression is zero whatever its names mean."""
    if any(isinstance(inner, Derivative) for inner in walk(node)):
        return False
    return trial_of(table, node, ZERO, over, (), defined=False).equal


def cancels(table: Table, node: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether what is zero is a sum of what is not: then it says something that it is zero."""
    for part in summands(node):
        own = tuple(index for index in free(part) if index not in over)
        if trial_of(table, part, ZERO, (*over, *own), (), screen=True).failures:
            return True
    return False


def summands(node: Meaning) -> Iterator[Meaning]:
    """What is added up in an expression, or in a factor of it."""
    match node:
        case Total(body=body):
            yield body
        case Plus(terms):
            yield from terms
        case Times(factors):
            for factor in factors:
                yield from summands(factor)
        case _:
            return


def trial_of(
    table: Table,
    left: Meaning,
    right: Meaning,
    over: tuple[Ix, ...],
    conditions: Conditions,
    *,
    screen: bool = False,
    defined: bool = True,
) -> Trial:
    """The two sides at random points; to screen a reading, the first point at which they differ is enough."""
    symbols = table.symbols() if defined else replace(table.symbols(), definitions={})
    bodies = (left, right, *(definition.body for definition in symbols.definitions.values()))
    positive, regular = positive_names(symbols, (left, right)), regular_names(bodies)
    points = RememberedPoints(symbols, positive, regular, memory=table.page.memory)

    def enough(trial: Trial) -> bool:
        return bool(trial.failures) if screen else trial.different

    return tried(points, table.sizes, (left, right), over, conditions, enough=enough)


def names_apart(table: Table, left: Meaning, right: Meaning) -> tuple[str, ...]:
    """The names on which only one member rests, and which neither a definition reads nor a word declares."""

    def inputs(node: Meaning) -> set[str]:
        found, pending = set[str](), list(names_of(node))
        while pending:
            name = pending.pop()
            if name in table.definitions:
                pending.extend(n for n in table.definitions[name].reads if n not in found)
            found.add(name)
        return {name for name in found if name not in table.definitions and name not in table.losses}

    read = {name for definition in table.definitions.values() for name in definition.reads}
    targets = {inner.wrt.name for node in (left, right) for inner in walk(node) if isinstance(inner, Derivative)}
    fine = read | targets | table.page.declared.keys() | table.page.context.simplex.keys()
    return tuple(sorted(name for name in inputs(left) ^ inputs(right) if name not in fine))
