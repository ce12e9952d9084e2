"""Expectations: linear, the same however what is in them is written, and never refuted."""

from __future__ import annotations

from itertools import product

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import TRUE, Verdict

GIVEN = r"Let $A, B \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$, and random $x, y \in \mathbb{R}^n$." + "\n\n"

BODIES = {
    "A x": r"A \mathbb{E}[x]",
    "A x + b": r"A \mathbb{E}[x] + b",
    "A x - 3 B y": r"A \mathbb{E}[x] - 3 B \mathbb{E}[y]",
    "A (B x + y)": r"A B \mathbb{E}[x] + A \mathbb{E}[y]",
    r"b^\top x": r"b^\top \mathbb{E}[x]",
    r"x y^\top B": r"\mathbb{E}[x y^\top] B",
    r"x^\top A y": r"\operatorname{tr}(A \mathbb{E}[y x^\top])",
    r"x x^\top b": r"\mathbb{E}[x x^\top] b",
    r"(x + y) x^\top": r"\mathbb{E}[x x^\top] + \mathbb{E}[y x^\top]",
}
"""What stands in an expectation, and what that is."""


def verdict(*relations: str) -> Verdict:
    """What is said of the last of some relations."""
    return check(GIVEN + "\n\n".join(f"$${one}$$" for one in relations) + "\n").claims[-1].verdict


@pytest.mark.parametrize("body", BODIES)
def test_an_expectation_is_linear(body: str) -> None:
    assert verdict(rf"\mathbb{{E}}[{body}] = {BODIES[body]}") in TRUE


@pytest.mark.parametrize(("one", "other"), [pair for pair in product(BODIES, BODIES) if pair[0] != pair[1]])
def test_another_expectation_is_not_confused_with_it_and_nothing_is_refuted(one: str, other: str) -> None:
    said = verdict(rf"\mathbb{{E}}[{one}] = {BODIES[other]}")
    assert said not in (*TRUE, Verdict.REFUTED)


@pytest.mark.parametrize("body", BODIES)
def test_it_is_read_through_the_equations_of_names(body: str) -> None:
    assert verdict(f"z = {body}", rf"\mathbb{{E}}[2 z] = 2 ({BODIES[body]})") in TRUE


@pytest.mark.parametrize("wrong", [r"x^\top x = \mathbb{E}[x^\top x]", r"\mathbb{E}[A x] = A x", r"\mathbb{E}[A] = A"])
def test_what_is_random_is_not_its_expectation(wrong: str) -> None:
    assert verdict(wrong) not in (*TRUE, Verdict.REFUTED)


def test_what_a_page_gives_is_a_declaration_and_is_used() -> None:
    given = r"\mathbb{E}[x x^\top] = A"
    assert verdict(given) is Verdict.DECLARATION
    assert verdict(given, r"\mathbb{E}[x^\top x] = \operatorname{tr}(A)") in TRUE
    assert verdict(given, r"\mathbb{E}[x^\top x] = 2 \operatorname{tr}(A)") is Verdict.UNCLEAR


def test_no_derivative_goes_into_an_expectation() -> None:
    assert verdict(r"\frac{\partial \, \mathbb{E}[b^\top x]}{\partial b} = \mathbb{E}[x]") is Verdict.UNCLEAR


def test_an_expectation_of_many_terms_is_refused() -> None:
    body = " ".join(["(x^\\top b + y^\\top b)"] * 7)
    claims = check(rf"{GIVEN}$$\mathbb{{E}}[{body}] = \mathbb{{E}}[x^\top b]$$").claims
    assert claims[-1].verdict is Verdict.UNCLEAR
    assert "60 terms" in claims[-1].reason


def test_a_page_may_have_another_name_of_that_letter() -> None:
    text = r"$$E = \frac{1}{2} z^2$$" + "\n\n" + r"$$\frac{\partial E}{\partial z} = z$$" + "\n"
    assert check(text).claims[-1].verdict in TRUE


@pytest.mark.parametrize("sign", [r"\mathbb{E}", r"\mathbb{E}_{q}", r"\mathbb{E}_{x \sim p}"])
@pytest.mark.parametrize("condition", ["", r" \mid z", " | z, w"])
def test_so_is_one_under_a_law_or_a_condition(sign: str, condition: str) -> None:
    expected = rf"{sign}[A x + b{condition}]"
    assert verdict(rf"{expected} = A {sign}[x{condition}] + b") in TRUE
    assert verdict(rf"{expected} = A {sign}[x{condition}]") is Verdict.UNCLEAR


def test_what_is_given_is_constant() -> None:
    assert verdict(r"\mathbb{E}[y x^\top | y] = y \mathbb{E}[x | y]^\top") in TRUE
    assert verdict(r"\mathbb{E}[y x^\top] = y \mathbb{E}[x]^\top") is Verdict.UNCLEAR


@pytest.mark.parametrize("other", [r"\mathbb{E}[x | z]", r"\mathbb{E}[x]", r"\mathbb{E}_q[x | y]"])
def test_another_condition_is_another_expectation(other: str) -> None:
    assert verdict(rf"A \mathbb{{E}}[x | y] = A {other}") is Verdict.UNCLEAR


def test_angle_brackets_around_one_value_are_an_expectation():
    claim = r"\left< A x + b \right> = A \langle x \rangle + b"
    assert check(f"Let $A \\in \\mathbb{{R}}^{{n \\times d}}$.\n\n$${claim}$$").claims[-1].verdict is Verdict.PROVED


MOTION = r"""{words}

$$E[w w^T] = Q$$

$$y = A x + w$$

$$P = E[x x^T]$$

$$E[y y^T] = A P A^T + {last}$$
"""


@pytest.mark.parametrize("words", ["The noise is white noise.", "x and w are independent.", "Both are uncorrelated."])
def test_the_expectation_of_a_product_of_different_names_may_be_zero_where_words_say_so(words):
    claim = check(MOTION.format(words=words, last="Q"), "note.md").claims[-1]
    assert claim.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    assert claim.assumptions == ("the expectation of w x is zero",)
    assert not claim.unstated
    assert check(MOTION.format(words=words, last="2 Q"), "note.md").claims[-1].verdict is Verdict.UNCLEAR


def test_without_words_such_a_product_is_no_reason_to_believe():
    claim = check(MOTION.format(words="A motion.", last="Q"), "note.md").claims[-1]
    assert claim.verdict is Verdict.UNCLEAR
    assert claim.reason == "it would hold if the expectation of w x is zero"


NOISES = r"""{words}

$$E[e e^T] = S$$

$$E[v v^T] = R$$

$$E[w w^T] = Q$$

$$x = A e + B v + w$$

$$E[x x^T] = A S A^T + B R B^T + {last}$$
"""


def test_the_expectations_of_several_products_may_be_zero_together():
    claim = check(NOISES.format(words="The noises e, v and w are independent.", last="Q"), "note.md").claims[-1]
    assert claim.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    assert set(claim.assumptions) == {f"the expectation of {pair} is zero" for pair in ("e v", "e w", "v w")}
    said = check(NOISES.format(words="The noises e, v and w are independent.", last="2 Q"), "note.md").claims[-1]
    assert said.verdict is Verdict.UNCLEAR
    unsaid = check(NOISES.format(words="Three noises.", last="Q"), "note.md").claims[-1]
    assert unsaid.verdict is Verdict.UNCLEAR
    assert unsaid.reason.startswith("it would hold if the expectation of ")
    assert unsaid.reason.count("is zero") == 3


DRAWN = (
    r"Let $u \sim \mathcal{N}(m, C)$ with $u, m \in \mathbb{R}^d$ and $w \sim \mathcal{N}(0, S)$ with "
    r"$w \in \mathbb{R}^n$ be independent, and $G \in \mathbb{R}^{n \times d}$."
)

OF_NORMALS = {
    r"\mathbb{E}[y]": ("G m", r"G^\top m"),
    r"\mathbb{E}[y y^\top]": (r"G (C + m m^\top) G^\top + S", r"G C G^\top + S"),
    r"\mathbb{E}[(y - G m) (y - G m)^\top]": (r"G C G^\top + S", r"G C G^\top - S"),
    r"\mathbb{E}[(u - m) (u - m)^\top]": ("C", "C^{-1}"),
    r"\mathbb{E}[(u - m) (y - G m)^\top]": (r"C G^\top", "G C"),
}
"""Expectations of names that are drawn from normal distributions: what they are, and what they are not."""


def of_normals(wrong: str = "") -> tuple[Verdict, ...]:
    """What is said of them, of one of them wrongly."""
    lines = [f"$${mean} = {OF_NORMALS[mean][mean == wrong]}$$" for mean in OF_NORMALS]
    report = check("\n\n".join([DRAWN, "$$y = G u + w$$", *lines]) + "\n")
    return tuple(one.verdict for one in report.claims[-len(lines) :])


def test_a_normal_distribution_says_the_mean_and_the_covariance_of_what_is_drawn_from_it() -> None:
    assert all(one in TRUE for one in of_normals())


@pytest.mark.parametrize("mean", OF_NORMALS)
def test_another_mean_or_covariance_is_not_believed(mean: str) -> None:
    assert of_normals(mean)[list(OF_NORMALS).index(mean)] not in (*TRUE, Verdict.REFUTED)


def test_a_distribution_whose_covariance_is_given_by_the_expectation_goes_round_in_no_circle() -> None:
    page = r"Noise $w \sim \mathcal{N}(0, Q)$ with $w \in \mathbb{R}^n$.\n\n$$Q = \mathbb{E}[w w^\top]$$\n\n"
    page += r"$$a = \mathbb{E}[w^\top w] = \operatorname{tr}(Q)$$" + "\n"
    assert check(page.replace("\\n", "\n")).claims[-1].verdict is not Verdict.REFUTED


ROUND = "Let $x$ and $y$ be random vectors.\n\n"
SPREAD = "E(x x^T) - E(x) E(x)^T = E((x - E(x)) (x - E(x))^T)"


@pytest.mark.parametrize("text", ["E(A x + y) = A E(x) + E(y)", SPREAD])
def test_statisticians_write_round_brackets(text: str) -> None:
    assert check(f"{ROUND}$${text}$$").claims[-1].verdict is Verdict.PROVED
    assert check(f"{ROUND}$${text.replace('E(x) E', '2 E(x) E').replace('A E', 'E')}$$").claims[-1].verdict not in TRUE


@pytest.mark.parametrize("other", ["", "$E = m c^2$", "$$E(x, y) = x^T y$$"])
def test_a_sign_that_stands_alone_or_has_several_arguments_is_none(other: str) -> None:
    words = ROUND if other else ""
    assert check(f"{words}{other}\n\n$${SPREAD}$$").claims[-1].verdict not in TRUE


def test_a_name_behind_the_sign_is_its_argument_where_brackets_follow_it_elsewhere() -> None:
    given = r"Let $\mathbb{E}$ be the expectation, $\mathbb{E}[x y^T] = C$." + "\n\n"
    spread = r"\mathbb{E}[(x - \mathbb{E} x) (y - \mathbb{E}y)^T] = \mathbb{E}[x y^T] - \mathbb{E} x \mathbb{E} y^T"
    assert check(f"{given}$${spread}$$").claims[-1].verdict is Verdict.PROVED
    assert check(f"{given}$${spread.replace('- ' + chr(92) + 'mathbb{E} x ', '+ ')}$$").claims[-1].verdict not in TRUE
    assert check(f"{given}$E = m c^2$\n\n$${spread}$$").claims[-1].verdict not in TRUE


@pytest.mark.parametrize(
    "energy", ["$$E(w) = w^2 + 2 w$$", r"$$w \leftarrow w - \eta \nabla E(w)$$", r"$$g = \nabla_w E(w)$$"]
)
def test_an_energy_or_an_error_is_no_expectation(energy: str) -> None:
    claim = check(f"The variance of a random variable is known.\n\n{energy}\n\n$$E(v + w) = E(v) + E(w)$$").claims[-1]
    assert claim.verdict not in TRUE


@pytest.mark.parametrize("text", [r"\mathbb{E} x y = m y", r"\mathbb{E} f(x) = \mathbb{E}[f] (x)"])
def test_how_far_an_argument_without_a_bracket_goes_is_not_guessed(text: str) -> None:
    page = "Let $x, y$ be random.\n\n" + r"$$\mathbb{E}[x] = m$$" + "\n\n"
    assert check(f"{page}$${text}$$").claims[-1].verdict is Verdict.UNCLEAR
