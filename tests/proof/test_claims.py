"""What a spec asks to prove is evaluated, too: a false claim is refuted."""

from __future__ import annotations

import pytest

from indexcalc.language import read_problem
from indexcalc.proof.claims import CLAIM_METHOD, check_claims

SOFTMAX = """
index n : N
index c, l : C
input z[n,c]
p[n,c] = exp(z[n,c]) / sum[l](exp(z[n,l]))
"""


def checked(*claims: str):
    return check_claims(read_problem(SOFTMAX + "\n".join(f"prove {claim}" for claim in claims) + "\n"))


def test_true_claims_hold_to_rounding():
    for comparison in checked("sum[c](p[n,c]) = 1", "sum[c](dL/dz[n,c]) = 0", "dL/dp[n,c] = G_p[n,c]"):
        assert comparison.ok
        assert comparison.error < 1e-12
        assert comparison.method == CLAIM_METHOD


@pytest.mark.parametrize(
    "claim",
    [
        "sum[c](p[n,c]) = 2",
        "sum[n](p[n,c]) = 1",
        "sum[c](dL/dz[n,c]) = 1",
        "sum[c](dL/dp[n,c]) = 0",
        "sum[n](dL/dz[n,c]) = 0",
        "sum[c](p[n,c]^2) = 1",
        "p[n,c] = z[n,c]",
    ],
)
def test_false_claims_are_refuted(claim):
    (comparison,) = checked(claim)
    assert not comparison.ok
    assert comparison.error > 1e-3


def test_each_claim_is_named_in_order():
    first, second = checked("sum[c](p[n,c]) = 1", "sum[c](dL/dz[n,c]) = 1")
    assert (first.tensor, second.tensor) == ("Σ_c p[n,c] = 1", "Σ_c dL/dz[n,c] = 1")
    assert (first.ok, second.ok) == (True, False)


def test_no_claims_no_work():
    assert checked() == ()


def test_a_claim_through_a_kink_is_checked_away_from_it():
    text = "index n : N\ninput z[n]\ny[n] = abs(z[n])^3\nprove z[n] * dL/dz[n] = 3 * y[n] * G_y[n]\n"
    (comparison,) = check_claims(read_problem(text))
    assert comparison.ok
