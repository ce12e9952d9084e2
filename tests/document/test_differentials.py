"""Differentials: derivatives along the directions in which the names under a d vary."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED


def last(*displays: str) -> Verdict:
    """The verdict on the last relation."""
    return judged(check("\n\n".join(f"$${text}$$" for text in displays)).claims[-1])


IDENTITIES = {
    "d(AB)": (r"dA\,B + A\,dB", r"dA\,B + dB\,A"),
    "d(A^{-1})": (r"-A^{-1}\,dA\,A^{-1}", r"A^{-1}\,dA\,A^{-1}"),
    r"\mathrm{d}\log\det X": (r"\operatorname{tr}(X^{-1}\,\mathrm{d}X)", r"\operatorname{tr}(X\,\mathrm{d}X)"),
    r"\mathrm{d}\operatorname{logdet}(X)": (
        r"\operatorname{tr}(X^{-1}\,\mathrm{d}X)",
        r"\operatorname{tr}(X\,\mathrm{d}X)",
    ),
    r"d(\operatorname{tr}(C^\top C))": (r"2\operatorname{tr}(C^\top\,dC)", r"\operatorname{tr}(C^\top\,dC)"),
}
"""Identities of differentials, each with a right and a wrong second member."""


@pytest.mark.parametrize("left", IDENTITIES)
def test_the_differential_of_an_expression(left):
    right, wrong = IDENTITIES[left]
    assert last(f"{left} = {right}") is CONFIRMED
    assert last(f"{left} = {wrong}") is not CONFIRMED


@pytest.mark.parametrize("left", IDENTITIES)
def test_what_another_statement_shows_to_be_a_differential_is_refuted(left):
    _, wrong = IDENTITIES[left]
    assert last("d(MN) = dM N + M dN", f"{left} = {wrong}") is REFUTED


def test_the_differential_of_a_defined_name():
    start = ("Y = X W", "dY = dX W + X dW")
    assert last(*start) is CONFIRMED
    assert last(*start, "dY = dX W + W dX") is not CONFIRMED


def test_a_document_with_differentials_may_have_gradients():
    start = ("O = P V", "dO = P dV")
    assert last(*start) is CONFIRMED
    assert last(*start, r"dV = P^\top dO") is CONFIRMED
    assert last(*start, r"dV = P^\top P dO") is REFUTED


def test_what_varies_elsewhere_is_not_held_without_a_word():
    start = ("d(AB) = dA B + A dB",)
    assert last(*start, "d(BA) = dB A") is not CONFIRMED


PRODUCT = "# The product\n\n$$d(AB) = dA\\,B + A\\,dB$$\n\n"
"""A section in which both factors vary."""


@pytest.mark.parametrize("heading", ["", "# A change of one factor\n\n"], ids=["the same section", "another section"])
def test_what_varies_in_other_sections_alone_may_be_held(heading):
    claim = check(PRODUCT + heading + "$$d(B A C) = B\\,dA\\,C$$").claims[-1]
    assert (judged(claim) is CONFIRMED) is bool(heading)
    assert claim.assumptions == (("B is held",) if heading else ())


@pytest.mark.parametrize("wrong", [r"A\,dA\,C", r"2 B\,dA\,C", r"dA\,B\,C"])
def test_a_wrong_differential_does_not_hold_because_a_name_is_held(wrong):
    claim = check(PRODUCT + f"# A change of one factor\n\n$$d(B A C) = {wrong}$$").claims[-1]
    assert judged(claim) is not CONFIRMED


def test_a_name_whose_differential_is_said_to_be_zero_is_held():
    start = ("d(AB) = dA\\,B + A\\,dB",)
    claim = r"d(C A B) = C\,dA\,B"
    assert last(*start, claim) is not CONFIRMED
    assert last(*start, "dB = 0", claim) is CONFIRMED
    assert last(*start, "dB = 0", r"d(C A B) = dA\,C\,B") is not CONFIRMED
    assert last(*start, "dA = 0", claim) is not CONFIRMED


TOTAL = {
    r"dz = \frac{dz}{dy}\,dy": r"dz = -\frac{dz}{dy}\,dy",
    r"dz = \frac{dz}{dy} \frac{dy}{dx}\,dx": r"dz = 2 \frac{dz}{dy} \frac{dy}{dx}\,dx",
    r"df = \frac{\partial f}{\partial x} dx + \frac{\partial f}{\partial t} dt": (
        r"df = \frac{\partial f}{\partial x} dx - \frac{\partial f}{\partial t} dt"
    ),
    r"dL = \sum_{ij} \frac{\partial L}{\partial X_{ij}} dX_{ij}": (
        r"dL = 2 \sum_{ij} \frac{\partial L}{\partial X_{ij}} dX_{ij}"
    ),
}
"""Differentials of functions of which nothing is known but what they are functions of, and wrong twins."""


@pytest.mark.parametrize("right", TOTAL)
def test_a_function_without_an_equation_has_a_total_differential(right):
    assert last(right) is CONFIRMED
    assert last(right, TOTAL[right]) is REFUTED
    assert last(TOTAL[right]) is not CONFIRMED


def test_all_arguments_of_a_function_vary():
    start = r"Let $f(x, y)$ be a function. $$df = \frac{\partial f}{\partial x} dx + \frac{\partial f}{\partial y} dy$$"
    assert judged(check(start).claims[-1]) is CONFIRMED
    assert judged(check(start + r" $$df = \frac{\partial f}{\partial x} dx$$").claims[-1]) is not CONFIRMED


def test_a_formula_for_the_differential_of_an_unknown_function_is_open():
    right = r"dz = \frac{dz}{dy}\,dy"
    assert last(right, right + r" = 3 y^2\,dy") not in (CONFIRMED, REFUTED)


def test_a_gradient_may_be_written_with_a_nabla():
    text = "$X$ is a matrix. $$dL = {}\\operatorname{{tr}}((\\nabla_X L)^\\top dX)$$"
    assert judged(check(text.format("")).claims[-1]) is CONFIRMED
    assert judged(check(text.format("2")).claims[-1]) is not CONFIRMED


def test_gradients_with_short_names_are_no_differentials_of_unknown_functions():
    claim = check(r"$$dx = \frac{\partial y}{\partial x} dy$$").claims[-1]
    assert judged(claim) is not REFUTED


HOLDING = [
    "The differential is $dO = {}$ (treating $P$ as constant).",
    "With $P$ held fixed, $$dO = {}$$",
    "$P$ is fixed, so $dO = {}$.",
    "Fixing $P$ we get $dO = {}$.",
]
"""Sentences that hold one factor of a product."""


@pytest.mark.parametrize("sentence", HOLDING)
def test_words_in_a_sentence_hold_a_name(sentence):
    start = "We have $O = P V$. Both vary, $d(P V) = dP\\,V + P\\,dV$. "
    assert judged(check(start + sentence.format(r"P\,dV")).claims[-1]) is CONFIRMED
    assert judged(check(start + sentence.format(r"V\,dP")).claims[-1]) is REFUTED
    elsewhere = f"{start} Now something else. " + sentence.format("Z") + r". Then $d(P V) = P\,dV$."
    assert judged(check(elsewhere).claims[-1]) is not CONFIRMED


def test_a_size_may_have_the_letter_of_the_sign():
    start = r"Given $Q, K \in \mathbb{R}^{N \times d}$ and $S = Q K^\top$. With $Q$ held fixed, "
    assert judged(check(start + r"$dS = Q\,d(K^\top) = Q\,(dK)^\top$.").claims[-2]) is CONFIRMED
    assert judged(check(start + r"$dS = Q\,d(K^\top) = K\,(dQ)^\top$.").claims[-1]) is not CONFIRMED


def test_a_loss_of_its_own_gradient_ends_with_a_reason():
    report = check("$$G = \\nabla_X L$$\n\n$$dG = dX$$\n\n$$d(\\operatorname{tr}(G)) = \\operatorname{tr}(dG)$$")
    assert all("recursion" not in claim.reason for claim in report.claims)


FONTS = [
    r"dy = \frac{dy}{dx}\,dx",
    r"dy = \frac{dy}{d\mathbf{x}}\,d\mathbf{x}",
    r"d\mathbf{y} = \frac{d\mathbf{y}}{dx}\,dx",
    r"d\mathbf{y} = \frac{d\mathbf{y}}{d\mathbf{x}}\,d\mathbf{x}",
    r"d(\mathbf{x}^\top \mathbf{x}) = 2\mathbf{x}^\top d\mathbf{x}",
]
"""Differentials of numbers, in plain letters, and of vectors, in bold ones."""


def test_a_letter_in_two_fonts_may_be_two_names():
    text = "\n\n".join(f"$${one}$$" for one in FONTS)
    assert [judged(claim) for claim in check(text).claims] == [CONFIRMED] * len(FONTS)
    wrong = check(text + r" $$d\mathbf{y} = 2 \frac{d\mathbf{y}}{dx}\,dx$$").claims[-1]
    assert judged(wrong) is not CONFIRMED


PLACES = r"""
$$k = x^2, \quad m = \frac{1}{x}.$$
Let $\mathbf{x} \in \mathbb{R}^{3}$ and
$$f = k\, \mathbf{x}^\top \mathbf{x}.$$
$$\frac{\partial f}{\partial \mathbf{x}} = GRADIENT$$
"""


def test_a_formula_in_plain_letters_does_not_vary_with_the_bold_one():
    assert judged(check(PLACES.replace("GRADIENT", r"2 k\, \mathbf{x}")).claims[-1]) is CONFIRMED
    assert judged(check(PLACES.replace("GRADIENT", r"3 k\, \mathbf{x}")).claims[-1]) is not CONFIRMED


def test_several_names_are_held_whose_differentials_are_said_to_be_zero():
    start = (r"f = a^\top X b", r"\mathrm{d} f = \mathrm{d} a^\top X b + a^\top \mathrm{d} X b + a^\top X \mathrm{d} b")
    zero = (r"\mathrm{d} a = 0", r"\mathrm{d} b = 0")
    assert last(*start, *zero, r"\mathrm{d} f = a^\top \mathrm{d} X b") is CONFIRMED
    assert last(*start, *zero, r"\mathrm{d} f = 2 a^\top \mathrm{d} X b") is not CONFIRMED
    assert last(*start, zero[0], r"\mathrm{d} f = a^\top \mathrm{d} X b") is not CONFIRMED


NOT_ZERO = [
    r"\mathrm{d} a \neq 0$ and $\mathrm{d} b \neq 0",
    r"\mathrm{d} a \to 0$ and $\mathrm{d} b \to 0",
    r"\mathbb{E}[\mathrm{d} a] = 0$ and $\mathbb{E}[\mathrm{d} b] = 0",
    r"\mathrm{d} a\, \mathrm{d} b = 0",
    r"a\, \mathrm{d} a = 0$ and $b\, \mathrm{d} b = 0",
]


@pytest.mark.parametrize("said", NOT_ZERO)
def test_a_name_is_held_only_where_its_own_differential_is_zero(said):
    start = r"Let $a, b, X \in \mathbb{R}$ and $f = a X b$."
    every = r"$$\mathrm{d} f = X b\, \mathrm{d} a + a b\, \mathrm{d} X + a X\, \mathrm{d} b$$"
    page = "\n\n".join([start, every, f"Here ${said}$.", r"$$\mathrm{d} f = a b\, \mathrm{d} X$$"])
    assert judged(check(page).claims[-1]) is not CONFIRMED


def test_what_is_held_in_a_section_varies_in_others():
    start = r"Let $x, p, q \in \mathbb{R}$ and $H = x p q$."
    every = r"$$\mathrm{d} H = p q\, \mathrm{d} x + x q\, \mathrm{d} p + x p\, \mathrm{d} q$$"
    part, zero = r"$$\mathrm{d} H = p q\, \mathrm{d} x$$", r"$\mathrm{d} p = 0$ and $\mathrm{d} q = 0$"
    for before in ("\n\n# Special case\n\n", ""):
        page = "\n\n".join([start, every, part, f"{before}Here {zero}.", part])
        first, *_, last_one = [
            one for one in check(page).claims if one.latex.startswith("= p q") and "+" not in one.latex
        ]
        assert judged(first) is not CONFIRMED
        assert judged(last_one) is CONFIRMED
        assert last_one.assumptions == ("a name behind a d is that of a differential", "p and q are held")
    there = "\n\n".join([start, every, f"# Special case\n\nHere {zero}.", f"# In general\n\n{part}"])
    assert judged(check(there).claims[-1]) is not CONFIRMED
