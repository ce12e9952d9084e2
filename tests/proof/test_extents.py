"""Extents at which a formula has no value are left out of the check, and named with the reason."""

import math

import numpy as np
import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.errors import UndefinedError
from indexcalc.generation import generate
from indexcalc.proof.evaluate import number
from indexcalc.proof.extents import undefined_at
from indexcalc.proof.sampling import size_sets

N = sp.Symbol("N", positive=True, integer=True)
D = sp.Symbol("D", positive=True, integer=True)

SAMPLE_VARIANCE = """
index n : N
index d : D
input X[n,d]
mu[d] = mean[n](X[n,d])
v[d] = 1/(N-1) * sum[n]((X[n,d] - mu[d])^2)
"""


def report_of(text):
    return generate(ic.derive(ic.read_problem(text))).report


def test_a_sample_variance_is_checked_where_there_is_more_than_one_sample():
    report = report_of(SAMPLE_VARIANCE)
    assert report.ok
    assert report.worst < 1e-12
    assert all(sizes["N"] > 1 for sizes in report.sizes)
    assert any(sizes["D"] == 1 for sizes in report.sizes)
    reasons = {reason for sizes, reason in report.skipped if sizes["N"] == 1}
    assert reasons == {"1/(N - 1) has no value at N = 1"}
    assert {entry["reason"] for entry in report.to_json()["skipped"]} == reasons


@pytest.mark.parametrize(
    ("scalar", "least"), [("1/(N-1)", 2), ("1/log(N)", 2), ("sqrt(N-2)", 2), ("1/sqrt(N-2)", 3), ("1/(N-9)^(1/2)", 10)]
)
def test_every_extent_that_is_tried_gives_the_formula_a_value(scalar, least):
    report = report_of(f"index n : N\ninput X[n]\nY[n] = X[n]^2 * {scalar}")
    assert report.ok
    assert len(report.sizes) == 3
    assert all(sizes["N"] >= least for sizes in report.sizes)
    assert sorted(sizes["N"] for sizes, _ in report.skipped) == list(range(1, least))


def test_a_formula_without_a_value_at_any_extent_is_a_mistake_that_is_named():
    with pytest.raises(UndefinedError, match=r"has no value at N = "):
        report_of("index n : N\ninput X[n]\nY[n] = X[n] * sqrt(2 - N - 1/N)")


@pytest.mark.parametrize("scalar", [1 / (N - 1), sp.sqrt(N - 2), 1 / sp.log(N), sp.exp(1000 * N)])
def test_a_scalar_without_a_value_says_where(scalar):
    with pytest.raises(UndefinedError, match="at N = 1"):
        number(scalar, ((N, 1),))


def test_extents_that_a_scalar_joins_are_chosen_together():
    problem = ic.read_problem(
        "index n : N\nindex d : D\ninput X[n,d]\nY[n,d] = X[n,d] / sqrt(N - D) + sum[d](X[n,d]) / (N - 1)"
    )
    sets = size_sets(problem.program, np.random.default_rng(0))
    assert [undefined_at(problem.program, sizes) for sizes in sets[:3]] == [""] * 3
    assert undefined_at(problem.program, {N: 3, D: 3}) == "1/sqrt(-D + N) has no value at D = 3, N = 3"


FORMULAS = {
    "1/(N-3)/log(N-1)": lambda n: 1 / (n - 3) / math.log(n - 1),
    "1/log(log(N))": lambda n: 1 / math.log(math.log(n)),
    "1/(1 + 1/(N-2))": lambda n: 1 / (1 + 1 / (n - 2)),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_what_is_one_over_an_infinite_number_has_no_value(formula):
    problem = ic.read_problem(f"index n : N\ninput x[n]\nL = {formula}*sum[n](x[n]^2)\nloss L")
    (extent,) = problem.program.extents
    found = {size for size in range(1, 5) if undefined_at(problem.program, {extent: size})}
    assert found == {size for size in range(1, 5) if not has_value(FORMULAS[formula], size)}


def has_value(function, size):
    """Whether Python's own arithmetic finds a value."""
    try:
        function(size)
    except (ValueError, ZeroDivisionError):
        return False
    return True
