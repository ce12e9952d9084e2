"""Variances and covariances: what follows from expectations alone, and from what a page says of them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)
VECTORS = (r"u \in \mathbb{R}^n", r"v \in \mathbb{R}^m")


def last(*displays):
    """The verdict on the last relation."""
    return check("\n\n".join(f"$${text}$$" for text in displays)).claims[-1].verdict


NUMBERS = {
    r"\mathrm{Var}(x)": ("E[x^2] - E[x]^2", "E[x^2] + E[x]^2"),
    r"2 \mathrm{Var}(x)": ("2 E[(x - E[x])^2]", "2 E[x - E[x]^2]"),
    r"\mathrm{Var}[x + y]": (
        r"\mathrm{Var}[x] + \mathrm{Var}[y] + 2 \mathrm{Cov}[x, y]",
        r"\mathrm{Var}[x] + \mathrm{Var}[y] - 2 \mathrm{Cov}[x, y]",
    ),
    r"\mathrm{Cov}(x, y)": ("E[x y] - E[x] E[y]", "E[x y]"),
    r"\mathrm{Cov}(3 x - 1, y)": (r"3 \mathrm{Cov}(y, x)", r"3 \mathrm{Cov}(y, x) - 1"),
    r"\operatorname{Var}(x | z)": ("E[x^2 | z] - E[x | z]^2", "E[x^2] - E[x | z]^2"),
}
"""Variances and covariances of numbers, each with what it is and what it is not."""


@pytest.mark.parametrize("left", NUMBERS)
def test_of_numbers(left):
    right, wrong = NUMBERS[left]
    assert last(f"{left} = {right}") in TRUE
    assert last(f"{left} = {wrong}") not in TRUE


@pytest.mark.parametrize("seed", range(5))
def test_linear_in_both(seed):
    """``Var(a x + b y + c)`` for whole numbers, by the quadratic form of the covariances."""
    random = Random(seed)
    a, b, c, d = (random.randint(2, 5) for _ in range(4))
    left = rf"\mathrm{{Cov}}({a} x + {b} y + {c}, x - {d} y)"
    form = np.outer([a, b], [1, -d])
    terms = form[0, 0], form[0, 1] + form[1, 0], form[1, 1]
    for shift in (0, 1):
        one, mixed, other = (int(term) + shift * (n == 1) for n, term in enumerate(terms))
        right = rf"{one} \mathrm{{Var}}(x) + ({mixed}) \mathrm{{Cov}}(x, y) + ({other}) \mathrm{{Var}}(y)"
        assert (last(f"{left} = {right}") in TRUE) == (not shift)


LAWS = {
    "of one vector": (r"\text{Cov}[u] = C", r"\text{Cov}[G u + b] = G C G^T", r"\text{Cov}[G u + b] = G^T C G"),
    "of two vectors": (r"\text{Cov}[v, u] = S", r"\text{Cov}[G u, v] = G S^T", r"\text{Cov}[G u, v] = S G^T"),
    "of a number": (
        r"\mathrm{Var}(x) = \sigma^2",
        r"\mathrm{Var}(3 x + 1) = 9 \sigma^2",
        r"\mathrm{Var}(3 x) = 3 \sigma^2",
    ),
    "for a moment": (r"\mathrm{Var}(x) = \sigma^2", r"E[x^2] = \sigma^2 + E[x]^2", r"E[x^2] = \sigma^2"),
}
"""What a page says of a covariance, what follows from it, and what does not."""


@pytest.mark.parametrize("name", LAWS)
def test_what_a_page_says_of_one_is_taken(name):
    law, right, wrong = LAWS[name]
    assert last(*VECTORS, law) is Verdict.DEFINITION
    assert last(*VECTORS, law, right) in TRUE
    assert last(*VECTORS, law, wrong) not in TRUE


MODEL = (r"y = G u + v", r"\text{Cov}[u] = C", r"\text{Cov}[v] = R")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\text{Cov}[y] = G C G^T + R", r"\text{Cov}[y] = G C G^T - R"),
        (r"\text{Cov}[y, u] = G C", r"\text{Cov}[y, u] = G C + R"),
        (r"\text{Cov}[u, y] = C G^T", r"\text{Cov}[u, y] = G C"),
    ],
)
def test_what_an_equation_gives_follows_from_what_is_independent(right, wrong):
    page = "\n\n".join(f"$${text}$$" for text in (*VECTORS, *MODEL))
    for said in ("The vectors u and v are independent.", "They are uncorrelated."):
        assert check(f"{said}\n\n{page}\n\n$${right}$$").claims[-1].verdict in TRUE
        assert check(f"{said}\n\n{page}\n\n$${wrong}$$").claims[-1].verdict not in TRUE
    assert check(f"{page}\n\n$${right}$$").claims[-1].verdict not in TRUE


def test_without_a_law_nothing_is_known_of_a_covariance():
    assert last(*VECTORS, r"2 \text{Cov}[G u] = 2 G C G^T") is Verdict.UNCLEAR
    assert last(*VECTORS, r"\text{Cov}[G u, v] = G \text{Cov}[u, v]") in TRUE


def test_a_divergence_is_one_value():
    start = r"\mathrm{KL}(p \| q) = c"
    assert last(start, r"L = \mathrm{KL}(p \| q)", "L = c") in TRUE
