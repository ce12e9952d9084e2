"""How large a difference between code and an oracle may be that is rounding alone.

Where numbers cancel, what is left is no more exact than they are. With the inputs moved in their last digits, such a
difference is another one each time, while that of a mistake stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from indexcalc.program import Program
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point

LAST_DIGITS = 2.0**-51
"""The part of itself by which an input is moved, at most."""

TIMES = 4
"""How often all are moved."""

ALLOWED = 100
"""How many times what it moves by a difference may be."""

LARGEST = 1e-8
"""The part of the largest number at a point that no difference may exceed: arrays that nobody filled move as well."""

Differences = Callable[[Point], Sequence[Array]]


def explained(program: Program, point: Point, differences: Differences) -> list[float]:
    """How large an entry of each difference may be that rounding explains.

    Args:
        program: the forward program.
        point: where the differences were found.
        differences: what they are at a point.
    """
    source, here = np.random.default_rng(0), differences(point)
    moves = [0.0] * len(here)
    for _ in range(TIMES):
        for number, (one, other) in enumerate(zip(here, differences(moved(program, point, source)), strict=True)):
            move = float(np.max(np.abs(other - one), initial=0.0))
            moves[number] = max(moves[number], move) if np.isfinite(move) else moves[number]
    most = LARGEST * max([1.0, *(float(np.max(np.abs(array), initial=0.0)) for array in point.values.values())])
    return [min(ALLOWED * move, most) for move in moves]


def moved(program: Program, point: Point, source: np.random.Generator) -> Point:
    """The point with its inputs moved in their last digits."""
    inputs = {tensor.name: point.values[tensor.name] for tensor in program.inputs}
    for name in [tensor.name for tensor in program.inputs if tensor.values is None]:
        inputs[name] = inputs[name] * (1 + LAST_DIGITS * source.uniform(-1, 1, np.shape(inputs[name])))
    with np.errstate(all="ignore"):
        return replace(point, values=run_program(program, inputs, point.sizes, point.parameters))
