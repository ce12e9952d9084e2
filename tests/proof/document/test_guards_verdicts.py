"""For each rule that says what a verdict needs: true notes that are understood, and wrong twins that are refuted.

Chains, what a refutation and a confirmation need, assumptions, sample points. The notes are small; the
numbers in the names are only an order, continued from `test_guards`.
"""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from tests.support.guards import JUDGED_TRUE, Guard, assert_open, assert_refuted, assert_true, claims_of, judged

LINEAR = r"Let $X \in \mathbb{R}^{N \times F}$, $W \in \mathbb{R}^{F \times O}$. $$Y = X W$$"
SOFTMAX = r"$$A_{ij} = \frac{e^{S_{ij}}}{\sum_l e^{S_{il}}}$$"

CROSS_ENTROPY = r"$$p_c = \frac{e^{z_c}}{\sum_k e^{z_k}}$$ $$L = -\sum_c y_c \log p_c$$"

CUBE = r"$$y_i = x_i^3$$"
NORMS = r"$$m_n = \frac{1}{H} \sum_{h=1}^{H} x_{nh}$$ $$v_n = \frac{1}{H - 1} \sum_{h=1}^{H} (x_{nh} - m_n)^2$$"

GUARDS = {
    "19 only known names": Guard(
        CUBE,
        (r"\frac{\partial L}{\partial x_i} = 3 x_i^2 \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial L}{\partial x_i} = 3 x_i \frac{\partial L}{\partial y_i}",),
        (
            r"\frac{\partial L}{\partial x_i} = 3 x_i v_i",
            r"\frac{\partial v_i}{\partial x_j} = \delta_{ij}",
            r"\frac{\partial y_i}{\partial x_j} = \mathrm{shift}(x_i, 2)",
        ),
    ),
    "19 no guess: a slice whose letter is not the first": Guard(
        r"$$Y_{bij} = 3 X_{bij}$$ $$t_i = \sum_b \sum_j X_{bij}$$",
        (r"Y_b = 3 X_b",),
        (r"Y_b = 2 X_b",),
        (r"Y_i = 2 X_i", r"Y_j = 2 X_j"),
    ),
    "19 every reading: total and local": Guard(
        r"$$y_j = \sum_i w_{ji} x_i$$ $$q_j = y_j x_j$$",
        (
            r"\frac{\partial q_j}{\partial x_j} = y_j",
            r"\frac{\partial q_j}{\partial x_j} = y_j + w_{jj} x_j",
        ),
        (r"\frac{\partial q_j}{\partial x_j} = y_j - w_{jj} x_j",),
    ),
    "19 every reading: sums that are not written": Guard(
        r"$$y_j = \sum_i w_{ji} x_i$$",
        (r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}",),
        (r"\frac{\partial L}{\partial x_i} = 2 \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}",),
    ),
    "19 no more points than are defined": Guard(
        NORMS,
        (
            r"\frac{\partial v_n}{\partial x_{kh}} = \frac{2}{H - 1} (x_{nh} - m_n) \delta_{nk}",
            r"v_n = \frac{1}{H - 1} (\sum_{h=1}^{H} x_{nh}^2 - H m_n^2)",
        ),
        (r"\frac{\partial v_n}{\partial x_{kh}} = \frac{2}{H} (x_{nh} - m_n) \delta_{nk}",),
    ),
    "19 not what rounding makes": Guard(
        r"$$y_i = x_i + w_i$$",
        (
            r"\frac{\partial L}{\partial x_i} = 10^{12} ((1 + 10^{-12} \frac{\partial L}{\partial y_i}) - 1)",
            r"(y_i + 10^8)^2 - 10^{16} - 2 \cdot 10^8 x_i = y_i^2 + 2 \cdot 10^8 w_i",
        ),
        (r"\frac{\partial L}{\partial x_i} = 2 \cdot 10^{12} ((1 + 10^{-12} \frac{\partial L}{\partial y_i}) - 1)",),
        (r"10^{11} \log (1 + 10^{-11} e^{y_i}) = e^{x_i} e^{w_i}",),
    ),
    "20 a sum that words state": Guard(
        r"The weights $q$ sum to one. $$s = \sum_c q_c (r_c + 1)$$",
        (r"s = \sum_c q_c r_c + 1",),
        (r"s = \sum_c q_c r_c + 2", r"s = \sum_c q_c r_c - 1"),
    ),
    "20 a sum that an equation states": Guard(
        r"We assume that $\sum_c q_c = 1$. $$s = \sum_c q_c (r_c + 1)$$",
        (r"s = \sum_c q_c r_c + 1",),
        (r"2 s = 2 \sum_c q_c r_c + 1",),
    ),
    "20 labels in a cross-entropy, without a word": Guard(
        CROSS_ENTROPY,
        (
            r"\frac{\partial L}{\partial z_c} = p_c - y_c",
            r"\frac{\partial L}{\partial z_c} = p_c \sum_k y_k - y_c = p_c - y_c",
        ),
        (
            r"\frac{\partial L}{\partial z_c} = y_c - p_c",
            r"\frac{\partial L}{\partial z_c} = p_c \sum_k y_k - y_c = p_c + y_c",
            r"\sum_c y_c^2 = 1",
        ),
    ),
    "20 one-hot where words state it": Guard(
        "The label $y$ is one-hot. " + CROSS_ENTROPY,
        (r"L = -\log \sum_c y_c p_c", r"\sum_c y_c^2 = 1", r"\frac{\partial L}{\partial z_c} = p_c - y_c"),
        (r"L = \log \sum_c y_c p_c", r"\sum_c y_c^2 = 2", r"\frac{\partial L}{\partial z_c} = p_c - y_c^3 p_c"),
    ),
    "20 the letter of the right class": Guard(
        "The label $y$ is one-hot with $y_t = 1$. " + CROSS_ENTROPY,
        (r"L = -\log p_t", r"\frac{\partial L}{\partial z_c} = p_c - y_c"),
        (r"L = \log p_t", r"\frac{\partial L}{\partial z_c} = p_c"),
        (r"\frac{\partial L}{\partial z_c} = p_c - \delta_{ct}",),
    ),
    "20 the letter of the right class, in words": Guard(
        r"Let $g$ be the index of the correct class. $$p_c = \frac{e^{z_c}}{\sum_k e^{z_k}}$$ $$L = -\log p_g$$",
        (r"\frac{\partial L}{\partial z_c} = p_c - \delta_{cg}",),
        (r"\frac{\partial L}{\partial z_c} = p_c + \delta_{cg}", r"\frac{\partial L}{\partial z_c} = p_g"),
    ),
    "20 one index that equals another, in words": Guard(
        SOFTMAX + " When $j = k$,",
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (1 - A_{ik})",),
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = -A_{ij} A_{ik}",),
    ),
    "21 a probability is no one-hot label": Guard(
        "We assume that $\\sum_c y_c = 1$. " + CROSS_ENTROPY,
        (r"\frac{\partial L}{\partial z_c} = p_c - y_c",),
        (r"\sum_c y_c^2 = 1", r"2 L = -2 \log \sum_c y_c p_c"),
    ),
    "21 points lie in the domain": Guard(
        r"$$y_i = \log a_i$$ $$r_i = \sqrt{b_i}$$ $$q_i = |u_i|$$",
        (
            r"\log (a_i b_i) = y_i + \log b_i",
            r"\frac{\partial r_i}{\partial b_j} = \frac{\delta_{ij}}{2 r_i}",
            r"q_i^2 = u_i^2",
        ),
        (
            r"\log (a_i b_i) = y_i \log b_i",
            r"\frac{\partial r_i}{\partial b_j} = \frac{\delta_{ij}}{r_i}",
            r"q_i = u_i",
        ),
    ),
    "21 no two values of one index differ": Guard(
        r"$$Z = \sum_{i, j} [i \neq j] w_{ij}$$ $$q_{ij} = \frac{[i \neq j] w_{ij}}{Z}$$",
        (r"\sum_{i, j} q_{ij} = 1",),
        (r"\sum_{i, j} q_{ij} = 2", r"\sum_j q_{ij} = 1"),
    ),
    "21 an exact zero": Guard(
        SOFTMAX + r" $$\frac{\partial L}{\partial S_{ij}} = \sum_k \frac{\partial L}{\partial A_{ik}}"
        r" \frac{\partial A_{ik}}{\partial S_{ij}}$$",
        (
            r"\sum_j \frac{\partial L}{\partial S_{ij}} = 0",
            r"\sum_k \frac{\partial A_{ij}}{\partial S_{ik}} = 0",
        ),
        (
            r"\sum_i \frac{\partial L}{\partial S_{ij}} = 0",
            r"\sum_k \frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij}",
        ),
    ),
    "21 a derivative only where its function is defined": Guard(
        r"$$y_i = \log (a_i - b_i)$$ $$r_i = \sqrt{1 - c_i^2}$$",
        (
            r"\frac{\partial y_i}{\partial b_j} = -\frac{\delta_{ij}}{a_i - b_i}",
            r"\frac{\partial r_i}{\partial c_j} = -\frac{c_i}{r_i} \delta_{ij}",
        ),
        (
            r"\frac{\partial y_i}{\partial b_j} = \frac{\delta_{ij}}{a_i - b_i}",
            r"\frac{\partial r_i}{\partial c_j} = -\frac{1}{2 r_i} \delta_{ij}",
        ),
        (r"y_i = \log (-e^{u_i})", r"\frac{\partial L}{\partial a_i} = \log (-e^{a_i})"),
    ),
    "21 probabilities under both logarithms": Guard(
        r"$$L = -\sum_i (y_i \log p_i + (1 - y_i) \log (1 - p_i))$$",
        (r"\frac{\partial L}{\partial p_i} = \frac{p_i - y_i}{p_i (1 - p_i)}",),
        (r"\frac{\partial L}{\partial p_i} = \frac{y_i - p_i}{p_i (1 - p_i)}",),
    ),
    "21 away from kinks": Guard(
        r"$$y_i = \max(0, x_i)$$ $$q_i = |u_i|$$",
        (
            r"\frac{\partial y_i}{\partial x_j} = \mathbf{1}[x_i > 0] \delta_{ij}",
            r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_i} \mathbb{1}_{y_i > 0}",
            r"\frac{\partial q_i}{\partial u_j} = (1 - 2 \mathbb{I}(u_i \le 0)) \delta_{ij}",
        ),
        (
            r"\frac{\partial y_i}{\partial x_j} = \mathbf{1}[x_i < 0] \delta_{ij}",
            r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_i} \mathbb{1}_{y_i > 1}",
            r"\frac{\partial q_i}{\partial u_j} = \mathbb{I}(u_i > 0) \delta_{ij}",
        ),
    ),
    "21 away from the poles that a condition leaves out": Guard(
        r"$$L = \sum_i \sum_{j \neq i} \frac{q_i q_j}{(x_i - x_j)^2}$$",
        (r"\frac{\partial L}{\partial x_i} = -4 \sum_{j \neq i} \frac{q_i q_j}{(x_i - x_j)^3}",),
        (r"\frac{\partial L}{\partial x_i} = -2 \sum_{j \neq i} \frac{q_i q_j}{(x_i - x_j)^3}",),
        (r"\frac{\partial L}{\partial x_i} = -2 \sum_{j \neq i} \frac{q_i q_j}{(x_j - x_j)^3}",),
    ),
}

D, P, C, F = "definition", "proved", "confirmed", "follows from a wrong line"
R, U = "refuted", "not understood"


@pytest.mark.parametrize(
    ("members", "verdicts"),
    [
        (r"3 x_i^2 \delta_{ij} = 3 x_i x_j \delta_{ij}", [P, P]),
        (r"3 x_i \delta_{ij} = 3 x_i^2 \delta_{ij}", [R, P]),
        (r"2 x_i^2 \delta_{ij} = (x_i^2 + x_j^2) \delta_{ij} = 3 x_i x_j \delta_{ij}", [R, F, P]),
        (r"2 x_i^2 \delta_{ij} = 4 x_i^2 \delta_{ij}", [R, R]),
        (r"3 x_i^2 \delta_{ij} = 3 x_i \delta_{ij} = 3 x_j \delta_{ij}", [P, R, F]),
        (r"\mathrm{shift}(x_i, 2) = 3 x_i^2 \delta_{ij}", [U, P]),
        (r"\mathrm{shift}(x_i, 2) = 2 x_i^2 \delta_{ij}", [U, R]),
    ],
)
def test_18_a_member_is_judged_against_the_head_and_the_one_before(members, verdicts):
    claims = check(rf"{CUBE} $$\frac{{\partial y_i}}{{\partial x_j}} = {members}$$").claims
    assert [str(one.verdict) for one in claims] == [D, *verdicts]


def test_18_a_member_is_judged_against_the_one_before_where_the_head_is_not_understood():
    claims = check(f"{CUBE} $$q_1 + \\dots + q_i = y_i + 1 = x_i^3 + 1$$").claims
    assert [str(one.verdict) for one in claims] == [D, U, P]


def test_18_what_follows_names_the_line_that_is_wrong():
    note = "\n".join(
        (CUBE, "$$", r"\frac{\partial y_i}{\partial x_j} = 2 x_i^2 \delta_{ij}", r"= 2 x_i x_j \delta_{ij}", "$$")
    )
    claims = check(note).claims
    assert [str(one.verdict) for one in claims] == [D, R, F]
    assert claims[1].line == 3
    assert claims[2].reason.startswith("follows from line 3, which is wrong")


def test_18_a_line_that_uses_a_wrong_line_rightly_is_not_accused():
    steps = (r"a_i = 2 x_i", r"y_i = a_i^2", r"\frac{\partial L}{\partial a_i} = a_i \frac{\partial L}{\partial y_i}")
    last = r"\frac{\partial L}{\partial x_i} = 2 \frac{\partial L}{\partial a_i}"
    claims = check(" ".join(f"$${step}$$" for step in (*steps, last))).claims
    assert [str(one.verdict) for one in claims] == [D, D, R, P]


SAYS_SO = "both sides are {} at every point tried"


@pytest.mark.parametrize(
    ("start", "claim", "verdict", "reason"),
    [
        (SOFTMAX, r"\sum_j A_{ij} = 1", P, ""),
        (SOFTMAX, r"\sum_j (A_{ij} - A_{ij} \sum_k A_{ik}) = 0", P, ""),
        (r"$$y_i = |x_i|$$", r"\frac{y_i}{\sqrt{x_i^2}} = 1", C, SAYS_SO.format(1)),
        (r"$$y_i = |x_i|$$", r"y_i - \sqrt{x_i^2} = 0", C, SAYS_SO.format("zero")),
        (r"$$y_i = |x_i|$$", r"y_i = 2 \sqrt{x_i^2}", R, "the right side is 2 times"),
        (r"$$y_i = \log (-e^{x_i})$$", r"2 y_i = 3 y_i", U, "too few points at which both sides are defined"),
        (
            r"$$s = \sum_i \sum_{j \neq i} \frac{a_i a_j}{b_i b_j}$$",
            r"2 s = \sum_i \sum_{j \neq i} \frac{a_j}{b_i - b_i}",
            U,
            "too few points",
        ),
    ],
)
def test_22_a_confirmation_needs_points_and_says_where_they_show_little(start, claim, verdict, reason):
    last = check(f"{start}\n\n$${claim}$$").claims[-1]
    assert str(last.verdict) == verdict
    assert last.reason.startswith(reason)
    assert bool(reason) == bool(last.reason)


ENTRIES = r"$$Y_{ij} = \sum_k X_{ik} W_{kj}$$"
SCORES = r"Let $Q, K \in \mathbb{R}^{n \times d}$. $$S = \frac{Q K^T}{\sqrt{d}}$$"
SQUARE = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$. $$y = A x$$"
UP = r"\frac{\partial L}{\partial Y_{ij}}"


@pytest.mark.parametrize(
    ("start", "claim", "reason"),
    [
        (ENTRIES, rf"\frac{{\partial L}}{{\partial X_{{ik}}}} = \sum_j {UP} W_{{kl}}", "the index l is free"),
        (
            ENTRIES,
            rf"\frac{{\partial L}}{{\partial X_{{ik}}}} = \sum_l \sum_j {UP} W_{{kj}}",
            "the sum over l binds nothing",
        ),
        (ENTRIES, rf"\frac{{\partial L}}{{\partial X_{{ik}}}} = {UP} W_{{kj}}", "the sum over j is missing"),
        (LINEAR, r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W", "shapes do not fit"),
        (
            SCORES,
            r"\frac{\partial L}{\partial Q} = \frac{\partial L}{\partial S} K",
            "the right side is √d times the left",
        ),
        (SQUARE, r"\frac{\partial L}{\partial x} = A \frac{\partial L}{\partial y}", "the transpose of A is missing"),
        (ENTRIES, rf"\frac{{\partial L}}{{\partial W_{{kj}}}} = \sum_i {UP} X_{{ki}}", "the indices of X are swapped"),
        (
            r"$$a_i = \tanh(z_i)$$",
            r"\frac{\partial a_i}{\partial z_j} = (1 - a_i) \delta_{ij}",
            "the power of a is 1 instead of 2",
        ),
    ],
)
def test_23_the_diagnosis_says_what_is_wrong_and_the_correction_is_true(start, claim, reason):
    last = check(f"{start}\n\n$${claim}$$").claims[-1]
    assert last.verdict is Verdict.REFUTED
    assert reason in last.reason
    corrected = check(f"{start}\n\n$${claim.split('=', maxsplit=1)[0]} = {last.correction}$$")
    assert corrected.claims[-1].verdict in JUDGED_TRUE
    assert not corrected.refuted


def test_23_a_name_that_is_never_defined_is_no_error():
    last = check(rf"{ENTRIES} $$Y_{{ij}} = \sum_k X_{{ik}} U_{{kj}}$$").claims[-1]
    assert (str(last.verdict), last.correction) == (U, "")
    assert "U" in last.reason.split()


UNSTATED, SAID = "the entries of y sum to 1, which is not stated", "the entries of y sum to 1"


@pytest.mark.parametrize(
    ("start", "claim", "assumptions"),
    [
        ("", r"\frac{\partial L}{\partial z_c} = p_c - y_c", (UNSTATED,)),
        ("Labels are one-hot.", r"\frac{\partial L}{\partial z_c} = p_c - y_c", (SAID,)),
        ("Here $y$ is a probability vector.", r"\frac{\partial L}{\partial z_c} = p_c - y_c", (SAID,)),
        ("Here $y$ is one-hot.", r"L = -\log \sum_c y_c p_c", ("y is one-hot",)),
        ("Let $\\sum_c y_c = 1$ be given.", r"\frac{\partial L}{\partial z_c} = p_c \sum_k y_k - y_c", ()),
    ],
)
def test_a_claim_that_needs_an_assumption_names_it(start, claim, assumptions):
    report = check(f"{start} {CROSS_ENTROPY}\n\n$${claim}$$")
    assert report.claims[-1].verdict in JUDGED_TRUE
    assert report.claims[-1].assumptions == assumptions
    assert [one.assumptions for one in report.unstated] == [assumptions] * (UNSTATED in assumptions)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_23_a_correction_is_true_wherever_one_is_given(name, claim):
    for wrong in (one for one in judged(GUARDS[name], claim)[1] if one.correction):
        member = wrong.latex.removeprefix("=").strip()
        assert member in claim
        mended = claim.replace(member, wrong.correction)
        assert wrong.latex not in [
            one.latex for one in judged(GUARDS[name], mended)[1] if one.verdict is Verdict.REFUTED
        ]
        assert [one for one in judged(GUARDS[name], mended)[1] if one.verdict in JUDGED_TRUE]


TRUE, WRONG, OPEN = (claims_of(GUARDS, kind) for kind in ("true", "wrong", "open"))


@pytest.mark.parametrize(("name", "claim"), TRUE)
def test_a_true_claim_is_understood_and_not_accused(name, claim):
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), WRONG)
def test_its_wrong_twin_is_refuted(name, claim):
    assert_refuted(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), OPEN)
def test_what_cannot_be_known_is_neither_accused_nor_believed(name, claim):
    assert_open(GUARDS[name], claim)
