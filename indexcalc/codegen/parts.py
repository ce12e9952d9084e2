"""A derivative in parts as a named tuple: its arrays, `dense()` for small sizes, and `@` for products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Index, Terms, walk
from indexcalc.calculus.contract import contract
from indexcalc.calculus.steps import Order
from indexcalc.codegen.formula import equation_text
from indexcalc.codegen.functions import pass_lines
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap, head
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.outline import Plan, result_fields
from indexcalc.codegen.prose import field, paragraph, shape_text
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.statements import Statement
from indexcalc.codegen.storage import (
    Array,
    Layout,
    extent_lines,
    is_fused,
    merge_line,
    split_line,
    unshown,
    with_divisors,
)
from indexcalc.codegen.views import with_views
from indexcalc.problem import Kind
from indexcalc.program import Tensor

WORDS = {Kind.JACOBIAN: "Jacobian", Kind.HESSIAN: "Hessian", Kind.GAUSS_NEWTON: "GaussNewton"}
"""How the named tuple of a derivative is called."""


@dataclass(frozen=True, slots=True)
class Record:
    """The named tuple of one derivative, as text."""

    name: str
    summary: str
    notes: tuple[str, ...]
    fields: tuple[str, ...]
    functions: tuple[Function, ...]

    @property
    def code(self) -> tuple[str, ...]:
        """The lines that run."""
        return tuple(line for function in self.functions for line in function.body)


def class_name(plan: Plan, order: Order) -> str:
    """``Hessian``, with the rest of the name of the result; no two derivatives have one."""
    taken = {*plan.stored.values(), *plan.scalars.values()}
    for one in plan.derivation.orders:
        rest = one.result.name.removeprefix(one.result.kind.value).replace("_", "")
        name = python_name(f"{WORDS[one.result.kind]}{rest}", taken)
        taken.add(name)
        if one is order:
            break
    return name


def sides_of(plan: Plan, order: Order) -> tuple[Layout, Layout]:
    """The axes of the rows and those of the columns of a derivative."""
    rows = order.program.axes(order.result.of)
    if order.result.along:
        return rows, ()
    slots = iter(order.equation.slots[sum(map(len, rows)) :])
    return rows, tuple(tuple(next(slots) for _ in axis) for axis in order.program.axes(order.result.by[0]))


def axes_of(plan: Plan, order: Order) -> Layout:
    """The axes of a derivative, those of what is differentiated first."""
    rows, columns = sides_of(plan, order)
    return (*rows, *columns)


def given_extents(plan: Plan, order: Order) -> tuple[sp.Symbol, ...]:
    """The extents of a derivative that no array of it shows."""
    slots = (slot for axis in axes_of(plan, order) for slot in axis)
    symbols = dict.fromkeys(s for slot in slots for s in sorted(slot.extent.free_symbols, key=str))
    return unshown([s for s in plan.extents if s in symbols], [plan.array(name) for name in order.arrays])


def result_values(plan: Plan) -> dict[str, str]:
    """For every field of `Gradients` that holds a derivative of another kind, its value."""
    found = {}
    for name, order in result_fields(plan.derivation).items():
        parts = [plan.stored[array] for array in order.arrays]
        parts += [plan.scalars[extent] for extent in given_extents(plan, order)]
        found[name] = parts[0] if order.whole else f"{class_name(plan, order)}({', '.join(parts)})"
    return found


def returned(results: Mapping[str, str], start: str = "return ") -> list[str]:
    """``return Gradients(...)``, after a record that is too long for a line of its own there.

    Args:
        results: the value of each field.
        start: what stands before the call.
    """
    lines: list[str] = []
    values: dict[str, str] = {}
    for name, value in results.items():
        function, _, arguments = value.partition("(")
        is_long = len(f"{name}={value},") + 2 * INDENT > WIDTH
        lines += call_or_wrap(f"{name} = {function}", arguments[:-1].split(", ")) if is_long else []
        values[name] = name if is_long else value
    same = all(name == value for name, value in values.items())
    listed = list(values) if same else [f"{name}={value}" for name, value in values.items()]
    return [*lines, *call_or_wrap(f"{start}Gradients", listed)]


def field_names(plan: Plan, order: Order) -> dict[str, str]:
    """The field of each array; no field is called as a method."""
    return {name: python_name(plan.stored[name], ("dense",)) for name in order.arrays}


def record_of(plan: Plan, order: Order) -> Record:
    """The named tuple of a derivative that is kept in parts."""
    equation, scalars = order.equation, plan.scalars
    names, given = field_names(plan, order), given_extents(plan, order)
    fields = []
    for name in order.arrays:
        said = f"{shape_text(plan.axes(name), scalars)} {said_of(plan, name)}".rstrip()
        fields += field(names[name], plan.dialect.array, said)
    for extent in given:
        fields += field(scalars[extent], "int", "extent")
    notes = paragraph(equation_text(equation.lhs, equation.terms, plan.layouts), 1)
    rows, columns = sides_of(plan, order)
    spelled = Spelling(plan, order)
    shape = shape_text((*rows, *columns), scalars)
    dense = spelled.function("dense", equation.slots, equation.terms, (*rows, *columns), None)
    times = spelled.function(
        "__matmul__", slots_in(rows), applied(equation.terms, spelled.vector, columns), rows, columns
    )
    return Record(
        class_name(plan, order),
        "\n".join(paragraph(f"{sentence_case(order.sections[-1].equation.doc)}, in its parts.", 1, "", opening='"""')),
        tuple(notes),
        tuple(fields),
        (
            replace(dense, summary=f"All entries, zeros included: {shape}."),
            replace(times, summary=f"The product with an array of shape {shape_text(columns, scalars)}."),
        ),
    )


def sentence_case(text: str) -> str:
    """The text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def said_of(plan: Plan, name: str) -> str:
    """What an array means."""
    for program in (plan.program, plan.derivation.backward):
        if name in program.tensors:
            return program.tensors[name].doc
    return ""


def slots_in(axes: Layout) -> tuple[Index, ...]:
    """The slots of all axes."""
    return tuple(slot for axis in axes for slot in axis)


def applied(terms: Terms, vector: str, columns: Layout) -> Terms:
    """The product with a vector: summed over the columns, without the sums that deltas do."""
    entry = Access(vector, slots_in(columns))
    summed = tuple(
        product(term.coeff, (*term.powers, (entry, sp.S.One)), (*term.summed, *entry.indices)) for term in terms
    )
    steps = contract(entry, summed)
    return steps[-1].after if steps else summed


class Spelling:
    """How the methods of one named tuple are written."""

    def __init__(self, plan: Plan, order: Order) -> None:
        self.plan, self.order = plan, order
        self.names = field_names(plan, order)
        self.given = given_extents(plan, order)
        taken = {*self.names.values(), *plan.scalars.values(), *plan.stored.values(), *plan.tensors.values()}
        self.vector = python_name("vector", taken)
        # As long as the word that will stand in the place of ``full =``, so that lines break where they would.
        self.value = python_name("full", {*taken, self.vector})

    def function(
        self, name: str, slots: tuple[Index, ...], terms: Terms, axes: Layout, columns: Layout | None
    ) -> Function:
        """One method: what is read of the tuple, and the value of `terms`, in the shape of `axes`."""
        plan = self.plan
        layouts = {**plan.layouts, self.value: tuple(map(len, axes)), self.vector: tuple(map(len, columns or ()))}
        split = {array: plan.tensors[array] for array in self.order.arrays if plan.is_fused(array)}
        own = {self.value: self.value, self.vector: self.vector}
        if columns is not None and is_fused(columns):
            own[self.vector] = split[self.vector] = f"{self.vector}_split"
        tensors = {**plan.tensors, **{array: plan.stored[array] for array in self.order.arrays}, **split, **own}
        scope = Scope(tensors, plan.scalars, self.dtype(columns), layouts, dialect=plan.dialect)
        taken = {*tensors.values(), *plan.scalars.values()}
        statements = self.with_plain_entries(Statement(self.value, slots, terms), columns)
        tensors |= python_names([one.name for one in statements if one.name not in tensors], taken)
        lines = pass_lines(statements, scope, taken, 2)
        body = [line for code in lines for line in code if not line.startswith("#")]
        if is_fused(axes):
            body.append(merge_line(self.value, Array(self.value, axes), scope))
        place = max(n for n, line in enumerate(body) if line.startswith(f"{self.value} = "))
        body[place] = "return " + body[place].removeprefix(f"{self.value} = ")
        arrays = [Array(plan.stored[array], plan.axes(array)) for array in self.order.arrays]
        given = [Array(self.vector, columns)] if columns is not None else []
        used = identifiers(body)
        opening = [split_line(split[a.variable], a, scope) for a in given if a.variable in split]
        opening += [split_line(split[n], plan.array(n), scope) for n in self.order.arrays if n in split]
        opening = [line for line in opening if line.split(" = ")[0] in used]
        used = identifiers([*opening, *body])
        wanted = with_divisors([e for e in plan.extents if plan.scalars[e] in used], {})
        read = [n for n in self.order.arrays if plan.stored[n] in used or wanted]
        unpacked = [f"{plan.stored[n]} = self.{self.names[n]}" for n in read if plan.stored[n] in used or wanted]
        unpacked += [f"{plan.scalars[e]} = self.{plan.scalars[e]}" for e in self.given if e in wanted]
        sizes = extent_lines(wanted, [*arrays, *given], self.given, scope)
        kept = identifiers([*sizes, *opening, *body])
        unpacked = [line for line in unpacked if line.split(" = ")[0] in kept]
        arguments = ["self"] if columns is None else ["self", f"{self.vector}: {plan.dialect.array}"]
        first = head(name, arguments, plan.dialect.array, depth=1)
        return Function(first, "", (), (*unpacked, *sizes, *opening, *body))

    def with_plain_entries(self, statement: Statement, columns: Layout | None) -> tuple[Statement, ...]:
        """The statement, after arrays of the entries that it reads under expressions."""
        read = (base for base in walk(statement.terms) if isinstance(base, Access))
        if all(base.is_plain for base in read):
            return (statement,)
        known = {name: Tensor(name, slots_in(self.plan.axes(name))) for name in self.order.arrays}
        known[self.vector] = Tensor(self.vector, slots_in(columns or ()))
        (found,) = with_views([[statement]], known, {*known, statement.name})
        return found

    def dtype(self, columns: Layout | None) -> str:
        """The dtype of arrays made from nothing."""
        if columns is not None:
            return f"{self.vector}.dtype"
        # A scalar may be a number of Python, which has no dtype.
        arrays = [name for name in self.order.arrays if self.plan.axes(name) or self.plan.dialect.prefix]
        return f"self.{self.names[arrays[0]]}.dtype" if arrays else "float"
