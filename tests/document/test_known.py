"""The check by choices on everything that is known of small documents: how much may still be wrong."""

from __future__ import annotations

import pytest

from indexcalc.document.deciding import check
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from tests.reading.known import TABLES, Kind, small_documents

PART = "guards"
"""The table that is read here; `benchmarks/reading.py` reads all of them."""

CONFIRMED, REFUTED = 88, 54
"""How many claims of it that are true are confirmed, and how many that are wrong are refuted."""


@pytest.fixture(scope="module")
def verdicts():
    """The label of each claim of the table with the verdicts on it, leaving out what another context says."""
    (path,) = [table for table in TABLES if table.stem == PART]
    found = []
    for document in small_documents(path):
        report = check(document.text, document.file, document.context)
        for label in document.labels:
            own = [claim.verdict for claim in report.claims if label.first <= claim.line <= label.last]
            found.append((label.kind, [one for one in own if one not in SILENT]))
    return found


SILENT = (Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION)


def test_nothing_true_is_refuted(verdicts):
    assert not [own for kind, own in verdicts if kind is Kind.TRUE and Verdict.REFUTED in own]


def test_most_of_what_is_true_is_confirmed_and_much_of_what_is_wrong_refuted(verdicts):
    assert sum(kind is Kind.TRUE and bool(own) and own[-1] in TRUE for kind, own in verdicts) >= CONFIRMED
    assert sum(kind is Kind.WRONG and Verdict.REFUTED in own for kind, own in verdicts) >= REFUTED
