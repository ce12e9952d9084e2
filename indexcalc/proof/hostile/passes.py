"""Both passes of an unrolled program at a point, as the oracle asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from indexcalc.proof.hostile.adjoints import backward
from indexcalc.proof.hostile.runs import Adjoints, Forward, Rounding
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.unrolled import Unrolled

Entries = Sequence[Decimal]
Inputs = Mapping[str, Entries]


class UndeterminedError(Exception):
    """A point at which the oracle gives no answer; the text says why."""


@dataclass(frozen=True)
class Asked:
    """What the oracle is asked for.

    Attributes:
        graph: the program.
        written: the tensors the author wrote, inputs aside; what the reader named may leave the format.
        targets: the tensors whose gradients are asked for.
        weights: the upstream gradient of each node that has one.
        seed: of the roundings, and of the direction of central differences.
    """

    graph: Unrolled
    written: tuple[str, ...]
    targets: tuple[str, ...]
    weights: Mapping[int, Decimal]
    seed: int


@dataclass(frozen=True)
class Passes:
    """Both passes, once."""

    run: Forward
    adjoints: Adjoints


def both_passes(asked: Asked, inputs: Inputs, rounding: Rounding | None = None, near: Forward | None = None) -> Passes:
    """The forward and the backward pass in the precision of the context.

    Raises:
        UndeterminedError: if the point lies outside the domain.
    """
    run = forward(asked.graph, inputs, rounding, near=near)
    if run.outside and rounding is None:
        raise UndeterminedError(run.outside)
    return Passes(run, backward(asked.graph, run, asked.weights, rounding))
