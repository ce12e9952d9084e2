"""Vectors that an equation gives for each index, and those that stand in norms."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from tests.support.verdicts import last

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            r"\frac{\partial L}{\partial W} = \sum_i (z_i - t_i) x_i^\top",
            r"\frac{\partial L}{\partial W} = \sum_i x_i (z_i - t_i)^\top",
        ),
        (r"\frac{\partial L}{\partial x_i} = W^\top (z_i - t_i)", r"\frac{\partial L}{\partial x_i} = W (z_i - t_i)"),
    ],
)
def test_vectors_that_are_given_for_each_index(right: str, wrong: str) -> None:
    """An equation gives a vector for each letter: ``z_i`` is one of many."""
    given = (
        r"Let $x_i \in \mathbb{R}^d$ and $W \in \mathbb{R}^{m \times d}$.",
        r"z_i = W x_i + b",
        r"L = \frac12 \sum_i \|z_i - t_i\|^2",
        r"\frac{\partial L}{\partial z_i} = z_i - t_i",
    )
    assert last(*given, right) is CONFIRMED
    assert last(*given, wrong) is REFUTED


def test_a_term_in_a_norm_is_no_number() -> None:
    """Nothing else says that ``x_n`` is a vector."""
    given = (r"J = \sum_n \sum_k r_{nk} \|x_n - \mu_k\|^2",)
    assert last(*given, r"\frac{\partial J}{\partial \mu_k} = -2 \sum_n r_{nk} (x_n - \mu_k)") is CONFIRMED
