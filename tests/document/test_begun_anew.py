"""Chains of equalities behind another relation: they begin anew there."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize("sign", [r"\propto", r"\approx", r"\le"])
def test_behind_another_relation_members_are_compared_with_what_stands_there(sign: str) -> None:
    """What is true is confirmed; what is false may drop what the relation lets one drop."""
    true = check(f"$$f {sign} (x + y)^2 = x^2 + 2 x y + y^2$$\n").claims
    assert true[0].verdict is Verdict.UNJUDGED
    assert true[1].verdict in HOLDS
    false = check(f"$$f {sign} (x + y)^2 = x^2 + x y + y^2$$\n").claims[1]
    assert false.verdict is Verdict.UNCLEAR
    assert "no equality" in false.reason


def test_nothing_is_compared_with_what_stands_before() -> None:
    """The head is not equal to what is only proportional to it."""
    claims = check(r"$$f = e^{a + b} \propto e^a = e^{a + b} e^{-b}$$" + "\n").claims
    assert [claim.verdict for claim in claims[:2]] == [Verdict.DEFINITION, Verdict.UNJUDGED]
    assert claims[2].verdict in HOLDS
    wrong = check(r"$$f = e^{a + b} \propto e^a = e^{a + b}$$" + "\n").claims
    assert wrong[2].verdict is Verdict.UNCLEAR
