r"""Equations that a chain implies, ``a = \sigma(w x + b) = \sigma(z)``: what z is, and what rests on it."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.page import page_of
from indexcalc.document.report import Verdict
from indexcalc.document.statements.context import read_context
from indexcalc.language.document import read_document
from tests.support.verdicts import judged

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)
SHAPES = r"Let $w, x \in \mathbb{R}^n$ and $b \in \mathbb{R}$. Here $\sigma$ is the sigmoid function." + "\n\n"
CHAINS = (r"a = \sigma(w^\top x + b) = \sigma(z)", r"a = \sigma(z) = \sigma(w^\top x + b)")


def verdicts(*displays):
    return [judged(one) for one in check(SHAPES + "\n\n".join(f"$${one}$$" for one in displays)).claims[2:]]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize(
    ("derivative", "right", "wrong"),
    [
        (r"\frac{\partial z}{\partial w}", "x", "2 x"),
        (r"\frac{\partial a}{\partial z}", "a (1 - a)", "1 - a"),
        (r"\frac{\partial a}{\partial w}", "a (1 - a) x", "a x"),
    ],
)
def test_a_name_in_the_place_of_a_formula_is_that_formula(chain, derivative, right, wrong):
    *given, last = verdicts(chain, f"{derivative} = {right}")
    assert given == [Verdict.DEFINITION] * 2
    assert last in TRUE
    assert verdicts(chain, f"{derivative} = {wrong}")[-1] is Verdict.REFUTED


def test_for_each_sample():
    chain = r"a^{(i)} = \sigma(w^\top x^{(i)} + b) = \sigma(z^{(i)})"
    assert verdicts(chain, r"\frac{\partial z^{(i)}}{\partial w} = x^{(i)}")[-1] in TRUE


@pytest.mark.parametrize(
    "chain",
    [
        r"\sigma(w^\top x + b) = \sigma(z)",  # no chain: a claim, or a condition
        r"a = \sigma(w^\top x + b) = \tanh(z)",
        r"a = \sigma(w^\top x + b) = 2 \sigma(z)",
        r"a = \sigma(b) = \sigma(z)",  # two names: which is the other is not said
        r"a = \sigma(z + b) = \sigma(z)",
    ],
)
def test_what_else_differs_implies_nothing(chain):
    assert Verdict.DEFINITION not in verdicts(chain)[1:]
    assert verdicts(chain, r"\frac{\partial z}{\partial w} = x")[-1] not in TRUE


def test_a_name_with_an_equation_keeps_it():
    claim = verdicts(r"z = 2 w^\top x + b", CHAINS[0])[-1]
    assert claim is Verdict.REFUTED


@pytest.mark.parametrize("given", [r"v^\top = u^\top A", r"v^T = u^T A"])
def test_the_transpose_of_a_name_gives_the_name(given):
    page = f"$${given}$$\n\n$$u^\\top A w = v^\\top w$$\n\n"
    assert judged(check(page).claims[0]) is Verdict.DEFINITION
    assert judged(check(page + r"$$v = A^\top u$$").claims[-1]) in TRUE
    assert judged(check(page + r"$$v = A u$$").claims[-1]) is Verdict.REFUTED


@pytest.mark.parametrize("law", [r"A^\top = -A", r"A^\top = A", r"A^\top = A^{-1}", r"x^\top = x_1 A"])
def test_a_law_gives_no_name(law):
    assert judged(check(f"$${law}$$").claims[0]) is not Verdict.REFUTED
    assert len(page_of(read_document(f"$${law}$$"), read_context([""])).statements) == 1 + law.startswith("x")


def test_rows_in_a_list_are_one_beside_the_other():
    page = r"$$x^\top = (y^\top, z^\top)$$" + "\n\n"
    assert judged(check(page + r"$$x^\top x = y^\top y + z^\top z$$").claims[-1]) in TRUE
    assert judged(check(page + r"$$x^\top x = y^\top y - z^\top z$$").claims[-1]) not in TRUE
