"""Densities of letters: the margins and conditionals of one joint density."""

from __future__ import annotations

import itertools

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)
LETTERS = ("x", "y", "z")
SUMS = "Probabilities add up to one:\n\n$$\\sum_x p(x) = 1, \\quad \\sum_y p(y) = 1, \\quad \\sum_z p(z) = 1$$\n\n"


def holds(relation: str) -> bool:
    """Whether a relation is confirmed on a page on which sums run over three letters."""
    return check(f"{SUMS}$${relation}$$\n").claims[-1].verdict in HOLDS


@pytest.mark.parametrize(("x", "y", "z"), list(itertools.permutations(LETTERS)))
def test_laws_of_probability(x: str, y: str, z: str) -> None:
    """Margins, products, Bayes' rule and what follows from them, in all letters."""
    for law in (
        rf"p({x}) = \sum_{y} p({x}, {y})",
        rf"p({x}, {y}) = p({x}|{y}) p({y})",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({x})}}{{p({y})}}",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({x})}}{{\sum_{x} p({y}|{x}) p({x})}}",
        rf"p({x}|{y}) = \sum_{z} p({x}|{y}, {z}) p({z}|{y})",
        rf"p({x}, {y}, {z}) = p({x}|{y}, {z}) p({y}|{z}) p({z})",
        rf"\sum_{x} p({x}|{y}, {z}) = 1",
        rf"\frac{{p({x}, {y}|{z})}}{{p({y}|{z})}} = p({x}|{y}, {z})",
    ):
        assert holds(law), law


@pytest.mark.parametrize(("x", "y", "z"), list(itertools.permutations(LETTERS)))
def test_what_is_no_law_is_not_confirmed(x: str, y: str, z: str) -> None:
    """It may hold of the densities that a page has in mind, independent ones for one."""
    for wrong in (
        rf"p({x}, {y}) = p({x}) p({y})",
        rf"p({x}|{y}) = p({y}|{x})",
        rf"p({x}|{y}) = \frac{{p({y}|{x}) p({y})}}{{p({x})}}",
        rf"p({x}|{y}) = \sum_{z} p({x}|{z}) p({z}|{y})",
        rf"\sum_{y} p({x}|{y}) = 1",
        rf"p({x}) = \sum_{y} p({x}|{y})",
        rf"p({x}, {y}|{z}) = p({x}|{z}) p({y}|{z})",
    ):
        assert not holds(wrong), wrong


def test_an_equation_of_the_page_goes_before_the_laws() -> None:
    """A density that is given is that one, and what is said of it is judged by its equation."""
    page = SUMS + "$$p(x|z) = \\frac{e^{a_{xz}}}{\\sum_y e^{a_{yz}}}$$\n\n$$\\log p(x|z) = {}$$\n"
    right = r"a_{xz} - \log \sum_y e^{a_{yz}}"
    assert check(page.replace("{}", right)).claims[-1].verdict in HOLDS
    assert check(page.replace("{}", right.replace("-", "+"))).claims[-1].verdict not in HOLDS


def test_densities_of_other_names_are_others() -> None:
    """Nothing ties q to p."""
    assert not holds(r"q(x|y) q(y) = p(x, y)")
    assert not holds(r"q(x) = \sum_y p(x, y)")


def test_transitions_are_densities_of_the_next_state() -> None:
    """A letter that stands twice has no joint density, but sums to one."""
    page = "$$\\sum_{s'} p(s'|s, a) v(s') = v(s)$$\n\n$$\\sum_{s'} p(s'|s, a) c = {}$$\n"
    assert check(page.replace("{}", "c")).claims[-1].verdict in HOLDS
    assert check(page.replace("{}", "2 c")).claims[-1].verdict not in HOLDS


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # letters with subscripts, capitals, values of names, given values, parameters
        (r"p(x_t) = \sum_{x_s} p(x_t|x_s) p(x_s)", r"p(x_t) = \sum_{x_s} p(x_s|x_t) p(x_s)"),
        (r"p(X) = \int p(X|Z) p(Z) dZ", r"p(X) = \int p(X|Z) dZ"),
        (
            r"P(z = k|x) = \frac{p(x|z=k) P(z=k)}{\sum_j p(x|z=j) P(z=j)}",
            r"P(z = k|x) = \frac{p(x|z=k) P(z=k)}{\sum_j p(x|z=j)}",
        ),
        (r"P(H|E) = \frac{P(E|H) P(H)}{P(E)}", r"P(H|E) = \frac{P(E|H) P(E)}{P(H)}"),
        (
            r"\log p(x|\theta) = \sum_z p(z|x, \theta^{(t)}) \log \frac{p(x, z|\theta)}{p(z|x, \theta)}",
            r"\log p(x|\theta) = \sum_z p(z|x, \theta^{(t)}) \log \frac{p(x, z|\theta)}{p(z|x, \theta^{(t)})}",
        ),
        (
            r"\sum_x p_c(x) (\nabla_c \log p_c(x))^2 = -\sum_x p_c(x) \nabla_c^2 \log p_c(x)",
            r"\sum_x p_c(x) (\nabla_c \log p_c(x))^2 = \sum_x p_c(x) \nabla_c^2 \log p_c(x)",
        ),
        (
            r"\mathrm{KL}(q(z|x) \| p(z|x)) = \log p(x) - \mathbb{E}_{q(z|x)}\left[\log \frac{p(x, z)}{q(z|x)}\right]",
            r"\mathrm{KL}(q(z|x) \| p(z|x)) = \log p(x) - \mathbb{E}_{q(z|x)}\left[\log \frac{p(x|z)}{q(z|x)}\right]",
        ),
        (
            r"\mathbb{E}_q[\log p(x, z)] = \mathbb{E}_q[\log p(x|z)] + \mathbb{E}_{q(z)}[\log p(z)]",
            r"\mathbb{E}_q[\log p(x, z)] = \mathbb{E}_q[\log p(x|z)] + \mathbb{E}_{q(z)}[\log p(x)]",
        ),
    ],
)
def test_densities_as_authors_write_them(right: str, wrong: str) -> None:
    """Each with a wrong twin."""
    start = "The probabilities are\n\n"
    assert check(f"{start}$${right}$$\n").claims[-1].verdict in HOLDS
    assert check(f"{start}$${wrong}$$\n").claims[-1].verdict not in HOLDS


def test_a_sum_over_steps_does_not_pass_what_is_given_at_a_step() -> None:
    """The letter of the step varies, and with it the density."""
    relation = r"\sum_{t=1}^T P(q_t = S_i) = T P(q_t = S_i)"
    assert check(f"Probabilities: $\\sum_j P(q_t = S_j) = 1$.\n\n$${relation}$$\n").claims[-1].verdict not in HOLDS


NO_LAWS = {
    "a mass": r"M = \int \rho(x) dx ⏎ M c = c",
    "a pressure": r"F = \int p(x) dx ⏎ \int p(x) dx = 1",
    "a power": r"W = \int P(V) dV ⏎ 2 \int P(V) dV = 2",
    "prices": r"T = \sum_i p(i) ⏎ \frac1n \sum_i p(i) = \frac1n",
    "a function with a parameter": r"J(w) = \sum_x f(x; w) ⏎ J(w) = 1",
    "a likelihood": r"\int L(\theta | x) d\theta = 1",
    "weights": r"y(i) = \sum_j w(i|j) x(j) ⏎ \sum_i w(i|j) = 1",
    "up to a factor": r"Z = \sum_x P^*(x) ⏎ P(x) = \frac{P^*(x)}{Z} ⏎ P(x) = P^*(x)",
    "transitions": r"v(s) = \sum_{s'} p(s, s') v(s') ⏎ \sum_s \sum_{s'} p(s, s') = 1",
    "another total": r"\sum_s P(s) = 5 ⏎ 2 \sum_s P(s) = 2",
    "two wrong laws": r"\sum_z p(z) = 1 ⏎ p(z|x) = p(x|z) p(z) ⏎ p(z|x) = p(x, z)",
    "another parameter": r"\sum_x p(x; \theta') f(x) = \sum_x p(x; \theta) f(x)",
    "a square": r"g = \sum_x p^2(x) ⏎ 1 - g = 0",
    "another power": r"\sum_x p^n(x) = 1",
    "a part of a sum": r"\sum_{i=1}^k p(i) = 1 ⏎ \sum_{i=1}^n p(i) = 1 ⏎ \sum_{i=1}^k p(i) c = c",
    "parts": r"\sum_{x \in A} f(x) + \sum_{x \in B} f(x) = 2 \sum_x f(x)",
    "a sum and an integral": r"\sum_x f(x) = \int f(x) dx",
    "a formula": r"p(x) = e^{-h(x)} ⏎ \sum_y p(y) = 1",
    "a number": r"p(x) = \frac12 ⏎ \sum_x p(x) = 1",
    "an equation that leads back": r"p(x) = a p(x) + b(x) ⏎ \sum_x p(x) = 1",
    "two letters": r"\sum_x \sum_y f(x, y) = 1 ⏎ \sum_x p(x) g(x) = \sum_y p(y) g(y)",
    "data and a model": r"\sum_x p(x) \log p(x) = c ⏎ \sum_y P(x|y) P(y) = p(x)",
    "the next state": r"\sum_s p(s|a) f(s) = \sum_{s'} p(s'|a) f(s')",
}


@pytest.mark.parametrize("words", ["", "The probability of each value is given.\n\n"])
@pytest.mark.parametrize("page", NO_LAWS.values(), ids=NO_LAWS.keys())
def test_not_everything_with_such_a_name_is_a_density(page: str, words: str) -> None:
    """The last line of each page is false, or unknown."""
    text = words + "\n\n".join(f"$${relation.strip()}$$" for relation in page.split("⏎"))
    assert check(text).claims[-1].verdict not in HOLDS
