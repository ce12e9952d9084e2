"""Brackets of a factor's definition beside the exponentials that they hide, and nowhere else."""

from dataclasses import replace

import sympy as sp

from indexcalc.algebra.slots import combined, place
from indexcalc.algebra.terms import Access, Fn, Iverson, Term
from indexcalc.codegen.stable.brackets import Brackets
from indexcalc.language import read_problem

ONE = sp.S.One
TEXT = """
index t : T
index i : K
input x[t,i], w[i]
a[0,i] = w[i]
a[t,i] = tanh(a[t-1,i]) + x[t,i]  for t in 1 .. T-1
b[t,i] = [1 <= t] * x[t,i]
c[t,i] = 2 * b[t,i]
y[t,i] = c[t,i] * a[t,i]
upstream G[t,i] = dL/dy[t,i]
derive x
"""


def brackets_beside(shift, *, exponential=True):
    """The brackets of ``y[t,i] = c[t,i] * exp(a[t+shift,i])``, or of the same without the exponential."""
    *before, last = read_problem(TEXT).program.equations
    t, i = last.slots
    entry = Access("a", (t if shift == 0 else combined(t, place(shift)), i))
    factor = Fn("exp", ((Term(ONE, ((entry, ONE),)),),)) if exponential else entry
    term = Term(ONE, ((Access("c", (t, i)), ONE), (factor, ONE)))
    equations = [*before, replace(last, terms=(term,))]
    (found,) = Brackets.of(equations).written(equations)[-1].terms
    return [base for base in found.bases if isinstance(base, Iverson)]


def test_what_a_factor_hides_is_hidden_beside_it():
    (bracket,) = brackets_beside(-1)
    assert (bracket.left, bracket.relation) == (place(1), "<=")


def test_nothing_is_written_where_no_entry_is_read_outside_or_no_exponential_reads_it():
    assert brackets_beside(0) == []
    assert brackets_beside(1) == []  # which [1 <= t] does not keep inside
    assert brackets_beside(-1, exponential=False) == []
