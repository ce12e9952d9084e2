"""That the loss does not change is said where it is true: held against values of the forward pass itself."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import markdown_note
from indexcalc.rewrite.derive import derive

SAYS = "So $`L`$ does not change when"


def note_of(text: str) -> str:
    return markdown_note(derive(read_problem(text)))


SOFTMAX = """
title "t"
index i, j : N
input x[i,j], y[i,j]
p[i,j] = softmax[j](x[i,j])
upstream G[i,j] = dL/dp[i,j]
derive x
prove sum[j](dL/dx[i,j]) = 0
"""
LENGTH = """
title "t"
index h : H
input x[h], y[h]
n = sum[h](x[h]^2)
u[h] = x[h] / sqrt(n)
upstream G[h] = dL/du[h]
derive x
prove sum[h](x[h]*dL/dx[h]) = 0
"""
PUT_IN = """
title "t"
index h : H
input c[h], w
x[h] = c[h]*w
n = sum[h](x[h]^2)
u[h] = x[h] / sqrt(n)
upstream G[h] = dL/du[h]
derive x
prove sum[h](x[h]*dL/dx[h]) = 0
"""
OWN_EQUATION = """
title "t"
index h : H
input c[h]
x[h] = c[h] - 1/H*sum[h](c[h])
L = sum[h](x[h])^2
loss L
derive x
prove sum[h](dL/dx[h]) = 0
"""


def test_a_shift_is_said_with_its_freedom():
    note = note_of(SOFTMAX)
    assert f"{SAYS} the same number is added to $`x_{{ij}}`$ for all $`j`$ (one number for each $`i`$)" in note


def test_a_scaling_is_said():
    assert "is multiplied by the same positive number for all $`h`$:" in note_of(LENGTH)


@pytest.mark.parametrize("text", [OWN_EQUATION, PUT_IN])
def test_nothing_is_said_where_the_proof_uses_the_own_equation_of_the_tensor(text):
    derivation = derive(read_problem(text))
    # Of the first, the sum is zero only because x is centred: a shift of x does change L.
    assert derivation.proofs
    assert SAYS not in markdown_note(derivation)


def test_another_sum_says_nothing():
    text = SOFTMAX.replace("softmax[j](x[i,j])", "exp(x[i,j])").replace(
        "sum[j](dL/dx[i,j]) = 0", "p[i,j] = exp(x[i,j])"
    )
    assert SAYS not in note_of(text)


@pytest.mark.parametrize("name", ["softmax_cross_entropy", "l2_normalize", "layer_norm"])
def test_shipped_statements_hold_for_values(name):
    """The code of the forward pass gives the same output where the note says that nothing changes."""
    derivation = derive(load_problem(shipped_paths()[name]))
    note = markdown_note(derivation)
    assert SAYS in note
    function = derivation.function()
    rng = np.random.default_rng(0)
    rows, width = 4, 5
    sizes = {2: (rows, width), 1: (width,)}
    tensors = derivation.problem.program.inputs
    values = {tensor.name: rng.uniform(0.5, 1.5, sizes[len(tensor.slots)]) for tensor in tensors}
    given = {up.name: rng.normal(size=(rows, width)) for up in derivation.problem.upstream}
    target = {"softmax_cross_entropy": "z", "l2_normalize": "x", "layer_norm": "X"}[name]
    change = rng.uniform(1, 2, (rows, 1))
    moved = values[target] * change if "is multiplied by the same" in note else values[target] + change
    before, _ = function(**values, **given)
    after, _ = function(**{**values, target: moved}, **given)
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)
    elsewhere, _ = function(**{**values, target: values[target] + rng.uniform(1, 2, (rows, width))}, **given)
    assert not np.allclose(elsewhere, before)
