"""Pages of textbook formulas, all of them true: nothing is refuted, and most claims are found to be true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

FOLDER = Path(__file__).parent / "textbook"
PAGES = sorted((*FOLDER.glob("*.md"), *FOLDER.glob("*.tex")))
TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

LEAST = dict(line.split("\t") for line in (FOLDER / "true.tsv").read_text(encoding="utf-8").splitlines()[1:])
"""How many claims of each page are found to be true, at least."""


SIGN = re.compile(r"(?<=\n)\$\$(?P<left>[^=$]*)= -?(?P<right>[^$=]*)\$\$(?=\n)")
"""A displayed equation with one sign of equality."""

BROKEN = 2
"""How many claims of a page are broken."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_true_formula_is_refuted_and_nothing_wrong_is_found_to_be_true(path):
    source = path.read_text(encoding="utf-8")
    claims = check(source, path.name).claims
    found = [claim.verdict for claim in claims]
    assert Verdict.REFUTED not in found
    assert sum(one in TRUE for one in found) >= int(LEAST[path.name])
    lines = {claim.line for claim in claims if claim.verdict in TRUE}
    page, broken = with_broken_claims(source, lines if path.suffix == ".md" else set())
    again = {claim.line: claim.verdict for claim in check(page, path.name).claims} if broken else {}
    assert [line for line in broken if again[line] in TRUE] == []


def with_broken_claims(source: str, lines: set[int]) -> tuple[str, list[int]]:
    """The page with the right side of some equations on these lines doubled, and the lines where that was done."""
    broken: list[int] = []
    for found in reversed(list(SIGN.finditer(source))):
        line, right = source.count("\n", 0, found.start()) + 1, found["right"].strip()
        if line in lines and right not in ("0", "I") and len(broken) < BROKEN:
            changed = f"$${found['left']}= 2 \\left( {right} \\right)$$"
            source = source[: found.start()] + changed + source[found.end() :]
            broken.append(line)
    return source, broken
