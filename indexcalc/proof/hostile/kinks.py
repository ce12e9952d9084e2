"""Inputs at which a function with a kink is exactly there, or as near as float32 comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, localcontext

import numpy as np

from indexcalc.proof.hostile.adjoints import backward
from indexcalc.proof.hostile.nodes import Call, Leaf
from indexcalc.proof.hostile.points import Hostile
from indexcalc.proof.hostile.runs import Forward
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.unrolled import Unrolled
from indexcalc.proof.hostile.wide import ONE, wide, wide_of
from indexcalc.proof.numeric import Array

DIGITS = 32
"""The precision of the solution, in decimal digits."""

MOST = 6
"""The most points for the kinks of one program."""


def kink_points(graph: Unrolled, mild: Mapping[str, Array]) -> list[Hostile]:
    """Points that differ from mild inputs in one entry, which takes one argument to its kink.

    The entry is moved by one step of Newton's method; it hits where the argument is affine in it.

    Args:
        graph: the program.
        mild: its inputs.
    """
    found: dict[tuple[str, str], Hostile] = {}
    seen: set[int] = set()
    inputs = {name: [Decimal(float(value)) for value in array.ravel()] for name, array in mild.items()}
    with localcontext(wide(DIGITS)):
        run = forward(graph, inputs)
        for node in graph.nodes:
            if len(found) == MOST:
                break
            if isinstance(node, Call) and wide_of(node.name).kink and node.part not in seen:
                seen.add(node.part)
                for leaf, value in solutions(graph, run, node):
                    found.setdefault((node.name, leaf.tensor), at_kink(node.name, leaf, value))
    return list(found.values())[:MOST]


def solutions(graph: Unrolled, run: Forward, node: Call) -> Iterator[tuple[Leaf, float]]:
    """For each input, the first entry that the argument depends on, and its value at the kink."""
    slopes = backward(graph, run, {node.part: ONE}).values
    seen: set[str] = set()
    for number, leaf in enumerate(graph.nodes):
        if isinstance(leaf, Leaf) and leaf.tensor not in seen and slopes[number].is_normal():
            seen.add(leaf.tensor)
            yield leaf, float(run.values[number] - run.values[node.part] / slopes[number])


def at_kink(name: str, leaf: Leaf, value: float) -> Hostile:
    """The point at which one entry of an input has a value."""

    def change(array: Array, _strength: float) -> Array:
        changed = np.array(array)
        changed.flat[leaf.entry] = value
        return changed

    return Hostile("kink", leaf.tensor, 0.0, "an entry of {subject} at a kink of " + name, change, (leaf.tensor,))
