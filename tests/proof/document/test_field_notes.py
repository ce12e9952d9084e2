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
}


def last(way, claim):
    return check(f"{way.start}\n\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.true])
def test_a_true_claim_is_understood(name, claim):
    assert last(WAYS[name], claim) in TRUE


@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, way in WAYS.items() for claim in way.wrong])
def test_its_wrong_twin_is_refuted(name, claim):
    assert last(WAYS[name], claim) is Verdict.REFUTED
