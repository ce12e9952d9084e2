r"""Functions of letters over which sums run, read as entries of arrays."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)


def verdicts(source: str) -> list[Verdict]:
    """The verdicts on a page."""
    return [claim.verdict for claim in check(source).claims]


TRUE = {
    "importance sampling": r"""$$\mathbb{E}_{x \sim p}[f(x)] = \sum_x p(x) f(x) = \sum_x q(x) \frac{p(x)}{q(x)} f(x)
= \mathbb{E}_{x \sim q}\left[\frac{p(x)}{q(x)} f(x)\right]$$""",
    "the score function": r"""$$\nabla_\theta \mathbb{E}_{x \sim p_\theta}[f(x)] = \sum_x f(x) \nabla_\theta p_\theta(x)
= \sum_x p_\theta(x) f(x) \nabla_\theta \log p_\theta(x)
= \mathbb{E}_{x \sim p_\theta}[f(x) \nabla_\theta \log p_\theta(x)]$$""",
    "a baseline": r"""$$\mathbb{E}_{a \sim \pi_\theta}[b \nabla_\theta \log \pi_\theta(a)]
= b \nabla_\theta \sum_a \pi_\theta(a) = 0$$""",
    "a lower bound": r"""$$\log p(x) = \log \sum_z p(x, z) = \log \sum_z q(z) \frac{p(x, z)}{q(z)}$$

$$L = \sum_z q(z) \log \frac{p(x, z)}{q(z)} = \sum_z q(z) \log p(x, z) - \sum_z q(z) \log q(z)$$""",
    "integrals over what is an argument": r"""$$\log p(x) = \log \int p(x|z) p(z) dz
= \int q(z|x) \log \frac{p(x, z)}{p(z|x)} dz$$""",
    "an advantage": r"""Let $v(s) = \sum_a \pi(a|s) q(s, a)$ and $A(s, a) = q(s, a) - v(s)$. Then
$$\sum_a \pi(a|s) A(s, a) = 0$$""",
    "a posterior of steps": r"""$$\gamma_t(i) = \frac{\alpha_t(i) \beta_t(i)}{\sum_j \alpha_t(j) \beta_t(j)}$$

$$\sum_i \gamma_t(i) = 1$$""",
    "a softmax": r"""$$\pi(a) = \frac{e^{\theta_a}}{\sum_b e^{\theta_b}}, \quad
\frac{\partial \log \pi(a)}{\partial \theta_b} = \delta_{ab} - \pi(b)$$""",
    "a tower": r"$$\mathbb{E}_{x \sim p}[f(x)] = \sum_z p(z) \sum_x p(x|z) f(x)$$",
    "letters with primes": r"$$\sum_{s'} p(s'|s, a) (r(s, a) + c v(s')) = r(s, a) + c \sum_{s'} p(s'|s, a) v(s')$$",
}


@pytest.mark.parametrize("page", TRUE.values(), ids=TRUE.keys())
def test_entries_of_tables_are_calculated_with(page: str) -> None:
    """All but what gives a name its meaning is judged, and true."""
    found = [verdict for verdict in verdicts(page) if verdict is not Verdict.DEFINITION]
    assert found
    assert all(verdict in HOLDS for verdict in found)


FALSE = {
    "a product": r"$$\mathbb{E}_{x \sim p}[f(x) g(x)] = \mathbb{E}_{x \sim p}[f(x)] \mathbb{E}_{x \sim p}[g(x)]$$",
    "a square": r"$$\mathbb{E}_{x \sim p}[f(x)^2] = \mathbb{E}_{x \sim p}[f(x)]^2$$",
    "a logarithm of a sum": r"""$$\log \sum_z q(z) \frac{p(x, z)}{q(z)} = \sum_z q(z) \log \frac{p(x, z)}{q(z)}$$""",
    "another letter": r"$$\sum_x p(x) f(x) = \sum_z p(z) f(z)$$",
    "a path that is forgotten": r"""$$\nabla_\theta \sum_x p_\theta(x) f_\theta(x)
= \sum_x p_\theta(x) f_\theta(x) \nabla_\theta \log p_\theta(x)$$""",
    "one entry for all": r"$$\sum_x p(x) f(x) = f(x)$$",
    "a sum that is forgotten": r"$$\sum_s \mu(s) \sum_a \pi(a|s) q(s, a) = \sum_a \pi(a|s) q(s, a)$$",
    "another sum": r"""$$\gamma_t(i) = \frac{\alpha_t(i) \beta_t(i)}{\sum_j \alpha_t(j)}$$

$$\sum_i \gamma_t(i) = 1$$""",
    "a score that is one": r"$$\mathbb{E}_{a \sim \pi_\theta(\cdot|s)}[\nabla_\theta \log \pi_\theta(a|s)] = 1$$",
}


@pytest.mark.parametrize("page", FALSE.values(), ids=FALSE.keys())
def test_what_is_false_of_tables_is_not_confirmed(page: str) -> None:
    """Nor is it refuted: the page may say more of a density than this reading knows."""
    assert verdicts(page)[-1] is Verdict.UNCLEAR


@pytest.mark.parametrize(
    "page",
    [
        r"""$$f(x) = x^2$$

$$\sum_x p(x) f(x) = \sum_x p(x) x^2$$""",
        r"""$$\sum_x p(x) = 1$$

$$\nabla_x \log p(x) = s(x)$$""",
        r"""$$y = 2 x$$

$$\sum_x f(x) + \sum_x g(x) = \sum_x (f(x) + g(x))$$""",
    ],
)
def test_a_letter_with_which_one_calculates_has_any_value(page: str) -> None:
    """Then a function of it is no table."""
    assert verdicts(page)[-1] not in HOLDS


def test_a_letter_is_read_by_its_section() -> None:
    """Where another section calculates with it, the functions of it are tables here."""
    page = r"""# Discrete

$$\sum_a \pi(a|s) = 1, \quad \sum_a \pi(a|s) c = c$$

# Continuous

$$\log \pi(a|s) = -\frac12 (a - m)^2$$
"""
    found = verdicts(page)
    assert found[1] in HOLDS


def test_values_of_a_letter_are_an_array() -> None:
    """Means and variances of what a sum runs over."""
    page = r"""Let $p(x)$ be a probability and $\mu = \sum_x x\, p(x)$. Then
$$\sum_x (x - \mu)^2 p(x) = {}$$
"""
    assert verdicts(page.replace("{}", r"\sum_x x^2 p(x) - \mu^2"))[-1] in HOLDS
    assert verdicts(page.replace("{}", r"\sum_x x^2 p(x) + \mu^2"))[-1] not in HOLDS


def test_energies_are_no_expectations() -> None:
    """E behind which a letter stands in round brackets, without a density below it."""
    page = r"""The probability of a state is
$$p_\theta(x) = \frac{e^{-E_\theta(x)}}{Z_\theta}, \quad Z_\theta = \sum_x e^{-E_\theta(x)}$$
$$\nabla_\theta \log Z_\theta = {} \sum_x p_\theta(x) \nabla_\theta E_\theta(x)$$
"""
    assert verdicts(page.replace("{}", "-"))[-1] in HOLDS
    assert verdicts(page.replace("{}", ""))[-1] not in HOLDS


def test_names_of_densities_are_densities_where_a_page_speaks_of_chance() -> None:
    """Elsewhere p may be a pressure, and nothing says that it adds up to one."""
    relation = "$$\\sum_x p(x) c = c$$\n"
    assert verdicts(relation)[-1] not in HOLDS
    assert verdicts(f"The probability p is given.\n\n{relation}")[-1] in HOLDS
