"""What a pass repeats is computed once: functions under any index names, masks, but nothing that may overflow."""

import types

import numpy as np

from indexcalc.codegen import numpy_module
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import run_program
from indexcalc.rewrite.derive import derive

HEAD = """
title "t"
index i, j, l : T
input A[i,j], x[i]
"""


def module_of(body, derive_line="derive A, x"):
    derivation = derive(read_problem(f"{HEAD}{body}\n{derive_line}\n"))
    source = numpy_module(derivation)
    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    return derivation, module, source


def agrees(derivation, module):
    rng = np.random.default_rng(1)
    A, x, g = rng.standard_normal((4, 4)), rng.standard_normal(4), rng.standard_normal(4)
    program, backward = derivation.problem.program, derivation.backward
    sizes = dict.fromkeys(program.extents, 4)
    known = {**run_program(program, {"A": A, "x": x}, sizes), "g": g}
    expected = run_program(backward, {tensor.name: known[tensor.name] for tensor in backward.inputs}, sizes)
    values = module.forward(A, x)
    np.testing.assert_allclose(values.y, known["y"])
    gradients = module.backward(values, g)
    for name in backward.outputs:
        np.testing.assert_allclose(getattr(gradients, name), expected[name])


def test_a_function_is_computed_once_under_any_index_names():
    parts = module_of(
        "u[i] = sum[j](tanh(A[i,j]) * x[j])\nv[i,j] = tanh(A[j,i]) + x[i]\n"
        "y[i] = u[i] + sum[j](v[i,j]^2)\nupstream g[i] = dL/dy[i]"
    )
    forward, backward = parts[2].split("def backward")
    assert forward.count("np.tanh(") == 1
    assert backward.count("np.tanh(") <= 1
    agrees(*parts[:2])


def test_a_named_function_is_read_by_its_name():
    *parts, source = module_of("t[i] = tanh(x[i])\ny[i] = sum[j](A[i,j] * tanh(x[j]))\nupstream g[i] = dL/dy[i]")
    assert source.count("np.tanh(") == 1
    agrees(*parts)


def test_what_stands_inside_a_repeated_function_gets_no_name_of_its_own():
    *parts, source = module_of("y[i] = exp(sin(x[i])) + sum[j](A[i,j] * exp(sin(x[j])))\nupstream g[i] = dL/dy[i]")
    forward = source.split("def backward")[0]
    assert forward.count("np.exp(np.sin(x))") == 1
    assert "sin_x" not in forward.replace("exp_sin", "")
    agrees(*parts)


def test_a_mask_is_built_once():
    *parts, source = module_of(
        "B[i,j] = [j <= i] * A[i,j] * x[i]\ny[i] = sum[j]([j <= i] * B[i,j]^2)\nupstream g[i] = dL/dy[i]"
    )
    assert source.split("def backward")[0].count("np.tri") == 1
    assert source.split("def backward")[1].count("np.tri") <= 1
    agrees(*parts)


def test_hidden_exponentials_are_never_evaluated():
    body = "y[i] = sum[j]([j <= i] * exp(A[i,j]) * x[j]) + sum[j]([j <= i] * exp(A[i,j]))\nupstream g[i] = dL/dy[i]"
    _, module, _ = module_of(body, "derive x")
    A = np.where(np.tri(4, dtype=bool), 0.5, 1e5)
    np.testing.assert_allclose(module.forward(A, np.ones(4)).y, 2 * np.exp(0.5) * np.arange(1, 5))
