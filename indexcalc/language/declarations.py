"""The declaring lines of a spec: indices with their extents, parameters, inputs; each name once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import scalar_value
from indexcalc.algebra.terms import Index
from indexcalc.language.checks import check_expression, check_left_side
from indexcalc.language.domains import interval_of
from indexcalc.language.expressions import Lowering
from indexcalc.language.extents import extent_symbol, extent_value
from indexcalc.language.hoist import SumNames
from indexcalc.language.lines import (
    EquationLine,
    IndexLine,
    InputLine,
    NameLine,
    ParameterLine,
    Statement,
    TitleLine,
    UpstreamLine,
)
from indexcalc.language.scope import Scope
from indexcalc.language.source import Source, line_of, suggestion
from indexcalc.language.syntax import At, Entry, Layout, Slot
from indexcalc.program import Parameter, Tensor


@dataclass
class Declarations:
    """The tables of names, filled line by line; `places` says where each was declared.

    Among the inputs are what systems determine, `solved`.
    """

    source: Source
    title: str | None = None
    indices: dict[str, Index] = field(default_factory=dict)
    index_docs: dict[str, str] = field(default_factory=dict)
    extents: dict[str, sp.Symbol] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    inputs: dict[str, Tensor] = field(default_factory=dict)
    layouts: dict[str, Layout] = field(default_factory=dict)
    places: dict[str, At | None] = field(default_factory=dict)
    solved: set[str] = field(default_factory=set)

    def scope(self) -> Scope:
        """The declared names, for the expressions that may use them."""
        return Scope(
            self.source,
            self.indices,
            self.extents,
            self.parameters,
            self.inputs,
            declared=self.places,
            layouts=self.layouts,
        )

    def add_layout(self, entry: Entry) -> None:
        """Note how a new tensor's slots are grouped."""
        if entry.layout:
            self.layouts[entry.name] = entry.layout

    def once(self, kind: str, name: str, at: At | None) -> None:
        """Note a declaration; `kind` is the name space with a blank, empty for tensors.

        Raises:
            SpecError: if the name is declared already.
        """
        if kind + name in self.places:
            where = line_of(self.places[kind + name])
            raise self.source.error(f"{kind or 'the tensor '}{name} is declared already{where}", at)
        self.places[kind + name] = at


def declare(statements: Iterable[Statement], source: Source) -> Declarations:
    """The declarations among the statements; an index or parameter may be declared after its use."""
    found = Declarations(source)
    lines = tuple(statements)
    for line in lines:
        match line:
            case TitleLine(text=text, at=at):
                if found.title is not None:
                    raise source.error("a spec has one title", at)
                found.title = text
            case IndexLine():
                declare_index(line, found)
    for line in lines:
        if isinstance(line, ParameterLine):
            declare_parameter(line, found)
    for line in lines:
        if isinstance(line, InputLine):
            declare_input(line, found)
    return found


def declare_index(line: IndexLine, found: Declarations) -> None:
    """``index i, j : T``."""
    extent = extent_value(line.extent)
    for factor in line.extent:
        if isinstance(factor, str):
            found.extents[factor] = extent_symbol(factor)
            found.places.setdefault(f"extent {factor}", line.at)
    for slot in line.names:
        found.once("index ", slot.name, slot.at)
        found.indices[slot.name] = Index(slot.name, extent)
        if line.doc:
            found.index_docs[slot.name] = line.doc


def declare_parameter(line: ParameterLine, found: Declarations) -> None:
    """``param eps = 1e-5``: the default is a number."""
    found.once("parameter ", line.name, line.at)
    if line.name in found.extents:
        where = line_of(found.places[f"extent {line.name}"])
        raise found.source.error(f"{line.name} is an extent already{where}; rename the parameter", line.at)
    default = None
    if line.default is not None:
        empty = Scope(found.source, found.indices, {}, {}, {})
        check_expression(line.default, empty)
        default = scalar_value(Lowering(empty, SumNames(set(), frozen=True)).terms(line.default))
        if default is None or not default.is_number:
            raise found.source.error("the default of a parameter is a number", line.default.at)
    symbol = sp.Symbol(line.name, real=True)
    found.parameters[line.name] = Parameter(symbol, line.doc, default)


def declare_input(line: InputLine, found: Declarations) -> None:
    """``input Q[i,k] in (-1,1)``."""
    name = line.entry.name
    found.once("", name, line.at)
    check_new_tensor(name, line.at, found)
    check_left_side(line.entry, found.scope())
    slots = tuple(found.scope().index(slot) for slot in line.entry.slots or ())
    numbers = Scope(found.source, found.indices, {}, {}, {})
    domain = interval_of(line.domain, numbers) if line.domain is not None else None
    values = None if line.values is None else values_of(line.values, found)
    found.inputs[name] = Tensor(name, slots, line.doc, domain, values)
    found.add_layout(line.entry)
    if line.residual:
        found.solved.add(name)


def values_of(slot: Slot, found: Declarations) -> sp.Expr:
    """The extent below which the entries of an input of whole numbers lie."""
    if slot.name.isdecimal():
        return sp.Integer(int(slot.name))
    if slot.name in found.extents:
        return found.extents[slot.name]
    if slot.name in found.indices:
        return found.indices[slot.name].extent
    hint = suggestion(slot.name, found.extents)
    raise found.source.error(f"{slot.name} is no extent{hint}; write in [0, 1] for an interval", slot.at)


def check_new_tensor(name: str, at: At | None, found: Declarations) -> None:
    """A tensor may share its name with an extent or an index, but not with a parameter."""
    if name in found.parameters:
        where = line_of(found.places[f"parameter {name}"])
        raise found.source.error(f"{name} is a parameter already{where}; rename the tensor", at)


def every_name(statements: Iterable[Statement], found: Declarations) -> set[str]:
    """All names that the spec gives to anything; names that are made up avoid them."""
    names = {*found.indices, *found.extents, *found.parameters, *found.inputs}
    for line in statements:
        match line:
            case EquationLine(left=entry) | UpstreamLine(given=entry):
                names.add(entry.name)
            case NameLine(name=name):
                names.add(name)
    return names
