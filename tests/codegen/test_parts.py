"""Derivatives in parts as code: right in every library, as large as their parts, and clear in what they say."""

from __future__ import annotations

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import loaded
from indexcalc.library import shipped_paths
from indexcalc.proof.fast import check_fast
from indexcalc.proof.targets import is_installed
from tests.support.gradients import of_gradients

OTHERS = sorted(set(shipped_paths()) - set(of_gradients()))

FUSED = """
index n : N
index h : H
index k : K
input W[n,(h,k)], x[n]
y[n,h] = sum[k](W[n,(h,k)]^2) * x[n]
L = sum[n,h](exp(y[n,h]))
hessian L by (W, x)
jacobian y by W
"""

UNSHOWN = """
index i : N
input x[i]
y[i] = 2 * x[i]
jacobian y by x
"""


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("target", ["torch", "jax"])
def test_every_library_agrees_with_the_oracles(name, target):
    if not is_installed(target):
        pytest.skip(f"{target} is not installed")
    outputs = ic.generate(ic.derive(ic.load_problem(shipped_paths()[name])), targets=(target,))
    assert outputs.report.ok, outputs.report.failures
    results = {result.name for result in ic.load_problem(shipped_paths()[name]).results}
    checked = {c.tensor for c in outputs.report.comparisons if target in c.method}
    assert results <= checked


@pytest.mark.parametrize("text", [FUSED, UNSHOWN], ids=["fused axes", "an extent that no array shows"])
def test_awkward_axes(text):
    derivation = ic.derive(ic.read_problem(text))
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures


def test_the_parts_are_all_that_is_held():
    derivation = ic.derive(ic.load_problem(ic.find_spec("cross_entropy_hessian")))
    module = loaded(ic.numpy_module(derivation))
    rng = np.random.default_rng(0)
    z, y = rng.normal(size=(400, 300)).astype(np.float32), np.full((400, 300), 1 / 300, np.float32)
    H = module.backward(module.forward(z, y)).H
    # All entries would be 58 GB.
    assert sum(part.nbytes for part in H) <= 2 * z.nbytes
    assert (H @ z).dtype == np.float32
    np.testing.assert_allclose(H @ np.ones_like(z), 0, atol=1e-8)


def test_the_docstring_says_how_the_parts_are_put_together():
    derivation = ic.derive(ic.load_problem(ic.find_spec("softmax_jacobian")))
    source = ic.numpy_module(derivation)
    said = source[source.index("class Jacobian(NamedTuple)") : source.index("def dense")]
    assert "J[n,c,m,d] = " in said
    assert "delta[n,m]" in said


def test_code_for_speed_holds_other_derivatives_beside_gradients(shipped):
    derivation = shipped.derivation
    if not derivation.orders:
        pytest.skip("it asks for gradients alone")
    written = ic.fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures
    checked = {comparison.tensor for comparison in report.comparisons}
    assert {order.result.name for order in derivation.orders} <= checked


def test_records_in_code_for_speed_are_those_of_the_code_for_reading():
    derivation = ic.derive(ic.load_problem(ic.find_spec("matrix_factorization_hessian")))
    fast, plain = ic.fast_module(derivation).source, ic.numpy_module(derivation)
    records = [plain[n:].split("\n\n\n")[0] for n in range(len(plain)) if plain.startswith("class Hessian", n)]
    assert len(records) == 3
    assert all(record in fast for record in records)
