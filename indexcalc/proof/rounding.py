"""How large a difference between code and an oracle may be that is rounding alone.

Where numbers cancel, what is left is no more exact than they are. With the inputs moved in their last digits, such a
difference is another one each time, while that of a mistake stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from indexcalc.program import Program
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.report import Comparison

LAST_DIGITS = 2.0**-51
"""The part of itself by which an input is moved, at most."""

TIMES = 4
"""How often all are moved."""

ALLOWED = 100
"""How many times what it moves by a difference may be."""

LARGEST = 1e-6
"""The part of what it is compared with that no difference may exceed: arrays that nobody filled move as well."""

EXACT = 2.0**10
"""What is a whole number of such parts of one is held without rounding, and not moved: the entries of a mask, say."""

EXPLAINED = "what is left of larger numbers, whose rounding explains the difference"
"""The note of a comparison that holds for that."""

Differences = Callable[[Point], Sequence[Array]]


def judged_again(
    compared: Sequence[Comparison],
    here: Sequence[Array],
    right: Sequence[Array],
    differences: Differences,
    at: tuple[Program, Point],
) -> list[Comparison]:
    """The comparisons, of which those that rounding explains are within their bounds, and say so.

    Args:
        compared: what was found.
        here: the difference of each.
        right: what each is compared with.
        differences: what the differences are at a point nearby; NaN where there is none.
        at: the forward program, and where the differences were found.
    """
    sizes = [float(np.max(np.abs(array), initial=0.0)) for array in right]
    found = []
    for one, gap, most in zip(compared, here, explained(*at, here, differences, sizes), strict=True):
        share = float(np.max(np.abs(gap), initial=0.0)) / most if most else math.inf
        holds = not one.ok and share <= 1
        found.append(replace(one, error=one.bound * share, note=EXPLAINED) if holds else one)
    return found


def explained(
    program: Program, point: Point, here: Sequence[Array], differences: Differences, sizes: Sequence[float]
) -> list[float]:
    """How large an entry of each difference may be that rounding explains.

    Args:
        program: the forward program.
        point: where the differences were found.
        here: what they are there.
        differences: what they are at a point nearby.
        sizes: the largest entry of what each is compared with.
    """
    source, moves = np.random.default_rng(0), [0.0] * len(here)
    with np.errstate(all="ignore"):
        for _ in range(TIMES):
            for number, (one, other) in enumerate(zip(here, differences(moved(program, point, source)), strict=True)):
                move = float(np.max(np.abs(other - one), initial=0.0))
                moves[number] = max(moves[number], move) if np.isfinite(move) else moves[number]
    return [min(ALLOWED * move, LARGEST * max(1.0, size)) for move, size in zip(moves, sizes, strict=True)]


def moved(program: Program, point: Point, source: np.random.Generator) -> Point:
    """The point with its inputs moved in their last digits."""
    inputs = {tensor.name: point.values[tensor.name] for tensor in program.inputs}
    for name in [tensor.name for tensor in program.inputs if tensor.values is None]:
        array = inputs[name]
        parts = 1 + LAST_DIGITS * source.uniform(-1, 1, np.shape(array))
        inputs[name] = np.where(array * EXACT == np.round(array * EXACT), array, array * parts)
    return replace(point, values=run_program(program, inputs, point.sizes, point.parameters))
