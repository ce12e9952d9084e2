"""Numbers that a worksheet starts from: they fit every shipped derivation, and keep what is assumed."""

from __future__ import annotations

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.errors import UnsupportedError
from indexcalc.library import shipped_paths
from indexcalc.worksheet import drawn_values, read_values, worked, worksheet


@pytest.mark.parametrize("name", sorted(shipped_paths()))
def test_numbers_are_found_for_every_shipped_derivation(name):
    problem = ic.load_problem(shipped_paths()[name])
    text = drawn_values(problem)
    assert text == drawn_values(problem)
    values = read_values(text, problem)
    assert values.inputs.keys() == {tensor.name for tensor in problem.program.inputs}
    assert max(len(digits) for part in text.split() for digits in part.split(".")[1:]) <= len("123456],")


@pytest.mark.parametrize("name", ["attention", "gaussian_samples", "distillation", "multi_head_attention", "rnn"])
def test_the_sheet_of_such_numbers_is_finite(name):
    problem = ic.load_problem(shipped_paths()[name])
    derivation, values = ic.derive(problem), read_values(drawn_values(problem), problem)
    assert all(np.isfinite(array).all() for array in worked(derivation, values).values())
    assert "## 3 Backward pass" in worksheet(derivation, values)


ASSUMED = """
index n : N
index c, d : C
param s
input p[n,c] probability over c, S[c,d] spd, B[c,d], u[n] in (0, 0.05), t[n] in C
assume B[c,d] = -B[d,c]
L = s*sum[n,c](p[n,c]*log(p[n,c])) + logdet[c,d](S[c,d]) + sum[c,d](B[c,d]*S[c,d]) + sum[n](log(u[n])*p[n,t[n]])
loss L
"""


def test_what_is_assumed_and_declared_holds_in_few_digits():
    problem = ic.read_problem(ASSUMED)
    for seed in range(5):
        inputs = read_values(drawn_values(problem, seed=seed), problem).inputs
        np.testing.assert_allclose(inputs["p"].sum(axis=1), 1, rtol=1e-12)
        assert (inputs["p"] > 0).all()
        assert np.array_equal(inputs["S"], inputs["S"].T)
        assert np.linalg.eigvalsh(inputs["S"]).min() > 0
        assert np.array_equal(inputs["B"], -inputs["B"].T)
        assert ((inputs["u"] > 0) & (inputs["u"] < 0.05)).all()
        assert set(inputs["t"].tolist()) <= {0, 1, 2}


def test_a_program_that_is_defined_nowhere_is_told():
    problem = ic.read_problem("index i : I\ninput x[i]\nL = sum[i](log(-x[i]^2))\nloss L")
    with pytest.raises(UnsupportedError, match="no random inputs"):
        drawn_values(problem)
