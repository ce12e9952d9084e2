from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

CODE = """
```
c[i] = log(sum[j](exp(S[i,j])))
```
"""

NOTE = r"""
## Normalised scores
{before}
$$P_{{ij}} = e^{{S_{{ij}} - c_i}}$$
{after}
$$\frac{{\partial P_{{ab}}}}{{\partial S_{{ij}}}} = P_{{ab}} \delta_{{ai}} (\delta_{{bj}} - P_{{aj}})$$
"""


def last(before="", after=""):
    return check(NOTE.format(before=before, after=after)).claims[-1]


def test_a_name_computed_in_code_is_no_input():
    claim = last(CODE)
    assert claim.verdict is Verdict.UNCLEAR
    assert claim.reason == "c is computed outside the formulas"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("```\nc = np.zeros(8)\n```", ""),
        (r"$$c_i = \sum_j S_{ij}$$" + CODE, ""),
        (CODE + r"$$c_i = \sum_j S_{ij}$$", ""),
        (CODE + "\n## Another section\n", ""),
    ],
)
def test_other_names_are(before, after):
    assert last(before, after).verdict is Verdict.REFUTED


def test_a_definition_says_more_than_code():
    assert last(CODE + r"$$c_i = \log \sum_j e^{S_{ij}}$$").verdict is Verdict.PROVED


def test_so_does_a_context():
    context = r"c_i = \log \sum_j e^{S_{ij}}"
    assert check(NOTE.format(before=CODE, after=""), "note.md", context).claims[-1].verdict is Verdict.PROVED
    wrong = NOTE.format(before=CODE, after="").replace("- P_{aj}", "+ P_{aj}")
    assert check(wrong, "note.md", context).claims[-1].verdict is Verdict.REFUTED
