"""Random recurrences through the engine, against a loop of PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.codegen import module_names, numpy_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.campaign.recurrences import drawn, loss_of, shapes_of, spec_of

torch = pytest.importorskip("torch")

COUNT = 24
SIZES = ((5, 2, 3), (3, 1, 1), (2, 3, 2))
BOUND = 1e-11


def check(seed, style="numpy"):
    system = drawn(seed)
    derivation = derive(read_problem(spec_of(system)))
    if style == "fast":
        written = fast_module(derivation)
        module, names = loaded(written.source), written.names
    else:
        module, names = loaded(numpy_module(derivation)), module_names(derivation)
    rng = np.random.default_rng(seed)
    for steps, samples, width in SIZES:
        arrays = {k: 0.8 * rng.normal(size=shape) for k, shape in shapes_of(system, steps, samples, width).items()}
        values = module.forward(*(arrays[tensor.name] for tensor in derivation.problem.program.inputs))
        gradients = module.backward(values)
        if style == "fast":
            own, at_once = module.value_and_grad(*(arrays[tensor.name] for tensor in derivation.problem.program.inputs))
            assert own == values.L
            assert all(np.array_equal(one, other) for one, other in zip(at_once, gradients, strict=True))
        tensors = {name: torch.tensor(array, requires_grad=True) for name, array in arrays.items()}
        loss = loss_of(system, tensors, torch)
        if loss.requires_grad:  # a system that reads nothing but itself, from zeros, is constant
            loss.backward()
        own_loss = float(loss.detach())
        assert abs(float(values.L) - own_loss) <= BOUND * max(1.0, abs(own_loss))
        for name, tensor in tensors.items():
            own = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
            found = getattr(gradients, names[derivation.problem.gradient_names[name]])
            scale = max(1.0, float(np.max(np.abs(own))))
            assert np.max(np.abs(found - own)) <= BOUND * scale, (seed, name, spec_of(system))


@pytest.mark.parametrize("style", ["numpy", "fast"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_gradients_are_those_of_a_loop(seed, style):
    check(seed, style)


@pytest.mark.parametrize("seed", range(COUNT))
def test_pytorch_differentiates_the_loop_twice_and_maps_it(seed):
    """The derived gradients through `torch.func`, and their derivative along a direction, are those of the loop."""
    system = drawn(seed)
    derivation = derive(read_problem(spec_of(system)))
    function = derivation.function("torch")
    order = [tensor.name for tensor in derivation.problem.program.inputs]
    rng = np.random.default_rng(seed)
    given = {k: torch.as_tensor(0.8 * rng.normal(size=shape)) for k, shape in shapes_of(system, 4, 2, 3).items()}
    moves = {k: torch.as_tensor(rng.normal(size=array.shape)) for k, array in given.items()}

    def slopes(loss):
        """The gradients, the gradients of their sum along the moves, and the gradients for a batch of two."""
        grad = torch.func.grad(loss)

        def along(arrays):
            return sum((gradient * moves[key]).sum() for key, gradient in grad(arrays).items())

        pair = {key: torch.stack([array, 0.5 * array]) for key, array in given.items()}
        return grad(given), torch.func.grad(along)(given), torch.vmap(grad)(pair)

    found = slopes(lambda arrays: function(*(arrays[name] for name in order)))
    expected = slopes(lambda arrays: loss_of(system, arrays, torch) + 0.0 * sum(a.sum() for a in arrays.values()))
    for one, other in zip(found, expected, strict=True):
        for key in other:
            assert torch.allclose(one[key], other[key], rtol=1e-9, atol=1e-10), (seed, key, spec_of(system))


def test_the_draws_differ():
    systems = [drawn(seed) for seed in range(COUNT)]
    assert {system.up for system in systems} == {system.bracketed for system in systems} == {True, False}
    assert {system.lags for system in systems} == {1, 2}
    assert {len(system.lines) for system in systems} == {1, 2, 3}
