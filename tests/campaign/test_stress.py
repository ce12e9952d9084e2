"""Random programs at hostile inputs in float32; `benchmarks/campaign.py stress` runs many more."""

from __future__ import annotations

import re

import numpy as np
import pytest

import indexcalc as ic
from tests.campaign.case import assert_compared, failures
from tests.campaign.many_digits import exact_truth
from tests.campaign.oracle import by_complex_step, sample
from tests.campaign.stress import SIZES, cases, verdict

SEED = 50_000
COUNT = 24
PARTS = 6

FAILED = (8, 9, 10, 14, 18, 20, 24, 35, 38, 39)
"""Programs whose code was not finite, or not accurate, when they were first met."""


@pytest.mark.parametrize("part", range(PARTS))
def test_code_is_finite_and_accurate(part):
    pytest.importorskip("mpmath")
    each = COUNT // PARTS
    found, verdicts = [], []
    for case in cases(SEED + part * each, each):
        verdicts.append(verdict(case, ("numpy", "fast")))
        wrong = failures(verdicts[-1])
        found += [f"seed {case.seed}: {wrong[0]}\n{case.text}"] if wrong else []
    assert not found, "\n\n".join(found)
    assert_compared(verdicts)


@pytest.mark.parametrize("seed", FAILED)
def test_what_failed_once_is_finite_and_accurate(seed):
    (case,) = cases(seed, 1)
    wrong = failures(verdict(case, ("numpy",)))
    assert not wrong, f"{wrong[0]}\n{case.text}"


def test_exponentials_without_a_maximum_are_found(monkeypatch):
    right = ic.numpy_module
    large = [case for case in cases(0, 60) if {"softmax[]", "inputs scaled"} <= case.features]
    assert not any(failures(verdict(case, ("numpy",))) for case in large)
    monkeypatch.setattr(ic, "numpy_module", lambda derivation: careless(right(derivation)))
    assert any("not finite" in verdict(case, ("numpy",)) for case in large)


def careless(code: str) -> str:
    """Code in which no maximum is taken out of exponents."""
    return re.sub(r" - \w+_max\w*(\[[^\]]*\])?\)", ")", code)


def test_many_digits_agree_with_complex_step_at_mild_inputs():
    compared = 0
    for case in cases(SEED, 8):
        program = case.subject.program
        point = sample(
            program, {name: SIZES[place % 2] for place, name in enumerate(program.sizes)}, np.random.default_rng(1)
        )
        right = exact_truth(program, point)
        if right is None or not right.steady:
            continue
        with np.errstate(all="ignore"):
            values, gradients, _ = by_complex_step(program, point, 0.0, 0)
        for name, gradient in gradients.items():
            room = 1e-12 * (right.spread[f"d {name}"] + 1)
            np.testing.assert_allclose(gradient, right.gradients[name], rtol=1e-9, atol=room)
            compared += 1
        for name, array in values.items():
            np.testing.assert_allclose(array, right.values[name], rtol=1e-9, atol=1e-12 * (right.spread[name] + 1))
    assert compared > 5
