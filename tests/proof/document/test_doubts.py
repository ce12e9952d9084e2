"""What a document does not say supports no accusation; and functions that are defined by their entries."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Claim, Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

ENTRY = "$$\\sigma(u_i) = \\frac{e^{u_i}}{\\sum_l e^{u_l}}$$\n\n"


def claims(text: str, context: str = "") -> list[Claim]:
    """The judged claims of a note."""
    return [c for c in check(text, context=context).claims if c.verdict is not Verdict.CONDITION]


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("\\frac{\\partial \\sigma(u_i)}{\\partial u_k} = \\sigma(u_i)(\\delta_{ik} - \\sigma(u_k))", True),
        ("\\frac{\\partial \\log \\sigma(u_i)}{\\partial u_k} = \\delta_{ik} - \\sigma(u_k)", True),
        ("\\sum_i \\sigma(u_i) = 1", True),
        ("\\frac{\\partial \\sigma(u_i)}{\\partial u_k} = \\sigma(u_i)(1 - \\sigma(u_k))", False),
        ("\\frac{\\partial \\sigma(u_i)}{\\partial u_k} = \\sigma(u_i)(\\delta_{ik} + \\sigma(u_k))", False),
    ],
)
def test_a_function_defined_by_its_entries_is_no_sigmoid(claim, right):
    first, last = claims(f"{ENTRY}$${claim}$$")
    assert first.verdict is Verdict.DEFINITION
    assert last.verdict in (TRUE if right else (Verdict.REFUTED,))


def test_a_function_of_entries_takes_the_last_slot_as_its_row():
    head = ENTRY + "$$q_{ni} = \\sigma(z_{ni})$$\n\n"
    right = "$$\\frac{\\partial q_{ni}}{\\partial z_{nk}} = q_{ni}(\\delta_{ik} - q_{nk})$$"
    assert claims(head + right)[-1].verdict in TRUE
    assert claims(head + right.replace("- q", "+ q"))[-1].verdict is Verdict.REFUTED


def test_a_name_introduced_in_passing_refutes_nothing():
    start = "$$p_i = \\frac{e^{u_i}}{\\sum_l e^{u_l}} = \\frac{e^{u_i}}{Z}$$\n\n"
    slope = "$$\\frac{\\partial p_i}{\\partial u_i} = \\frac{e^{u_i} Z - e^{2 u_i}}{Z^2}$$"
    assert all(c.verdict is not Verdict.REFUTED for c in claims(start + slope))


def test_a_name_whose_own_equation_is_not_understood_refutes_nothing():
    start = "$$v_t = \\mathrm{gate}(u_{ot}, 3, 4)$$ $$h_t = v_t c_t$$\n\n"
    assert claims(start + "$$\\frac{\\partial h_t}{\\partial c_t} = u_{ot}$$")[-1].verdict is Verdict.UNCLEAR
    assert claims("$$h_t = v_t c_t$$ $$\\frac{\\partial h_t}{\\partial c_t} = 2 v_t$$")[-1].verdict is Verdict.REFUTED


def test_a_gradient_by_a_name_that_the_body_does_not_know_refutes_nothing():
    start = "$$C = \\frac{1}{2} \\sum_j (y_j - a^L_j)^2$$\n\n"
    assert claims(start + "$$\\nabla_a C = a^L - y$$")[-1].verdict is not Verdict.REFUTED
    assert claims(start + "$$\\frac{\\partial C}{\\partial a^L_j} = y_j - a^L_j$$")[-1].verdict is Verdict.REFUTED


def test_arrays_of_ones_in_a_special_case_stay_inputs():
    start = "Without weights, $\\mathbf{w} = \\mathbf{b} = \\mathbf{1}$.\n\n"
    start += "$$\\mathbf{o} = \\mathbf{r} \\odot \\mathbf{w} + \\mathbf{b}$$\n\n"
    right = "$$\\frac{\\partial L}{\\partial \\mathbf{b}} = \\frac{\\partial L}{\\partial \\mathbf{o}}$$"
    assert claims(start + right)[-1].verdict in TRUE
    assert claims(start + right + "\n\n" + right.replace("} =", "} = 2"))[-1].verdict is Verdict.REFUTED


def test_a_name_with_another_shape_in_another_section_is_no_error():
    start = "## Rules\n\n$W \\in \\mathbb{R}^{n \\times m}$, $X \\in \\mathbb{R}^{m \\times k}$: $Y = W X$.\n\n"
    claim = "$$W = Q K^T \\in \\mathbb{R}^{n \\times n}$$\n\n$$B = \\exp(W) \\in \\mathbb{R}^{n \\times n}$$"
    assert all(c.verdict is not Verdict.REFUTED for c in claims(start + "## Attention\n\n" + claim))
    assert any(c.verdict is Verdict.REFUTED for c in claims(start + claim))


def test_alternatives_joined_by_or_leave_a_name_open():
    start = "$$q = p, \\mathrm{or}, \\\\ q_i = p_i - \\sum_k p_k$$\n\n$$o = q \\odot w$$\n\n"
    assert all(c.verdict is not Verdict.REFUTED for c in claims(start + "$$\\frac{\\partial q_i}{\\partial p_i} = 1$$"))


def test_a_bold_name_with_a_number_may_be_one_of_several_arrays():
    start = "$$m = \\sum_i x_i$$\n\n$$o_i = \\mathbf{x}_1 w_i$$\n\n"
    assert claims(start + "$$\\frac{\\partial o_i}{\\partial w_i} = 2 \\mathbf{x}_1$$")[-1].verdict is Verdict.UNCLEAR
