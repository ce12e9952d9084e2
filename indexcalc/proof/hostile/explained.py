"""How much of an error the program itself explains.

The explained error of a number is what it moves by when every input, every tensor entry and every sum of the program,
and every gradient on the way, is moved by a rounding of what was added up (Monte Carlo arithmetic; Parker, 1997),
together with its own rounding: of a tensor's entry that of its terms, of a gradient that of the products along all
ways from the loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np

from indexcalc.proof.hostile.passes import Asked, Entries, Inputs, Passes, both_passes
from indexcalc.proof.hostile.runs import Rounding
from indexcalc.proof.hostile.wide import ZERO, wide
from indexcalc.proof.numeric import Array

PATTERNS = 4
"""How many patterns of roundings are tried for each format."""

Errors = tuple[Mapping[str, Array], Mapping[str, Array]]
"""An error for each entry of the tensors that the author wrote, and of the gradients that are asked for."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of floating-point numbers: its rounding unit, its least normal and its largest number."""

    name: str
    unit: Decimal
    least: Decimal
    largest: Decimal


def format_of(name: str) -> Format:
    """The format of a NumPy type."""
    info = np.finfo(np.dtype(name))
    # Below tiny over eps, the factors of a number may have lost digits to underflow, though it has none itself.
    unit, least, largest = (Decimal(float(value)) for value in (info.eps / 2, info.tiny / info.eps, info.max))
    return Format(name, unit, least, largest)


FORMATS = (format_of("float32"), format_of("float64"))


@dataclass(frozen=True)
class Explained:
    """The errors at a point, in one format, that are no defects.

    They are worked out when they are asked for, as the whole takes some runs through the program.

    Attributes:
        asked: what the oracle was asked for.
        inputs: the entries of each input, row-major.
        passes: both passes, without rounding.
        spans: what `spans_back` gives for them.
        digits: their precision.
        format: what rounds.
    """

    asked: Asked
    inputs: Inputs
    passes: Passes
    spans: Entries
    digits: int
    format: Format

    @cached_property
    def own(self) -> Errors:
        """The own rounding of each number: a part of the whole, and no run is made for it."""
        with localcontext(wide(self.digits)):
            return self.errors_of([])

    @cached_property
    def whole(self) -> Errors:
        """How far roundings move each number, and its own rounding; infinite where they leave the domain."""
        patterns = [
            Rounding(self.format.unit, self.asked.seed + pattern, above=pattern % 2 == 0) for pattern in range(PATTERNS)
        ]
        with localcontext(wide(self.digits)):
            near = self.passes.run
            return self.errors_of([both_passes(self.asked, self.inputs, rounding, near) for rounding in patterns])

    def errors_of(self, rounded: Sequence[Passes]) -> Errors:
        """How far each number is from that of any passes with rounding, and its own rounding."""
        run, adjoints = self.passes.run, self.passes.adjoints

        def moved(name: str, numbers: Entries, sizes: Entries, others: Sequence[Entries]) -> Array:
            nodes = self.asked.graph.entries[name]
            return np.array([distance(n, numbers, sizes, others, self.format.unit) for n in nodes], dtype=float)

        values, gradients = [p.run.values for p in rounded], [p.adjoints.values for p in rounded]
        return (
            {name: moved(name, run.values, run.sizes, values) for name in self.asked.written},
            {name: moved(name, adjoints.values, self.spans, gradients) for name in self.asked.targets},
        )


def distance(node: int, numbers: Entries, sizes: Entries, others: Sequence[Entries], unit: Decimal) -> float:
    """How far roundings move one number, and its own rounding."""
    differences = [abs(other[node] - numbers[node]) for other in others]
    if not all(difference.is_finite() for difference in differences):
        return float("inf")
    return float(max(differences, default=ZERO) + unit * sizes[node])
