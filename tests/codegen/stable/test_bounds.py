"""Bounds: at least as large as every exponent that counts, shared where they are the same, and never in the way."""

import numpy as np
import pytest

from indexcalc.codegen import numpy_module, target_module
from indexcalc.codegen.fast import fast_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

HEAD = "index i, k : N\nindex j, l : M\nindex p : P\ninput S[i,j], w[i,j], V[j,p]\n"


def source_of(body, asked):
    return numpy_module(derive(read_problem(f"{HEAD}{body}\n{asked}\n")))


def test_a_signed_sum_takes_the_bound_of_what_it_is_divided_by():
    body = "U[i,p] = sum[j](exp(S[i,j]) * V[j,p])\nZ[i] = sum[j](exp(S[i,j]))\nO[i,p] = U[i,p] / Z[i]"
    source = source_of(body, "upstream G[i,p] = dL/dO[i,p]\nderive V")
    assert source.count(".max(") == 1
    scores = np.array([[1e3, 999.0, -1e3]])
    values = loaded(source).forward(scores, scores, np.array([[1.0], [-1.0], [5.0]]))
    np.testing.assert_allclose(values.O, [[np.tanh(0.5)]], rtol=1e-12)


@pytest.mark.parametrize("hidden", [0.0, 1e4])
def test_what_a_weight_hides_does_not_count(hidden):
    source = source_of("q[i] = log(sum[j](w[i,j] * exp(S[i,j])))", "upstream g[i] = dL/dq[i]\nderive S")
    module = loaded(source)
    scores = np.array([[hidden, -500.0, -501.0]])
    values = module.forward(scores, np.array([[0.0, 1.0, 1.0]]), np.ones((3, 1)))
    np.testing.assert_allclose(values.q, [-500 + np.log1p(np.exp(-1.0))], rtol=1e-12)
    (dS,) = module.backward(values, np.ones(1))
    np.testing.assert_allclose(dS, [[0.0, 1 / (1 + np.exp(-1.0)), 1 / (1 + np.e)]], rtol=1e-12)


def test_a_positive_weight_hides_nothing():
    source = source_of("q[i] = log(sum[j](sigmoid(w[i,j]) * exp(S[i,j])))", "upstream g[i] = dL/dq[i]\nderive S")
    assert "masked" not in source


def test_a_sum_of_which_all_is_hidden_is_zero():
    body = "Z = sum[i,k]([k < i] * exp(S[k,0]))".replace("[k,0]", "[k,j]").replace("sum[i,k]", "sum[i,k,j]")
    source = source_of(f"{body}\nq = log(Z)", "upstream g = dL/dq\nderive S")
    module = loaded(source)
    values = module.forward(np.array([[900.0], [901.0]]), np.ones((2, 1)), np.ones((1, 1)))
    (dS,) = module.backward(values, np.ones(()))
    np.testing.assert_allclose(dS, [[1.0], [0.0]])


def test_nothing_is_bounded_where_nothing_is_divided():
    source = source_of("K[i,j] = exp(-S[i,j]^2)\nq[i] = sum[j](K[i,j] * w[i,j])", "upstream g[i] = dL/dq[i]\nderive S")
    assert "max" not in source


def test_a_sum_that_vanishes_keeps_its_mantissa_for_what_is_as_large():
    body = "z[i] = sum[k]([i <= k] * exp(b[i]) / (sum[l]([l <= k] * exp(b[l])) + 0.1))"
    text = f"index i, k, l : N\ninput b[i]\n{body}\nupstream h[i] = dL/dz[i]\nderive b\n"
    module = loaded(numpy_module(derive(read_problem(text))))
    values = module.forward(np.array([1000.0, 1000.0]))
    (db,) = module.backward(values, np.array([1.0, 1.0]))
    np.testing.assert_allclose(values.z, [1.5, 0.5])
    np.testing.assert_allclose(db, [0.0, 0.0], atol=1e-12)
    (db,) = module.backward(values, np.array([1.0, 0.0]))
    np.testing.assert_allclose(db, [0.25, -0.25])


def test_a_weight_hides_in_a_sum_with_a_constant_too():
    body = "E[i,j] = w[i,j] * exp(S[i,j]) / (sum[l](w[i,l] * exp(S[i,l])) + 0.2)"
    source = source_of(body, "upstream G[i,j] = dL/dE[i,j]\nderive S")
    scores, weights = np.array([[1000.0, -1.0, 0.0]]), np.array([[0.0, 1.0, 1.0]])
    values = loaded(source).forward(scores, weights, np.ones((3, 1)))
    total = np.exp(-1.0) + 1.2
    np.testing.assert_allclose(values.E, [[0.0, np.exp(-1.0) / total, 1 / total]], rtol=1e-12)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_a_bound_of_numbers_alone_is_a_number_for_array_libraries(library):
    array_library = pytest.importorskip(library if library == "torch" else "jax.numpy")
    body = "q[i] = w[i,0] * exp(min(c, 0.25)) / (sum[j](w[i,j] * exp(min(c, 0.25))) + 0.2)"
    text = f"param c = 2\n{HEAD}{body}\nupstream g[i] = dL/dq[i]\nderive w\n"
    module = loaded(target_module(derive(read_problem(text)), library).source)
    make = array_library.tensor if library == "torch" else array_library.asarray
    weights = [[1.0, 2.0], [3.0, 4.0]]
    values = module.forward(make(weights), make(weights), make([[1.0], [1.0]]))
    factor = np.exp(0.25)
    expected = np.array([1.0, 3.0]) * factor / (np.array([3.0, 7.0]) * factor + 0.2)
    np.testing.assert_allclose(np.asarray(values.q), expected, rtol=1e-6)


def test_a_weight_may_hold_a_sum_of_exponentials_itself():
    body = "b = sum[j,p](sqrt(V[j,p] / (exp(S[0,j]) + 0.2)) * exp(S[0,j]))\nq[i] = log(b * w[i,0])"
    module = loaded(source_of(body, "upstream g[i] = dL/dq[i]\nderive S"))
    scores, V = np.array([[300.0, 2.0], [1.0, 0.0]]), np.array([[1.0], [4.0]])
    values = module.forward(scores, np.ones((2, 2)), V)
    np.testing.assert_allclose(values.q, [150.0, 150.0], rtol=1e-9)
    (dS,) = module.backward(values, np.ones(2))
    np.testing.assert_allclose(dS, [[1.0, 0.0], [0.0, 0.0]], atol=1e-9)


@pytest.mark.parametrize("style", ["numpy", "fast"])
def test_a_hidden_exponent_is_not_read_where_two_of_its_axes_are_one(style):
    text = """
index i, n, l : N
index m, s, t : M
input U[n], o[m,s,l]
X[s,i,n,m] = sum[l](o[s,m,i] * U[l] / (sum[t](o[t,m,n] * exp(o[t,m,i])) + 0.2))
p[s,l] = X[s,l,l,s]
upstream G[s,l] = dL/dp[s,l]
derive o
"""
    derivation = derive(read_problem(text))
    module = loaded(numpy_module(derivation) if style == "numpy" else fast_module(derivation).source)
    U, o, step = np.array([0.5, 1.0, -0.2]), np.linspace(0.1, 1.3, 12).reshape(2, 2, 3), 1e-6

    def total(o):
        return np.sum(U.sum() * np.einsum("ssl->sl", o) / (np.einsum("tsl,tsl->sl", o, np.exp(o)) + 0.2))

    (do,) = module.backward(module.forward(U, o), np.ones((2, 3)))
    moves = step * np.eye(12).reshape(12, 2, 2, 3)
    slopes = [(total(o + move) - total(o - move)) / (2 * step) for move in moves]
    np.testing.assert_allclose(do.reshape(-1), slopes, rtol=1e-6, atol=1e-8)


def test_a_weight_that_is_written_otherwise_keeps_its_axes():
    """The softmax in the weight is in stable form by then, and reads its indices in another order."""
    masked = "[q <= i] * exp(U[i,q]) / sum[q]([q <= i] * exp(U[i,q]))"
    source = numpy_module(
        derive(
            read_problem(
                f"index i : N\nindex q : D\ninput U[i,q]\ne = mean[q,i](exp(U[i,q]) + tanh({masked}))\n"
                "z = e / e^2\nupstream G = dL/dz\nderive U\n"
            )
        )
    )
    scores = np.random.default_rng(5).standard_normal((3, 3))
    exponentials = np.tril(np.exp(scores))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    values = loaded(source).forward(scores)
    np.testing.assert_allclose(values.e, np.mean(np.exp(scores) + np.tanh(weights)), rtol=1e-12)


@pytest.mark.parametrize("style", [numpy_module, lambda derivation: fast_module(derivation).source])
@pytest.mark.parametrize(("weight", "value"), [("step(a[i])", 1.0), ("step(-a[i])", 0.0), ("sign(a[i])", 1.0)])
def test_a_weight_that_is_a_number_in_stable_form_hides_all_or_nothing(weight, value, style):
    """A softmax is positive, so its step is 1."""
    spec = (
        f"index i : N\ninput x[i]\na[i] = softmax[i](x[i])\nz = log(mean[i]({weight} + a[i] + exp(0.5*x[i])^(-1)))\n"
        "upstream g = dL/dz\nderive x\n"
    )
    source = style(derive(read_problem(spec)))
    assert "(1.0 != 0.0" not in source
    x = np.random.default_rng(2).standard_normal(5)
    values = loaded(source).forward(x)
    softmax = np.exp(x) / np.exp(x).sum()
    np.testing.assert_allclose(values.z, np.log(np.mean(value + softmax + np.exp(-0.5 * x))), rtol=1e-12)
