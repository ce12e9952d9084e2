"""One use of a spec: its statements under the tensors and indices of the spec that uses it.

Inputs are bound to tensors of the outer program, slot by slot: an index of the used spec becomes the
index, or the several indices, that stand in its place. Everything else gets new names: ``ln_mu``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import sympy as sp

from indexcalc.language.lines import (
    Binding,
    ClaimLine,
    EquationLine,
    IndexLine,
    InputLine,
    ParameterLine,
    SolveLine,
    Statement,
    UseLine,
)
from indexcalc.language.meetings import definitions_of
from indexcalc.language.placing import Bound, Placing, parameters_of
from indexcalc.language.source import Source, suggestion
from indexcalc.language.syntax import (
    At,
    Bracket,
    Call,
    Entry,
    Expression,
    Layout,
    Negate,
    Over,
    Plus,
    Raise,
    Reduce,
    Scalar,
    Slot,
    Times,
    axes_of,
    plain_or_fused,
    slot_of,
    written,
)


@dataclass
class Instance:
    """The statements of a used spec, renamed.

    Attributes:
        line: the ``use`` line; every mistake is told at its place.
        inner: the statements of the used spec.
        outer: the other statements of this program.
        source: the text of this program.
    """

    line: UseLine
    inner: tuple[Statement, ...]
    outer: tuple[Statement, ...]
    source: Source
    tensors: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Bound] = field(default_factory=dict)
    scalars: dict[str, Expression] = field(default_factory=dict)

    def statements(self) -> tuple[Statement, ...]:
        """The statements to stand in place of the ``use`` line.

        Raises:
            SpecError: for a binding that does not fit.
        """
        self.read_bindings()
        self.read_names()
        for bound in self.bound.values():
            self.placing.place(bound)
        self.placing.place_rest()
        body = tuple(chain.from_iterable(self.statement(line) for line in self.inner))
        indices = tuple(
            IndexLine((Slot(name, self.at),), size, at=self.at) for name, size in self.placing.added.items()
        )
        return (*indices, *body)

    @cached_property
    def placing(self) -> Placing:
        """The indices and extents of the used spec in this program."""
        return Placing(self.line, self.inner, self.outer, self.source)

    @cached_property
    def docs(self) -> dict[str, str]:
        """What the ``use`` line says of tensors, by their names in the used spec."""
        return {name.name: name.doc for name in self.line.giving}

    @property
    def at(self) -> At | None:
        """The place of the ``use`` line."""
        return self.line.at

    def read_bindings(self) -> None:
        """What each input, parameter and extent is bound to."""
        inputs = {line.entry.name: line.entry for line in self.inner if isinstance(line, InputLine)}
        parameters = {line.name for line in self.inner if isinstance(line, ParameterLine)}
        for binding in self.line.bindings:
            name = binding.name
            if name in self.bound or name in self.scalars or name in self.placing.sizes:
                raise self.source.error(f"{name} is bound twice", binding.at)
            if name in inputs:
                self.bound[name] = self.read_binding(binding, inputs[name])
            elif name in parameters:
                self.scalars[name] = binding.value
            elif name in self.placing.inner_sizes:
                self.placing.bind_extent(name, binding.value, binding.at)
            else:
                hint = suggestion(name, {*inputs, *parameters})
                raise self.source.error(f"{self.line.spec} has no input {name}{hint}", binding.at)

    def read_binding(self, binding: Binding, inner: Entry) -> Bound:
        """A tensor in the place of an input."""
        value = binding.value
        if not isinstance(value, Entry):
            raise self.source.error("an input is bound to a tensor; name this by an equation first", binding.value.at)
        definition = definitions_of(self.outer).get(value.name)
        if definition is None:
            known = definitions_of(self.outer)
            raise self.source.error(f"the tensor {value.name} is not known{suggestion(value.name, known)}", value.at)
        entry = value
        if value.slots is None:
            slots = tuple(Slot(slot.name, value.at) for slot in definition.entry.slots or ())
            entry = Entry(value.name, slots, value.at, definition.entry.layout)
        names = [slot.name for slot in entry.slots or ()]
        for slot in entry.slots or ():
            if slot.name not in self.placing.extents:
                hint = suggestion(slot.name, self.placing.extents)
                raise self.source.error(f"the index {slot.name} is not declared{hint}", slot.at)
            if names.count(slot.name) > 1:
                raise self.source.error(
                    f"the index {slot.name} stands twice; name the diagonal by an equation", slot.at
                )
        bound = Bound(inner, entry, len(axes_of(entry)) == len(axes_of(definition.entry)))
        if bound.pairs() is None:
            general = written(inner.name, (slot.name for slot in inner.slots or ()), inner.layout)
            raise self.source.error(
                f"the input {general} of {self.line.spec} is bound to {value.name} with {len(axes_of(entry))} axes; "
                "write the indices, and group those that belong to one axis, such as X = H[(b,s),m]",
                value.at or binding.at,
            )
        return bound

    def read_names(self) -> None:
        """The new name of every tensor of the used spec."""
        own = [
            line.entry.name for line in self.inner if isinstance(line, InputLine) and line.entry.name not in self.bound
        ]
        own += [line.left.name for line in self.inner if isinstance(line, EquationLine)]
        own += [part.unknown.name for line in self.inner if isinstance(line, SolveLine) for part in line.parts]
        given = {name.name: name.given for name in self.line.giving}
        for name in self.line.giving:
            if name.name not in own:
                raise self.source.error(
                    f"{self.line.spec} has no tensor {name.name}{suggestion(name.name, own)}", name.at
                )
        self.tensors = {name: bound.outer.name for name, bound in self.bound.items()}
        self.tensors |= {name: given.get(name, f"{self.line.prefix}_{name}") for name in own}

    def statement(self, line: Statement) -> tuple[Statement, ...]:
        """One statement renamed; what asks for gradients or proofs is left out."""
        match line:
            case InputLine(entry=entry) if entry.name not in self.bound:
                doc = self.docs.get(entry.name) or line.doc
                return (replace(line, entry=self.definition(entry), doc=doc, at=self.at),)
            case ParameterLine(name=name) if name not in self.scalars and name not in parameters_of(self.outer):
                return (replace(line, at=self.at),)
            case EquationLine() if line.is_piece:
                raise self.source.error(
                    f"{self.line.spec} defines {line.left.name} by several lines, for some steps each; a program that "
                    "uses it writes these lines itself",
                    self.at,
                )
            case EquationLine(left=left, right=right):
                doc = self.docs.get(left.name) or line.doc
                return (replace(line, left=self.definition(left), right=self.expression(right), doc=doc, at=self.at),)
            case SolveLine():
                return (line.mapped(self.solved),)
            case ClaimLine(left=one, right=other, assumed=True):
                return (replace(line, left=self.expression(one), right=self.expression(other), at=self.at),)
            case _:
                return ()

    def solved(self, line: SolveLine) -> SolveLine:
        """A tensor of a system, and an equation."""
        doc = self.docs.get(line.unknown.name) or line.doc
        sides = (self.expression(line.left), self.expression(line.right))
        return SolveLine(self.definition(line.unknown), *sides, doc, self.at)

    def expression(self, node: Expression) -> Expression:
        """An expression renamed; every place is that of the ``use`` line."""
        match node:
            case Plus(parts=parts):
                return Plus(tuple(map(self.expression, parts)), self.at)
            case Times(factors=factors):
                return Times(tuple(map(self.expression, factors)), self.at)
            case Negate(operand=operand):
                return Negate(self.expression(operand), self.at)
            case Over(operand=operand):
                return Over(self.expression(operand), self.at)
            case Raise(base=base, exponent=exponent):
                return Raise(self.expression(base), self.expression(exponent), self.at)
            case Call(function=function, args=args):
                return Call(function, tuple(map(self.expression, args)), self.at)
            case Reduce(operator=operator, indices=indices, body=body):
                return Reduce(operator, self.slots(indices), self.expression(body), self.at)
            case Bracket(left=left, relation=relation, right=right):
                return self.bracket(left, relation, right)
            case Entry(name="delta", slots=(left, right)) if "delta" not in self.tensors:
                return self.bracket(left, "==", right)
            case Entry():
                return self.entry(node)
            case _:
                return replace(node, at=self.at)

    def entry(self, node: Entry) -> Expression:
        """A tensor's entry, or what a bare name stands for."""
        if node.name in self.tensors:
            renamed = self.definition(node)
            return self.read(node, self.bound[node.name]) if node.name in self.bound else renamed
        if node.name in self.scalars:
            return self.scalars[node.name]
        if node.name in self.placing.sizes and node.name not in parameters_of(self.inner):
            return Scalar(sp.Mul(*self.placing.sizes[node.name]), self.at)
        return Entry(node.name, None, self.at)

    def read(self, node: Entry, bound: Bound) -> Entry:
        """An entry of a bound input, with the axes that the tensor has here."""
        slots = self.slots(node.slots or ())
        layout: Layout = ()
        if bound.whole and node.slots is not None:
            sizes = [len(axis) for axis in axes_of(bound.outer)]
            layout = plain_or_fused(tuple(sizes)) if sum(sizes) == len(slots) else ()
        return Entry(bound.outer.name, slots or None, self.at, layout)

    def definition(self, node: Entry) -> Entry:
        """The entry of a tensor of the used spec: an axis stays one axis only where it does in a bound tensor."""
        if node.slots is None:
            return Entry(self.tensors[node.name], None, self.at)
        sizes: list[int] = []
        for axis in axes_of(node):
            count = len(self.slots(axis))
            together = len(axis) > 1 or axis[0].name in self.placing.fused
            sizes.extend([count] if together else [1] * count)
        return Entry(self.tensors[node.name], self.slots(node.slots), self.at, plain_or_fused(tuple(sizes)))

    def slots(self, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
        """The indices of this program in the place of those of the used spec."""
        found: list[Slot] = []
        for slot in slots:
            if slot.expression is None:
                found += (Slot(name, self.at) for name in self.placing.images[slot.name])
            else:
                found.append(slot_of(self.in_slot(slot.expression)))
        return tuple(found)

    def in_slot(self, node: Expression) -> Expression:
        """The expression of a slot renamed: an index in it stands for one index here."""
        match node:
            case Plus(parts=parts):
                return Plus(tuple(map(self.in_slot, parts)), self.at)
            case Times(factors=factors):
                return Times(tuple(map(self.in_slot, factors)), self.at)
            case Negate(operand=operand):
                return Negate(self.in_slot(operand), self.at)
            case Entry(name=name, slots=None) if name in self.placing.images:
                images = self.placing.images[name]
                if len(images) != 1:
                    raise self.source.error(
                        f"{self.line.spec} has {name} in an expression, but ({','.join(images)}) stands for it here; "
                        "only one index may",
                        self.at,
                    )
                return Entry(images[0], None, self.at)
            case _:
                return self.expression(node)

    def bracket(self, left: Slot, relation: str, right: Slot) -> Expression:
        """A relation of indices; an equality of several is a product."""
        pairs = list(zip(self.slots((left,)), self.slots((right,)), strict=True))
        if len(pairs) > 1 and relation != "==":
            parts = ",".join(one.name for one, _ in pairs)
            raise self.source.error(
                f"{self.line.spec} compares {left.name} {relation} {right.name}, "
                f"but ({parts}) stands for {left.name} here; only one index may",
                self.at,
            )
        brackets = tuple(Bracket(one, relation, other, self.at) for one, other in pairs)
        return brackets[0] if len(brackets) == 1 else Times(brackets, self.at)
