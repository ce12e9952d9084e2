"""The hand-calculation sheet of a derivation: every equation of both passes with real numbers, then the update."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import numpy as np
import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined

from indexcalc.calculus.steps import Derivation
from indexcalc.notes.text import formula_text, slots_text, spelling_of
from indexcalc.program import Equation
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.numeric import Array
from indexcalc.worksheet.expansion import Writer, expanded
from indexcalc.worksheet.values import Values

ENTRY_LIMIT = 8
"""The most entries of a tensor that are worked out; the rest stand in its value only."""

ROW_LIMIT = 8
"""The longest axis that is shown in full."""

WIDTH_LIMIT = 110
"""The widest line before an equals sign starts a new one, in characters."""


@dataclass(frozen=True, slots=True)
class SheetStep:
    """One equation, worked out: its formula, its entries, its value."""

    title: str
    formula: str
    entries: tuple[str, ...]
    value: str


@cache
def environment() -> Environment:
    """The loader of the sheet's template."""
    return Environment(
        loader=PackageLoader("indexcalc.worksheet"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def worksheet(derivation: Derivation, values: Values, *, digits: int = 4) -> str:
    """The sheet, as Markdown.

    Args:
        derivation: whose equations are worked out.
        values: the inputs, parameters and given gradients.
        digits: significant digits of every number.

    Raises:
        LimitError: if a term is too large for the evaluator.
    """
    program, arrays = derivation.problem.program, worked(derivation, values)
    scalars: dict[sp.Symbol, float] = {**dict(values.sizes), **dict(values.parameters)}
    writer = Writer(arrays, scalars, spelling_of(derivation), digits)
    return (
        environment()
        .get_template("worksheet.md.jinja2")
        .render(
            title=program.title,
            given=[given_text(name, writer) for name in (*values.inputs, *values.upstream)],
            scalars=[f"{symbol} = {writer.number(value)}" for symbol, value in scalars.items()],
            forward=[step_of(equation, writer, values, derivation) for equation in program.equations],
            backward=[step_of(equation, writer, values, derivation) for equation in derivation.derived],
            update=update_step(derivation, values, writer),
            digits=digits,
        )
    )


def worked(derivation: Derivation, values: Values) -> Mapping[str, Array]:
    """The value of every tensor of both passes, inputs and given gradients among them, with one axis a slot.

    Raises:
        LimitError: if a term is too large for the evaluator.
    """
    forward = run_program(derivation.problem.program, values.inputs, values.sizes, values.parameters)
    known = {**forward, **values.upstream}
    backward = derivation.backward
    needed = {tensor.name: known[tensor.name] for tensor in backward.inputs}
    return {**known, **run_program(backward, needed, values.sizes, values.parameters)}


def named(name: str, writer: Writer) -> str:
    """How a tensor is called."""
    return writer.spelling.names.get(name, name)


def given_text(name: str, writer: Writer) -> str:
    """A tensor with its value."""
    return array_text(f"{name} = ", writer.values[name], writer)


def array_text(left: str, array: Array, writer: Writer) -> str:
    """An array as nested brackets, rows below each other."""
    text = nested(np.asarray(array, dtype=float).tolist(), " " * len(left), writer)
    return left + text


def nested(values: object, indent: str, writer: Writer) -> str:
    """Numbers in brackets; the rows of a matrix, and the matrices of a stack, below each other."""
    if not isinstance(values, list):
        return writer.number(float(values))  # type: ignore[arg-type]
    shown = values if len(values) <= ROW_LIMIT else [*values[: ROW_LIMIT - 1], values[-1]]
    parts = [nested(inner, indent + " ", writer) for inner in shown]
    if len(shown) < len(values):
        parts.insert(-1, "...")
    deep = bool(values) and isinstance(values[0], list)
    return f"[{(f',{chr(10)}{indent} ' if deep else ', ').join(parts)}]"


def step_of(equation: Equation, writer: Writer, values: Values, derivation: Derivation) -> SheetStep:
    """One equation with its entries worked out."""
    name = named(equation.name, writer)
    about = f": {equation.doc}" if equation.doc else ""
    total = int(np.size(writer.values[equation.name]))
    shown = tuple(islice(entry_lines(equation, writer, values), ENTRY_LIMIT))
    rest = (f"and {total - len(shown)} more entries in the same way",) if total > len(shown) else ()
    formula = formula_text(equation, derivation)
    return SheetStep(
        name + about, formula, (*shown, *rest), array_text(f"{name} = ", writer.values[equation.name], writer)
    )


def entry_lines(equation: Equation, writer: Writer, values: Values) -> Iterator[str]:
    """For every entry: the sums written out with names, with numbers, and the result."""
    array = writer.values[equation.name]
    numeric = replace(writer, numeric=True)
    for place in np.ndindex(array.shape):
        at = dict(zip(equation.slots, map(int, place), strict=True))
        left = writer.entry(equation.lhs, at)
        names = expanded(equation.terms, at, values.sizes, writer)
        numbers = expanded(equation.terms, at, values.sizes, numeric)
        yield chained(left, (names, numbers, writer.number(float(array[place]))))


def chained(left: str, parts: Sequence[str]) -> str:
    """``left = part = part``, on one line if it fits, else the equals signs below each other."""
    distinct = [part for number, part in enumerate(parts) if not number or part != parts[number - 1]]
    line = " = ".join([left, *distinct])
    if len(line) <= WIDTH_LIMIT:
        return line
    return f"\n{' ' * len(left)} = ".join([f"{left} = {distinct[0]}", *distinct[1:]])


def update_step(derivation: Derivation, values: Values, writer: Writer) -> Mapping[str, object] | None:
    """The parameters after one step against the gradient, and the loss before and after it."""
    if values.rate is None:
        return None
    problem = derivation.problem
    updated: dict[str, Array] = {}
    steps = []
    for name in values.updated:
        gradient = problem.gradient_names[name]
        new = np.asarray(writer.values[name] - values.rate * writer.values[gradient])
        updated[name] = new
        lines = tuple(islice(update_lines(name, gradient, new, values.rate, writer), ENTRY_LIMIT))
        rest = (f"and {new.size - len(lines)} more entries in the same way",) if new.size > len(lines) else ()
        formula = f"{name}_new = {name} - {writer.number(values.rate)} × {named(gradient, writer)}"
        steps.append(SheetStep(name, formula, (*lines, *rest), array_text(f"{name}_new = ", new, writer)))
    return {"rate": writer.number(values.rate), "steps": steps, "loss": loss_line(derivation, values, updated, writer)}


def update_lines(name: str, gradient: str, new: Array, rate: float, writer: Writer) -> Iterator[str]:
    """The update of every entry with numbers."""
    numeric = replace(writer, numeric=True)
    layout = writer.spelling.layouts.get(name)
    for place in np.ndindex(new.shape):
        slots = slots_text([str(number) for number in place], layout)
        old, slope = float(writer.values[name][place]), float(writer.values[gradient][place])
        step = writer.number(slope)
        shown = f"({step})" if step.startswith("-") else step
        text = f"{numeric.number(old)} - {writer.number(rate)} × {shown}"
        yield f"{name}_new{slots} = {text} = {precise(float(new[place]), rate * slope, writer)}"


def precise(value: float, change: float, writer: Writer) -> str:
    """A number with as many digits as its change has, so that a small update shows."""
    if value == 0 or change == 0:
        return writer.number(value)
    extra = max(0, int(np.floor(np.log10(abs(value)))) - int(np.floor(np.log10(abs(change)))))
    return replace(writer, digits=min(writer.digits + extra, 15)).number(value)


def loss_line(derivation: Derivation, values: Values, updated: Mapping[str, Array], writer: Writer) -> str:
    """The loss before and after the update, if the program computes it."""
    loss = derivation.problem.loss
    if loss is None:
        return ""
    again = run_program(derivation.problem.program, {**values.inputs, **updated}, values.sizes, values.parameters)
    before, after = float(writer.values[loss]), float(again[loss])
    return f"{loss} = {precise(before, after - before, writer)} becomes {precise(after, after - before, writer)}"
