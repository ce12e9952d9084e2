"""What claims nothing: conditions, questions, laws of names that are given; and wrong claims beside them."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import claims, judged, last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


@pytest.mark.parametrize("text", ["d = k = 4096", r"\alpha = \beta = 1", "n = 3"])
def test_settings_claim_nothing(text):
    assert {judged(claim) for claim in claims("y_i = n d k x_i", text)} <= {Verdict.DEFINITION}


def test_a_relation_of_letters_is_a_condition():
    found = claims(r"y_{ab} = x_{ab}^2", "Let $a = c$, and $c \\neq b$.", r"y_{cb} = x_{cb}^2")
    assert [judged(one) for one in found[1:3]] == [Verdict.CONDITION, Verdict.CONDITION]
    found = claims(r"y_{ab} = x_{ab}^2", "Let $a = b + 1$, and $a = 2 - b$.", r"y_{cb} = x_{cb}^2")
    assert [judged(one) for one in found[1:3]] == [Verdict.CONDITION, Verdict.CONDITION]
    stepped = claims(r"v_a = 3 u_{a-1}", "Let $a = n$, and $a = n + 1$, and $a = n - 1$.", r"v_n = 3 u_{n-1}")
    assert all(judged(one) is Verdict.CONDITION for one in stepped[1:-1])
    assert last(r"n = 3 m", r"a = n + 1", r"a = 3 m - 1") is REFUTED


CONDITIONS = (
    *("exists a matrix $B$ such that", "is invertible if", "and $B$ satisfy", "is equality iff", "are cases when"),
    *("we could require that", "we assume", "is one choice of"),
)


@pytest.mark.parametrize("words", CONDITIONS)
def test_what_words_before_it_make_a_condition_is_no_claim(words):
    given = r"Let $A, B \in \mathbb{R}^{n \times n}$."
    assert check(f"{given} There {words} $A B = B A = I$.").claims[-2].verdict is Verdict.UNCLEAR
    assert check(f"{given} We see that $A B = B A = I$.").claims[-2].verdict is Verdict.REFUTED


def test_a_gradient_that_is_set_to_zero_claims_nothing_there():
    given = r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$, $y \in \mathbb{R}^n$."
    loss = r"$$L(w) = \frac{1}{2}\|Xw - y\|^2 + \frac{c}{2} \|w\|^2$$"
    asked = r"$$\nabla_w L = X^T (Xw - y) {} c w = 0$$"
    solved = r"$$w = (X^T X)^{-1} X^T y$$ $$\frac{\partial L}{\partial w} = X^T X w - X^T y + c w$$"
    right, wrong = (check("\n".join((given, loss, asked.replace("{}", sign), solved))) for sign in "+-")
    assert right.counts[str(Verdict.REFUTED)] == 0
    assert wrong.counts[str(Verdict.REFUTED)] == 1


MULTIPLIERS = (r"Let $w, x, b, y \in \mathbb{R}$.", "s = y (w x + b)", r"\alpha = w^2", "w = x^3", "b = x^4", "y = x^5")


def test_a_product_of_numbers_that_is_set_to_zero_is_a_condition():
    assert last(*MULTIPLIERS, r"\alpha (1 - y (w x + b)) = 0") is Verdict.CONDITION
    assert last(*MULTIPLIERS, "s - y (w x + 2 b) = 0") is REFUTED
    assert last(*MULTIPLIERS, r"\alpha (s - y (w x + b)) = 0") is CONFIRMED


def test_a_product_of_arrays_that_have_no_name_in_common_is_one_too():
    page = (
        r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$ and $y \in \mathbb{R}^n$.",
        "r = y - X w",
        "P = X X^T",
    )
    given = (*page, r"s = X^T y + r^T r X^T y")
    assert last(*given, r"P (y - r) = 0") is Verdict.CONDITION


def test_what_is_set_to_zero_and_is_no_identity_is_a_condition():
    page = r"Let $a, x \in \mathbb{R}^n$ and $A, B \in \mathbb{R}^{n \times n}$.", r"f = \frac{1}{2} x^T A x - a^T x"
    assert last(*page, r"\nabla_x f = \frac{1}{2} (A + A^T) x - a = 0") is Verdict.CONDITION
    assert last(*page, r"\sum_i x_i a_i = 0") is Verdict.CONDITION
    assert last(*page, r"\operatorname{tr}(A B) - \operatorname{tr}(B A) = 0") is CONFIRMED
    assert last(*page, r"x + A a^T x = 0") is OPEN  # what cannot be read
    assert last(*page, r"g_i = x_i^2", r"\frac{\partial g_i}{\partial x_j} = 0") is not Verdict.CONDITION


def test_entries_of_one_name_that_are_set_equal_are_a_law_for_it():
    law = r"R_{ijkl} = -R_{ijlk} = -R_{jikl} = R_{klij}"
    assert all(claim.verdict is not REFUTED for claim in check(f"$${law}$$").claims)
    assert check(r"$$R_{ij} = x_i y_j$$" + "\n\n" + r"$$z_{ij} = 2 R_{ij} = 2 R_{ji}$$").claims[-1].verdict is REFUTED


def test_a_name_in_brackets_behind_a_name_may_be_its_argument():
    page = r"""Let $m, v, c \in \mathbb{R}$ and $p = \frac{m v}{\sqrt{1 - v^2/c^2}}$.

$$m(v) = \frac{m}{\sqrt{1 - v^2/c^2}}$$
"""
    assert check(page).claims[-1].verdict is not REFUTED
    given = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}$." + "\n\n"
    for false in (r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)", r"\det(A) = -\det(A^\top)", r"\sin(x) = \cos(x)"):
        assert check(f"{given}$${false}$$").claims[-1].verdict is REFUTED


@pytest.mark.parametrize("words", ["when", "if", "whenever", "only if", "provided that"])
def test_an_equation_may_hold_under_a_condition_that_is_said_behind_it(words):
    given = r"Let $z \in \mathbb{R}$ and $A \in \mathbb{R}^{n \times n}$."
    false = r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)"
    assert check(f"{given}\n\n${false}$ {words} $z = 1$.").claims[-2].verdict is OPEN
    assert check(f"{given}\n\n$${false}$$\n{words} $z = 1$.").claims[-2].verdict is OPEN
    assert check(f"{given}\n\n${false}$, and $z = 1$.").claims[-2].verdict is REFUTED
    assert check(f"{given}\n\n${false}$. {words.capitalize()} $z = 1$, then $y = 1$.").claims[-3].verdict is REFUTED
    assert check(f"{given}\n\n$${false}$$\n\n{words} $z = 1$, then $y = 1$.").claims[-3].verdict is REFUTED
    assert check(f"{given}\n\n${false}$ {words} you like.").claims[-1].verdict is REFUTED
    rows = rf"$$\begin{{aligned}} {false} \\ \det(A) = 2 \det(A^\top) \end{{aligned}}$$"
    assert [one.verdict for one in check(f"{given}\n\n{rows} {words} $z = 1$.").claims[-3:-1]] == [REFUTED, OPEN]


CASES = (r"p_i = \frac{e^{z_i}}{\sum_k e^{z_k}}", r"\frac{\partial p_i}{\partial z_j} = ", "p_i (1 - p_i)", "-p_i p_j")


def test_each_condition_holds_for_what_it_announces():
    softmax, slope, same, other = CASES
    page = "$${}$$\n\nFor $i = j$:\n\n$${}$$\n\nFor $i \\neq j$:\n\n$${}$$"
    right = check(page.format(softmax, slope + same, slope + other)).claims
    assert [judged(right[n]) for n in (2, 4)] == [CONFIRMED] * 2
    swapped = check(page.format(softmax, slope + other, slope + same)).claims
    assert [judged(swapped[n]) for n in (2, 4)] == [REFUTED] * 2


def test_a_condition_behind_an_equation_holds_for_it():
    softmax, slope, same, other = CASES
    page = "$${}$$\n\nWe find $${}$$ for $i = j$, and $${}$$ for $i \\neq j$."
    right = check(page.format(softmax, slope + same, slope + other)).claims
    assert [judged(one) for one in right if one.display][1:] == [CONFIRMED] * 2


def test_a_condition_behind_an_equation_holds_for_no_later_one():
    softmax, slope, same, other = CASES
    page = "$${}$$\n\nWe have $${}$$ if $i \\neq j$.\n\nIf $i = j$: $${}$$"
    right = check(page.format(softmax, slope + other, slope + same)).claims
    assert [judged(one) for one in right if one.display][1:] == [CONFIRMED] * 2
    trailing = check(f"$${softmax}$$ We have ${slope}p_i p_j$ when $i \\neq j$: so")
    assert judged(trailing.claims[1]) is REFUTED


@pytest.mark.parametrize("words", ["zero unless $i = k$:", "zero except when $i = k$, where"])
def test_an_exception_within_a_sentence_is_what_follows(words):
    page = rf"Let $q_i = w_i^2$. The derivative is {words} $$\frac{{\partial q_i}}{{\partial w_k}} = 2 w_i$$"
    assert judged(check(page).claims[-1]) is CONFIRMED


@pytest.mark.parametrize("words", ["Unless", "Except when", "Except for"])
def test_what_is_excepted_does_not_refute(words):
    page = r"$$q_i = w_i^2$$ WORDS $i = k$, we have $$\frac{\partial q_i}{\partial w_k} = 0$$".replace("WORDS", words)
    assert judged(check(page).claims[-1]) is not REFUTED
    assert judged(check(page.replace("= 0", "= 1")).claims[-1]) is REFUTED
