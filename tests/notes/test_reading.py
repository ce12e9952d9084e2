"""What a note says of a result holds for all of it: sums that survive, deltas that stay, indices that pass through."""

from __future__ import annotations

import pytest

from indexcalc.language import read_problem
from indexcalc.notes import Detail, markdown_note
from indexcalc.rewrite.derive import derive

HEAD = 'title "t"\nindex i, j : N\nindex k : N-1\nindex m : M\n'

DELTA_IN_ONE_TERM = "input C[i,j]\nL = sum[i,j](delta[i,j]*C[i,j]) + sum[i,j](C[i,j]^2)\nloss L\nderive C\n"
DELTA_IN_ALL = "input C[i,j]\nL = sum[i](C[i,i]^2)\nloss L\nderive C\n"
BOTH_SLOTS = "input x[i]\nP[i,j] = x[i] * x[j]^3\nupstream G[i,j] = dL/dP[i,j]\nderive x\n"
ONE_SLOT = "input x[i], W[i,m]\ny[m] = sum[i](W[i,m] * x[i])\nupstream G[m] = dL/dy[m]\nderive x\n"
NEIGHBOURS = "input x[i]\ny[k] = x[k+1]^2 - x[k]\nupstream G[k] = dL/dy[k]\nderive x\n"
ENTRIES = "input x[i]\ny[i] = x[i]^2\nupstream G[i] = dL/dy[i]\nderive x\n"


def reading(text: str) -> str:
    """What the note says of its results."""
    lines = markdown_note(derive(read_problem(HEAD + text))).splitlines()
    return "\n".join(line for line in lines if line.startswith("Reading the result."))


@pytest.mark.parametrize(
    ("text", "sentence", "said"),
    [
        (DELTA_IN_ONE_TERM, "only entries where its indices agree are not zero", False),
        (DELTA_IN_ALL, "only entries where its indices agree are not zero", True),
        (BOTH_SLOTS, "no delta tied", False),
        (ONE_SLOT, "no delta tied", True),
        (NEIGHBOURS, "does not mix", False),
        (ENTRIES, "does not mix", True),
    ],
)
def test_a_sentence_is_said_where_it_is_true(text, sentence, said):
    assert (sentence in reading(text)) is said


def test_under_a_mask_not_all_contribute():
    """Where brackets make entries zero, what they are a factor of takes nothing from them."""
    spec = """
index i, j : T "positions"
index k : d
input x[i,j], V[j,k]
A[i,j] = MASK exp(x[i,j])
O[i,k] = sum[j](A[i,j]*V[j,k])
"""
    masked, plain = (markdown_note(derive(read_problem(spec.replace("MASK", mask)))) for mask in ("[j <= i] *", ""))
    said = "all positions ($`i`$) contribute"
    assert said in plain
    assert said not in masked


def test_a_sum_of_the_local_derivative_is_told_too():
    text = "index n : N\nindex p : P\nindex q : N-P+1\ninput x[n], w[p]\ny[q] = sum[p](x[q+p] * w[p])\n"
    text += "upstream G[q] = dL/dy[q]\nderive x\n"
    assert "The sum over $`p`$ comes from the derivative of $`y`$." in reading(text)
    assert "comes from the derivative" not in reading(ONE_SLOT)


def test_under_a_mask_in_a_recurrence_not_all_contribute():
    spec = """
index l : 3 "layers"
index i, j : T "positions"
index k : d
input x[i,k], b[l]
h[0,i,k] = x[i,k]
A[l,i,j] = MASK tanh(sum[k](h[l-1,i,k] * h[l-1,j,k])) for l in 1 .. 2
V[l,j,k] = b[l] * h[l-1,j,k] for l in 1 .. 2
h[l,i,k] = sum[j](A[l,i,j] * V[l,j,k]) for l in 1 .. 2
L = sum[i,k](h[2,i,k]^2)
loss L
derive x, V
"""
    masked, plain = (markdown_note(derive(read_problem(spec.replace("MASK", mask)))) for mask in ("[j <= i] *", ""))
    said = "all positions ($`"
    assert said in plain
    assert said not in masked


def test_brackets_that_deltas_make_sure_of_go_with_a_word():
    text = "index t : T\ninput u[t], h0\nh[0] = h0\nh[t] = tanh(h[t-1] + u[t]) for t in 1 .. T-1\n"
    note = markdown_note(derive(read_problem(text + "L = sum[t](h[t]^2)\nloss L\nderive u, h0\n")))
    assert "$`[1 \\le a]`$ holds wherever the delta that comes is not zero, and need not stand:" in note


GATES = """title "t"
index b : B
index n : N
input x[b,n], y[b,n], z[b,n]
u[b,n] = x[b,n] * y[b,n]
v[b,n] = u[b,n] * z[b,n]
derive u, x, y, z
"""


@pytest.mark.parametrize("detail", Detail)
def test_that_a_gradient_has_nothing_but_entries_at_one_place_is_said_once(detail: Detail) -> None:
    note = markdown_note(derive(read_problem(GATES)), detail=detail)
    assert note.count("No sum stands in the result.") == 1
