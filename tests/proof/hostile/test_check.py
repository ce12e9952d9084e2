"""The check at hostile inputs: careless code is refused, careful code passes, poles are named and refuse nobody."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from indexcalc.codegen.fast.module import FastOptions
from indexcalc.generation import checked, render
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.hostile.check import check_hostile, unexplained
from indexcalc.proof.hostile.report import Finding
from indexcalc.proof.hostile.styles import reading_style
from indexcalc.proof.targets import is_installed
from indexcalc.rewrite.derive import derive

SOFTMAX = "index n : N\nindex c : C\ninput z[n,c]\np[n,c] = softmax[c](z[n,c])\nupstream g[n,c] = dL/dp[n,c]\n"
VARIANCE = """
index n : N
index h : H
input X[n,h]
mu[n] = mean[h](X[n,h])
v[n] = mean[h]((X[n,h] - mu[n])^2)
"""
CROSS_ENTROPY = """
index n : N
index c : C
input z[n,c], y[n,c]
assume sum[c](y[n,c]) = 1
p[n,c] = softmax[c](z[n,c])
L = -sum[n,c](y[n,c]*log(p[n,c]))
loss L
derive z
"""
DISTANCE = """
index n, m : N
index c : C
input X[n,c]
D[n,m] = sum[c]((X[n,c] - X[m,c])^2)
"""


def verdict(text: str, forward, backward):
    """The report on hand-written code."""
    problem = read_problem(text)
    module = SimpleNamespace(forward=forward, backward=backward)
    return check_hostile(problem, [reading_style(problem, module, {}, {})])


def softmax_backward(values, g):
    return SimpleNamespace(dz=values.p * (g - (values.p * g).sum(axis=1, keepdims=True)))


def naive_softmax(z):
    e = np.exp(z)
    return SimpleNamespace(z=z, p=e / e.sum(axis=1, keepdims=True))


def stable_softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return SimpleNamespace(z=z, p=e / e.sum(axis=1, keepdims=True))


def variance_backward(values, G_v, G_mu=0):
    n = values.X.shape[1]
    return SimpleNamespace(dX=2 / n * G_v[:, None] * (values.X - values.mu[:, None]))


def stable_variance(X):
    mu = X.mean(axis=1)
    return SimpleNamespace(X=X, mu=mu, v=((X - mu[:, None]) ** 2).mean(axis=1))


def careless_variance(X):
    mu = X.mean(axis=1)
    return SimpleNamespace(X=X, mu=mu, v=(X**2).mean(axis=1) - mu**2)


def loss_by_logarithms(z, y):
    s = z - z.max(axis=1, keepdims=True)
    logp = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
    return SimpleNamespace(z=z, y=y, p=np.exp(logp), L=-(y * logp).sum())


def loss_by_probabilities(z, y):
    p = stable_softmax(z).p
    return SimpleNamespace(z=z, y=y, p=p, L=-(y * np.log(p)).sum())


def loss_backward(values):
    return SimpleNamespace(dz=values.p - values.y)


def divided_backward(values):
    dp = -values.y / values.p
    return SimpleNamespace(dz=values.p * (dp - (values.p * dp).sum(axis=1, keepdims=True)))


def distances(X):
    return SimpleNamespace(X=X, D=((X[:, None] - X[None]) ** 2).sum(axis=2))


def expanded_distances(X):
    squares = (X**2).sum(axis=1)
    return SimpleNamespace(X=X, D=squares[:, None] + squares[None] - 2 * X @ X.T)


def distances_backward(values, G):
    both = G + G.T
    return SimpleNamespace(dX=2 * (both[:, :, None] * (values.X[:, None] - values.X[None])).sum(axis=1))


ATTENTION = """
index t, s : T
index k : D
input A[t,s], V[s,k]
P[t,s] = softmax[s](A[t,s])
O[t,k] = sum[s](P[t,s] * V[s,k])
upstream G[t,k] = dL/dO[t,k]
derive A
"""


def attention(A, V):
    p = stable_softmax(A).p
    return SimpleNamespace(A=A, V=V, P=p, O=p @ V)


def attention_backward(values, G):
    """The inner product of each row of weights with its gradient is that of the output with its gradient."""
    inner = (G * values.O).sum(axis=1, keepdims=True)
    return SimpleNamespace(dA=values.P * (G @ values.V.T - inner))


CAREFUL = {
    "an output times its gradient": (ATTENTION, attention, attention_backward),
    "softmax": (SOFTMAX, stable_softmax, softmax_backward),
    "variance": (VARIANCE, stable_variance, variance_backward),
    "cross-entropy": (CROSS_ENTROPY, loss_by_logarithms, loss_backward),
    "distances": (DISTANCE, distances, distances_backward),
}
CARELESS = {
    "exponentials without a maximum": (SOFTMAX, naive_softmax, softmax_backward),
    "E[x^2] - E[x]^2": (VARIANCE, careless_variance, variance_backward),
    "logarithm of a softmax": (CROSS_ENTROPY, loss_by_probabilities, loss_backward),
    "division by a probability": (CROSS_ENTROPY, loss_by_logarithms, divided_backward),
    "squared differences multiplied out": (DISTANCE, expanded_distances, distances_backward),
}


@pytest.mark.parametrize("name", CAREFUL)
def test_careful_code_passes(name):
    report = verdict(*CAREFUL[name])
    assert report.ok, report.failures
    assert {finding.format for finding in report.findings} == {"float32", "float64"}


@pytest.mark.parametrize("name", CARELESS)
def test_careless_code_is_refused(name):
    report = verdict(*CARELESS[name])
    assert not report.ok
    # Squares of float32 numbers are exact in float64: what cancels there does so without loss.
    assert "float32" in {finding.format for finding in report.failures}


@pytest.mark.parametrize(("roundings", "ok"), [(20, True), (1000, False)])
def test_an_error_is_allowed_to_be_a_hundred_times_what_rounding_explains(roundings, ok):
    def forward(x):
        return SimpleNamespace(x=x, y=x**2 * x.dtype.type(1 + roundings * np.finfo(x.dtype).eps))

    def backward(values, G):
        return SimpleNamespace(dx=2 * G * values.x)

    report = verdict("index i : N\ninput x[i]\ny[i] = x[i]^2\nupstream G[i] = dL/dy[i]\n", forward, backward)
    assert report.ok is ok
    assert {finding.tensor for finding in report.failures} == (set() if ok else {"y"})


def test_what_is_not_finite_is_infinitely_wrong():
    found = unexplained(np.array([np.nan, np.inf, 1.0]), np.array([1.0, 1.0, 1.0]), np.ones(3), 0.0)
    assert list(found) == [np.inf, np.inf, 0.0]


def test_where_the_truth_is_no_number_nothing_is_asked():
    found = unexplained(np.array([np.nan, 5.0, np.nan]), np.array([np.nan, np.inf, 1.0]), np.array([1, 1, np.inf]), 0.0)
    assert list(found) == [0.0, 0.0, 0.0]


def test_an_exception_and_a_wrong_shape_are_findings():
    def failing(z):
        raise FloatingPointError("no")

    report = verdict(SOFTMAX, failing, softmax_backward)
    assert not report.ok
    assert "FloatingPointError: no" in str(report.failures[0])
    report = verdict(SOFTMAX, stable_softmax, lambda values, g: SimpleNamespace(dz=g[:, :1]))
    assert "has not the shape" in str(report.failures[0])
    report = verdict(SOFTMAX, stable_softmax, lambda values, g: SimpleNamespace())
    assert "has not the shape" in str(report.failures[0])


def test_a_pole_is_named_and_no_defect():
    def forward(x):
        return SimpleNamespace(x=x, y=x / np.abs(x).sum())

    def backward(values, G):
        size = np.abs(values.x).sum()
        return SimpleNamespace(dx=G / size - (G * values.x).sum() / size**2 * np.sign(values.x))

    report = verdict(
        "index i : N\ninput x[i]\ny[i] = x[i]/sum[i](abs(x[i]))\nupstream G[i] = dL/dy[i]\n", forward, backward
    )
    assert report.ok, report.failures
    assert set(report.poles) == {"x zero"}
    assert {"y", "dx"} <= set(report.poles["x zero"])


@pytest.mark.parametrize(("ratio", "ok"), [(100.0, True), (100.1, False), (np.inf, False)])
def test_a_hundred_times_what_rounding_explains_is_the_bound(ratio, ok):
    assert Finding("numpy", "float32", ratio).ok is ok


def test_where_the_range_ends_stands_in_the_report():
    ends = "index i : N\ninput x[i]\ny[i] = exp(x[i])\nz[i] = x[i]/sum[i](abs(x[i]))\n"
    found = check_hostile(read_problem(ends), []).to_json()
    assert found["poles"] == {"x zero": ["z", "dx"]}
    assert any("x times 1000" in reduced and "48.7" in reduced for reduced in map(str, found["reduced"]))


def test_every_number_of_the_report_is_plain_data():
    found = verdict(*CARELESS["exponentials without a maximum"]).to_json()
    assert found["ok"] is False
    assert {"points", "sizes", "worst", "failures", "digits", "allowed"} <= set(found)
    assert found["failures"][0]["error_over_explained"] is None


def test_all_styles_and_targets_are_checked():
    targets = tuple(target for target in ("torch", "jax") if is_installed(target))
    derivation = derive(load_problem(shipped_paths()["softmax"]))
    outputs = checked(derivation, render(derivation, targets=targets, fast=FastOptions()))
    assert outputs.report.hostile is not None
    styles = {finding.style for finding in outputs.report.hostile.findings}
    fast = {"fast", *(["torch fast"] if "torch" in targets else [])}
    assert styles == {"numpy", *targets, *fast, *(f"{style} value_and_grad" for style in fast)}
    assert outputs.report.ok
    assert '"hostile_inputs"' in outputs.files["validation.json"]


def test_a_program_with_too_many_scalars_is_said_to_be_unchecked():
    report = check_hostile(read_problem("index i : 200\nindex j : 200\ninput x[i,j]\ny = sum[i,j](x[i,j])\n"), [])
    assert report.ok
    assert "scalars" in report.skipped
    assert report.to_json() == {"skipped": report.skipped}
