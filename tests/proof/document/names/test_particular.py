"""Numbers that a name has in one case define nothing; numbers shown to a few digits are judged to these."""

from __future__ import annotations

from indexcalc import check

NOTE = r"""
Let $p_i = \sigma(z_i)$ and $L = -\sum_i y_i \log p_i$.

- If $y_i = 1$, only the first term counts.
- The other way round for $y_i = 0$.

$$\frac{\partial L}{\partial p_i} = -\frac{y_i}{p_i}$$

$$\frac{\partial L}{\partial p_i} = -\frac{1}{p_i}$$

For this example $L = -\log(0.245) = 1.406$, and not $L = -\log(0.245) = 1.906$.
"""


def verdicts(text: str) -> list[str]:
    """The verdicts of a note, in order."""
    return [str(claim.verdict) for claim in check(text).claims]


def test_numbers_in_one_case_are_conditions() -> None:
    found = verdicts(NOTE)
    assert found[2:6] == ["condition", "condition", "proved", "refuted"]


def test_a_number_is_judged_to_its_digits() -> None:
    assert verdicts(NOTE)[6:] == ["condition", "confirmed", "condition", "refuted"]


def test_what_follows_from_rounded_figures_is_left_open() -> None:
    assert verdicts(r"$$t = 0.3 \cdot 0.33 = 0.1$$") == ["definition", "confirmed"]
    assert verdicts(r"$$t = 0.3 \cdot 0.33 = 0.097$$") == ["definition", "not understood"]
    assert verdicts(r"$$t = 0.3 \cdot 0.33 = 0.099$$") == ["definition", "proved"]
    assert verdicts(r"$$t = 0.3 \cdot 0.33 = 0.2$$") == ["definition", "refuted"]


def test_a_number_given_once_is_a_definition() -> None:
    text = r"We use $\eta = 0.5$. $$w_i = \eta x_i$$ $$w_i = \frac{x_i}{2}$$"
    assert verdicts(text) == ["definition", "definition", "proved"]
