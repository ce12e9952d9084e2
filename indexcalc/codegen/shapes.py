"""The shapes of given arrays: a table of axes in every module, and the calls that check arrays against it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from indexcalc.algebra.ranges import is_compound
from indexcalc.algebra.terms import scalars_of
from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap, fits, head
from indexcalc.codegen.names import python_name
from indexcalc.codegen.outline import Plan
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Kind
from indexcalc.codegen.storage import axis_sizes
from indexcalc.program import Program, Tensor

CHECK = "_checked"
"""The private function of a module that checks arrays."""


def input_check(plan: Plan, given: Collection[sp.Symbol], upstream: Sequence[str] = ()) -> list[str]:
    """``X, g = _checked(X=X, g=g)``: the inputs, and perhaps upstream gradients beside them.

    Args:
        plan: names and shapes.
        given: the scalars that the function takes, extents among them.
        upstream: the upstream gradients that the function takes.
    """
    names = [plan.stored[name] for name in (*(tensor.name for tensor in plan.program.inputs), *upstream)]
    known = [f'"{plan.scalars[extent]}": {plan.scalars[extent]}' for extent in plan.unread if extent in given]
    first = [f"{{{', '.join(known)}}}"] if plan.unread else []
    return taken_apart(plan, names, [*first, *(f"{name}={name}" for name in names)])


def upstream_check(plan: Plan, kept: Collection[str]) -> list[str]:
    """``_, G = _checked(Y=values.Y, G=G)``: upstream gradients beside the tensors that they are of.

    Args:
        plan: names and shapes.
        kept: the tensors in `values`; with others nothing is compared.
    """
    given = plan.derivation.problem.handed
    names = [plan.stored[up.name] for up in given]
    first = ["{}"] if plan.unread else []
    beside = dict.fromkeys(plan.stored[up.of] for up in given if up.of in kept)
    tensors = [f"{name}=values.{name}" for name in beside]
    before = "*_, " if tensors else ""
    return taken_apart(plan, names, [*first, *tensors, *(f"{name}={name}" for name in names)], before)


def taken_apart(plan: Plan, names: Sequence[str], arguments: Sequence[str], before: str = "") -> list[str]:
    """The checked arrays under their names; one a line where a list of them is too long."""
    if not names:
        return []
    target = f"({names[0]},)" if len(names) == 1 and not before else before + ", ".join(names)
    if fits(f"{target} = {CHECK}(", 1):
        return call_or_wrap(f"{target} = {CHECK}", arguments)
    arrays = python_name("arrays", {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values()})
    lines = call_or_wrap(f"{arrays} = {CHECK}", arguments)
    return [*lines, *(f"{name} = {arrays}[{place - len(names)}]" for place, name in enumerate(names))]


@dataclass(frozen=True, slots=True)
class Shapes:
    """What a module says of the shapes of given arrays.

    Attributes:
        table: the lines of the table of axes.
        never_empty: the extents that can't be 0, as the entries of a Python tuple.
        known: whether extents are given as arguments.
        products: whether an axis is as long as a product, or a number.
        optional: whether an array may be missing, since automatic differentiation keeps only what is read.
        array: the type of an array.
        sums: the lines of a table of the lengths of axes that are no products.
        whole: the arrays of whole numbers, each with the extent below which they lie.
        unbounded: whether some of them lie below an extent that no array has.
        traced: whether arrays may have no values yet.
        bounded: whether arrays are taken as they lie, for a copy of one may be too large.
    """

    table: tuple[str, ...]
    never_empty: str
    known: bool
    products: bool
    optional: bool
    array: str
    whole: Mapping[str, str]
    sums: tuple[str, ...]
    unbounded: bool
    traced: bool
    bounded: bool = False

    @property
    def head(self) -> str:
        """The first line of the check, over three lines if need be."""
        arguments = [*(["known: dict[str, int]", "/"] if self.known else []), f"**given: {self.array}"]
        return head(CHECK, arguments, f"tuple[{self.array}, ...]")


def shapes_of(plan: Plan) -> Shapes | None:
    """What the module says of shapes; nothing if it is given no arrays."""
    table = axes_table(plan)
    if not table:
        return None
    names = [f'"{name}"' for name in never_empty(plan)]
    whole = {plan.stored[t.name]: flat(scalar_node(t.values, plan.scalars)) for t in whole_inputs(plan.program)}
    known = {axis for axes in table.values() for axis in axes}
    return Shapes(
        tuple(table_lines(table)),
        f"{names[0]}," if len(names) == 1 else ", ".join(names),
        bool(plan.unread),
        any(is_product(axis) for axes in table.values() for axis in axes),
        bool(plan.dialect.prefix),
        plan.dialect.array,
        whole,
        tuple(sum_lines(plan)),
        any(extent not in known and not extent.isdecimal() for extent in whole.values()),
        plan.dialect.name == "jax",
    )


def whole_inputs(program: Program) -> list[Tensor]:
    """The inputs of whole numbers."""
    return [tensor for tensor in program.inputs if tensor.values is not None]


@cache
def template() -> Template:
    """The template of the table and the check."""
    loader = PackageLoader("indexcalc.codegen", "templates")
    environment = Environment(loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    return environment.get_template("shapes.py.jinja2")


def check_function(shapes: Shapes) -> str:
    """The private function that checks arrays, with what only it calls."""
    return str(template().make_module().check(shapes)).rstrip()  # type: ignore[attr-defined]


def sum_lines(plan: Plan) -> Iterator[str]:
    """``"N - K + 1": (("K", "N"), lambda K, N: N - K + 1),`` for each length that is no product."""
    given = plan.derivation.problem.upstream
    tensors = [tensor.name for tensor in plan.program.inputs]
    tensors += [name for up in given for name in (up.of, up.name)]
    lengths: dict[str, sp.Expr] = {}
    for name in tensors:
        axes = plan.axes(name)
        for axis, text in zip(axes, axis_sizes(axes, plan.scalars), strict=True):
            length = sp.Mul(*(slot.extent for slot in axis))
            if is_compound(length):
                lengths[text] = length
    for text, length in lengths.items():
        parts = sorted((plan.scalars[symbol] for symbol in length.free_symbols), key=str)
        names = ", ".join(f'"{part}"' for part in parts) + ("," if len(parts) == 1 else "")
        yield f'"{text}": (({names}), lambda {", ".join(parts)}: {text}),'


def is_product(axis: str) -> bool:
    """Whether an axis is as long as a product, or a number."""
    return not axis.isidentifier()


def axes_table(plan: Plan) -> Mapping[str, Sequence[str]]:
    """The extents of the axes of every array that a function is given, and of those that these are compared with."""
    given = plan.derivation.problem.handed
    tensors = [tensor.name for tensor in plan.program.inputs]
    tensors += [name for up in given for name in (up.of, up.name)]
    return {plan.stored[name]: axis_sizes(plan.axes(name), plan.scalars) for name in tensors}


def table_lines(table: Mapping[str, Sequence[str]]) -> list[str]:
    """The entries of the table, as ruff and Black lay them out."""
    lines: list[str] = []
    for name, axes in table.items():
        texts = [f'"{axis}"' for axis in axes]
        line = f'"{name}": ({texts[0]},),' if len(texts) == 1 else f'"{name}": ({", ".join(texts)}),'
        wraps = len(line) + INDENT > WIDTH
        lines += [f'"{name}": (', *(f"    {text}," for text in texts), "),"] if wraps else [line]
    return lines


def never_empty(plan: Plan) -> tuple[str, ...]:
    """The extents that can't be 0: something divides by them, or the largest of their entries is taken.

    So are numbers of steps where arrays are made of lists, for of none there is no shape.
    """
    statements = (*plan.forward, *plan.backward)
    compared = {index.extent for s in statements if s.kind in (Kind.MAXIMUM, Kind.MINIMUM) for index in s.over}
    if plan.dialect.stack:
        compared |= {statement.loop.extent for statement in statements if statement.loop is not None}
    scalars = dict.fromkeys(scalar for s in statements for scalar in scalars_of(s.terms))
    return tuple(
        plan.scalars[extent]
        for extent in plan.extents
        if extent in compared or any(not is_finite(scalar.subs(extent, 0)) for scalar in scalars if scalar.has(extent))
    )


def is_finite(scalar: sp.Expr) -> bool:
    """Whether no part of a scalar is infinite or undefined."""
    return not scalar.has(sp.zoo, sp.nan, sp.oo, -sp.oo)
