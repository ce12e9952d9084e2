"""Proofs of identities say why a right side is also that of another entry, and that what is folded cancels."""

import pytest

import indexcalc as ic
from indexcalc.calculus.steps import Rule
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import markdown_note
from indexcalc.rewrite.derive import derive

HEAD = "index i, j, k : N\nindex h : H\ninput A[i,j], x[i], Q[j,h]\n"


def note_of(body):
    return ic.markdown_note(ic.derive(ic.read_problem(HEAD + body)))


def test_a_symmetric_input_is_named_as_the_reason():
    note = note_of(
        "assume A[i,j] = A[j,i]\nB[i,j] = A[i,j] * x[i] * x[j]\nL = sum[i,j](exp(B[i,j]))\nloss L\nderive B, x\n"
    )
    assert r"are exchanged, since $`B`$ is symmetric, so it is that of $`\partial L/\partial B_{ji}`$ too." in note


def test_a_delta_is_named_where_it_makes_indices_equal():
    note = ic.markdown_note(ic.derive(load_problem(shipped_paths()["vicreg"])))
    reason = r"since $`\delta_{ij}`$ is zero unless they are equal and $`C`$ is symmetric, "
    assert reason + r"so it is that of $`\partial L/\partial C_{ji}`$ too." in note


def test_a_plain_exchange_needs_no_reason():
    note = note_of("B[i,j] = exp(x[i] + x[j])\nL = sum[i,j](B[i,j] * A[i,j])\nloss L\nderive B, x\n")
    assert "The right side does not change when $`i`$ and $`j`$ are exchanged, so it is that of $`B_{ji}`$ too." in note


@pytest.mark.parametrize("name", ["p", "q"])
def test_what_is_folded_away_cancels(name):
    note = note_of(f"{name}[i,j] = softmax[j](A[i,j])\nL = sum[i,j]({name}[i,j]^2)\nloss L\nderive A\n")
    assert r"&= 1 && \text{by the equation of } Z \text{, which cancels}" in note


def test_a_sum_that_only_counts_is_said_to():
    shipped = load_problem(shipped_paths()["layer_norm"])
    steps = [step for proof in ic.derive(shipped).proofs for step in proof.steps if step.rule is Rule.EXPAND]
    counting = [one for one in steps if len({len(term.summed) for term in one.after}) > 1]
    note = ic.markdown_note(ic.derive(shipped))
    assert counting
    assert r"\text{multiplied out, where the sum over } h \text{ of 1 is } H" in note


def test_a_proof_does_not_display_the_claim_once_more() -> None:
    note = markdown_note(derive(load_problem(shipped_paths()["gaussian_full_covariance"])))
    claim = r"S^{\mathrm{inv}}_{jk} = S^{\mathrm{inv}}_{kj}"
    assert "Proof. The inverse of a symmetric matrix is symmetric.\n" in note
    assert f"```math\n{claim}\n```" not in note
