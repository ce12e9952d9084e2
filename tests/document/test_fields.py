r"""Derivatives of fields: ``\nabla``, ``div``, ``curl``, ``\partial_i``, each identity with a wrong twin."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

START = r"""$u$ and $v$ are vector fields, $f$ and $g$ are scalar fields.

$$\nabla \cdot (f v) = f \nabla \cdot v + v \cdot \nabla f$$"""
"""What shows that the page is about fields."""

IDENTITIES = {
    r"\nabla (f g)": (r"f \nabla g + g \nabla f", r"f \nabla g - g \nabla f"),
    r"\operatorname{div}(f v)": (
        r"f \operatorname{div} v + v \cdot \nabla f",
        r"f \operatorname{div} v - v \cdot \nabla f",
    ),
    r"\nabla \times (f v)": (r"f \nabla \times v + \nabla f \times v", r"f \nabla \times v + v \times \nabla f"),
    r"\nabla \times (\nabla \times v)": (
        r"\nabla (\nabla \cdot v) - \nabla^2 v",
        r"\nabla (\nabla \cdot v) + \nabla^2 v",
    ),
    r"\nabla (f v)": (r"f \nabla v + v \otimes \nabla f", r"f \nabla v - v \otimes \nabla f"),
    r"\nabla \cdot (u \otimes v)": (
        r"(\nabla \cdot v) u + v \cdot \nabla u",
        r"(\nabla \cdot u) v + v \cdot \nabla u",
    ),
    r"\nabla \cdot (v \otimes u)": (
        r"(\nabla \cdot u) v + (u \cdot \nabla) v",
        r"(\nabla \cdot u) v - (u \cdot \nabla) v",
    ),
    r"\nabla \cdot (u \times v)": (
        r"v \cdot (\nabla \times u) - u \cdot (\nabla \times v)",
        r"v \cdot (\nabla \times u) + u \cdot (\nabla \times v)",
    ),
    r"\nabla (u \cdot v)": (
        r"(u \cdot \nabla) v + (v \cdot \nabla) u + u \times (\nabla \times v) + v \times (\nabla \times u)",
        r"(u \cdot \nabla) v + (v \cdot \nabla) u - u \times (\nabla \times v) + v \times (\nabla \times u)",
    ),
    r"\nabla^2 (f g)": (
        r"f \nabla^2 g + 2 \nabla f \cdot \nabla g + g \nabla^2 f",
        r"f \nabla^2 g + \nabla f \cdot \nabla g + g \nabla^2 f",
    ),
    r"\partial_j^2 (f g)": (
        r"f \partial_j^2 g + 2 \partial_j f \partial_j g + g \partial_j^2 f",
        r"f \partial_j^2 g + \partial_j f \partial_j g + g \partial_j^2 f",
    ),
    r"\partial_j^2 (f v_i)": (
        r"\partial_j \(f \partial_j v_i \) + \partial_j \[ v_i \partial_j f \]",
        r"\partial_j \(f \partial_j v_i \) - \partial_j \[ v_i \partial_j f \]",
    ),
    r"\partial_i (f v_j)": (r"f \partial_i v_j + v_j \partial_i f", r"f \partial_i v_j - v_j \partial_i f"),
}
"""Identities of vector calculus, each with a right and a wrong second member."""


def verdict(formula: str, start: str = START) -> Verdict:
    """The verdict on the last relation of a page about fields."""
    return judged(check(f"{start}\n\n$${formula}$$").claims[-1])


@pytest.mark.parametrize("left", IDENTITIES)
def test_an_identity_holds_for_all_fields_and_its_twin_does_not(left):
    right, wrong = IDENTITIES[left]
    assert verdict(f"{left} = {right}") is CONFIRMED
    assert verdict(f"{left} = {wrong}", f"{START} $${left} = {right}$$") is REFUTED
    assert verdict(f"{left} = {wrong}") is not CONFIRMED


@pytest.mark.parametrize("formula", [r"\operatorname{curl}(\nabla f)", r"\nabla \cdot (\nabla \times v)"])
def test_what_is_zero_for_all_fields(formula):
    assert verdict(f"{formula} = 0") is CONFIRMED


LAWS = [
    r"\frac{\partial u}{\partial t} = \nabla^2 u",
    r"\partial_t f + \nabla \cdot (f u) = 0",
    r"u \cdot \nabla u = -\nabla f + \nabla^2 u",
    r"-\nabla^2 f = g",
    r"\nabla^2 f = f",
    r"\nabla \cdot u = 0",
    r"\nabla \times u = u",
    r"\partial_i u_j = \partial_j u_i",
]
"""What holds for some fields alone: equations of mathematical physics."""


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_neither_true_nor_refuted(law):
    assert verdict(law) not in (CONFIRMED, REFUTED)


def test_where_a_law_is_stated_its_use_is_no_mistake():
    formula = r"\nabla \times (\nabla \times u) = -\nabla^2 u"
    assert verdict(formula) is REFUTED
    assert verdict(formula, START + r" Here $\nabla \cdot u = 0$.") is not REFUTED
    assert verdict(formula, START + " The flow is incompressible.") is not REFUTED


def test_what_words_call_constant_is_the_same_everywhere():
    start = START + r"$$\nabla (\kappa g) = \kappa \nabla g + g \nabla \kappa$$"
    formula = r"\nabla \cdot (\kappa \nabla g) = \kappa \nabla^2 g"
    assert verdict(formula, start) is not CONFIRMED
    assert verdict(formula, start + r" If $\kappa$ is constant, then") is CONFIRMED
    assert verdict(formula, start + r" For constant $\kappa$,") is CONFIRMED


def test_a_factor_that_nothing_differentiates_may_be_the_same_everywhere():
    claim = check(START + r"$$\nabla \cdot (\kappa \nabla g) = \kappa \nabla^2 g$$").claims[-1]
    assert judged(claim) is CONFIRMED
    assert claim.assumptions == ("kappa is the same everywhere",)
    assert verdict(r"\nabla \cdot (\kappa \nabla g) = 2 \kappa \nabla^2 g") is REFUTED


def test_a_field_with_two_indices_elsewhere_is_no_vector():
    start = START + " The entries of $A$ are $A_{ij}$.\n\n# Rules\n\n"
    formula = r"\operatorname{div}(f A) = f \operatorname{div} A + "
    assert verdict(formula + r"A \nabla f", start) is CONFIRMED
    both = start + rf"$${formula} A \nabla f$$"
    assert verdict(formula + r"A^\top \nabla f", both) is not CONFIRMED


def test_components_that_are_written_out_are_all_there_are():
    start = START + r" The components of $v$ are $v_i$. $$\nabla f = (\partial_1 f, \partial_2 f, \partial_3 f)$$"
    assert verdict(r"v \cdot \nabla u = v_1 \partial_1 u + v_2 \partial_2 u + v_3 \partial_3 u", start) is CONFIRMED
    assert verdict(r"v \cdot \nabla u = v_1 \partial_1 u + v_2 \partial_2 u - v_3 \partial_3 u", start) is REFUTED


def test_a_nabla_of_a_function_of_names_is_no_derivative_by_the_place():
    text = r"$$f(x) = \tfrac12 x^\top x$$ $$\nabla f(x) = {}x$$"
    assert judged(check(text.replace("{}", "")).claims[-1]) is CONFIRMED
    assert judged(check(text.replace("{}", "2")).claims[-1]) is REFUTED


def test_an_explanation_says_what_fields_are_functions_of():
    report = check(START, explain=frozenset({3}))
    explained = report.claims[0].explanation
    assert explained is not None
    assert {one.name: one.source for one in explained.names}["v"] == "any function of the place"
