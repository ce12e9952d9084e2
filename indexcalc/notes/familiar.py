"""What a note has shown in full: in a brief or long one the same is said in fewer words and equations from then on.

A short note in full detail shows every step. In others a run of collapses, a new name for a dummy or a forward
equation is shown in full the first time; nothing that is new is ever left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import lru_cache

from indexcalc.algebra.terms import Access, Terms
from indexcalc.calculus.steps import Collapse, Derivation, Path, Rule, Section, Step, Subject
from indexcalc.notes.blocks import Spans
from indexcalc.notes.reading import ENTRYWISE, explained

LONG = 9
"""The fewest gradients of a note that is long."""

STEPS_LIMIT = 3_000
"""The most steps that a note tells; of more it leaves out those of paths, and says so."""

INSIDE = (Rule.PRODUCT, Rule.QUOTIENT, Rule.POINTWISE, Rule.CONSTANT)
"""The rules whose equation holds the right side of the forward equation before it is differentiated."""

ROUTINE = (Rule.REUSE, Rule.COLLECT, Rule.CASES, Rule.TURN, Rule.EXPAND, Rule.FACTOR)
"""The rules that only write an expression in another way."""

COPYING = (Rule.FORWARD, Rule.PRODUCT, Rule.ENTRY, Rule.INSERT)
"""The steps of the derivative of a copy."""


class Detail(StrEnum):
    """How much a note says: every step and every table, or what is new, and each result once."""

    BRIEF = "brief"
    FULL = "full"


class Habit(Enum):
    """What a reader who has seen it once need not see in full again."""

    CHAIN = "the chain rule sums over every entry of the consumer"
    BACK = "a local derivative is put into the chain rule, and its deltas collapse sums"
    RUN = "several deltas collapse sums, one after another"
    RELABEL = "a dummy gets the author's name"
    ENTRY = "entries are independent, and this is put in"
    DELTA = "entries are independent, this is put in, and deltas collapse sums"
    COPY = "a tensor is another one under other indices, so its derivative is a product of deltas"
    REMAINS = "a delta is left over for the chain rule"


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands in a note up to some place; a note that is not `brief` is told nothing twice.

    A long note is brief, and of steps that are told together it shows the last equation alone. A note that was asked
    for in brief `joins` all steps of a path. What is `said` holds for all gradients under one heading.
    """

    brief: bool = False
    long: bool = False
    joins: bool = False
    habits: frozenset[Habit] = frozenset()
    forwards: frozenset[tuple[Subject, Terms]] = frozenset()
    readings: frozenset[str] = frozenset()
    said: Spans = ()

    def after_section(self, section: Section, cited: Collection[str]) -> Shown:
        """What is shown once a section stands; paths through the consumers `cited` are not shown in it."""
        shown = self.after(section.steps)
        for path in section.paths:
            if path.consumer.tensor not in cited:
                shown = shown.after_path(section, path)
        return shown

    def after_path(self, section: Section, path: Path) -> Shown:
        """What is shown once a path stands."""
        readings = self.readings | explained(section, path)
        if not self.brief:
            return replace(self, readings=readings & {ENTRYWISE})
        habits = self.habits | {Habit.CHAIN, Habit.REMAINS}
        shown = replace(self, habits=habits, readings=readings)
        for local in path.locals:
            shown = shown.after(local.steps)
        return shown.after(path.steps)

    def after(self, steps: Iterable[Step]) -> Shown:
        """What is shown once some steps stand."""
        if not self.brief:
            return self
        steps = tuple(steps)
        seen: set[Habit] = set()
        for group in all_groups(steps):
            seen |= habits_of(group)
        forwards = {(step.subject, step.after) for step in steps if step.rule is Rule.FORWARD}
        return replace(self, habits=self.habits | seen, forwards=self.forwards | forwards)

    def groups(self, steps: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
        """The steps, with those together that are said in one sentence."""
        for group in all_groups(steps):
            if self.is_familiar(group):
                yield group
            elif len(group) > 1 and group[-1].rule is Rule.RELABEL:
                yield from (*self.groups(group[:-1]), group[-1:])
            elif len(group) == len(COPYING) and group[0].rule is Rule.FORWARD:
                yield from (*self.groups(group[:1]), group[1:2], *self.groups(group[2:]))
            elif len(group) > 1 and group[0].rule is Rule.SUBSTITUTE:
                yield from (group[:1], *self.groups(group[1:]))
            elif len(group) > 2 and group[0].rule is Rule.ENTRY and group[-1].rule is Rule.COLLAPSE:
                yield from (*self.groups(group[:2]), *self.groups(group[2:]))
            else:
                yield from ((step,) for step in group)

    def rewrites(self, group: Sequence[Step]) -> bool:
        """Whether a group is a step of a brief note that only writes an expression in another way."""
        return self.brief and len(group) == 1 and group[0].rule in ROUTINE

    def is_familiar(self, group: Sequence[Step]) -> bool:
        """Whether all that a group does has been shown in full."""
        if group[0].rule is Rule.FORWARD and len(group) < len(COPYING):
            return (group[0].subject, group[0].after) in self.forwards
        return self.brief and habits_of(group) <= self.habits


def shown_before(derivation: Derivation, detail: Detail = Detail.FULL) -> Shown:
    """What is shown when a note begins: nothing."""
    long = is_long(derivation)
    return Shown(brief=detail is Detail.BRIEF or long, long=long, joins=detail is Detail.BRIEF)


def is_long(derivation: Derivation) -> bool:
    """Whether a note about so many gradients is long in any case."""
    return sum(section.target is not None for section in derivation.sections) >= LONG


@lru_cache(maxsize=2)
def number_of_steps(derivation: Derivation) -> int:
    """How many steps all gradients and parts take."""
    return sum(1 for section in derivation.sections for _ in section.all_steps())


def habits_of(group: Sequence[Step]) -> set[Habit]:
    """What a group of steps that might be said together shows."""
    rules = [step.rule for step in group]
    found = {Habit.RUN} if rules.count(Rule.COLLAPSE) > 1 else set()
    if rules[0] is Rule.ENTRY and Rule.COLLAPSE in rules:
        found.add(Habit.DELTA)
    if tuple(rules) == COPYING:
        found.add(Habit.COPY)
    singles = ((Rule.RELABEL, Habit.RELABEL), (Rule.ENTRY, Habit.ENTRY), (Rule.SUBSTITUTE, Habit.BACK))
    return found | {habit for rule, habit in singles if rule in rules}


def all_groups(steps: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
    """The steps in order, with those together that might be said in one sentence."""
    start = 0
    while start < len(steps):
        end = start + group_length(steps[start:])
        yield tuple(steps[start:end])
        start = end


def group_length(steps: Sequence[Step]) -> int:
    """How many of the steps, from the first one on, might be said together.

    Collapses with the local derivative that is put in before them, and the renaming after them; the
    derivative of an entry and what it is put into; a forward equation and the derivative of its right side.
    """
    first = steps[0]
    start = 1 if first.rule is Rule.SUBSTITUTE else 0
    if len(steps) > start and is_clean(steps[start]):
        count = next((n for n, step in enumerate(steps) if n >= start and not is_clean(step)), len(steps))
        follows = count < len(steps) and steps[count].rule is Rule.RELABEL
        return count + 1 if follows else count
    if first.rule is Rule.COLLAPSE and len(steps) > 1 and steps[1].rule is Rule.RELABEL:
        return 2
    if first.rule is Rule.ENTRY:
        inserts = next((n for n, step in enumerate(steps[1:]) if step.rule is not Rule.INSERT), len(steps) - 1)
        if inserts != 1:
            return 1 + inserts
        return next((n for n, step in enumerate(steps) if n > 1 and not is_clean(step)), len(steps))
    if first.rule is Rule.FORWARD and len(steps) > 1 and steps[1].rule in INSIDE:
        return len(COPYING) if is_copy(steps) else 2
    return 1


def is_copy(steps: Sequence[Step]) -> bool:
    """Whether the steps begin with the whole derivative of a tensor that is another one, under other indices."""
    rules = tuple(step.rule for step in steps[: len(COPYING)])
    if not steps[0].after:
        return False
    (first, *rest) = steps[0].after
    bare = not rest and first.coeff == 1 and not first.summed and len(first.powers) == 1
    return rules == COPYING and bare and isinstance(first.powers[0][0], Access) and first.powers[0][1] == 1


def is_clean(step: Step) -> bool:
    """Whether a step is a collapse after which no term has the sum left."""
    return isinstance(step.detail, Collapse) and not any(step.detail.killed in term.summed for term in step.after)
