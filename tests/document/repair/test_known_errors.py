"""What the corrections of known errors in public notes read."""

from __future__ import annotations

from functools import cache

import pytest

from indexcalc.document import CheckReport, check
from tests.document.test_shared_notes import CONTEXTS, SHARED

NOTES, SEEDS = SHARED / "notes", SHARED / "seeds"
FLASH = next(CONTEXTS.glob("06_*")).read_text(encoding="utf-8")

CORRECTIONS = [
    (NOTES, "16", "", 18, r"\frac{\partial L}{\partial y_{ij}} \frac{w_{j}}{r_{i}} -"),
    (NOTES, "16", "", 26, r"\frac{\partial L}{\partial y_{ij}} \frac{w_{j}}{r_{i}} -"),
    (NOTES, "21", "", 64, r"\mathbb{R}^{m \times d}"),
    (NOTES, "21", "", 65, r"\mathbb{R}^{m \times e}"),
    (NOTES, "25", "", 9, "2 * sigmoid (2 z) - 1"),
    (NOTES, "33", "", 48, "A"),
    (NOTES, "33", "", 135, "(B X C)_{pq} + (B^{T} X C^{T})_{pq}"),
    (SEEDS, "003", "", 37, r"^{\top} \frac{\partial"),
    (SEEDS, "003", "", 57, r"\frac{1}{\sqrt{d_{k}}} \frac{\partial"),
    (SEEDS, "003", "", 59, r"\frac{1}{\sqrt{d_{k}}} \frac{\partial"),
]
"""A document, its context, a wrong line, and what its correction holds."""


@cache
def report_of(folder, start, context) -> CheckReport:
    (path,) = folder.glob(f"{start}*")
    return check(path.read_text(encoding="utf-8"), path.name, context)


@pytest.mark.skipif(not (NOTES.is_dir() and SEEDS.is_dir()), reason="the shared documents are not here")
@pytest.mark.parametrize(("folder", "start", "context", "line", "correction"), CORRECTIONS)
def test_a_known_error_is_corrected(folder, start, context, line, correction):
    found = [claim.correction for claim in report_of(folder, start, context).refuted if claim.line == line]
    assert any(correction in text for text in found)
