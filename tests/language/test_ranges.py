"""Entries that may lie outside of their tensors are mistakes: told with place, bound, indices and the bracket."""

from __future__ import annotations

import pytest

import indexcalc as ic
from indexcalc.errors import SpecError

HEAD = """index n : N
index k : K
index i : N-K+1
index v : V
input x[n], w[k], E[v,n], tok[n] in V
"""


def read(line):
    return ic.read_problem(HEAD + line)


@pytest.mark.parametrize(
    "line",
    [
        "y[i] = sum[k](x[i+k] * w[k])",
        "y[n] = x[N-1-n]",
        "y[n] = [0 <= n-1] * x[n-1]",
        "y[n] = [n+1 < N] * tanh(x[n+1])",
        "y[n] = sum[k]([0 <= 2*n+k-1 < N] * x[2*n+k-1] * w[k])",
        "y[n,k] = E[tok[n],n] * w[k]",
        "y = x[0] * E[0,N-1]",
        "y[n] = sum[i,k](x[i] * w[k] * delta[n,i+k])",
        "y[v] = sum[n](delta[v,tok[n]] * x[n])",
        "y[i] = x[i] * E[tok[i],i]",
    ],
)
def test_what_is_inside_is_read(line):
    assert ic.derive(read(line)).backward.equations


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("y[n] = x[n+1]", ("n+1 is N at n = N - 1", "N - 1 is the last", "[n+1 < N] * x[n+1]")),
        ("y[n] = x[n-1]", ("n-1 is -1 at n = 0", "below 0", "[0 <= n-1] * x[n-1]")),
        ("y[n] = sum[k](x[n+k-1] * w[k])", ("is -1 at k = 0, n = 0", "[0 <= k+n-1 < N]")),
        ("y[n] = [0 <= n-2] * x[n-2] + x[n-2]", ("n-2 is -2",)),
        ("y = x[1]", ("1 is 1 at this place",)),
        ("y[n] = E[tok[n+1],n]", ("tok[n+1] may lie outside tok",)),
    ],
)
def test_what_may_lie_outside_is_told(line, words):
    with pytest.raises(SpecError) as caught:
        read(line)
    for word in words:
        assert word in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line == 6


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("y[n] = x[n*n]", "a slot is affine"),
        ("y[n] = x[w[0]]", "no input of whole numbers"),
        ("y[n] = x[n+1.5]", "a slot holds whole numbers"),
        ("y[n] = tok[n] * x[n]", "it is looked up in a slot"),
        ("y[n+1] = x[n]", "a definition has an index in each slot"),
        ("y[n] = sum[k+1](x[n])", "runs over indices"),
        ("y[n] = x[q+1]", "q is neither an index nor an extent"),
        ("y[n] = x[n]\nderive tok", "tok holds whole numbers"),
    ],
)
def test_what_a_slot_can_not_hold_is_told(line, words):
    with pytest.raises(SpecError, match=words.replace("[", r"\[")):
        read(line)


def test_slots_in_python_are_those_of_the_text():
    program = ic.Program()
    N, K = ic.extents("N K")
    n, k = program.index("n", N), program.index("k", K)
    i = program.index("i", N - K + 1)
    x, w = program.input("x", n), program.input("w", k)
    program.define("y", i, ic.sum(x[i + k] * w[k], k))
    text = "index n : N\nindex k : K\nindex i : N-K+1\ninput x[n], w[k]\ny[i] = sum[k](x[i+k] * w[k])\n"
    assert program.problem().program.equations == ic.read_problem(text).program.equations


def test_lookups_and_guards_in_python_are_those_of_the_text():
    program = ic.Program()
    N, V = ic.extents("N V")
    n, v = program.index("n", N), program.index("v", V)
    E, tok = program.input("E", v), program.input("tok", n, values=V)
    program.define("y", n, E[tok[n]] * ic.bracket(0, "<=", n - 1) * E[tok[n - 1]] + E[V - 1])
    text = "index n : N\nindex v : V\ninput E[v], tok[n] in V\ny[n] = E[tok[n]] * [0 <= n-1] * E[tok[n-1]] + E[V-1]\n"
    assert program.problem().program.equations == ic.read_problem(text).program.equations


MOVED = """index i : N
index j : K
index k : M
index l : N
index p : K
input x[p], u[l], v[p]
"""


@pytest.mark.parametrize(
    ("line", "delta"),
    [
        ("y[j,l] = u[l] + sum[i,k]([0 <= 2-3*k < K] * DELTA * tanh(x[2-3*k]))", "delta[j,2*i+2]"),
        ("y[j,l] = u[l] * exp(sum[i,k]([0 <= 2-3*k < K] * DELTA * x[2-3*k]))", "delta[j,2*i+2]"),
        ("y[j,l] = exp(DELTA * sum[k]([0 <= 2-3*k < K] * x[2-3*k]))", "delta[j,2*l+2]"),
    ],
)
def test_a_bracket_that_follows_from_a_delta_protects_a_sum_with_a_name(line, delta):
    """The delta says that there is an entry 2; beside it the bracket for that is gone."""
    text = MOVED + line.replace("DELTA", delta)
    assert len(ic.read_problem(text).program.equations) == 2
    other = f"v[j] * u[{delta[-4]}]"
    ic.read_problem(MOVED + line.replace("DELTA", other))
    with pytest.raises(SpecError, match="may lie outside"):
        ic.read_problem(MOVED + line.replace("DELTA", other).replace(" < K]", "]"))
