"""The reverse sweep: its order, its paths, what is given and what is zero."""

from __future__ import annotations

from indexcalc.algebra.terms import occurring_indices
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.steps import Rule, ThroughConsumer
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.support.build import attention


def sections_of(text: str):
    return derive_gradients(read_problem(text))


def test_gradients_come_in_the_order_asked_for_where_that_works():
    assert [section.target for section in derive_gradients(attention())] == ["V", "A", "S", "Q", "K"]


def test_what_is_needed_on_the_way_comes_when_it_must():
    text = "index i : n\ninput x[i], w[i]\nu[i] = x[i] * w[i]\ny[i] = exp(u[i])\nupstream g[i] = dL/dy[i]\nderive x, w"
    assert [section.target for section in sections_of(text)] == ["u", "x", "w"]


SELF = """
index i, j : T
index m : D
input X[i,m], W[m]
Y[i,j] = sum[m](X[i,m] * X[j,m] * W[m])
O[i,m] = sum[j](Y[i,j] * X[j,m]) + X[i,m]
upstream G[i,m] = dL/dO[i,m]
derive X, W
"""


def test_each_consumer_is_a_path_and_the_paths_are_added():
    last = sections_of(SELF)[-1] if sections_of(SELF)[-1].target == "X" else sections_of(SELF)[1]
    assert last.target == "X"
    assert [path.consumer.tensor for path in last.paths] == ["Y", "O"]
    assert all(isinstance(step.subject, ThroughConsumer) for path in last.paths for step in path.steps)
    assert last.steps[0].rule is Rule.PATHS


def test_an_output_that_another_tensor_reads_has_a_direct_part():
    text = """
index i : n
input x[i]
y[i] = tanh(x[i])
z[i] = y[i]^2
upstream gy[i] = dL/dy[i]
upstream gz[i] = dL/dz[i]
derive x
"""
    problem = read_problem(text)
    derivation = derive(problem)
    assert problem.gradient_names["y"] == "dy"
    assert {"gy", "gz"} <= {tensor.name for tensor in derivation.backward.inputs}
    assert check_backward(problem, derivation.backward).ok


def test_the_loss_has_gradient_one():
    text = "index i : n\ninput x[i]\nL = sum[i](x[i]^3)\nloss L\nderive x"
    problem = read_problem(text)
    (section,) = derive_gradients(problem)
    assert not problem.upstream
    assert section.equation.terms[0].coeff == 3
    assert check_backward(problem, derive(problem).backward).ok


def test_a_target_that_the_loss_does_not_depend_on_has_gradient_zero():
    text = "index i : n\ninput x[i], w[i]\ny[i] = exp(x[i])\nu[i] = w[i]^2\nupstream g[i] = dL/dy[i]\nderive x, w"
    problem = read_problem(text)
    derivation = derive(problem)
    assert derivation.backward.definitions["dw"].terms == ()
    assert check_backward(problem, derivation.backward).ok


def test_no_dummy_is_called_like_anything_else():
    source = """
title "Names at the start of the alphabet"
index i, j : b
param a = 0.5
input c[i], W[i,j]
Y[i] = a * sum[j](W[i,j] * exp(c[j]))
upstream d[i] = dL/dY[i]
derive W, c
"""
    derivation = derive(read_problem(source))
    indices = {
        index.name for step in derivation.all_steps() for index in occurring_indices((*step.before, *step.after))
    }
    assert not indices & {"a", "b", "c", "d"}
    assert {"i", "j", "f"} <= indices


def test_no_dummy_is_named_like_what_stands_below_a_name():
    text = (
        "index n : N\nindex m : D_a\nindex k : D_b\nparam eps_c = 1\ninput X[n,m], W[k,m], u[k]\n"
        "Y[n,k] = sum[m](X[n,m] * W[k,m]) + eps_c * u[k]\nderive X, W, u\n"
    )
    steps = list(derive(read_problem(text)).all_steps())
    summed = {index.name for step in steps for term in step.after for index in term.summed}
    assert summed - {"n", "m", "k"}
    assert not summed & {"a", "b", "c"}


DIAGONAL = """
index i, j : N
index k : M
input A[i,k], B[k,j], c[i], w[i,j]
Y[i,j] = (1 - [i == j]) * w[i,j] + sum[k](A[i,k] * B[k,j])
L = sum[i](c[i] * Y[i,i]^2)
loss L
derive Y, A, w
"""


def test_a_gradient_that_is_zero_off_a_diagonal_is_summed_along_it():
    """``dL/dA_ik = dL/dY_ii B_ki``; and what the forward pass hides on that diagonal has no gradient."""
    sections = {section.target: section for section in sections_of(DIAGONAL)}
    (path,) = sections["A"].paths
    assert Rule.DIAGONAL in [step.rule for step in path.steps]
    assert [term.summed for term in sections["A"].equation.terms] == [()]
    assert sections["w"].equation.terms == ()
    derivation = derive(read_problem(DIAGONAL))
    assert check_backward(derivation.problem, derivation.backward).ok


def test_no_delta_is_put_beside_a_gradient_that_only_has_it_in_part():
    text = DIAGONAL.replace("\nL = ", "\nL = sum[i,j](w[i,j] * Y[i,j]) + ")
    sections = {section.target: section for section in sections_of(text)}
    rules = {step.rule for section in sections.values() for path in section.paths for step in path.steps}
    assert Rule.DIAGONAL not in rules


def test_a_statistic_on_the_way_to_two_consumers_is_differentiated_once():
    text = """
index i : I
index k : K
index m : M
input X[i,k], W[k,m]
s[i] = sum[k](X[i,k]^2)
Y[i,k] = X[i,k] / s[i]
Z[i,m] = sum[k](X[i,k] * W[k,m]) / s[i]
derive X
"""
    problem = read_problem(text)
    section = next(section for section in derive_gradients(problem) if section.target == "X")
    (first, _), (second, _) = (path.locals for path in section.paths)
    assert first is second
    assert first.partial.base.tensor == "s"
    assert list(section.all_steps()).count(first.steps[0]) == 1
    # Its dummies are none of those that the chain rule sums over beside it.
    inner = {index.name for term in first.result for index in term.summed}
    assert inner.isdisjoint(slot.name for path in section.paths for slot in path.consumer.slots)
    assert check_backward(problem, derive(problem).backward).ok
