"""Statements that read one another become loops over steps: each step on arrays without the axis of steps.

``h[t,i] = delta[t,0]*h0[i] + [1 <= t]*tanh(a[t,i])`` becomes ``h[t] = h0`` under ``t == 0`` and ``h[t] = tanh(a[t])``
under ``1 <= t``: brackets on the step are conditions. What no step changes is computed before the loop, for all steps
at once. An entry that may lie outside its array, which reads as zero, is read under a condition too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.guards import exclude, follow, guarded_entries, said_by
from indexcalc.algebra.ranges import in_range
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
    Term,
    Terms,
    own_indices,
    tensors_of,
    walk,
)
from indexcalc.codegen.formula import equation_text
from indexcalc.codegen.names import unused
from indexcalc.codegen.statements import Kind, Loop, Statement
from indexcalc.errors import UnsupportedError
from indexcalc.program import Tensor
from indexcalc.recurrence import Recurrence, groups_of, is_recurrent, recurrence_of

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
        if not is_recurrent(group):
            done += block
            continue
        found = recurrence_of(group)
        if not isinstance(found, Recurrence):
            raise UnsupportedError(
                f"the code for {found.reader} would read {found.entry.tensor} before it is computed; "
                "write the recurrence without exponentials that overflow, or in smaller steps"
            )
        done += Stepping(block, found, tensors, taken).statements()
    return tuple(done)


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
        by_name = {statement.name: statement for statement in self.block}
        ordered = [by_name[name] for name in self.recurrence.axes]
        first = ordered[0].axes[self.recurrence.axes[ordered[0].name]]
        # Not the name of an extent, which is 1 at least.
        symbol = sp.Symbol(f"@{first.name}", integer=True, nonnegative=True)
        arrays = tuple((one.name, one.axes, self.recurrence.axes[one.name]) for one in ordered)
        loop = Loop(symbol, first.extent, self.recurrence.direction, arrays)
        inside = [part for statement in ordered for part in self.parts(statement, loop)]
        yield from self.before
        yield from inside

    def parts(self, statement: Statement, loop: Loop) -> Iterator[Statement]:
        """One statement at one step: a part for each condition on the step."""
        axis = self.recurrence.axes[statement.name]
        step = statement.axes[axis]
        axes = tuple(index for index in statement.axes if index != step)
        here: dict[Index, Slot] = {step: place(loop.symbol)}
        note = equation_text(Access(statement.name, statement.axes), statement.terms, {})
        if statement.kind is not Kind.ASSIGN:
            terms = substitute(statement.terms, here)
            guards = tuple(substituted(guard, here) for guard in statement.guards)
            conditions = self.conditions((*terms, *(Term(ONE, ((guard, ONE),)) for guard in guards)), loop)
            yield replace(
                statement,
                axes=axes,
                terms=terms,
                guards=guards,
                note=note,
                loop=loop,
                conditions=conditions,
            )
            return
        cases: dict[tuple[Delta | Iverson, ...], list[Term]] = {}
        for term in self.with_outer_parts(statement, step):
            (moved,) = substitute((term,), here)
            if moved.coeff == 0:
                continue
            known = tuple(
                base
                for base in moved.bases
                if isinstance(base, Delta | Iverson)
                and not own_indices(base)
                and not any(lookups_of_slot(side) for side in (base.left, base.right))
            )
            rest = product(moved.coeff, (power for power in moved.powers if power[0] not in known), moved.summed)
            needed = tuple(guard for guard in known if not follow((guard,), loop.range))
            conditions = (*needed, *self.conditions((rest,), loop, known))
            cases.setdefault(tuple(dict.fromkeys(conditions)), []).append(rest)
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

    def conditions(
        self, terms: Terms, loop: Loop, known: Sequence[Delta | Iverson] = ()
    ) -> tuple[Delta | Iverson, ...]:
        """The brackets on the step without which an entry would lie outside of its array."""
        found: dict[Delta | Iverson, None] = {}
        for entry, given in guarded_entries(terms, (*loop.range, *said_by(tuple(known)))):
            for slot, declared in zip(entry.slots, self.tensors[entry.tensor].slots, strict=True):
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
    found: dict[str, tuple[str, tuple[Slot | None, ...]]] = field(default_factory=dict)

    def read(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """The statements; those of loops read and assign arrays at a step."""
        for statement in statements:
            if statement.loop is None:
                yield statement
                continue
            terms = tuple(self.term(term) for term in statement.terms)
            guards = tuple(self.base(guard) for guard in statement.guards)
            yield replace(statement, terms=terms, guards=guards)

    def term(self, term: Term) -> Term:
        """A term with arrays at a step."""
        return product(term.coeff, ((self.base(base), e) for base, e in term.powers), term.summed)

    def base(self, base: Base) -> Base:
        """A factor with arrays at a step."""
        match base:
            case Access(tensor, slots) if any(is_fixed(slot) or at_lookup(slot) for slot in slots):
                return self.entry(tensor, slots)
            case Fn(name, arg, params):
                return Fn(name, tuple(map(self.term, arg)), params)
            case Add(terms):
                return Add(tuple(map(self.term, terms)))
        return base

    def entry(self, tensor: str, slots: tuple[Slot, ...]) -> Access:
        """The rest of an entry at places."""
        places = tuple(slot if is_fixed(slot) or at_lookup(slot) else None for slot in slots)
        rest = tuple(slot for slot, at in zip(slots, places, strict=True) if at is None)
        name = next((name for name, known in self.found.items() if known == (tensor, places)), None)
        if name is None:
            name = unused(f"{tensor}_here", self.taken)
            self.found[name] = (tensor, places)
            declared = self.tensors[tensor].slots
            kept = tuple(index for index, at in zip(declared, places, strict=True) if at is None)
            self.tensors[name] = Tensor(name, kept, self.tensors[tensor].doc)
        return Access(name, rest)


def at_lookup(slot: Slot) -> bool:
    """Whether a slot is the value of an input of whole numbers at a place."""
    return isinstance(slot, Lookup) and all(map(is_fixed, slot.slots))
