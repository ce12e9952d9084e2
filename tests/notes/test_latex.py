"""The printer: fractions, signs, sums, parentheses, functions."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from indexcalc.algebra.build import access, product
from indexcalc.algebra.terms import Access, Add, Delta, Fn, Index, Iverson, Partial, Term, Terms
from indexcalc.calculus.steps import ThroughConsumer
from indexcalc.notes.latex import subject_latex, terms_latex
from indexcalc.notes.layout import solid
from indexcalc.notes.names import Notation

ONE = sp.S.One
T, D = sp.symbols("T d", integer=True, positive=True)
IX, JX, TOK, MU = Index("i", T), Index("j", T), Index("tok", T), Index("mu", T)
PLAIN = Notation({}, {"tok": r"\mathrm{tok}", "mu": r"\mu"}, {"d": "d", "T": "T"}, {"dS": "S"}, {}, "L")
A, B, Z = Access("A", (IX, JX)), Access("B", (IX, JX)), Access("Z", (IX,))
UP = Access("u", ())
WQ, DS = Access("W_Q", (IX, JX)), Access("dS", (IX, JX))
DIFFERENCE = Add((access("A", IX, JX), product(-1, ((Z, ONE),))))


def one(coeff: sp.Expr | int, *powers: tuple, summed: tuple[Index, ...] = ()) -> Terms:
    return (Term(sp.sympify(coeff), tuple(powers), summed),)


@pytest.mark.parametrize(
    ("terms", "latex"),
    [
        ((), "0"),
        (one(1), "1"),
        (one(-1, (A, ONE)), "-A_{ij}"),
        (one(1 / sp.sqrt(D), (A, ONE), summed=(JX,)), r"\frac{1}{\sqrt{d}} \sum_{j} A_{ij}"),
        (one(2, (UP, ONE), (A, ONE), summed=(JX,)), r"2 u \sum_{j} A_{ij}"),
        (one(1, (A, ONE), (UP, -ONE), summed=(JX,)), r"\frac{1}{u} \sum_{j} A_{ij}"),
        (
            (*one(1, (UP, ONE), (A, ONE), summed=(JX,)), *one(-1, (UP, ONE), (B, ONE), summed=(JX,))),
            r"u \sum_{j} (A_{ij} - B_{ij})",
        ),
        (one(1, (A, ONE), (Z, -ONE)), r"\frac{A_{ij}}{Z_{i}}"),
        (one(sp.Rational(1, 2), (Z, -ONE)), r"\frac{1}{2 \, Z_{i}}"),
        (one(-1, (Z, -sp.S.Half)), r"-\frac{1}{\sqrt{Z_{i}}}"),
        (one(1, (DIFFERENCE, -sp.S.Half)), r"\frac{1}{\sqrt{A_{ij} - Z_{i}}}"),
        (one(1, (A, ONE), (DIFFERENCE, ONE)), r"A_{ij} \, (A_{ij} - Z_{i})"),
        (one(1, (DIFFERENCE, ONE)), r"(A_{ij} - Z_{i})"),
        (one(1, (DIFFERENCE, sp.Integer(2))), r"(A_{ij} - Z_{i})^{2}"),
        (one(1, (WQ, sp.Integer(2))), r"(W^{Q}_{ij})^{2}"),
        (one(1, (A, sp.Rational(3, 2))), r"A_{ij}^{3/2}"),
        (one(T - 1, (A, ONE)), r"(T - 1) A_{ij}"),
        (one(2, (Fn("exp", access_terms := (access("A", IX, JX),)), sp.Integer(2))), r"2 (e^{A_{ij}})^{2}"),
        (one(1, (Fn("log", access_terms), ONE)), r"\log(A_{ij})"),
        (one(1, (Fn("tanh", access_terms), sp.Integer(2))), r"\tanh(A_{ij})^{2}"),
        (one(1, (Fn("max", access_terms, (sp.Integer(0),)), ONE)), r"\max\left(A_{ij},\, 0\right)"),
        (one(1, (Iverson(JX, "<=", IX), ONE)), r"[j \le i]"),
        (one(1, (Delta(IX, JX), ONE)), r"\delta_{ij}"),
        (one(1, (Access("A", (TOK, JX)), ONE)), r"A_{\mathrm{tok},j}"),
        (one(1, (Access("A", (MU, JX)), ONE)), r"A_{\mu j}"),
        (one(1, (DS, ONE), (Z, -ONE)), r"\frac{1}{Z_{i}} \, \frac{\partial L}{\partial S_{ij}}"),
        (one(1, (Partial(A, B), ONE)), r"\frac{\partial A_{ij}}{\partial B_{ij}}"),
        ((*one(1, (A, ONE)), *one(-2, (B, ONE))), r"A_{ij} - 2 B_{ij}"),
        (
            (*one(2, (A, ONE), summed=(JX,)), *one(-2, (B, ONE), summed=(JX,))),
            r"2 \sum_{j} (A_{ij} - B_{ij})",
        ),
        (
            (*one(2, (A, ONE), summed=(JX,)), *one(-3, (B, ONE), summed=(JX,))),
            r"\sum_{j} (2 A_{ij} - 3 B_{ij})",
        ),
    ],
)
def test_terms(terms: Terms, latex: str) -> None:
    assert solid(terms_latex(terms, PLAIN)) == latex


WIDE = Add(tuple(product(n, ((Access("LongName", (TOK, TOK)), ONE),)) for n in range(1, 9)))


def test_a_fraction_too_wide_to_stand_on_a_line_gets_a_negative_exponent() -> None:
    text = terms_latex(one(1, (A, ONE), (WIDE, -ONE)), PLAIN)
    assert r"\frac" not in text
    assert solid(text).endswith(")^{-1}")


def test_a_wide_expression_stands_behind_the_operator() -> None:
    text = solid(terms_latex(one(1, (Partial(WIDE, B), ONE)), PLAIN))
    assert text.startswith(r"\frac{\partial}{\partial B_{ij}}\bigl[(\mathrm{LongName}")


def test_running_text_has_no_tall_fractions() -> None:
    assert solid(terms_latex(one(1, (DS, ONE)), PLAIN.inline())) == r"\partial L/\partial S_{ij}"


def test_a_share_of_a_gradient_names_its_consumer() -> None:
    share = ThroughConsumer(DS, Access("S", (IX, JX)), "Y")
    assert subject_latex(share, PLAIN) == r"\left.\frac{\partial L}{\partial S_{ij}}\right|_{\text{via } Y}"


def test_a_derivative_that_holds_tensors_says_so() -> None:
    holding = replace(PLAIN, held={("L", "S"): ("Z", "mu")}, computed_loss="L")
    loss, wrt = Access("L", ()), Access("S", (IX, JX))
    marked = r"\left.\frac{\partial L}{\partial S_{ij}}\right|_{Z, \mu \text{ held}}"
    assert subject_latex(Partial(loss, wrt), holding) == marked
    assert subject_latex(ThroughConsumer(DS, wrt, "L"), holding) == marked
    assert subject_latex(Partial(Access("Z", (IX,)), wrt), holding) == r"\frac{\partial Z_{i}}{\partial S_{ij}}"
