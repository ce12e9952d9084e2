"""A rule of the checker as small notes: claims that are true, wrong twins, and what cannot be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexcalc.document import Claim, Verdict, check

JUDGED_TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


@dataclass(frozen=True)
class Guard:
    """A rule's notes.

    Attributes:
        start: how every note begins.
        true: claims that hold; each is a display at the end of a note of its own.
        wrong: claims that do not.
        open: claims that cannot be judged, and must not be accused.
    """

    start: str
    true: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def claims_of(guards: Mapping[str, Guard], kind: str) -> list[tuple[str, str]]:
    """The claims of one kind, each with its guard's name."""
    return [(name, claim) for name, guard in guards.items() for claim in getattr(guard, kind)]


def judged(guard: Guard, claim: str) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """All claims of the note that ends with a claim, and those of its end."""
    every = check(f"{guard.start}\n\n$${claim}$$\n").claims
    return every, every[len(check(guard.start).claims) :]


def assert_true(guard: Guard, claim: str) -> None:
    """Every relation of the claim is found true, and nothing is accused."""
    every, own = judged(guard, claim)
    assert not [one for one in every if one.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)]
    assert own
    assert all(one.verdict in (*JUDGED_TRUE, Verdict.DEFINITION, Verdict.CONDITION) for one in own), own
    assert any(one.verdict in JUDGED_TRUE for one in own)


def assert_refuted(guard: Guard, claim: str) -> None:
    """The claim is refuted, and no other line."""
    every, own = judged(guard, claim)
    assert Verdict.REFUTED in [one.verdict for one in own], own
    assert {one.line for one in every if one.verdict is Verdict.REFUTED} == {own[-1].line}


def assert_open(guard: Guard, claim: str) -> None:
    """Nothing is accused, and the claim is not found true either."""
    every, own = judged(guard, claim)
    assert not [one for one in every if one.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)]
    assert own
    assert not [one for one in own if one.verdict in JUDGED_TRUE]
