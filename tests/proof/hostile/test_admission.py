"""Assumptions and domains at hostile inputs: exact in float32, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.language import read_problem
from indexcalc.proof.evaluate import numbers_of
from indexcalc.proof.hostile.admission import LEAST, InadmissibleError, exactly_summing, rules_of
from indexcalc.proof.hostile.trial import hostile_trial

HEAD = "index i, j : N\n"
TAIL = "z[i,j] = x[i,j]^2\n"


def rule(declared: str, assumed: str = ""):
    program = read_problem(HEAD + declared + "\n" + assumed + TAIL).program
    return rules_of(program, numbers_of({program.extents[0]: 3}))["x"]


def square(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, 3)) * 300


def test_without_a_rule_an_array_is_only_rounded():
    assert np.array_equal(rule("input x[i,j]").admitted(square()), square().astype(np.float32))


@pytest.mark.parametrize(
    ("declared", "low", "high"),
    [
        ("in (-1,1)", -1 + 2.0**-24, 1 - 2.0**-24),
        ("in [0,1]", 0.0, 1.0),
        ("positive", LEAST, np.inf),
        ("probability", 0.0, 1.0),
    ],
)
def test_entries_are_taken_to_the_ends_of_their_domain(declared, low, high):
    found = rule(f"input x[i,j] {declared}").admitted(square())
    assert found.min() == low
    assert found.max() == high or (np.isinf(high) and found.max() == np.float32(square().max()))


def test_a_symmetry_holds_to_the_last_bit():
    found = rule("input x[i,j]", "assume x[i,j] = x[j,i]\n").admitted(square())
    assert np.array_equal(found, found.T)
    assert found.max() > 100


def test_a_definite_matrix_stays_one_or_is_refused():
    given = rule("input x[i,j] spd")
    matrix = square() @ square().T + np.eye(3) * 3000
    for array in (matrix, matrix / 1000, matrix * 1e-6, np.eye(3)):
        found = given.admitted(array)
        assert np.array_equal(found, found.T)
        assert np.linalg.eigvalsh(found.astype(float)).min() > 0
    for array in (np.zeros((3, 3)), np.ones((3, 3)), -matrix, np.diag([1.0, 1.0, -0.1])):
        with pytest.raises(InadmissibleError, match="exactly"):
            given.admitted(array)


@pytest.mark.parametrize("total", ["1", "0"])
def test_a_sum_holds_to_the_last_bit(total):
    found = rule("input x[i,j]", f"assume sum[j](x[i,j]) = {total}\n").admitted(square())
    assert (found.astype(float).sum(axis=1) == float(total)).all()


def test_a_probability_stays_one():
    for array in (square(), np.zeros((3, 3)), np.ones((3, 3)), np.eye(3)):
        found = rule("input x[i,j] probability over j").admitted(np.abs(array))
        assert (found.astype(float).sum(axis=1) == 1).all()
        assert found.min() >= 0


def test_a_symmetry_and_a_sum_of_all_entries_hold_at_once():
    found = rule("input x[i,j]", "assume x[i,j] = x[j,i]\nassume sum[i,j](x[i,j]) = 1\n").admitted(np.abs(square()))
    assert np.array_equal(found, found.T)
    assert found.astype(float).sum() == 1


def test_what_cannot_hold_exactly_is_refused():
    both = rule("input x[i,j]", "assume x[i,j] = x[j,i]\nassume sum[j](x[i,j]) = 1\n")
    with pytest.raises(InadmissibleError, match="exactly"):
        both.admitted(np.abs(square()))


def test_sums_over_several_axes_of_entries_that_are_all_zero():
    found = exactly_summing(np.zeros((2, 3, 2)), (0, 2), 1.0)
    assert (found.sum(axis=(0, 2)) == 1).all()


def test_hostile_points_lie_in_the_domain():
    trial = hostile_trial(read_problem("index i : N\ninput m[i] in (-1,1)\nh[i] = log(1 + m[i]) - log(1 - m[i])\n"))
    assert len(trial.cases) > 5
    assert all((np.abs(case.inputs["m"]) < 1).all() for case in trial.cases)
    assert max(np.abs(case.inputs["m"]).max() for case in trial.cases) > 0.9999999
