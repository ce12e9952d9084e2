from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

NOTE = r"""
Let $x, y \in \mathbb{R}^n$ and $A \in \mathbb{R}^{n \times n}$.

$$o_i = \sum_{j=1}^{i} x_j$$

$$u_i = \sum_{j=i+1}^{n} A_{ij} y_j$$
"""

TRUE = (
    r"\frac{\partial o_i}{\partial x_j} = 1[i >= j]",
    r"\frac{\partial o_i}{\partial x_j} = 1[j <= i]",
    r"\frac{\partial L}{\partial x_j} = \sum_{i=j}^{n} \frac{\partial L}{\partial o_i}",
    r"o_i = x_i + \sum_{j=1}^{i-1} x_j",
    r"o_i = \sum_{k \le i} x_k",
    r"o_i = \sum_{k < i + 1} x_k",
    r"u_i = \sum_{j > i} A_{ij} y_j",
    r"u_i = \sum_{j \geq i + 1} A_{ij} y_j",
    r"u_i = \sum_{j \in [1, n]} A_{ij} y_j - \sum_{j=1}^{i} A_{ij} y_j",
    r"u_i = \sum_{j \in [n]} A_{ij} y_j - \sum_{j \le i} A_{ij} y_j",
    r"0 = u_i - \sum_{j > i} A_{ij} y_j",
)

FALSE = (
    r"\frac{\partial o_i}{\partial x_j} = 1[i > j]",
    r"\frac{\partial L}{\partial x_j} = \sum_{i=1}^{j} \frac{\partial L}{\partial o_i}",
    r"\frac{\partial L}{\partial x_j} = \sum_{i=1}^{n} \frac{\partial L}{\partial o_i}",
    r"o_i = \sum_{j=1}^{i-1} x_j",
    r"u_i = \sum_{j=i}^{n} A_{ij} y_j",
    r"0 = u_i - \sum_{j \geq i} A_{ij} y_j",
)


def last(claim, before=NOTE):
    return check(f"{before}\n\n$${claim}$$").claims[-1]


@pytest.mark.parametrize("claim", TRUE)
def test_a_sum_may_end_or_begin_at_an_index(claim):
    assert last(claim).verdict in (Verdict.PROVED, Verdict.CONFIRMED)


@pytest.mark.parametrize("claim", FALSE)
def test_a_sum_that_ends_or_begins_elsewhere_is_refuted(claim):
    assert last(claim).verdict is Verdict.REFUTED


def test_a_sum_up_to_a_declared_size_runs_over_all_of_it_although_its_letter_is_an_index_too():
    assert last(r"y_n + \sum_{j=1}^{n} x_j = \sum_j x_j + y_n").verdict is Verdict.PROVED


def test_the_last_of_numbered_entries_is_a_size():
    before = r"Let $x_1, \dots, x_m$ be numbers."
    assert last(r"t = \sum_{i=1}^{m} x_i$$ $$\frac{\partial t}{\partial x_i} = 1", before).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("heading", "claim", "verdict"),
    [
        ("$i < j$", r"\frac{\partial o_i}{\partial x_j} = 0", Verdict.CONFIRMED),
        ("$i >= j$", r"\frac{\partial o_i}{\partial x_j} = 1", Verdict.CONFIRMED),
        ("$i < j$", r"\frac{\partial o_i}{\partial x_j} = 1", Verdict.REFUTED),
        ("$i <= j$", r"\frac{\partial o_i}{\partial x_j} = 0", Verdict.REFUTED),
        ("$k = i, l < j$", r"\frac{\partial \sum_{q=0}^{l} e^{A_{kq}}}{\partial A_{ij}} = 0", Verdict.CONFIRMED),
        ("$k = i, l >= j$", r"\frac{\partial \sum_{q=0}^{l} e^{A_{kq}}}{\partial A_{ij}} = 0", Verdict.REFUTED),
    ],
)
def test_a_heading_orders_two_indices(heading, claim, verdict):
    assert last(claim, f"{NOTE}\n### {heading}").verdict is verdict


@pytest.mark.parametrize("below", [r"j \in S", r"j = i - 1", r"j \in [2, n]"])
def test_a_sum_over_a_part_that_is_not_known_says_nothing(below):
    assert last(rf"u_i = \sum_{{{below}}} A_{{ij}} y_j").verdict is Verdict.UNCLEAR
