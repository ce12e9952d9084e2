"""The backward pass is a program: it is well formed, holds only what is read, and lists what was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.consistency import check_program
from indexcalc.problem import Upstream
from indexcalc.rewrite.backward import backward_program
from tests.support.build import attention


def backward(**changes):
    problem = replace(attention(), **changes)
    return backward_program(problem, derive_gradients(problem))


def test_the_outputs_are_what_was_asked_in_that_order():
    program = backward(targets=("K", "V"))
    assert program.outputs == ("dK", "dV")
    check_program(program)


def test_the_inputs_are_forward_tensors_in_order_then_upstream_gradients():
    names = [tensor.name for tensor in backward().inputs]
    assert names[-1] == "G"
    order = list(attention().program.tensors)
    assert names[:-1] == sorted(names[:-1], key=order.index)


@pytest.mark.parametrize("target", ["V", "A", "S", "Q", "K"])
def test_nothing_is_computed_that_no_output_reads(target):
    program = backward(targets=(target,))
    read = {name for equation in program.equations for name in tensors_of(equation.terms)}
    assert all(equation.name in read or equation.name in program.outputs for equation in program.equations)
    assert {tensor.name for tensor in program.inputs} <= read


def test_an_upstream_gradient_says_what_it_is():
    upstream = (Upstream("G", "O", "what comes from above"),)
    assert backward(upstream=upstream).inputs[-1].doc == "what comes from above"
    assert "upstream gradient of O" in backward().inputs[-1].doc


def recomputing(*names, **changes):
    program = backward(recompute=names, **changes)
    check_program(program)
    return [equation.name for equation in program.equations], [tensor.name for tensor in program.inputs]


def test_what_is_not_kept_is_computed_first_in_forward_order():
    made, read = recomputing("A", "S")
    assert made[:3] == ["S", "Z", "A"]
    assert read == ["Q", "K", "V", "G"]


def test_only_what_is_read_is_computed_again():
    made, read = recomputing("S", targets=("V",))
    assert (made, read) == (["dV"], ["A", "G"])


def test_a_named_sum_is_computed_again_with_the_formula_it_stands_in():
    made, read = recomputing("A", targets=("V",))
    assert made == ["Z", "A", "dV"]
    assert read == ["S", "G"]
