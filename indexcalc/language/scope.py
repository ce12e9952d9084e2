"""What the names of a spec mean: the tables of indices, extents, parameters and tensors, and look-up in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import sympy as sp

from indexcalc.algebra import slots as algebra
from indexcalc.algebra.ranges import in_range, is_compound
from indexcalc.algebra.slots import Lookup, combined, constant_of, is_fixed, place, times_scalar
from indexcalc.algebra.terms import Access, Index
from indexcalc.calculus.pointwise import TABLE as POINTWISE
from indexcalc.language.source import Source, line_of, suggestion
from indexcalc.language.sugar import EXTREMES, MATRICES
from indexcalc.language.sugar import TABLE as SUGAR
from indexcalc.language.syntax import (
    At,
    Entry,
    Expression,
    Gradient,
    Layout,
    Negate,
    Plus,
    Scalar,
    Slot,
    Times,
    written,
)
from indexcalc.language.unsupported import NO_MATRICES
from indexcalc.program import Parameter, Tensor

REDUCTIONS = frozenset({"sum", *MATRICES, *EXTREMES, *SUGAR})
"""What may stand before ``[indices](...)``."""

ARGUMENTS = {"sqrt": 1, "clip": 3, **{name: len(row.derivatives) for name, row in POINTWISE.items()}}
"""How many arguments a function has; the larger and the smaller one have as many or more."""

FUNCTIONS = frozenset(ARGUMENTS)
"""What may stand before ``(...)``."""

CONSTANTS = {"pi": sp.pi}
"""Scalars that every spec knows, unless it declares the name itself."""


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use.

    Attributes:
        source: the text, for errors.
        indices: the declared indices.
        extents: the symbolic extents.
        parameters: the scalar parameters.
        tensors: the tensors that are known so far.
        later: the tensors that a later equation defines, with the place of its last line.
        divided: the tensors of which several lines define parts.
        ahead: those of them that may be read here, since the line may read earlier steps of them.
        declared: the place of every declaration: of an index under ``index i``, of a tensor under ``A``.
        layouts: how the slots of a tensor are grouped into axes, where some are fused.
        gradients: for a claim, the name of dL/dX by tensor X; None where gradients can't stand.
    """

    source: Source
    indices: Mapping[str, Index]
    extents: Mapping[str, sp.Symbol]
    parameters: Mapping[str, Parameter]
    tensors: Mapping[str, Tensor]
    later: Mapping[str, At | None] = field(default_factory=dict)
    divided: frozenset[str] = frozenset()
    ahead: Mapping[str, Tensor] = field(default_factory=dict)
    declared: Mapping[str, At | None] = field(default_factory=dict)
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    gradients: Mapping[str, str] | None = None

    def index(self, slot: Slot) -> Index:
        """The declared index of this name."""
        found = self.indices.get(slot.name)
        if found is None:
            hint = suggestion(slot.name, self.indices)
            raise self.source.error(f"the index {slot.name} is not declared{hint}", slot.at)
        return found

    def slot(self, slot: Slot) -> algebra.Slot:
        """What a slot holds: an index, an affine expression of indices and extents, or a lookup."""
        if slot.expression is not None:
            return self.place(slot.expression)
        if slot.name in self.extents and slot.name not in self.indices:
            return place(self.extents[slot.name])
        return self.index(slot)

    def place(self, node: Expression) -> algebra.Slot:
        """The value of an expression in a slot."""
        match node:
            case Scalar(value=value, at=at):
                known = self.own_symbols(value, at)
                if not known.is_integer:
                    raise self.source.error(f"a slot holds whole numbers, not {value}", at)
                return place(known)
            case Negate(operand=operand):
                return times_scalar(self.place(operand), sp.S.NegativeOne)
            case Plus(parts=parts):
                return reduce(combined, map(self.place, parts))
            case Times(factors=factors, at=at):
                return self.slot_product([self.place(factor) for factor in factors], at)
            case Entry(name=name, slots=None, at=at):
                if name in self.indices:
                    return self.indices[name]
                if name in self.extents:
                    return place(self.extents[name])
                if name in self.tensors:
                    return self.lookup(node)
                hint = suggestion(name, {*self.indices, *self.extents})
                raise self.source.error(f"{name} is neither an index nor an extent{hint}", at)
            case Entry():
                return self.lookup(node)
        raise self.source.error(
            "a slot holds indices and extents with whole coefficients, such as 2*i+k-1, or a lookup such as tok[n]",
            node.at,
        )

    def slot_product(self, factors: Sequence[algebra.Slot], at: At | None) -> algebra.Slot:
        """A product in a slot: all factors but one are numbers or extents."""
        open_factors = [factor for factor in factors if not is_fixed(factor)]
        if len(open_factors) > 1:
            raise self.source.error("a slot is affine: an index is multiplied by whole numbers and extents alone", at)
        scale = sp.Mul(*(constant_of(factor) for factor in factors if is_fixed(factor)))
        return times_scalar(open_factors[0] if open_factors else place(1), scale)

    def lookup(self, node: Entry) -> Lookup:
        """``tok[n]`` in a slot."""
        tensor = self.tensor(node.name, node.at)
        if tensor.values is None:
            raise self.source.error(
                f"{node.name} stands in a slot, but is no input of whole numbers; "
                f"declare it so: input {self.general(tensor)} in V, where V is an extent",
                node.at,
            )
        entry = self.entry(tensor, node, node.name)
        return Lookup(tensor.name, entry.slots, tensor.values)

    def tensor(self, name: str, at: At | None) -> Tensor:
        """The known tensor of this name."""
        found = self.tensors.get(name) or self.ahead.get(name)
        if found is not None:
            return found
        if name in self.later:
            raise self.source.error(self.too_early(name), at)
        if name in REDUCTIONS:
            raise self.source.error(f"{name}[...] needs its argument in parentheses: {name}[k](...)", at)
        raise self.source.error(f"the tensor {name} is not known{suggestion(name, self.tensors)}", at)

    def too_early(self, name: str) -> str:
        """The mistake of reading what a later line defines, or this one."""
        if name in self.declared:
            return f"{name} is read in its own definition"
        said = f"{name} is read before it is defined{line_of(self.later[name])}"
        if name in self.divided:
            return f"{said}: what reads it at the same step stands below its last line"
        return said

    def general(self, tensor: Tensor, name: str = "") -> str:
        """The general entry of a tensor as an author writes it, or of its gradient under another name."""
        return written(name or tensor.name, (slot.name for slot in tensor.slots), self.layouts.get(tensor.name, ()))

    def entry(self, tensor: Tensor, node: Entry | Gradient, name: str) -> Access:
        """The access with checked slots: their number, their grouping into axes, and the extent of each."""
        general = self.general(tensor, name)
        slots, at = node.slots or (), node.at
        if len(slots) != len(tensor.slots):
            count = f"{len(tensor.slots)} slot{'' if len(tensor.slots) == 1 else 's'}"
            raise self.source.error(f"{general} has {count}, but is written with {len(slots)}", at)
        if node.layout != self.layouts.get(tensor.name, ()):
            raise self.source.error(f"the slots are grouped otherwise: write {general}, with your indices", at)
        held = tuple(self.slot(slot) for slot in slots)
        for slot, index, declared in zip(slots, held, tensor.slots, strict=True):
            if isinstance(index, Index) and index.extent != declared.extent and not is_part(index, declared):
                raise self.source.error(self.clash(index, declared, general), slot.at)
        return Access(tensor.name, held)

    def clash(self, index: Index, declared: Index, general: str) -> str:
        """Both extents and both places."""
        here, there = self.index_line(index), self.index_line(declared)
        return (
            f"the index {index.name} has extent {index.extent}{here}, "
            f"but this slot of {general} has extent {declared.extent}, that of {declared.name}{there}"
        )

    def index_line(self, index: Index) -> str:
        """`` (line 3)``, where the index is declared."""
        return line_of(self.declared.get(f"index {index.name}"))

    def scalar(self, node: Entry) -> Access | sp.Expr:
        """What a bare name stands for: a tensor without slots, a parameter, an extent or a constant.

        Raises:
            SpecError: if it stands for two of these, or for none.
        """
        name = node.name
        meanings: dict[str, Access | sp.Expr] = {}
        if name in self.tensors and not self.tensors[name].slots:
            meanings["a tensor without slots"] = Access(name)
        if name in self.parameters:
            meanings["a parameter"] = self.parameters[name].symbol
        if name in self.extents:
            meanings["an extent"] = self.extents[name]
        if len(meanings) > 1:
            raise self.source.error(f"{name} is both {' and '.join(meanings)}; rename one", node.at)
        if meanings:
            return next(iter(meanings.values()))
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise self.source.error(self.no_scalar(name), node.at)

    def own_symbols(self, value: sp.Expr, at: At | None) -> sp.Expr:
        """A scalar from Python with the symbols of this program, which go by their names.

        Raises:
            SpecError: for a symbol that is neither an extent nor a parameter.
        """
        known = {**self.extents, **{name: parameter.symbol for name, parameter in self.parameters.items()}}
        for symbol in sorted(value.free_symbols, key=str):
            if symbol.name not in known:
                raise self.source.error(f"the scalar {symbol} is neither an extent nor a parameter of this program", at)
        return value.xreplace({symbol: known[symbol.name] for symbol in value.free_symbols})

    def no_scalar(self, name: str) -> str:
        """Why a bare name has no value."""
        if name in self.tensors:
            matrix = f"; {NO_MATRICES}" if len(self.tensors[name].slots) > 1 else ""
            return f"{name} has slots: write {self.general(self.tensors[name])}{matrix}"
        if name in self.later:
            return self.too_early(name)
        if name in FUNCTIONS:
            return f"{name} is a function: write {name}(...)"
        if name in REDUCTIONS:
            return f"{name} needs indices and an argument: write {name}[k](...)"
        if name in self.indices:
            return (
                f"the index {name} has no value of its own; it stands in slots only: "
                f"give the numbers that it stands for as an input, number[{name}]"
            )
        return f"the scalar {name} is not known{suggestion(name, {*self.tensors, *self.parameters, *self.extents})}"

    def gradient(self, node: Gradient) -> Access:
        """The entry of dL/dX that a claim speaks of."""
        if self.gradients is None:
            raise self.source.error("a gradient can stand only in prove, upstream and name", node.at)
        tensor = self.tensors.get(node.of)
        if tensor is None or node.of not in self.gradients:
            hint = suggestion(node.of, self.gradients)
            raise self.source.error(f"the tensor {node.of} is not known{hint}", node.at)
        access = self.entry(tensor, node, f"dL/d{node.of}")
        return Access(self.gradients[node.of], access.slots)


def is_part(index: Index, declared: Index) -> bool:
    """Whether an index runs over a part of a slot, where one extent is such as ``N - 1``; extents of one name clash."""
    compound = is_compound(index.extent) or is_compound(declared.extent)
    return compound and in_range(index, declared.extent)
