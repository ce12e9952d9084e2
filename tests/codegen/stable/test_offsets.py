"""Inputs far from zero: statistics and distances that an author wrote inline cost no digits, in any style."""

from functools import cache

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import loaded
from indexcalc.library import shipped_paths
from tests.codegen.stable.test_programs import PROGRAMS

OFFSET = 300
"""The mean of the entries of the first inputs; their deviations are about 1."""

DIGITS = 3e-5
"""A rounding of a mean of that size, relative to the deviations; a difference of squares is off by 5e-3."""


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def twins(torch, X, Y):
    x, y = (torch.nn.functional.batch_norm(view, None, None, training=True, eps=1e-5) for view in (X, Y))
    C = x.T @ y / len(x)
    diagonal = torch.diagonal(C)
    return ((diagonal - 1) ** 2).sum() + 0.005 * ((C - torch.diag(diagonal)) ** 2).sum()


def adaptive_norm(torch, X, z, W, U):
    return (1 + z @ W) * torch.nn.functional.layer_norm(X, X.shape[1:], eps=1e-5) + z @ U


def kernel_ridge(torch, X, a, y):
    K = torch.exp(-0.5 * ((X[:, None] - X) ** 2).sum(2))
    return ((K @ a - y) ** 2).mean() + 0.1 * a @ K @ a


CASES = {
    "barlow_twins": (twins, [(128, 16), (128, 16)], 2, ()),
    "barlow_twins_inline": (twins, [(128, 16), (128, 16)], 2, ()),
    "adaptive_layer_norm": (adaptive_norm, [(64, 48), (64, 8), (8, 48), (8, 48)], 1, (64, 48)),
    "kernel_ridge_with_an_inline_distance": (kernel_ridge, [(64, 4), (64,), (64,)], 1, ()),
}
"""PyTorch's own, the shapes of the inputs, how many of them lie far from zero, and the shape of the output."""


@cache
def derivation_of(name):
    path = shipped_paths().get(name)
    return ic.derive(ic.load_problem(path) if path else ic.read_problem(PROGRAMS[name]))


def arrays_of(name):
    """The inputs and the upstream gradient, in numbers of float32."""
    _, shapes, far, shape = CASES[name]
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=shape) + (OFFSET if n < far else 0) for n, shape in enumerate(shapes)]
    inputs = [array.astype(np.float32) for array in inputs]
    return inputs, rng.normal(size=shape).astype(np.float32) if shape else np.float32(1.0)


def by_autograd(torch, name, dtype):
    """The output and the gradient of each input."""
    inputs, upstream = arrays_of(name)
    tensors = [torch.tensor(array, dtype=dtype, requires_grad=True) for array in inputs]
    output = CASES[name][0](torch, *tensors)
    output.backward(torch.tensor(upstream, dtype=dtype))
    return [output.detach().numpy(), *(tensor.grad.numpy() for tensor in tensors)]


def by_code(name, style, array=np.asarray):
    """The same by generated code; nothing for a gradient that is not asked for."""
    derivation = derivation_of(name)
    inputs, upstream = arrays_of(name)
    writers = {"numpy": ic.numpy_module, "fast": lambda d: ic.fast_module(d).source}
    writers["torch"] = lambda d: ic.target_module(d, "torch").source
    module = loaded(writers[style](derivation))
    values = module.forward(*map(array, inputs))
    given = [array(upstream)] if derivation.problem.upstream else []
    gradients = module.backward(values, *given)
    output = getattr(values, derivation.problem.program.outputs[-1])
    found = (getattr(gradients, f"d{tensor.name}", None) for tensor in derivation.problem.program.inputs)
    return [np.asarray(output), *(None if one is None else np.asarray(one) for one in found)]


def errors(found, exact):
    return [
        None if one is None or truth is None else np.abs(one - truth).max() / np.abs(truth).max()
        for one, truth in zip(found, exact, strict=True)
    ]


@pytest.mark.parametrize("style", ["numpy", "fast", "torch"])
@pytest.mark.parametrize("name", CASES)
def test_far_from_zero_code_is_as_accurate_as_pytorch(name, style, torch):
    exact = by_autograd(torch, name, torch.float64)
    theirs = errors(by_autograd(torch, name, torch.float32), exact)
    ours = errors(by_code(name, style, torch.tensor if style == "torch" else np.asarray), exact)
    compared = [(one, other) for one, other in zip(ours, theirs, strict=True) if one is not None]
    assert len(compared) > 2
    for one, other in compared:
        assert one <= 4 * max(other, 1e-6)


@pytest.mark.parametrize("style", ["numpy", "fast"])
@pytest.mark.parametrize("name", CASES)
def test_far_from_zero_few_digits_are_lost(name, style):
    """The same numbers in double precision are right to more digits than single precision has."""
    exact = by_code(name, style, lambda array: np.asarray(array, np.float64))
    compared = [error for error in errors(by_code(name, style), exact) if error is not None]
    assert len(compared) > 2
    assert max(compared) < DIGITS


VARIANCES = {
    "var": "v[n] = var[h](X[n,h])",
    "deviations from a mean with a name": "m[n] = mean[h](X[n,h])\nv[n] = mean[h]((X[n,h] - m[n])^2)",
    "deviations from an inline mean": "v[n] = 1/H*sum[h]((X[n,h] - mean[l](X[n,l]))^2)",
    "deviations with a name": "D[n,h] = X[n,h] - mean[h](X[n,h])\nv[n] = 1/H*sum[h](D[n,h]^2)",
    "products of deviations": "m[n] = 1/H*sum[h](X[n,h])\nv[n] = mean[h]((X[n,h] - m[n])*(X[n,h] - m[n]))",
    "a sample's variance": "v[n] = (H - 1)/H*sum[h]((X[n,h] - mean[h](X[n,h]))^2)/(H - 1)",
}
DISTANCES = {
    "square of a difference": "v[n] = sum[h]((X[n,h] - Y[h])^2)",
    "difference with a name": "D[n,h] = X[n,h] - Y[h]\nv[n] = sum[h](D[n,h]^2)",
    "product of differences": "v[n] = sum[h]((X[n,h] - Y[h])*(X[n,h] - Y[h]))",
    "squared norm": "v[n] = norm2[h](X[n,h] - Y[h])",
    "the other way round": "v[n] = sum[h]((Y[h] - X[n,h])^2)",
}


def spelled(lines):
    return f"index n : N\nindex h, l : H\ninput X[n,h], Y[h]\n{lines}\nupstream G[n] = dL/dv[n]\nderive X\n"


@pytest.mark.parametrize("write", [ic.numpy_module, lambda derivation: ic.fast_module(derivation).source])
@pytest.mark.parametrize("spellings", [VARIANCES, DISTANCES])
def test_no_spelling_of_a_variance_or_a_distance_costs_digits(spellings, write):
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(16, 32)) + OFFSET).astype(np.float32)
    Y, G = (rng.normal(size=32) + OFFSET).astype(np.float32), rng.normal(size=16).astype(np.float32)
    wide = X.astype(float)
    away = wide - (wide.mean(axis=1, keepdims=True) if spellings is VARIANCES else Y.astype(float))
    share = 32 if spellings is VARIANCES else 1
    value, gradient = (away**2).sum(axis=1) / share, 2 * G[:, None].astype(float) * away / share
    for name, lines in spellings.items():
        derivation = ic.derive(ic.read_problem(spelled(lines)))
        module = loaded(write(derivation))
        values = module.forward(X, Y)
        found = module.backward(values, G).dX
        assert np.abs(values.v - value).max() < DIGITS * value.max(), name
        assert np.abs(found - gradient).max() < DIGITS * np.abs(gradient).max(), name
