"""Generated modules: they run, they are right, and ruff has nothing to say about them."""

import inspect
import shutil
import subprocess
import sys
import types
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from indexcalc.codegen import module_names, module_symbols, numpy_module
from indexcalc.codegen.layout import part_names
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_module
from indexcalc.rewrite.derive import derive

SPECS = {
    "two_layers": """
title "Two layers"
index n : N "rows"
index f : F "features"
index h : H
index o : M
param alpha = 0.5 "slope"
input X[n,f] "inputs", W[h,f], c[h], U[o,h]
B[n,h] = sum[f](X[n,f] * W[h,f]) + c[h]
Y[n,o] = sum[h](U[o,h] * gelu(B[n,h])) * alpha
upstream G[n,o] = dL/dY[n,o]
derive X, W, c, U
""",
    "causal_heads": """
title "Causal attention with heads"
index h : H
index i, j, l : T
index k : d
index p : e
input Q[h,i,k], K[h,j,k], V[h,j,p]
S[h,i,j] = 1/sqrt(d) * sum[k](Q[h,i,k] * K[h,j,k])
A[h,i,j] = [j <= i] * exp(S[h,i,j]) / sum[l]([l <= i] * exp(S[h,i,l]))
O[h,i,p] = sum[j](A[h,i,j] * V[h,j,p])
upstream G[h,i,p] = dL/dO[h,i,p]
derive Q, K, V, S
""",
    "awkward_names": """
title "Awkward \\"names\\" \\\\ and functions"
index i, j : D
index k : n
index q : m
param eps = 1e-6 "small"
param α = 0.25 "a parameter"
input lambda[i,k], μ[k], np[i,k], sum[i,q]
E[i,k] = exp(lambda[i,k] + μ[k])
Z[i] = sum[k](E[i,k])
P[i,k] = E[i,k] / Z[i]
lse[i] = log(Z[i])
l[i,j] = sum[k](P[i,k] * gelu(np[j,k])) + delta[i,j] * lse[i]
D[i,j] = [i < j] * sqrt(silu(l[i,j])^2 + eps) + α * sigmoid(l[j,i]) + l[i,i]
R = sum[i,j,k](D[i,j]^2 * log(P[i,k]) * np[i,k]) + 1/n * sum[i,q](sum[i,q]^3)
loss R
derive lambda, μ, np, sum, Z
""",
}
SHIPPED = ("attention", "linear", "softmax", "softmax_cross_entropy", "layer_norm")


def problem_of(name):
    folder = Path(__file__).parents[2] / "derivations"
    text = SPECS[name] if name in SPECS else (folder / name / f"{name}.ixc").read_text(encoding="utf-8")
    return read_problem(text, slug=name)


def load(source):
    module = types.ModuleType("generated")
    exec(compile(source, "generated.py", "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module")
def derivations():
    return {name: derive(problem_of(name)) for name in (*SPECS, *SHIPPED)}


@pytest.mark.parametrize("name", [*SPECS, *SHIPPED])
def test_generated_code_agrees_with_the_oracles(name, derivations):
    derivation = derivations[name]
    module = load(numpy_module(derivation))
    names, symbols = module_names(derivation), module_symbols(derivation)
    report = check_module(derivation.problem, module, names=names, symbols=symbols)
    assert report.ok, "\n".join(map(str, report.comparisons))


@pytest.mark.parametrize("name", [*SPECS, *SHIPPED])
def test_ruff_has_nothing_to_say(name, derivations, tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    path = tmp_path / f"{name}.py"
    path.write_text(numpy_module(derivations[name]), encoding="utf-8")
    for arguments in (["check"], ["check", "--select", "E,F,W,I,B,UP"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


def test_the_shape_of_the_attention_module(derivations):
    module = load(numpy_module(derivations["attention"]))
    assert list(inspect.signature(module.forward).parameters) == ["Q", "K", "V"]
    assert module.Values._fields == ("Q", "K", "V", "S", "A", "O")
    assert list(inspect.signature(module.backward).parameters) == ["values", "G"]
    assert module.Gradients._fields == ("dV", "dA", "dS", "dQ", "dK")


def test_scalar_parameters_are_keywords_with_defaults(derivations):
    module = load(numpy_module(derivations["layer_norm"]))
    eps = inspect.signature(module.forward).parameters["eps"]
    assert eps.kind is eps.KEYWORD_ONLY
    assert eps.default == 1e-5


def test_a_parameter_that_the_backward_pass_reads_travels_in_values(derivations):
    module = load(numpy_module(derivations["two_layers"]))
    assert "alpha" in module.Values._fields
    rng = np.random.default_rng(0)
    X, W, c, U = (rng.standard_normal(shape) for shape in ((2, 3), (4, 3), (4,), (5, 4)))
    G = rng.standard_normal((2, 5))
    half = module.backward(module.forward(X, W, c, U), G)
    full = module.backward(module.forward(X, W, c, U, alpha=1.0), G)
    np.testing.assert_allclose(full.dX, 2.0 * half.dX)


def test_awkward_names_become_fit_and_distinct(derivations):
    module = load(numpy_module(derivations["awkward_names"]))
    assert module.Values._fields[:4] == ("lambda_", "mu", "np_", "sum_")
    assert module.Gradients._fields == ("dlambda", "dmu", "dnp", "dsum", "dZ")


@pytest.mark.parametrize("name", ["attention", "softmax", "softmax_cross_entropy", "causal_heads"])
def test_scores_of_ten_thousand_give_finite_results(name, derivations):
    derivation = derivations[name]
    module = load(numpy_module(derivation))
    rng = np.random.default_rng(1)
    sizes = {extent: 3 + number for number, extent in enumerate(derivation.problem.program.extents)}
    shape = {t.name: tuple(sizes[s.extent] for s in t.slots) for t in derivation.problem.program.tensors.values()}
    inputs = [rng.choice([-1e4, 1e4], shape[t.name]) for t in derivation.problem.program.inputs]
    if name == "softmax_cross_entropy":
        inputs[1] = np.eye(*shape["y"])
    values = module.forward(*inputs)
    upstream = [rng.standard_normal(shape[up.of]) for up in derivation.problem.upstream]
    gradients = module.backward(values, *upstream)
    for array in (*values, *gradients):
        assert np.all(np.isfinite(array))
    weights = values.p if "softmax" in name else values.A
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0)


@pytest.mark.parametrize("name", [*SPECS, *SHIPPED])
def test_float32_stays_float32(name, derivations):
    derivation = derivations[name]
    module = load(numpy_module(derivation))
    rng = np.random.default_rng(2)
    sizes = {extent: 2 + number for number, extent in enumerate(derivation.problem.program.extents)}
    shape = {t.name: tuple(sizes[s.extent] for s in t.slots) for t in derivation.problem.program.tensors.values()}
    inputs = [rng.random(shape[t.name], dtype=np.float32) for t in derivation.problem.program.inputs]
    values = module.forward(*inputs)
    upstream = [rng.random(shape[up.of], dtype=np.float32) for up in derivation.problem.upstream]
    gradients = module.backward(values, *upstream)
    arrays = [array for array in (*values, *gradients) if not isinstance(array, float)]
    assert [array.dtype for array in arrays] == [np.float32] * len(arrays)
    for target, field in zip(derivation.problem.targets, gradients, strict=True):
        assert np.shape(field) == shape[target]


def test_the_source_is_the_same_every_time(derivations):
    assert numpy_module(derivations["causal_heads"]) == numpy_module(derive(problem_of("causal_heads")))


def test_a_root_of_plain_numbers_keeps_single_precision():
    spec = "index i : N\nparam eps = 0.5\ninput x[i]\ny[i] = x[i] * sqrt(sigmoid(eps))\n"
    module = load(numpy_module(derive(read_problem(spec, slug="root"))))
    x = np.ones(3, np.float32)
    values = module.forward(x)
    assert values.y.dtype == np.float32
    assert module.backward(values, x).dx.dtype == np.float32


def test_steps_are_numbers_of_the_first_input_that_is_not_looked_up():
    text = """
    index t : T
    index v : V
    input y[t] in V, E[v]
    h[0] = E[y[0]]
    h[t] = tanh(h[t-1]) + E[y[t]] for t in 1 .. T-1
    L = h[T-1]^2
    loss L
    derive E
    """
    module = types.ModuleType("generated")
    exec(numpy_module(derive(read_problem(text))), module.__dict__)
    E, y = np.array([0.3, -0.2, 0.6], np.float32), np.array([2, 0, 0])
    values = module.forward(y, E)
    assert values.h.dtype == module.backward(values).dE.dtype == np.float32
    assert values.h[1] == pytest.approx(np.tanh(0.6) + 0.3)
    slope = 1 - np.tanh(float(values.h[1])) ** 2
    last = 2 * float(values.h[2])
    np.testing.assert_allclose(
        module.backward(values).dE, [last * (1 + slope), 0, last * slope * (1 - np.tanh(0.6) ** 2)], rtol=1e-6
    )


def test_parts_are_numbered_past_the_names_that_are_taken():
    assert list(islice(part_names({"part_3", "x"}), 3)) == ["part", "part_2", "part_4"]
    *_, last = islice(part_names(frozenset()), 100_000)
    assert last == "part_100000"
