"""The numbers of a worksheet, read from TOML: inputs, parameters, upstream gradients, the update.

[inputs]
X = [[1.0, 0.0], [0.0, 1.0]]
[upstream]
G = [[0.5, -0.5]]
[parameters]
eps = 1e-5
[update]
lr = 0.1
parameters = ["W"]
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from indexcalc.errors import IndexCalcError
from indexcalc.problem import Problem
from indexcalc.proof.numeric import Array
from indexcalc.worksheet.extents import shape_in_slots, solve_sizes

BYTES_LIMIT = 1_000_000
"""The most bytes of a file of values; a sheet for more numbers than that is for nobody."""

SECTIONS = ("inputs", "parameters", "sizes", "upstream", "update")


class ValuesError(IndexCalcError):
    """A mistake in the values of a worksheet: where, what was found, what is expected."""


@dataclass(frozen=True)
class Values:
    """What the tensors of one problem are.

    Attributes:
        inputs: an array for each input, with one axis a slot.
        upstream: an array for each given gradient or direction, with one axis a slot.
        sizes: the value of each extent.
        parameters: the value of each scalar parameter.
        rate: the learning rate; None for no update.
        updated: the inputs that the update changes.
    """

    inputs: Mapping[str, Array]
    upstream: Mapping[str, Array]
    sizes: Mapping[sp.Symbol, int]
    parameters: Mapping[sp.Symbol, float]
    rate: float | None = None
    updated: tuple[str, ...] = ()


def load_values(path: str | Path, problem: Problem) -> Values:
    """The values in a file.

    Raises:
        ValuesError: if the file cannot be read, or does not fit the problem.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ValuesError(f"cannot read the values {path}: {error.strerror or error}") from error
    if len(raw) > BYTES_LIMIT:
        raise ValuesError(f"{path} has {len(raw)} bytes; a file of values has at most {BYTES_LIMIT}")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValuesError(f"{path} is not UTF-8 text: byte {error.start} cannot be read") from error
    return read_values(text, problem, str(path))


def read_values(text: str, problem: Problem, where: str = "values.toml") -> Values:
    """The values in a TOML text.

    Args:
        text: what to read.
        problem: whose inputs, parameters and given gradients it must name, and no others.
        where: how errors call the text.

    Raises:
        ValuesError: if the text is not TOML, or does not fit the problem.
    """
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValuesError(f"{where} is not TOML: {error or 'its lists are nested too deeply'}") from error
    for name, table in tables.items():
        if name not in SECTIONS:
            raise ValuesError(f"{where}: unknown section [{name}]; sections are {names(SECTIONS)}")
        if not isinstance(table, dict):
            raise ValuesError(f"{where}: {name} is not a section; write [{name}] on a line of its own")
    program = problem.program
    given = {one.name: one.of for one in problem.handed}
    wanted = [tensor.name for tensor in program.inputs]
    inputs = arrays_of(tables.get("inputs", {}), wanted, f"{where}: [inputs]")
    upstream = arrays_of(tables.get("upstream", {}), list(given), f"{where}: [upstream]")
    fixed = {
        str(name): whole(value, f"{where}: [sizes] {name}")
        for name, value in known(tables.get("sizes", {}), list(map(str, program.extents)), f"{where}: [sizes]").items()
    }
    shapes = [(f"[inputs] {name}", program.axes(name), array.shape) for name, array in inputs.items()]
    shapes += [(f"[upstream] {name}", program.axes(given[name]), array.shape) for name, array in upstream.items()]
    try:
        sizes = solve_sizes(program.extents, shapes, fixed)
    except IndexCalcError as error:
        raise ValuesError(f"{where}: {error}") from error
    slots = program.tensors
    update = known(tables.get("update", {}), ["lr", "parameters"], f"{where}: [update]")
    return Values(
        {name: array.reshape(shape_in_slots(slots[name].slots, sizes)) for name, array in inputs.items()},
        {name: array.reshape(shape_in_slots(slots[given[name]].slots, sizes)) for name, array in upstream.items()},
        sizes,
        parameters_of(tables.get("parameters", {}), problem, f"{where}: [parameters]"),
        *update_of(update, problem, f"{where}: [update]"),
    )


def names(items: Sequence[str]) -> str:
    """The names in a row."""
    return ", ".join(items) or "none"


def known(table: Mapping[str, Any], allowed: Sequence[str], where: str) -> Mapping[str, Any]:
    """The table, if it has no key but those allowed."""
    for name in table:
        if name not in allowed:
            raise ValuesError(f"{where}: {name} is unknown here; expected {names(allowed)}")
    return table


def arrays_of(table: Mapping[str, Any], wanted: Sequence[str], where: str) -> dict[str, Array]:
    """An array for each name that is wanted."""
    known(table, wanted, where)
    for name in wanted:
        if name not in table:
            raise ValuesError(f"{where}: {name} is missing; give it as a number or as nested lists of numbers")
    return {name: array_of(table[name], f"{where} {name}") for name in wanted}


def array_of(value: object, where: str) -> Array:
    """Nested lists of numbers as an array."""
    check_numbers(value, where)
    try:
        return np.array(value, dtype=float)
    except ValueError as error:
        raise ValuesError(f"{where}: the lists do not have equal lengths; every row needs as many numbers") from error


def check_numbers(value: object, where: str) -> None:
    """Return if the value is a number or lists of finite numbers."""
    if isinstance(value, list):
        if not value:
            raise ValuesError(f"{where}: an empty list; every axis needs at least one number")
        for position, inner in enumerate(value):
            check_numbers(inner, f"{where}[{position}]")
    else:
        number(value, where)


def number(value: object, where: str) -> float:
    """The value as a finite number; minus infinity is allowed, since masks hold it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValuesError(f"{where}: found {value!r}, expected a number")
    try:
        found = float(value)
    except OverflowError as error:
        raise ValuesError(f"{where}: the number is too large") from error
    if math.isnan(found) or found == math.inf:
        raise ValuesError(f"{where}: found {found}, expected a finite number (or -inf in a mask)")
    return found


def whole(value: object, where: str) -> int:
    """The value as a size."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValuesError(f"{where}: found {value!r}, expected a whole number, at least 1")
    return value


def parameters_of(table: Mapping[str, Any], problem: Problem, where: str) -> dict[sp.Symbol, float]:
    """The parameters, the rest at their defaults."""
    parameters = problem.program.parameters
    known(table, [str(parameter.symbol) for parameter in parameters], where)
    found: dict[sp.Symbol, float] = {}
    for parameter in parameters:
        name = str(parameter.symbol)
        if name in table:
            found[parameter.symbol] = number(table[name], f"{where} {name}")
        elif parameter.default is not None:
            found[parameter.symbol] = float(parameter.default)
        else:
            raise ValuesError(f"{where}: {name} is missing, and has no default")
    return found


def update_of(table: Mapping[str, Any], problem: Problem, where: str) -> tuple[float | None, tuple[str, ...]]:
    """The learning rate, and what it updates: inputs whose gradients are derived."""
    if not table:
        return None, ()
    if "lr" not in table:
        raise ValuesError(f"{where}: lr is missing, the learning rate")
    rate = number(table["lr"], f"{where} lr")
    derived = [tensor.name for tensor in problem.program.inputs if tensor.name in problem.targets]
    chosen = table.get("parameters", derived)
    if not isinstance(chosen, list):
        raise ValuesError(f"{where} parameters: found {chosen!r}, expected a list of names")
    for name in chosen:
        if name not in derived:
            raise ValuesError(f"{where} parameters: {name!r} is no input with a gradient; these are {names(derived)}")
    return rate, tuple(chosen)
