"""What goes along with the loops of a pass: statements with a part for each step, sums over steps, entries at one step.

A loop that keeps only a part of its steps must leave nothing that reads all of them behind it. So what is computed
before the loop for all steps becomes part of each step, as does what is computed from it step by step; a sum over
steps is added up on the way, and an entry at a fixed step is picked up where the loop passes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import expand_term, product
from indexcalc.algebra.guards import guarded_entries
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import Index, Slot, constant_of, difference, is_fixed, place
from indexcalc.algebra.terms import Access, Base, Delta, Iverson, Term, Terms, with_inner_terms
from indexcalc.codegen.formula import equation_text
from indexcalc.codegen.names import unused
from indexcalc.codegen.recurrences import ONE, Stepping, Whole, stepwise
from indexcalc.codegen.statements import Kind, Loop, Statement
from indexcalc.program import Tensor
from indexcalc.recurrence import Recurrence, groups_of, is_recurrent, ordered


@dataclass
class Course:
    """One loop: what each step computes, and what is added up on the way.

    Attributes:
        recurrence: the recurrence of the loop.
        axes: the tensors of a step, each with the axis that is the step.
        totals: the tensors that are added up.
        extent: how many steps there are.
        retraced: the tensors of the loop through which it goes back, each with the axis that is the step.
    """

    recurrence: Recurrence
    axes: dict[str, int]
    extent: sp.Expr
    retraced: Mapping[str, int] = field(default_factory=dict)
    totals: list[str] = field(default_factory=list)

    @property
    def members(self) -> frozenset[str]:
        """All that is computed on the way."""
        return frozenset((*self.axes, *self.totals))

    @property
    def direction(self) -> int:
        """1 where steps go up, -1 where they go down."""
        return self.recurrence.direction

    def in_order(self, by_name: Mapping[str, Statement]) -> Recurrence | None:
        """What each step computes, in an order that works; nothing if there is none."""
        group = {name: Whole(by_name[name]) for name in self.axes}
        found = ordered(tuple(group.values()), group, self.axes, self.direction)
        return found if isinstance(found, Recurrence) else None

    def members_in(self, names: Iterable[str]) -> Iterator[str]:
        """Those of some names that are computed on the way, in their order."""
        members = self.members
        return (name for name in names if name in members)


def courses_of(by_name: dict[str, Statement], taken: set[str], before: Sequence[Course] = ()) -> tuple[Course, ...]:
    """The loops of a pass, each with all that can go along with it.

    Args:
        by_name: the statements of the pass; parts of sums that go along get statements of their own.
        taken: the names in use; the new ones join.
        before: the loops of the pass before, through which those of this one may go back.
    """
    found: list[Course] = []
    for group in groups_of([Whole(statement) for statement in by_name.values()]):
        if is_recurrent(group):
            recurrence = stepwise(group)
            first = Whole(by_name[next(iter(recurrence.axes))])
            merge(Course(recurrence, dict(recurrence.axes), recurrence.step(first).extent), found, by_name)
    left = list(before)
    for course in found:
        read = {name for member in course.axes for name in by_name[member].reads}
        opposite = [other for other in left if (other.extent, other.direction) == (course.extent, -course.direction)]
        other = max(opposite, key=lambda one: len(read & one.axes.keys()), default=None)
        if other is not None:
            left.remove(other)
            course.retraced = dict(other.axes)
    for course in found:
        Joining(by_name, found, course, taken).join()
    return tuple(found)


def merge(course: Course, found: list[Course], by_name: Mapping[str, Statement]) -> None:
    """Let a loop go along with one of those before that has the same steps, or stand behind them."""
    for number, other in enumerate(found):
        if (other.extent, other.direction) == (course.extent, course.direction):
            both = Course(other.recurrence, {**other.axes, **course.axes}, other.extent)
            others = [*found[:number], both, *found[number + 1 :]]
            if both.in_order(by_name) and all(len(group) == 1 for group in nodes_of(by_name, others)):
                found[number] = both
                return
    found.append(course)


@dataclass
class Joining:
    """The statements of a pass, on the way into one of its loops."""

    by_name: dict[str, Statement]
    courses: Sequence[Course]
    course: Course
    taken: set[str]

    def join(self) -> None:
        """Let join what can, until nothing more can; sums over steps come when all that they read has joined."""
        while any(map(self.takes, self.waiting())) or any(map(self.adds, self.waiting())):
            pass

    def waiting(self) -> Iterator[Statement]:
        """The statements that no loop computes."""
        for statement in tuple(self.by_name.values()):
            if not any(statement.name in course.members for course in self.courses):
                yield statement

    def takes(self, statement: Statement) -> bool:
        """Whether a statement joined as a part of each step."""
        if statement.is_whole or any(name in self.course.totals for name in statement.reads):
            return False
        for axis, index in enumerate(statement.axes):
            if index.extent == self.course.extent and self.fits(statement, axis):
                self.course.axes[statement.name] = axis
                if self.stays_in_order():
                    return True
                del self.course.axes[statement.name]
        return False

    def adds(self, statement: Statement) -> bool:
        """Whether a statement joined as something to add up, or those of its terms that are sums over steps."""
        if statement.kind is not Kind.ASSIGN or self.is_read(statement.name):
            return False
        parts = [term for term in statement.terms if step_of(term, self.course) is not None]
        others = any(self.reads_steps(term) for term in statement.terms if term not in parts)
        return any(self.added(statement, some) for some in (parts, *([part] for part in parts)) if some and not others)

    def added(self, statement: Statement, parts: Sequence[Term]) -> bool:
        """Whether terms of a statement joined, under a name of their own unless they are all."""
        others = tuple(term for term in statement.terms if term not in parts)
        name = unused(f"{statement.name}_sum", self.taken) if others else statement.name
        self.by_name[name] = replace(statement, name=name, terms=tuple(parts))
        if others:
            entry = Term(ONE, ((Access(name, statement.axes), ONE),))
            self.by_name[statement.name] = replace(statement, terms=(entry, *others))
        self.course.totals.append(name)
        if self.stays_in_order():
            return True
        self.course.totals.pop()
        if others:
            del self.by_name[name]
            self.taken.discard(name)
        self.by_name[statement.name] = statement
        return False

    def reads_steps(self, term: Term) -> bool:
        """Whether a term reads what the loop computes at steps that move."""
        axes = self.course.axes
        read = (entry for entry, _ in guarded_entries((term,)) if entry.tensor in axes)
        return any(not is_fixed(entry.slots[axes[entry.tensor]]) for entry in read)

    def is_read(self, name: str) -> bool:
        """Whether something in the loop reads a tensor."""
        return any(name in self.by_name[member].reads for member in self.course.members)

    def fits(self, statement: Statement, axis: int) -> bool:
        """Whether a part for each step reads, and is read at, steps of the loop alone."""
        axes, retraced, index = self.course.axes, self.course.retraced, statement.axes[axis]
        gaps: list[int | None] = []
        for entry in entries_of(statement):
            if entry.tensor in axes:
                gaps.append(shift_of(entry.slots[axes[entry.tensor]], index))
            elif entry.tensor in retraced:
                # What the pass before computed is there before and behind a step.
                gaps.append(0 if shift_of(entry.slots[retraced[entry.tensor]], index) is not None else None)
        for name, place_of_step in axes.items():
            reader = self.by_name[name]
            own = reader.axes[place_of_step]
            gaps += [shift_of(e.slots[axis], own) for e in entries_of(reader) if e.tensor == statement.name]
        for name in self.course.totals:
            for term in self.by_name[name].terms:
                step = step_of(term, self.course)
                entries = [entry for entry, _ in guarded_entries((term,)) if entry.tensor == statement.name]
                # A sum over steps waits for what it reads.
                gaps += [0 if step and shift_of(e.slots[axis], step) is not None else None for e in entries]
        return bool(gaps) and all(gap is not None and gap * self.course.direction <= 0 for gap in gaps)

    def stays_in_order(self) -> bool:
        """Whether the loops and what is left outside of them can be computed one after the other."""
        fits = self.course.in_order(self.by_name) is not None
        return fits and all(len(group) == 1 for group in nodes_of(self.by_name, self.courses))


@dataclass(frozen=True)
class Node:
    """What is computed at one place of a pass: a statement, or a loop with all that goes along."""

    statements: tuple[Statement, ...]
    course: Course | None = None

    @property
    def name(self) -> str:
        """What stands for it."""
        return self.statements[0].name

    @property
    def slots(self) -> tuple[Index, ...]:
        """The axes of what stands for it."""
        return self.statements[0].axes

    @property
    def terms(self) -> Terms:
        """All that it reads."""
        return tuple(term for statement in self.statements for term in statement.content)


def nodes_of(by_name: Mapping[str, Statement], courses: Sequence[Course]) -> tuple[tuple[Node, ...], ...]:
    """The statements and loops of a pass in an order that works; those that read one another in one group."""
    loops = [Node(tuple(by_name[name] for name in course.members_in(by_name)), course) for course in courses]
    owner = {statement.name: loop.name for loop in loops for statement in loop.statements}
    nodes: dict[str, Node] = {}
    for name, statement in by_name.items():
        loop = next((loop for loop in loops if loop.name == owner.get(name)), None)
        nodes.setdefault(owner.get(name, name), loop or Node((statement,)))
    return groups_of(tuple(nodes.values()), owner)  # type: ignore[return-value]


def entries_of(statement: Statement) -> Iterator[Access]:
    """Every entry that a statement reads."""
    return (entry for entry, _ in guarded_entries(statement.content))


def shift_of(slot: Slot, index: Index) -> int | None:
    """How many steps from an index a slot is, if that is a number."""
    gap = difference(slot, index)
    return int(constant_of(gap)) if is_fixed(gap) and constant_of(gap).is_Integer else None


def step_of(term: Term, course: Course) -> Index | None:
    """The index of a sum over steps, which each entry of the loop in a term is read at, or a few steps from it."""
    axes = {**course.retraced, **course.axes}
    slots = [entry.slots[axes[entry.tensor]] for entry, _ in guarded_entries((term,)) if entry.tensor in axes]
    of_steps = (index for index in term.summed if index.extent == course.extent)
    found = (index for index in of_steps if all(shift_of(slot, index) is not None for slot in slots))
    return next(found, None) if slots else None


@dataclass
class Naming:
    """Names for what is read of a loop at a fixed step, behind it or in another: ``h[T-1]`` is picked up on the way.

    Attributes:
        by_name: the statements of the pass of the loop; the new ones join.
        course: the loop; what is picked up joins its totals.
        tensors: those of the programs; the new ones join.
        taken: the names in use; the new ones join.
    """

    by_name: dict[str, Statement]
    course: Course
    tensors: dict[str, Tensor]
    taken: set[str]
    found: dict[tuple[str, Slot], str] = field(default_factory=dict)

    def name_in(self, readers: dict[str, Statement]) -> None:
        """Let the statements of a pass read entries at fixed steps by their names; not those of the loop itself."""
        for name, statement in tuple(readers.items()):
            if readers is not self.by_name or name not in self.course.axes:
                terms, guards = tuple(map(self.term, statement.terms)), tuple(map(self.base, statement.guards))
                readers[name] = replace(statement, terms=terms, guards=guards)

    def term(self, term: Term) -> Term:
        """A term with names for entries."""
        return product(term.coeff, ((self.base(base), exponent) for base, exponent in term.powers), term.summed)

    def base(self, base: Base) -> Base:
        """A factor with names for entries."""
        if isinstance(base, Access):
            axis = self.course.axes.get(base.tensor)
            return base if axis is None or not is_fixed(base.slots[axis]) else self.entry(base, axis)
        return with_inner_terms(base, lambda terms: tuple(map(self.term, terms)))

    def entry(self, entry: Access, axis: int) -> Access:
        """The entry by its name."""
        tensor, step = entry.tensor, entry.slots[axis]
        if (tensor, step) not in self.found:
            declared = self.by_name[tensor].axes
            rest = (*declared[:axis], *declared[axis + 1 :])
            ends: dict[Slot, str] = {place(0): "first", place(declared[axis].extent - 1): "last"}
            name = unused(f"{tensor}_{ends.get(step, 'at')}", self.taken)
            self.found[tensor, step] = name
            self.tensors[name] = Tensor(name, rest)
            picked = Delta(declared[axis], step), Access(tensor, declared)
            at_step = Term(ONE, ((Access(tensor, (*declared[:axis], step, *declared[axis + 1 :])), ONE),))
            note = equation_text(Access(name, rest), (at_step,), {})
            term = Term(ONE, tuple((base, ONE) for base in picked), (declared[axis],))
            self.by_name[name] = Statement(name, rest, (term,), note=note)
            self.course.totals.append(name)
        return Access(self.found[tensor, step], (*entry.slots[:axis], *entry.slots[axis + 1 :]))


def with_courses(
    passes: Sequence[Sequence[Statement]], tensors: dict[str, Tensor], taken: set[str]
) -> tuple[tuple[Statement, ...], ...]:
    """The passes in an order that works, what reads one another as loops with all that can go along.

    Args:
        passes: the statements of each.
        tensors: those of the programs, with their slots; the new ones join.
        taken: the names in use; new ones join.

    Raises:
        UnsupportedError: if a stable form reads what is not computed yet.
    """
    done: list[tuple[Statement, ...]] = []
    before: tuple[Course, ...] = ()
    every = [{statement.name: statement for statement in statements} for statements in passes]
    for number, by_name in enumerate(every):
        before = courses_of(by_name, taken, before)
        tensors.update({one.name: Tensor(one.name, one.axes) for one in by_name.values() if one.name not in tensors})
        for course in before:
            naming = Naming(by_name, course, tensors, taken)
            for readers in every[number:]:
                naming.name_in(readers)
        found: list[Statement] = []
        for node in (node for group in nodes_of(by_name, before) for node in group):
            found += node.statements if node.course is None else steps_of(node.course, by_name, tensors, taken)
        done.append(tuple(found))
    return tuple(done)


def steps_of(
    course: Course, by_name: Mapping[str, Statement], tensors: dict[str, Tensor], taken: set[str]
) -> tuple[Statement, ...]:
    """The statements of one step of a loop, and what is added up at each."""
    block, totals = ([by_name[name] for name in names] for names in (course.axes, course.totals))
    found = course.in_order(by_name)
    assert found is not None
    return tuple(Passing(block, found, tensors, taken, course=course, totals=totals).statements())


@dataclass
class Passing(Stepping):
    """A loop that computes all that it can at each step, and adds up sums over steps.

    Attributes:
        course: what the loop is to compute.
        totals: the sums over steps.
    """

    course: Course = field(kw_only=True)
    totals: Sequence[Statement] = ()

    def loop(self) -> Loop:
        """The loop, which knows what it adds up, and what it goes back through."""
        totals = tuple((total.name, total.axes) for total in self.totals)
        return replace(super().loop(), totals=totals, retraced=tuple(self.course.retraced))

    def with_outer_parts(self, statement: Statement, step: Index) -> Terms:
        """The terms: what no step changes is computed at each step, for there may be too many to keep."""
        return statement.terms

    def parts_of_all(self, loop: Loop) -> Iterator[Statement]:
        """The parts of a step, then what is added to each sum."""
        yield from super().parts_of_all(loop)
        for total in self.totals:
            yield from self.summands(total, loop)

    def summands(self, total: Statement, loop: Loop) -> Iterator[Statement]:
        """What a step adds to a sum over steps, under each condition."""
        cases: dict[tuple[Delta | Iverson, ...], list[Term]] = {}
        for term in total.terms:
            for part in expand_term(self.at_step(term, loop), lambda base: self.may_leave(base, loop)):
                self.sort(part, loop, cases)
        note = total.note or equation_text(Access(total.name, total.axes), total.terms, {})
        for number, (conditions, kept) in enumerate(sorted(cases.items(), key=lambda case: bool(case[0]))):
            shown = note if number == 0 else ""
            yield Statement(
                total.name, total.axes, tuple(kept), note=shown, loop=loop, conditions=conditions, adds=True
            )

    def at_step(self, term: Term, loop: Loop) -> Term:
        """What a step adds to a sum over steps: the term at the last step that it can be, so that all is there."""
        step, axes = step_of(term, self.course), self.course.axes
        assert step is not None
        read = [entry for entry, _ in guarded_entries((term,)) if entry.tensor in axes]
        gaps = [shift_of(entry.slots[axes[entry.tensor]], step) or 0 for entry in read] or [0]
        ahead = max(gaps) if loop.direction > 0 else min(gaps)
        here = place(loop.symbol - ahead)
        inside = (Iverson(place(0), "<=", here), Iverson(here, "<", place(loop.extent))) if ahead else ()
        summed = tuple(index for index in term.summed if index != step)
        (moved,) = substitute((product(term.coeff, term.powers, summed),), {step: here})
        return product(moved.coeff, (*((one, ONE) for one in inside), *moved.powers), moved.summed)
