"""Fast code of a largest entry inside another, and of gradients that are nothing but zeros."""

import pytest

import indexcalc as ic
from indexcalc.generation import loaded
from indexcalc.proof.fast import check_fast

TEXT = """
index m, s, t, u : M
input I[s,m], S[m]
b[u] = min[s](relu(I[u,s]))
R[t] = max[s](max[t](relu(I[s,t])) * b[t])
"""


@pytest.mark.parametrize("target", ["I", "S"])
def test_a_maximum_of_maxima_and_minima(target):
    derivation = ic.derive(ic.read_problem(f"{TEXT}derive {target}\n"))
    written = ic.fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures
