"""Public notes with errors that are known: each is found, and no true equation is accused."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.proof.document import Verdict, check

NOTES = Path(__file__).resolve().parents[4] / "shared" / "notes"
SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"

FLASH = """
function sigma = softmax
alias F = A
M \\in \\mathbb{R}^{T \\times T}
D = softmax(A - M)
O = D V
"""

README = """
Q = X W_Q; K = X W_K; V = X W_V
S = Q K^T / sqrt(d); A = rowsoftmax(S); O = A V
adjoint G_* = dL/d*
c_i = \\sum_j G_A[i,j] A[i,j]
"""

WRONG = [
    (NOTES, "06", "", set(), 20),
    (NOTES, "06", FLASH, {94, 117}, 34),
    (NOTES, "07", "", set(), 23),
    (NOTES, "12", "", set(), 55),
    (NOTES, "13", "", set(), 33),
    (NOTES, "16", "", {18, 19, 20, 26}, 6),
    (NOTES, "17", "", set(), 2),
    (NOTES, "18", "", set(), 15),
    (NOTES, "21", "", {62, 64, 65}, 16),
    (NOTES, "25", "", {9}, 13),
    (NOTES, "33", "", {48, 135, 140}, 82),
    (NOTES, "35", "", set(), 2),
    (NOTES, "45", "", {169, 171, 270, 271}, 30),
    (SEEDS, "000", "", set(), 4),
    (SEEDS, "000", README, set(), 18),
    (SEEDS, "003", "", {37, 57, 59}, 7),
]


@pytest.mark.skipif(not (NOTES.is_dir() and SEEDS.is_dir()), reason="the shared documents are not here")
@pytest.mark.parametrize(("folder", "start", "context", "lines", "true"), WRONG)
def test_the_wrong_lines_are_found_and_no_other_is_accused(folder, start, context, lines, true):
    (path,) = folder.glob(f"{start}*")
    report = check(path.read_text(encoding="utf-8"), path.name, context)
    assert {claim.line for claim in report.refuted} == lines
    assert report.counts[str(Verdict.PROVED)] + report.counts[str(Verdict.CONFIRMED)] >= true
