"""Names that a page gives again: with another meaning, with which the earlier one cannot be compared."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

REGRESSION = r"""# The mean of all

Let $X \in \mathbb{R}^{n \times d}$ and $\beta \in \mathbb{R}^d$.

$$\mu = X \beta$$

$$\frac{\partial \mu_i}{\partial \beta_k} = X_{ik}$$

"""


def last(page: str) -> Verdict:
    return check(page).claims[-1].verdict


@pytest.mark.parametrize(
    "page",
    [
        # a number where it was a vector
        REGRESSION + "# One\n\n$$a = b^2 + c^2$$\n\n$$\\mu = \\frac{a}{b^2}$$\n",
        # an update: the name stands on both sides, and nothing else gives it
        r"$$g = 2 a w$$" + "\n\n" + r"$$w = w - \eta \frac{\partial E}{\partial w}$$",
        # by its sign
        REGRESSION + "# One\n\n$$\\mu := \\frac{1}{2} X \\beta + b$$\n",
    ],
)
def test_another_meaning_is_a_definition(page):
    assert last(page) is Verdict.DEFINITION


def test_what_follows_is_judged_by_it():
    page = REGRESSION + "# One\n\n$$a = b^2 + c^2$$\n\n$$\\mu = \\frac{a}{b^2} = 1 + \\frac{c^2}{b^2}$$\n"
    assert last(page) in TRUE
    assert last(page.replace(r"1 + \frac{c^2}", r"2 + \frac{c^2}")) not in TRUE


@pytest.mark.parametrize(
    "again",
    [
        r"\mu = X \beta",  # the same
        r"\mu = 2 X \beta",  # what can be compared is no other meaning
        r"\mu = X \gibberish{\beta}",  # what cannot be read gives none
    ],
)
def test_what_can_be_compared_or_not_read_is_no_other_meaning(again):
    assert last(f"{REGRESSION}$${again}$$\n") is not Verdict.DEFINITION


def test_a_size_is_no_update():
    page = r"Let $a \in \mathbb{R}^H$." + "\n\n" + r"$$H = H \sum_h a_h$$"
    assert last(page) is not Verdict.DEFINITION


@pytest.mark.parametrize("word", ["**Example {}.**", "**eg** {}.", "**例 {}**"])
def test_a_name_has_a_meaning_of_its_own_in_each_example(word):
    first = word.format(1) + r" Here $f = a^\top X b$, so $2 f = 2 a^\top X b$."
    second = word.format(2) + r" $f = a^\top \exp(X b)$."
    sizes = r"Let $a \in \mathbb{R}^m$, $b \in \mathbb{R}^n$ and $X \in \mathbb{R}^{m \times n}$."
    found = check("\n\n".join([sizes, first, second])).claims[-1]
    assert found.verdict is not Verdict.REFUTED
    together = check(" ".join([sizes, first.removeprefix(word.format(1)), second.removeprefix(word.format(2))]))
    assert together.claims[-1].verdict is Verdict.REFUTED


def test_a_name_has_a_meaning_of_its_own_in_each_exercise_in_latex():
    def body(before: str, between: str, after: str) -> str:
        one, other = r"$f = a^\top X b$, so $2 f = 2 a^\top X b$.", r"$f = a^\top \exp(X b)$."
        sizes = r"Let $a \in \mathbb{R}^m$, $b \in \mathbb{R}^n$ and $X \in \mathbb{R}^{m \times n}$."
        return "\n".join([r"\begin{document}", sizes, before, one, between, other, after, r"\end{document}"])

    apart = body(r"\begin{exercise}", "\\end{exercise}\n\\begin{exercise}", r"\end{exercise}")
    assert check(apart, "note.tex").claims[-1].verdict is not Verdict.REFUTED
    assert check(body("", "", ""), "note.tex").claims[-1].verdict is Verdict.REFUTED


def test_what_stands_behind_an_example_speaks_of_what_stands_before_it():
    start = r"Let $A \in \mathbb{R}^{n \times n}$, $x \in \mathbb{R}^n$ and $f = x^\top A x$, so $2 f = 2 x^\top A x$."
    wrong = r"So the loss is $$f = 2 x^\top A x$$"
    example = "\\begin{example} Take $n = 1$. \\end{example}"
    assert check(f"{start}\n\n{example}\n\n{wrong}", "note.tex").claims[-1].verdict is Verdict.REFUTED
    assert check(f"{start}\n\n**Example 1.** {wrong}").claims[-1].verdict is Verdict.REFUTED


def test_solutions_know_what_their_exercises_give():
    text = """# Exercises

**Exercise 1.** Let $A, B \\in \\mathbb{R}^{n \\times m}$ and $g = \\mathrm{tr}(A B^\\top)$. Find $\\nabla_A g$.

**Exercise 2.** Let $A, B \\in \\mathbb{R}^{n \\times n}$ and $g = \\mathrm{tr}(A B)$. Find $\\nabla_A g$.

# Solutions

**Exercise 1.** $\\nabla_A g = B$.
"""
    assert check(text).claims[-1].verdict in TRUE


LEAST_SQUARES = r"$$J(\theta) = {}(X\theta-y)^T(X\theta-y) = (y^T-\theta^TX^T)(X\theta-y)$$" + "\n\n"
AGAIN = r"$$J(\theta) = y^TX\theta + \theta^TX^Ty - y^Ty - \theta^TX^TX\theta$$" + "\n"


def test_a_member_that_is_true_of_another_equation_for_the_head_is_not_confirmed():
    first, second, _ = check(LEAST_SQUARES.format("") + AGAIN).claims
    assert first.verdict is Verdict.DEFINITION
    assert second.verdict is Verdict.UNCLEAR
    assert check(LEAST_SQUARES.format("-") + AGAIN).claims[1].verdict in TRUE


SOLVED = r"""$$J(\theta) = \|X\theta - y\|^2, \quad \nabla_\theta J = 2 X^T(X\theta - y)$$

Setting it to zero gives $X^TX\theta = X^Ty$, so

$$\theta = {}$$
"""


def test_a_solution_says_nothing_of_the_gradient_before_it():
    right = check(SOLVED.replace("{}", r"(X^TX)^{-1}X^Ty")).claims
    assert [one.verdict in TRUE for one in right] == [False, True, True, True]


def test_a_condition_is_not_blamed_for_its_solution():
    wrong = check(SOLVED.replace("{}", r"(XX^T)^{-1}Xy")).claims
    assert wrong[1].verdict in TRUE
    assert wrong[2].verdict not in (*TRUE, Verdict.REFUTED)
