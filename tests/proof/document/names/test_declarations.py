"""Shapes that stand in tables."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check

ROWS = {
    "note.md": "| means | $\\mu_{nz}$ | $\\mathbb{R}^{N \\times Z}$ |",
    "note.tex": "\\begin{tabular}{ll}\n\\(\\mu_{nz}\\) & \\(\\mathbb{R}^{N \\times Z}\\) \\\\\n\\end{tabular}",
    "note.html": "<tr><td>\\(\\mu_{nz}\\)</td> <td class='s'>\\(\\mathbb{R}^{N \\times Z}\\)</td></tr>",
}

REST = r"""
\[L = \frac{1}{2 N} \sum_{n, z} \mu_{nz}^2 - \frac{Z}{2}\]

\[\frac{\partial L}{\partial \mu_{nz}} = \frac{1}{N} \mu_{nz}\]
"""


@pytest.mark.parametrize("name", ROWS)
def test_a_shape_in_the_next_cell_makes_its_letters_extents(name):
    assert [str(claim.verdict) for claim in check(f"{ROWS[name]}\n{REST}", name).claims] == ["definition", "proved"]


def test_a_shape_elsewhere_in_the_line_does_not():
    text = "The means \\(\\mu_{nz}\\), not those in \\(\\mathbb{R}^{N \\times Z}\\), are given.\n"
    assert [str(claim.verdict) for claim in check(text + REST, "note.tex").claims] != ["definition", "proved"]


SUMS = r"""
$$L = \sum_{i, j} s_i R_{ij} t_j$$

$$\frac{\partial L}{\partial t_j} = \sum_i s_i R_{ij}$$

$$\frac{\partial L}{\partial t} = R^\top s$$
"""


@pytest.mark.parametrize(
    "rows",
    [
        "$s_i \\in \\mathbb{R}^N$, $R_{ij} \\in \\mathbb{R}^{N \\times N}$\n",
        "| $s_i$ | $\\mathbb{R}^N$ |\n| $R_{ij}$ | $\\mathbb{R}^{N \\times N}$ |\n",
    ],
)
def test_a_letter_that_runs_over_the_extent_makes_an_entry_of_a_vector(rows):
    verdicts = [str(claim.verdict) for claim in check(f"{rows}\n{SUMS}").claims][-3:]
    assert verdicts == ["definition", "proved", "proved"]
    wrong = check(f"{rows}\n{SUMS.replace('R^', '-R^')}").claims
    assert str(wrong[-1].verdict) == "refuted"
