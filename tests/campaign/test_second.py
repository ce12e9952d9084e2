"""Random programs with Jacobians, Hessians and products, against PyTorch; `benchmarks/campaign.py second` runs many."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from indexcalc.codegen import parts
from tests.campaign.case import assert_compared, failures
from tests.campaign.evaluation import shape_of
from tests.campaign.judge import size_sets
from tests.campaign.oracle import sample
from tests.campaign.second import blocks, cases, verdict

SEED = 40_000
COUNT = 32
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part):
    pytest.importorskip("torch")
    each, found, verdicts = COUNT // PARTS, [], []
    for case in cases(SEED + part * each, each):
        verdicts.append(verdict(case, ("note", "steps", "numpy", "fast", ("torch", "jax")[case.seed % 8 == 0])))
        wrong = failures(verdicts[-1])
        found += [f"seed {case.seed}: {wrong[0]}\n{case.text}"] if wrong else []
    assert not found, "\n\n".join(found)
    assert_compared(verdicts)


def test_each_kind_is_met():
    met = Counter(feature for case in cases(SEED, 60) for feature in case.features)
    kinds = [f"{word}{kind} by {n}" for word in ("", "product ") for kind in ("jacobian", "hessian") for n in (1, 2)]
    assert not [kind for kind in kinds if not met[kind]]


def test_the_hessians_of_the_oracle_are_symmetric():
    pytest.importorskip("torch")
    compared = 0
    for case in cases(SEED, 12):
        asked = case.subject
        if asked.kind != "hessian" or len(asked.by) != 1:
            continue
        (sizes, *_), rng = size_sets(asked.program, case.seed), np.random.default_rng(case.seed)
        point, (name,) = sample(asked.program, sizes, rng), asked.by
        found = blocks(asked, point, 0.0, 0).get((name, name))
        if found is None or not np.all(np.isfinite(found)):
            continue
        shape = shape_of(asked.program.axes[name], asked.program.extents, sizes)
        swapped = np.moveaxis(found, range(len(shape)), range(-len(shape), 0))
        np.testing.assert_allclose(found, swapped, rtol=1e-8, atol=1e-8 * (1 + np.abs(found).max(initial=0)))
        compared += 1
    assert compared >= 3


def test_a_wrong_derivative_is_found(monkeypatch):
    pytest.importorskip("torch")

    right = parts.applied
    monkeypatch.setattr(parts, "applied", lambda terms, vector, columns: right(terms[:1], vector, columns))
    wrong = [case.seed for case in cases(SEED, 40) if any(map(failures, [verdict(case, ("numpy",))]))]
    assert wrong
