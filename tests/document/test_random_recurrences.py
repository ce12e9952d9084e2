"""The notes on random recurrences, which the engine derives: right steps are never refuted, wrong ones never true.

The engine walks back through the steps by rules; the checker runs the recurrence at random points and perturbs its
entries. Neither knows of the other.
"""

from __future__ import annotations

from functools import cache

import pytest

import indexcalc as ic
from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE, CheckReport
from tests.campaign.draws import with_steps

SEEDS = (2, 8)
"""Draws whose notes are checked within seconds: up and down, with base cases and with brackets."""


@cache
def note(seed: int) -> str:
    """The note on a random recurrence."""
    return ic.markdown_note(ic.derive(ic.read_problem(with_steps(seed).text)))


@cache
def report(seed: int) -> CheckReport:
    """What is said of it."""
    return check(note(seed), "note.md")


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_right_is_refuted(seed):
    claims = report(seed).claims
    assert [(claim.line, claim.latex) for claim in claims if claim.verdict is Verdict.REFUTED] == []
    true = sum(claim.verdict in TRUE for claim in claims)
    assert true >= 2 * sum(claim.verdict in (Verdict.UNCLEAR, Verdict.STEP) for claim in claims)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gradient_with_a_term_taken_twice_is_refuted(seed):
    text = note(seed)
    true = [one for one in report(seed).claims if one.verdict in TRUE and one.latex.startswith("= ")]
    boxed = r"\boxed{\frac{\partial L}"
    claim = next(one for one in true if one.place and boxed in text[: one.place[0]].rpartition("\n")[2])
    start = claim.place[0]
    broken = f"{text[:start]}2 \\, {text[start:]}"
    assert [one.verdict for one in check(broken, "note.md").claims if one.line == claim.line] == [Verdict.REFUTED]
