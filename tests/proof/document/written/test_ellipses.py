"""Sums with an ellipsis, and products over an index."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

ELLIPSES = {
    "sums": Twins(
        r"""$$m = \frac{1}{n}(x_1 + x_2 + \dots + x_n)$$
$$y = w_1 z_1 + \cdots + w_d z_d + b$$ $$Z = e^{z_1} + e^{z_2} + \dots + e^{z_d}$$""",
        (
            r"m = \frac1n \sum_{i=1}^n x_i",
            r"\frac{\partial m}{\partial x_i} = \frac{1}{n}",
            r"y = \sum_{k=1}^d w_k z_k + b",
            r"\frac{\partial y}{\partial w_k} = z_k",
            r"\frac{\partial \log Z}{\partial z_k} = \frac{e^{z_k}}{Z}",
        ),
        (
            r"m = \sum_{i=1}^n x_i",
            r"\frac{\partial m}{\partial x_i} = 1",
            r"\frac{\partial y}{\partial w_k} = w_k",
            r"\frac{\partial \log Z}{\partial z_k} = \frac{1}{Z}",
        ),
    ),
    "products": Twins(
        r"$$P = \prod_{k=1}^n a_k$$ $$L(\mu) = \prod_{i=1}^n \mu^{x_i} (1-\mu)^{1-x_i}$$",
        (
            r"\frac{\partial P}{\partial a_j} = \prod_{k \neq j} a_k",
            r"\frac{\partial P}{\partial a_j} = \frac{P}{a_j}",
            r"\log P = \sum_{k=1}^n \log a_k",
            r"\log L(\mu) = \sum_{i=1}^n \left[ x_i \log \mu + (1 - x_i) \log(1 - \mu) \right]",
            r"\frac{d \log L(\mu)}{d \mu} = \sum_{i=1}^n \left[ \frac{x_i}{\mu} - \frac{1-x_i}{1-\mu} \right]",
        ),
        (
            r"\frac{\partial P}{\partial a_j} = P",
            r"\log P = \log \sum_{k=1}^n a_k",
            r"\log L(\mu) = \sum_{i=1}^n \left[ x_i \log \mu - (1 - x_i) \log(1 - \mu) \right]",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(ELLIPSES))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(ELLIPSES))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


@pytest.mark.parametrize("pattern", [r"x_1 + x_3 + \dots + x_n", r"x_1 - x_2 + \dots + x_n", r"x_1 + \dots"])
def test_an_ellipsis_without_a_plain_pattern_is_not_understood(pattern):
    assert check(rf"$$s = {pattern}$$ $$\frac{{\partial s}}{{\partial x_i}} = 1$$").claims[0].verdict is Verdict.UNCLEAR


def test_a_product_of_matrices_is_not_understood():
    text = r"$$Y = X W$$ $$M = \prod_t W$$"
    assert check(text).claims[1].verdict is Verdict.UNCLEAR
