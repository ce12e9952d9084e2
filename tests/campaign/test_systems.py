"""Random systems through the engine, against dense solves of PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.codegen import module_names, numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.campaign.systems import drawn, loss_of, matrices_of, shapes_of, spec_of

torch = pytest.importorskip("torch")

COUNT = 40
SIZES = ({"B": 3, "M": 2, "N": 4}, {"B": 1, "M": 1, "N": 1}, {"B": 2, "M": 3, "N": 2})
BOUND = 1e-10
SPREAD = 0.5
"""Of inputs: 4 times the unknown then outweighs what else stands on the left, mostly."""


@pytest.mark.parametrize("seed", range(COUNT))
def test_gradients_are_those_of_a_dense_solve(seed):
    draw = drawn(seed)
    derivation = derive(read_problem(spec_of(draw)))
    module, names = loaded(numpy_module(derivation)), module_names(derivation)
    for sizes in SIZES:
        rng = np.random.default_rng(seed)
        arrays = {name: SPREAD * rng.normal(size=shape) for name, shape in shapes_of(draw, sizes).items()}
        values = module.forward(*(arrays[tensor.name] for tensor in derivation.problem.program.inputs))
        gradients = module.backward(values)
        tensors = {name: torch.tensor(array, requires_grad=True) for name, array in arrays.items()}
        loss = loss_of(draw, tensors, torch)
        loss.backward()
        assert float(values.L) == pytest.approx(float(loss.detach()), rel=BOUND, abs=BOUND)
        for name, tensor in tensors.items():
            own = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
            found = getattr(gradients, names[derivation.problem.gradient_names[name]])
            bound = BOUND * max(1.0, float(np.max(np.abs(own))))
            assert np.max(np.abs(found - own)) <= bound, (name, sizes, spec_of(draw))


def test_the_draws_differ():
    draws = [drawn(seed) for seed in range(COUNT)]
    assert {len(draw.systems) for draw in draws} == {1, 2}
    assert {len(draw.systems[0].slots) for draw in draws} == {1, 2, 3}
    assert {matrix.kind for draw in draws for matrix in matrices_of(draw)} == {"plain", "tanh", "symmetric"}
    assert {system.rotated is None for draw in draws for system in draw.systems} == {True, False}
    assert {part.bend for draw in draws for system in draw.systems for part in system.parts} == {"", "tanh", "sin"}
