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


def verdicts(path: Path) -> list[Verdict]:
    """The verdicts on the relations of a page."""
    return [claim.verdict for claim in check(path.read_text(encoding="utf-8"), path.name).claims]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_true_formula_is_refuted(path):
    found = verdicts(path)
    assert Verdict.REFUTED not in found
    assert sum(one in TRUE for one in found) >= int(LEAST[path.name])


SIGN = re.compile(r"(?<=\n)\$\$(?P<left>[^=$]*)= -?(?P<right>[^$=]*)\$\$(?=\n)")
"""A displayed equation with one sign of equality."""


@pytest.mark.parametrize("path", [path for path in PAGES if path.suffix == ".md"], ids=lambda path: path.stem)
def test_hardly_anything_wrong_is_found_to_be_true(path):
    """Claims that were found to be true are broken, each on its own."""
    source = path.read_text(encoding="utf-8")
    claims = {claim.line: claim.verdict for claim in check(source, path.name).claims}
    tried = 0
    for found in SIGN.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        if claims.get(line) not in TRUE or found["right"].strip() in ("0", "I") or tried == 2:
            continue
        tried += 1
        broken = f"$${found['left']}= 2 \\left( {found['right'].strip()} \\right)$$"
        page = source[: found.start()] + broken + source[found.end() :]
        again = {claim.line: claim for claim in check(page, path.name).claims}
        assert again[line].verdict not in TRUE, broken
