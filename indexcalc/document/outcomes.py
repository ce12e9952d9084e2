"""Whether two members of a statement are equal under one interpretation, tried at points."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice

from indexcalc.document.chain_rules import introduce_links
from indexcalc.document.choices import Choice, Interpretation, Key, Kind, Option, choice
from indexcalc.document.differentials import introduce
from indexcalc.document.fields import may_be_law
from indexcalc.document.meaning.nodes import (
    ZERO,
    Derivative,
    Entry,
    Meaning,
    Plus,
    Times,
    Total,
    free,
    renamed,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, OrientationError, ShapeError, SizeError, Sizes
from indexcalc.document.meaning.symbols import CountError, NotUnderstoodError, all_read
from indexcalc.document.meaning.typed import Typed, at, sides
from indexcalc.document.memory import RememberedPoints
from indexcalc.document.names import Names
from indexcalc.document.numerics.numbers import WorkError
from indexcalc.document.numerics.points import factored_names, positive_names, regular_names
from indexcalc.document.numerics.trials import Trial, lost_in_rounding, tried
from indexcalc.document.page import Page
from indexcalc.document.products import DOTS, VECTORS, is_dotted
from indexcalc.document.reader import Reader, read
from indexcalc.document.rounding import ROUNDED, agree_as_rounded, unit_of
from indexcalc.document.runs import count_of
from indexcalc.document.scope import Scope
from indexcalc.document.statements.kinds import is_update
from indexcalc.document.statements.limits import bound_in
from indexcalc.document.statements.steps import steps_in
from indexcalc.document.table import Table
from indexcalc.document.unknowns import losses_in, names_apart, unknown_between, unknown_together, unread_way
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum

Conditions = tuple[tuple[str, str, str], ...]
"""Relations between index letters."""


class Truth(StrEnum):
    """What a relation is under one interpretation.

    TRUE: equal at all points, and not by chance.
    FALSE: clearly different at several points and sizes.
    EMPTY: equal, but it says nothing: both sides are zero.
    CLASH: two sizes would have to be equal that the document keeps apart.
    MISFIT: its shapes do not fit otherwise.
    LOOSE: an index is free in one member only.
    SILENT: it cannot be read, or not be tried.
    """

    TRUE = "true"
    FALSE = "false"
    EMPTY = "empty"
    CLASH = "clash"
    MISFIT = "misfit"
    LOOSE = "loose"
    SILENT = "silent"


SUMMANDS = 12
"""The most summands of which one that is not zero is looked for."""


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
        missing: the names of which it is not known what they are.
        used: the statements it rests on.
        alone: the names that stand in one member only, and have no definition.
        spoken: the options that the way in which it is written speaks for.
        comparison: its members as they were read, where it was tried at all points.
        is_cut_short: whether it took too long at a point.
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
    missing: tuple[str, ...] = ()
    comparison: Comparison | None = field(default=None, compare=False, repr=False)
    is_cut_short: bool = False

    @cached_property
    def options(self) -> Mapping[Key, str]:
        """The options taken, the usual ones too."""
        return {key: self.interpretation.option(asked).name for key, asked in self.asked.items()}


@dataclass(frozen=True)
class Relation:
    """Two members of a statement that are said to be equal.

    Attributes:
        number, member, against: the statement, and the places of its two members.
        left, right: the members.
        conditions: relations between letters under which it is said.
        spoken: those that words around it say.
        letters: the index letters in it.
        solved: names with the statements that say what they are here, whatever else is said of them; None where none is
            taken.
        doubled: one of them that is to be twice as much.
    """

    number: int
    left: Sum
    right: Sum
    member: int
    against: int
    conditions: Conditions = ()
    spoken: Conditions = ()
    letters: frozenset[str] = frozenset()
    solved: tuple[tuple[str, int | None], ...] = ()
    doubled: str = ""

    @property
    def place(self) -> tuple[int, int, int]:
        """Which relation of the page it is."""
        return self.number, self.member, self.against


@dataclass(frozen=True)
class Comparison:
    """Two members under one reading, brought to common axes.

    Attributes:
        table: the names.
        letters: the index letters of the relation.
        head: the first member, as it is read.
        left, right: what is said to be equal.
        over: the axes and the free letters.
        conditions: relations between letters under which it is said.
        alone: the names that stand in one member only, and have no definition.
        extra: an index that is free in the second member only; None if there is none.
    """

    table: Table
    letters: Mapping[str, Ix]
    head: Typed
    left: Meaning
    right: Meaning
    over: tuple[Ix, ...]
    conditions: Conditions
    alone: tuple[str, ...] = ()
    extra: Ix | None = None


def outcome(
    page: Page, relation: Relation, interpretation: Interpretation, *, defined: bool, cost: float, screen: bool = False
) -> Outcome:
    """Read a relation under an interpretation and try it; where sums run over steps, at two numbers of steps."""
    found, letters = attempt(page, relation, interpretation, defined=defined, cost=cost, screen=screen)
    counts = dict(page.steps.counted.get(relation.place, {}))
    while letters - counts.keys() and found.truth is not Truth.TRUE and len(letters | counts.keys()) <= MOST_COUNTS:
        counts |= {letter: count_of(letter) for letter in letters}
        counts |= dict.fromkeys(free_steps(page, relation) - counts.keys(), min(counts.values()) - BEFORE_END)
        page.steps.counted[relation.place] = dict(counts)
        found, letters = attempt(page, relation, interpretation, defined=defined, cost=cost, screen=screen)
    if not counts or screen or found.truth is not Truth.TRUE:
        return found
    with page.steps.one_fewer(relation.place):
        other, _ = attempt(page, relation, interpretation, defined=defined, cost=cost, screen=True)
    if other.truth in (Truth.TRUE, Truth.EMPTY):
        return found
    return replace(found, truth=Truth.SILENT, reason="it holds for some numbers of steps")


MOST_COUNTS = 3
"""The most letters of a relation that count steps."""

BEFORE_END = 2
"""How many steps are left behind any one of which a relation speaks, where its sums over steps end."""


def free_steps(page: Page, relation: Relation) -> frozenset[str]:
    """The letters that number steps in a relation, and that no sum binds: it says something of any one step."""
    trees = (relation.left, relation.right)
    bound = {letter for tree in trees for letter in bound_in(tree)}
    names = (one.name for tree in trees for one in page.survey.names(tree))
    found = {step.text for name in names for _, step in steps_in(name)}
    return page.steps.letters.intersection(found) - bound


def attempt(
    page: Page, relation: Relation, interpretation: Interpretation, *, defined: bool, cost: float, screen: bool
) -> tuple[Outcome, frozenset[str]]:
    """A relation at the numbers of steps that its page says; and the letters up to which it has sums over steps."""
    table = table_of(page, relation, interpretation, defined=defined)
    alone: tuple[str, ...] = ()
    found: Comparison | None = None
    is_cut_short = False
    try:
        found = comparison(table, relation)
        alone = found.alone
        truth, reason = tested(found, screen=screen)
        if truth is Truth.FALSE and is_rounded(found, relation) and table.asking(ROUNDED).name == "rounded":
            truth = Truth.TRUE
        unread = (unread_way(table, node) for node in (found.left, found.right)) if truth is Truth.TRUE else ()
        if why := next(filter(None, unread), ""):
            truth, reason = Truth.SILENT, why
    except CountError as error:
        table.uncounted.add(error.letter)
        truth, reason = Truth.SILENT, str(error)
    except (NotUnderstoodError, RecursionError) as error:
        truth, reason = Truth.SILENT, str(error)
    except SizeError as error:
        truth, reason = Truth.CLASH, f"shapes do not fit: {error}"
    except ShapeError as error:
        truth, reason = Truth.MISFIT, str(error)
    except IndexCalcError as error:
        truth, reason = Truth.SILENT, str(error)
        is_cut_short = isinstance(error, WorkError)
    result = Outcome(
        truth,
        interpretation,
        table.asking.asked,
        cost,
        reason,
        tuple(table.open.values()),
        frozenset(table.used),
        alone,
        frozenset(table.spoken),
        tuple(name for name in table.open if name in page.survey.usages),
        found if defined and not screen else None,
        is_cut_short,
    )
    return result, frozenset(table.uncounted)


def is_rounded(found: Comparison, relation: Relation) -> bool:
    """Whether two members are the same number but for what its decimals do not say: nothing is free in them."""
    if not (unit_of(relation.right) or unit_of(relation.left)):
        return False
    read = set[str]().union(*(all_read(found.table.definitions, side) for side in (found.left, found.right)))
    if not read <= found.table.definitions.keys():
        return False
    trial = trial_of(found.table, found.left, found.right, found.over, found.conditions, screen=True)
    return any(agree_as_rounded(relation.left, relation.right, one.left, one.right) for one in trial.failures[:1])


def table_of(page: Page, relation: Relation, interpretation: Interpretation, *, defined: bool = True) -> Table:
    """An empty table for one reading of a relation."""
    table = Table(page, page.asking(interpretation), relation.number, read, defined=defined, letters=relation.letters)
    table.solved, table.doubled = dict(relation.solved), relation.doubled
    table.follow(relation.place)
    table.head = page.free_letters(relation.number)
    return table


def comparison(table: Table, relation: Relation) -> Comparison:
    """Both members read and brought to common axes.

    Raises:
        NotUnderstoodError: for what cannot be read.
        ShapeError: if the shapes do not fit.
    """
    scope = Scope(table)
    reader = Reader(Names(scope))
    introduce(table)
    introduce_links(table)
    trees = (table.page.steps.counted_out(tree, table.counts) for tree in (relation.left, relation.right))
    try:
        left = reader.sum(next(trees))
    except SizeError as error:
        if relation.against:
            raise
        # What a claim starts from makes none: if it has no meaning, what is said of its names is about others.
        raise NotUnderstoodError(f"shapes do not fit in what it starts from: {error}") from error
    right = reader.sum(next(trees))
    sides = table.page.statements[relation.number].sides
    dotted = [is_dotted(sides[n]) for n in (relation.against, relation.member)]
    if DOTS.key in table.asking.asked and not all(dotted):
        raise NotUnderstoodError("the sign ...")  # with nothing in its place this would be another relation
    return brought_together(scope, left, right, relation)


def brought_together(scope: Scope, head: Typed, other: Typed, relation: Relation) -> Comparison:
    """Two members over common axes.

    Raises:
        ShapeError: if the shapes do not fit.
    """
    table = scope.table
    left, right = at_entry(scope, head, other), at_entry(scope, other, head)
    for side in (left.node, right.node):
        for text in unknown_between(table, side):
            table.open.setdefault(text, text)
    if right.node == ZERO and not right.axes:  # it is said of every entry
        right = replace(left, node=ZERO)
    if left.node == ZERO and not left.axes:
        left = replace(right, node=ZERO)
    left, right = with_ones(left, right, table.sizes), with_ones(right, left, table.sizes)
    if left.groups != right.groups:
        raise NotUnderstoodError("a Kronecker product is set equal to an array of which no blocks are known")
    if len(left.axes) != len(right.axes):
        raise ShapeError(f"an array with {len(left.axes)} axes is set equal to one with {len(right.axes)}")
    turned = len(sides(left)) == 1 and left.orientation != right.orientation
    if turned and not (table.page.writes_rows(table.number) and table.asking(VECTORS).name == "rows"):
        raise OrientationError("a row is set equal to a column")
    for one, other_axis in zip(left.axes, right.axes, strict=True):
        table.sizes.unify(one, other_axis)
    table.sizes.settle()
    check_ranges(table)
    right_node = renamed(right.node, dict(zip(right.axes, left.axes, strict=True)))
    check_order(table, left.node, right_node)
    slopes, others = losses_in(table, left.node), losses_in(table, right_node)
    for name in sorted(slopes ^ others) if ZERO not in (left.node, right_node) else ():
        table.open.setdefault(name, f"no equation says what {name} is")
    for text in unknown_together(table, left.node, right_node):
        table.open.setdefault(text, text)
    for name in sorted(table.supposed & (read_by(table, left.node) ^ read_by(table, right_node))):
        table.open.setdefault(name, f"no equation says what {name} is")
    if law := may_be_law(table, left.node, right_node):
        table.open.setdefault(law, law)
    left_free, right_free = free(left.node), free(right_node)
    more = [index for index in right_free if index not in left_free and index not in left.axes]
    any_value = [index for index in more if index.name in table.page.values.outcomes]
    extra = next((index for index in more if index not in any_value), None)
    return Comparison(
        table,
        scope.letters,
        head,
        left.node,
        right_node,
        tuple(dict.fromkeys((*left.axes, *left_free, *any_value))),
        () if extra is not None else of_given_entries(table, conditions_of(table, relation, scope.letters)),
        names_apart(table, left.node, right_node),
        extra,
    )


def check_ranges(table: Table) -> None:
    """Raise an error where one sum runs over a set, and another one along the same axis over all, or another set.

    Raises:
        NotUnderstoodError: for the set, which may be a part of what there is.
    """
    found: dict[Ix, set[str]] = {}
    for index, over in table.ranges:
        found.setdefault(table.sizes.find(index), set()).add(over)
    for sets in found.values():
        if len(sets) > 1:
            raise NotUnderstoodError(f"whether {max(sets)} is all over which other sums run")


def check_order(table: Table, *members: Meaning) -> None:
    """Raise an error where members read as a number what the page says to be none.

    Raises:
        NotUnderstoodError: for a name whose products change with their order.
    """
    for name in sorted(table.page.noncommuting):
        if table.known.get(name) == () and any(name in read_by(table, member) for member in members):
            raise NotUnderstoodError(f"{name} is no number, for its products change with their order")


def with_ones(value: Typed, other: Typed, sizes: Sizes) -> Typed:
    """An array as one with axes that have one entry, where the other is said to have these: a row, or a column."""
    ones = [axis for axis in other.axes if sizes.is_one(axis)]
    if not ones or len(value.axes) + len(ones) != len(other.axes):
        return value
    own = iter(value.axes)
    return replace(value, axes=tuple(axis if axis in ones else next(own) for axis in other.axes))


def read_by(table: Table, node: Meaning) -> set[str]:
    """The names on which an expression rests."""
    return all_read(table.definitions, node)


def of_given_entries(table: Table, conditions: Conditions) -> Conditions:
    """Conditions in which the letter of a class is the number of its entry, the first."""
    given = table.page.given_letters
    return tuple(
        ("1" if one in given else one, sign, "1" if other in given else other) for one, sign, other in conditions
    )


def conditions_of(table: Table, relation: Relation, letters: Collection[str]) -> Conditions:
    """The conditions of a relation, and those said beside it if they are meant for it.

    Those of letters that are no indices here, but number names, leave open what they say of it.
    """
    if not relation.spoken:
        return relation.conditions
    said = choice(
        Kind.CONDITION,
        str(relation.number),
        Option("in general", 0.0, "what is said of indices beside it is about something else"),
        Option("said", 0.1, " and ".join(" ".join(one) for one in relation.spoken), stated=True),
    )
    if table.asking(said).name != "said":
        return relation.conditions
    numbering = {label for name in table.known for label in name.split("_")[1:]} - set(letters)
    for one, sign, other in relation.spoken:
        if not numbering.isdisjoint((one, other)):
            table.open.setdefault(f"{one} {sign} {other}", f"it may hold only for {one} {sign} {other}")
    return (*relation.conditions, *relation.spoken)


def tested(found: Comparison, *, screen: bool) -> tuple[Truth, str]:
    """Whether two members are equal at points."""
    if found.extra is not None:
        if found.extra.name in found.table.page.loose_letters:
            return Truth.SILENT, f"{found.extra.name} may be one that is given"
        if found.extra.name in found.table.page.sizes_in_words:
            return Truth.SILENT, f"{found.extra.name} may be a size"
        return Truth.LOOSE, f"the index {found.extra.name or '?'} is free here, but not on the left side"
    table, left, right = found.table, found.left, found.right
    for letter in sorted(table.idle):
        return Truth.SILENT, f"a sum over {letter} that binds nothing"
    trial = trial_of(table, left, right, found.over, found.conditions, screen=screen)
    if trial.different and lost_in_rounding(trial.failures[0], (left, right), found.over, found.conditions):
        return Truth.SILENT, "the difference is lost in rounding"
    if trial.equal and trial.vanish and not says_zero(table, left, right, found.over):
        return Truth.EMPTY, "both sides are zero"
    if trial.equal and (name := differentiated_unread(table, (left, right))):
        return Truth.SILENT, f"how {name} is computed is not understood"
    if trial.equal and table.open and is_update(table.page.survey, table.page.statements[table.number]):
        return Truth.EMPTY, "it gives a name a new value"
    if trial.equal:
        return Truth.TRUE, ""
    if trial.different or (screen and trial.failures):
        return Truth.FALSE, ""
    return Truth.SILENT, "it cannot be tried at enough points"


def differentiated_unread(table: Table, sides: tuple[Meaning, ...]) -> str:
    """A name at another step whose equation is not understood, in what is differentiated; empty if there is none.

    It may depend on what the derivative is taken by.
    """
    bodies = (node.body for side in sides for node in walk(side) if isinstance(node, Derivative))
    read = (all_read(table.definitions, body) for body in bodies) if table.unread else ()
    return min((name for names in read for name in names & table.unread), default="")


def at_entry(scope: Scope, value: Typed, other: Typed) -> Typed:
    """An array that is set equal to an entry, at that entry, whose letters the statement gives in order."""
    order = scope.table.page.order(scope.table.number)
    if other.axes or not value.axes or len(order) != len(value.axes) or len(set(order)) < len(order):
        return value
    if not all(part in scope.letters for part in order):
        return value
    return at(value, tuple(scope.letters[part] for part in order), scope.table.sizes)


def says_zero(table: Table, left: Meaning, right: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether two sides that are zero say something: what adds up to one is not zero, nor is that of the other.

    The other one may also be zero whatever its names mean.
    """
    first, second = cancels(table, left, over), cancels(table, right, over)
    if first and second:
        return True
    return (first and is_zero(table, right, over)) or (second and is_zero(table, left, over))


def is_zero(table: Table, node: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether an expression is zero whatever its names mean."""
    if any(isinstance(inner, Derivative) for inner in walk(node)):
        return False
    return trial_of(table, node, ZERO, over, (), defined=False).equal


def cancels(table: Table, node: Meaning, over: tuple[Ix, ...]) -> bool:
    """Whether what is zero is a sum of what is not: then it says something that it is zero."""
    for part in islice(summands(table, node), SUMMANDS):
        own = tuple(index for index in free(part) if index not in over)
        if trial_of(table, part, ZERO, (*over, *own), (), screen=True).failures:
            return True
    return False


def summands(table: Table, node: Meaning) -> Iterator[Meaning]:
    """What is added up in an expression, in a factor of it, or in the equation of a name: the outer sums first."""
    pending, seen = deque([node]), set[str]()
    while pending:
        match pending.popleft():
            case Total(body=body):
                yield body
                pending.append(body)
            case Plus(terms):
                yield from terms
                pending.extend(terms)
            case Times(factors):
                pending.extend(factors)
            case Entry(name) if name in table.definitions and name not in seen:
                seen.add(name)
                pending.append(table.definitions[name].body)
            case _:
                continue


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

    def enough(trial: Trial) -> bool:
        return bool(trial.failures) if screen else trial.different

    points = points_of(table, left, right, defined=defined)
    return tried(points, table.sizes, (left, right), over, conditions, enough=enough)


def points_of(table: Table, left: Meaning, right: Meaning, *, defined: bool = True) -> RememberedPoints:
    """The points at which two sides are tried."""
    symbols = table.symbols() if defined else replace(table.symbols(), definitions={})
    bodies = (left, right, *(definition.body for definition in symbols.definitions.values()))
    positive, regular, factored = positive_names(symbols, (left, right)), regular_names(bodies), factored_names(bodies)
    return RememberedPoints(symbols, positive, regular, factored, memory=table.page.memory)
