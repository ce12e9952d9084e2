"""Sums of exponentials that no index runs over: named while that helps, and written out where it does not."""

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

HEAD = "index i : N\ninput a[i], b[i]\n"
LARGE = np.array([1e3, -1e3, 0.0]), np.array([-1e3, -999.0, 0.5])


def source_of(body):
    return numpy_module(derive(read_problem(f"{HEAD}{body}\nupstream g[i] = dL/dY[i]\nderive a, b\n")))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Y[i] = log(exp(a[i]) + exp(b[i]))", np.logaddexp),
        ("Y[i] = exp(a[i]) / (exp(a[i]) + exp(b[i]))", lambda a, b: np.exp(a - np.logaddexp(a, b))),
        (
            "Y[i] = log(2 + exp(a[i]) + 3 * exp(b[i]))",
            lambda a, b: np.logaddexp(np.log(2), np.logaddexp(a, b + np.log(3))),
        ),
        (
            "Y[i] = exp(b[i]) / (exp(a[i]) + exp(b[i]))^2 * exp(a[i])",
            lambda a, b: np.exp(a + b - 2 * np.logaddexp(a, b)),
        ),
    ],
)
def test_a_sum_without_an_index_is_bounded_like_any_other(body, expected):
    module = loaded(source_of(body))
    values = module.forward(*LARGE)
    np.testing.assert_allclose(values.Y, expected(*LARGE), rtol=1e-12)
    assert all(np.isfinite(array).all() for array in module.backward(values, np.ones(3)))


def test_a_sum_that_nothing_cancels_is_written_as_it_was():
    source = source_of("Y[i] = 1 / (exp(a[i]) + exp(b[i])) + a[i]")
    source = source[: source.index("def backward")]
    assert "maximum" not in source
    assert "Y = 1.0 / (np.exp(a) + np.exp(b)) + a" in source


def test_both_passes_share_a_name():
    source = source_of("Y[i] = log(exp(a[i]) + exp(b[i]))")
    assert source.count("np.maximum") == 1
