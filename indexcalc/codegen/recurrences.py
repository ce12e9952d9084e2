"""Statements that read one another become loops over steps: each step on arrays without the axis of steps.

``h[t,i] = delta[t,0]*h0[i] + [1 <= t]*tanh(a[t,i])`` becomes ``h[t] = h0`` under ``t == 0`` and ``h[t] = tanh(a[t])``
under ``1 <= t``: brackets on the step are conditions. What no step changes is computed before the loop, for all steps
at once. An entry that may lie outside its array, which reads as zero, is read under a condition too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy as sp

from indexcalc.algebra.build import expand_term, product
from indexcalc.algebra.guards import Given, exclude, follow, guarded_entries, said_by
from indexcalc.algebra.ranges import in_range, never_negative, room_above
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import Index, Slot, constant_of, is_fixed, lookups_of_slot, place
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Iverson,
    Lookup,
    MatrixFunction,
    Term,
    Terms,
    own_indices,
    tensors_of,
    walk,
    with_inner_terms,
)
from indexcalc.codegen.formula import formula
from indexcalc.codegen.names import unused
from indexcalc.codegen.statements import Kind, Loop, Statement
from indexcalc.errors import UnsupportedError
from indexcalc.program import Tensor
from indexcalc.recurrence import Defining, Recurrence, groups_of, is_recurrent, recurrence_of

ONE = sp.S.One


@dataclass(frozen=True)
class Whole:
    """A statement as a definition: all that it reads, guards among it, stands in its terms."""

    statement: Statement

    @property
    def name(self) -> str:
        """What is assigned."""
        return self.statement.name

    @property
    def slots(self) -> tuple[Index, ...]:
        """Its axes."""
        return self.statement.axes

    @property
    def terms(self) -> Terms:
        """All that it reads."""
        return self.statement.content


def with_loops(statements: Sequence[Statement], tensors: dict[str, Tensor], taken: set[str]) -> tuple[Statement, ...]:
    """The statements in an order that works, those that read one another as loops.

    Args:
        statements: of one pass.
        tensors: those of the programs, with their slots; parts of steps join.
        taken: the names in use; new ones join.

    Raises:
        UnsupportedError: if a stable form reads what is not computed yet.
    """
    done: list[Statement] = []
    for group in groups_of([Whole(statement) for statement in statements]):
        block = [one.statement for one in group if isinstance(one, Whole)]
        done += Stepping(block, stepwise(group), tensors, taken).statements() if is_recurrent(group) else block
    return tuple(done)


def stepwise(group: Sequence[Defining]) -> Recurrence:
    """The recurrence that statements which read one another are.

    Raises:
        UnsupportedError: if a stable form reads what is not computed yet.
    """
    found = recurrence_of(group)
    if isinstance(found, Recurrence):
        return found
    raise UnsupportedError(
        f"the code for {found.reader} would read {found.entry.tensor} before it is computed; "
        "write the recurrence without exponentials that overflow, or in smaller steps"
    )


def reads_itself(statements: Sequence[Statement]) -> bool:
    """Whether some statements read one another, or one itself: they need loops."""
    return any(map(is_recurrent, groups_of([Whole(statement) for statement in statements])))


@dataclass
class Stepping:
    """One recurrence on its way to a loop."""

    block: Sequence[Statement]
    recurrence: Recurrence
    tensors: dict[str, Tensor]
    taken: set[str]
    before: list[Statement] = field(default_factory=list)

    def statements(self) -> Iterator[Statement]:
        """What is computed before the loop, then the statements of one step."""
        inside = tuple(self.parts_of_all(self.loop()))
        yield from self.before
        yield from inside

    @cached_property
    def ordered(self) -> tuple[Statement, ...]:
        """The statements in the order within a step."""
        by_name = {statement.name: statement for statement in self.block}
        return tuple(by_name[name] for name in self.recurrence.axes)

    def loop(self) -> Loop:
        """The loop that they become."""
        first = self.ordered[0].axes[self.recurrence.axes[self.ordered[0].name]]
        # Not the name of an extent, which is 1 at least.
        symbol = sp.Symbol(f"@{first.name}", integer=True, nonnegative=True)
        arrays = tuple((one.name, one.axes, self.recurrence.axes[one.name]) for one in self.ordered)
        return Loop(symbol, first.extent, self.recurrence.direction, arrays)

    def parts_of_all(self, loop: Loop) -> Iterator[Statement]:
        """The statements of one step."""
        for statement in self.ordered:
            yield from self.parts(statement, loop)

    def parts(self, statement: Statement, loop: Loop) -> Iterator[Statement]:
        """One statement at one step: a part for each condition on the step."""
        axis = self.recurrence.axes[statement.name]
        step = statement.axes[axis]
        axes = tuple(index for index in statement.axes if index != step)
        here: dict[Index, Slot] = {step: place(loop.symbol)}
        note = statement.note or formula(statement, {})
        if statement.kind is not Kind.ASSIGN:
            terms = substitute(statement.terms, here)
            guards = tuple(substituted(guard, here) for guard in statement.guards)
            yield replace(statement, axes=axes, terms=terms, guards=guards, note=note, loop=loop)
            return
        cases: dict[tuple[Delta | Iverson, ...], list[Term]] = {}
        for term in self.with_outer_parts(statement, step):
            (whole,) = substitute((term,), here)
            cases_of = [] if whole.coeff == 0 else expand_term(whole, lambda base: self.may_leave(base, loop))
            for moved in cases_of:
                self.sort(moved, loop, cases)
        earlier: list[tuple[Delta | Iverson, ...]] = []
        for number, (conditions, kept) in enumerate(sorted(cases.items(), key=lambda case: bool(case[0]))):
            given = (*loop.range, *said_by(conditions))
            yield Statement(
                statement.name,
                axes,
                tuple(kept),
                note=note if number == 0 else "",
                may_overflow=statement.may_overflow,
                loop=loop,
                conditions=conditions,
                adds=not all(exclude(other, given) for other in earlier),
            )
            earlier.append(conditions)
        if not cases:
            yield Statement(statement.name, axes, (), note=note, loop=loop)

    def sort(self, moved: Term, loop: Loop, cases: dict[tuple[Delta | Iverson, ...], list[Term]]) -> None:
        """Put a term at a step to those under the same conditions."""
        known = tuple(
            base
            for base in moved.bases
            if isinstance(base, Delta | Iverson)
            and not own_indices(base)
            and not any(lookups_of_slot(side) for side in (base.left, base.right))
        )
        rest = product(moved.coeff, (power for power in moved.powers if power[0] not in known), moved.summed)
        needed = tuple(guard for guard in known if not follow((guard,), loop.range))
        conditions = (*needed, *self.conditions(rest, loop, known))
        cases.setdefault(tuple(dict.fromkeys(conditions)), []).append(rest)

    def may_leave(self, base: Add, loop: Loop) -> bool:
        """Whether an entry in a sum may lie outside of its array, where it counts as zero, and the others don't."""
        return any(self.outside(entry, given) for entry, given in guarded_entries(base.terms, loop.range))

    def outside(self, entry: Access, given: Given) -> bool:
        """Whether an entry at a step may lie outside of its array."""
        declared = self.tensors[entry.tensor].slots
        pairs = zip(entry.slots, declared, strict=True)
        return any(is_fixed(slot) and not in_range(slot, index.extent, given) for slot, index in pairs)

    def with_outer_parts(self, statement: Statement, step: Index) -> Terms:
        """The terms, those that no step changes as one array that is there before the loop."""
        outer = [term for term in statement.terms if not self.depends(term)]
        worth = any(term.summed for term in outer) and all(map(is_harmless, outer))
        if not worth:
            return statement.terms
        guards = [tuple(base for base in term.bases if is_condition(base, step)) for term in outer]
        if len(set(guards)) > 1:
            return statement.terms
        body = tuple(
            product(term.coeff, (p for p in term.powers if p[0] not in guards[0]), term.summed) for term in outer
        )
        name = unused(f"{statement.name}_in", self.taken)
        self.before.append(Statement(name, statement.axes, body))
        self.tensors[name] = Tensor(name, statement.axes)
        entry = product(ONE, (*((guard, ONE) for guard in guards[0]), (Access(name, statement.axes), ONE)))
        return (*(term for term in statement.terms if term not in outer), entry)

    def depends(self, term: Term) -> bool:
        """Whether a term reads what the loop computes."""
        return any(name in self.recurrence.axes for name in tensors_of((term,)))

    def conditions(self, term: Term, loop: Loop, known: Sequence[Delta | Iverson]) -> tuple[Delta | Iverson, ...]:
        """The brackets on the step without which a factor would lie outside of its array, where it is zero."""
        found: dict[Delta | Iverson, None] = {}
        given = (*loop.range, *said_by(tuple(known)))
        for base, exponent in term.powers:
            if not isinstance(base, Access) or not exponent.is_positive:
                continue
            for slot, declared in zip(base.slots, self.tensors[base.tensor].slots, strict=True):
                if is_fixed(slot) and not in_range(slot, declared.extent, given):
                    found.update((one, None) for one in inside_of(slot, declared.extent) if not follow((one,), given))
        return tuple(found)


def inside_of(slot: Slot, extent: sp.Expr) -> tuple[Iverson, Iverson]:
    """Where ``t + c`` lies in the range of an extent: ``[-c <= t] [t + c < extent]``."""
    number, rest = constant_of(slot).as_coeff_Add()
    return Iverson(place(-number), "<=", place(rest)), Iverson(slot, "<", place(extent))


def substituted(base: Base, here: Mapping[Index, Slot]) -> Base:
    """A factor at one step."""
    (term,) = substitute((Term(ONE, ((base, ONE),)),), here)
    return term.bases[0] if term.bases else base


def is_condition(base: Base, step: Index) -> bool:
    """Whether a factor is a bracket on the step alone."""
    return isinstance(base, Delta | Iverson) and set(own_indices(base)) == {step}


def is_harmless(term: Term) -> bool:
    """Whether a term has a value wherever its brackets are taken away."""
    return not any(isinstance(base, Fn) for base in walk(term)) and all(e.is_positive for _, e in term.powers)


@dataclass(frozen=True)
class At:
    """A place along an axis; `first` or `last` where it may lie before or behind the ends, and the nearest is read.

    What a function holds is worked out also where a bracket in it hides an entry.
    """

    slot: Slot
    first: bool = False
    last: sp.Expr | None = None


@dataclass
class Entries:
    """Entries at a step as arrays of their own: ``h[t-1,j]`` is the array ``h[t - 1]`` with the axis j.

    Attributes:
        tensors: those of the programs; the new ones join.
        taken: the names in use.
        found: for every new name, the tensor and what stands in each axis: a place, or nothing.
    """

    tensors: dict[str, Tensor]
    taken: set[str]
    found: dict[str, tuple[str, tuple[At | None, ...]]] = field(default_factory=dict)

    def read(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """The statements; those of loops read and assign arrays at a step."""
        for statement in statements:
            if statement.loop is None:
                yield statement
                continue
            given = (*statement.loop.range, *said_by(statement.conditions))
            terms = tuple(self.term(term, given) for term in statement.terms)
            guards = tuple(self.base(guard, given) for guard in statement.guards)
            yield replace(statement, terms=terms, guards=guards)

    def term(self, term: Term, given: Given) -> Term:
        """A term with arrays at a step."""
        return product(term.coeff, ((self.base(base, given), e) for base, e in term.powers), term.summed)

    def base(self, base: Base, given: Given) -> Base:
        """A factor with arrays at a step."""
        match base:
            case Access(tensor, slots) if any(is_fixed(slot) or at_lookup(slot) for slot in slots):
                return self.entry(tensor, slots, given)
            case MatrixFunction() if any(is_fixed(slot) or at_lookup(slot) for slot in base.of_slots):
                return base.of(self.entry(base.tensor, base.matrix.slots, given))
        return with_inner_terms(base, lambda terms: tuple(self.term(term, given) for term in terms))

    def entry(self, tensor: str, slots: tuple[Slot, ...], given: Given) -> Access:
        """The rest of an entry at places."""
        extents = [index.extent for index in self.tensors[tensor].slots]
        places = tuple(place_at(slot, extent, given) for slot, extent in zip(slots, extents, strict=True))
        rest = tuple(slot for slot, at in zip(slots, places, strict=True) if at is None)
        name = next((name for name, known in self.found.items() if known == (tensor, places)), None)
        if name is None:
            name = unused(f"{tensor}_here", self.taken)
            self.found[name] = (tensor, places)
            declared = self.tensors[tensor].slots
            kept = tuple(index for index, at in zip(declared, places, strict=True) if at is None)
            self.tensors[name] = Tensor(name, kept, self.tensors[tensor].doc)
        return Access(name, rest)


def place_at(slot: Slot, extent: sp.Expr, given: Given) -> At | None:
    """A fixed slot as a place inside; nothing for a slot with indices."""
    if at_lookup(slot):
        return At(slot)
    if not is_fixed(slot):
        return None
    inside = never_negative(room_above(slot, extent), given)
    return At(slot, not never_negative(slot, given), None if inside else extent - 1)


def at_lookup(slot: Slot) -> bool:
    """Whether a slot is the value of an input of whole numbers at a place."""
    return isinstance(slot, Lookup) and all(map(is_fixed, slot.slots))
