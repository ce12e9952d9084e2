"""Random programs for PyTorch: the values of NumPy's module, in its shapes, and in single precision too."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from indexcalc.codegen import numpy_module, target_module
from indexcalc.errors import LimitError
from indexcalc.generation import loaded
from indexcalc.rewrite.derive import derive
from tests.support.programs import M, N, problems, sizes

torch = pytest.importorskip("torch")

SYMBOLS = {"N": N, "M": M}


def results(module, inputs, upstream, extents):
    """Everything that both passes return, by the name of the field."""
    unseen = {
        p.name: extents[SYMBOLS[p.name]]
        for p in inspect.signature(module.forward).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    }
    values = module.forward(*inputs, **unseen)
    return {**values._asdict(), **module.backward(values, *upstream)._asdict()}


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), sizes(), st.integers(0, 2**32 - 1))
def test_modules_for_torch_agree_with_numpys(problem, extents, seed):
    try:
        derivation = derive(problem)
    except LimitError:
        assume(False)
    rng, tensors = np.random.default_rng(seed), problem.program.tensors

    def draw(tensor):
        return rng.uniform(0.2, 1.2, [extents[slot.extent] for slot in tensors[tensor].slots])

    inputs = [draw(tensor.name) for tensor in problem.program.inputs]
    upstream = [draw(up.of) for up in problem.upstream]
    with np.errstate(all="ignore"):
        expected = results(loaded(numpy_module(derivation)), inputs, upstream, extents)
    assume(all(np.all(np.isfinite(array)) and np.abs(array).max(initial=0.0) < 1e3 for array in expected.values()))
    module = loaded(target_module(derivation, "torch").source)
    found = results(module, [*map(torch.as_tensor, inputs)], [*map(torch.as_tensor, upstream)], extents)
    assert list(found) == list(expected)
    for name, array in expected.items():
        if name in SYMBOLS:
            continue
        assert tuple(found[name].shape) == np.shape(array), name
        assert found[name].dtype == torch.float64, name
        np.testing.assert_allclose(found[name], array, rtol=1e-7, atol=1e-8, err_msg=name)
