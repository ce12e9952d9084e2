"""Sums that deltas of expressions add up at other places: an addition for each part, not for each place."""

from __future__ import annotations

import pytest

from indexcalc.cost import cost_report
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

SIZES = {"N": 50, "K": 4, "C": 3, "F": 5, "V": 40, "M": 6}

CASES = {
    # Products for each c, f, i and k, summed over f before they are added up at their places.
    "convolution with a stride": (
        """
        index i : N
        index k : K
        index c : C
        index f : F
        index a : 2*N + K - 2
        input x[c,a], w[f,c,k]
        y[f,i] = sum[c,k](w[f,c,k] * x[c,2*i+k])
        derive x
        """,
        "dx",
        lambda n, k, c, f, v, m: 2 * c * f * k * n + c * k * n,
    ),
    "mean pooling": (
        """
        index i : N
        index k : K
        index c : C
        index a : 2*N + K - 2
        input x[c,a]
        y[c,i] = 1/K * sum[k](x[c,2*i+k])
        derive x
        """,
        "dx",
        lambda n, k, c, f, v, m: c * k * n + c * n,
    ),
    "rows that are looked up": (
        """
        index n : N
        index v : V
        index m : M
        input E[v,m], x[n,m]
        input id[n] in V
        y[n,m] = E[id[n],m] * x[n,m]
        derive E
        """,
        "dE",
        lambda n, k, c, f, v, m: 2 * n * m,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_part_is_multiplied_out_and_added_up_once(name):
    text, gradient, expected = CASES[name]
    problem = read_problem(text)
    report = cost_report(derive(problem))
    (row,) = [row for row in report.backward.equations if row.equation.name == gradient]
    sizes = {extent: SIZES[extent.name] for extent in problem.program.extents}
    assert row.flops.at(sizes) == expected(*(SIZES[one] for one in "NKCFVM"))
