"""Definitions that say what a name has to be for an equation before them to hold."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

RIDGE = r"""The loss is
$$L = \frac12\|Xw - y\|^2 + \frac{\lambda}{2}\|w\|^2$$
Its gradient is
$$\nabla_w L = X^T(Xw-y) + \lambda w$$
"""

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)


def verdict(source: str, relation: str) -> Verdict:
    """The verdict on the last member with this text."""
    return [claim.verdict for claim in check(source).claims if relation in claim.latex][-1]


@pytest.mark.parametrize(
    "between",
    [
        "Setting it to zero gives",
        "It vanishes at the minimum, so",
        "Set the gradient equal to zero and solve:",
        "Therefore\n$$X^T X w + \\lambda w = X^T y$$\nand",
        "At a stationary point\n$$X^T (X w - y) + \\lambda w = 0$$\nhence",
    ],
)
def test_a_solution_is_put_into_its_equation(between: str) -> None:
    """It is what the words say is zero, or the equation before it."""
    right, wrong = (rf"$$w = (X^T X {sign} \lambda I)^{{-1}} X^T y$$" for sign in "+-")
    assert verdict(f"{RIDGE}{between}\n{right}\n", "I)^{-1}") in HOLDS
    assert verdict(f"{RIDGE}{between}\n{wrong}\n", "I)^{-1}") is Verdict.DEFINITION


def test_a_solution_says_what_it_solves() -> None:
    """The report names the line."""
    claims = check(RIDGE + "Setting it to zero gives\n$$w = (X^T X + \\lambda I)^{-1} X^T y$$\n").claims
    assert claims[-1].reason == "it solves line 4"


def test_without_words_a_derivative_is_not_zero() -> None:
    """A step of a descent follows a gradient, too."""
    text = RIDGE + "We start at\n$$w = (X^T X + \\lambda I)^{-1} X^T y$$\n"
    assert verdict(text, "I)^{-1}") is Verdict.DEFINITION


def test_an_unknown_may_have_a_mark_when_it_is_solved() -> None:
    """A hat, a star or a label."""
    for name in (r"\hat w", "w^*", r"w_{\mathrm{ridge}}", r"\hat w_{ML}"):
        text = RIDGE + f"Setting it to zero gives\n$${name} = (X^T X + \\lambda I)^{{-1}} X^T y$$\n"
        assert verdict(text, "I)^{-1}") in HOLDS, name
        assert verdict(text.replace("+ \\lambda I", "- \\lambda I"), "I)^{-1}") is Verdict.DEFINITION, name


def test_marks_are_undone_together() -> None:
    """What is solved first stands in what is solved next."""
    text = r"""The loss, with the logarithm s of a variance, is
$$L = \frac{n s}{2} + \frac{e^{-s}}{2} \sum_{i=1}^n (x_i - \mu)^2$$
Setting $\frac{\partial L}{\partial \mu} = -e^{-s} \sum_{i=1}^n (x_i - \mu) = 0$ gives
$$\hat\mu = \frac1n \sum_{i=1}^n x_i$$
and setting $\frac{\partial L}{\partial s} = \frac n2 - \frac{e^{-s}}{2} \sum_{i=1}^n (x_i - \mu)^2 = 0$ gives
$$\hat s = \log\left(\frac1n \sum_{i=1}^n (x_i - \hat\mu)^2\right)$$
"""
    assert verdict(text, r"\frac1n \sum_{i=1}^n x_i") in HOLDS
    assert verdict(text, r"\hat\mu)^2\right)") in HOLDS
    wrong = text.replace(r"\frac1n \sum_{i=1}^n (x", r"\sum_{i=1}^n (x")
    assert verdict(wrong, r"\hat\mu)^2\right)") is Verdict.DEFINITION


def test_a_solution_goes_through_what_was_solved_before() -> None:
    """The unknown of one equation is put into another one."""
    text = r"""The conditions are
$$Qx - A^T\lambda = 0, \quad Ax = b$$
Hence
$$x = Q^{-1}A^T\lambda$$
$$\lambda = (A Q^{-1} A^T)^{-1} b$$
"""
    assert verdict(text, r"Q^{-1}A^T\lambda") in HOLDS
    assert verdict(text, "(A Q^{-1} A^T)^{-1} b") in HOLDS
    wrong = text.replace("(A Q^{-1} A^T)^{-1} b", "(A Q A^T)^{-1} b")
    assert verdict(wrong, "(A Q A^T)^{-1} b") is Verdict.DEFINITION


def test_an_identity_is_solved_by_nothing() -> None:
    """It holds for any value of the name."""
    text = r"""For all A and B
$$\mathrm{tr}(A^T B) = \sum_{ij} A_{ij} B_{ij}$$
Take
$$A = C D$$
"""
    assert verdict(text, "C D") is Verdict.DEFINITION


def test_an_equation_in_another_section_is_not_solved() -> None:
    """It may be about something else."""
    text = RIDGE.replace("$$\n", "$$\n", 1) + "\n## Another problem, whose gradient is zero\n"
    text += "$$w = (X^T X + \\lambda I)^{-1} X^T y$$\n"
    assert verdict(text, "I)^{-1}") is Verdict.DEFINITION


def test_a_variance_is_the_square_of_the_unknown() -> None:
    """The likelihood is differentiated by the square, and so is what is solved."""
    text = r"""The log-likelihood of a sample is
$$\ell = -\frac{n}{2}\log(2\pi\sigma^2) - \frac{1}{2\sigma^2}\sum_{i=1}^n (x_i-\mu)^2$$
Setting $\frac{\partial \ell}{\partial \mu} = \frac{1}{\sigma^2}\sum_{i=1}^n (x_i - \mu) = 0$ gives
$$\hat\mu = \frac1n \sum_{i=1}^n x_i$$
and $\frac{\partial \ell}{\partial \sigma^2} = -\frac{n}{2\sigma^2} + \frac{1}{2\sigma^4}\sum_{i=1}^n (x_i-\mu)^2 = 0$
gives
$$\hat\sigma^2 = \frac1n \sum_{i=1}^n (x_i-\hat\mu)^2$$
"""
    assert verdict(text, r"(x_i-\hat\mu)^2") in HOLDS
    assert (
        verdict(text.replace(r"\frac1n \sum_{i=1}^n (x", r"\frac2n \sum_{i=1}^n (x"), r"\hat\mu)") is Verdict.DEFINITION
    )


def test_what_a_derivative_rests_on_solves_nothing() -> None:
    """The condition on K holds with the meaning of P, and is no condition on P."""
    text = r"""The trace is $t = \mathrm{tr}(K P K^T) - 2 \mathrm{tr}(K C)$, and
$$\frac{\partial t}{\partial K} = 2 K (S + R) - 2 C^T = 0$$
Here
$$P = S + R$$
so that it is zero for
$$K = C^T (S + R)^{-1}$$
"""
    assert verdict(text, "S + R") in HOLDS  # the last one
    assert [c.verdict for c in check(text).claims if c.latex == "= S + R"] == [Verdict.DEFINITION]


def test_an_equation_for_a_function_is_no_condition() -> None:
    """It says what the function is."""
    text = r"""The loss is
$$C(d) = b d$$
and also
$$C(d) = a (2 - a) d$$
where
$$a = 1 + \sqrt{1 - b}$$
"""
    assert verdict(text, r"1 + \sqrt{1 - b}") is Verdict.DEFINITION


def test_what_is_only_symmetric_solves_nothing() -> None:
    """With any symmetric matrix the square is completed."""
    text = r"""Completing the square,
$$x^T A x + b^T x = (x + \frac12 A^{-1} b)^T A (x + \frac12 A^{-1} b) + c$$
where
$$A = S + S^T$$
$$c = -\frac14 b^T A^{-1} b$$
"""
    assert verdict(text, "S^T") is Verdict.DEFINITION
    assert verdict(text, r"-\frac14") in HOLDS
    assert verdict(text.replace(r"-\frac14", r"-\frac12"), r"-\frac12 b") is Verdict.DEFINITION


@pytest.mark.parametrize(
    "between",
    [
        "We start with zero momentum and the initial weights",
        "At $t = 0$ the weights are",
        "The gradient is never zero during training. One may use",
    ],
)
def test_other_words_with_zero_set_nothing_to_zero(between: str) -> None:
    """They speak of something else."""
    assert verdict(f"{RIDGE}{between}\n$$w = (X^T X + \\lambda I)^{{-1}} X^T y$$\n", "I)^{-1}") is Verdict.DEFINITION


def test_a_solution_is_not_proved_to_be_the_only_one() -> None:
    """It fulfils the equation, and another may, too."""
    claims = check("$$x^2 - 5 x + 6 = 0$$\n\nThe solution is $$x = 2$$\n").claims
    assert claims[-1].verdict is Verdict.CONFIRMED
