"""A program as data: an ordered, single-assignment list of equations over named tensors.

A forward pass is a program, and so is the backward pass that is derived from it; whatever works on
one (printing, code, evaluation, differentiation) works on the other. `check_program` says whether a
program is well formed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy as sp

from indexcalc.algebra.ranges import in_range, is_compound, reads_inside
from indexcalc.algebra.slots import plain_slots, slot_text
from indexcalc.algebra.terms import (
    Access,
    Base,
    Index,
    Terms,
    accesses_of,
    free_indices,
    own_lookups,
    own_slots,
    scalars_of,
    tensors_of,
    walk,
)
from indexcalc.errors import LimitError, Place, ProgramError, placed
from indexcalc.recurrence import Recurrence, Unordered, groups_of, is_recurrent, recurrence_of


@dataclass(frozen=True, slots=True)
class Tensor:
    """A named tensor: its slots are indices under their declared names; `doc` says what it means.

    The entries of an input may be declared to lie in an interval, its `domain`, or to be whole numbers from 0 on and
    below `values`, an extent: such an input is looked up in slots, and nowhere else.
    """

    name: str
    slots: tuple[Index, ...] = ()
    doc: str = ""
    domain: sp.Interval | None = None
    values: sp.Expr | None = None

    @property
    def entry(self) -> Access:
        """The general entry, under the declared names of its slots."""
        return Access(self.name, self.slots)


@dataclass(frozen=True, slots=True)
class Equation:
    """``lhs[free indices] = term + term + ...``; `hoisted` marks what the reader gave a name to.

    `place` says where an author wrote it, for errors; it is no part of what the equation says.
    """

    lhs: Access
    terms: Terms
    doc: str = ""
    hoisted: bool = False
    place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The tensor that this equation defines."""
        return self.lhs.tensor

    @property
    def slots(self) -> tuple[Index, ...]:
        """The slots of the left side: indices, each once."""
        return plain_slots(self.lhs.slots)

    def holds_at(self, entry: Access) -> bool:
        """Whether the definition may be put in for an entry: it lies inside the tensor, whatever brackets say."""
        return reads_inside(entry.slots, self.slots)

    def holds_in(self, terms: Terms) -> bool:
        """Whether the definition may be put in for all entries of its tensor in some terms."""
        return all(self.holds_at(entry) for entry in accesses_of(terms, self.name))


@dataclass(frozen=True, slots=True)
class Unknown:
    """A tensor that a system determines: it is the one at which the tensor `residual` is zero.

    ``solve x[j] : sum[j](A[i,j]*x[j]) = b[i]`` has the residual ``r_x[i] = b[i] - sum[j](A[i,j]*x[j])``, an equation
    like any other, that reads the unknown. What reads the unknown besides reads what the system determined. One that is
    `hoisted` is not the author's: it is the inverse of a matrix whose determinant is taken.
    """

    tensor: Tensor
    residual: str
    hoisted: bool = False

    @property
    def name(self) -> str:
        """The tensor that is determined."""
        return self.tensor.name


@dataclass(frozen=True, slots=True)
class Identity:
    """``left = right`` for all values of the free indices."""

    left: Terms
    right: Terms
    doc: str = ""
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A scalar constant such as ``eps``; `default` becomes the default of the keyword argument."""

    symbol: sp.Symbol
    doc: str = ""
    default: sp.Expr | None = None


@dataclass(frozen=True, slots=True)
class BlockedLoop:
    """A loop of generated code over blocks of some indices.

    Attributes:
        indices: what it runs over, outermost first.
        tensors: those of which only a block is ever there.
    """

    indices: tuple[Index, ...]
    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extreme:
    """Inputs at the edge of what was checked: of one tensor or, under an empty name, of all.

    Attributes:
        subject: the tensor.
        words: what it is, with ``{subject}`` for the tensor.
    """

    subject: str
    words: str


@dataclass(frozen=True, slots=True)
class CheckedRange:
    """The inputs at which generated code is held against an oracle, beside mild ones.

    Attributes:
        points: how many there are.
        allowed: how many times the error that rounding explains code may make there.
        families: what they are, such as ``scale``, in the order in which they are tried.
        limits: where what the author asked for would exceed the smallest format if the inputs went further.
        poles: where the function itself has no value.
        blurred: where rounding what the author named may leave it none, as ``1 - p`` for a p that rounds to 1.
    """

    points: int
    allowed: int
    families: tuple[str, ...]
    limits: tuple[Extreme, ...] = ()
    poles: tuple[Extreme, ...] = ()
    blurred: tuple[Extreme, ...] = ()


@dataclass(frozen=True)
class Program:
    """Inputs, equations in order, outputs; with the declared indices, parameters and assumptions.

    Attributes:
        title: one line of prose.
        inputs: the tensors that are given.
        equations: each defines one new tensor from those before it.
        outputs: the names of the results.
        indices: the declared indices in authored order; names for dummies are taken from here.
        index_docs: prose of an index, by its name.
        parameters: the scalar constants that coefficients may hold, besides extents.
        assumptions: identities that the author vouches for, such as ``sum_c y[n,c] = 1``.
        layouts: how the slots of a tensor are grouped into the axes of the array that stores it,
            by name: ``W[m,(h,k)]`` has three slots and two axes, (1, 2). A tensor without an entry
            has one axis for each slot. The algebra sees slots only.
        unknowns: the tensors that systems determine, each by the equation of its residual.
        held: the inputs that another program computes, each with the inputs that it computes it from: the
            backward pass reads values of the forward pass. A derivative by these inputs would miss paths.
    """

    title: str
    inputs: tuple[Tensor, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[str, ...]
    indices: tuple[Index, ...] = ()
    index_docs: Mapping[str, str] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    assumptions: tuple[Identity, ...] = ()
    layouts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()

    def axes(self, name: str) -> tuple[tuple[Index, ...], ...]:
        """The axes of the array that stores a tensor, each with the slots that are fused in it."""
        slots = self.tensors[name].slots
        groups = self.layouts.get(name, (1,) * len(slots))
        ends = [sum(groups[: number + 1]) for number in range(len(groups))]
        return tuple(slots[end - size : end] for size, end in zip(groups, ends, strict=True))

    @cached_property
    def tensors(self) -> Mapping[str, Tensor]:
        """Every tensor by name: inputs first, then the equations' in order, an unknown before its system."""
        named = {tensor.name: tensor for tensor in self.inputs}
        for block in self.blocks:
            if (unknown := self.determined_by(block)) is not None:
                named[unknown.name] = unknown.tensor
            named.update({eq.name: Tensor(eq.name, eq.slots, eq.doc) for eq in block})
        return named

    @cached_property
    def residuals(self) -> Mapping[str, str]:
        """The residual of every unknown."""
        return {unknown.name: unknown.residual for unknown in self.unknowns}

    @cached_property
    def systems(self) -> Mapping[str, tuple[Equation, ...]]:
        """For every unknown, the equations of its system: those between it and its residual, which comes last."""
        found = ((self.determined_by(block), block) for block in self.blocks)
        return {unknown.name: block for unknown, block in found if unknown is not None}

    def determined_by(self, block: tuple[Equation, ...]) -> Unknown | None:
        """The unknown that the equations of a block determine; None if they compute what they define."""
        names = {equation.name for equation in block}
        return next((unknown for unknown in self.unknowns if unknown.residual in names), None)

    @cached_property
    def readers(self) -> Mapping[str, tuple[str, ...]]:
        """For every tensor, those that read it; for an unknown, those outside of its system."""
        own = {name: {equation.name for equation in block} for name, block in self.systems.items()}
        return {name: tuple(one for one in who if one not in own.get(name, ())) for name, who in self.consumers.items()}

    @cached_property
    def explicit(self) -> Program:
        """The program without its systems: unknowns are given, and residuals, which are zero, are not there."""
        if not self.unknowns:
            return self
        gone = frozenset(self.residuals.values())
        kept = tuple(equation for equation in self.equations if equation.name not in gone)
        inputs = (*self.inputs, *(unknown.tensor for unknown in self.unknowns))
        return replace(self, inputs=inputs, equations=kept, unknowns=())

    @cached_property
    def computed(self) -> tuple[Equation, ...]:
        """What is computed, in order, each with all that it is computed from: for a residual, its unknown."""
        if not self.unknowns:
            return self.equations
        solved = {unknown.residual: unknown.tensor.entry for unknown in self.unknowns}
        return tuple(replace(one, lhs=solved[one.name]) if one.name in solved else one for one in self.equations)

    @cached_property
    def definitions(self) -> Mapping[str, Equation]:
        """The defining equation of every tensor that is not an input."""
        return {equation.name: equation for equation in self.equations}

    @cached_property
    def narrower(self) -> Mapping[int, frozenset[str]]:
        """For every number of slots up to the largest of a defined tensor, the defined tensors with fewer."""
        widths = {name: len(equation.slots) for name, equation in self.definitions.items()}
        most = max(widths.values(), default=0)
        return {width: frozenset(name for name, own in widths.items() if own < width) for width in range(most + 1)}

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The place of every defined tensor in the order of the equations."""
        return {equation.name: number for number, equation in enumerate(self.equations)}

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of every tensor, inputs first."""
        return {name: number for number, name in enumerate(self.tensors)}

    @cached_property
    def ancestors(self) -> Mapping[str, int]:
        """For every tensor, the set of those it depends on, and itself: one bit for each place."""
        found = {name: 1 << place for name, place in self.places.items()}
        for block in self.blocks:
            unknown = self.determined_by(block)
            members = [equation.name for equation in block] + ([] if unknown is None else [unknown.name])
            together = 0
            for name in (*members, *(name for equation in block for name in tensors_of(equation.terms))):
                together |= found[name]
            for name in members:
                found[name] = together
        return found

    @cached_property
    def blocks(self) -> tuple[tuple[Equation, ...], ...]:
        """The equations in order; those of one recurrence or of one system together, all others by themselves."""
        if not self.is_recurrent and not self.unknowns:
            return tuple((equation,) for equation in self.equations)
        by_name = self.definitions
        groups = groups_of(self.equations, self.residuals)
        return tuple(tuple(by_name[one.name] for one in group) for group in groups)

    @cached_property
    def is_recurrent(self) -> bool:
        """Whether some equation reads itself, or what stands below it."""
        places = self.positions
        return any(
            places.get(name, -1) >= number
            for number, equation in enumerate(self.equations)
            for name in tensors_of(equation.terms)
        )

    @cached_property
    def recurrences(self) -> tuple[Recurrence, ...]:
        """The recurrences, in order."""
        if not self.is_recurrent:
            return ()
        blocks = (block for block in self.blocks if self.determined_by(block) is None and is_recurrent(block))
        found = (recurrence_of(block) for block in blocks)
        return tuple(one for one in found if isinstance(one, Recurrence))

    @cached_property
    def recurrence_by_name(self) -> Mapping[str, Recurrence]:
        """The recurrence of every tensor that is computed step by step."""
        return {name: one for one in self.recurrences for name in one.axes}

    @cached_property
    def consumers(self) -> Mapping[str, tuple[str, ...]]:
        """For every tensor, the tensors whose equations read it, in order."""
        readers: dict[str, list[str]] = {name: [] for name in self.tensors}
        for equation in self.equations:
            for name in tensors_of(equation.terms):
                readers[name].append(equation.name)
        return {name: tuple(who) for name, who in readers.items()}

    @cached_property
    def extents(self) -> tuple[sp.Symbol, ...]:
        """The symbolic extents, in order of first occurrence in the tensors' slots."""
        slots = [slot for tensor in self.tensors.values() for slot in tensor.slots]
        every = [*slots, *self.indices, *(Index(t.name, t.values) for t in self.inputs if t.values is not None)]
        for equation in self.equations:
            every.extend(index for term in equation.terms for index in term.summed)
        symbols = (s for index in every for s in sorted(index.extent.free_symbols, key=str))
        return tuple(dict.fromkeys(symbols))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name of an index, a tensor, a parameter or an extent; fresh dummies avoid these.

        They avoid what stands below a name too: beside ``D_h``, a sum over h would seem to be about it.
        """
        scalars = {str(symbol) for symbol in (*self.extents, *(parameter.symbol for parameter in self.parameters))}
        below = {mark for name in scalars for mark in name.split("_")[1:]}
        return self.index_names | frozenset(self.tensors) | scalars | below

    @cached_property
    def index_names(self) -> frozenset[str]:
        """Every index name that is declared or occurs."""
        names = {index.name for index in self.indices}
        for tensor in self.tensors.values():
            names.update(slot.name for slot in tensor.slots)
        for equation in self.equations:
            for term in equation.terms:
                names.update(index.name for index in term.summed)
        return frozenset(names)


def check_program(program: Program) -> None:
    """Return if the program is well formed.

    Raises:
        ProgramError: for a name assigned twice, a tensor read before it is defined, a wrong number of
            slots, extents that clash, a free index missing on one side, an unknown scalar, or an
            output that nothing defines.
    """
    known: dict[str, Tensor] = {}
    for tensor in program.inputs:
        if tensor.name in known:
            raise ProgramError(f"the input {tensor.name} is declared twice")
        check_slots(tensor.name, tensor.slots)
        known[tensor.name] = tensor
    scalars = set(program.extents) | {parameter.symbol for parameter in program.parameters}
    check_recurrences(program)
    check_systems(program)
    together = {name: one.axes for one in program.recurrences for name in one.axes}
    starts = {block[0].name: program.determined_by(block) for block in program.blocks}
    for equation in program.equations:
        if (unknown := starts.get(equation.name)) is not None:
            if unknown.name in known:
                raise ProgramError(f"{unknown.name} is assigned twice")
            known[unknown.name] = unknown.tensor
        if equation.name in known:
            raise ProgramError(f"{equation.name} is assigned twice")
        check_slots(equation.name, equation.slots)
        stepping = {name: program.tensors[name] for name in together.get(equation.name, ())}
        check_equation(equation, {**known, **stepping} if stepping else known, scalars)
        known[equation.name] = Tensor(equation.name, equation.slots, equation.doc)
    for name in program.outputs:
        if name not in known:
            raise ProgramError(f"the output {name} is not defined")
    for name, groups in program.layouts.items():
        if name in known and (sum(groups) != len(known[name].slots) or min(groups, default=1) < 1):
            raise ProgramError(f"the layout {groups} of {name} does not fit its {len(known[name].slots)} slots")


def check_recurrences(program: Program) -> None:
    """Reject equations that read one another in no order of steps, or that do not stand together in this order."""
    if not program.is_recurrent:
        return
    order: list[str] = []
    for block in program.blocks:
        stepping = program.determined_by(block) is None and is_recurrent(block)
        found = recurrence_of(block) if stepping else None
        if isinstance(found, Unordered):
            read = found.entry
            raise ProgramError(
                f"{read.tensor} is read before it is defined, in the equation of {found.reader}: "
                f"[{','.join(map(slot_text, read.slots))}] is not shown to be an earlier step"
            )
        order += [*found.axes] if found is not None else [equation.name for equation in block]
    if order != [equation.name for equation in program.equations]:
        raise ProgramError("the equations of a recurrence stand together, each after what it reads at its own step")


def check_systems(program: Program) -> None:
    """Reject systems that do not determine their unknown, or whose equations do not stand together in an order.

    As many equations as entries are necessary for one solution, not sufficient: whether there is one depends on the
    values.
    """
    for unknown in program.unknowns:
        residual = program.definitions.get(unknown.residual)
        with placed(None if residual is None else residual.place):
            check_system(program, unknown, residual)
    places = program.positions
    for block in program.systems.values():
        here = [places[equation.name] for equation in block]
        if here != list(range(here[0], here[0] + len(here))):
            raise ProgramError(f"the equations of the system with {block[0].name} do not stand together")


def check_system(program: Program, unknown: Unknown, residual: Equation | None) -> None:
    """Reject a system that does not read its unknown, is one with another, or has too few or too many equations."""
    name, slots = unknown.name, unknown.tensor.slots
    check_slots(name, slots)
    together = [one.name for one in program.unknowns if one.name not in program.systems]
    if together:
        other = next(key for key, block in program.systems.items() if together[0] in read_in(block))
        raise ProgramError(
            f"{other} and {together[0]} are determined by one another; write one as an equation of the other, "
            "or both as one tensor that one system determines"
        )
    if residual is None or name not in read_in(program.systems[name]):
        raise ProgramError(f"the system for {name} does not read {name}, and so cannot determine it")
    entries, rows = (sp.prod(slot.extent for slot in one) for one in (slots, residual.slots))
    if sp.expand(entries - rows) != 0:
        over = f", one for each {' and '.join(slot.name for slot in residual.slots)}," if residual.slots else ""
        noun = "equation" if rows == 1 else "equations"
        raise ProgramError(
            f"the system for {name} has {rows} {noun}{over} but {name} has {entries} entries; "
            "a system determines as many entries as it has equations"
        )


def read_in(block: tuple[Equation, ...]) -> frozenset[str]:
    """All that the equations of a block read."""
    return frozenset(name for equation in block for name in tensors_of(equation.terms))


def may_meet(index: Index, slot: Index) -> bool:
    """Whether an index may stand in a slot of another extent: it lies inside, or brackets say where it does.

    Extents with names of their own clash; ``N`` and ``N - K + 1`` may meet, and what is outside reads as zero.
    """
    return is_compound(index.extent) or is_compound(slot.extent) or in_range(index, slot.extent)


def check_slots(name: str, slots: tuple[Index, ...]) -> None:
    """Reject a definition such as ``A[i,i] = ...``, which leaves other entries undefined."""
    names = [slot.name for slot in slots]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise ProgramError(f"{name} is defined with the index {repeated[0]} in two slots; use two names")


def check_equation(equation: Equation, known: Mapping[str, Tensor], scalars: set[sp.Symbol]) -> None:
    """Reject reads of unknown tensors, clashing extents, and free indices that the left side lacks."""
    where = f"in the equation of {equation.name}"
    check_numbers(equation.terms, f"{where}: ")
    guarded = any(not isinstance(slot, Index) for base in walk(equation.terms) for slot in own_slots(base))
    for base in walk(equation.terms):
        check_lookups(base, known, where)
        if isinstance(base, Access):
            check_access(base, known, where, guarded=guarded)
    extents = {slot.name: slot.extent for slot in equation.slots}
    for term in equation.terms:
        unknown = sorted(str(s) for s in term.coeff.free_symbols if s not in scalars)
        if unknown:
            raise ProgramError(f"{where}: the scalar {unknown[0]} is neither an extent nor a parameter")
        bound = {index.name: index.extent for index in term.summed}
        for index in (*free_indices(term), *term.summed):
            expected = bound.get(index.name, extents.get(index.name))
            if expected is None:
                raise ProgramError(f"{where}: the index {index.name} is free on the right, but not on the left")
            if expected != index.extent:
                raise ProgramError(
                    f"{where}: the index {index.name} has extent {index.extent} in one place, {expected} in another"
                )


def check_numbers(terms: Terms, where: str = "") -> None:
    """Reject numbers that no float holds: they would be infinite, or zero, in every computation.

    Raises:
        LimitError: for the first such number.
    """
    least, largest = sp.Float(sys.float_info.min), sp.Float(sys.float_info.max)
    for number in dict.fromkeys(n for scalar in scalars_of(terms) for n in scalar.atoms(sp.Number)):
        if number != 0 and not least <= abs(number) <= largest:
            raise LimitError(
                f"{where}the number {sp.Float(number, 3)} is beyond floats, which hold "
                f"{sys.float_info.min:.1e} to {sys.float_info.max:.1e}; scale what it multiplies"
            )


def check_lookups(base: Base, known: Mapping[str, Tensor], where: str) -> None:
    """Reject a lookup in what is no tensor of whole numbers, or has other slots or values than it is read with."""
    for lookup in own_lookups(base):
        tensor = known.get(lookup.tensor)
        if tensor is None or tensor.values != lookup.extent or len(tensor.slots) != len(lookup.slots):
            raise ProgramError(f"{where}: {lookup.name} is no entry of an input of whole numbers below {lookup.extent}")


def check_access(base: Access, known: Mapping[str, Tensor], where: str, *, guarded: bool) -> None:
    """Reject an access whose tensor is unknown, or whose slots differ in number or extent.

    In a `guarded` equation, with brackets of expressions, an index may run beyond a slot: what is outside reads zero.
    """
    if base.tensor not in known:
        raise ProgramError(f"{where}: {base.tensor} is read before it is defined")
    declared = known[base.tensor].slots
    if known[base.tensor].values is not None:
        raise ProgramError(
            f"{where}: {base.tensor} holds whole numbers; it is looked up in a slot, E[{base.tensor}[...]]"
        )
    if len(declared) != len(base.slots):
        raise ProgramError(f"{where}: {base.tensor} has {len(declared)} slots, but is read with {len(base.slots)}")
    for index, slot in zip(base.slots, declared, strict=True):
        if isinstance(index, Index) and index.extent != slot.extent and not (guarded or may_meet(index, slot)):
            raise ProgramError(
                f"{where}: {base.tensor} has extent {slot.extent} in the slot {slot.name}, "
                f"but the index {index.name} there has extent {index.extent}"
            )
