"""Code for PyTorch and JAX: the values of NumPy's module, gradients that each library's own check confirms."""

from __future__ import annotations

import ast
import importlib
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from indexcalc.codegen import module_names, module_symbols, numpy_module, target_module
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.proof.extents import undefined_at
from indexcalc.proof.gradcheck import FLOOR, keywords, module_candidate, stored
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.targets import LIBRARIES, check_target, compiled_by, is_installed, taking
from indexcalc.rewrite.derive import derive
from tests.support.gradients import of_gradients

BOUND = 1e-10
SINGLE_BOUND = 1e-5
OTHERS = ("torch", "jax")
PATHS = of_gradients()

SPECS = {
    "every_function": """
index i, j : N
index k : K
input x[i,k], t[i,k]
f[i,k] = exp(x[i,k]) + log(t[i,k]^2 + 1) + sin(x[i,k]) * cos(x[i,k]) + tanh(x[i,k]) + sigmoid(x[i,k])
g[i,k] = softplus(x[i,k]) + silu(x[i,k]) + erf(x[i,k]) + gelu(x[i,k]) + relu(x[i,k]) + abs(x[i,k])
h[i,k] = max(x[i,k], 0.25) * min(x[i,k], 0.5) + step(x[i,k]) * sign(t[i,k]) * x[i,k]
y[i,k] = f[i,k] * g[i,k] + h[i,k]
""",
    "two_results": """
index n : N
index f : F
input X[n,f], w[f], c
Y[n] = sum[f](X[n,f] * w[f]) + c
Z[n,f] = Y[n] * X[n,f]
upstream G[n] = dL/dY[n]
upstream H[n,f] = dL/dZ[n,f]
derive X, w, c
""",
    "masks": """
index i, j : T
index k : K
input S[i,j], V[j,k], R[i,k]
A[i,j] = [j <= i] * exp(S[i,j]) / sum[j]([j <= i] * exp(S[i,j]))
B[i,j] = [i < j] * S[i,j] + 3 * delta[i,j] + [i != j] * S[j,i]
O[i,k] = sum[j](A[i,j] * V[j,k]) + sum[j](B[i,j] * V[j,k]) + sum[j]([j < i] * V[j,k]) + S[i,i]
""",
    "nothing_to_read": """
index i, j : N
param eps = 0.5
input x[i], b, u[j], v[j]
c = exp(eps) + sqrt(sigmoid(eps))
s = sum[i](x[i]) * c * sqrt(pi) * sin(eps)
w[i] = sum[j]([i < j] * sigmoid(eps)) + sigmoid(eps) * exp(-eps) + max(x[i], eps)
y[i] = s + sum[j]([j <= i] * 1) + sum[j]([i < j] * sigmoid(eps) * u[j]) + w[i]
derive x, b, u, v
""",
    "steps of numbers": """
index i : N
param p = 0.75
param q = 0.5
input x[i]
y[i] = x[i] * step(p - q) + step(x[i] - p) * x[i] * step(q - p - x[i])
derive x
""",
    "largest": """
index i : N
index j : M
input x[i,j], w[j]
m[i] = max[j](x[i,j] * w[j]) - min[j](x[i,j])
L = sum[i](m[i]^2)
loss L
""",
    "split_axes": """
index n : N
index h : H
index k : D
index m : M
input X[n,(h,k)], W[m,(h,k)], mask[(n,m)]
Y[n,h,m] = sum[k](X[n,(h,k)] * W[m,(h,k)]) * mask[(n,m)]
Z[n,(h,m)] = tanh(Y[n,h,m])
derive X, W
""",
    "not_kept": """
index n : N
index c, e : C
input z[n,c], w[c]
p[n,c] = softmax[c](z[n,c])
q[n,c] = p[n,c] * w[c]
H[n] = sum[c](q[n,c]^2)
recompute p
""",
    "the_same_array": """
index i, j : N
index k : K
input x[i,k], w[k]
y[i,k] = x[i,k]
z[k,i] = x[i,k]
v[i,k] = x[i,k] * w[k]
u[i,k] = v[i,k]
s[i] = sum[k](v[i,k]) + 1
upstream E[i,k] = dL/dy[i,k]
upstream F[k,i] = dL/dz[k,i]
upstream G[i,k] = dL/dv[i,k]
upstream H[i,k] = dL/du[i,k]
upstream J[i] = dL/ds[i]
derive x, w
""",
    "awkward_names": """
index i : N
index j : J
param math = 0.5
param partial
input jax[i,j], jnp[i], upstream[j], given[i,j], ctx, kept
values[i] = sum[j](jax[i,j] * upstream[j]) * jnp[i] + math * ctx + kept
gradients[i,j] = values[i] * given[i,j]^2 + partial
upstream torch[i,j] = dL/dgradients[i,j]
derive jax, jnp, given, upstream, ctx
""",
}
NAMES = (*SPECS, *PATHS)


@cache
def derivation_of(name):
    return derive(read_problem(SPECS[name], slug=name) if name in SPECS else load_problem(PATHS[name]))


@cache
def written(name, target):
    return target_module(derivation_of(name), target)


@cache
def module_of(name, target):
    return loaded(written(name, target).source)


@pytest.fixture(params=OTHERS)
def target(request):
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def library(target):
    found = LIBRARIES[target]()
    with found.precision():
        yield found


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", OTHERS)
def test_the_code_is_python_and_holds_no_numpy(name, target):
    tree = ast.parse(written(name, target).source)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("np", "numpy")]


def test_ruff_has_nothing_to_say(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    for name in NAMES:
        for target in OTHERS:
            (tmp_path / f"{name}_{target}.py").write_text(written(name, target).source, encoding="utf-8")
    for arguments in (["check"], ["check", "--select", "E4,E7,E9,F,W,I,B,UP"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", NAMES)
def test_both_passes_agree_with_numpy_and_the_library_confirms_the_gradients(name, target):
    derivation, code = derivation_of(name), written(name, target)
    sizes = [sizes_of(derivation.problem.program)]
    report = check_target(derivation.problem, module_of(name, target), code, sizes=sizes)
    assert report.ok, "\n".join(map(str, report.failures))
    assert LIBRARIES[target]().method in {comparison.method for comparison in report.comparisons}


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients_are_numpys(name, target, library):
    derivation, code, module = derivation_of(name), written(name, target), module_of(name, target)
    problem, rng = derivation.problem, np.random.default_rng(1)
    point = sample_point(problem.program, sizes_of(problem.program), rng)
    weights = weights_for(problem, point, rng)
    upstream = {up.name: weights[up.of] for up in problem.upstream}
    ours = module_candidate(problem, adapted(module, library), code.names, code.symbols)(point, upstream)
    numpys = module_candidate(
        problem, loaded(numpy_module(derivation)), module_names(derivation), module_symbols(derivation)
    )(point, upstream)
    assert list(ours) == list(numpys)
    for tensor, expected in numpys.items():
        assert np.shape(ours[tensor]) == np.shape(expected)
        assert ours[tensor].dtype == (np.int64 if tensor in whole_inputs(problem) else np.float64), tensor
        scale = max(1.0, np.abs(expected).max(initial=0.0))
        assert np.abs(ours[tensor] - expected).max(initial=0.0) <= BOUND * scale, tensor


@pytest.mark.parametrize("name", NAMES)
def test_single_precision_stays_single(name, target):
    library = LIBRARIES[target]()
    derivation, code, module = derivation_of(name), written(name, target), module_of(name, target)
    problem, rng = derivation.problem, np.random.default_rng(1)
    point = sample_point(problem.program, sizes_of(problem.program), rng)
    weights = weights_for(problem, point, rng)
    upstream = {up.name: weights[up.of].astype(np.float32) for up in problem.upstream}
    whole = whole_inputs(problem)
    ids = {name: value for name, value in point.values.items() if name in whole}
    values = {name: np.asarray(value, np.float32) for name, value in point.values.items() if name not in whole}
    small, large = (
        type(point)({n: value.astype(kind) for n, value in values.items()} | ids, point.sizes, point.parameters)
        for kind in (np.float32, np.float64)
    )
    with library.precision():
        candidate = module_candidate(problem, adapted(module, library), code.names, code.symbols)
        found = candidate(small, upstream)
        exact = candidate(large, {up: array.astype(np.float64) for up, array in upstream.items()})
    assert {array.dtype for name, array in found.items() if name not in whole} == {np.dtype(np.float32)}
    # Where a gradient cancels to zero, what is left is the rounding of what it was summed from.
    scale = max(FLOOR, *(np.abs(expected).max(initial=0.0) for expected in exact.values()))
    for tensor, expected in exact.items():
        assert np.abs(found[tensor] - expected).max(initial=0.0) <= SINGLE_BOUND * scale, tensor


def sizes_of(program):
    """The same small sizes for every program: libraries remember what they have compiled."""
    sizes = {extent: 2 + place % 2 for place, extent in enumerate(program.extents)}
    return size_sets(program, np.random.default_rng(0))[0] if undefined_at(program, sizes) else sizes


def whole_inputs(problem):
    """The inputs of whole numbers, which keep their dtype."""
    return {tensor.name for tensor in problem.program.inputs if tensor.values is not None}


def adapted(module, library):
    """The module, taking NumPy's arrays, each pass compiled as a whole where the library does that."""
    passes = {name: library.compiled(getattr(module, name)) for name in ("forward", "backward")}
    return type("Adapted", (), {name: staticmethod(taking(run, library.array)) for name, run in passes.items()})


def test_wrong_code_is_refuted(target):
    derivation, code = derivation_of("two_results"), written("two_results", target)
    for right, wrong in [
        ("return gradients.dX, gradients.dw, gradients.dc", "return gradients.dX, -gradients.dw, gradients.dc"),
        ("return gradients.dX, gradients.dw, gradients.dc", "return gradients.dX, gradients.dc, gradients.dw"),
        ("return Gradients(dX, dw, dc)", "return Gradients(2 * dX, dw, dc)"),
    ]:
        assert right in code.source
        module = loaded(code.source.replace(right, wrong))
        assert not check_target(derivation.problem, module, code).ok


def test_the_loss_may_be_used_further(target, library):
    module = importlib.import_module(target)
    function = module_of("largest", target).largest
    rng = np.random.default_rng(0)
    x, w = library.array(rng.normal(size=(3, 4))), library.array(rng.normal(size=4))
    if target == "torch":
        leaf = x.clone().requires_grad_()
        once, thrice = (module.autograd.grad(factor * function(leaf, w), leaf)[0] for factor in (1, 3))
    else:
        once, thrice = (module.grad(lambda x, f=factor: f * function(x, w))(x) for factor in (1, 3))
    assert np.abs(np.asarray(once)).max() > 0
    np.testing.assert_allclose(np.asarray(thrice), 3 * np.asarray(once))


def test_whole_numbers_are_taken_as_numbers(target, library):
    function = module_of("two_results", target).two_results
    X, w, c = np.arange(6).reshape(3, 2), np.array([0.5, -1.0]), np.array(2)
    Y, Z = function(*(library.array(a) for a in (X, w, c)))
    np.testing.assert_allclose(np.asarray(Y), X @ w + 2)
    np.testing.assert_allclose(np.asarray(Z), (X @ w + 2)[:, None] * X)


def test_torch_differentiates_beside_whole_numbers(torch):
    function = module_of("two_results", "torch").two_results
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    Y, _ = function(torch.arange(6).reshape(3, 2), w, torch.tensor(2))
    Y.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), [6.0, 9.0])


def test_jax_differentiates_beside_whole_numbers(jax):
    function = module_of("two_results", "jax").two_results
    X, w = np.arange(6).reshape(3, 2), np.array([0.5, -1.0], np.float32)
    np.testing.assert_allclose(jax.grad(lambda w: function(X, w, 2)[0].sum())(w), [6.0, 9.0])


REFUSED = r"dL/dmask is not derived; ask for it in the spec"


def test_torch_refuses_a_gradient_that_is_not_derived(torch):
    function = module_of("split_axes", "torch").split_axes
    X, W, mask = torch.ones(2, 6), torch.ones(4, 6), torch.ones(8)
    assert function(X.requires_grad_(), W, mask, H=3).requires_grad
    with pytest.raises(NotImplementedError, match=REFUSED):
        function(X, W, mask.requires_grad_(), H=3)


def test_jax_refuses_a_gradient_that_is_not_derived(jax):
    function = module_of("split_axes", "jax").split_axes

    def loss(X, mask):
        return function(X, np.ones((4, 6)), mask, H=3).sum()

    X, mask = np.ones((2, 6)), np.ones(8)
    assert np.all(np.isfinite(jax.jit(jax.grad(loss))(X, mask)))
    with pytest.raises(NotImplementedError, match=REFUSED):
        jax.grad(loss, argnums=1)(X, mask)


def test_a_parameter_is_no_variable(target):
    module = importlib.import_module(target)
    function = module_of("layer_norm", target).layer_norm
    arrays = [np.ones(shape, np.float32) for shape in ((2, 3), (3,), (3,))]

    def by_torch():
        return function(*map(module.tensor, arrays), eps=module.tensor(0.5, requires_grad=True))

    def by_jax():
        return module.grad(lambda eps: function(*arrays, eps=eps).sum())(0.5)

    with pytest.raises(NotImplementedError, match="dL/deps is not derived"):
        (by_torch if target == "torch" else by_jax)()


TWICE = (
    *("attention", "layer_norm", "mlp_relu", "embedding", "conv1d", "max_pool", "ridge_closed_form"),
    *("deep_equilibrium", "log_det_flow", "softmax_cross_entropy", "rnn", "crf", "kalman_filter", "state_space"),
)


@pytest.mark.parametrize("name", TWICE)
def test_torch_differentiates_twice(torch, name):
    """By finite differences of the first gradients, which PyTorch takes itself."""
    function, problem = module_of(name, "torch"), derivation_of(name).problem
    program = problem.program
    point = sample_point(program, {e: 2 + n % 2 for n, e in enumerate(program.extents)}, np.random.default_rng(0))
    scalars = {str(symbol): value for symbol, value in (*point.sizes.items(), *point.parameters.items())}
    function = getattr(function, written(name, "torch").function)
    inputs = {t.name: torch.as_tensor(stored(program, t.name, point.values[t.name])) for t in program.inputs}
    wanted = [key for key in problem.targets if key in inputs]

    def of_derived(*derived):
        return function(*(inputs | dict(zip(wanted, derived, strict=True))).values(), **keywords(function, scalars))

    arrays = [inputs[key].requires_grad_() for key in wanted]
    assert torch.autograd.gradgradcheck(of_derived, arrays)


def test_torch_sees_a_second_derivative_where_the_upstream_gradient_is_constant(torch):
    """A penalty on the slope of what is linear in the output: nothing upstream says that it is differentiated."""
    function = module_of("softmax", "torch").softmax
    z, weights = torch.randn(2, 3, dtype=torch.float64, requires_grad=True), torch.randn(2, 3, dtype=torch.float64)

    def slope(softmax):
        (first,) = torch.autograd.grad((softmax(z) * weights).sum(), z, create_graph=True)
        return torch.autograd.grad(first.square().sum(), z)[0]

    expected = slope(lambda z: torch.softmax(z, dim=1))
    assert expected.abs().max() > 1e-3
    torch.testing.assert_close(slope(function), expected)


def test_jax_differentiates_twice(jax):
    function = module_of("softmax", "jax").softmax
    z = np.random.default_rng(0).normal(size=(2, 3))
    with jax.enable_x64(True):
        found = jax.jacrev(jax.grad(lambda z: (function(z) ** 3).sum()))(z)
        expected = jax.jacrev(jax.grad(lambda z: (jax.nn.softmax(z, axis=1) ** 3).sum()))(z)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_jax_traces_what_it_maps_and_compiles(jax):
    function = module_of("group_norm", "jax").group_norm
    rng = np.random.default_rng(0)
    X, w, b = (rng.normal(size=shape) for shape in ((5, 2, 6, 4), (6,), (6,)))

    def loss(X, eps):
        return (function(X, w, b, N_G=3, eps=eps) ** 2).sum()

    with jax.enable_x64(True):
        mapped = jax.jit(jax.vmap(jax.grad(loss), in_axes=(0, None)))(X, 0.1)
        plain = [jax.grad(loss)(x, 0.1) for x in X]
    np.testing.assert_allclose(mapped, plain, atol=1e-12)


@pytest.mark.parametrize("name", ["masks", "nothing_to_read", "causal_attention", "info_nce"])
def test_torch_makes_arrays_where_the_others_are(torch, name):
    """A device without storage: an array that were made elsewhere would clash."""
    derivation, code, module = derivation_of(name), written(name, "torch"), module_of(name, "torch")
    problem = derivation.problem
    point = sample_point(problem.program, sizes_of(problem.program), np.random.default_rng(0))
    scalars = {code.symbols[str(parameter.symbol)]: 0.5 for parameter in problem.program.parameters}
    inputs = [torch.as_tensor(point.values[tensor.name], device="meta") for tensor in problem.program.inputs]
    values = module.forward(*inputs, **scalars)
    upstream = [torch.as_tensor(point.values[up.of], device="meta") for up in problem.upstream]
    gradients = module.backward(values, *upstream)
    assert {gradient.device.type for gradient in gradients} == {"meta"}


def test_torch_keeps_what_the_backward_pass_reads(torch):
    function = module_of("attention", "torch").attention
    Q = torch.randn(5, 3, requires_grad=True)
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(tuple(t.shape)) or t, lambda t: t):
        function(Q, torch.randn(5, 3), torch.randn(5, 2))
    assert sorted(sizes) == [(5, 2), (5, 2), (5, 3), (5, 3), (5, 5)]


def test_a_saturated_tanh_is_right_to_the_last_digit(jax):
    derivation = derive(read_problem("index i : N\ninput x[i]\nt[i] = tanh(x[i])\nupstream g[i] = dL/dt[i]\nderive x"))
    module = loaded(target_module(derivation, "jax").source)
    x = np.concatenate([np.linspace(1.0, 9.0, 4001), [20.0, 1e4, np.inf]]).astype(np.float32)
    x = np.concatenate([x, -x])
    right = np.tanh(x.astype(float))
    found = np.asarray(module.forward(x).t)
    assert found.dtype == np.float32
    assert np.max(np.abs(found - right) / np.spacing(np.abs(right).astype(np.float32))) < 1.0


def test_a_loop_is_traced_once_for_each_shape_and_numbers_stay_numbers(jax):
    traced = []

    def passes(x, values, *, steps):
        traced.append(x.shape)
        assert isinstance(steps, int)
        assert isinstance(values["T"], int)
        return {"T": values["T"] + steps, "y": x * values["scale"], "none": None}

    run = compiled_by(jax, passes)
    for length in (3, 4, 3):
        x = jax.numpy.arange(float(length))
        for scale in (2.0, 3.0):
            found = run(x, {"T": 5, "scale": jax.numpy.array(scale)}, steps=2)
            assert found["T"] == 7
            assert found["none"] is None
            np.testing.assert_array_equal(found["y"], scale * np.arange(float(length)))
    assert traced == [(3,), (4,)]
    assert run(jax.numpy.ones(3), {"T": 6, "scale": jax.numpy.array(1.0)}, steps=2)["T"] == 8
