"""Tensors that several lines define, each for a part of one slot: base cases, and a range of steps.

``h[0,i] = h0[i]`` and ``h[t,i] = ... for t in 1 .. T-1`` are one equation, ``delta_{t,0} h0_i + [1 <= t] (...)``.
The parts follow one another without a gap. What they leave out at the ends has no value, and nothing reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.guards import guarded_entries
from indexcalc.algebra.ranges import never_negative
from indexcalc.algebra.renaming import rename_apart, substitute_term
from indexcalc.algebra.slots import Index, Slot, difference, indices_of_slot, is_fixed, place, slot_text
from indexcalc.algebra.terms import Delta, Iverson, Power, Terms
from indexcalc.errors import SpecError
from indexcalc.language.lines import EquationLine
from indexcalc.language.scope import Scope
from indexcalc.program import Equation

ONE = sp.S.One


@dataclass(frozen=True)
class Piece:
    """One line: the part of the divided slot for which it holds, both ends included, and its own slots."""

    line: EquationLine
    held: tuple[Slot, ...]
    first: Slot
    last: Slot


@dataclass(frozen=True)
class Pieces:
    """All lines of one tensor.

    Attributes:
        slots: the indices of the tensor, as the line for a range of steps has them.
        axis: the place of the slot that the lines divide.
        pieces: the lines in their order.
    """

    slots: tuple[Index, ...]
    axis: int
    pieces: tuple[Piece, ...]

    @property
    def step(self) -> Index:
        """The index of the divided slot."""
        return self.slots[self.axis]

    def guards(self, piece: Piece) -> tuple[Power, ...]:
        """What is 1 where a piece holds, and zero elsewhere."""
        if piece.first == piece.last:
            return ((Delta(self.step, piece.first), ONE),)
        low, high = Iverson(piece.first, "<=", self.step), Iverson(self.step, "<=", piece.last)
        return tuple((one, ONE) for one in (low, high) if not never_negative(one.slack))

    def guarded(self, terms: Terms, piece: Piece) -> Terms:
        """The right side of a piece under the indices of the tensor, zero where the piece does not hold."""
        pairs = zip(piece.held, self.slots, strict=True)
        renaming = {own: slot for own, slot in pairs if isinstance(own, Index)}
        names = frozenset(index.name for index in (*renaming, *self.slots))
        renamed = (substitute_term(rename_apart(term, names), renaming) for term in terms)
        kept = (product(term.coeff, (*self.guards(piece), *term.powers), term.summed) for term in renamed)
        return tuple(term for term in kept if term.coeff != 0)

    def ends(self, scope: Scope) -> tuple[Slot, Slot]:
        """The first and the last step that has a value.

        Raises:
            SpecError: if the lines leave a gap, or overlap.
        """
        waiting = list(self.pieces)
        chain = [waiting.pop(0)]
        while waiting:
            after = next((p for p in waiting if p.first == following(chain[-1].last)), None)
            before = next((p for p in waiting if following(p.last) == chain[0].first), None)
            if after is not None:
                chain.append(after)
                waiting.remove(after)
            elif before is not None:
                chain.insert(0, before)
                waiting.remove(before)
            else:
                name, odd = self.pieces[0].line.left.name, waiting[0]
                raise scope.source.error(
                    f"the lines of {name} do not follow one another: {self.said(chain[0], chain[-1])}, and "
                    f"{self.said(odd, odd)}; each step is defined by one line, without a gap",
                    odd.line.at,
                )
        return chain[0].first, chain[-1].last

    def said(self, one: Piece, other: Piece) -> str:
        """``t = 0``, or ``t in 1 .. T-1``."""
        name = self.step.name
        if one.first == other.last:
            return f"{name} = {slot_text(one.first)}"
        return f"{name} in {slot_text(one.first)} .. {slot_text(other.last)}"


def following(slot: Slot) -> Slot:
    """``slot + 1``."""
    return difference(slot, place(-1))


def pieces_of(lines: Sequence[EquationLine], scope: Scope) -> Pieces:
    """The lines of one tensor as one.

    Raises:
        SpecError: if no line has an index in each slot, lines differ in their slots, or a part is no range.
    """
    name, source = lines[0].left.name, scope.source
    whole = next((line for line in lines if not any(slot.expression for slot in line.left.slots or ())), None)
    if whole is None:
        slot = next(slot for slot in lines[0].left.slots or () if slot.expression)
        raise source.error(
            f"{name} is defined at {slot.name} alone; a definition has an index in each slot: add a line for the other "
            f"steps, {name}[t] = ... for t in 1 .. T-1, or write {name}[a] = sum[...](... * delta[a,{slot.name}])",
            slot.at,
        )
    slots = tuple(scope.index(slot) for slot in whole.left.slots or ())
    if len(set(slots)) < len(slots):
        raise source.error(f"{name} is defined with one index in two slots; use two names", whole.at)
    axis = axis_of(lines, whole, name, scope)
    found: list[Piece] = []
    for line in lines:
        own = line.left.slots or ()
        if len(own) != len(slots) or line.left.layout != whole.left.layout:
            raise source.error(f"the lines of {name} have other numbers of slots, or group them otherwise", line.at)
        held = [scope.slot(slot) for slot in own]
        for number, (one, index) in enumerate(zip(held, slots, strict=True)):
            if number != axis and (not isinstance(one, Index) or one.extent != index.extent):
                raise source.error(
                    f"this slot of {name} holds {slot_text(one)}, and {index.name} in another line; "
                    "the lines of a recurrence differ in one slot, that of the steps",
                    own[number].at,
                )
        piece = Piece(line, tuple(held), *part_of(line, held[axis], scope))
        found += (piece, *rest_of(piece, slots[axis]))
    return Pieces(slots, axis, tuple(found))


def rest_of(piece: Piece, step: Index) -> Iterator[Piece]:
    """The steps before and after those of a line that says what the value is there."""
    if piece.line.otherwise is None:
        return
    line, end = replace(piece.line, right=piece.line.otherwise, otherwise=None), place(step.extent - 1)
    for first, last in ((place(0), difference(piece.first, place(1))), (following(piece.last), end)):
        if following(last) != first:
            yield Piece(line, piece.held, first, last)


def axis_of(lines: Sequence[EquationLine], whole: EquationLine, name: str, scope: Scope) -> int:
    """The place of the slot that the lines divide."""
    places = {n for line in lines for n, slot in enumerate(line.left.slots or ()) if slot.expression is not None}
    for line in lines:
        if line.steps is not None:
            names = [slot.name for slot in line.left.slots or ()]
            if line.steps.index.name not in names:
                raise scope.source.error(
                    f"{line.steps.index.name} runs over steps, but stands in no slot of {name} on the left",
                    line.steps.index.at,
                )
            places.add(names.index(line.steps.index.name))
    if len(places) != 1:
        raise scope.source.error(
            f"the lines of {name} divide {'no slot' if not places else 'several slots'}; "
            "the lines of a recurrence differ in one slot, that of the steps",
            whole.at,
        )
    if len(lines) > 1 and any(not line.is_piece for line in lines):
        line = next(line for line in lines if not line.is_piece)
        step = [slot.name for slot in whole.left.slots or ()][next(iter(places))]
        raise scope.source.error(
            f"{name} has lines of its own for some steps, so this one needs a range: "
            f"end it with for {step} in 1 .. {scope.index((whole.left.slots or ())[next(iter(places))]).extent - 1}",
            line.at,
        )
    return next(iter(places))


def part_of(line: EquationLine, slot: Slot, scope: Scope) -> tuple[Slot, Slot]:
    """The first and the last step that a line defines."""
    if line.steps is None:
        if not is_fixed(slot):
            raise scope.source.error(
                f"the left side holds {slot_text(slot)}; a base case has a fixed step there, such as 0 or T-1, and a "
                "range of steps an index, with for t in 1 .. T-1 at the end of the line",
                line.at,
            )
        return slot, slot
    if not isinstance(slot, Index):
        raise scope.source.error("a line for a range of steps has an index in that slot", line.at)
    ends = []
    for end in (line.steps.first, line.steps.last):
        found = scope.slot(end)
        if indices_of_slot(found) or not is_fixed(found):
            raise scope.source.error(f"a range runs between whole numbers and extents, not {slot_text(found)}", end.at)
        ends.append(found)
    inside = never_negative(ends[0]) and never_negative(difference(place(slot.extent - 1), ends[1]))
    if not inside:
        raise scope.source.error(
            f"the range {slot_text(ends[0])} .. {slot_text(ends[1])} may leave that of {slot.name}, which is "
            f"0 .. {slot.extent - 1}",
            line.steps.first.at,
        )
    return ends[0], ends[1]


def check_defined(
    equations: Iterable[Equation], ends: Mapping[str, tuple[int, Slot, Slot]], names: Mapping[str, Index]
) -> None:
    """Reject the read of a step that no line defines.

    Args:
        equations: all of the program.
        ends: for tensors that lines define in part, the place of the divided slot, the first step and the last.
        names: the index of the divided slot of each.

    Raises:
        SpecError: at the equation that reads it.
    """
    for equation in equations:
        for entry, given in guarded_entries(equation.terms):
            if entry.tensor not in ends:
                continue
            axis, first, last = ends[entry.tensor]
            slot, step = entry.slots[axis], names[entry.tensor]
            low = never_negative(difference(slot, first), given)
            if low and never_negative(difference(last, slot), given):
                continue
            missing = difference(first, place(1)) if not low else following(last)
            text = f"{entry.tensor}[{','.join(map(slot_text, entry.slots))}]"
            raise SpecError(
                f"{text} may read a step that no line defines: {entry.tensor} has values for {step.name} in "
                f"{slot_text(first)} .. {slot_text(last)}; add a base case, {entry.tensor}[...] = ... with "
                f"{slot_text(missing)} in the slot {step.name}, or read it under a bracket",
                equation.place,
            )
