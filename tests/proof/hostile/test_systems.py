"""Systems at hostile inputs: roots and their adjoints by closed forms, and what their condition explains."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest

from indexcalc.generation import code_styles, render
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.hostile.adjoints import backward
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.hostile.explained import format_of
from indexcalc.proof.hostile.runs import Rounding
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.trial import exact, hostile_trial, loss_weights, wide_entries
from indexcalc.proof.hostile.unrolled import unrolled
from indexcalc.proof.hostile.wide import ONE, wide
from indexcalc.rewrite.derive import derive

LINEAR = """
index i, j : N
input A[i,j], b[i]
solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
upstream G[j] = dL/dx[j]
derive A, b
"""
CUBIC = """
index i, j : N
input W[i,j], b[i]
solve x[i] : x[i] + 0.1*x[i]^3 + 0.1*sum[j](W[i,j]*tanh(x[j])) = b[i]
upstream G[i] = dL/dx[i]
derive W, b
"""


def graph_of(text, size=3):
    problem = read_problem(text)
    return problem, unrolled(problem.program, exact(dict.fromkeys(problem.program.extents, size), {}))


def numbers(entries, values):
    return np.array([float(values[node]) for node in entries])


def passes(text, inputs, weight, rounding=None):
    """The unknown, and both gradients."""
    problem, graph = graph_of(text)
    with localcontext(wide(40)):
        run = forward(graph, wide_entries(inputs), rounding)
        adjoints = backward(graph, run, loss_weights(graph, {"x": weight}), rounding)
    gradients = {name: numbers(graph.entries[name], adjoints.values) for name in problem.targets}
    return numbers(graph.entries["x"], run.values), gradients, run


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_system_and_its_adjoint(seed):
    rng = np.random.default_rng(seed)
    A, b, G = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    x, gradients, run = passes(LINEAR, {"A": A, "b": b}, G)
    adjoint = np.linalg.solve(A.T, G)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-9)
    np.testing.assert_allclose(gradients["b"], adjoint, rtol=1e-9)
    np.testing.assert_allclose(gradients["A"].reshape(3, 3), -np.outer(adjoint, x), rtol=1e-9)
    assert run.outside == ""


@pytest.mark.parametrize("seed", range(5))
def test_a_nonlinear_system_and_its_adjoint(seed):
    rng = np.random.default_rng(seed)
    W, b, G = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    x, gradients, _ = passes(CUBIC, {"W": W, "b": b}, G)
    np.testing.assert_allclose(x + 0.1 * x**3 + 0.1 * W @ np.tanh(x), b, rtol=1e-12)
    slopes = np.diag(1 + 0.3 * x**2) + 0.1 * W * (1 - np.tanh(x) ** 2)
    adjoint = np.linalg.solve(slopes.T, G)
    np.testing.assert_allclose(gradients["b"], adjoint, rtol=1e-9)
    np.testing.assert_allclose(gradients["W"].reshape(3, 3), -0.1 * np.outer(adjoint, np.tanh(x)), rtol=1e-9)


def test_what_rounding_moves_grows_with_the_condition():
    """A solution is as exact as the format times the condition of its matrix, and no more."""
    unit = format_of("float32").unit
    moved = []
    for small in (1.0, 1e-2, 1e-4):
        A = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 + small, 0.0], [0.0, 0.0, 1.0]])
        inputs, G = {"A": A, "b": np.array([1.0, 2.0, 3.0])}, np.ones(3)
        right, _, _ = passes(LINEAR, inputs, G)
        found, _, _ = passes(LINEAR, inputs, G, Rounding(unit, 0, above=True))
        moved.append(np.max(np.abs(found - right) / np.max(np.abs(right))))
    assert moved[0] < 1e-6
    assert moved[1] > 10 * moved[0]
    assert moved[2] > 10 * moved[1]


@pytest.mark.parametrize("A", [np.ones((3, 3)), np.zeros((3, 3)), np.ones((3, 3)) + 1e-7 * np.eye(3)])
def test_a_matrix_that_is_nearly_singular_is_outside(A):
    _, _, run = passes(LINEAR, {"A": A, "b": np.ones(3)}, np.ones(3))
    assert run.outside.startswith("the system of x")


def test_what_a_system_computes_from_its_unknown_is_computed_of_the_root():
    text = """
index i, j : N
input A[i,j], b[i]
solve x[j] : sum[j](A[i,j]*x[j]) + 0.1*tanh(x[i]) = b[i]
y[i] = x[i]^2
L = sum[i](y[i])
loss L
derive b
"""
    rng = np.random.default_rng(0)
    A, b = np.eye(3) + 0.3 * rng.normal(size=(3, 3)), rng.normal(size=3)
    _, graph = graph_of(text)
    with localcontext(wide(40)):
        run = forward(graph, wide_entries({"A": A, "b": b}))
        adjoints = backward(graph, run, {graph.entries["L"][0]: ONE})
    x = numbers(graph.entries["x"], run.values)
    slopes = A + 0.1 * np.diag(1 - np.tanh(x) ** 2)
    found = numbers(graph.entries["b"], adjoints.values)
    np.testing.assert_allclose(numbers(graph.entries["y"], run.values), x**2, rtol=1e-12)
    np.testing.assert_allclose(found, np.linalg.solve(slopes.T, 2 * x), rtol=1e-9)


RIDGE = """
index n : N
index f, h : F
input X[n,f], a positive, g[f]
solve s[f] : a*s[f] + sum[n](X[n,f]*sum[h](X[n,h]*s[h])) = g[f]
"""


def test_the_entries_of_a_matrix_without_a_name_are_rounded_too():
    """Code puts the matrix together before it solves for an adjoint variable."""
    _, graph = graph_of(RIDGE)
    rng, unit = np.random.default_rng(0), format_of("float32").unit
    inputs = {"X": 70 + rng.normal(size=(3, 3)), "a": np.array(0.5), "g": rng.normal(size=3)}
    weights = loss_weights(graph, {"s": rng.normal(size=3)})
    found = []
    with localcontext(wide(40)):
        for rounding in (None, Rounding(unit, 0, above=True)):
            run = forward(graph, wide_entries(inputs), rounding)
            # The sums of the backward pass stay as they are: what is moved comes from the matrix.
            found.append(numbers(graph.entries["g"], backward(graph, run, weights).values))
    A = 0.5 * np.eye(3) + inputs["X"].T @ inputs["X"]
    moved = np.max(np.abs(found[1] - found[0])) / np.max(np.abs(found[0]))
    assert 1e-2 * float(unit) * np.linalg.cond(A) < moved < 10 * float(unit) * np.linalg.cond(A)


@pytest.mark.parametrize("text", [RIDGE, RIDGE.replace("a*s[f]", "a*s[f] + X[0,f]*sum[h](X[0,h]*s[h])")])
def test_code_for_a_matrix_without_a_name_is_accurate(text):
    derivation = derive(read_problem(text))
    report = check_hostile(derivation.problem, code_styles(derivation, render(derivation)))
    assert report.ok
    assert len(report.points) > 20


@pytest.mark.parametrize(
    ("system", "alone"),
    [
        ("4*x[i] + tanh(x[i]) = b[i]", True),
        ("x[i] + 0.1*x[i]^3 = b[i]", True),
        ("exp(3*x[i]) = 1 + b[i]^2", True),
        ("x[i] = 8*tanh(x[i])", False),
        ("x[i]^2 = 1 + b[i]^2", False),
    ],
)
def test_what_a_system_with_several_roots_determines_is_not_judged(system, alone):
    _, graph = graph_of(f"index i : N\ninput b[i]\nsolve x[i] : {system} + 0.01*b[i]\nL = sum[i](x[i])\nloss L")
    with localcontext(wide(32)):
        run = forward(graph, wide_entries({"b": np.array([0.3, -1.2, 0.8])}))
    assert (run.outside == "") is alone


@pytest.mark.parametrize("name", ["gaussian_full_covariance", "kernel_ridge"])
def test_code_that_loses_digits_is_found_out(name):
    derivation = derive(load_problem(shipped_paths()[name]))
    texts = render(derivation)
    (style,) = code_styles(derivation, texts)

    def worse(point, given):
        found = style.candidate(point, given)
        return {key: array * (1 + 1e-4) for key, array in found.items()}

    trial = hostile_trial(derivation.problem)
    assert check_hostile(derivation.problem, [style], trial=trial).ok
    report = check_hostile(derivation.problem, [replace(style, candidate=worse)], trial=trial)
    assert not report.ok
    assert len(report.points) > 30


def test_adjoints_are_central_differences_at_all_entries():
    trial = hostile_trial(load_problem(shipped_paths()["gaussian_full_covariance"]))
    graph, step = trial.graph, Decimal("1e-40")
    for case in trial.cases[::8]:
        weights, inputs = loss_weights(graph, case.weights), wide_entries(case.inputs)
        with localcontext(wide(120)):
            for target in trial.problem.targets:
                for node, right in zip(graph.entries[target], case.truth.gradients[target], strict=True):
                    runs = [forward(graph, inputs, shifts={node: sign * step}) for sign in (1, -1)]
                    ahead, behind = (sum(w * run.values[n] for n, w in weights.items()) for run in runs)
                    assert float((ahead - behind) / (2 * step)) == pytest.approx(float(right), rel=1e-9, abs=1e-12)
