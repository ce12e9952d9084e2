"""Second equations for a name, which lead back to it: both right sides are compared with the name as it is."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)

BELLMAN = r"""$$V^\pi(s) = \sum_a \pi(a|s) Q^\pi(s, a)$$

$$Q^\pi(s, a) = \sum_{s'} p(s'|s, a) \left[R(s, a, s') + \gamma V^\pi(s')\right]$$

$$V^\pi(s) = {}$$
"""


@pytest.mark.parametrize(
    ("right", "holds"),
    [
        (r"\sum_a \pi(a|s) \sum_{s'} p(s'|s, a) \left[R(s, a, s') + \gamma V^\pi(s')\right]", True),
        (r"\sum_a \pi(a|s) \sum_{s'} p(s'|s, a) \left[R(s, a, s') + V^\pi(s')\right]", False),
        (r"\sum_a \pi(a|s) \sum_{s'} p(s'|s, a) \left[R(s, a, s') + \gamma V^\pi(s)\right]", False),
        (r"\sum_a \sum_{s'} p(s'|s, a) \left[R(s, a, s') + \gamma V^\pi(s')\right]", False),
    ],
)
def test_an_equation_that_leads_back_is_compared_with_the_first(right: str, holds: bool) -> None:
    """The value of a state by those of the next ones."""
    assert (check(BELLMAN.replace("{}", right)).claims[-1].verdict in HOLDS) is holds


def test_the_first_of_two_equations_gives_the_name() -> None:
    """It is what the second one is compared with, and is no claim."""
    claims = check(BELLMAN.replace("{}", r"\sum_a Q^\pi(s, a) \pi(a|s)")).claims
    assert claims[0].verdict is Verdict.DEFINITION
    assert claims[-1].verdict in HOLDS


def test_what_is_only_repeated_is_judged_as_the_first() -> None:
    """A gradient that is wrong, and not judged since a shape is not known, does not hold when it is said once more."""
    page = r"""$x \in \mathbb{R}^d$, $W \in \mathbb{R}^{v \times d}$, $y \in \mathbb{R}^v$.
$$z = W x + b$$ $$o = \sum_{i=1}^v \bar{y}_i z_i$$
$$\mathbf{dx} = \mathbf{dz} W^\top$$
"""
    claims = check(page + r"$$\mathbf{dx} = \mathbf{dz} W^\top$$").claims
    assert [claim.verdict for claim in claims[-2:]] == [Verdict.UNCLEAR, Verdict.UNCLEAR]
