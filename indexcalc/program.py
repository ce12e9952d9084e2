"""A program as data: an ordered, single-assignment list of equations over named tensors.

A forward pass is a program, and so is the backward pass that is derived from it; whatever works on
one (printing, code, evaluation, differentiation) works on the other. `consistency` says whether a
program is well formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy as sp

from indexcalc.algebra.ranges import reads_inside
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import (
    Access,
    Base,
    Index,
    Terms,
    accesses_of,
    tensors_of,
)
from indexcalc.errors import Place
from indexcalc.presentation import presenter
from indexcalc.recurrence import Recurrence, groups_of, is_recurrent, recurrence_of


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

    def __repr__(self) -> str:
        return f"<Equation {presenter().equation_text(self)}>"

    def _repr_latex_(self) -> str:
        return presenter().equation_latex(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

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
    `hoisted` is not the author's: it is the inverse of a matrix, which a formula reads, or the derivative of a
    determinant.
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
    """``left = right`` for all values of the free indices.

    Where it is `definite`, two slots of an input change places, and the matrices over them are positive definite too.
    """

    left: Terms
    right: Terms
    doc: str = ""
    place: Place | None = field(default=None, compare=False, repr=False)
    definite: bool = False


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
class Largest:
    """What is subtracted in exponents: the largest of `terms` over indices, where no guard is zero."""

    terms: Terms
    over: tuple[Index, ...]
    guards: tuple[Base, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherFormulas:
    """What generated code does to stay finite and to keep digits.

    Attributes:
        changed: the tensors that it computes by another formula than the note's, of the same value.
        largest: what it subtracts in exponents.
    """

    changed: tuple[str, ...] = ()
    largest: tuple[Largest, ...] = ()


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
        untried: how many more there are, beyond the bound on work.
        single: whether single inputs are changed where there are several.
        together: whether all inputs are changed at once.
        others: where the code departs from the formulas of the note.
    """

    points: int
    allowed: int
    families: tuple[str, ...]
    limits: tuple[Extreme, ...] = ()
    poles: tuple[Extreme, ...] = ()
    blurred: tuple[Extreme, ...] = ()
    untried: int = 0
    single: bool = False
    together: bool = False
    others: OtherFormulas = OtherFormulas()


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

    def without_assumptions_on(self, names: Iterable[str]) -> Program:
        """The program without what is assumed of some tensors, or of what is computed from them.

        An assumption holds of values. Of a derivative by these tensors it says nothing: ``sum_k c_k`` may be 1, and
        its derivative is 1 as well, not 0.
        """
        varied = sum(1 << self.places[name] for name in set(names))
        kept = tuple(
            identity
            for identity in self.assumptions
            if not any(self.ancestors[name] & varied for name in tensors_of((*identity.left, *identity.right)))
        )
        return self if kept == self.assumptions else replace(self, assumptions=kept)

    def __repr__(self) -> str:
        given = ", ".join(tensor.name for tensor in self.inputs)
        return f"<Program {self.title!r}: {', '.join(self.definitions)} from {given or 'nothing'}>"

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

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
            named.update({unknown.name: unknown.tensor for unknown in self.determined_by(block)})
            named.update({eq.name: Tensor(eq.name, eq.slots, eq.doc) for eq in block})
        return named

    @cached_property
    def residuals(self) -> Mapping[str, str]:
        """The residual of every unknown."""
        return {unknown.name: unknown.residual for unknown in self.unknowns}

    @cached_property
    def systems(self) -> Mapping[str, tuple[Equation, ...]]:
        """For every unknown, the equations of its system: residuals, and what stands between them and unknowns.

        Unknowns that determine one another have one system.
        """
        return {unknown.name: block for block in self.blocks for unknown in self.determined_by(block)}

    def determined_by(self, block: Sequence[Equation]) -> tuple[Unknown, ...]:
        """The unknowns that the equations of a block determine together; none if they compute what they define."""
        names = {equation.name for equation in block}
        return tuple(unknown for unknown in self.unknowns if unknown.residual in names)

    def residuals_in(self, block: Sequence[Equation]) -> tuple[Equation, ...]:
        """The residuals among the equations of a block."""
        residuals = set(self.residuals.values())
        return tuple(equation for equation in block if equation.name in residuals)

    def together_with(self, unknown: Unknown) -> tuple[Unknown, ...]:
        """The unknowns that one system determines, `unknown` among them."""
        return self.determined_by(self.systems[unknown.name])

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
            members = [equation.name for equation in block] + [unknown.name for unknown in self.determined_by(block)]
            together = 0
            for name in (*members, *(name for equation in block for name in tensors_of(equation.terms))):
                together |= found[name]
            for name in members:
                found[name] = together
        return found

    @cached_property
    def origins(self) -> Mapping[str, tuple[str, ...]]:
        """For every tensor that is computed, the inputs that it is computed from."""
        unknowns = {unknown.name for unknown in self.unknowns}
        given = [tensor.name for tensor in self.inputs if tensor.name not in unknowns]
        computed = (*(equation.name for equation in self.equations), *unknowns)
        return {name: tuple(one for one in given if self.ancestors[name] >> self.places[one] & 1) for name in computed}

    @cached_property
    def blocks(self) -> tuple[tuple[Equation, ...], ...]:
        """The equations in order; those of one recurrence or of one system together, all others by themselves."""
        if not self.is_recurrent and not self.unknowns:
            return tuple((equation,) for equation in self.equations)
        by_name = self.definitions
        groups = groups_of(self.equations, self.residuals)
        return tuple(tuple(by_name[one.name] for one in group) for group in groups)

    def steps_of(self, block: Sequence[Equation]) -> tuple[tuple[Equation, ...], ...]:
        """The equations of a block as they are computed, each recurrence together; in a system, from its unknowns."""
        if not self.determined_by(block):
            return (tuple(block),)
        by_name = self.definitions
        return tuple(tuple(by_name[one.name] for one in group) for group in groups_of(block))

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
        """The recurrences, in order; those among the equations of a system, whose unknown is given to them, too."""
        if not self.is_recurrent:
            return ()
        groups = (group for block in self.blocks for group in self.steps_of(block) if is_recurrent(group))
        found = (recurrence_of(group) for group in groups)
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


def read_in(block: tuple[Equation, ...]) -> frozenset[str]:
    """All that the equations of a block read."""
    return frozenset(name for equation in block for name in tensors_of(equation.terms))
