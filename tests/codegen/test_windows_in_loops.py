"""Recurrences whose steps read entries under expressions: stencils, lags, moved sums."""

from __future__ import annotations

import pytest

import indexcalc as ic
from indexcalc.generation import generate

HEAD = "index t : T\nindex i : N\nindex k : K\nindex e : E\n"

STEPS = {
    "a stencil": """
input u0[i], u1[i], c[i]
u[0,i] = u0[i]
u[1,i] = u1[i]
u[t,i] = u[t-1,i] - u[t-2,i]/2 + c[i]*([i+1 < N]*u[t-1,i+1] - [i >= 1]*u[t-1,i-1]) for t in 2 .. T-1
L = sum[i](u[T-1,i]^2)
""",
    "a stencil inside of a function": """
input u0[i], c[i]
u[0,i] = u0[i]
u[t,i] = tanh([i+1 < N]*u[t-1,i+1] + c[i]*u[t-1,i]) for t in 1 .. T-1
L = sum[t,i](u[t,i]^2)
""",
    "a filter over the inputs at each step": """
input u0[i], x[t,i], w[k]
u[0,i] = u0[i]
u[t,i] = u[t-1,i]*sum[k]([t >= k]*w[k]*x[t-k,i]) for t in 1 .. T-1
L = sum[t,i](u[t,i]^2)
""",
    "messages that arrive at nodes": """
input u0[i], w[e], src[e] in N, dst[e] in N
u[0,i] = u0[i]
u[t,i] = tanh(u[t-1,i] + m[t-1,i]) for t in 1 .. T-1
m[t,i] = sum[e](delta[i,dst[e]]*w[e]*u[t,src[e]])
L = sum[t,i](u[t,i]^2)
""",
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS.keys())
def test_what_a_step_reads_under_expressions_is_read_at_the_step(steps):
    pytest.importorskip("torch")
    derivation = ic.derive(ic.read_problem(f"{HEAD}{steps}loss L\n"))
    report = generate(derivation, targets=("torch",)).report
    assert report.ok, [str(row) for row in report.comparisons if not row.ok]


def test_what_no_step_changes_is_there_before_the_loop():
    code = ic.numpy_module(ic.derive(ic.read_problem(f"{HEAD}{STEPS['a stencil']}loss L\n")))
    before, loop = code.split("def backward")[1].split("    for t in", 1)
    assert "c_win = _windows(c," in before
    assert "_windows(c," not in loop.split("\n    # ", 1)[0]
    assert code.split("def backward")[0].count("for t in range(T)") == 1
