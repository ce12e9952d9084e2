"""What is given by its logarithm, and how far the argument of a logarithm reaches."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

LOGARITHMS = {
    "a density": Twins(
        r"""Let $x, \mu \in \mathbb{R}^d$ and let $A \in \mathbb{R}^{d \times d}$ be symmetric.
$$\log p(x) = -\frac12 (x - \mu)^\top A (x - \mu) - \frac{d}{2} \log 2 \pi$$""",
        (
            r"\nabla_x \log p(x) = -A (x - \mu)",
            r"\nabla_\mu \log p(x) = A (x - \mu)",
            r"\log p(x) = -\frac12 (x - \mu)^\top A (x - \mu) - \frac{d}{2} \log(2 \pi)",
        ),
        (
            r"\nabla_x \log p(x) = A (x - \mu)",
            r"\nabla_\mu \log p(x) = 2 A (x - \mu)",
        ),
    ),
    "a product": Twins(
        r"$$\log q = \sum_i x_i \log \mu_i$$",
        (
            r"\frac{\partial \log q}{\partial \mu_i} = \frac{x_i}{\mu_i}",
            r"\frac{\partial q}{\partial \mu_i} = q \frac{x_i}{\mu_i}",
        ),
        (r"\frac{\partial \log q}{\partial \mu_i} = \frac{1}{\mu_i}", r"\frac{\partial q}{\partial \mu_i} = x_i"),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(LOGARITHMS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(LOGARITHMS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


def test_the_derivative_of_what_is_never_defined_accuses_nobody():
    text = r"$$f_i = x_i - \mu_i$$ $$\frac{\partial \log p}{\partial \mu_i} = x_i - \mu_i$$"
    assert check(text).claims[-1].verdict is Verdict.UNCLEAR
