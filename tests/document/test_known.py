"""All that is known of small documents: what is wrongly refuted or called true may become less, and never more."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE
from tests.reading.known import TABLES, Kind, small_documents

SILENT = (Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION, Verdict.UNJUDGED)
"""The verdicts that judge nothing."""


@dataclass(frozen=True)
class Held:
    """What holds of a table.

    Attributes:
        confirmed: how many true claims are at least called true.
        refuted: how many wrong claims are at least refuted.
        accused: how many true claims are at most refuted.
        believed: how many wrong claims are at most called true.
    """

    confirmed: int
    refuted: int
    accused: int = 0
    believed: int = 0


HELD = {
    "causes": Held(14, 1, 0, 1),
    "field_notes": Held(53, 19, 1, 0),
    "guards": Held(97, 64, 0, 1),
    "judging": Held(133, 26, 7, 1),
    "layers": Held(42, 12, 0, 0),
    "names": Held(129, 61, 0, 1),
    "notations": Held(130, 53, 0, 1),
    "reading": Held(106, 63, 1, 0),
    "repair": Held(28, 46, 0, 0),
    "verdicts": Held(55, 47, 0, 0),
    "wedges": Held(11, 6),
    "written": Held(100, 47, 0, 3),
}
"""By the name of the table. What is refuted or believed there is no aim: each is a reading that is not found yet."""


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_what_is_known(table):
    confirmed, refuted, accused, believed = [], [], [], []
    for document in small_documents(table):
        report = check(document.text, document.file, document.context)
        for label in document.labels:
            own = [c.verdict for c in report.claims if label.first <= c.line <= label.last and c.verdict not in SILENT]
            true, false = bool(own) and own[-1] in TRUE, Verdict.REFUTED in own
            if label.kind is Kind.TRUE:
                confirmed += [document.name] if true else []
                accused += [document.name] if false else []
            elif label.kind is Kind.WRONG:
                refuted += [document.name] if false else []
                believed += [document.name] if true and not false else []
    held = HELD[table.stem]
    assert len(accused) <= held.accused, accused
    assert len(believed) <= held.believed, believed
    assert len(confirmed) >= held.confirmed
    assert len(refuted) >= held.refuted
