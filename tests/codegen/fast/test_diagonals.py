"""Entries with equal indices of tensors that a block makes."""

import pytest

import indexcalc as ic
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded
from indexcalc.proof.fast import check_fast

HEAD = "index i, j, l : N\nindex k : K\ninput P[j,k], Q[i]\n"

PROGRAMS = {
    "a diagonal of what the block made": "U[j,i,k] = P[j,k] / (1 + P[i,k]^2)\nz[k,i] = U[i,i,k]",
    "a diagonal in another order": "U[j,k,i] = P[j,k] * exp(-P[i,k]^2)\nz[i] = sum[k](U[i,k,i] * P[i,k])",
    "a diagonal of three slots": "U[i,j,l] = Q[i] * Q[j] + sin(Q[l])\nz[i] = sum[l](U[i,i,i] * tanh(U[i,l,i]) * Q[l])",
    "a diagonal in a maximum": "U[i,j] = Q[i] * cos(Q[j])\nz = max[i](U[i,i] + Q[i])",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_fast_code_is_right(text):
    problem = ic.read_problem(HEAD + text)
    written = fast_module(ic.derive(problem))
    report = check_fast(problem, loaded(written.source), written)
    assert report.ok, report.failures
