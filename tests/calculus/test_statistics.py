"""Statistics are found by structure."""

from __future__ import annotations

import pytest

from indexcalc.calculus.statistics import CHAIN_LIMIT, find_flow, nearest_consumers, statistics_between
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive

HEAD = """
index n : N
index h, q : H
input X[n,h], W[h,q], b[h]
"""


def flow(body: str):
    problem = read_problem(HEAD + body)
    return problem, find_flow(problem)


def test_the_normaliser_of_a_softmax_is_one():
    _, found = flow("p[n,h] = exp(X[n,h]) / sum[q](exp(X[n,q]))\nupstream g[n,h] = dL/dp[n,h]\nderive X")
    assert found.statistics == {"Z"}
    assert found.needed == ("X", "p")


def test_mean_and_variance_and_the_root_are_a_chain_of_them():
    problem, found = flow(
        "mu[n] = mean[h](X[n,h])\nv[n] = mean[h]((X[n,h] - mu[n])^2)\nr[n] = sqrt(v[n])\n"
        "Y[n,h] = (X[n,h] - mu[n]) / r[n]\nupstream g[n,h] = dL/dY[n,h]\nderive X"
    )
    assert found.statistics == {"mu", "v", "r"}
    assert statistics_between(problem.program, found.statistics, "X") == ("mu", "v", "r")
    assert nearest_consumers(problem.program, found.statistics, "X") == ("Y",)


@pytest.mark.parametrize(
    "body",
    [
        "m[h] = mean[n](X[n,h])\ns[q] = sum[h](W[h,q] * m[h])\nY[n,q] = X[n,q] * s[q]",
        "Y[n,q] = sum[h](X[n,h] * W[h,q])\nU[n,q] = exp(Y[n,q])",
    ],
)
def test_what_is_contracted_with_weights_is_none(body):
    output = "U" if "U[" in body else "Y"
    _, found = flow(f"{body}\nupstream g[n,q] = dL/d{output}[n,q]\nderive X, W")
    assert not found.statistics & {"m", "Y"}


def test_what_stands_outside_of_a_sum_is_none():
    _, found = flow("m[h] = tanh(b[h])\nU[h] = m[h] * sum[q](W[h,q] * b[q])\nupstream g[h] = dL/dU[h]\nderive W, b")
    assert found.statistics == frozenset()


def test_what_is_asked_for_or_named_is_none():
    body = "mu[n] = mean[h](X[n,h])\nY[n,h] = X[n,h] - mu[n]\nupstream g[n,h] = dL/dY[n,h]\n"
    assert find_flow(read_problem(HEAD + body + "derive X, mu")).statistics == frozenset()
    assert find_flow(read_problem(HEAD + body + "derive X\nname D = dL/dmu")).statistics == frozenset()
    assert find_flow(read_problem(HEAD + body + "derive X")).statistics == {"mu"}


def test_what_no_target_reaches_is_not_needed():
    _, found = flow("Y[n,h] = X[n,h] * b[h]\nV[n,h] = exp(b[h]) * X[n,h]\nupstream g[n,h] = dL/dY[n,h]\nderive X")
    assert found.needed == ("X", "Y")


@pytest.mark.parametrize("length", [1, CHAIN_LIMIT, CHAIN_LIMIT + 1, 12, 40])
def test_a_long_chain_is_cut_so_that_its_terms_do_not_multiply(length):
    links = "\n".join(f"s{n}[i] = sin(s{n - 1}[i])*cos(s{n - 1}[i]) + s{n - 1}[i]" for n in range(1, length))
    problem = read_problem(
        "index i : N\nindex h : H\ninput x[i,h]\ns0[i] = mean[h](x[i,h])\n"
        f"{links}\ny[i,h] = x[i,h]*s{length - 1}[i]\nderive x\n"
    )
    assert len(find_flow(problem).statistics) == min(length, CHAIN_LIMIT)
    derivation = derive(problem)
    assert max(len(step.after) for step in derivation.all_steps()) < 200
    assert check_backward(problem, derivation.backward).ok
