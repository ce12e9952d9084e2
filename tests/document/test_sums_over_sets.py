"""Sums over what is in a set, and over what a condition holds for."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from tests.support.verdicts import last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


WEIGHTS = r"a_{ij} = \frac{\exp(e_{ij})}{\sum_{k \in \mathcal{N}(i)} \exp(e_{ik})}"

MEAN = (
    r"Let $x_j \in \mathbb{R}^d$.",
    r"z_i = \frac{1}{|\mathcal{N}(i)|} \sum_{j \in \mathcal{N}(i)} W x_j",
    r"L = \frac12 \sum_i \|z_i - t_i\|^2",
    r"\frac{\partial L}{\partial z_i} = z_i - t_i",
)

PAIRS = r"f = \frac12 \sum_{(i, j) \in E} w_{ij} (x_i - x_j)^2"

CLUSTERS = r"\mu_k = \frac{1}{|C_k|} \sum_{i \in C_k} x_i"

POSITIVE = r"S = \sum_{i : x_i > 0} x_i"


@pytest.mark.parametrize(
    ("displays", "right", "wrong"),
    [
        ((WEIGHTS,), r"\sum_{j \in \mathcal{N}(i)} a_{ij} = 1", r"\sum_{j \in \mathcal{N}(i)} a_{ij} = 2"),
        (
            MEAN,
            r"\frac{\partial L}{\partial W} = \sum_i \frac{1}{|\mathcal{N}(i)|} \sum_{j \in \mathcal{N}(i)}"
            r" (z_i - t_i) x_j^\top",
            r"\frac{\partial L}{\partial W} = \sum_i \sum_{j \in \mathcal{N}(i)} (z_i - t_i) x_j^\top",
        ),
        (
            (PAIRS,),
            r"\frac{\partial f}{\partial x_k} = \sum_{j : (k, j) \in E} w_{kj} (x_k - x_j)"
            r" - \sum_{i : (i, k) \in E} w_{ik} (x_i - x_k)",
            r"\frac{\partial f}{\partial x_k} = \sum_{j : (k, j) \in E} w_{kj} (x_k + x_j)"
            r" - \sum_{i : (i, k) \in E} w_{ik} (x_i - x_k)",
        ),
        ((CLUSTERS,), r"\sum_{i \in C_k} (x_i - \mu_k) = 0", r"\sum_{i \in C_k} (x_i + \mu_k) = 0"),
        ((POSITIVE,), r"S = \sum_i \max(0, x_i)", r"S = \sum_i \max(1, x_i)"),
        ((POSITIVE,), r"\frac{\partial S}{\partial x_j} = [x_j > 0]", r"\frac{\partial S}{\partial x_j} = [x_j < 0]"),
    ],
)
def test_such_sums_are_judged(displays: tuple[str, ...], right: str, wrong: str) -> None:
    """What is right is true, and what is wrong is refuted."""
    assert last(*displays, right) is CONFIRMED
    assert last(*displays, wrong) is REFUTED


@pytest.mark.parametrize(
    "displays",
    [
        # Neighbours of each other; an entry beside itself; each point in one cluster; a cluster that is given.
        (
            r"m_i = \sum_{j \in \mathcal{N}(i)} h_j",
            r"L = \sum_i g_i m_i",
            r"\frac{\partial L}{\partial h_j} = \sum_{i \in \mathcal{N}(j)} g_i",
        ),
        (
            r"E_i = \sum_{j \in \mathcal{N}(i)} x_i x_j",
            r"\frac{\partial E_i}{\partial x_i} = \sum_{j \in \mathcal{N}(i)} x_j",
        ),
        (WEIGHTS, r"\frac{\partial a_{ij}}{\partial e_{ik}} = a_{ij} (\delta_{jk} - a_{ik})"),
        (
            CLUSTERS,
            r"T = \sum_i (x_i - m)^2",
            r"W = \sum_k \sum_{i \in C_k} (x_i - \mu_k)^2",
            r"T - W = \sum_k |C_k| (\mu_k - m)^2",
        ),
        (
            CLUSTERS,
            r"W = \sum_k \sum_{i \in C_k} (x_i - \mu_k)^2",
            r"\frac{\partial W}{\partial x_i} = 2 (x_i - \mu_k)",
        ),
        (r"\sum_{(i, j) \in E} (x_i - x_j)^2 = x^\top (D - A) x",),
    ],
)
def test_what_may_need_more_of_a_set_is_left_open(displays: tuple[str, ...]) -> None:
    """A set may hold all, all others, or each one once, and a letter may be that of the set."""
    assert last(*displays) is OPEN


def test_the_number_of_what_is_in_a_set_is_a_size() -> None:
    """It stands in shapes and above sums."""
    given = (
        r"Let $E \in \mathbb{R}^{|V| \times d}$ and $h \in \mathbb{R}^d$.",
        r"z = E h, \qquad p = \operatorname{softmax}(z)",
        r"L = -\sum_{i=1}^{|V|} y_i \log p_i, \qquad \sum_i y_i = 1",
        r"\frac{\partial L}{\partial z} = p - y",
    )
    assert last(*given, r"\frac{\partial L}{\partial E} = (p - y) h^\top") is CONFIRMED
    assert last(*given, r"\frac{\partial L}{\partial E} = h (p - y)^\top") is REFUTED
