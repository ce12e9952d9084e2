"""Relations that are no equality: what is said of them, and of what stands behind them."""

import pytest

from indexcalc import check
from indexcalc.document.report import Verdict
from indexcalc.language.latex.tokens import tokenize

GIVEN = r"Let $A \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$. $$y = A x$$" + "\n\n"


def verdicts(relation: str) -> list[Verdict]:
    """What is said of the members of a relation, below equations that give its names a meaning."""
    report = check(f"{GIVEN}$${relation}$$\n")
    return [claim.verdict for claim in report.claims if claim.line == 3]


@pytest.mark.parametrize(
    "relation",
    [
        r"x \perp \epsilon",
        r"x \perp\!\!\!\perp z",
        r"B \succ 0",
        r"B \succeq C",
        r"S \subseteq T",
        r"k \notin S",
        r"a \not= b",
        r"0 \leq p",
    ],
)
def test_what_is_said_of_names_is_a_condition(relation: str) -> None:
    assert verdicts(relation) == [Verdict.CONDITION]


@pytest.mark.parametrize("relation", [r"x \sim N(\mu, \Sigma)", r"y | x \sim \mathcal{N}(A x, \Sigma)", r"x \sim p(x)"])
def test_what_is_drawn_is_a_declaration(relation: str) -> None:
    assert verdicts(relation) == [Verdict.DECLARATION]


@pytest.mark.parametrize(
    "relation",
    [
        r"y \approx A x + y",
        r"y \propto 2 A x",
        r"A x + y \sim 3 y",
        r"A x \not\approx y",
        r"y + y \lesssim A x",
        "y ≈ 2 A x",
    ],
)
def test_what_is_no_equality_is_read_and_not_judged(relation: str) -> None:
    assert verdicts(relation) == [Verdict.UNJUDGED]


@pytest.mark.parametrize("sign", ["approx", "propto", "leq"])
def test_what_cannot_be_read_is_not_understood(sign: str) -> None:
    assert verdicts(rf"A x + y \{sign} \int x") == [Verdict.UNCLEAR]
    assert verdicts(rf"A x + x \{sign} y + y") == [Verdict.UNCLEAR]


@pytest.mark.parametrize("sign", ["approx", "propto", "sim", "leq", "gg"])
def test_only_an_equality_gives_a_name_a_meaning(sign: str) -> None:
    report = check(f"{GIVEN}$$z \\{sign} 2 A x$$\n\n$$z = 3 y$$\n\n$$z = 3 A x$$\n")
    assert [claim.verdict for claim in report.claims if claim.line > 3] == [Verdict.DEFINITION, Verdict.PROVED]


def test_behind_an_inequality_a_chain_begins_anew() -> None:
    assert verdicts(r"\|y\| \leq y^\top y = x^\top A^\top A x = y^\top A x") == [
        Verdict.UNJUDGED,
        Verdict.PROVED,
        Verdict.PROVED,
    ]


def test_nothing_is_refuted_behind_another_relation() -> None:
    for sign in ("leq", "approx", "propto"):
        assert verdicts(rf"\|y\| \{sign} y^\top y = 2 x^\top A^\top A x") == [Verdict.UNJUDGED, Verdict.UNCLEAR]


def test_what_stands_before_an_inequality_is_judged() -> None:
    assert verdicts(r"y^\top A x = 2 x^\top A^\top A x \geq 0") == [Verdict.REFUTED, Verdict.UNJUDGED]


@pytest.mark.parametrize("word", ["at", "near", "when", "if"])
def test_an_equation_that_names_a_point_gives_no_meaning(word: str) -> None:
    text = rf"It is least {word} $\theta = \pi$, and $\theta x + \theta x = 2 \theta x$."
    assert [claim.verdict for claim in check(GIVEN + text).claims if claim.line == 3] == [
        Verdict.CONDITION,
        Verdict.PROVED,
    ]


def test_nothing_follows_from_an_equation_that_names_a_point() -> None:
    claims = check(GIVEN + r"It is least at $\theta = 2$, and $\theta x = 2 x$.").claims
    assert [claim.verdict for claim in claims if claim.line == 3] == [Verdict.CONDITION, Verdict.UNCLEAR]


@pytest.mark.parametrize("word", ["If", "for", "where"])
def test_other_words_lead_to_a_definition(word: str) -> None:
    text = rf"{word} $f = x^\top x$, the gradient is $\frac{{\partial f}}{{\partial x}} = 2 x$."
    assert [claim.verdict for claim in check(GIVEN + text).claims if claim.line == 3] == [
        Verdict.DEFINITION,
        Verdict.PROVED,
    ]


def test_a_sign_of_a_relation_in_a_script_is_a_label() -> None:
    assert [token.kind for token in tokenize(r"U^\perp + v_{\parallel}")] == [
        "NAME",
        "SUP",
        "NAME",
        "PLUS",
        "NAME",
        "SUB",
        "{",
        "NAME",
        "}",
    ]


@pytest.mark.parametrize(
    "value", ["(1, 2)^T", r"(3, -4.5)^\top", "[3, 3]", r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}", "7"]
)
def test_figures_in_brackets_are_given(value: str) -> None:
    report = check(f"The points are $u_1 = {value}$ and $u_2 = {value}$.")
    assert [claim.verdict for claim in report.claims] == [Verdict.DEFINITION] * 2
    (claim,) = check(GIVEN + rf"$$y_1 + y_2 = {value}$$").claims[-1:]
    assert claim.verdict is not Verdict.DEFINITION


def test_figures_for_a_power_are_a_claim() -> None:
    figures = [r"\begin{bmatrix} 2 & 0 \\ 0 & 3 \end{bmatrix}", r"\begin{bmatrix} 4 & 0 \\ 0 & 9 \end{bmatrix}"]
    assert check(rf"$$F = {figures[0]}$$" + "\n\n" + rf"$$F^2 = {figures[1]}$$").claims[-1].verdict is Verdict.CONFIRMED
    assert check(rf"$$F = {figures[0]}$$" + "\n\n" + rf"$$F^2 = {figures[0]}$$").claims[-1].verdict is Verdict.UNCLEAR


def test_figures_for_a_name_that_is_computed_are_a_claim() -> None:
    page = "Let $z = (1, 1)$ and $w = 2 z$. Then $w = {}$."
    assert check(page.replace("{}", "(2, 2)")).claims[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    assert check(page.replace("{}", "(3, 2)")).claims[-1].verdict in (Verdict.REFUTED, Verdict.UNCLEAR)
