"""Public notes that are not part of the project: what is wrong in them is refuted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.document import CheckReport, Verdict, check
from indexcalc.document.report import TRUE

SHARED = Path(__file__).resolve().parents[3] / "shared"
CONTEXTS = Path(__file__).resolve().parents[1] / "reading" / "contexts"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the public notes are not at hand")

WITHOUT = {
    "06": ([94], 31),
    "07": ([], 23),
    "12": ([], 54),  # one holds only if a mean, whose equation is not read there, is held
    "13": ([], 31),
    "16": ([18, 19, 26], 6),
    "17": ([], 2),
    "18": ([], 12),
    "21": ([62, 64, 65], 15),
    "25": ([9], 12),
    "33": ([48, 135], 82),
    "45": ([], 24),
}
"""The lines that are refuted in each note without any context, and how many relations at least are found true."""

WITH = {"06": ([94, 117], 33)}
"""The same with a context, for a note that leaves much unsaid."""


def path_of(number: str) -> Path:
    (found,) = [path for folder in ("notes", "seeds") for path in (SHARED / folder).glob(f"{number}_*")]
    return found


def checked(number: str, with_context: bool = False) -> CheckReport:
    path = path_of(number)
    context = next(CONTEXTS.glob(f"{number}_*")).read_text(encoding="utf-8") if with_context else ""
    return check(path.read_text(encoding="utf-8"), path.name, context)


def refuted(report: CheckReport) -> list[int]:
    return sorted({claim.line for claim in report.refuted})


def found_true(report: CheckReport) -> int:
    return sum(claim.verdict in TRUE for claim in report.claims)


@pytest.mark.parametrize("number", WITHOUT)
def test_wrong_lines_of_notes_are_refuted_and_no_others(number):
    report = checked(number)
    lines, least = WITHOUT[number]
    assert refuted(report) == lines
    assert found_true(report) >= least
    if number in WITH:
        report = checked(number, with_context=True)
        lines, least = WITH[number]
        assert refuted(report) == lines
        assert found_true(report) >= least


def test_a_derivation_in_indices_is_a_definition_or_true_line_by_line():
    verdicts = [claim.verdict for claim in checked("002").claims]
    assert Verdict.REFUTED not in verdicts
    assert verdicts.count(Verdict.UNCLEAR) <= 1


def test_slides_with_wrong_gradients():
    assert refuted(checked("003")) == [37, 57, 59]
