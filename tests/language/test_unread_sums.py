"""A sum that gets a name, and that nothing reads once terms cancel, is dropped; it is never a result."""

import pytest

import indexcalc as ic
from indexcalc.generation import generate

HEAD = "index i, j : N\nparam e\ninput u[i,j]\n"


@pytest.mark.parametrize(
    "body",
    [
        "S[i] = (e - e) * sum[j](u[i,j]^2) / sum[j](1 + u[i,j]^2)",
        "S[i] = u[i,i]^2 + 0 * exp(sum[j](u[i,j]) / sum[j](cos(u[i,j])))",
        "S[i] = u[i,i] - 0 * softmax[i](u[i,i])",
        "S[i] = tanh(u[i,i]) + (1 - 1) * log(sum[j](exp(u[i,j])))",
    ],
)
def test_only_what_the_author_wrote_is_a_result(body):
    problem = ic.read_problem(HEAD + body)
    assert problem.program.outputs == ("S",)
    assert [up.name for up in problem.upstream] == ["G_S"]
    assert [equation.name for equation in problem.program.equations] == ["S"]
    outputs = generate(ic.derive(problem))
    assert outputs.report.ok
    assert "def backward(values: Values, G_S: np.ndarray)" in outputs.texts.code


def test_a_sum_that_another_equation_reads_stays():
    body = "S[i] = (e - e) / sum[j](1 + u[i,j]^2)\nR[i] = u[i,i] / sum[j](1 + u[i,j]^2)"
    problem = ic.read_problem(HEAD + body)
    assert [equation.name for equation in problem.program.equations] == ["u_sq", "S", "R"]
    assert problem.program.outputs == ("S", "R")
    assert generate(ic.derive(problem)).report.ok


def test_a_claim_does_not_read_what_was_dropped():
    body = "S[i] = u[i,i] + (e - e) / sum[j](u[i,j]^2)\nprove sum[j](u[i,j]^2) / sum[j](u[i,j]^2) = 1"
    with pytest.raises(ic.SpecError, match="name"):
        ic.read_problem(HEAD + body)
