"""What equations do, by their structure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.language import read_problem
from indexcalc.notes.operations import operations_of

SPEC = """title "Operations"
index i, j, l : T
index k, m : d
index h : H
input X[i,k], W[m,k], b[m], A[i,j], v[k]

Y[i,m] = sum[k](X[i,k] * W[m,k]) + b[m]
Z[i,j] = 1/sqrt(d) * sum[k](X[i,k] * X[j,k])
P[i,j] = exp(Z[i,j]) / sum[l](exp(Z[i,l]))
mu[k] = 1/T * sum[i](X[i,k])
sq[k] = 1/T * sum[i]((X[i,k] - mu[k])^2)
At[i,j] = A[j,i]
E[i,j] = A[i,j] * Z[i,j]
F[i,k] = X[i,k] * v[k]
u[i] = sum[k](X[i,k] * v[k])
n[i] = sum[k](X[i,k] * X[i,k])
q[i,m] = tanh(Y[i,m])
w[i,k] = u[i] * v[k]
D[i,k] = X[i,k] - mu[k]
s[i] = sum[j](P[i,j] + E[i,j] + At[i,j]) + n[i]
h[i,k] = 1/2 * X[i,k]
r[i,k] = 1/T * (X[i,k] - F[i,k])
L = sum[i,k](h[i,k] * r[i,k]) + sum[i](s[i]) + sum[i,m](q[i,m]) + sum[k](sq[k]) + sum[i,k](w[i,k] * F[i,k] * D[i,k])
loss L
derive X
"""
PROGRAM = read_problem(SPEC, "operations.ixc").program


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        ("Y", "matrix product over k, addition with broadcast over i"),
        ("Z", "matrix product over k, scaling"),
        ("P", "softmax over j"),
        ("mu", "mean over i"),
        ("sq", "mean of squares over i"),
        ("At", "transpose"),
        ("E", "product entry by entry"),
        ("F", "product entry by entry, broadcast over i"),
        ("u", "matrix-vector product over k"),
        ("n", "sum of squares over k"),
        ("q", "tanh, entry by entry"),
        ("w", "outer product"),
        ("D", "subtraction with broadcast over i"),
        ("h", "scaling"),
        ("r", "subtraction, scaling"),
    ],
)
def test_an_equation_is_named_by_its_structure(tensor: str, words: str) -> None:
    assert ", ".join(part.text for part in operations_of(PROGRAM.definitions[tensor], PROGRAM)) == words


def test_fused_axes_are_merges_and_splits() -> None:
    spec = """title "t"
index i, j : T
index k : d
input A[i,j,k]
B[j,i,k] = A[i,j,k]
upstream G[j,i,k] = dL/dB[j,i,k]
derive A
"""
    program = read_problem(spec, "t.ixc").program
    merged = replace(program, layouts={"B": (1, 2)})
    split = replace(program, layouts={"A": (2, 1)})
    words = [[part.text for part in operations_of(p.definitions["B"], p)] for p in (program, merged, split)]
    assert words == [["transpose"], ["transpose", "merge of (i, k)"], ["transpose", "split into (i, j)"]]


def test_entries_at_other_places_are_shifts_slices_windows_and_lookups() -> None:
    spec = """title "t"
index t : T
index n : N
index k : K
index i : N-K+1
input x[n], u[t], tok[t] in N
a[t] = [1 <= t] * u[t-1]
b = u[0]
w[i,k] = x[i+k]
e[t] = x[tok[t]]
c[n] = sum[t](u[t] * delta[tok[t], n])
p[t] = exp(u[t]) * (x[tok[t]] - b)
L = sum[t](a[t] * e[t] * p[t]) + sum[i,k](w[i,k]) + sum[n](c[n]) + b
loss L
derive x
"""
    program = read_problem(spec, "t.ixc").program
    words = {name: [part.text for part in operations_of(program.definitions[name], program)] for name in "abwecp"}
    assert words == {
        "a": ["shift", "mask"],
        "b": ["slice"],
        "w": ["window"],
        "e": ["lookup"],
        "c": ["scatter-add over t"],
        "p": ["exp, entry by entry", "subtraction", "product entry by entry"],
    }
