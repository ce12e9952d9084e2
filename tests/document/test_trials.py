"""When more points are drawn for what is undefined at some."""

import numpy as np
import pytest

from indexcalc.document.numerics.points import FURTHER, MORE_SEEDS, PATTERNS, USUAL
from indexcalc.document.numerics.trials import AGREEING_PATTERNS, NEEDED, Trial

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
