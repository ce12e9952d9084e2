"""What is asked of a document: only choices that are in doubt, and of each what its other statements say."""

from __future__ import annotations

import importlib
from collections import Counter

import pytest

from indexcalc.document.check import check
from indexcalc.document.evidence import bases, bears_on
from indexcalc.document.page import page_of
from indexcalc.document.statements.context import read_context
from indexcalc.language.document import read_document

FORWARD = r"""
$$ z_i = \sum_j W_{ij} x_j $$

$$ p_i = \frac{e^{z_i}}{\sum_k e^{z_k}} $$
"""

HOLDS = (
    FORWARD
    + r"""
$$ \sum_i p_i = 1 $$

$$ \frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j) $$

$$ z_i = \sum_j W_{ij} x_j $$

$$ \frac{\partial L}{\partial x_j} = \sum_i W_{ij} \frac{\partial L}{\partial z_i} $$
"""
)
"""Equations that hold as they are usually read; one of them is said twice."""

FAILS = r"""
$$ \frac{\partial L}{\partial x_j} = 3 \sum_i W_{ij} \frac{\partial L}{\partial z_i} $$
"""


@pytest.fixture
def readings(monkeypatch):
    """How often each relation was read, by its statement."""
    search = importlib.import_module("indexcalc.document.search")
    found = Counter()
    judged = search.outcome

    def counted(page, relation, interpretation, **how):
        found[relation.number] += 1
        return judged(page, relation, interpretation, **how)

    monkeypatch.setattr(search, "outcome", counted)
    return found


def test_what_holds_as_it_is_usually_read_is_read_no_further(readings):
    assert not check(HOLDS).refuted
    # Without definitions, and with them.
    assert max(readings.values()) <= 2


def test_what_fails_casts_doubt_on_the_choices_that_it_asks_for(readings):
    report = check(HOLDS + FAILS)
    assert [claim.line for claim in report.refuted] == [HOLDS.count("\n") + 2]
    # The gradient before it is read by the same choices.
    assert {number for number, count in readings.items() if count > 2} >= {5, 6}


def test_a_line_that_is_explained_asks_what_the_others_say(readings):
    check(HOLDS, explain={HOLDS[: HOLDS.index("delta")].count("\n") + 1})
    assert max(readings.values()) > 2


def test_equations_that_say_the_same_leave_no_choice_between_them():
    line = HOLDS[: HOLDS.index("partial L")].count("\n") + 1
    (claim,) = [claim for claim in check(HOLDS, explain={line}).claims if claim.line == line]
    assert not [one.phrase for one in claim.explanation.choices if one.phrase.startswith("z is what")]


ROWS = r"""
| layer | forward | backward |
| --- | --- | --- |
| affine | $Y = X W$ | $dX = dY W^\top$, $dW = X^\top dY$ |
| scaled | $Y = \alpha X$ | $dX = \alpha \, dY$ |
| product | $Z = X \odot Y$ | $dX = dZ \odot Y$, $dY = dZ \odot X$ |
| turned | $Z = Y^\top$ | $dY = dZ^\top$ |
"""


WRONG = [(r"\alpha \, dY", r"2 \alpha \, dY"), (r"$dX = dY W^\top", r"$dX = 2 dY W^\top")]


@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_a_row_that_defines_a_name_means_its_own_equation(right, wrong):
    assert not check(ROWS).refuted
    broken = ROWS.replace(right, wrong)
    line = broken[: broken.index(wrong)].count("\n") + 1
    assert [claim.line for claim in check(broken).refuted] == [line]


SLOW = {
    "rows of a table before entries of arrays": r"""
| affine | $Y = X W$ | $dX = dY W^\top$, $dW = X^\top dY$ |
| product | $Z = X \odot Y$ | $dX = dZ \odot Y$, $dY = dZ \odot X$ |

$$z_n = \sum_f X_{nf} w_f$$

$$p_n = \tanh(z_n)$$

$$L = \sum_n y_n p_n$$

$$w_{ij} = e^{-d_{ij}}$$
""",
    "a name that is given as a vector, as labels and as a number": r"""
$$y = W x, \quad a = \tanh(y), \quad z = V a, \quad s = \operatorname{softmax}(z)$$

$$a = \sin b$$

$$\sum_k y_k = 1$$

Here $y$ is one-hot. $$p_c = \frac{e^{z_c}}{\sum_k e^{z_k}}$$

$$L = -\sum_c y_c \log p_c$$

$$L = -\log \sum_c y_c p_c$$

$$y = a b$$

$$y = w_1 z_1 + \cdots + w_d z_d + b$$
""",
}
"""Documents whose evidence changes a few times: the reading of one statement is evidence for that of others."""


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_relations_are_read_under_what_the_others_say_in_the_end(text):
    checking = importlib.import_module("indexcalc.document.check")
    page = page_of(read_document(text, "note.md"), read_context([]))
    judged, votes = checking.judgements(page)
    said = bases(votes, len(page.statements))
    assert judged
    assert not [key for key, one in judged.items() if bears_on(one, said[one.relation.number])]
