"""The opening of a note: defaults as authors write them."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.language import read_problem
from indexcalc.notes import markdown_note
from indexcalc.notes.blocks import Scalar, Sign
from indexcalc.notes.setup import default_span
from indexcalc.rewrite.derive import derive


@pytest.mark.parametrize(
    ("value", "span"),
    [
        (sp.Rational(1, 10), Sign("0.1")),
        (sp.Rational(1, 100_000), Sign("10^{-5}")),
        (sp.Rational(25, 10_000_000), Sign(r"2.5 \cdot 10^{-6}")),
        (sp.Rational(1, 3), Scalar(sp.Rational(1, 3))),
        (sp.Integer(2), Scalar(sp.Integer(2))),
    ],
)
def test_a_default(value, span):
    assert default_span(value) == span


def test_a_composite_that_the_reader_named_is_a_part_and_no_sum() -> None:
    text = "index i : N\nindex j : M\ninput x[i,j]\nY[i,j] = 1 + softmax[j](x[i,j])\n"
    note = markdown_note(derive(read_problem(text)))
    assert "The sum in the next equation has a name of its own:\n\n```math\nZ_{i} :=" in note
    assert "A part of the next equation has a name of its own:\n\n```math\nx^{\\mathrm{softmax}}_{ij} :=" in note


def test_domains_and_symmetries_are_stated() -> None:
    text = (
        "index i, j : N\ninput m[i] in (-1,1], x[i] positive, z[i] in (-inf, 2], J[i,j]\nassume J[i,j] = -J[j,i]\n"
        "L = sum[i,j](J[i,j] * m[i] * log(x[j])) + sum[i](z[i])\nloss L\n"
    )
    note = markdown_note(derive(read_problem(text)))
    assert "Every entry lies in its domain: $`m_{i} \\in (-1, 1]`$, $`x_{i} > 0`$ and $`z_{i} \\le 2`$." in note
    assert "J_{ij} = -J_{ji}" in note
    assert "definite" not in note


def test_what_is_positive_definite_is_stated() -> None:
    text = "index i, j : N\ninput S[i,j] spd, A[i,j] symmetric{}\nL = sum[i,j](S[i,j] * A[i,j]^2)\nloss L\n"
    note = markdown_note(derive(read_problem(text.format(""))))
    assert "S_{ij} = S_{ji}" in note
    assert "A_{ij} = A_{ji}" in note
    assert "$`S`$ is positive definite as well." in note
    batches = text.format(", T[k,i,j] spd over (i,j)").replace("sum[i,j]", "sum[i,j,k]").replace("^2", "^2*T[k,i,j]")
    note = markdown_note(derive(read_problem("index k : M\n" + batches)))
    assert "$`T`$ is positive definite as well, as a matrix over $`i`$ and $`j`$." in note
