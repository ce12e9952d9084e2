"""Sums that are subtracted from each other are added up as one, where no array gets larger by it."""

import types

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.algebra.terms import free_indices
from indexcalc.codegen import numpy_module
from indexcalc.codegen.formula import terms_text
from indexcalc.codegen.stable.differences import joined_sums, near_first
from indexcalc.generation import loaded

HEAD = "index i, j, k : N\nindex h : H\nparam eps\ninput A[i,j], B[i,j], a[i], b[i], w[h], X[i,h], Y[i,h]\n"


def terms_of(line):
    return ic.read_problem(f"{HEAD}{line}\n").program.equations[-1].terms


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("y[i,j] = a[i] + b[i] - a[j]", "(a[i] - a[j]) + b[i]"),
        ("y[i,j] = b[i] - 2 * a[i] + 2 * a[j]", "b[i] + (-2 * a[i] + 2 * a[j])"),
        ("y[i,j] = a[i] * b[j] + 1 - b[i] * a[j]", "(a[i] * b[j] - b[i] * a[j]) + 1"),
        ("y[i,j] = tanh(a[i] + b[i] - a[j])", "tanh((a[i] - a[j]) + b[i])"),
        ("y[i,j] = a[i] - a[j]", "a[i] - a[j]"),
        ("y[i,j] = a[i] + b[i] + a[j]", "a[i] + b[i] + a[j]"),
        ("y[i,j] = a[i] + b[i] - 2 * a[j]", "a[i] + b[i] - 2 * a[j]"),
    ],
)
def test_entries_of_one_tensor_are_subtracted_before_anything_is_added(line, near):
    assert terms_text(near_first(terms_of(line))) == near


@pytest.mark.parametrize(
    ("line", "joined"),
    [
        ("y = sum[i](a[i] - b[i])", "sum[i]((a[i] - b[i]))"),
        ("y = mean[i](b[i] - a[i])", "1/N * sum[i]((b[i] - a[i]))"),
        ("y = -eps * sum[i](a[i] - b[i]) + eps", "-eps * sum[i]((a[i] - b[i])) + eps"),
        ("y = sum[i](2 * a[i] - b[i])", "sum[i]((2 * a[i] - b[i]))"),
        ("y = sum[i](a[i]^2 - exp(b[i]) + b[i])", "sum[i]((a[i]^2 - exp(b[i]) + b[i]))"),
        ("y = sum[i](a[i] - A[i,i])", "sum[i]((a[i] - A[i,i]))"),
        ("y = sum[i,j](A[i,j] - B[j,i])", "sum[i,j]((A[i,j] - B[j,i]))"),
        ("y[j] = sum[i]([i <= j] * (A[i,j] - B[i,j]))", "sum[i]([i <= j] * (A[i,j] - B[i,j]))"),
    ],
)
def test_a_difference_is_taken_before_it_is_summed(line, joined):
    assert terms_text(joined_sums(terms_of(line))) == joined


@pytest.mark.parametrize(
    "line",
    [
        "y = sum[i](a[i] + b[i])",
        "y[i,j] = sum[k](A[i,k] * B[k,j]) - sum[k](B[i,k] * A[k,j])",
        "y[i] = sum[h](X[i,h] * w[h]) - sum[h](Y[i,h])",
        "y[h] = sum[i](X[i,h]) - sum[i](a[i] * Y[i,h])",
        "y[j] = eps * sum[i](A[i,j]) - sum[i](B[i,j])",
        "y = sum[i](a[i]) - sum[h](w[h])",
        "y[k] = a[k] * sum[i](A[i,k]) - b[k] * sum[i](B[i,k])",
    ],
)
def test_other_sums_stay(line):
    terms = terms_of(line)
    assert joined_sums(terms) == terms


def test_a_sum_over_two_indices_is_not_joined_with_outer_products():
    terms = terms_of("y[k] = sum[i,j](A[i,k] * a[j]) - sum[i,j](A[j,k] * b[i])")
    assert all(len(free_indices(term)) == 1 for term in joined_sums(terms))
    assert joined_sums(terms) == terms


def test_near_entries_keep_their_digits():
    problem = ic.read_problem("index n : N\ninput a[n], b[n]\nL = sum[n](a[n] - b[n])\nloss L\n")
    source = ic.numpy_module(ic.derive(problem))
    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    b = np.full(1000, 333.0, np.float32) + np.arange(1000, dtype=np.float32)
    a = np.nextafter(b, np.float32(np.inf))
    exact = (a.astype(float) - b.astype(float)).sum()
    np.testing.assert_allclose(module.forward(a, b).L, exact, rtol=1e-5)


CENTRED = """
index i, j : N
index m, s : M
input E[m], g[m], w[j,m]
a[m] = exp(erf(E[m]))
b[s] = g[s] * a[s]
h[j] = norm2[s](b[s] * w[j,s])
u[i] = (h[i] - mean[i](h[i])) / sqrt(var[i](h[i]) + 0.1)
v[i] = u[i] - mean[i](u[i])
y[i] = v[i]^2
upstream G[i] = dL/dy[i]
derive E
"""


def test_the_mean_of_a_difference_of_exponentials_is_one_sum():
    derivation = ic.derive(ic.read_problem(CENTRED))
    module = loaded(numpy_module(derivation))
    rng = np.random.default_rng(0)
    E, g, w = rng.normal(size=5), rng.normal(size=5), 300 + rng.normal(size=(1, 5))
    # One entry is its own mean, whatever it is.
    values = module.forward(E, g, w)
    assert values.y == pytest.approx([0.0], abs=1e-25)
    assert module.backward(values, np.ones(1)).dE == pytest.approx(np.zeros(5), abs=1e-10)


def test_a_difference_from_the_smallest_entry_over_a_sum_of_exponentials_stays_finite():
    problem = ic.read_problem(
        "index i, j : N\ninput a[i]\nf[i] = exp(a[i])\nY[i] = (f[i] - min[j](f[j])) / sum[j](f[j])\n"
        "upstream G[i] = dL/dY[i]\nderive a\n"
    )
    with np.errstate(over="ignore"):
        values = loaded(numpy_module(ic.derive(problem))).forward(np.array([1000.0, 999.0, 0.0]))
    np.testing.assert_allclose(values.Y, [1 / (1 + np.exp(-1.0)), 1 / (1 + np.e), 0.0], rtol=1e-12)
