"""Names that get a new meaning, and names that keep the one they have."""

from __future__ import annotations

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import claims, judged, last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def test_a_name_may_get_a_new_meaning_in_another_section_and_return_to_an_earlier_one():
    start = ("# One", "w_i = x_i^2", "# Two")
    assert last(*start, "w_i = x_i^3") is not REFUTED
    assert last("# One", "w_i = x_i^2", "w_i = x_i^3") is REFUTED
    assert last(*start, "w_i = x_i^3", "# Three", "w_i = x_i^2") is CONFIRMED


RESTATED = (
    r"y_a = 3 x_a^2",
    "# Again",
    r"y_b = {} x_b^2",
    r"\frac{{\partial y_b}}{{\partial x_c}} = {} x_b \delta_{{bc}}",
)


def test_a_section_gives_a_new_meaning_only_if_what_follows_holds_with_it():
    first, heading, again, slope = RESTATED
    assert [judged(one) for one in claims(first, heading, again.format(3), slope.format(6))[1:]] == [CONFIRMED] * 2
    assert [judged(one) for one in claims(first, heading, again.format(4), slope.format(6))[1:]] == [REFUTED, CONFIRMED]
    assert claims(first, heading, again.format(4), slope.format(8))[1].verdict is not REFUTED


REDEFINED = r"""
# Layers

Let $W \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$, $b \in \mathbb{R}^m$,
$B \in \mathbb{R}^{m \times r}$, $A \in \mathbb{R}^{r \times n}$.

$$y = Wx + b$$

Low rank: $V = W + BA$, $y = Vx$, $G = \frac{\partial L}{\partial y}$.
"""


def test_what_follows_may_show_that_a_name_got_a_new_meaning():
    def found(source):
        return {claim.latex: claim.verdict for claim in check(source).claims}["= Vx"]

    assert found(REDEFINED) == Verdict.REFUTED
    assert (
        found(
            REDEFINED
            + r"""
$$\frac{\partial L}{\partial B} = Gx^TA^T$$

$$\frac{\partial L}{\partial A} = B^TGx^T$$
"""
        )
        != Verdict.REFUTED
    )


SQUARES = r"Let $a, x \in \mathbb{R}^2$ and $C, D, E \in \mathbb{R}^{2 \times 2}$."
WORDS = "Many words stand here between the two. " * 4


def test_what_rests_on_a_name_that_is_given_anew_may_be_given_anew():
    page = SQUARES, "B = C D", "y = a + B x", "F = E C"
    assert last(*page, "Let now $B = E$.", WORDS, "y = B x - a") is OPEN
    assert last(*page, WORDS, "y = B x - a") is REFUTED


ITEMS = r"""Let $W \in \mathbb{R}^{n \times m}$ and $x \in \mathbb{R}^m$.

$$z = W x$$

$$y = x x^T z$$

\begin{enumerate}
\item Two of them: $2 z = 2 W x$.
\item In rows: $z = x W$.
\item Twice: $2 z - W x = W x$, and $\frac{\partial z_i}{\partial x_j} = W_{ij}$.
\end{enumerate}
"""


def test_an_item_whose_shapes_do_not_fit_with_what_stands_outside_speaks_of_other_arrays():
    prose = ITEMS.replace(r"\item ", "\n").replace(r"\begin{enumerate}", "").replace(r"\end{enumerate}", "")
    verdicts = [[judged(claim) for claim in check(text, "note.tex").claims[-4:]] for text in (ITEMS, prose)]
    assert verdicts == [[CONFIRMED, one, CONFIRMED, CONFIRMED] for one in (OPEN, REFUTED)]
