"""Members that equal the one before them, of which nothing is known; and dots among factors."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.report import summary

HEAD = r"$$y_i = \sum_j W_{ij} x_j$$" + "\n\n"


def verdicts(claim: str, given: str = HEAD) -> list[Verdict]:
    return [one.verdict for one in check(f"{given}$${claim}$$\n").claims]


def test_a_member_that_equals_one_that_is_not_judged_is_a_step_and_no_more():
    report = check(HEAD + r"$$\oint y = \sum_i y_i = \sum_{ij} W_{ij} x_j = 2 \sum_{ij} W_{ij} x_j$$")
    assert [one.verdict for one in report.claims[-3:]] == [Verdict.UNCLEAR, Verdict.STEP, Verdict.UNCLEAR]
    assert report.unclear == report.claims[-3:]
    assert "1 more equal a member before them that is not judged" in summary(report)


GIVEN = r"$$T_{ij \cdots k} = u_i v_j \cdots w_k$$" + "\n\n"


@pytest.mark.parametrize(
    "claim", [r"T_{ij \cdots k} = w_k \cdots v_j u_i", r"2 T_{ij \cdots k} = 2 u_i v_j \cdots w_k"]
)
def test_dots_on_both_sides_may_stand_for_nothing(claim):
    (_, found) = check(GIVEN + f"$${claim}$$").claims
    assert found.verdict is Verdict.PROVED
    assert found.assumptions == ("dots stand for no further factors or indices",)


@pytest.mark.parametrize("claim", [r"T_{ij \cdots k} = u_i v_j w_k", r"T_{ij \cdots k} = 2 u_i v_j \cdots w_k"])
def test_nothing_false_of_dots_is_refuted_and_dots_on_one_side_are_not_read(claim):
    assert verdicts(claim, GIVEN)[-1] is Verdict.UNCLEAR


PLAIN = "$$T = u v^\\top \\cdots w$$\n\n"
"""An equation with dots for a name that stands without dots elsewhere."""


def test_what_is_true_of_a_name_whose_equation_has_dots_holds_whatever_they_stand_for():
    assert verdicts(r"\operatorname{tr}(A T^\top) = \operatorname{tr}(T A^\top)", PLAIN)[-1] is Verdict.PROVED


@pytest.mark.parametrize(
    "claim", [r"\operatorname{tr}(T) = 3 u^\top v", r"\operatorname{tr}(A T^\top) = \operatorname{tr}(2 T A^\top)"]
)
def test_nothing_false_of_a_name_whose_equation_has_dots_is_refuted(claim):
    assert verdicts(claim, PLAIN)[-1] is Verdict.UNCLEAR


PRODUCT = r"$$Y_{ij} = \sum_k X_{ik} W_{kj}$$" + "\n\n"


def test_a_sum_that_binds_nothing_beside_a_free_index_is_refuted():
    (_, found) = check(
        PRODUCT + r"$$\frac{\partial L}{\partial X_{ik}} = \sum_n \frac{\partial L}{\partial Y_{im}} W_{km}$$"
    ).claims
    assert found.verdict is Verdict.REFUTED
    assert "the sum runs over n instead of m" in found.reason
    assert found.correction == r"\sum_{m} \frac{\partial L}{\partial Y_{im}} W_{km}"


def test_a_sum_that_binds_nothing_refutes_nothing_by_itself():
    claim = r"\frac{\partial L}{\partial X_{ik}} = \sum_n \sum_j \frac{\partial L}{\partial Y_{ij}} W_{kj}"
    assert verdicts(claim, PRODUCT)[-1] is Verdict.UNCLEAR


BACKWARD = r"""$\nabla A = \sum_{n=1}^k -\lambda_n r_n^\top - l_n \rho_n^\top$

# The adjoint system

Here $\rho_k = -\nabla h$, and $b_k \lambda_{k+1} = 0$.

$\rho_{n-1} = b_{n-1}^{-1}(-\nabla r_n + A^\top \lambda_n - a_n \rho_n - r_n \omega_n)$

At last $\kappa = -\nabla r_1 + A^\top \lambda_1 - a_1 \rho_1 - r_1 \omega_1$
"""


def test_what_an_equation_says_of_a_name_is_no_answer_to_which_says_it_of_another_step():
    report = check(BACKWARD)
    assert not report.refuted
    assert len(report.claims) == BACKWARD.count("=") - 1  # but for the limit of the sum
