"""The printer: fractions, signs, sums, parentheses, functions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sympy as sp

from indexcalc.algebra.build import access, product
from indexcalc.algebra.terms import Access, Add, Delta, Fn, Index, Iverson, Partial, Term, Terms
from indexcalc.calculus.steps import ThroughConsumer
from indexcalc.language import read_problem
from indexcalc.notes import VIEWS, latex_note, markdown_note
from indexcalc.notes.latex import subject_latex, terms_latex
from indexcalc.notes.layout import solid
from indexcalc.notes.names import Notation
from indexcalc.rewrite.derive import derive

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
        (one(sp.Rational(1, 2), (Z, -ONE)), r"\frac{1}{2 Z_{i}}"),
        (one(1 / (T - 1), (Z, -ONE)), r"\frac{1}{(T - 1) Z_{i}}"),
        (one(1 / (T - 1), (DIFFERENCE, -ONE)), r"\frac{1}{(T - 1) (A_{ij} - Z_{i})}"),
        (one((T - 1) / D, (A, ONE), (Z, -ONE)), r"\frac{(T - 1) A_{ij}}{d \, Z_{i}}"),
        (one(2 / D, (A, ONE), (Delta(IX, JX), ONE), (Z, -ONE)), r"\frac{2 A_{ij}}{d \, Z_{i}} \, \delta_{ij}"),
        (one(1, (Z, ONE), (A, ONE), (B, -ONE), summed=(JX,)), r"Z_{i} \sum_{j} \frac{A_{ij}}{B_{ij}}"),
        (one(-1, (Z, -sp.S.Half)), r"-\frac{1}{\sqrt{Z_{i}}}"),
        (one(1, (DIFFERENCE, -sp.S.Half)), r"\frac{1}{\sqrt{A_{ij} - Z_{i}}}"),
        (one(1, (A, ONE), (DIFFERENCE, ONE)), r"A_{ij} \, (A_{ij} - Z_{i})"),
        (one(1, (DIFFERENCE, ONE)), r"(A_{ij} - Z_{i})"),
        (one(1 / D, (A, ONE)), r"\frac{A_{ij}}{d}"),
        (one(sp.Rational(-1, 2), (A, sp.Integer(2))), r"-\frac{A_{ij}^{2}}{2}"),
        (one(sp.Rational(1, 2), (DIFFERENCE, ONE)), r"\frac{A_{ij} - Z_{i}}{2}"),
        (one(1 / D, (A, ONE), (B, ONE)), r"\frac{1}{d} \, A_{ij} \, B_{ij}"),
        (one(1 / D, (DS, ONE)), r"\frac{1}{d} \, \frac{\partial L}{\partial S_{ij}}"),
        (one(2 / D, (A, ONE)), r"\frac{2}{d} \, A_{ij}"),
        (one(1, (DIFFERENCE, sp.Integer(2))), r"(A_{ij} - Z_{i})^{2}"),
        (one(1, (WQ, sp.Integer(2))), r"(W^{Q}_{ij})^{2}"),
        (one(1, (A, sp.Rational(3, 2))), r"A_{ij}^{3/2}"),
        (one(T - 1, (A, ONE)), r"(T - 1) A_{ij}"),
        (one(2, (Fn("exp", (access_terms := (access("A", IX, JX),),)), sp.Integer(2))), r"2 (e^{A_{ij}})^{2}"),
        (one(1, (Fn("log", (access_terms,)), ONE)), r"\log(A_{ij})"),
        (one(1, (Fn("tanh", (access_terms,)), sp.Integer(2))), r"\tanh(A_{ij})^{2}"),
        (one(1, (Fn("max", (access_terms, ())), ONE)), r"\max\left(A_{ij},\, 0\right)"),
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
    assert solid(terms_latex(one(1, (DS, ONE)), PLAIN.inline)) == r"\partial L/\partial S_{ij}"


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


@pytest.mark.parametrize(
    ("terms", "latex"),
    [
        (one(1, (Fn("exp", (access_terms,)), ONE)), r"\exp(A_{ij})"),
        (one(2, (Fn("exp", (access_terms,)), sp.Integer(2))), r"2 \exp(A_{ij})^{2}"),
        (one(sp.E, (A, ONE)), r"\exp(1) \, A_{ij}"),
        (one(sp.exp(-1 / T) * sp.pi, (A, ONE)), r"\pi \exp\Bigl(- \frac{1}{T}\Bigr) \, A_{ij}"),
        (one(1, (A, sp.exp(2))), r"A_{ij}^{\exp(2)}"),
    ],
)
@pytest.mark.parametrize(
    "taken",
    [{"tensors": {"e": "e"}}, {"tensors": {"e1": "e^{(1)}"}}, {"indices": {"e": "e"}}, {"scalars": {"e": "e"}}],
)
def test_what_is_called_e_is_never_the_base_of_exponentials(terms: Terms, latex: str, taken: dict) -> None:
    assert solid(terms_latex(terms, replace(PLAIN, **taken))) == latex
    assert re.search(r"e\^|\be ", terms_latex(terms, PLAIN))


@pytest.mark.parametrize(
    "text",
    [
        "index e : E\ninput x[n,e]\nL = sum[n,e](exp(-x[n,e]))",
        "input x[n], e[n]\nL = sum[n](e[n] * exp(x[n]))",
        "param e\ninput x[n]\nL = sum[n](exp(e * x[n]))",
        "index e : N\ninput x[n]\nname e = dL/dq\nq[n] = exp(x[n])\nL = sum[n](exp(q[n]))",
    ],
)
def test_no_page_prints_a_power_of_e_beside_an_e(text: str) -> None:
    derivation = derive(read_problem(f"index n : N\n{text}\nloss L\nderive x"))
    for page in (markdown_note(derivation, VIEWS), latex_note(derivation, VIEWS)):
        assert r"\exp" in page
        assert "e^{" not in page
