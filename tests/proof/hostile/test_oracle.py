"""The hostile oracle: closed forms, precision that adapts, what rounding explains, poles and kinks."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext

import mpmath
import numpy as np
import pytest
import sympy as sp

from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.hostile import oracle
from indexcalc.proof.hostile.explained import PATTERNS, Explained
from indexcalc.proof.hostile.oracle import check_slopes, truth
from indexcalc.proof.hostile.passes import Asked, UndeterminedError, both_passes
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.trial import hostile_trial, loss_weights, wide_entries
from indexcalc.proof.hostile.unrolled import unrolled
from indexcalc.proof.hostile.wide import wide
from indexcalc.proof.oracles import Point, total_gradient

SOFTMAX = "index i : N\ninput z[i]\np[i] = softmax[i](z[i])\n"


def question(text: str, size: int = 3, seed: int = 0):
    """A problem with one extent, and what the oracle is asked about it."""
    problem = read_problem(text)
    graph = unrolled(problem.program, {extent: sp.Integer(size) for extent in problem.program.extents})
    rng = np.random.default_rng(seed)
    outputs = [up.of for up in problem.upstream] or [problem.loss]
    weights = {name: rng.normal(size=graph.shapes[name]) for name in outputs}
    if problem.loss:
        weights = {problem.loss: np.ones(())}
    written = tuple(equation.name for equation in problem.program.equations if not equation.hoisted)
    return problem, Asked(graph, written, problem.targets, loss_weights(graph, weights), seed), weights


def answered(text: str, inputs: dict[str, list[float]], size: int = 3):
    _, asked, weights = question(text, size)
    return truth(asked, wide_entries({name: np.array(v) for name, v in inputs.items()})), weights


def test_a_saturated_softmax_has_its_tiny_gradient():
    z = [0.0, 100.0, -50.0]
    found, weights = answered(SOFTMAX, {"z": z})
    with mpmath.workdps(400):
        p = [mpmath.exp(v) for v in z]
        p = [v / sum(p) for v in p]
        g = [mpmath.mpf(float(w)) for w in weights["p"]]
        mean = sum(a * b for a, b in zip(p, g, strict=True))
        for k in range(3):
            assert abs(mpmath.mpf(str(found.values["p"][k])) / p[k] - 1) < 1e-20
            expected = p[k] * (g[k] - mean)
            error = abs(mpmath.mpf(str(found.gradients["z"][k])) - expected)
            assert error < 1e-3 * found.explained["float64"].whole[1]["z"][k] + 1e-300


SATURATED = "index i : N\ninput z[i]\ns = log(1 - 1/(1 + exp(-sum[i](z[i]))))\nloss s\n"


def test_precision_rises_with_the_digits_that_a_program_needs():
    mild, _ = answered(SATURATED, {"z": [1.0, 1.0, 1.0]})
    hard, _ = answered(SATURATED, {"z": [100.0, 100.0, 100.0]})
    assert mild.digits == oracle.DIGITS[1] < hard.digits
    with mpmath.workdps(500):
        expected = -mpmath.log1p(mpmath.exp(300))
        assert abs(mpmath.mpf(str(hard.values["s"][0])) / expected - 1) < 1e-15


def test_a_point_that_no_precision_decides_is_refused():
    with pytest.raises(UndeterminedError, match="digits"):
        answered(SATURATED, {"z": [30_000.0, 0.0, 0.0]})


@pytest.mark.parametrize("text", ["log((1 - p[i])/2)", "log(q[i])", "1/q[i]", "log(3*q[i]^2)"])
def test_a_pole_behind_what_rounds_away_is_no_pole(text):
    head = "index i : N\ninput z[i]\np[i] = sigmoid(z[i])\nq[i] = 1 - p[i]\n"
    with pytest.raises(UndeterminedError, match="digits"):
        answered(f"{head}y[i] = {text}\n", {"z": [5000.0, 0.0, 0.0]})
    found, _ = answered(f"{head}y[i] = {text}\n", {"z": [40.0, 0.0, 0.0]})
    assert found.values["y"][0].is_finite()
    for format in ("float32", "float64"):
        assert np.isinf(found.explained[format].whole[0]["y"][0])
        assert np.isfinite(found.explained[format].whole[0]["y"][1])


def test_what_exceeds_the_oracle_is_no_pole():
    with pytest.raises(UndeterminedError, match="digits"):
        answered("index i : N\ninput z[i]\np[i] = softmax[i](1e18*z[i])\n", {"z": [30.0, 0.0, 0.0]})


def test_what_leaves_the_format_is_refused():
    with pytest.raises(UndeterminedError, match="float32"):
        answered("index i : N\ninput z[i]\ne[i] = exp(z[i])\n", {"z": [0.0, 89.0, 0.0]})
    # What the reader named may leave it: the author never sees it.
    answered(SOFTMAX, {"z": [0.0, 89.0, 0.0]})


def test_what_lies_outside_the_domain_is_refused():
    with pytest.raises(UndeterminedError, match="domain"):
        answered("index i : N\ninput z[i]\ne[i] = log(z[i])\n", {"z": [1.0, -1.0, 1.0]})


def test_a_pole_leaves_its_own_row_only():
    text = "index i, j : N\ninput m[i,j], z[i,j]\np[i,j] = m[i,j]*exp(z[i,j]) / sum[j](m[i,j]*exp(z[i,j]))\n"
    found, _ = answered(text, {"m": [0.0, 0.0, 1.0, 1.0], "z": [1.0, 2.0, 3.0, 4.0]}, size=2)
    assert [value.is_nan() for value in found.values["p"]] == [True, True, False, False]
    assert [value.is_nan() for value in found.gradients["z"]] == [True, True, False, False]


def test_what_has_no_value_has_no_gradient_even_times_zero():
    text = "index i : N\ninput v[i], g\nw[i] = g*v[i]/sqrt(sum[i](v[i]^2))\n"
    found, _ = answered(text, {"v": [0.0, 0.0, 0.0], "g": [0.0]})
    assert all(value.is_nan() for value in (*found.values["w"], *found.gradients["v"], *found.gradients["g"]))


def test_a_hidden_entry_has_weight_zero_and_a_gradient():
    found, _ = answered(SOFTMAX, {"z": [0.0, 1.0, -np.inf]})
    assert found.values["p"][2] == 0
    assert all(value.is_finite() for value in found.gradients["z"])


@pytest.mark.parametrize("text", ["relu(x[i])", "abs(x[i])", "max(x[i], 0)", "min(x[i], 0)"])
def test_at_a_kink_the_convention_is_right(text):
    found, _ = answered(f"index i : N\ninput x[i]\ny[i] = {text}\n", {"x": [0.0, 0.0, 0.0]})
    assert list(found.gradients["x"]) == [0, 0, 0]
    assert not np.isinf(found.explained["float32"].whole[1]["x"]).any()


def test_entries_that_tie_share_the_gradient_of_a_maximum():
    found, weights = answered("index i : N\ninput x[i]\ny = max[i](x[i])\n", {"x": [2.0, 2.0, 1.0]})
    half = float(weights["y"]) / 2
    assert [float(value) for value in found.gradients["x"]] == pytest.approx([half, half, 0.0])


def test_the_explained_error_grows_with_what_cancels():
    text = "index i : N\ninput x[i]\nm = 1/3*sum[i](x[i])\nv[i] = x[i] - m\n"
    spreads = []
    for offset in (0.0, 1e4):
        found, _ = answered(text, {"x": [offset + 1, offset + 2, offset + 4]})
        spreads.append(found.explained["float32"].whole[0]["v"].max())
    assert 100 < spreads[1] / spreads[0] < 1e5
    unit = 2.0**-24
    assert unit * 1e4 < spreads[1] < 10 * unit * 1e4


def test_what_an_author_wrote_badly_explains_its_own_loss():
    found, _ = answered("index i : N\ninput z[i]\np[i] = sigmoid(z[i])\nq[i] = 1 - p[i]\n", {"z": [40.0, 0.0, -40.0]})
    assert found.explained["float32"].whole[0]["q"][0] > 1e6 * float(found.values["q"][0])


def test_rounding_over_a_pole_explains_everything():
    text = "index i : N\ninput z[i]\np[i] = sigmoid(z[i])\nq[i] = log(1 - p[i])\n"
    found, _ = answered(text, {"z": [40.0, 0.0, -40.0]})
    assert np.isinf(found.explained["float32"].whole[0]["q"][0])
    assert np.isfinite(found.explained["float32"].whole[0]["q"][1:]).all()


@pytest.mark.parametrize("name", ["layer_norm", "causal_attention", "log_det_flow", "deep_equilibrium"])
def test_what_rounding_explains_holds_the_own_rounding_of_every_number(name):
    """So two precisions that agree within the own roundings agree within the whole."""
    for case in hostile_trial(load_problem(shipped_paths()[name])).cases:
        for explained in case.truth.explained.values():
            for own, whole in zip(explained.own, explained.whole, strict=True):
                assert own.keys() == whole.keys()
                assert all(np.all((own[n] <= whole[n]) | np.isnan(own[n])) for n in own)


def test_what_rounding_explains_takes_no_run_until_it_is_asked_for(monkeypatch):
    rounded = []

    def counted(asked, inputs, rounding=None, near=None):
        rounded.append(rounding)
        return both_passes(asked, inputs, rounding, near)

    monkeypatch.setattr("indexcalc.proof.hostile.explained.both_passes", counted)
    found, _ = answered(SOFTMAX, {"z": [0.0, 100.0, -50.0]})
    assert rounded == []
    with localcontext(wide(7)):  # the context of whoever asks counts for nothing
        late = found.explained["float64"].whole
    assert len(rounded) == PATTERNS
    assert found.explained["float64"].whole is late
    again, _ = answered(SOFTMAX, {"z": [0.0, 100.0, -50.0]})
    for one, other in zip(again.explained["float64"].whole, late, strict=True):
        assert all(np.array_equal(one[n], other[n]) for n in one)


@pytest.mark.parametrize("z", [1.0, 10.0, 40.0])  # the own rounding decides at once, at 64 digits no more, and never
def test_the_own_rounding_decides_nothing_that_the_whole_does_not(monkeypatch, z):
    _, asked, _ = question(SATURATED)
    inputs = wide_entries({"z": np.full(3, z)})
    usual = truth(asked, inputs)
    monkeypatch.setattr(Explained, "own", property(lambda explained: explained.whole))
    whole = truth(asked, inputs)
    assert (usual.values, usual.gradients, usual.digits) == (whole.values, whole.gradients, whole.digits)


def test_wrong_adjoints_do_not_pass_central_differences(monkeypatch):
    _, asked, _ = question(SOFTMAX)
    inputs = wide_entries({"z": np.array([0.1, 0.4, -0.3])})
    with localcontext(wide(64)):
        passes = oracle.both_passes(asked, inputs)
        check_slopes(asked, passes, inputs)
        wrong = [value * Decimal("1.0001") for value in passes.adjoints.values]
        changed = oracle.Passes(passes.run, replace(passes.adjoints, values=wrong))
        with pytest.raises(UndeterminedError, match="central differences"):
            check_slopes(asked, changed, inputs)


EVALUATED = sorted(name for name, path in shipped_paths().items() if not load_problem(path).program.unknowns)
"""Not those with systems, which this oracle refuses."""


@pytest.mark.parametrize("name", EVALUATED)
def test_at_mild_inputs_it_agrees_with_the_evaluator_and_complex_step(name):
    problem = load_problem(shipped_paths()[name])
    trial = hostile_trial(problem)
    case = trial.cases[0]
    assert case.name == "mild inputs"
    inputs = {n: array.astype(float) for n, array in case.inputs.items()}
    values = run_program(problem.program, inputs, trial.sizes, trial.parameters)
    point = Point(values, trial.sizes, trial.parameters)
    weights = {n: w.astype(float) for n, w in case.weights.items()}
    for tensor, array in values.items():
        found = np.array([float(v) for v in case.truth.values[tensor]]).reshape(np.shape(array))
        np.testing.assert_allclose(found, array, rtol=1e-11, atol=1e-12)
    for target in problem.targets:
        expected = total_gradient(problem.program, point, weights, target)
        found = np.array([float(v) for v in case.truth.gradients[target]]).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", ["attention", "causal_attention", "layer_norm", "two_token_model", "tsne", "mlp_gelu"])
def test_every_adjoint_is_a_central_difference_at_hostile_inputs(name):
    """One entry after the other, unlike the check at run time, which moves all at once."""
    trial = hostile_trial(load_problem(shipped_paths()[name]))
    graph = trial.graph
    compared = 0
    for case in trial.cases[:: max(1, len(trial.cases) // 8)]:
        weights = loss_weights(graph, case.weights)
        inputs = wide_entries(case.inputs)
        with localcontext(wide(120)):
            size = max([abs(n) for entries in inputs.values() for n in entries if n.is_finite()])
            step = Decimal("1e-50")
            base = forward(graph, inputs)
            for target in trial.problem.targets[:4]:
                for place in (0, len(graph.entries[target]) - 1):
                    node = graph.entries[target][place]
                    runs = [forward(graph, inputs, shifts={node: s * step}) for s in (1, -1)]
                    if any(run.sides != base.sides for run in runs) or case.truth.gradients[target][place].is_nan():
                        continue
                    losses = [sum(w * run.values[n] for n, w in weights.items()) for run in runs]
                    slope = float((losses[0] - losses[1]) / (2 * step))
                    right = float(case.truth.gradients[target][place])
                    assert slope == pytest.approx(right, rel=1e-9, abs=1e-25 * float(size + 1)), (case.name, target)
                    compared += 1
    assert compared > 10


def test_gradients_of_matrices_fit():
    # The solution and the adjoint variables are of the order 1e20, and the gradient of A is of their products, 1e40.
    text = "index i, j : N\ninput A[i,j], b[i]\nsolve x[j] : sum[j](A[i,j]*x[j]) = b[i]\n"
    text += "L = 1e-25*sum[i](x[i])\nloss L\nderive b\n"
    inputs = {"A": [3e-20, 1e-20, 1e-20, 1e-20, 4e-20, 1e-20, 1e-20, 1e-20, 5e-20], "b": [1.0, 2.0, 3.0]}
    answered(text, inputs)
    with pytest.raises(UndeterminedError, match="float32"):
        answered(text.replace("1e-25*", ""), inputs)
