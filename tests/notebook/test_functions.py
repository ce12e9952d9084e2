"""Derivations as functions: right values and gradients at once, or in the hands of a library."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.errors import UnsupportedError
from indexcalc.library import shipped_paths
from indexcalc.proof.gradcheck import stored
from indexcalc.proof.sampling import sample_point, size_sets

SHIPPED = shipped_paths()
LOSSES = ("softmax_cross_entropy", "logistic_regression", "clip")
SOME = ("attention", "layer_norm", "mha_block", "gru", "ridge_closed_form", "two_token_model", "embedding", *LOSSES)


@cache
def derived(name):
    return ic.derive(ic.load_problem(SHIPPED[name]))


def given(problem, seed=0):
    """Inputs, upstream gradients, and scalars at random sizes, by name."""
    rng = np.random.default_rng(seed)
    program = problem.program
    point = sample_point(program, size_sets(program, rng)[0], rng)
    inputs = {tensor.name: stored(program, tensor.name, point.values[tensor.name]) for tensor in program.inputs}
    upstream = {up.name: rng.normal(size=point.values[up.of].shape) for up in problem.upstream}
    scalars = {str(s): value for s, value in (*point.sizes.items(), *point.parameters.items())}
    return inputs, upstream, scalars


def called(function, problem, inputs, upstream, scalars):
    """The function at a point; scalars that shapes show it does not take."""
    wanted = inspect.signature(function).parameters
    arrays = [stored(problem.program, up.of, upstream[up.name]) for up in problem.upstream]
    return function(*inputs.values(), *arrays, **{name: value for name, value in scalars.items() if name in wanted})


def loss_at(function, problem, inputs, upstream, scalars):
    """What the gradients are gradients of."""
    outputs, _ = called(function, problem, inputs, upstream, scalars)
    if problem.loss is not None:
        return float(outputs)
    outputs = outputs if len(problem.upstream) > 1 else (outputs,)
    given = (stored(problem.program, up.of, upstream[up.name]) for up in problem.upstream)
    return sum(float((output * weight).sum()) for output, weight in zip(outputs, given, strict=True))


@pytest.mark.parametrize("target", ["numpy", "fast"])
@pytest.mark.parametrize("name", SOME)
def test_gradients_are_slopes_of_the_outputs(name, target):
    """Central differences of the function's own outputs along a random direction, for each input."""
    problem = derived(name).problem
    try:
        function = derived(name).function(target)
    except UnsupportedError:
        assert target == "fast"
        assert problem.program.unknowns or problem.program.is_recurrent
        return
    inputs, upstream, scalars = given(problem)
    _, gradients = called(function, problem, inputs, upstream, scalars)
    rng = np.random.default_rng(1)
    checked = 0
    for key in (key for key in problem.targets if key in inputs):
        direction = rng.normal(size=inputs[key].shape)
        ends = [{**inputs, key: inputs[key] + sign * 1e-6 * direction} for sign in (1, -1)]
        slope = np.subtract(*(loss_at(function, problem, end, upstream, scalars) for end in ends)) / 2e-6
        assert np.isclose(slope, (getattr(gradients, f"d{key}") * direction).sum(), rtol=1e-5, atol=1e-7), key
        checked += 1
    assert checked


def arrays_of(problem, name, convert):
    """Inputs and keyword arguments for a function of another library, and the gradients that NumPy's gives."""
    inputs, upstream, scalars = given(problem)
    _, gradients = called(derived(name).function("numpy"), problem, inputs, upstream, scalars)
    weights = [convert(stored(problem.program, up.of, upstream[up.name])) for up in problem.upstream] or [convert(1.0)]
    return {key: convert(value) for key, value in inputs.items()}, weights, scalars, gradients


@pytest.mark.parametrize("name", SOME)
def test_pytorch_differentiates_by_the_derived_gradients(name):
    torch = pytest.importorskip("torch")
    problem = derived(name).problem
    function = derived(name).function("torch")
    inputs, weights, scalars, gradients = arrays_of(problem, name, torch.as_tensor)
    wanted = [key for key in problem.targets if key in inputs]
    for key in wanted:
        inputs[key].requires_grad_()
    keywords = {key: value for key, value in scalars.items() if key in inspect.signature(function).parameters}
    outputs = function(*inputs.values(), **keywords)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    found = torch.autograd.grad(outputs, [inputs[key] for key in wanted], weights)
    for key, gradient in zip(wanted, found, strict=True):
        assert np.allclose(gradient, getattr(gradients, f"d{key}"), rtol=1e-9, atol=1e-12), key


@pytest.mark.parametrize("name", ["attention", "layer_norm", "softmax_cross_entropy"])
def test_jax_differentiates_compiles_and_maps(name):
    jax = pytest.importorskip("jax")
    problem = derived(name).problem
    function = derived(name).function("jax")
    with jax.enable_x64(True):
        inputs, weights, scalars, gradients = arrays_of(problem, name, jax.numpy.asarray)
        keywords = {key: value for key, value in scalars.items() if key in inspect.signature(function).parameters}

        def loss(first, *others):
            return (function(first, *others, **keywords) * weights[0]).sum()

        first = next(iter(inputs))
        grad = jax.jit(jax.grad(loss))
        found = grad(*inputs.values())
        assert np.allclose(found, getattr(gradients, f"d{first}"), rtol=1e-9, atol=1e-12)
        stacked = jax.vmap(grad)(*(jax.numpy.stack([value, value]) for value in inputs.values()))
        assert np.allclose(stacked[1], found, rtol=1e-9, atol=1e-12)
        twice = jax.grad(lambda *given: (jax.grad(loss)(*given) ** 2).sum())(*inputs.values())
        step = 1e-6 * np.random.default_rng(2).normal(size=twice.shape)
        ends = [(jax.grad(loss)(inputs[first] + sign * step, *[*inputs.values()][1:]) ** 2).sum() for sign in (1, -1)]
        assert np.isclose((ends[0] - ends[1]) / 2, (twice * step).sum(), rtol=1e-4, atol=1e-12)


ROOTS = """
index i, j : D
input W[i,j], b[i]
solve z[i] : z[i]^3 + 2*z[i] = sum[j](W[i,j] * tanh(z[j])) + b[i]
upstream G[i] = dL/dz[i]
derive W, b
"""
"""A system whose samples need different numbers of Newton's steps, and some of them halved."""


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_samples_of_a_system_have_newton_steps_of_their_own(target):
    library = pytest.importorskip(target)
    function = ic.derive(ic.read_problem(ROOTS)).function(target)
    rng = np.random.default_rng(5)
    weights = rng.normal(size=(6, 3, 3)) * np.array([0.0, 0.1, 0.3, 0.2, 0.3, 0.1])[:, None, None]
    right = rng.normal(size=(6, 3)) * np.array([0.0, 1, 1e-8, 10, 1e3, 1])[:, None]
    if target == "jax":
        with library.enable_x64(True):
            one, mapped = function, library.vmap(function)
            slope = library.grad(lambda W, b: function(W, b).sum())
            pairs = [(one, mapped), (slope, library.vmap(slope))]
            check_mapped(pairs, library.numpy.asarray(weights), library.numpy.asarray(right))
        return
    slope = library.func.grad(lambda W, b: function(W, b).sum())
    twice = library.func.grad(lambda W, b: (slope(W, b) ** 2).sum())
    pairs = [(one, library.vmap(one)) for one in (function, slope, twice)]
    check_mapped(pairs, library.as_tensor(weights), library.as_tensor(right))
    with pytest.raises(ValueError, match="finds no root"):
        library.vmap(function)(library.as_tensor(weights), library.as_tensor(right) * float("nan"))


def check_mapped(pairs, weights, right):
    """Mapped functions give, sample by sample, what the functions give."""
    for one, mapped in pairs:
        found = np.asarray(mapped(weights, right))
        for place in range(len(weights)):
            expected = np.asarray(one(weights[place], right[place]))
            assert np.isfinite(expected).all()
            assert np.allclose(found[place], expected, rtol=1e-9, atol=1e-12), place


def torch_loss(name):
    """The loss of a derivation as a function of the inputs that are differentiated, these inputs, and its gradients."""
    torch = pytest.importorskip("torch")
    problem = derived(name).problem
    function = derived(name).function("torch")
    inputs, weights, scalars, gradients = arrays_of(problem, name, torch.as_tensor)
    keywords = {key: value for key, value in scalars.items() if key in inspect.signature(function).parameters}
    wanted = {key: inputs[key] for key in problem.targets if key in inputs}

    def loss(moved):
        outputs = function(*{**inputs, **moved}.values(), **keywords)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return sum((output * weight).sum() for output, weight in zip(outputs, weights, strict=True))

    return torch, loss, wanted, gradients


@pytest.mark.parametrize("name", [*SOME, "lstm", "gaussian_process", "deep_equilibrium", "linear_attention_recurrent"])
def test_torch_func_takes_the_derived_gradients(name):
    torch, loss, wanted, gradients = torch_loss(name)
    for found in (
        torch.func.grad(loss)(wanted),
        torch.func.vjp(loss, wanted)[1](torch.ones((), dtype=torch.float64))[0],
    ):
        for key, gradient in found.items():
            assert np.allclose(gradient, getattr(gradients, f"d{key}"), rtol=1e-9, atol=1e-12), key


@pytest.mark.parametrize(
    "name", [*SOME, "lstm", "crf", "sinkhorn", "linear_attention_recurrent", "deep_equilibrium", "gaussian_process"]
)
def test_vmap_maps_the_function_and_its_gradients(name):
    torch, loss, wanted, _ = torch_loss(name)
    batch = {key: torch.stack([value, 1.5 * value]) for key, value in wanted.items()}
    mapped = torch.vmap(loss)(batch), torch.vmap(torch.func.grad(loss))(batch)
    for place in range(2):
        one = {key: value[place] for key, value in batch.items()}
        assert torch.allclose(mapped[0][place], loss(one), rtol=1e-9)
        for key, gradient in torch.func.grad(loss)(one).items():
            assert torch.allclose(mapped[1][key][place], gradient, rtol=1e-9, atol=1e-12), key


@pytest.mark.parametrize(
    "name", ["attention", "layer_norm", "softmax_cross_entropy", "gaussian_process", "rnn", "hmm_forward"]
)
def test_second_derivatives_are_slopes_of_gradients(name):
    torch, loss, wanted, _ = torch_loss(name)
    key = next(iter(wanted))
    rng = torch.Generator().manual_seed(0)
    move = torch.randn(wanted[key].shape, generator=rng, dtype=torch.float64)
    grad = torch.func.grad(lambda moved: loss(moved) ** 2)
    (twice,) = torch.func.vjp(lambda value: grad({**wanted, key: value})[key], wanted[key])[1](move)
    ends = [grad({**wanted, key: wanted[key] + sign * 1e-6 * move})[key] for sign in (1, -1)]
    assert torch.allclose((ends[0] - ends[1]) / 2e-6, twice, rtol=1e-4, atol=1e-7)
    leaf = wanted[key].clone().requires_grad_()
    (first,) = torch.autograd.grad(loss({**wanted, key: leaf}) ** 2, leaf, create_graph=True)
    assert torch.allclose(torch.autograd.grad((first * move).sum(), leaf)[0], twice, rtol=1e-9, atol=1e-12)


def test_what_is_kept_between_the_passes_has_no_gradient():
    """A result that the loss does not read gives nothing; what the backward pass reads is no result."""
    torch = pytest.importorskip("torch")
    text = "index i : N\ninput x[i], w[i]\nr[i] = exp(x[i])\ny[i] = w[i]*r[i]\nz[i] = r[i]^2\n"
    function = ic.derive(ic.read_problem(text)).function("torch")
    x, w = torch.randn(2, 3, dtype=torch.float64).unbind()
    x, w = x.requires_grad_(), w.requires_grad_()
    assert isinstance(function(x, w), tuple)
    for a, b in ((1.0, 0.0), (0.0, 1.0), (0.3, 0.7)):
        losses = [
            sum(c * part.sum() for c, part in ((a, y), (b, z)) if c)
            for y, z in (function(x, w), (w * torch.exp(x), torch.exp(x) ** 2))
        ]
        found, expected = (torch.autograd.grad(loss, [x, w], materialize_grads=True) for loss in losses)
        assert all(torch.allclose(one, other, rtol=1e-12) for one, other in zip(found, expected, strict=True))


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_forward_mode_of_pytorch_is_an_error_that_says_what_gives_the_same():
    torch = pytest.importorskip("torch")
    function = derived("softmax_cross_entropy").function("torch")
    rng = torch.Generator().manual_seed(0)
    z, y, move = (torch.randn(3, 4, generator=rng, dtype=torch.float64) for _ in range(3))

    def own(z):
        return function(z, y, a=0.2)

    def plain(z):
        return -((0.8 * y + 0.05) * torch.log_softmax(z, 1)).sum() / 3

    for forward in (torch.func.jacfwd(own), torch.func.hessian(own), lambda z: torch.func.jvp(own, (z,), (move,))):
        with pytest.raises(NotImplementedError, match=r"jacrev\(jacrev\(f\)\).*torch\.autograd\.functional\.jvp"):
            forward(z)
    y = torch.softmax(y, 1)
    hessians = torch.func.jacrev(torch.func.jacrev(own))(z), torch.autograd.functional.hessian(plain, z)
    assert torch.allclose(*hessians, rtol=1e-12, atol=1e-15)
    products = torch.autograd.functional.jvp(own, z, move), torch.autograd.functional.jvp(plain, z, move)
    assert all(torch.allclose(*pair, rtol=1e-12) for pair in zip(*products, strict=True))


def test_jax_has_no_forward_mode():
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones((5, 3))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(derived("attention").function("jax"), (x, x, x), (x, x, x))


def test_a_function_says_what_it_takes_and_where_it_is_from():
    for target in ("numpy", "fast"):
        function = derived("layer_norm").function(target)
        parameters = inspect.signature(function).parameters
        assert [*parameters][:4] == ["X", "g", "b", "G"]
        assert parameters["eps"].default == 1e-5
        for name in parameters:
            assert f"    {name}: " in function.__doc__
        assert "def forward(" in function.source
        assert function.module.forward
    assert derived("layer_norm").function() is derived("layer_norm").function("numpy")
    assert derived("layer_norm").function("numpy").__name__ == "layer_norm"


def test_tracebacks_and_inspect_find_the_generated_lines():
    function = derived("attention").function("numpy")
    assert inspect.getsource(function.module.backward) in function.source
    with pytest.raises(ValueError, match="axis 0 of V"):
        function(*np.ones((2, 4, 3)), np.ones((5, 3)), np.ones((4, 3)))
    with pytest.raises(TypeError, match="missing a required argument: 'G'"):
        function(*np.ones((3, 4, 3)))


def test_a_hessian_comes_with_the_gradients():
    derivation = derived("cross_entropy_hessian")
    inputs, upstream, scalars = given(derivation.problem)
    _, gradients = called(derivation.function(), derivation.problem, inputs, upstream, scalars)
    direction = np.random.default_rng(3).normal(size=inputs["z"].shape)
    assert np.allclose(np.einsum("ncmd,md->nc", gradients.H.dense(), direction), gradients.H @ direction)


def test_what_there_is_no_code_for_is_refused(monkeypatch):
    with pytest.raises(UnsupportedError, match="no code for 'tf'; there is for numpy, fast, checkpoints, torch, jax"):
        derived("attention").function("tf")
    inner = ic.derive(ic.read_problem("index i : N\ninput x[i]\ny[i] = exp(x[i])\nz[i] = y[i]^2\nderive y\n"))
    with pytest.raises(UnsupportedError, match="no gradient by one was derived; derive x"):
        inner.function("torch")
    monkeypatch.setattr("indexcalc.notebook.functions.is_installed", lambda target: False)
    with pytest.raises(UnsupportedError, match=r"jax is not installed: pip install 'indexcalc\[jax\]'"):
        derived("huber").function("jax")
