"""Parts of formulas that are named where they first stand."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.named_parts import named_part
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import judged

NAMED = [
    (r"\sigma(A - M) V", "D V", r"\sigma(A - M)", "D"),
    (r"\sigma(z) \odot x", r"a \odot x", r"\sigma(z)", "a"),
    ("X^T (X w - y)", "X^T r", "(X w - y)", "r"),
    (r"a - b \exp(c) + d", "a - b g_1 + d", r"\exp(c)", "g_1"),
    (r"\sum_i \exp(a_i) b_i", r"\sum_i D_i b_i", r"\exp(a_i)", "D_i"),
    (r"\sum_k \exp(\sum_j Q_{ij} K_{kj}) V_{kl}", r"\sum_k D_{ik} V_{kl}", r"\exp(\sum_j Q_{ij} K_{kj})", "D_{ik}"),
    (r"\alpha (a - b)", r"\alpha d", "(a - b)", "d"),
]

UNNAMED = [
    ("A^T A v", r"\lambda v"),  # an equation for v
    ("(T + V) v", "E v"),
    (r"\exp(A) v", r"\lambda v"),
    ("X^T X w", "X^T y"),  # of all of X w, not of y alone
    ("Q^T (Q v - w)", "Q^T I"),
    (r"a \exp(b)", "a c^2"),  # a power of a name
    ("a + b c", "D c"),
    ("A v", "D v"),  # a name for a name
    ("x_{i j} y", "x_k y"),  # an index
    ("x^{a (b + c)} y", "x^{a D} y"),
    (r"\sum_i b (a_i - c)", r"\sum_i b d"),  # an index less
    (r"\sum_i x \exp(a_i)", r"\sum_i x d_j"),
    (r"\log (a - b)", r"\log D"),
    (r"\exp(a)(x)", "D(x)"),  # a function
    (r"c \exp(a)", "c p(x)"),  # a value of one
    ("p (x, y)", "p D"),
    (r"\exp(a)", "D"),  # nothing is alike
    (r"a \exp(b) c", "D e"),
]


@pytest.mark.parametrize(("one", "other", "formula", "name"), NAMED)
@pytest.mark.parametrize("turned", [False, True])
def test_a_factor_or_a_term_is_named(one, other, formula, name, turned):
    members = [tokenize(one), tokenize(other)]
    found = named_part(*(reversed(members) if turned else members))
    assert found is not None
    texts = [[token.text for token in part] for part in found]
    assert texts == [[token.text for token in tokenize(part)] for part in (formula, name)]


@pytest.mark.parametrize(("one", "other"), UNNAMED)
def test_what_is_no_part_of_its_own_is_not_named(one, other):
    assert named_part(tokenize(one), tokenize(other)) is None


GRADIENT = r"\frac{\partial L}{\partial A} = \frac{\partial L}{\partial D} \odot D"


def test_the_name_of_a_part_stands_for_it():
    assert judged(check(rf"$$O = \exp(A) V = D V$$ $${GRADIENT}$$").claims[-1]) is Verdict.CONFIRMED
    assert check(rf"$$O = \exp(2 A) V = D V$$ $${GRADIENT}$$").claims[-1].verdict is Verdict.REFUTED


def test_a_name_that_stands_before_is_not_given():
    page = rf"Let $D V$ be known. $$O = \exp(A) V = D V$$ $${GRADIENT}$$"
    assert check(page).claims[-1].verdict is Verdict.UNCLEAR


def test_a_step_of_what_an_equation_gives_is_not_given_anew():
    chain = r"$$O = \exp(A) V = D_1 V$$ "
    assert check(chain).claims[1].verdict is Verdict.DEFINITION
    assert check(chain + r"$$D_t = D_{t-1} B$$").claims[1].verdict is not Verdict.DEFINITION


def test_an_equation_for_what_both_have_in_common_names_nothing():
    page = r"$$S v = A^\top A v = \lambda v$$ $$\lambda = A^\top A$$"
    assert check(page).claims[-1].verdict not in (Verdict.PROVED, Verdict.REFUTED)


def test_what_a_context_gives_is_not_given_anew():
    page = r"$$O = \exp(A) V = D V$$"
    assert [claim.verdict for claim in check(page, context="D = exp(A)\nO = D V").claims] == [Verdict.PROVED] * 2
