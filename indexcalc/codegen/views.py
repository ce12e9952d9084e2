"""Slots that hold expressions become arrays with an index for each axis: windows and lookups, and their adjoints.

After this every access of a statement is plain. What is read under an expression, as in ``x[2*i+k]``, is an array of
its own, a window over ``x``; what a delta moves to another place, as in ``delta[a,2*i+k]``, is added up there by a
statement of its own. A bracket that hides nothing but what lies outside of a window goes, for windows are zero there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import is_negative, lone_entry, product
from indexcalc.algebra.ranges import in_range
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.slots import constant_of, indices_of_slot, lookups_of_slot, with_lookup_as
from indexcalc.algebra.terms import (
    Access,
    Add,
    Affine,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Lookup,
    MatrixFunction,
    Slot,
    Term,
    Terms,
    free_indices,
    occurring_indices,
    with_inner_terms,
)
from indexcalc.codegen.covered import without_covered_brackets
from indexcalc.codegen.lookups import (
    added_apart,
    at_lookups,
    by_entries,
    by_samples,
    deltas_apart,
    lookups_apart,
    place_of,
    target_of,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.statements import Kind, Loop, Statement
from indexcalc.program import Tensor

ONE = sp.S.One

Place = tuple[Loop | None, tuple[Delta | Iverson, ...]]
"""A loop and the conditions on its steps, for a statement that is a part of one."""

OUTSIDE: Place = (None, ())
"""Outside of any loop."""


def with_views(
    passes: Iterable[Sequence[Statement]], tensors: dict[str, Tensor], taken: set[str], stepping: Collection[str] = ()
) -> Iterator[tuple[Statement, ...]]:
    """The statements of each pass with plain accesses alone, windows and moved sums before their first use.

    Args:
        passes: statements in order; a window has the same name in all of them.
        tensors: those of the programs, with their slots.
        taken: the names in use; new ones join.
        stepping: the arrays that are others at each step of a loop.
    """
    names: dict[tuple[Access, bool, Place], str] = {}
    for statements in passes:
        views = Views(tensors, taken, names, frozenset(stepping))
        for statement in statements:
            views.add(statement)
        yield tuple(views.done)


@dataclass
class Views:
    """Collects the statements.

    Attributes:
        tensors: the tensors of the programs, with their slots.
        taken: the names in use.
        done: the statements so far.
        known: the window that holds an entry, by the entry with its indices numbered.
        stepping: the arrays that are others at each step of a loop.
        place: where the statement stands that is added: in which loop, under which conditions.
        owner: the tensor that it assigns.
    """

    tensors: dict[str, Tensor]
    taken: set[str]
    known: dict[tuple[Access, bool, Place], str]
    stepping: frozenset[str] = frozenset()
    done: list[Statement] = field(default_factory=list)
    place: Place = OUTSIDE
    owner: str = ""

    def add(self, statement: Statement) -> None:
        """Append a statement, after what it reads under expressions; sums that a delta moves become its parts."""
        self.place = (statement.loop, statement.conditions)
        self.owner = statement.name
        if statement.kind is Kind.MAXIMUM and statement.guards:
            self.compare(statement)
            return
        if statement.kind is not Kind.ASSIGN:
            # An exponent reads the nearest entry, and what bounds it must be the largest of what it reads.
            bounds = statement.kind in (Kind.MAXIMUM, Kind.LARGEST, Kind.HIDDEN)
            terms = self.inside(statement.terms) if bounds else tuple(self.term(term) for term in statement.terms)
            guards = tuple(self.base(guard, direct=False) for guard in statement.guards)
            self.done.append(replace(statement, terms=terms, guards=guards))
            return
        apart = (one for term in statement.terms for one in deltas_apart(term, statement.axes))
        groups = (self.with_groups(at_lookups(term, statement.axes)) for term in apart)
        statement = replace(statement, terms=tuple(term for every in groups for term in every))
        if (read := whole_window(statement)) is not None:
            read = Access(read.tensor, tuple(map(self.looked_up, read.slots)))
            entry = Access(read.tensor, tuple(self.walk(slot, n, read) for n, slot in enumerate(read.slots)))
            terms = (Term(ONE, ((entry, ONE),)),)
            kind = Kind.NEAREST if self.is_all_inside(read) and not are_apart(read.slots) else Kind.GATHER
            self.done.append(replace(statement, terms=terms, kind=kind))
            return
        moved = [term for term in statement.terms if moving_deltas(term, statement.axes)]
        if not moved:
            self.done.append(replace(statement, terms=tuple(self.term(term) for term in statement.terms)))
            return
        if len(statement.terms) == 1:
            self.move(statement)
            return
        parts: list[Term] = []
        for term in statement.terms:
            if term not in moved:
                parts.append(self.term(term))
                continue
            minus = is_negative(term.coeff)
            name = unused(f"{statement.name}_moved", self.taken)
            axes = tuple(axis for axis in statement.axes if axis in free_indices(term))
            whole = Term(-term.coeff, term.powers, term.summed) if minus else term
            self.move(self.beside(Statement(name, axes, (whole,))))
            parts.append(Term(-ONE if minus else ONE, ((Access(name, axes), ONE),)))
        self.done.append(replace(statement, terms=tuple(parts)))

    def move(self, statement: Statement) -> None:
        """One term whose deltas say where its parts are added up."""
        (term,) = statement.terms
        deltas = tuple(
            Delta(self.looked_up(delta.left), self.looked_up(delta.right))
            for delta in moving_deltas(term, statement.axes)
        )
        term = self.with_plain_lookups(term)
        rest = tuple(power for power in term.powers if power[0] not in deltas)
        targets = {target: delta for delta in deltas if (target := target_of(delta, statement.axes)) is not None}
        groups = by_samples([target for target in statement.axes if target in targets], targets)
        first = {group[0]: group for group in groups}
        inner = {
            axis: indices_of_slot(place_of(delta, axis)) if axis in first else () for axis, delta in targets.items()
        }
        places = tuple(index for axis in statement.axes for index in inner.get(axis, ()))
        own = set(free_indices((Term(ONE, rest),)))
        # An axis that the sum does not vary along is added at the end.
        there = (axis for axis in statement.axes if axis in first or (axis in own and axis not in targets))
        made = tuple(one for axis in there for one in first.get(axis, (axis,)))
        axes = tuple(index for axis in made for index in inner.get(axis, (axis,)))
        summed = tuple(index for index in term.summed if index not in places)
        body = product(term.coeff, rest, summed)
        lone = body.bases[0] if len(body.powers) == 1 else None
        if (
            isinstance(lone, Access)
            and lone.is_plain
            and not self.is_part(lone)
            and body == Term(ONE, ((lone, ONE),))
            and sorted(lone.indices, key=str) == sorted(axes, key=str)
        ):
            parts = body.powers[0]
        else:
            name = unused(f"{statement.name}_parts", self.taken)
            self.add(self.beside(Statement(name, axes, (body,))))
            parts = (Access(name, axes), ONE)
        ordered = (targets[axis] for axis in made if axis in targets)
        whole = Term(ONE, (parts, *((delta, ONE) for delta in ordered)), places)
        if made == statement.axes:
            self.done.append(replace(statement, axes=made, terms=(whole,), kind=Kind.SCATTER))
            return
        moved = unused(f"{statement.name}_moved", self.taken)
        self.done.append(self.beside(Statement(moved, made, (whole,), Kind.SCATTER)))
        self.done.append(replace(statement, terms=(Term(ONE, ((Access(moved, made), ONE),)),)))

    def compare(self, statement: Statement) -> None:
        """The largest of the values that a delta moves to an entry, each read at that entry."""
        (delta,) = statement.masks
        assert isinstance(delta, Delta)
        target = target_of(delta, statement.axes)
        assert target is not None
        place = place_of(delta, target)
        places = indices_of_slot(place)
        over = tuple(index for index in statement.over if index not in places)
        axes = tuple(index for axis in statement.axes for index in (places if axis == target else (axis,)))
        read = substitute(statement.terms, {target: place})
        parts = lone_entry(read)
        if over or parts is None or parts.slots != axes or self.is_part(parts):
            parts = Access(unused(f"{statement.name}_parts", self.taken), axes)
            kind = Kind.MAXIMUM if over else Kind.ASSIGN
            self.add(self.beside(Statement(parts.tensor, axes, read, kind, over)))
        moved = Delta(self.looked_up(delta.left), self.looked_up(delta.right))
        whole = Term(ONE, ((parts, ONE), (moved, ONE)), places)
        made = replace(statement, terms=(whole,), kind=Kind.SCATTER, over=(), guards=(), word="max")
        self.done.append(made)

    def with_groups(self, term: Term) -> Terms:
        """The term with sums over what looks up the same entry as something else from an array over the entries."""
        for base in term.bases:
            for parts in ((term,), added_apart(term)) if lookups_apart(base) else ():
                found = [by_entries(part, base, self.owner, self.taken) for part in parts]
                done = [pair for pair in found if pair is not None]
                if done and len(done) == len(found):
                    for made, _ in done:
                        self.tensors[made.name] = Tensor(made.name, made.axes)
                        self.add(self.beside(made))
                    return tuple(one for _, part in done for one in self.with_groups(part))
        return (term,)

    def with_plain_lookups(self, term: Term) -> Term:
        """The term with the lookups of its deltas at plain indices."""
        powers = (
            (
                Delta(self.looked_up(base.left), self.looked_up(base.right)) if isinstance(base, Delta) else base,
                exponent,
            )
            for base, exponent in term.powers
        )
        return Term(term.coeff, tuple(powers), term.summed)

    def term(self, term: Term) -> Term:
        """A term with plain accesses, without the brackets that its windows make good."""
        powers = without_covered_brackets(term.powers, term.summed, self.tensors)
        plain = ((self.base(base, direct=bool(exponent.is_positive)), exponent) for base, exponent in powers)
        return product(term.coeff, plain, term.summed)

    def base(self, base: Base, *, direct: bool) -> Base:
        """A factor with plain accesses; those that are not `direct` read what lies nearest where they lie outside."""
        match base:
            case Access() if not base.is_plain or self.is_part(base):
                return self.window(base, nearest=not direct)
            case MatrixFunction() if not all(isinstance(slot, Index) for slot in base.of_slots):
                return base.of(self.window(base.matrix, nearest=not direct))
            case Fn():
                return with_inner_terms(base, self.inside)
            case Add(terms):
                return Add(self.inside(terms) if not direct else tuple(self.term(term) for term in terms))
            case Delta(left, right) if not base.is_plain:
                return Delta(self.looked_up(left), self.looked_up(right))
            case Iverson(left, relation, right) if not base.is_plain:
                return Iverson(self.looked_up(left), relation, self.looked_up(right))
        return base

    def looked_up(self, slot: Slot) -> Slot:
        """What a slot holds with lookups at plain indices alone: others are of arrays that hold what is looked up."""
        for lookup in lookups_of_slot(slot):
            entry = Access(lookup.tensor, lookup.slots)
            if not entry.is_plain or self.is_part(entry):
                entry = Access(lookup.tensor, tuple(map(self.looked_up, lookup.slots)))
                found = self.window(entry, nearest=True)
                return self.looked_up(with_lookup_as(slot, lookup, Lookup(found.tensor, found.slots, lookup.extent)))
        return slot

    def inside(self, terms: Terms) -> Terms:
        """Terms inside a function."""
        return tuple(
            product(term.coeff, ((self.base(base, direct=False), e) for base, e in term.powers), term.summed)
            for term in terms
        )

    def is_part(self, entry: Access) -> bool:
        """Whether an index of another extent than the slot's stands in some slot: a part of the tensor is read."""
        tensor = self.tensors.get(entry.tensor)
        if tensor is None:
            return False
        return any(
            isinstance(slot, Index) and slot.extent != declared.extent
            for slot, declared in zip(entry.slots, tensor.slots, strict=True)
        )

    def window(self, entry: Access, *, nearest: bool) -> Access:
        """The array that holds an entry under its indices."""
        entry = Access(entry.tensor, tuple(map(self.looked_up, entry.slots)))
        axes = window_axes(entry)
        numbers = {index: Index(f"#{n}", index.extent) for n, index in enumerate(axes)}
        key = rename_base(entry, numbers)
        assert isinstance(key, Access)
        inside = self.is_all_inside(entry)
        nearest = nearest and not inside
        place = self.place if self.steps(entry) else OUTSIDE
        name = self.known.get((key, nearest, place)) or unused(
            f"{entry.tensor}_{'at' if any(map(lookups_of_slot, entry.slots)) else 'win'}", self.taken
        )
        self.known[key, nearest, place] = name
        if all(statement.name != name for statement in self.done):
            kind = Kind.NEAREST if nearest or (inside and not are_apart(entry.slots)) else Kind.GATHER
            entry = Access(entry.tensor, tuple(self.walk(slot, n, entry) for n, slot in enumerate(entry.slots)))
            made = Statement(name, axes, (Term(ONE, ((entry, ONE),)),), kind)
            if place != OUTSIDE:
                self.done.append(self.beside(made))
            else:
                # What no step changes is there before the loop.
                loop, _ = self.place
                places = (n for n, statement in enumerate(self.done) if loop is not None and statement.loop == loop)
                self.done.insert(next(places, len(self.done)), made)
        return Access(name, axes)

    def beside(self, made: Statement) -> Statement:
        """A new statement at the place of the one that is added; at each step of a loop it is another array."""
        loop, conditions = self.place
        if loop is not None:
            self.stepping |= {made.name}
        return replace(made, loop=loop, conditions=conditions)

    def steps(self, entry: Access) -> bool:
        """Whether an entry is another one at each step of the loop in which it is read."""
        loop, _ = self.place
        if loop is None:
            return False
        read = {entry.tensor, *(lookup.tensor for slot in entry.slots for lookup in lookups_of_slot(slot))}
        changed = {*self.stepping, *(name for name, _, _ in loop.arrays)}
        return not read.isdisjoint(changed) or any(constant_of(slot).has(loop.symbol) for slot in entry.slots)

    def walk(self, slot: Slot, place: int, entry: Access) -> Slot:
        """A slot; an index of another extent than that of the tensor as an expression."""
        tensor = self.tensors.get(entry.tensor)
        if isinstance(slot, Index) and tensor is not None and slot.extent != tensor.slots[place].extent:
            return Affine(((slot, ONE),))
        return slot

    def is_all_inside(self, entry: Access) -> bool:
        """Whether an entry never lies outside of its tensor."""
        return all(self.is_inside(slot, place, entry) for place, slot in enumerate(entry.slots))

    def is_inside(self, slot: Slot, place: int, entry: Access) -> bool:
        """Whether a slot never lies outside of its tensor."""
        extent = self.tensors[entry.tensor].slots[place].extent
        return (isinstance(slot, Index) and slot.extent == extent) or in_range(slot, extent)


def whole_window(statement: Statement) -> Access | None:
    """The entry under expressions that a statement is, and nothing else."""
    if len(statement.terms) != 1:
        return None
    (term,) = statement.terms
    if term.coeff != 1 or term.summed or len(term.powers) != 1 or term.powers[0][1] != 1:
        return None
    (base,) = term.bases
    if not isinstance(base, Access) or base.is_plain or set(window_axes(base)) != set(statement.axes):
        return None
    return base


def are_apart(slots: tuple[Slot, ...]) -> bool:
    """Whether no index stands in two slots, or in a lookup beside something else: each slot is a walk of its own."""
    every = [index for slot in slots for index in indices_of_slot(slot)]
    return len(set(every)) == len(every) and all(
        not lookups_of_slot(slot) or (isinstance(slot, Lookup) and all(isinstance(s, Index) for s in slot.slots))
        for slot in slots
    )


def window_axes(entry: Access) -> tuple[Index, ...]:
    """The indices of an entry in the order in which its slots read them, larger steps first."""
    found: dict[Index, None] = {}
    for slot in entry.slots:
        found.update(dict.fromkeys(indices_of_slot(slot)))
    return tuple(found)


def moving_deltas(term: Term, axes: Sequence[Index]) -> tuple[Delta, ...]:
    """The deltas of a term that say at which entry of the result what is summed is added up.

    Each has an index of the result, by itself, that no other has and that stands nowhere else in the term. Several
    may look up something for the same samples.
    """
    found: list[Delta] = []
    used: set[Index] = set()
    for base in term.bases:
        target = target_of(base, axes) if isinstance(base, Delta) else None
        if target is None or not isinstance(base, Delta):
            continue
        inner = [index for index in occurring_indices(base) if index != target]
        alone = not any(target in occurring_indices(other) for other in term.bases if other != base)
        same = any(looks_up(other, axes) == set(inner) == looks_up(base, axes) for other in found)
        if inner and alone and (same or used.isdisjoint(inner)) and all(index in term.summed for index in inner):
            found.append(base)
            used.update(inner)
    return tuple(found)


def looks_up(delta: Delta, axes: Sequence[Index]) -> set[Index]:
    """The samples for which a delta looks up an entry of the result; none if it looks up nothing."""
    target = target_of(delta, axes)
    place = place_of(delta, target) if target is not None else delta.left
    return set(indices_of_slot(place)) if isinstance(place, Lookup) else set()
