"""Formulas in one line of text."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.notes import formula_text
from indexcalc.notes.text import scalar_text
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS


@pytest.mark.parametrize(
    ("name", "tensor", "text"),
    [
        ("attention", "dV", "dL/dV[j,p] = Σ_i G[i,p] A[i,j]"),
        ("attention", "D", "D[i,j] = dL/dA[i,j] = Σ_p G[i,p] V[j,p]"),
        ("attention", "r", "r[i] = Σ_p G[i,p] O[i,p]"),
        ("attention", "dS", "dL/dS[i,j] = A[i,j] (D[i,j] − r[i])"),
        ("attention", "dQ", "dL/dQ[i,k] = (1/sqrt(d)) Σ_j dL/dS[i,j] K[j,k]"),
        ("linear", "db", "dL/db[h] = Σ_n G[n,h]"),
    ],
)
def test_a_gradient_in_one_line(name: str, tensor: str, text: str) -> None:
    derivation = derive(PROBLEMS[name]())
    assert formula_text(derivation.backward.definitions[tensor], derivation) == text


def test_a_forward_equation_with_a_root_below_the_bar() -> None:
    program = PROBLEMS["layer_norm"]().program
    assert formula_text(program.definitions["rs"]) == "rs[n] = 1 / √(var[n] + eps)"
    assert formula_text(program.definitions["xh"]) == "xh[n,h] = (X[n,h] − mu[n]) rs[n]"


def test_the_number_e_is_no_tensor_called_e() -> None:
    assert [scalar_text(value) for value in (sp.E, 2 * sp.E, sp.E**2)] == ["(exp(1))", "(2*exp(1))", "(exp(2))"]
