"""No rewriting divides by what may be zero: a formula holds for all parameters that the forward pass allows."""

import pytest
import sympy as sp

from indexcalc.calculus.relabel import Nomenclature
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.parts import PartNames, find_part
from indexcalc.rewrite.reuse import forms
from indexcalc.rewrite.rules import fold_rule, lemma_rule
from tests.support.build import M, N, at, i, j, term

A = sp.Symbol("a", real=True)
MAY_VANISH = (A, 1 - A, 1 / sp.sqrt(N) - 1 / N)
NEVER_ZERO = (sp.Integer(2), 1 / N, sp.sqrt(M) / A)


def scaled(coeff):
    return term(at("X", i, j), at("w", j), coeff=coeff, over=(j,))


def part_of(coeff):
    wide = Equation(at("Y", i, j), (scaled(coeff),))
    part, _ = find_part(wide, scaled(coeff), PartNames(set()), Nomenclature({}, (i, j)))
    return part


@pytest.mark.parametrize("coeff", NEVER_ZERO)
def test_coefficients_that_are_never_zero_go_into_names(coeff):
    equation = Equation(at("u", i), (scaled(coeff),))
    assert part_of(coeff).coeff == coeff
    assert fold_rule(equation).value[0].coeff == 1 / coeff
    assert lemma_rule(Identity((scaled(coeff),), (term(at("v", i)),))) is not None
    assert any(
        form.coeff == coeff for form in forms(Equation(at("u", i), (term(at("x", i), at("y", i), coeff=coeff),)), {})
    )


@pytest.mark.parametrize("coeff", MAY_VANISH)
def test_coefficients_that_may_be_zero_do_not(coeff):
    equation = Equation(at("u", i), (scaled(coeff),))
    assert part_of(coeff).coeff == 1
    assert fold_rule(equation) is None
    assert lemma_rule(Identity((scaled(coeff),), (term(at("v", i)),))) is None
    assert not list(forms(Equation(at("u", i), (term(at("x", i), at("y", i), coeff=coeff),)), {}))
