"""Lemmas are found where they hold, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, reject, settings

from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.sampling import sample_point
from indexcalc.rewrite.lemmas import find_lemmas
from tests.support.programs import M, N, problems

HEAD = "index n : N\nindex h, q : H\ninput X[n,h], y[n,h]\n"
END = "\nupstream g[n,h] = dL/dY[n,h]\nderive X"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("Y[n,h] = exp(X[n,h]) / sum[q](exp(X[n,q]))", {"Y": 1}),
        ("Y[n,h] = softmax[h](2 * X[n,h] - 1)", {"Y": 1}),
        ("m[n] = mean[h](X[n,h])\nY[n,h] = X[n,h] - m[n]", {"Y": 0}),
        ("m[n] = mean[h](X[n,h])\nY[n,h] = (X[n,h] - m[n]) / sqrt(mean[q](X[n,q]^2))", {"Y": 0}),
        ("assume sum[h](y[n,h]) = 1\nY[n,h] = 3 * y[n,h] * X[n,h]^0", {"Y": 3}),
        ("Y[n,h] = exp(X[n,h]) / sum[q](exp(2 * X[n,q]))", {}),
        ("Y[n,h] = exp(X[n,h]) / (1 + sum[q](exp(X[n,q])))", {}),
        ("m[n] = mean[h](X[n,h])\nY[n,h] = X[n,h] - 2 * m[n]", {}),
    ],
)
def test_sums_that_are_constant_are_found(body, found):
    lemmas = find_lemmas(read_problem(HEAD + body + END).program)
    values = {}
    for proof in lemmas:
        (left,) = proof.identity.left
        values[left.bases[0].tensor] = sum(term.coeff for term in proof.identity.right)
    assert values == found


def test_a_sum_over_more_slots_than_it_takes_is_no_lemma_of_its_own():
    text = "Y[n,h] = exp(X[n,h]) / sum[q](exp(X[n,q]))\nL = sum[n,h](Y[n,h] * y[n,h])\nloss L\nderive X"
    (proof,) = find_lemmas(read_problem(HEAD + text).program)
    assert [index.name for index in proof.identity.left[0].summed] == ["h"]


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(problems())
def test_every_lemma_of_a_random_program_is_true(problem):
    lemmas = find_lemmas(problem.program)
    assume(lemmas)
    sizes = {N: 3, M: 2}
    try:
        point = sample_point(problem.program, sizes, np.random.default_rng(3))
    except UnsupportedError:
        reject()
    for proof in lemmas:
        (left,) = proof.identity.left
        free = tuple(slot for slot in left.bases[0].slots if slot not in left.summed)
        sides = [
            np.broadcast_to(evaluate(side, free, point.values, sizes), [sizes[index.extent] for index in free])
            for side in (proof.identity.left, proof.identity.right)
        ]
        scale = max(1.0, *(float(np.max(np.abs(a), initial=0.0)) for a in point.values.values()))
        np.testing.assert_allclose(*sides, atol=1e-9 * scale)
