"""Maxima and minima along indices: emitted as reductions, with the values and gradients of what they stand for."""

import types

import numpy as np

from indexcalc.codegen import numpy_module
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import run_program
from indexcalc.rewrite.derive import derive

EXTREMES = """
title "t"
index i : N
index j : T
index k : K
input x[i,j], y[i,k,j], w[j]
m[i] = max[j](x[i,j])
s[i] = min[j](x[i,j] * w[j] + m[i])
q[k] = max[i,j](2*y[i,k,j] - x[i,j])
t[i] = max[j](-x[i,j])
z[i,k] = m[i] * q[k] + s[i] * t[i]
upstream g[i,k] = dL/dz[i,k]
derive x, y, w
"""


def module_of(text):
    derivation = derive(read_problem(text))
    source = numpy_module(derivation)
    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    return derivation, module, source


def test_extremes_keep_their_values_and_gradients_ties_included():
    derivation, module, source = module_of(EXTREMES)
    sizes = {extent: {"N": 3, "T": 4, "K": 2}[extent.name] for extent in derivation.problem.program.extents}
    rng = np.random.default_rng(3)
    x, y, w = rng.standard_normal((3, 4)), rng.standard_normal((3, 2, 4)), np.ones(4)
    x[0] = [1.0, 2.0, 2.0, -1.0]
    x[1] = 0.5
    g = rng.standard_normal((3, 2))
    known = {**run_program(derivation.problem.program, {"x": x, "y": y, "w": w}, sizes), "g": g}
    backward = derivation.backward
    expected = run_program(backward, {tensor.name: known[tensor.name] for tensor in backward.inputs}, sizes)
    values = module.forward(x, y, w)
    for name in ("m", "s", "q", "t", "z"):
        np.testing.assert_allclose(getattr(values, name), known[name])
    for found, name in zip(module.backward(values, g), ("dx", "dy", "dw"), strict=True):
        np.testing.assert_allclose(found, expected[name])
    assert "m = x.max(axis=1)" in source
    assert "s = u2.min(axis=1)" in source or ".min(axis=1)" in source


def test_no_pair_of_entries_is_compared():
    _, module, source = module_of(
        'title "t"\nindex i : N\nindex j : T\ninput x[i,j]\nm[i] = max[j](x[i,j])\nupstream g[i] = dL/dm[i]\nderive x\n'
    )
    assert "[:, None, :]" not in source
    x = np.zeros((1, 100_000))
    x[0, 7] = 1.0
    values = module.forward(x)
    gradient = module.backward(values, np.ones(1)).dx
    assert values.m[0] == 1.0
    assert gradient[0, 7] == 1.0
    assert gradient.sum() == 1.0


def test_a_count_that_the_author_asks_for_is_kept():
    _, module, source = module_of(
        'title "t"\nindex i : N\nindex j, l : T\ninput x[i,j]\nc[i,j] = sum[l](step(x[i,l] - x[i,j]))\n'
        "y[i] = sum[j]((1 - step(c[i,j])) * x[i,j])\nupstream g[i] = dL/dy[i]\nderive x\n"
    )
    x = np.array([[3.0, 1.0, 3.0, 2.0]])
    values = module.forward(x)
    np.testing.assert_array_equal(values.c, [[0, 3, 0, 2]])
    np.testing.assert_array_equal(values.y, [6])
    assert "x_max" in source


def test_a_largest_entry_is_compared_at_what_is_looked_up():
    _, module, _ = module_of(
        "index n : N\nindex v : V\ninput x[n], y[n] in V\nm[v] = max[n](delta[v,y[n]] * x[n])\n"
        "upstream G[v] = dL/dm[v]\nderive x\n"
    )
    values = module.forward(np.array([1.0, 3.0, 2.0, -1.0]), np.array([0, 0, 1, 2]), V=3)
    np.testing.assert_array_equal(values.m, [3.0, 2.0, 0.0])  # elsewhere a sample counts as zero
    gradients = module.backward(values, np.array([5.0, 7.0, 11.0]))
    np.testing.assert_array_equal(gradients.dx, [0.0, 5.0, 7.0, 0.0])
