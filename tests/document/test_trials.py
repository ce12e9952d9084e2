"""When more points are drawn for what is undefined at some."""

import numpy as np
import pytest

from indexcalc.document.check import check
from indexcalc.document.numerics import numbers
from indexcalc.document.numerics.points import FURTHER, MORE_SEEDS, PATTERNS, USUAL, length_of
from indexcalc.document.numerics.trials import AGREEING_PATTERNS, NEEDED, Trial
from indexcalc.document.report import TRUE, Verdict

DIAGONAL = np.eye(3, dtype=bool)
"""Where a distance is that of a point from itself."""


@pytest.mark.parametrize(
    ("gaps", "barred"),
    [
        ({0: [DIAGONAL] * 3, 1: [DIAGONAL[:2, :2]] * 3}, True),
        ({0: [DIAGONAL] * 3}, False),  # for other sizes it may be defined
        ({0: [DIAGONAL] * 3, 1: [DIAGONAL[:2, :2]] * 2}, False),  # it was defined at a point
        ({0: [DIAGONAL] * 3, 1: [DIAGONAL, ~DIAGONAL, DIAGONAL]}, False),  # it depends on the point
        ({0: [np.array(True)] * 3, 1: [np.array(True)] * 3}, False),  # all of it: nothing shows why
    ],
)
def test_no_more_points_are_drawn_where_the_same_entries_are_never_defined(gaps, barred):
    assert Trial(gaps=gaps).barred == barred


def test_further_points_are_of_all_patterns_in_turn():
    # where nothing is defined with the sizes of one pattern, the others decide before it is drawn to the end
    for undefined in range(len(PATTERNS)):
        seen = [pattern for pattern, _ in USUAL + FURTHER if pattern != undefined][:NEEDED]
        assert len(set(seen)) >= AGREEING_PATTERNS
        drawn = next(
            n for n, _ in enumerate(FURTHER) if sum(p != undefined for p, _ in (USUAL + FURTHER[:n])) >= NEEDED
        )
        assert drawn <= NEEDED + len(PATTERNS)
    assert sorted(USUAL + FURTHER) == [(p, seed) for p in range(len(PATTERNS)) for seed in range(MORE_SEEDS)]


def test_no_two_sizes_are_alike_at_all_points():
    usual = sorted({pattern for pattern, _ in USUAL})
    assert len({tuple(length_of(number, pattern) for pattern in usual) for number in range(16)}) == 16


@pytest.mark.parametrize("most", [5, 1])
def test_every_other_size_is_told_from_the_one_that_is_meant(most):
    """Also beside a tensor of so many axes that axes are made shorter."""
    names, letters = "ABCDEF", "ijklmn"
    shapes = "\n\n".join(rf"$x^{{({n})}} \in \mathbb{{R}}^{{{size}}}$" for n, size in enumerate(names))
    sums = " + ".join(rf"\sum_{letter} x^{{({n})}}_{letter}" for n, letter in enumerate(letters))
    among = letters[:most]
    entries = " ".join(f"x^{{({n})}}_{letter}" for n, letter in enumerate(among))
    large = rf" + \sum_{{{among}}} y_{{{among}}} {entries}"
    page = rf"{shapes}" + "\n\n" + rf"$$L = \frac{{1}}{{A}} ({sums}){large}$$" + "\n\n"
    for size in names:
        claim = rf"$$\frac{{\partial L}}{{\partial x^{{(5)}}_n}} = \frac{{1}}{{{size}}}$$"
        verdict = check(page + claim).claims[-1].verdict
        assert verdict in TRUE if size == "A" else verdict is Verdict.REFUTED


def test_what_takes_too_long_at_one_point_is_left_open(monkeypatch):
    page = "$$y_i = \\sum_j W_{ij} x_j$$\n\n$$\\frac{\\partial y_i}{\\partial x_k} = W_{ik} x_k$$\n"
    assert check(page).claims[-1].verdict is Verdict.REFUTED
    monkeypatch.setattr(numbers, "WORK_LIMIT", 3000)
    claim = check(page).claims[-1]
    assert (claim.verdict, claim.reason) == (Verdict.UNCLEAR, "it takes too long to evaluate")
