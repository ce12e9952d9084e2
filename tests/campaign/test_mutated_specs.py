"""Broken specs get a message, and those that are still specs get code that passes its check."""

import pytest

from tests.campaign.mutated_specs import Case, cases, verdict


@pytest.mark.parametrize("seed", range(20))
def test_a_broken_spec_gets_a_message_or_right_code(seed):
    for case in cases(seed, 10):
        assert verdict(case) == "", f"{case.name}\n{case.text}"


def test_the_same_seed_gives_the_same_specs():
    assert list(cases(3, 20)) == list(cases(3, 20))
    assert len({case.text for case in cases(3, 20)}) > 15


def test_the_campaign_can_fail(monkeypatch):
    def crash(*_):
        raise ZeroDivisionError("no mistake of the user's")

    monkeypatch.setattr("indexcalc.cli.derive.derive", crash)
    assert verdict(Case("right", "index i : N\ninput x[i]\ny[i] = exp(x[i])\n")).startswith("a traceback")
