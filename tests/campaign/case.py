"""What every campaign hands out: cases, each of its own seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

REFUSED = "refused: "
"""How a line of a verdict begins that counts, but is no failure: the engine said clearly that it can't."""

COUNTED = "counted: "
"""How a line of a verdict begins that says how many of something were judged: ``counted: claims: 57``."""


@dataclass(frozen=True)
class Case:
    """One case of a campaign.

    Attributes:
        seed: it is drawn from this alone.
        text: what the engine is given.
        features: what is in it, for counting.
        subject: what the campaign knows of it besides.
    """

    seed: int
    text: str
    features: frozenset[str] = field(default=frozenset())
    subject: Any = None


def failures(verdict: str) -> list[str]:
    """The lines of a verdict that are failures."""
    return [line for line in verdict.splitlines() if not line.startswith((REFUSED, COUNTED))]


def refusals(verdict: str) -> list[str]:
    """The lines of a verdict that are refusals."""
    return [line for line in verdict.splitlines() if line.startswith(REFUSED)]


def assert_compared(verdicts: Collection[str], least: float = 0.5) -> None:
    """Most verdicts are about something: code that is refused, or compared nowhere, is no success."""
    some = [verdict for verdict in verdicts if counts(verdict)["points"] and not refusals(verdict)]
    assert len(some) >= least * len(verdicts), "\n".join(verdicts)


def counts(verdict: str) -> Counter[str]:
    """How many of what a verdict is about, such as claims."""
    found: Counter[str] = Counter()
    for line in verdict.splitlines():
        if line.startswith(COUNTED):
            what, _, count = line.removeprefix(COUNTED).partition(": ")
            found[what] += int(count)
    return found
