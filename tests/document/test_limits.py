"""Sums up to a size, to one less, and to an index of the same letter."""

from __future__ import annotations

import pytest

from indexcalc.document.report import TRUE
from tests.support.verdicts import last

SIZES = r"Let $x, y \in \mathbb{R}^n$."


def test_a_sum_up_to_a_declared_size_runs_over_all_beside_an_entry_at_it():
    assert last(SIZES, r"y_n + \sum_{j=1}^{n} x_j = \sum_j x_j + y_n") in TRUE
    assert last(SIZES, r"y_n + \sum_{j=1}^{n} x_j = 2 \sum_j x_j + y_n") not in TRUE


def test_a_sum_up_to_an_index_ends_there():
    prefix = r"o_i = \sum_{j=1}^{i} x_j"
    right, wrong = (rf"\frac{{\partial L}}{{\partial x_j}} = \sum_{{i={first}}}^{{n}} G_i" for first in "j1")
    given = r"G_i = \frac{\partial L}{\partial o_i}"
    assert last(SIZES, prefix, given, right) in TRUE
    assert last(SIZES, prefix, given, wrong) not in TRUE


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        (r"\sum_{j=1}^{n-1} (x_{j+1} - x_j) = x_n - x_1", True),
        (r"\sum_{j=1}^{n-1} (x_{j+1} - x_j) = x_n + x_1", False),
        (r"\sum_{k=1}^{m-1} a_k = \sum_k a_k", True),
        (r"\sum_{k=1}^{m-1} a_k = \sum_{k=1}^{m-1} 2 a_k", False),
    ],
)
def test_a_sum_up_to_a_size_less_one_leaves_out_an_entry_or_has_one_less(claim, true):
    assert (last(SIZES, claim) in TRUE) is true


def test_a_sum_up_to_a_size_less_one_is_not_the_whole_of_declared_entries():
    assert last(SIZES, r"\sum_{i=1}^{n-1} x_i = \sum_i x_i") not in TRUE
