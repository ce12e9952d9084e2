"""Parts of formulas that are named where they first stand."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.named_parts import named_part
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import judged

NAMED = [
    (r"\sigma(A - M) V", "D V", r"\sigma(A - M)", "D"),
    (r"X^T (X w - y)", "X^T r", "(X w - y)", "r"),
    (r"\frac{\partial L}{\partial y} W^T", "g W^T", r"\frac{\partial L}{\partial y}", "g"),
    ("a - b c + d", "a - D + d", "b c", "D"),
    (r"\sum_i a_i b_i", r"\sum_i D_i", "a_i b_i", "D_i"),
    (r"\sum_i a_i b_i + c", "D + c", r"\sum_i a_i b_i", "D"),
    ("A B A v", "A D v", "B A", "D"),
    (r"\alpha a b", r"\alpha D", "a b", "D"),
]

UNNAMED = [
    ("a + b c", "D c"),  # a sum is no factor
    ("a b + c", "a D"),
    ("A v", "D v"),  # a name for a name
    ("x_{i j} y", "x_k y"),  # an index
    ("x^{a b} y", "x^D y"),
    (r"\log a b", r"\log D"),  # of how much the logarithm is
    (r"c \log a", "D a"),
    (r"\sum_i a_i b_i", "D b_i"),  # the sum reaches further
    ("a / b c", "a / D"),
    (r"a \odot b c", r"D c"),
    ("(a b)(x)", "D(x)"),  # a function
    ("c a b", "c p(x)"),  # a value of one
    ("a b", "D"),  # nothing is alike
    ("a b c", "D e"),
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
