"""Stable forms: found by structure, right where the plain form overflows, and true wherever a sum is kept."""

import types

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.generation import validate
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

HEAD = """
title "t"
index i, j : T
index c, l : C
input z[i,c], w[c]
"""


def module_of(body, derive_line="derive z"):
    problem = read_problem(f"{HEAD}{body}\n{derive_line}\n")
    source = numpy_module(derive(problem))
    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    return module, source


BIG = np.array([[1e4, -1e4, 9999.0], [-1e4, -1e4, -1e4], [0.0, 1.0, 2.0]])
WEIGHTS = np.array([0.5, 0.25, 1.25])


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "body",
    [
        "p[i,c] = exp(z[i,c]) / sum[l](exp(z[i,l]))",
        "p[i,c] = softmax[c](z[i,c])",
        "E[i,c] = exp(z[i,c])\nZ[i] = sum[c](E[i,c])\np[i,c] = E[i,c] / Z[i]",
        "Z[i] = sum[c](exp(z[i,c]))\nR[i] = 1 / Z[i]\nq[i] = log(Z[i])\np[i,c] = exp(z[i,c]) / Z[i]",
        "p[i,c] = 1 / sum[l](exp(z[i,l])) * exp(z[i,c])",
    ],
)
def test_softmax_in_every_spelling(body):
    module, _ = module_of(body)
    with np.errstate(divide="ignore"):  # 1 / Z, where it is asked for, is infinite: Z is 0 in floats
        values = module.forward(BIG, WEIGHTS)
    np.testing.assert_allclose(values.p, softmax(BIG), rtol=1e-12)
    assert np.all(np.isfinite(values.p))


def test_log_sum_exp_and_the_log_of_a_named_softmax():
    module, source = module_of(
        "p[i,c] = softmax[c](z[i,c])\ns[i] = sum[c](w[c] * log(p[i,c]))\nt[i] = logsumexp[c](z[i,c])"
    )
    values = module.forward(BIG, WEIGHTS)
    shifted = BIG - BIG.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1))
    np.testing.assert_allclose(values.t, BIG.max(axis=1) + log_sum)
    np.testing.assert_allclose(values.s, ((shifted - log_sum[:, None]) * WEIGHTS).sum(axis=1))
    assert "np.log(p" not in source


def test_weighted_sums_are_shifted_as_well():
    module, _ = module_of("p[i,c] = exp(z[i,c]) / sum[l](w[l] * exp(z[i,l]))")
    values = module.forward(BIG, WEIGHTS)
    e = np.exp(BIG - BIG.max(axis=1, keepdims=True))
    np.testing.assert_allclose(values.p, e / (e * WEIGHTS).sum(axis=1, keepdims=True))


def test_a_mask_hides_huge_scores_from_the_maximum():
    body = """
index m, n, k : S
input x[m,n]
p[m,n] = [n <= m] * exp(x[m,n]) / sum[k]([k <= m] * exp(x[m,k]))
"""
    module, _ = module_of(body, "derive x")
    x = np.array([[0.0, 1e5, 1e5], [1.0, 2.0, 1e5], [-1e4, 1e4, 0.0]])
    p = module.forward(BIG, WEIGHTS, x).p
    hidden = np.where(np.tri(3, dtype=bool), x, -np.inf)
    np.testing.assert_allclose(p, softmax(hidden))
    assert np.all(np.isfinite(p))


def test_the_true_sum_is_kept_where_it_is_asked_for():
    module, source = module_of("Z[i] = sum[c](exp(z[i,c]))\np[i,c] = exp(z[i,c]) / Z[i]\nq[i] = Z[i]^2 + 1")
    small = BIG[2:]
    values = module.forward(small, WEIGHTS)
    np.testing.assert_allclose(values.Z, np.exp(small).sum(axis=1))
    np.testing.assert_allclose(values.q, np.exp(small).sum(axis=1) ** 2 + 1)
    assert "Z_shifted" in source


def test_a_sum_used_in_no_stable_way_is_left_alone():
    _, source = module_of("Z[i] = sum[c](exp(z[i,c]))\nq[i] = Z[i]^2 + 1")
    assert "max" not in source


def test_an_exponential_over_another_rows_sum_is_that_of_a_difference():
    module, _ = module_of("Z[i] = sum[c](exp(z[i,c]))\nq[i,j,c] = exp(z[i,c]) / Z[j]")
    small = np.array([[0.0, 1.0, 2.0], [1.0, 3.0, 0.5]])
    expected = np.exp(small)[:, None, :] / np.exp(small).sum(axis=1)[None, :, None]
    np.testing.assert_allclose(module.forward(small, WEIGHTS).q, expected)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(module.forward(small + 1000.0, WEIGHTS).q, expected, rtol=1e-12)


def test_the_logarithm_of_a_reciprocal_keeps_its_sign():
    body = "Z[i] = sum[c](exp(z[i,c]))\nq[i] = log(1 / Z[i])\nr[i] = log(Z[i]^-2)^3"
    module, _ = module_of(body)
    values = module.forward(BIG[1:], WEIGHTS)
    log_sum = np.array([-1e4 + np.log(3), np.log(1 + np.e + np.e**2)])
    np.testing.assert_allclose(values.q, -log_sum)
    np.testing.assert_allclose(values.r, (-2 * log_sum) ** 3)


@pytest.mark.parametrize("p", ["sigmoid(z[i,c])", "1 / (1 + exp(-z[i,c]))", "exp(z[i,c]) / (1 + exp(z[i,c]))"])
def test_logarithms_of_a_sigmoid_are_finite(p):
    module, _ = module_of(
        f"p[i,c] = {p}\nn[i,c] = 1 - p[i,c]\nq[i,c] = log(p[i,c])\nr[i,c] = log(1 - p[i,c]) + 2 * log(n[i,c])\n"
        f"s[i,c] = log(2 * {p} * p[i,c]^3)\nt[i,c] = log(1 + exp(z[i,c]))"
    )
    z = np.array([[1e3, -1e3, 0.0], [-50.0, 50.0, 1.0], [1e4, -1e4, 2.0]])
    values = module.forward(z, WEIGHTS)
    log_p, log_n = -np.logaddexp(0, -z), -np.logaddexp(0, z)
    np.testing.assert_allclose(values.p, np.exp(log_p))
    np.testing.assert_allclose(values.q, log_p)
    np.testing.assert_allclose(values.r, 3 * log_n)
    np.testing.assert_allclose(values.s, 4 * log_p + np.log(2))
    np.testing.assert_allclose(values.t, -log_n)


def test_other_logarithms_are_left_alone():
    _, source = module_of(
        "q[i,c] = log(2 - sigmoid(z[i,c])) + log(1 + 2 * exp(z[i,c])) + log(sigmoid(z[i,c]) + w[c]^2)"
    )
    assert "logaddexp" not in source
    assert source.count("np.log(") == 3


def recomputing(body, names, derive_line="derive z", z=BIG):
    module, source = module_of(f"{body}\nrecompute {names}", derive_line)
    plain, _ = module_of(body, derive_line)
    assert not {name.strip() for name in names.split(",")} & set(module.Values._fields)
    values, every = module.forward(z, WEIGHTS), plain.forward(z, WEIGHTS)
    with np.errstate(over="raise", invalid="raise"):
        given = np.cos(np.arange(every[-1].size)).reshape(every[-1].shape)
        found, expected = module.backward(values, given), plain.backward(every, given)
    for one, other in zip(found, expected, strict=True):
        assert np.all(np.isfinite(one))
        np.testing.assert_allclose(one, other)
    return source[source.index("def backward") :]


def test_a_softmax_that_is_computed_again_is_shifted_again():
    body = "y[i,c] = w[c] * z[i,c] + z[i,c]\np[i,c] = softmax[c](y[i,c])\nq[i,c] = p[i,c]^2"
    for names in ("p", "y, p"):
        source = recomputing(body, names)
        assert "y_max = y.max(axis=1)" in source
        assert source.count(" y = ") == names.count("y")


def test_a_named_sum_of_exponentials_is_computed_again_under_its_true_value_only_where_that_is_read():
    body = "E[i,c] = exp(z[i,c])\nN[i] = sum[c](E[i,c])\np[i,c] = E[i,c] / N[i]\nq[i,c] = p[i,c]^2"
    source = recomputing(body, "E, N, p")
    assert " E = " not in source
    assert "np.exp(z_max)" not in source


def test_scores_that_only_a_shifted_logarithm_reads_are_computed_again():
    body = "y[i,c] = 3 * z[i,c]\nN[i] = sum[c](exp(y[i,c]))\nq[i] = log(N[i])^2"
    source = recomputing(body, "y", "derive N", BIG[2:])
    assert "y_max" in source
    assert source.count(" y = ") == 1


def test_a_maximum_that_is_computed_again_compares_no_pairs():
    body = "y[i,c] = w[c] * z[i,c] + z[i,c]\nm[i] = max[c](y[i,c])\nq[i] = m[i]^2"
    source = recomputing(body, "m, y")
    assert "m = y.max(axis=1)" in source


def test_a_sum_whose_true_value_reads_another_sum():
    text = """
index j, l : N
index s, t : M
param tau = 0.7
input A[l,s], u[s,l,t]
R[s] = 1 / sum[l](exp(sum[l](u[s,l,s] * sum[j](exp(u[s,j,s]))^tau) + A[l,s]))
derive A
"""
    derivation = derive(read_problem(text))
    report = validate(derivation, numpy_module(derivation))
    assert report.ok, report.failures


def test_a_sum_with_the_exponentials_of_one_that_it_reads():
    text = """
index s : M
index g : H
input E[s,g]
X[g] = 1 / sum[s](exp(E[s,g]))
U = mean[g](X[g] + mean[g](X[g]))
h = 1 / U
derive E
"""
    derivation = derive(read_problem(text))
    report = validate(derivation, numpy_module(derivation))
    assert report.ok, report.failures


def test_what_another_tensor_holds_is_not_read_where_all_of_a_bound_may_be_hidden():
    """``exp(-bound)`` alone is infinite where every weight is zero; under the bound the exponential is hidden too."""
    text = """
index h : H
input U[h], F[h]
p[h] = softmax[h](U[h])
C = sum[h](F[h] * p[h] + tanh(F[h]))
W = C / (1 + C)
derive U, F
"""
    module = types.ModuleType("generated")
    exec(numpy_module(derive(read_problem(text))), module.__dict__)
    values = module.forward(np.array([1.0, 2.0]), np.zeros(2))
    gradients = module.backward(values, np.ones(()))
    assert float(values.W) == 0.0
    assert np.all(gradients.dU == 0.0)
    np.testing.assert_allclose(gradients.dF, 1 + np.exp([1.0, 2.0]) / np.exp([1.0, 2.0]).sum())


def test_what_counts_as_one_is_hidden_in_the_dtype_of_the_rest():
    text = """
index i, j : N
index m    : M
index k    : D
index w    : D*N
input e[k,j]
p[(k,i)] = [k <= i] / sum[k](exp(e[k,i]))
Q[w] = p[w]
C[w] = mean[w](Q[w]) * p[w]
c[w,m,j] = [m >= j] * Q[w]
upstream G_c[w,m,j] = dL/dc[w,m,j]
upstream G_C[w] = dL/dC[w]
derive e
"""
    source = numpy_module(derive(read_problem(text)))

    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    values = module.forward(np.ones((3, 2), np.float32), M=2)
    ones = np.ones((6, 2, 2), np.float32), np.ones(6, np.float32)
    assert module.backward(values, *ones).de.dtype == np.float32


def test_one_plus_a_quotient_that_is_one_on_the_diagonal():
    text = """
index g, h : H
input c[g,h]
a[h,g] = c[h,g] / (c[g,h] / c[h,h] + 1)
f[g] = a[g,g]
derive c
"""
    derivation = derive(read_problem(text))
    report = validate(derivation, numpy_module(derivation))
    assert report.ok, report.failures


def test_one_over_an_exponential_that_overflows_is_zero_without_a_warning():
    module, _ = module_of("y[i,c] = 1 / exp(z[i,c])\nx[i,c] = w[c] * exp(z[i,c])^(-3)")
    with np.errstate(all="raise", under="ignore"):
        values = module.forward(np.array([[1e4, 0.0, 1.0]]), WEIGHTS)
    np.testing.assert_allclose(values.y, [[0.0, 1.0, np.exp(-1)]], rtol=1e-12)
    np.testing.assert_allclose(values.x, [WEIGHTS * [0.0, 1.0, np.exp(-3)]], rtol=1e-12)


def test_an_exponential_that_is_bounded_in_another_order_of_its_factors():
    text = """
index i, j, l : N
index h : H
index k : D
input U[j,l,k,h]
R[h,l] = logsumexp[k,i](U[i,i,k,h]^3 * U[l,l,k,h]^3)
derive U
"""
    derivation = derive(read_problem(text))
    report = validate(derivation, numpy_module(derivation))
    assert report.ok, report.failures
