"""Recurrences of exponentials: the textbook's step, whatever has a name, and nothing counts that a bracket hides."""

import numpy as np
import pytest

from indexcalc.codegen import numpy_module, target_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

FORWARD_ALGORITHM = """
index t : T
index i, j : K
input p0[j], A[i,j], e[t,j]
a[0,j] = p0[j] + e[0,j]
a[t,j] = logsumexp[i](a[t-1,i] + A[i,j]) + e[t,j]  for t in 1 .. T-1
L = logsumexp[j](a[T-1,j])
loss L
derive p0, A, e
"""


def forbidden():
    """Log-probabilities of a chain whose states can't go back, at sizes at which exponentials overflow or vanish."""
    random = np.random.default_rng(7)
    steps = np.where(np.tril(np.ones((4, 4)), -1) > 0, -np.inf, 300 * random.normal(size=(4, 4)))
    start = np.array([200.0, -np.inf, -np.inf, -3000.0])
    return start, steps, 500 * random.normal(size=(6, 4))


def expected(p0, A, e):
    """The gradients by automatic differentiation."""
    torch = pytest.importorskip("torch")
    given = [torch.tensor(array, requires_grad=True) for array in (p0, A, e)]
    a = given[0] + given[2][0]
    for t in range(1, len(e)):
        a = torch.logsumexp(a[:, None] + given[1], dim=0) + given[2][t]
    torch.logsumexp(a, dim=0).backward()
    return [array.grad.numpy() for array in given]


def gradients(style, arrays):
    derivation = derive(read_problem(FORWARD_ALGORITHM))
    if style == "numpy":
        module = loaded(numpy_module(derivation))
    elif style == "fast":
        module = loaded(fast_module(derivation, FastOptions()).source)
    else:
        library = pytest.importorskip(style)
        if style == "jax":
            library.config.update("jax_enable_x64", True)
        module = loaded(target_module(derivation, style).source)
        arrays = [library.tensor(a) if style == "torch" else library.numpy.asarray(a) for a in arrays]
    found = module.backward(module.forward(*arrays))
    return [np.asarray(array) for array in (found.dp0, found.dA, found.de)]


@pytest.mark.parametrize("style", ["numpy", "fast", "torch", "jax"])
def test_transitions_that_are_forbidden_have_no_gradient(style):
    arrays = forbidden()
    for one, other in zip(gradients(style, arrays), expected(*arrays), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_a_step_back_is_one_product_with_the_transition_probabilities():
    source = numpy_module(derive(read_problem(FORWARD_ALGORITHM)))
    backward = source[source.index("def backward") : source.index("return Gradients")]
    assert "bound" not in backward
    assert "Z = " not in source  # the sum of exponentials itself, which may overflow, is computed nowhere
