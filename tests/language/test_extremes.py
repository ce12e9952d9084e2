"""The largest and smallest entry along an index that the body sums over too: each has an index of its own."""

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
