"""Public notes that are not part of the project: what is wrong in them is refuted, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.proof.document import CheckReport, Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE

SHARED = Path(__file__).resolve().parents[4] / "shared"
CONTEXTS = Path(__file__).parent / "contexts"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the public notes are not at hand")

WITHOUT = {
    "06": ([], 20),
    "07": ([], 23),
    "12": ([], 55),
    "13": ([], 33),
    "16": ([18, 19, 20, 26], 6),
    "17": ([], 2),
    "18": ([], 15),
    "21": ([62, 64, 65], 16),
    "25": ([9], 13),
    "33": ([48, 135, 140], 82),
    "35": ([], 2),
    "45": ([169, 171, 270, 271], 30),
}
"""The lines that are refuted in each note without any context, and how many relations at least are found true."""

WITH = {"06": ([94, 117], 34), "18": ([80], 20), "45": ([169, 171, 270, 271], 35)}
"""The same with a context, for the notes that leave much unsaid."""

MALFORMED = {"45": 285}
"""A line whose formula misses an operand."""

ENOUGH = 0.9
"""The least share of relations that are understood."""


def path_of(number: str) -> Path:
    (found,) = [path for folder in ("notes", "seeds") for path in (SHARED / folder).glob(f"{number}_*")]
    return found


def checked(number: str, with_context: bool = False) -> CheckReport:
    path = path_of(number)
    context = next(CONTEXTS.glob(f"{number}_*")).read_text(encoding="utf-8") if with_context else ""
    return check(path.read_text(encoding="utf-8"), path.name, context)


def refuted(report: CheckReport) -> list[int]:
    return sorted({claim.line for claim in report.refuted})


def understood(report: CheckReport) -> float:
    """The share of displayed relations that are understood; of all, where a note displays none."""
    claims = [claim for claim in report.claims if claim.display] or list(report.claims)
    return 1 - sum(claim.verdict is Verdict.UNCLEAR for claim in claims) / len(claims)


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
    assert understood(report) >= ENOUGH


@pytest.mark.parametrize("number", MALFORMED)
def test_a_malformed_line_is_not_understood(number):
    verdicts = {claim.verdict for claim in checked(number, True).claims if claim.line == MALFORMED[number]}
    assert verdicts == {Verdict.UNCLEAR}


def test_a_derivation_in_indices_is_a_definition_or_proved_line_by_line():
    verdicts = {claim.verdict for claim in checked("002").claims}
    assert verdicts <= {Verdict.PROVED, Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION}


def test_a_text_without_its_pictures_is_judged_with_a_context():
    report = checked("000", with_context=True)
    assert {claim.verdict for claim in report.claims} <= {
        Verdict.PROVED,
        Verdict.DEFINITION,
        Verdict.DECLARATION,
        Verdict.SCHEMATIC,
    }
    assert len(report.claims) > 30
    assert not checked("000").refuted


def test_slides_with_wrong_gradients():
    assert refuted(checked("003")) == [37, 57, 59]
