"""Composites along an index that the body sums over too: each has an index of its own."""

import pytest

import indexcalc as ic

BODIES = (
    "A[h,q] + mean[q](A[h,q])",
    "A[h,q] * 2 + sum[q](A[h,q])",
    "exp(A[h,q]) - var[q](A[h,q])",
    "softmax[q](A[h,q])",
)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("body", BODIES)
def test_the_index_of_a_maximum_is_not_that_of_a_sum_in_its_body(name, body):
    text = f"index h : H\nindex q : D\ninput A[h,q]\ny[h] = {name}[q]({body})\n"
    derivation = ic.derive(ic.read_problem(text))
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures


@pytest.mark.parametrize("formula", ["logsoftmax[q]({})", "1 + logsoftmax[q]({})**2"])
def test_a_sum_in_the_body_of_a_logsoftmax_is_not_over_its_free_index(formula):
    body = formula.format("A[h,q] * 2 + sum[q](A[h,q])")
    problem = ic.read_problem(f"index h : H\nindex q : D\ninput A[h,q]\ny[h,q] = {body}\n")
    for equation in problem.program.equations:
        bound = {index for term in equation.terms for index in term.summed}
        assert not bound & set(equation.lhs.slots), equation
    derivation = ic.derive(problem)
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures
