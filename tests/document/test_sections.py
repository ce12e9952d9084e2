"""The sections of a page: what stands in one, in one item, and which of them may stand alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.document.check import ALONE, check, claims_in, read_by_section
from indexcalc.document.page import Page, page_of
from indexcalc.document.report import Verdict
from indexcalc.document.statements.context import Context
from indexcalc.language.document import read_document
from tests.support.verdicts import judged

TWO = r"""
# First

The matrix is symmetric.

$$y = 2 x$$

$$z = 3 y$$

# Second

- $$y = 5 x$$
- $$z = 7 y$$

# Third

$$q = z$$
"""


@pytest.fixture
def page() -> Page:
    return page_of(read_document(TWO, "note.md"), Context())


def line(page, position):
    return page.document.place(position)[0]


def test_those_may_stand_alone_that_give_names_which_others_give_too(page):
    standing = [page.standing(number) for number in (0, 2)]
    assert [line(page, section[0]) for section in standing] == [2, 10]
    assert standing[1] in page.sections.alike(standing[0])


def test_where_two_of_a_level_may_stand_alone_all_of_it_may(page):
    assert line(page, page.standing(4)[0]) == 15


def test_a_section_that_gives_one_name_anew_goes_on():
    page = page_of(read_document("# First\n\n$y = 2 x$\n\n# Second\n\n$y = 3 x$\n", "note.md"), Context())
    assert page.sections.renewing == ()


def test_a_context_stands_in_none():
    page = page_of(read_document(TWO, "note.md"), Context(equations=["a = b"]))
    assert page.start(0) == -1
    assert page.standing(0) is None


def test_only_items_and_rows_are_units(page):
    assert page.sections.unit(page.start(0)) == ""
    assert page.sections.unit(page.start(2)) != page.sections.unit(page.start(3)) != ""


def test_words_speak_of_matrices_in_their_section_alone(page):
    assert page.sections.said(page.start(0)) == {"symmetric"}
    assert page.sections.said(page.start(2)) == set()


SIZED = r"""
# First

## Indices

| Index | Number of values |
| --- | --- |
| $n$ | $N$ |
| $h$ | $H$ |

## Means

$$m_n = \frac{1}{H} \sum_h X_{nh}$$

$$m_a = \frac{1}{H} \sum_c X_{ac}$$

# Second

## Indices

| Index | Number of values |
| --- | --- |
| $k$ | $K$ |
| $c$ | $C$ |

## Sums

$$z_k = \sum_c W_{kc}$$

$$z_a = \sum_h W_{ah}$$
"""


def test_a_table_of_sizes_speaks_for_its_own_part_alone():
    """A letter that another part uses as a fresh dummy has the size that it has there."""
    assert [judged(claim) for claim in check(SIZED).claims] == [Verdict.DEFINITION, Verdict.CONFIRMED] * 2
    wrong = SIZED.replace("m_a = \\frac{1}{H}", "m_a = \\frac{2}{H}").replace("W_{ah}", "W_{ha}")
    assert [judged(claim) for claim in check(wrong).claims] == [Verdict.DEFINITION, Verdict.REFUTED] * 2


ELSEWHERE = r"""## One

Let $y = f(X)$, where $X$ is a $m \times n$ matrix.

## Rules

$$d X^{-1} = SIGN X^{-1} (d X) X^{-1}$$

$$d \operatorname{Tr}(X) = \operatorname{Tr}(dX)$$
"""


def test_what_its_own_section_shows_is_true():
    inverse, trace = check(ELSEWHERE.replace("SIGN", "-")).claims[-2:]
    assert inverse.verdict is Verdict.PROVED
    assert trace.verdict is Verdict.PROVED
    assert inverse.assumptions[-1] == ALONE
    assert (inverse.line, inverse.column) == (7, 14)
    assert inverse.latex == "= - X^{-1} (d X) X^{-1}"


def test_nothing_is_refuted_by_a_section_alone():
    inverse, _ = check(ELSEWHERE.replace("SIGN", "")).claims[-2:]
    assert inverse.verdict is Verdict.UNCLEAR


def test_what_differs_by_the_whole_page_is_not_true_by_a_section():
    page = page_of(read_document(ELSEWHERE.replace("SIGN", "-"), "note.md"), Context())
    claims = claims_in(page)
    assert claims[-1].verdict is Verdict.UNCLEAR
    assert read_by_section(page, claims)[-1].verdict is Verdict.PROVED
    false = [replace(claim, differs=True) for claim in claims]
    assert read_by_section(page, false) == false


def test_a_page_of_one_section_is_read_once():
    text = ELSEWHERE.replace("## Rules\n", "").replace("SIGN", "-")
    assert [claim.verdict for claim in check(text).claims[-2:]] == [Verdict.UNCLEAR] * 2
