"""Rounding explains a difference that moves with the last digits of the inputs, and no mistake."""

import numpy as np
import pytest

from indexcalc.codegen import module_names, numpy_module
from indexcalc.generation import generate, loaded
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_module
from indexcalc.proof.oracles import Point
from indexcalc.proof.report import Comparison
from indexcalc.proof.rounding import EXPLAINED, LARGEST, explained, judged_again, moved
from indexcalc.rewrite.derive import derive

PROGRAM = read_problem("index i : N\ninput x[i]\nS = sum[i](x[i])\nupstream G = dL/dS\nderive x").program
(N,) = PROGRAM.extents
X = np.random.default_rng(0).normal(size=5)
POINT = Point({"x": X, "S": X.sum()}, {N: 5})


def test_what_cancels_is_rounding_and_a_mistake_is_not():
    def differences(point):
        x = point.values["x"]
        noise = 1e8 * (x.sum() - x[::-1].sum() + (x - x.mean()).sum())
        return [np.asarray(noise), np.asarray(noise + 1e-3), np.asarray(1e-3 * x)]

    noise, shifted, scaled = explained(PROGRAM, POINT, differences(POINT), differences, [1.0, 1.0, 1.0])
    assert abs(differences(POINT)[0]) <= noise < 1e-3
    assert shifted == pytest.approx(noise, rel=1e-3)
    assert scaled < 1e-15


def test_arrays_that_nobody_filled_are_no_rounding():
    source = np.random.default_rng(1)
    (allowed,) = explained(PROGRAM, POINT, [np.zeros(3)], lambda _: [source.normal(size=3)], [5.0])
    assert allowed <= 5.0 * LARGEST


def test_masks_are_not_moved():
    """What hides a score is as large as its author likes, and would move by much."""
    text = "index i : N\ninput s[i], m[i]\nS[i] = s[i] - 1e15 * (1 - m[i])\nupstream G[i] = dL/dS[i]\nderive s"
    program = read_problem(text).program
    mask = np.array([1.0, 0.0, 1.0])
    values = {"s": X[:3], "m": mask, "S": X[:3] - 1e15 * (1 - mask)}
    near = moved(program, Point(values, {program.extents[0]: 3}), np.random.default_rng(0))
    assert np.array_equal(near.values["m"], mask)
    assert 0 < np.abs(near.values["S"] - values["S"]).max() < 1e-14


CANCELLING = """
index i : N
input x[i], w[i]
s = 100 * sum[i](x[i]^2)
z[i] = (x[i] - mean[i](x[i])) / sqrt(var[i](x[i]) + 0.1)
C = s^2 * sum[i](z[i] * s) + sum[i](w[i] * x[i])
upstream G = dL/dC
derive x, w
"""


def test_right_code_is_accepted_where_its_output_is_what_large_numbers_leave():
    outputs = generate(derive(read_problem(CANCELLING)))
    assert outputs.report.ok, outputs.report.failures


@pytest.mark.parametrize("part", [1e-3, 1.0])
def test_wrong_code_is_refuted_there(part):
    derivation = derive(read_problem(CANCELLING))
    module = loaded(numpy_module(derivation))
    right = module.backward

    def wrong(values, *upstream):
        gradients = right(values, *upstream)
        return gradients._replace(dw=gradients.dw * (1 + part))

    module.backward = wrong
    report = check_module(derivation.problem, module, names=module_names(derivation))
    assert [comparison.tensor for comparison in report.failures] == ["dw"]


def test_points_at_which_an_exponential_overflows_are_not_taken():
    text = "index i : N\ninput x[i], a[i]\ny[i] = a[i] / exp(200 * x[i]^4)\nupstream G[i] = dL/dy[i]\nderive x, a"
    for seed in range(4):
        outputs = generate(derive(read_problem(text)), seed=seed)
        assert outputs.report.ok, outputs.report.failures


def test_code_that_fails_nearby_is_refuted_by_what_it_returned_here():
    derivation = derive(read_problem(CANCELLING))
    module, calls = loaded(numpy_module(derivation)), []
    right = module.backward

    def wrong(values, *upstream):
        calls.append(values)
        if len(calls) % 5 != 1:
            raise ZeroDivisionError
        gradients = right(values, *upstream)
        return gradients._replace(dw=gradients.dw * 2)

    module.backward = wrong
    report = check_module(derivation.problem, module, names=module_names(derivation))
    assert "dw" in {comparison.tensor for comparison in report.failures}


def test_what_rounding_explains_says_so_and_all_else_stays():
    def differences(point):
        x = point.values["x"]
        return [1e8 * (x - x.mean()).sum(keepdims=True), 1e8 * (x - x.mean()).sum(keepdims=True) + 1e-3, 0 * x]

    compared = [Comparison(name, "oracle", error, 1e-9, {}) for name, error in (("a", 1e-3), ("b", 1e-3), ("c", 0.0))]
    found = judged_again(compared, differences(POINT), [np.ones(1)] * 3, differences, (PROGRAM, POINT))
    assert [one.ok for one in found] == [True, False, True]
    assert found[0].note == EXPLAINED
    assert found[1:] == compared[1:]
