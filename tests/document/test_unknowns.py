"""What members leave unknown: how far sums run whose letters no array bears, and what true relations need."""

from __future__ import annotations

import pytest

from indexcalc.document import check
from indexcalc.document.report import Verdict

MATRICES = r"Let $P \in \mathbb{R}^{N \times N}$ and $R \in \mathbb{R}^{N \times N}$ be matrices."


def verdicts(*formulas: str, said: str = MATRICES) -> list[Verdict]:
    """The verdicts of one claim for each formula, each in a paragraph of its own."""
    text = "\n\n".join([said, *(f"$${formula}$$" for formula in formulas)])
    return [claim.verdict for claim in check(text).claims if claim.verdict is not Verdict.DECLARATION]


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{n,m} (P_{nm} - 2 \delta_{nm}) = \sum_{n,m} P_{nm} - 2 \sum_{n,m} \delta_{nm}",
        r"\sum_{n,m} P_{nm} - 2 \sum_{n,m} \delta_{nm} = \sum_{n,m} (P_{nm} - 2 \delta_{nm})",
        r"\sum_{n,m} (P_{nm} - \delta_{nm}) = \sum_{n,m} P_{nm} - N",
        r"\sum_{n,m} \delta_{nm} = N",
        r"\sum_{n,m} \delta_{nm} P_{kn} = \sum_n P_{kn}",
        r"\sum_m \delta_{nm} = 1",
        r"\sum_{n,m} (P_{nm} + 1 - [n \neq m]) = \sum_{n,m} P_{nm} + \sum_{n,m} \delta_{nm}",
    ],
)
def test_a_sum_of_deltas_runs_as_far_as_its_letters_do_elsewhere(formula):
    (verdict,) = verdicts(formula)
    assert verdict in (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{n,m} (P_{nm} - 2 \delta_{nm}) = \sum_{n,m} P_{nm} - \sum_{n,m} \delta_{nm}",
        r"\sum_{n,m} (P_{nm} - \delta_{nm}) R_{kn} = \sum_{n,m} P_{nm} R_{kn} - \sum_{n,m} \delta_{nm}",
    ],
)
def test_a_sum_of_deltas_is_counted(formula):
    assert verdicts(formula) == [Verdict.REFUTED]


def test_how_far_a_sum_runs_is_open_where_its_letter_has_two_sizes():
    said = r"Let $x \in \mathbb{R}^{N}$, $y \in \mathbb{R}^{M}$."
    formula = r"\sum_n x_n + \sum_n y_n + \sum_{n,m} \delta_{nm} = \sum_n (x_n + 1) + \sum_n y_n"
    assert verdicts(formula, said=said) == [Verdict.UNCLEAR]


def test_how_far_a_sum_runs_is_open_where_nothing_bears_its_letter():
    assert verdicts(r"\sum_{k,l} \delta_{kl} = c", said=r"Let $c$ be a number.") == [Verdict.UNCLEAR]


@pytest.mark.parametrize(("mark", "is_said"), [("$", True), ("$$", False)])
def test_a_property_is_named_only_where_the_relation_needs_it_and_no_sentence_says_it(mark, is_said):
    text = MATRICES + "\n\n" + rf"Of $P$ we know {mark}\sum_m P_{{nm}} = 1{mark}. So $\sum_{{m}} 2 P_{{nm}} = 2$."
    text += "\n\n" + r"Also $\sum_{m} (P_{nm} + R_{nm}) = \sum_m P_{nm} + \sum_m R_{nm}$."
    needs = {claim.latex: bool(claim.unstated) for claim in check(text).claims if claim.verdict is Verdict.PROVED}
    assert needs.pop(r"= \sum_m P_{nm} + \sum_m R_{nm}") is False
    assert set(needs.values()) == {not is_said}


SOFTMAX = r"Let $x, u \in \mathbb{R}^N$, $L$ a scalar loss. $$p_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$ $$G_i := "
SOFTMAX += r"\frac{\partial L}{\partial p_i}$$"


def test_on_an_argument_alone_a_loss_need_not_depend():
    assert verdicts(r"\frac{\partial L}{\partial u_i} = 0", said=SOFTMAX)[-1] is Verdict.CONDITION
    assert verdicts(r"\sum_i \frac{\partial L}{\partial x_i} = 0", said=SOFTMAX)[-1] is Verdict.PROVED
    assert verdicts(r"\sum_i x_i \frac{\partial L}{\partial x_i} = 0", said=SOFTMAX)[-1] is Verdict.REFUTED


VALUES = {
    r"\sum_i i a_i = \sum_j j a_j": True,
    r"\sum_i i a_i = 3 \sum_i a_i": False,
    r"\sum_{i=1}^N i = N (N + 1) / 2": True,
    r"\sum_{i=0}^{N-1} i = N (N - 1) / 2": True,
    r"\sum_{i=1}^N i^2 = N (N + 1) (2 N + 1) / 6": True,
    r"\frac{\partial}{\partial a_k} \sum_{i=1}^N i a_i^2 = 2 k a_k": True,
    r"\frac{\partial}{\partial a_k} \sum_{i=1}^N i a_i^2 = 2 N a_k": False,
}


@pytest.mark.parametrize("formula", VALUES)
def test_the_letter_of_an_index_is_the_number_of_the_entry(formula):
    (verdict,) = verdicts(formula, said=r"Let $a \in \mathbb{R}^N$.")
    assert verdict in ((Verdict.PROVED, Verdict.CONFIRMED) if VALUES[formula] else (Verdict.REFUTED,))


def test_the_letter_of_a_sum_is_no_factor_of_it():
    (verdict,) = verdicts(r"\sum_i i a_i = i \sum_j a_j", said=r"Let $a \in \mathbb{R}^N$.")
    assert verdict is Verdict.UNCLEAR


def test_an_open_subscript_at_the_end_is_no_traceback():
    assert check(r"$$\mathtt{a\_} = 1$$" + "\n\n$$x_$$").claims is not None


INDICES = r"""
| Index | Number of values |
| --- | --- |
| $i$ | $N$ |
| $q$ | $D$ |

$$Z_i := \sum_q [q \le i]$$

$$f_{qi} = [q \le i] x_i$$

"""


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (r"\sum_i Z_i x_i = \sum_{q,i} [q \le i] x_i", True),
        (r"\sum_i Z_i x_i = \sum_{a,b} f_{ab}", True),
        (r"\sum_i Z_i x_i = 2 \sum_{a,b} f_{ab}", False),
        (r"\sum_q 1 + \sum_i x_i = D + \sum_i x_i", True),
        (r"\sum_{q,i} (f_{qi} + 1) = \sum_{q,i} f_{qi} + N D", True),
    ],
)
def test_indices_of_two_sizes_are_compared(formula, true):
    claim = check(f"{INDICES}$${formula}$$").claims[-1]
    assert claim.verdict in ((Verdict.PROVED, Verdict.CONFIRMED) if true else (Verdict.REFUTED,))


def test_an_equation_whose_letters_stand_alone_defines():
    found = [claim.verdict for claim in check(INDICES + r"$$y_i = 2 i$$ $$Z_i + y_i = 2 i + \sum_q [q \le i]$$").claims]
    assert found[:3] == [Verdict.DEFINITION] * 3
    assert found[3] in (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize(
    ("right", "true"),
    [
        (r"r \sum_{t=1}^n c_t r^{t-1}", True),
        (r"r^2 \sum_{t=1}^n c_t r^{t-1}", False),
    ],
)
def test_a_letter_that_a_sum_binds_is_no_transpose(right, true):
    said = r"Let $c \in \mathbb{R}^n$ and $r \in \mathbb{R}$."
    verdict = verdicts(rf"\sum_{{t=1}}^n c_t r^t = {right}", said=said)[-1]
    assert verdict in ((Verdict.PROVED, Verdict.CONFIRMED) if true else (Verdict.REFUTED,))


def test_the_derivative_of_a_series_counts_its_exponents():
    said = r"Let $c \in \mathbb{R}^n$ and $r \in \mathbb{R}$. $$V = \sum_{t=1}^n \frac{c_t}{(1 + r)^t}$$"
    slope = r"\frac{\partial V}{\partial r} = -\sum_{t=1}^n \frac{t c_t}{(1 + r)^{t+1}}"
    assert verdicts(slope, said=said)[-1] in (Verdict.PROVED, Verdict.CONFIRMED)
    assert verdicts(slope.replace("t c_t", "c_t"), said=said)[-1] is Verdict.REFUTED


def test_what_a_page_says_of_one_name_may_be_assumed_of_it():
    page = r"""Let $X \in \mathbb{R}^{n \times d}$ and $A \in \mathbb{R}^{n \times n}$.

$$B = A X$$

$$A B = A X$$
"""
    law = page.replace("$$A B", "$$A^2 = A$$\n\n$$A B")
    assert check(page).claims[-1].verdict is Verdict.REFUTED
    assert check(law).claims[-1].verdict is not Verdict.REFUTED


def test_where_a_sum_counts_samples_its_limit_is_no_size_of_theirs():
    page = r"""Let $W \in \mathbb{R}^{m \times k}$, $x \in \mathbb{R}^m$ and $y \in \mathbb{R}^k$.

$$z = W^\top x$$

$$L = \frac{1}{2} \|z - y\|^2$$

$$\frac{\partial L}{\partial W} = x (z - y)^\top$$

$$\frac{\partial L}{\partial W} = \sum_{i=1}^n x_i (W^\top x_i - y_i)^\top$$
"""
    assert all(claim.verdict is not Verdict.REFUTED for claim in check(page).claims)


def test_the_slope_of_a_power_of_a_name_without_an_equation_is_not_known():
    page = r"""$$\mu = \frac{1}{D} \sum_{i=1}^D x_i, \qquad \sigma^2 = \frac{1}{D} \sum_{i=1}^D (x_i - \mu)^2$$

$$\sigma = \sqrt{\sigma^2 + \varepsilon}$$

$$\frac{\partial \sigma^2}{\partial x_k} = \frac{2}{D} (x_k - \mu)$$
"""
    assert check(page).claims[-1].verdict is not Verdict.REFUTED
    beside = r"$$z_i = \frac{x_i}{\sigma}$$"
    slope = r"$$\frac{\partial z_i}{\partial x_k} = \frac{\delta_{ik}}{\sigma} - \frac{x_i (x_k - \mu)}{D \sigma^3}$$"
    through = check(f"{page}\n{beside}\n\n{slope}\n").claims[-1]
    assert through.verdict is not Verdict.REFUTED
    alone = page.replace(r"$$\sigma = \sqrt{\sigma^2 + \varepsilon}$$", "")
    assert check(alone).claims[-1].verdict is Verdict.PROVED
    assert check(alone.replace(r"\frac{2}{D} (x", r"\frac{1}{D} (x")).claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("unread", [r"\prod_{j<i} (1 - b_j)", r"1 - b_1 \cdots b_i"])
def test_a_derivative_through_what_cannot_be_read_is_open(unread):
    page = rf"$$a_i = {unread}$$" + "\n\n" + r"$$C = \sum_i a_i b_i c_i$$" + "\n\n"
    assert check(page + r"$$\frac{\partial C}{\partial b_k} = a_k c_k$$").claims[-1].verdict is Verdict.UNCLEAR
    # by what its equation doesn't speak of
    slope = check(page + r"$$\frac{\partial C}{\partial c_k} = a_k b_k$$").claims[-1]
    assert slope.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
