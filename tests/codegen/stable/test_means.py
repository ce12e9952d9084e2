"""Deviations from a mean: taken twice where NumPy adds up along another axis than the last, and nowhere else."""

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

TEXT = """
index n : N
index h : H
input X[n,h]
m[{kept}] = 1/{extent} * sum[{over}](X[n,h])
v[{kept}] = 1/{extent} * sum[{over}]((X[n,h] - m[{kept}])^2)
Y[n,h] = (X[n,h] - m[{kept}]) / sqrt(v[{kept}])
upstream G[n,h] = dL/dY[n,h]
derive X
"""
COLUMNS = TEXT.format(kept="h", extent="N", over="n")
ROWS = TEXT.format(kept="n", extent="H", over="h")


def gradients(source, dtype, upstream, inputs):
    module = loaded(source)
    return module.backward(module.forward(inputs.astype(dtype)), upstream.astype(dtype)).dX


def test_a_large_offset_costs_no_digits():
    rng = np.random.default_rng(0)
    X, G = (300 + rng.normal(size=(4096, 3))).astype(np.float32), rng.normal(size=(4096, 3)).astype(np.float32)
    source = numpy_module(derive(read_problem(COLUMNS)))
    single, double = (gradients(source, dtype, G, X) for dtype in (np.float32, np.float64))
    assert np.abs(single - double).max() < 2e-5 * np.abs(double).max()


@pytest.mark.parametrize(("text", "twice"), [(COLUMNS, True), (ROWS, False)])
def test_only_sums_along_other_axes_than_the_last_are_corrected(text, twice):
    assert ("m_rest" in numpy_module(derive(read_problem(text)))) == twice


def test_a_mean_that_nothing_is_compared_with_stays():
    text = "index n : N\nindex h : H\ninput X[n,h]\nm[h] = mean[n](X[n,h])\nupstream g[h] = dL/dm[h]\nderive X\n"
    assert "m_rest" not in numpy_module(derive(read_problem(text)))


def test_a_mean_of_another_tensor_is_no_deviation():
    text = COLUMNS.replace("input X[n,h]", "input X[n,h], U[n,h]").replace("sum[n](X[n,h])", "sum[n](U[n,h])", 1)
    assert "m_rest" not in numpy_module(derive(read_problem(text)))
