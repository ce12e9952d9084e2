"""Fused axes: split on reading, merged on writing, and extents found in every way that shapes allow."""

import types

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen import numpy_module
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.storage import Array, extent_lines, unshown
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import run_program
from indexcalc.rewrite.derive import derive

HEADS = """
title "Heads"
index i, j : T
index m, o : D
index h : H "heads"
index k : d
input X[i,m], W[m,(h,k)], P[(h,k),o]
Q[h,i,k] = sum[m](X[i,m] * W[m,(h,k)])
S[h,i,j] = tanh(sum[k](Q[h,i,k] * Q[h,j,k]))
C[i,(h,k)] = sum[j](S[h,i,j] * Q[h,j,k])
Y[i,o] = sum[h,k](C[i,(h,k)] * P[(h,k),o])
upstream G[i,o] = dL/dY[i,o]
derive X, W, P, C
"""
H, D, d, T = sp.symbols("H d_model d T", positive=True, integer=True)
SCOPE = Scope({}, {symbol: symbol.name for symbol in (H, D, d, T)}, "float")


@pytest.fixture(scope="module")
def heads():
    derivation = derive(read_problem(HEADS))
    module = types.ModuleType("generated")
    exec(numpy_module(derivation), module.__dict__)
    return derivation, module


def test_fused_arrays_go_in_and_come_out(heads):
    derivation, module = heads
    program, backward = derivation.problem.program, derivation.backward
    sizes = {extent: {"T": 3, "D": 4, "H": 2, "d": 5}[extent.name] for extent in program.extents}
    rng = np.random.default_rng(0)
    shapes = {name: [sizes[slot.extent] for slot in tensor.slots] for name, tensor in program.tensors.items()}
    inputs = {tensor.name: rng.standard_normal(shapes[tensor.name]) for tensor in program.inputs}
    expected = run_program(program, inputs, sizes)
    G = rng.standard_normal((3, 4))
    known = {**expected, "G": G}
    reverse = run_program(backward, {tensor.name: known[tensor.name] for tensor in backward.inputs}, sizes)

    values = module.forward(inputs["X"], inputs["W"].reshape(4, 10), inputs["P"].reshape(10, 4), H=2)
    assert values.C.shape == (3, 10)
    np.testing.assert_allclose(values.C, expected["C"].reshape(3, 10))
    np.testing.assert_allclose(values.Y, expected["Y"])
    gradients = module.backward(values, G)
    for field, shape in (("dX", (3, 4)), ("dW", (4, 10)), ("dP", (10, 4)), ("dC", (3, 10))):
        found = getattr(gradients, field)
        assert found.shape == shape
        np.testing.assert_allclose(found, reverse[field].reshape(shape))


def test_one_part_of_a_fused_axis_is_enough():
    fused = Array("W", ((Index("m", D),), (Index("h", H), Index("k", d))))
    assert unshown((D, H, d), [fused]) == (H,)
    assert extent_lines([d], [fused], [H], SCOPE) == ["d = W.shape[1] // H"]
    assert unshown((D, H, d, T), [fused, Array("b", ((Index("k", d),),))]) == (T,)


def test_extents_are_read_where_they_are_plain():
    plain = Array("Q", ((Index("h", H),), (Index("i", T),), (Index("k", d),)))
    assert extent_lines([T], [plain], [], SCOPE) == ["T = Q.shape[1]"]
    assert extent_lines([H, d], [plain], [], SCOPE) == ["H, _, d = Q.shape"]
    assert extent_lines([H, d], [plain], [H], SCOPE) == ["d = Q.shape[2]"]
