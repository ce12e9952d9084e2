r"""Sums whose last value is a number, and implications that are typed ``=>``."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged, last

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

SOFTMAX = r"p_i = \frac{e^{z_i}}{\sum_{j=1}^3 e^{z_j}}"


@pytest.mark.parametrize(
    ("right", "verdict"), [(r"p_i (\delta_{ik} - p_k)", CONFIRMED), (r"p_i (\delta_{ik} - p_i)", REFUTED)]
)
def test_a_sum_up_to_a_number_runs_over_all_of_so_many(right, verdict):
    assert last(SOFTMAX, rf"\frac{{\partial p_i}}{{\partial z_k}} = {right}") is verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\sum_{i=1}^{2} \sum_{j=1}^{2} a_{ij} = a_{11} + a_{12} + a_{21} + a_{22}", CONFIRMED),
        (r"\sum_{i=1}^{2} \sum_{j=1}^{2} a_{ij} b_j = a_{11} b_1 + a_{12} b_1 + a_{21} b_1 + a_{22} b_2", REFUTED),
        (r"\sum_{k=0}^{4} x^k = 1 + x + x^2 + x^3 + x^4", CONFIRMED),
        (r"\sum_{k=0}^{4} x^k = 1 + x + x^2 + x^3", Verdict.UNCLEAR),
    ],
)
def test_its_terms_are_those_that_are_written_out(claim, verdict):
    assert last(claim) is verdict


def test_a_sum_of_many_terms_is_not_read():
    assert last(r"p_i = \frac{e^{z_i}}{\sum_{j=1}^{100} e^{z_j}}", r"\sum_{i=1}^{100} p_i = 1") is Verdict.UNCLEAR


STEPS = r"""
Let $x > 0$.

$$
\begin{align*}
y &= 2 \log \sqrt{x} \\
SIGN e^{y} &= x \\
SIGN e^{2 y} &= POWER
\end{align*}
$$
"""


@pytest.mark.parametrize("sign", ["=>", "<=>", r"\Rightarrow"])
@pytest.mark.parametrize(("power", "verdict"), [("x^2", CONFIRMED), ("x^3", REFUTED)])
def test_an_arrow_of_two_characters_is_no_relation(sign, power, verdict):
    claims = check(STEPS.replace("SIGN", sign).replace("POWER", power)).claims
    assert [claim.latex for claim in claims if "sqrt" not in claim.latex and claim.latex[0] == "="] == [
        "= x",
        f"= {power}",
    ]
    assert judged(claims[-1]) is verdict


LOSS = (
    r"\hat y_i = \frac{e^{\theta_i}}{\sum_j e^{\theta_j}}",
    r"J(\theta) = \operatorname{NAME}(y, \hat y) = -\sum_i y_i \log \hat y_i",
)


@pytest.mark.parametrize("name", ["CE", "Cost", "CrossEntropy", "KL"])
@pytest.mark.parametrize(
    ("right", "verdict"), [(r"\hat y_i \sum_k y_k - y_i", Verdict.PROVED), (r"y_i - \hat y_i", REFUTED)]
)
def test_a_chain_says_what_the_function_in_it_is(name, right, verdict):
    given = [one.replace("NAME", name) for one in LOSS]
    assert (
        check("\n\n".join(f"$$ {one} $$" for one in (*given, rf"\frac{{\partial J}}{{\partial \theta_i}} = {right}")))
        .claims[-1]
        .verdict
        is verdict
    )


def test_a_function_that_has_an_equation_keeps_it():
    given = r"\operatorname{Cost}(y, \hat y) = \sum_i (y_i - \hat y_i)^2"
    wrong = LOSS[1].replace("NAME", "Cost")
    assert last(LOSS[0], given, wrong) is REFUTED
