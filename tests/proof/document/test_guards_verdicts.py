"""For each rule that says what a verdict needs: true notes that are understood, and wrong twins that are refuted.

Chains, what a refutation and a confirmation need, assumptions, sample points. The notes are small; the
numbers in the names are only an order, continued from `test_guards`.
"""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check
from tests.support.guards import JUDGED_TRUE, Guard, assert_open, assert_refuted, assert_true, claims_of

SOFTMAX = r"$$A_{ij} = \frac{e^{S_{ij}}}{\sum_l e^{S_{il}}}$$"

CROSS_ENTROPY = r"$$p_c = \frac{e^{z_c}}{\sum_k e^{z_k}}$$ $$L = -\sum_c y_c \log p_c$$"

GUARDS = {
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
        (r"\frac{\partial L}{\partial z_c} = p_c - y_c",),
        (r"\frac{\partial L}{\partial z_c} = p_c",),
        (r"L = -\log p_t", r"\frac{\partial L}{\partial z_c} = p_c - \delta_{ct}"),
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
