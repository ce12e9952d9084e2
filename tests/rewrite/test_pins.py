"""A delta makes two indices one in all factors beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Delta, free_indices
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.pins import pinned
from tests.support.build import add, at, ell, i, j, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors

SUBJECT = at("Y", i, j)


def test_the_factors_beside_a_delta_read_the_diagonal():
    (step,) = pinned(SUBJECT, (term(at("P", i, j), Delta(j, i), (at("P", i, i), -1)),), (i, j))
    assert step.after == (term(Delta(j, i)),)
    (left,), (right,) = step.detail.identity.left, step.detail.identity.right
    assert (left, right) == (term(at("P", i, j), Delta(j, i)), term(at("P", i, i), Delta(j, i)))


def test_the_earlier_slot_is_kept():
    bracket = add(term(at("x", i)), term(at("x", j), coeff=-2))
    (step,) = pinned(SUBJECT, (term(Delta(i, j), bracket),), (j, i))
    assert step.after == (term(Delta(i, j), at("x", j), coeff=-1),)


def test_what_reads_one_index_already_is_left():
    assert pinned(SUBJECT, (term(Delta(i, j), at("x", i), at("z", ell), over=(ell,)),), (i, j)) == ()


def test_several_deltas_are_followed_one_after_another():
    before = (term(Delta(ell, i), Delta(ell, j), at("Y", i, i)),)
    steps = pinned(SUBJECT, before, (i, ell, j))
    assert steps[-1].after == (term(Delta(ell, i), Delta(i, j), at("Y", i, i)),)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions(), st.data())
def test_pins_keep_the_value(drawn, data):
    terms, tensors = drawn
    free = free_indices(terms)
    pairs = [(a, b) for a in free for b in free if a != b and a.extent == b.extent]
    chosen = data.draw(st.lists(st.sampled_from(pairs), max_size=2)) if pairs else []
    before = tuple(term(*t.powers, *(Delta(a, b) for a, b in chosen), coeff=t.coeff, over=t.summed) for t in terms)
    steps = pinned(at("Y", *free), before, free)
    after = steps[-1].after if steps else before
    assert_same_value(before, after, free, random_tensors(tensors))
    assert pinned(at("Y", *free), after, free) == ()


SHARES = "P[i,j] = softmax[j](S[i,j])\nR[i,j] = softmax[i](S[i,j])\n"
CONTRASTIVE = {
    "quotients": (
        "P[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l]))\nR[i,j] = exp(S[i,j]) / sum[l](exp(S[l,j]))\n"
        "L = -1/(2*N) * sum[i](log(P[i,i]) + log(R[i,i]))"
    ),
    "two sums": SHARES + "L = -1/(2*N) * sum[i](log(P[i,i])) - 1/(2*N) * sum[j](log(R[j,j]))",
    "two losses": SHARES + "A = -mean[i](log(P[i,i]))\nB = -mean[j](log(R[j,j]))\nL = (A + B)/2",
    "the logarithm of a product": SHARES + "L = -1/(2*N) * sum[i](log(P[i,i] * R[i,i]))",
    "a delta": SHARES + "L = -1/(2*N) * sum[i,j](delta[i,j] * (log(P[i,j]) + log(R[i,j])))",
    "log-probabilities": (
        SHARES + "p[i,j] = logsoftmax[j](S[i,j])\nr[i,j] = logsoftmax[i](S[i,j])\n"
        "L = -1/2 * (mean[i](p[i,i]) + mean[i](r[i,i]))"
    ),
    "sums of exponentials": (SHARES + "L = 1/(2*N) * sum[i](logsumexp[j](S[i,j]) + logsumexp[j](S[j,i]) - 2*S[i,i])"),
}
"""The contrastive loss of CLIP in several spellings."""


@pytest.mark.parametrize("spelling", CONTRASTIVE)
def test_a_contrastive_loss_has_the_gradient_by_scores_however_it_is_written(spelling):
    spec = f"index i, j, l : N\ninput S[i,j]\n{CONTRASTIVE[spelling]}\nloss L\nderive S"
    derivation = derive(read_problem(spec))
    (equation,) = derivation.backward.equations
    row, column = equation.lhs.slots
    size = row.extent
    expected = (
        term(at("P", row, column), coeff=1 / (2 * size)),
        term(at("R", row, column), coeff=1 / (2 * size)),
        term(Delta(row, column), coeff=-1 / size),
    )
    assert same(expand(equation.terms), expected)
