"""Expectations and integrals as sums over outcomes, and functions of what is written in them: right and wrong twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE

GIVEN = r"Let $\theta, x \in \mathbb{R}^d$ and $b \in \mathbb{R}$." + "\n\n"

MEAN = r"\mathbb{E}_{x \sim p_\theta}"
OTHER = r"\mathbb{E}_{x \sim q}"
SCORE = r"\nabla_\theta \log p_\theta(x)"


@dataclass
class World:
    """Four outcomes of x with a density that depends on three parameters, another density, and a function of x."""

    random: np.random.Generator
    outcomes: int = 4
    theta: np.ndarray = field(init=False)
    weights: np.ndarray = field(init=False)
    measure: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Draw all of it."""
        self.theta = self.random.normal(size=3)
        self.weights = self.random.normal(size=(self.outcomes, 3))
        self.measure = self.random.uniform(0.5, 2.0, self.outcomes)
        self.f = self.random.uniform(0.5, 2.0, self.outcomes)
        q = self.random.uniform(0.5, 2.0, self.outcomes)
        self.q = q / (self.measure * q).sum()
        self.b = 0.7

    def p(self, theta: np.ndarray) -> np.ndarray:
        """The density."""
        p = np.exp(self.weights @ theta)
        return p / (self.measure * p).sum()

    def slope(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The derivative of something by the parameters, which come last, by central differences."""
        steps = 1e-5 * np.eye(3)
        found = [(function(self.theta + step) - function(self.theta - step)) / 2e-5 for step in steps]
        return np.stack(found, axis=-1)

    def mean(self, values: np.ndarray, theta: np.ndarray | None = None) -> np.ndarray:
        """The expectation of something, whose outcomes come first."""
        return np.tensordot(self.measure * self.p(self.theta if theta is None else theta), values, 1)

    @property
    def score(self) -> np.ndarray:
        """The gradient of the logarithm of the density, for each outcome."""
        return self.slope(lambda theta: np.log(self.p(theta)))

    @property
    def curvature(self) -> np.ndarray:
        """Its second derivatives: those of the logarithm of the sum, the same for each outcome."""
        p = self.measure * self.p(self.theta)
        mean = p @ self.weights
        return -np.broadcast_to((self.weights.T * p) @ self.weights - np.outer(mean, mean), (self.outcomes, 3, 3))


Values = Callable[[World], tuple[np.ndarray, np.ndarray, np.ndarray]]

IDENTITIES: dict[str, tuple[str, str, str, Values]] = {
    "a density": (
        rf"{MEAN}[f(x)]",
        r"\int f(x) p_\theta(x)\, dx",
        r"\int f(x) p_\theta(x)^2\, dx",
        lambda w: (
            w.mean(w.f),
            w.measure @ (w.f * w.p(w.theta)),
            w.measure @ (w.f * w.p(w.theta) ** 2),
        ),
    ),
    "linearity": (
        rf"{MEAN}[b f(x) + \log f(x)]",
        rf"b {MEAN}[f(x)] + {MEAN}[\log f(x)]",
        rf"b^2 {MEAN}[f(x)] + {MEAN}[\log f(x)]",
        lambda w: (
            w.mean(w.b * w.f + np.log(w.f)),
            w.b * w.mean(w.f) + w.mean(np.log(w.f)),
            w.b**2 * w.mean(w.f) + w.mean(np.log(w.f)),
        ),
    ),
    "a variance": (
        rf"{MEAN}[(f(x) - {MEAN}[f(x)])^2]",
        rf"{MEAN}[f(x)^2] - {MEAN}[f(x)]^2",
        rf"{MEAN}[f(x)^2] + {MEAN}[f(x)]^2",
        lambda w: (
            w.mean((w.f - w.mean(w.f)) ** 2),
            w.mean(w.f**2) - w.mean(w.f) ** 2,
            w.mean(w.f**2) + w.mean(w.f) ** 2,
        ),
    ),
    "the mean of the score": (
        rf"{MEAN}[b\, {SCORE}]",
        "0",
        r"b",
        lambda w: (w.mean(w.b * w.score), np.zeros(3), np.full(3, w.b)),
    ),
    "the gradient of an expectation": (
        rf"\nabla_\theta {MEAN}[f(x)]",
        rf"{MEAN}[f(x) {SCORE}]",
        rf"{MEAN}[f(x) \nabla_\theta p_\theta(x)]",
        lambda w: (
            w.slope(lambda theta: w.mean(w.f, theta)),
            w.mean(w.f[:, None] * w.score),
            w.mean(w.f[:, None] * w.slope(w.p)),
        ),
    ),
    "a constant beside the score": (
        rf"\nabla_\theta {MEAN}[f(x)]",
        rf"{MEAN}[(f(x) - b) {SCORE}]",
        rf"{MEAN}[f(x) {SCORE} - b]",
        lambda w: (
            w.slope(lambda theta: w.mean(w.f, theta)),
            w.mean((w.f - w.b)[:, None] * w.score),
            w.mean(w.f[:, None] * w.score - w.b),
        ),
    ),
    "other weights": (
        rf"{MEAN}[f(x)]",
        rf"{OTHER}\left[\frac{{p_\theta(x)}}{{q(x)}} f(x)\right]",
        rf"{OTHER}\left[\frac{{q(x)}}{{p_\theta(x)}} f(x)\right]",
        lambda w: (
            w.mean(w.f),
            (w.measure * w.q) @ (w.p(w.theta) / w.q * w.f),
            (w.measure * w.q) @ (w.q / w.p(w.theta) * w.f),
        ),
    ),
    "a divergence": (
        rf"{MEAN}\left[\log \frac{{p_\theta(x)}}{{q(x)}}\right]",
        rf"{MEAN}[\log p_\theta(x)] - {MEAN}[\log q(x)]",
        rf"{MEAN}[\log q(x)] - {MEAN}[\log p_\theta(x)]",
        lambda w: (
            w.mean(np.log(w.p(w.theta) / w.q)),
            w.mean(np.log(w.p(w.theta))) - w.mean(np.log(w.q)),
            w.mean(np.log(w.q)) - w.mean(np.log(w.p(w.theta))),
        ),
    ),
    "the Fisher information": (
        rf"{MEAN}[({SCORE}) ({SCORE})^\top]",
        rf"-{MEAN}[\nabla_\theta^2 \log p_\theta(x)]",
        rf"{MEAN}[\nabla_\theta^2 \log p_\theta(x)]",
        lambda w: (
            w.mean(w.score[:, :, None] * w.score[:, None, :]),
            -w.mean(w.curvature),
            w.mean(w.curvature),
        ),
    ),
}
"""A left side, what it is, what it is not, and all three of a small world."""


def verdict(*relations: str, given: str = GIVEN) -> Verdict:
    """What is said of the last of some relations."""
    return check(given + "\n\n".join(f"$${one}$$" for one in relations) + "\n").claims[-1].verdict


@pytest.mark.parametrize("name", IDENTITIES)
def test_the_table_is_right_of_a_distribution_that_is_computed(name: str) -> None:
    for seed in range(3):
        left, right, wrong = IDENTITIES[name][3](World(np.random.default_rng(seed)))
        assert np.allclose(left, right, atol=1e-7)
        assert not np.allclose(left, wrong, atol=1e-2)


@pytest.mark.parametrize("name", IDENTITIES)
def test_what_holds_for_all_distributions_is_true_and_its_wrong_twin_is_not(name: str) -> None:
    left, right, wrong, _ = IDENTITIES[name]
    beside = rf"c = {MEAN}[f(x)] + {OTHER}[f(x)]"  # both are densities
    assert verdict(beside, f"{left} = {right}") in TRUE
    assert verdict(beside, f"{left} = {wrong}") not in (*TRUE, Verdict.REFUTED)


def test_a_density_adds_up_to_one_only_if_the_page_says_that_it_is_one() -> None:
    one = r"\int p(x)\, dx = 1"
    assert verdict(r"c = \mathbb{E}_{x \sim p}[\log x]", one) in TRUE
    assert verdict(one) not in TRUE


@pytest.mark.parametrize(
    "assumed",
    [
        r"\mathbb{E}_{x \sim p}[f(x) g(x)] = \mathbb{E}_{x \sim p}[f(x)] \mathbb{E}_{x \sim p}[g(x)]",
        r"\mathbb{E}_{x \sim p}[f(x)] = 0",
        r"\log \mathbb{E}_{x \sim p}[f(x)] = \mathbb{E}_{x \sim p}[\log f(x)]",
        r"\int_0^b f(x)\, dx = \int f(x)\, dx",
        r"\frac{\partial}{\partial b} \int_0^b f(x)\, dx = 0",
        r"\int_V b\, c\, dV = b \int_V c\, dV",
        r"\nabla_\theta (\theta^\top \theta + H(q_\theta, r)) = 2 \theta",
    ],
)
def test_what_needs_more_than_a_distribution_is_neither_true_nor_refuted(assumed: str) -> None:
    assert verdict(assumed) not in (*TRUE, Verdict.REFUTED)


FUNCTIONS = {
    "a chain rule": (
        r"\frac{\partial}{\partial a} \log (c\, g(x; a)) = \frac{1}{g(x; a)} \frac{\partial}{\partial a} g(x; a)",
        r"\frac{\partial}{\partial a} \log (c\, g(x; a)) = \frac{1}{c\, g(x; a)} \frac{\partial}{\partial a} g(x; a)",
    ),
    "what it does not depend on": (
        r"\frac{\partial}{\partial c} \log (c\, g(x; a, w)) = \frac{1}{c}",
        r"\frac{\partial}{\partial c} \log (c\, g(x; a, w)) = \frac{1}{c} + g(x; a, w)",
    ),
    "a name below it": (
        r"\nabla_\theta g_\theta(x; a) = g_\theta(x; a) \nabla_\theta \log g_\theta(x; a)",
        r"\nabla_\theta g_\theta(x; a) = a \nabla_\theta \log g_\theta(x; a)",
    ),
    "two names that it holds": (
        r"\frac{\partial}{\partial a} (a\, g(a; w)) = g(a; w) + a \frac{\partial}{\partial a} g(a; w)",
        r"\frac{\partial}{\partial a} (a\, g(a; w)) = g(a; w) + a \frac{\partial}{\partial w} g(a; w)",
    ),
}
"""Derivatives of functions of which nothing is known, and wrong ones."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_depends_on_what_is_written_in_it_and_below_it(name: str) -> None:
    right, wrong = FUNCTIONS[name]
    given = r"Let $\theta \in \mathbb{R}^d$ and $a, c, w \in \mathbb{R}$." + "\n\n"
    assert verdict(right, given=given) in TRUE
    assert verdict(wrong, given=given) not in (*TRUE, Verdict.REFUTED)


def test_the_letters_of_sums_are_the_indices_of_its_arguments() -> None:
    given = "Let $\\alpha_k$ be weights.\n\n"
    sums = r"\ell = \sum_{i=1}^n \log \sum_{k=1}^K \alpha_k\, g(x_i; \mu_k)"
    below = r"\sum_{h=1}^K \alpha_h\, g(x_i; \mu_h)"
    left = r"\frac{\partial \ell}{\partial \alpha_k}"
    assert verdict(sums, rf"{left} = \sum_{{i=1}}^n \frac{{g(x_i; \mu_k)}}{{{below}}}", given=given) in TRUE
    wrong = verdict(sums, rf"{left} = \sum_{{i=1}}^n \frac{{\alpha_k g(x_i; \mu_k)}}{{{below}}}", given=given)
    assert wrong not in (*TRUE, Verdict.REFUTED)


def test_the_gradient_of_an_objective_step_by_step() -> None:
    objective = r"J(\theta) := \mathbb{E}_{z \sim r^{\pi_\theta}}[R(z)]"
    chain = [
        r"\nabla J(\theta)",
        r"\nabla \mathbb{E}_{z \sim r^{\pi_\theta}}[R(z)]",
        r"\int R(z) \nabla r^{\pi_\theta}(z)\, dz",
        r"\int R(z) r^{\pi_\theta}(z) \nabla \log r^{\pi_\theta}(z)\, dz",
        r"\mathbb{E}_{z \sim r^{\pi_\theta}}[R(z) \nabla \log r^{\pi_\theta}(z)]",
    ]
    claims = check(f"{GIVEN}$${objective}$$\n\n$${' = '.join(chain)}$$\n").claims
    assert all(one.verdict in TRUE for one in claims[-4:])
    wrong = [*chain[:-1], chain[-1].replace(r"\log ", "")]
    assert check(f"{GIVEN}$${objective}$$\n\n$${' = '.join(wrong)}$$\n").claims[-1].verdict not in TRUE
