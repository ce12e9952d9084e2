"""Functions that a document defines: their values, their derivatives, and what is not known of them."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from tests.document.test_deciding import CONFIRMED, OPEN, REFUTED, claims, last

SQUARE = "f(t) = t^2 + 1"
LOGISTIC = r"\sigma(z) = \frac{1}{1 + e^{-z}}"
SHARES = r"s(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}"
ROW = r"r(z_i) = \frac{e^{z_i}}{\sum_j e^{z_j}}"
LENGTH = r"u(x_i) = \frac{x_i}{\sqrt{\sum_j x_j^2}}"
DISTANCE = r"J(w) = \frac{1}{2} \sum_i (y_i - w_i)^2"

CLAIMS = {
    "f'(t)": (SQUARE, "2 t", "3 t"),
    "f(a + b)": (SQUARE, "a^2 + 2 a b + b^2 + 1", "a^2 + a b + b^2 + 1"),
    r"\frac{d f}{d t}": (SQUARE, "2 t", "t"),
    r"\sigma'(z)": (LOGISTIC, r"\sigma(z) (1 - \sigma(z))", r"\sigma(z) (1 + \sigma(z))"),
    r"1 - \sigma(z)": (LOGISTIC, r"\sigma(-z)", r"\sigma(z)"),
    r"\frac{\partial s(z)_i}{\partial z_k}": (
        SHARES,
        r"s(z)_i (\delta_{ik} - s(z)_k)",
        r"s(z)_i (\delta_{ik} + s(z)_k)",
    ),
    r"\frac{\partial r(z_i)}{\partial z_k}": (
        ROW,
        r"r(z_i) (\delta_{ik} - r(z_k))",
        r"r(z_i) \delta_{ik} (1 - r(z_i))",
    ),
    r"\frac{\partial r_i}{\partial z_k}": (ROW, r"r_i (\delta_{ik} - r_k)", r"r_i (\delta_{ik} + r_k)"),
    r"\frac{\partial r(x_{ni})}{\partial x_{mk}}": (
        ROW,
        r"\delta_{nm} r(x_{ni}) (\delta_{ik} - r(x_{nk}))",
        r"r(x_{ni}) (\delta_{ik} - r(x_{nk}))",
    ),
    r"\sum_i u(x_i)^2": (LENGTH, "1", "x_1"),
    r"\frac{\partial J}{\partial w_i}": (DISTANCE, "w_i - y_i", "y_i - w_i"),
    r"\nabla J(w)": (DISTANCE, "w - y", "w + y"),
}


@pytest.mark.parametrize("left", CLAIMS)
def test_what_is_said_of_a_function_rests_on_its_formula(left):
    definition, right, wrong = CLAIMS[left]
    assert last(definition, f"{left} = {right}") is CONFIRMED
    assert last(definition, f"{left} = {right}", f"{left} = {wrong}") is REFUTED


def test_functions_are_made_of_functions():
    start = (r"\phi(u) = u^3", r"g(u) = u \phi(u)")
    assert last(*start, "g'(u) = 4 u^3") is CONFIRMED
    assert last(*start, "g'(u) = 4 u^3", "g'(u) = 3 u^3") is REFUTED


def test_the_gradient_and_the_second_derivatives_of_a_function_of_a_vector():
    start = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$."
    definition = r"q(x) = x^\top A x"
    assert last(start, definition, r"\nabla q(x) = (A + A^\top) x") is CONFIRMED
    assert last(start, definition, r"\nabla q(x) = A x") is REFUTED
    assert last(start, definition, r"\nabla^2 q(x) = A + A^\top") is CONFIRMED
    assert last(start, definition, r"\nabla^2 q(x) = A") is REFUTED


def test_a_value_that_a_function_is_to_have_is_no_claim():
    assert last(SQUARE, "f'(t) = 0") is Verdict.CONDITION
    assert last(SQUARE, "f(t) = 5") is OPEN


def test_a_function_may_get_a_new_formula():
    found = claims(SQUARE, "f(t) = t^3")
    assert REFUTED not in {claim.verdict for claim in found}


def test_the_members_behind_a_definition_are_claims():
    assert last("f(t) = (t - 1)^2 = t^2 - 2 t + 1") is CONFIRMED
    assert last("f(t) = (t - 1)^2 = t^2 - 2 t - 1") is REFUTED


def test_a_parameter_that_hides_in_another_name_is_not_replaced():
    """The formula of ``L`` reads ``p``, which depends on ``w``: at ``2 v`` it is not known what that is."""
    start = ("p = w^2", "L(w) = p w")
    assert last(*start, "L(2 v) = 8 v^3") is OPEN
    assert last(*start, "L'(w) = 3 w^2") is OPEN


def test_an_undefined_function_is_unknown():
    assert last(r"\frac{d}{d x} h(x) = h'(x)") is CONFIRMED
    assert last(r"\frac{d}{d x} h(x) = h(x)") is OPEN


def test_a_gradient_that_has_a_name_is_differentiated_again():
    start = (r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$.", r"q(x) = x^\top A x", r"g = \nabla q(x)")
    assert last(*start, r"\frac{\partial g_i}{\partial x_j} = A_{ij} + A_{ji}") is CONFIRMED
    assert last(*start, r"\frac{\partial g_i}{\partial x_j} = A_{ij}") is REFUTED


@pytest.mark.parametrize("claim", ["E(X) E(Y) = E(X Y)", "E[X] E[Y] = E[X Y]", "E[x^2] = E[x]^2"])
def test_an_operator_that_is_not_defined_is_no_factor(claim: str) -> None:
    assert last("E(X) E(Y) = E[X Y]", claim) not in (CONFIRMED, REFUTED)


def test_a_power_of_the_largest_is_no_power_of_a_list():
    page = r"Let $a \in \mathbb{R}^N$." + "\n\n" + r"$$\sum_i \max(a_i, 2)^2 = {}$$"
    assert check(page.replace("{}", r"\sum_i \max(a_i, 2) \max(a_i, 2)")).claims[-1].verdict is Verdict.PROVED
    assert check(page.replace("{}", r"\sum_i \max(a_i, 2)")).claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("formula", [r"\sum_i \max a_i = \sum_i a_i \max", r"\min + 1 = 1 + \min"])
def test_the_largest_of_nothing_is_no_number(formula):
    assert check(rf"Let $a \in \mathbb{{R}}^N$. $${formula}$$").claims[-1].verdict is Verdict.UNCLEAR


def test_sigma_of_an_entry_is_what_its_equation_says():
    slope = r"\frac{\partial \sigma(z_i)}{\partial z_k} = "
    softmax = r"\sigma(z_i) = \frac{e^{z_i}}{\sum_j e^{z_j}}"
    assert last(softmax, slope + r"\sigma(z_i) (\delta_{ik} - \sigma(z_k))") is CONFIRMED
    assert last(softmax, slope + r"\delta_{ik} \sigma(z_i) (1 - \sigma(z_i))") is REFUTED
    assert last(r"y_i = \sigma(z_i)", slope + r"\delta_{ik} \sigma(z_i) (1 - \sigma(z_i))") is CONFIRMED


def test_a_function_of_an_entry_that_reads_other_names_too_is_not_put_in():
    kernel = r"f(x_i) = \sum_j w_j e^{x_i x_j}"
    assert last(r"Let $x, w \in \mathbb{R}^n$.", kernel, r"f(x_k) = \sum_j w_j e^{x_k x_j} + 1") is not CONFIRMED


@pytest.mark.parametrize("sign", ["=", ":="])
def test_a_function_of_several_arguments_is_defined_by_either_sign(sign):
    density = rf"$$\phi(x; \mu, s) {sign} \frac{{1}}{{s}} \exp(-\frac{{(x-\mu)^2}}{{2s^2}})$$" + "\n\n"
    loss = r"$$Q = \sum_{i=1}^n \log(\phi(x_i; \mu, s))$$" + "\n\n"
    slope = r"$$\frac{\partial Q}{\partial \mu} = %s\sum_{i=1}^n \frac{x_i - \mu}{s^2}$$"
    assert check(density + loss + slope % "").claims[-1].verdict is Verdict.PROVED
    assert check(density + loss + slope % "-").claims[-1].verdict is Verdict.REFUTED


SLOPE = r"\frac{\partial C_{ij}}{\partial S_{ik}} = C_{ij} (\delta_{jk} %s C_{ik})"


@pytest.mark.parametrize(
    ("entry", "right", "wrong"),
    [
        (r"\operatorname{softmax}(S)_{ij}", SLOPE % "-", SLOPE % "+"),
        (r"(\operatorname{softmax}(S))_{ij}", SLOPE % "-", SLOPE % "+"),
        (r"\frac{\exp(S)_{ij}}{\sum_k \exp(S)_{ik}}", SLOPE % "-", SLOPE % "+"),
    ],
)
def test_an_entry_of_a_function_of_an_array_says_what_a_name_is(entry, right, wrong):
    given = r"S \in \mathbb{R}^{n \times m}"
    assert last(given, f"C_{{ij}} = {entry}", right) in {CONFIRMED, Verdict.PROVED}
    assert last(given, f"C_{{ij}} = {entry}", wrong) is REFUTED
