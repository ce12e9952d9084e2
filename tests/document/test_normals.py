"""Normal densities with what they are densities of: they have a formula."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

HOLDS = (Verdict.PROVED, Verdict.CONFIRMED)
SHAPES = "Let $x, m \\in \\mathbb{R}^n$ and $C \\in \\mathbb{R}^{n \\times n}$.\n\n"

PAIRS = {
    "of a number": (
        r"\log \mathcal{N}(x; m, s^2) = -\frac12 \log(2\pi s^2) - \frac{(x-m)^2}{2 s^2}",
        r"\log \mathcal{N}(x; m, s^2) = -\frac12 \log(2\pi s) - \frac{(x-m)^2}{2 s^2}",
    ),
    "its score": (
        r"\frac{\partial}{\partial m} \log \mathcal{N}(x | m, s^2) = \frac{x - m}{s^2}",
        r"\frac{\partial}{\partial m} \log \mathcal{N}(x | m, s^2) = \frac{m - x}{s^2}",
    ),
    "of a vector": (
        r"\log \mathcal{N}(x; m, C) = -\frac n2 \log(2\pi) - \frac12 \log |C| - \frac12 (x-m)^T C^{-1} (x-m)",
        r"\log \mathcal{N}(x; m, C) = -\frac n2 \log(2\pi) - \frac12 \log |C| - \frac12 (x-m)^T C (x-m)",
    ),
    "its gradient": (
        r"\nabla_x \log \mathcal{N}(x; m, C) = -C^{-1} (x-m)",
        r"\nabla_x \log \mathcal{N}(x; m, C) = C^{-1} (x-m)",
    ),
    "of one spread": (
        r"\log \mathcal{N}(x; m, s^2 I) = -\frac n2 \log(2\pi s^2) - \frac{1}{2 s^2} \|x-m\|^2",
        r"\log \mathcal{N}(x; m, s^2 I) = -\frac 12 \log(2\pi s^2) - \frac{1}{2 s^2} \|x-m\|^2",
    ),
}


@pytest.mark.parametrize(("right", "wrong"), PAIRS.values(), ids=PAIRS.keys())
def test_a_normal_density_has_its_formula(right: str, wrong: str) -> None:
    """What is false is not refuted, for a page may mean another parameter."""
    shapes = "" if "s^2}" in right and "I" not in right else SHAPES
    assert check(f"{shapes}$${right}$$\n").claims[-1].verdict in HOLDS
    assert check(f"{shapes}$${wrong}$$\n").claims[-1].verdict is Verdict.UNCLEAR


def test_an_equation_of_the_page_goes_before_the_formula() -> None:
    """A page may write precisions."""
    page = r"""$$\mathcal{N}(x; m, t) = \sqrt{\frac{t}{2\pi}} e^{-\frac t2 (x - m)^2}$$

$$\frac{\partial}{\partial m} \log \mathcal{N}(x; m, t) = t (x - m)$$
"""
    assert check(page).claims[-1].verdict in HOLDS


def test_a_name_may_be_a_standard_deviation_where_words_speak_of_one() -> None:
    """Then what would hold for a variance is left open."""
    relation = r"\log \mathcal{N}(x; m, s) = -\frac12 \log(2\pi s) - \frac{(x-m)^2}{2 s}"
    assert check(f"$${relation}$$\n").claims[-1].verdict in HOLDS
    assert check(f"With the standard deviation $s$:\n\n$${relation}$$\n").claims[-1].verdict is Verdict.UNCLEAR
