"""Ways of writing met in notes: small true ones, which are understood, and wrong twins, which are refuted."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.verdicts import TRUE


@dataclass(frozen=True)
class Way:
    """How a note begins, and claims after it: true ones, and wrong ones."""

    start: str
    true: tuple[str, ...]
    wrong: tuple[str, ...] = ()


WAYS: dict[str, Way] = {
    "one letter is the loss and a length": Way(
        r"$$y_i = w_i x_i + b_i$$ $$s_i = \sum_{t=1}^{L} u_{ti}$$",
        (r"\frac{\partial L}{\partial w_i} = \frac{\partial L}{\partial y_i} x_i",),
        (r"\frac{\partial L}{\partial w_i} = \frac{\partial L}{\partial y_i} w_i",),
    ),
    "one equation to a line of a fence": Way(
        "```math\ns = \\sum_j x_j^2\ny_i = x_i s\n```\n\n```math\n"
        "\\frac{\\partial L}{\\partial s} = \\sum_j x_j \\frac{\\partial L}{\\partial y_j}\n"
        "\\frac{\\partial L}{\\partial x_i} = s \\frac{\\partial L}{\\partial y_i}"
        " + 2 x_i \\frac{\\partial L}{\\partial s}\n```",
        (r"\frac{\partial s}{\partial x_i} = 2 x_i",),
        (r"\frac{\partial s}{\partial x_i} = x_i",),
    ),
    "a chain rule over two lines": Way(
        r"$$y_i = x_i^3$$",
        (
            "\\frac{\\partial L}{\\partial x_i} = \\frac{\\partial L}{\\partial y_i}\n"
            "\\frac{\\partial y_i}{\\partial x_i} = 3 x_i^2 \\frac{\\partial L}{\\partial y_i}",
        ),
    ),
    "a system of equations in braces": Way(
        r"$$\begin{cases} u_i = x_i^2 \\ y_i = \sin(u_i) \end{cases}$$",
        (r"\frac{\partial L}{\partial x_i} = 2 x_i \cos(u_i) \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial L}{\partial x_i} = 2 x_i \sin(u_i) \frac{\partial L}{\partial y_i}",),
    ),
}


def last(way, claim):
    return check(f"{way.start}\n\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.true])
def test_a_true_claim_is_understood(name, claim):
    assert last(WAYS[name], claim) in TRUE


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.wrong])
def test_its_wrong_twin_is_refuted(name, claim):
    assert last(WAYS[name], claim) is Verdict.REFUTED


def test_the_options_of_a_directive_are_no_mathematics():
    claims = check(
        "```{math}\n:label: forward\ny_i = x_i^2\n```\n\n$$\\frac{\\partial y_i}{\\partial x_i} = x_i$$\n"
    ).claims
    assert [claim.verdict for claim in claims] == [Verdict.DEFINITION, Verdict.REFUTED]


def test_each_line_of_a_fence_is_judged():
    every = check(WAYS["one equation to a line of a fence"].start).claims
    assert [claim.verdict for claim in every] == [Verdict.DEFINITION] * 2 + [Verdict.PROVED] * 2
