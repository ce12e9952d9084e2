"""The public hand calculation, read from where it lies: what is wrong in it, found by hand, and all else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from indexcalc.document import CheckReport, Verdict
from tests.figures.support import checked, on_line

SEED = Path(__file__).resolve().parents[3] / "shared" / "seeds" / "004_hand_calculation_worksheet.md"

pytestmark = pytest.mark.skipif(not SEED.is_file(), reason="the seed documents are not here")


@cache
def report() -> CheckReport:
    return checked(SEED.read_text(encoding="utf-8"), name=SEED.name)


WRONG = {
    22: "2×2",
    41: "0.251",
    65: "WO[0][0]",
    69: "WO[1][1]",
    127: "dL/dSS",
    132: "dL/dSS",
    150: "dL/dS[",
    151: "dL/dS[",
}
WRONG |= {148: "dscaled_scores", 190: "0.498", 193: "0.01249"}
"""The lines that hold a mistake, with a piece of what is said of it."""

FROM_WRONG = {52: "0.251", 130: "0.002500", 135: "-0.002500", 138: "0.001768", 199: "-0.0373"}
"""The lines whose figures follow from a mistake above, with what is said."""

ROUNDED = {43: "1.384", 122: "-0.002511", 163: "0.0001768", 167: "-0.0001768", 173: "0.001768", 182: "0.0001768"}
ROUNDED |= {195: "0.01249", 220: "0.0001768", 224: "-0.0001768", 238: "-0.00001768", 239: "0.10001768"}
"""The lines whose figures are off by rounding above, with the exact ones."""


def said(line: int, verdict: Verdict) -> str:
    claims = [claim for claim in on_line(report(), line) if claim.verdict is verdict]
    assert claims, [str(claim.verdict) for claim in on_line(report(), line)]
    return " ".join(f"{claim.latex} {claim.reason} {claim.correction}" for claim in claims)


@pytest.mark.parametrize("line", WRONG)
def test_a_mistake_is_refuted(line: int) -> None:
    assert WRONG[line] in said(line, Verdict.REFUTED)


@pytest.mark.parametrize("line", FROM_WRONG)
def test_what_follows_from_a_mistake_is_told_apart(line: int) -> None:
    assert FROM_WRONG[line] in said(line, Verdict.FOLLOWS)


@pytest.mark.parametrize("line", ROUNDED)
def test_what_is_off_by_rounding_is_no_mistake(line: int) -> None:
    assert ROUNDED[line] in said(line, Verdict.ROUNDED)


def test_nothing_else_is_accused() -> None:
    assert sorted({claim.line for claim in report().refuted}) == sorted(WRONG)


def test_only_the_embeddings_have_no_meaning() -> None:
    assert [claim.line for claim in report().unclear] == [8, 9]
