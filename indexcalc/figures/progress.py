"""What is found of one member of a chain, and what is known on the way along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexcalc.document.report import Verdict
from indexcalc.figures.heads import Head
from indexcalc.figures.intervals import Interval
from indexcalc.figures.nodes import Figure, Node
from indexcalc.figures.operands import rounded
from indexcalc.proof.numeric import Array

NOTHING = 1e-15
"""Computed numbers below this are zero but for the rounding of doubles."""


@dataclass(frozen=True)
class Finding:
    """A verdict on a member.

    Attributes:
        verdict: the judgement.
        reason: why, in words.
        correction: the right number.
        assumptions: what was read into a name.
    """

    verdict: Verdict
    reason: str = ""
    correction: str = ""
    assumptions: tuple[str, ...] = ()


@dataclass
class Progress:
    """What is known on the way along a chain.

    Attributes:
        head: what the chain is about.
        target: the exact number that every member should be; None if it is not known.
        broken: the number that a refuted member has instead.
        line: the line of that member.
        before: the member before; None if figures have nothing to be tied to.
        source: where the member before lies; None if that is not known.
        verdict: the verdict on it.
        origin: the wrong line that it follows from, or 0.
    """

    head: Head
    target: float | None = None
    broken: float | None = None
    line: int = 0
    before: Node | None = None
    source: Interval | None = None
    verdict: Verdict = Verdict.CONFIRMED
    origin: int = 0

    @property
    def wrong(self) -> bool:
        """Whether the member before is wrong, or follows from what is."""
        return self.verdict in (Verdict.FOLLOWS, Verdict.REFUTED)

    def forget(self) -> None:
        """What follows is not compared with the member before."""
        self.before = self.source = None

    def off(self, figure: Figure) -> str:
        """What would be right, and by how much a figure is off."""
        assert self.target is not None
        away = abs(figure.value - self.target)
        kind = slip(figure, self.target)
        right = f"{rounded(self.target, figure)} ({self.target:.6g}) is right, off by {away:.2g}"
        return f"{right}: {kind}" if kind else right

    def right(self, figure: Figure) -> str:
        """The right number at the precision of a figure."""
        assert self.target is not None
        return rounded(self.target, figure)

    def gives(self, source: Interval, more: str) -> str:
        """What a formula gives, and what the head is."""
        assert self.target is not None
        text = f"this gives {middle(source):.4g}, but {self.head.text or 'the head'} is {self.target:.4g}"
        return f"{text}; {more}" if more else text


SLIPS: tuple[tuple[str, float], ...] = (
    ("twice too large", 2.0),
    ("half of what it should be", 0.5),
    *((f"the point is {n} place{'s' * (n > 1)} too far right", 10.0**n) for n in (1, 2, 3)),
    *((f"the point is {n} place{'s' * (n > 1)} too far left", 10.0**-n) for n in (1, 2, 3)),
)
"""What may have happened to a number, with the factor that it then has."""

TELLING = 10
"""How many units of its last digit a figure must have before a factor says anything."""


def slip(figure: Figure, target: float) -> str:
    """What happened to a figure, if that is a sign or a simple factor; empty if it is not."""
    units = abs(figure.value) / (2 * figure.half)
    if units >= 1 and figure.digits.holds(-target) and target != 0:
        return "the sign is wrong"
    if units < TELLING or target == 0:
        return ""
    scaled = ((text, factor) for text, factor in SLIPS)
    return next((text for text, factor in scaled if figure.digits.holds(factor * target)), "")


def middle(source: Interval) -> float:
    """The middle of an interval."""
    return source.low if source.low == source.high else (source.low + source.high) / 2


def spanned(source: Interval, figure: Figure) -> str:
    """An interval at the precision of a figure."""
    low, high = rounded(source.low, figure), rounded(source.high, figure)
    return low if low == high else f"{low} to {high}"


def spans(arrays: Sequence[Array], target: Array) -> bool:
    """Whether a target lies between arrays, entry by entry, but for the rounding of doubles."""
    if any(array.shape != target.shape for array in arrays):
        return False
    slack = 1e-9 * max(float(np.max(np.abs(target), initial=0.0)), 1e-300)
    low, high = np.min(arrays, axis=0), np.max(arrays, axis=0)
    return bool(np.all((low - slack <= target) & (target <= high + slack)))
