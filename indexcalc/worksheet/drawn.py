"""Small numbers for a worksheet to start from, as the TOML text that `values` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Program, Tensor
from indexcalc.proof.constraints import Constraint, Definite, SumConstraint, constraints_of
from indexcalc.proof.evaluate import Numbers, number, numbers_of, run_program
from indexcalc.proof.hostile.trial import mild_point, small_sizes
from indexcalc.proof.numeric import Array
from indexcalc.proof.sampling import weights_for

DECIMALS = (1, 2, 3, 6)
"""The places behind the point that numbers have: as few as keep what is assumed, and leave the program defined."""

TINY = 1e-9
"""How far a sum of rounded numbers may be from what is assumed."""


def drawn_values(problem: Problem, *, seed: int = 0) -> str:
    """Numbers for all inputs and given gradients, and for parameters without a default, at small sizes.

    Args:
        problem: what the numbers are for.
        seed: of the random numbers; for one seed they are always the same.

    Raises:
        UnsupportedError: if no such numbers are found.
        LimitError: if the program is too large even at small sizes.
    """
    rng = np.random.default_rng(seed)
    program = problem.program
    sizes, parameters, point = mild_point(problem, rng, small_sizes(program))
    scalars = {symbol: float(np.round(value, DECIMALS[-1])) for symbol, value in parameters.items()}
    numbers = numbers_of(sizes, scalars)
    constraints = constraints_of(program)
    weights = weights_for(problem, point, rng)
    handed = {up.name: weights[up.of] for up in problem.upstream}
    handed |= {one.name: rng.normal(size=np.shape(point.values[one.of])) for one in problem.directions}
    for decimals in DECIMALS:
        inputs = {}
        for tensor in program.inputs:
            own = [constraint for constraint in constraints if constraint.tensor == tensor.name]
            inputs[tensor.name] = rounded(point.values[tensor.name], decimals, own, numbers)
            if not admits(tensor, inputs[tensor.name], own, numbers):
                break
        else:
            computed = run_program(program, inputs, sizes, scalars)
            if all(np.isfinite(array).all() for array in computed.values()):
                break
    else:
        raise UnsupportedError("no numbers with few digits were found at which the program is defined; give your own")
    shapes = [in_axes(program, name, array) for name, array in inputs.items()]
    upstream = {one.name: in_axes(program, one.of, np.round(handed[one.name], 1)) for one in problem.handed}
    shown = {axis[0].extent for name in inputs for axis in program.axes(name) if len(axis) == 1}
    sections: Mapping[str, Mapping[str, object]] = {
        "inputs": dict(zip(inputs, shapes, strict=True)),
        "parameters": {str(p.symbol): scalars[p.symbol] for p in program.parameters if p.default is None},
        "sizes": {str(symbol): size for symbol, size in sizes.items() if symbol not in shown},
        "upstream": upstream,
    }
    return "\n".join(line for name, table in sections.items() if table for line in written(name, table))


def rounded(array: Array, decimals: int, constraints: list[Constraint], numbers: Numbers) -> Array:
    """The entries with so many places; of those with a given sum, the largest takes what rounding left over."""
    found = np.round(np.asarray(array, dtype=float), decimals)
    for constraint in constraints:
        if isinstance(constraint, SumConstraint):
            front = np.moveaxis(found, constraint.axes, range(len(constraint.axes)))
            flat = front.reshape(-1, *front.shape[len(constraint.axes) :]).copy()
            rest = number(constraint.total, numbers) - flat.sum(axis=0, keepdims=True)
            largest = np.abs(flat).argmax(axis=0)[np.newaxis]
            np.put_along_axis(flat, largest, np.take_along_axis(flat, largest, 0) + rest, 0)
            found = np.moveaxis(flat.reshape(front.shape), range(len(constraint.axes)), constraint.axes)
            found = np.round(found, decimals)
    return np.asarray(found + 0.0)  # no minus zero


def admits(tensor: Tensor, array: Array, constraints: list[Constraint], numbers: Numbers) -> bool:
    """Whether an input may have these entries."""
    for constraint in constraints:
        if isinstance(constraint, SumConstraint):
            total = number(constraint.total, numbers)
            holds = bool(np.all(np.abs(array.sum(axis=constraint.axes) - total) < TINY))
        elif isinstance(constraint, Definite):
            holds = constraint.holds(array)
        else:
            holds = np.array_equal(constraint.imposed(array, numbers), array)
        if not holds:
            return False
    return tensor.domain is None or all(entry in tensor.domain for entry in array.ravel().tolist())


def in_axes(program: Program, name: str, array: Array) -> object:
    """The entries as nested lists, with one axis for slots that are fused."""
    places, shape = iter(array.shape), []
    for axis in program.axes(name):
        shape.append(int(np.prod([next(places) for _ in axis], dtype=int)))
    whole = program.tensors[name].values is not None
    return array.reshape(shape).astype(int if whole else float).tolist()


def written(name: str, table: Mapping[str, object]) -> Iterator[str]:
    """A section of the file."""
    yield f"[{name}]"
    for key, value in table.items():
        yield f"{key} = {json.dumps(value)}"
    yield ""
