"""Vectors as rows or columns: the smallest section that shows which they are says so, items of a list among these."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

GIVEN = r"""Let $\mathbf{W}, \mathbf{V} \in \mathbb{R}^{n \times m}$, $\mathbf{x} \in \mathbb{R}^m$
and $\mathbf{u} \in \mathbb{R}^n$.
"""

COLUMNS = r"""Let $\mathbf{z} = \mathbf{W} \mathbf{x}$, $J = \sum_i z_i^2$ and $\mathbf{d} = 2 \mathbf{z}$. Then

$$\frac{\partial J}{\partial \mathbf{W}} = COLUMN$$
"""

ROWS = r"""Let $\mathbf{y} = \mathbf{u} \mathbf{V}$, $K = \sum_i y_i^2$ and $\mathbf{e} = 2 \mathbf{y}$. Then

$$\frac{\partial K}{\partial \mathbf{V}} = \mathbf{u}^T \mathbf{e}$$
"""

PAGES = {
    "note.md": "## Columns\n\n{}\n## Rows\n\n{}",
    "note.tex": "\\begin{{enumerate}}\n\\item {}\n\\item {}\n\\end{{enumerate}}\n",
}


@pytest.mark.parametrize("file", PAGES)
def test_rows_in_one_place_are_none_in_another(file):
    for column, is_true in ((r"\mathbf{d}^T \mathbf{x}", False), (r"\mathbf{d} \mathbf{x}^T", True)):
        text = GIVEN + "\n" + PAGES[file].format(COLUMNS.replace("COLUMN", column), ROWS)
        first, second = [
            claim.verdict
            for claim in check(text, file).claims
            if claim.latex.startswith((r"= \mathbf{d", r"= \mathbf{u}^T"))
        ]
        assert (first in TRUE) is is_true
        assert second in TRUE
