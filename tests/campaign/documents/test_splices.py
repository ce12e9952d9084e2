"""Formulas that make no sense: each check ends with a report; `benchmarks/campaign.py documents.splices` runs many."""

from __future__ import annotations

import pytest

from tests.campaign.case import failures
from tests.campaign.documents import splices
from tests.campaign.documents.splices import cases, verdict

COUNT = 160
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_formula_stops_the_check(part):
    each = COUNT // PARTS
    found = {
        case.text: failures(verdict(case)) for case in cases(7_000 + part * each, each, ("own", "places", "small"))
    }
    assert not {text: lines for text, lines in found.items() if lines}


def test_what_stops_it_is_found(monkeypatch):
    def stopping(text):
        raise IndexError("list index out of range")

    monkeypatch.setattr(splices, "check", stopping)
    (case,) = cases(0, 1, ("small",))
    assert failures(verdict(case)) == ["traceback: IndexError: list index out of range"]


def test_formulas_are_cut_and_joined():
    texts = [case.text for case in cases(0, 40, ("small",))]
    assert len(set(texts)) == len(texts)
    assert any(text.count("$$") > 2 for text in texts)
