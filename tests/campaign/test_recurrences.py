"""Random recurrences through PyTorch's transforms, and Hessians of them times vectors, against a loop of PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.campaign.recurrences import drawn, loss_of, shapes_of, spec_of

torch = pytest.importorskip("torch")

COUNT = 24


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


@pytest.mark.parametrize("seed", range(COUNT))
def test_products_with_second_derivatives_are_those_of_the_loop(seed):
    system = drawn(seed)
    rng = np.random.default_rng(seed)
    given = {k: 0.8 * rng.normal(size=shape) for k, shape in shapes_of(system, 4, 2, 3).items()}
    moves = {k: rng.normal(size=array.shape) for k, array in given.items()}
    plain = "\n".join(line for line in spec_of(system).splitlines() if not line.startswith(("loss", "derive")))
    problem = read_problem(f"{plain}\nproduct hessian L by ({', '.join(given)}) with ({', '.join(map(way, given))})\n")
    module = loaded(numpy_module(derive(problem)))
    inputs = [given[tensor.name] for tensor in problem.program.inputs]
    found = module.backward(module.forward(*inputs), *moves.values())

    def loss(*arrays):
        total = loss_of(system, dict(zip(given, arrays, strict=True)), torch)
        return total + 0.0 * sum((array**2).sum() for array in arrays)

    tensors, ways = (tuple(torch.as_tensor(array) for array in some.values()) for some in (given, moves))
    _, expected = torch.autograd.functional.hvp(loss, tensors, ways)
    for name, array in zip(given, expected, strict=True):
        own = getattr(found, f"H{way(name)}")
        np.testing.assert_allclose(own, array.numpy(), rtol=1e-8, atol=1e-8, err_msg=spec_of(system))


def way(name):
    """The direction in the space of an input."""
    return f"way_{name}"
