"""Indicators vanish beside clamped values: the gradient of Huber's loss is the clipped residual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Fn, walk
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.clamps import INDICATORS, unclamped
from indexcalc.rewrite.derive import derive
from tests.support.build import at, i, term

HEAD = "index i : N\nparam k = 1\ninput x[i], y[i]\n"
FORMS = {
    "q[i] = max(min(x[i], k), -k)\nL = sum[i](q[i] * x[i] - q[i]^2/2)": "z[i] = q[i]",
    "q[i] = min(abs(x[i]), k)\nL = sum[i](q[i] * abs(x[i]) - q[i]^2/2)": "z[i] = q[i] * sign(x[i])",
    "q[i] = min(abs(x[i]), k)\nL = sum[i](q[i]^2/2 + k * (abs(x[i]) - q[i]))": "z[i] = q[i] * sign(x[i])",
    "q[i] = relu(x[i])\nL = sum[i](q[i]^2)": "z[i] = 2 * q[i]",
    "L = sum[i](relu(x[i])^3)": "z[i] = 3 * relu(x[i])^2",
    "L = sum[i](abs(x[i])^2)": "z[i] = 2 * x[i]",
    "L = sum[i](x[i] * abs(x[i]))": "z[i] = 2 * abs(x[i])",
    "q[i] = max(x[i], k)\nL = sum[i]((q[i] - k)^2)": "z[i] = 2 * q[i] - 2 * k",
    "L = sum[i](y[i] * relu(x[i]))": "z[i] = y[i] * step(x[i])",
}
"""Losses of one input, with the gradients that textbooks print; the last one keeps its indicator."""


@pytest.mark.parametrize("loss", FORMS)
def test_a_loss_of_clamped_values_has_the_textbook_gradient(loss):
    problem = read_problem(f"{HEAD}{loss}\nloss L\nderive x")
    derivation = derive(problem)
    (equation,) = derivation.backward.equations
    forward = loss.split("\n")[:-1]
    expected = read_problem(
        HEAD + "".join(line + "\n" for line in forward) + FORMS[loss] + "\nupstream g[i] = dL/dz[i]\nderive x"
    ).program.definitions["z"]
    assert same(expand(equation.terms), expand(expected.terms))
    assert check_backward(problem, derivation.backward).ok
    assert check_derivation(derivation) == []


def values_at(definitions, x):
    """The tensors that the steps read."""
    tensors = {"x": x, "y": np.linspace(-1, 1, len(x))}
    for equation in definitions.values():
        base = equation.terms[0].bases[0]
        assert isinstance(base, Fn)
        clamp = {"relu": lambda v: np.maximum(v, 0), "abs": np.abs, "max": lambda v: np.maximum(v, 1)}
        tensors[equation.name] = clamp.get(base.name, lambda v: np.minimum(v, 1))(x)
    return tensors


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.sampled_from(["relu(x[i])", "abs(x[i])", "max(x[i], 1)", "min(x[i], 1)"]),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(-2, 2)), min_size=1),
)
def test_every_step_keeps_the_value_at_kinks_too(clamp, powers):
    problem = read_problem(f"index i : N\ninput x[i]\nq[i] = {clamp}\nz[i] = x[i]\nupstream g[i] = dL/dz[i]\nderive x")
    row = problem.program.tensors["x"].slots[0]
    definitions = {"q": problem.program.definitions["q"]}
    name = clamp.split("(", maxsplit=1)[0]
    argument = {"max": (term(at("x", row)), term(coeff=-1)), "min": (term(), term(at("x", row), coeff=-1))}
    indicator = Fn("sign" if name == "abs" else "step", (argument.get(name, (term(at("x", row)),)),))
    before = tuple(
        term(*((base, e) for base, e in ((at("q", row), a), (at("x", row), b), (indicator, s)) if e), coeff=c)
        for a, b, s, c in powers
        if c
    )
    x = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 3.0])
    tensors = values_at(definitions, x)
    for step in unclamped(at("z", row), before, definitions):
        one, other = (evaluated(terms, row, tensors) for terms in (step.before, step.after))
        np.testing.assert_allclose(one, other, atol=1e-12)


def evaluated(terms, row, tensors):
    """Terms over one index at given values."""
    return np.broadcast_to(evaluate(terms, (row,), tensors, {row.extent: 7}), 7)


def test_fewer_indicators_or_none_of_it():
    kept = (term(at("y", i), Fn("step", ((term(at("x", i)),),))),)
    assert unclamped(at("z", i), kept, {}) == ()
    assert any(isinstance(base, Fn) and base.name in INDICATORS for base in walk(kept))
