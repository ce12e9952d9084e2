"""The sections of a page: what stands in one, in one item, and which of them may stand alone."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
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


SHAPED = r"""# Notes

## Data

Let $X \in \mathbb{R}^{n \times d}$ with $n > d$, and $u \in \mathbb{R}^n$, $v \in \mathbb{R}^d$.

$$q = \oint v$$

## Variance

$$CLAIM$$
"""


@pytest.mark.parametrize(
    "claim",
    [
        r"f = v^\top X X^\top v, \quad \frac{\partial f}{\partial v} = 2 X X^\top v",
        r"(X^\top X)^{-1} X^\top = X^{-1}",
        r"\det(X^\top X) = \det(X)^2",
        r"u^\top v = v^\top u",
        r"\frac{\partial (u^\top v)}{\partial u} = v",
        r"d(X X) = dX\, X + X\, dX",
    ],
)
def test_shapes_hold_in_all_sections(claim):
    assert check(SHAPED.replace("CLAIM", claim)).claims[-1].verdict not in (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        (r"I = \oint V", "A I = A"),
        (r"\sigma(z)_i = \oint z_i", r"\frac{\partial \sigma(z)}{\partial z} = \sigma(z) (1 - \sigma(z))"),
    ],
)
def test_a_sign_with_a_meaning_elsewhere_is_no_constant_in_a_section(given, claim):
    text = f"## One\n\n$${given}$$\n\n## Two\n\n$$b = 2 a$$\n\n$${claim}$$\n"
    assert check(text).claims[-1].verdict not in (Verdict.PROVED, Verdict.CONFIRMED)


def test_a_step_is_none_by_its_section_either():
    text = "## One\n\n$$g = \\operatorname{Foo}\\{z\\}$$\n\n## Two\n\n$$g = z^2 = 2 z^2 - z^2$$\n"
    assert check(text).claims[-1].verdict is Verdict.STEP
