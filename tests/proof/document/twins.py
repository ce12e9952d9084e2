"""Small notes in twos: what a note says first, and then a true claim or a wrong twin of it."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.proof.document import Claim, check


@dataclass(frozen=True)
class Twins:
    """What a note says first, and claims after it: true ones, and wrong ones."""

    setting: str
    true: tuple[str, ...]
    wrong: tuple[str, ...] = ()


def claimed(setting: str, claim: str) -> Claim:
    """The claim after the setting, judged."""
    return check(f"{setting}\n\n$${claim}$$\n").claims[-1]


def true_of(table: dict[str, Twins]) -> list[tuple[str, str]]:
    """Every setting with each of its true claims."""
    return [(twins.setting, claim) for twins in table.values() for claim in twins.true]


def wrong_of(table: dict[str, Twins]) -> list[tuple[str, str]]:
    """Every setting with each of its wrong claims."""
    return [(twins.setting, claim) for twins in table.values() for claim in twins.wrong]
