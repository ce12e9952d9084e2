"""Arrays of wrong shapes are refused by name, axis and sizes; whole numbers and empty arrays are taken."""

import time
from functools import cache

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.fast.module import fast_module
from indexcalc.codegen.targets import target_module
from indexcalc.generation import loaded

TEXTS = {
    "norm": """
index n : N
index h : H
input X[n,h], g[h], b[h]
mu[n] = mean[h](X[n,h])
Y[n,h] = g[h] * (X[n,h] - mu[n]) + b[h]
upstream G[n,h] = dL/dY[n,h]
""",
    "attention": """
index i : T
index j : S
index k : d
index p : e
input Q[i,k], K[j,k], V[j,p]
A[i,j] = softmax[j](sum[k](Q[i,k] * K[j,k]))
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
""",
    "fused": """
index n : N
index h : H
index k : D
input X[n,(h,k)], W[n,(h,k)], s[h]
Y[n,h] = sum[k](X[n,(h,k)] * W[n,(h,k)]) * s[h]
upstream G[n,h] = dL/dY[n,h]
""",
    "literal": """
index n : N
index c : 3
input X[n,c], w
Y[n] = w * sum[c](X[n,c]^2)
upstream G[n] = dL/dY[n]
""",
    "counted": """
index i : N
index j : M
input x[i], y[i]
Y[i] = x[i] * y[i] + sum[j]([j <= i] * x[i])
upstream G[i] = dL/dY[i]
""",
    "compared": """
index i, j : N
index c : C
input x[i], y[i] in C
Y[i] = sum[j](delta[y[i],y[j]] * x[j])
upstream G[i] = dL/dY[i]
""",
    "hidden": """
index h : H
index k : D
input x[(h,k)]
Y[h] = sum[k](x[(h,k)]^2)
upstream G[h] = dL/dY[h]
""",
    "chosen": """
param T = 2.5
index i, j : N
input x[i]
Y[i,j] = x[i] + delta[i,j] * relu(T - 1) + [i < j] * max(T, 3)
upstream G[i,j] = dL/dY[i,j]
""",
    "never": """
index i, j, k : N
index m : M
input x[m,i]
E[j,i,k,m] = [j < k] * exp(x[m,i])
Y[i,j] = max[m](delta[i,j] * (E[j,i,j,m] + 1))
upstream G[i,j] = dL/dY[i,j]
""",
}
STYLES = ("numpy", "fast", "torch", "jax")


@cache
def module(name, style):
    if style in ("torch", "jax"):
        pytest.importorskip(style)
    derivation = ic.derive(ic.read_problem(TEXTS[name]))
    return loaded(fast_module(derivation).source if style == "fast" else target_module(derivation, style).source)


def array(style, shape, dtype="float64"):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    if style == "torch":
        return pytest.importorskip("torch").as_tensor(values)
    return pytest.importorskip("jax.numpy").asarray(values) if style == "jax" else values


def arrays(style, *shapes, dtype="float64"):
    return [array(style, shape, dtype) for shape in shapes]


WRONG = {
    "a gain that would broadcast": (
        "norm", [(5, 4), (1,), (4,)], {}, "axis 0 of g has length 1, but H is 4 in X"),
    "a bias of another length": (
        "norm", [(5, 4), (4,), (3,)], {}, "axis 0 of b has length 3, but H is 4 in X"),
    "too few axes": ("norm", [(4,), (4,), (4,)], {}, "X has 1 axes; expected: N, H"),
    "no axes": ("norm", [(), (4,), (4,)], {}, "X has 0 axes; expected: N, H"),
    "keys and values of other rows": (
        "attention", [(5, 4), (6, 4), (7, 3)], {}, "axis 0 of V has length 7, but S is 6 in K"),
    "a fused axis of another length": (
        "fused", [(2, 6), (2, 9), (3,)], {}, r"axis 1 of W has length 9, but H \* D is 6 in X"),
    "a fused axis that does not split": (
        "fused", [(2, 7), (2, 7), (3,)], {}, r"axis 1 of X has length 7, but H \* D is a multiple of 3"),
    "an extent that is a number": ("literal", [(5, 4), ()], {}, "axis 1 of X has length 4, but 3 is 3"),
    "an array for a number": ("literal", [(5, 3), (1,)], {}, "w has 1 axes; expected: none"),
    "an extent that is given": ("hidden", [(7,)], {"H": 3}, r"axis 0 of x has length 7, but H \* D is a multiple of 3"),
    "an extent that no shape shows": (
        "counted", [(4,), (3,)], {"M": 2}, "axis 0 of y has length 3, but N is 4 in x"),
    "a mean of nothing": ("norm", [(5, 0), (0,), (0,)], {}, "H is 0 in X; 1 is the least"),
    "a softmax over nothing": ("attention", [(5, 4), (0, 4), (0, 3)], {}, "S is 0 in K; 1 is the least"),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("name", "shapes", "scalars", "said"), WRONG.values(), ids=WRONG.keys())
def test_wrong_inputs_are_refused(name, shapes, scalars, said, style):
    with pytest.raises(ValueError, match=said):
        module(name, style).forward(*arrays(style, *shapes), **scalars)


@pytest.mark.parametrize("style", STYLES)
def test_a_wrong_upstream_gradient_is_refused(style):
    own = module("norm", style)
    values = own.forward(*arrays(style, (5, 4), (4,), (4,)))
    for shape, said in {(4, 1): "axis 0 of G has length 4, but N is 5 in Y", (5,): "G has 1 axes"}.items():
        with pytest.raises(ValueError, match=said):
            own.backward(values, array(style, shape))
    if style == "fast":
        with pytest.raises(ValueError, match="axis 1 of G has length 1, but H is 4 in X"):
            own.value_and_grad(*arrays(style, (5, 4), (4,), (4,), (5, 1)))


@pytest.mark.parametrize("style", STYLES)
def test_whole_numbers_are_taken_as_floats(style):
    own = module("norm", style)
    shapes = (5, 4), (4,), (4,)
    values = own.forward(*arrays(style, *shapes, dtype="int64"))
    gradients = own.backward(values, array(style, (5, 4), "int32"))
    same = own.forward(*arrays(style, *shapes, dtype="float64"))
    expected = own.backward(same, array(style, (5, 4), "float64"))
    for found, other in zip((values.Y, *gradients), (same.Y, *expected), strict=True):
        assert np.asarray(found).dtype.kind == "f"
        np.testing.assert_allclose(found, other, rtol=1e-6)


@pytest.mark.parametrize("style", ["numpy", "fast"])
def test_whole_numbers_and_plain_ones_have_no_say_in_the_dtype(style):
    X, g = array(style, (5, 4), "float32"), array(style, (4,), "int64")
    values = module("norm", style).forward(X, g, [1, 0, 0, 1])
    assert values.Y.dtype == values.g.dtype == np.float32
    assert module("literal", style).forward(array(style, (5, 3), "float32"), 2.0).Y.dtype == np.float32


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("style", STYLES)
def test_numbers_beside_masks_have_no_say_in_the_dtype(style, dtype):
    if (style, dtype) == ("jax", "float64"):
        pytest.skip("JAX computes in float32 unless it is told otherwise")
    values = module("chosen", style).forward(array(style, (2,), dtype))
    assert str(values.Y.dtype).endswith(dtype)
    np.testing.assert_allclose(np.asarray(values.Y), [[1.5, 3.0], [1.0, 2.5]])


@pytest.mark.parametrize("style", STYLES)
def test_an_entry_that_is_never_there_is_left_out(style):
    own = module("never", style)
    values = own.forward(array(style, (2, 3)))
    np.testing.assert_allclose(np.asarray(values.Y), np.eye(3))
    gradients = own.backward(values, array(style, (3, 3)))
    np.testing.assert_array_equal(np.asarray(gradients.dx), np.zeros((2, 3)))


@pytest.mark.parametrize("style", STYLES)
def test_no_rows_give_empty_results(style):
    own = module("norm", style)
    values = own.forward(*arrays(style, (0, 4), (4,), (4,)))
    gradients = own.backward(values, array(style, (0, 4)))
    assert tuple(values.Y.shape) == tuple(gradients.dX.shape) == (0, 4)
    np.testing.assert_array_equal(gradients.dg, np.zeros(4))


def test_no_steps_are_none_in_numpy_and_an_error_in_pytorch():
    """Of no arrays at steps there is no shape to make an array of."""
    torch = pytest.importorskip("torch")
    derivation = ic.derive(ic.load_problem(ic.find_spec("rnn")))
    tensors = derivation.problem.program.inputs
    inputs = {tensor.name: tuple(0 if str(s.extent) == "T" else 2 for s in tensor.slots) for tensor in tensors}
    values = derivation.function("numpy").module.forward(*(np.ones(shape) for shape in inputs.values()))
    assert 0 in values.h.shape
    with pytest.raises(ValueError, match="T is 0 in x; 1 is the least"):
        derivation.function("torch")(*(torch.ones(shape) for shape in inputs.values()))


def test_torch_checks_under_compilation_and_autograd():
    torch = pytest.importorskip("torch")
    own = module("norm", "torch")
    X, g, b = (tensor.requires_grad_() for tensor in arrays("torch", (5, 4), (4,), (4,)))
    compiled = torch.compile(own.forward, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(X, g, b).Y, own.forward(X, g, b).Y)
    own.derivation(X, g, b).sum().backward()
    torch.testing.assert_close(b.grad, torch.full((4,), 5.0, dtype=torch.float64))
    with pytest.raises(ValueError, match="axis 0 of g has length 1, but H is 4 in X"):
        own.derivation(X, g[:1], b)


def test_jax_checks_while_it_traces():
    jax = pytest.importorskip("jax")
    own = module("norm", "jax")
    X, g, b = arrays("jax", (5, 4), (4,), (4,))
    db = jax.jit(jax.grad(lambda *given: own.derivation(*given).sum(), argnums=2))(X, g, b)
    np.testing.assert_allclose(db, [5.0] * 4)
    with pytest.raises(ValueError, match="axis 0 of g has length 1, but H is 4 in X"):
        jax.jit(own.forward)(X, g[:1], b)


def test_the_check_costs_less_than_two_operations_on_small_arrays_an_axis():
    own = module("attention", "numpy")
    given = dict(zip(("Q", "K", "V"), arrays("numpy", (5, 4), (6, 4), (6, 3)), strict=True))
    Q = given["Q"]

    def seconds(run):
        start = time.thread_time()
        for _ in range(500):
            run()
        return time.thread_time() - start

    # In turns, and the least of each: other work on the machine slows both.
    pairs = [(seconds(lambda: own._checked(**given)), seconds(lambda: Q + Q)) for _ in range(15)]
    check, operation = (min(times) for times in zip(*pairs, strict=True))
    assert check / 6 < 2 * operation


@pytest.mark.parametrize("style", STYLES)
def test_entries_with_equal_labels_are_added_up_where_the_number_of_labels_is_given(style):
    own = module("compared", style)
    x, y = array(style, (3,)), np.array([7, 2, 7])
    labels = pytest.importorskip("torch").as_tensor(y) if style == "torch" else y
    values = own.forward(x, labels, C=8)
    gradient = own.backward(values, array(style, (3,))).dx
    for label in (2, 7):
        np.testing.assert_allclose(values.Y[y == label], np.asarray(x)[y == label].sum())
        np.testing.assert_allclose(gradient[y == label], np.asarray(array(style, (3,)))[y == label].sum())
