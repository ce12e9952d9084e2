"""Contractions: right, and written so that no version of NumPy loops over them."""

import re

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.contraction import contracted, pairwise
from indexcalc.codegen.operands import Operand, Scope, transposed
from indexcalc.codegen.source import Atom, flat

SIZES = dict(zip("bcijklm", (2, 3, 4, 5, 6, 2, 3), strict=True))
INDEX = {letter: Index(letter, sp.Symbol(f"n_{letter}", positive=True, integer=True)) for letter in SIZES}
SCOPE = Scope({}, {index.extent: str(index.extent) for index in INDEX.values()}, "float")


def source(formula):
    inputs, out = formula.split("->")
    operands = [Operand(Atom(f"x{n}"), tuple(INDEX[c] for c in text)) for n, text in enumerate(inputs.split(","))]
    axes = tuple(INDEX[c] for c in out)
    return flat(transposed(contracted(operands, axes, SCOPE), axes).node)


@pytest.mark.parametrize(
    "formula",
    [
        "ij,jk->ik",
        "ij,jk->ki",
        "ij,ij->i",
        "ij,ij->",
        "ijk,jl->il",
        "bij,bjk->bik",
        "bij,bkj->bki",
        "bcij,bcjk->bcik",
        "ibj,jbk->bik",
        "bijk,bjkl->bil",
        "bijk,bkl->bijl",
        "bijk,bklm->bmijl",
        "bij,bj->bi",
        "ij,j->i",
        "i,ij->j",
        "bij,bjk,bkl->bil",
        "ij,jk,ik->i",
        "ij,jk,kl->il",
        "ij,ij,jk->ik",
        "cij,blj->blci",
        "bcij,bklj->bklci",
        "bkli,bklj->bij",
        "klbi,bklj->bij",
        "i,i->",
        "ij,i,j->",
        "i,ij,jk->k",
        "ij,jk,k->i",
        "bij,i,j->b",
    ],
)
def test_agrees_with_plain_einsum(formula):
    rng = np.random.default_rng(0)
    arrays = {
        f"x{n}": rng.standard_normal([SIZES[c] for c in text])
        for n, text in enumerate(formula.split("->")[0].split(","))
    }
    text = source(formula)
    found = eval(text, {"np": np, **arrays, **{f"n_{c}": size for c, size in SIZES.items()}})
    np.testing.assert_allclose(found, np.einsum(formula, *arrays.values()), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("formula", ["ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bijk,bjkl->bil", "ij,jk,ik->i"])
def test_never_einsum_without_optimize(formula):
    text = source(formula)
    # A product along equal axes is as fast without.
    plain = re.findall(r'np\.einsum\("(\w+),\1->\w+"', text)
    assert text.count("np.einsum(") - len(plain) == text.count("optimize=True")


@pytest.mark.parametrize("formula", ["bij,bjk->bik", "bij,bkj->bki", "bijk,bjkl->bil", "bij,bjk,bkl->bil"])
def test_batches_of_matrix_products_are_written_as_such(formula):
    assert " @ " in source(formula)
    assert "einsum" not in source(formula)


def test_the_text_is_what_a_person_would_write():
    assert source("ij,jk->ik") == "x0 @ x1"
    assert source("i,i->") == "x0 @ x1"
    assert source("ij,kj->ik") == "x0 @ x1.T"
    assert source("ij,jk->ki") == "x1.T @ x0.T"
    assert source("ij,i->j") == "x0.T @ x1"
    assert source("ijk,klm->ijlm") == 'np.einsum("ijk,klm->ijlm", x0, x1, optimize=True)'
    assert source("bij,bkj->bik") == "x0 @ x1.swapaxes(-1, -2)"
    assert source("ij->i") == "x0.sum(axis=1)"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("cij,blj->blci", "x0.reshape(n_c * n_i, n_j).T"),
        ("bcij,bklj->bklci", "x0.reshape(n_b, n_c * n_i, n_j).swapaxes(-1, -2)"),
        ("bkli,bklj->bij", "x0.reshape(n_b, n_k * n_l, n_i).swapaxes(-1, -2)"),
    ],
)
def test_a_matrix_that_lies_in_memory_the_other_way_is_turned_and_not_copied(formula, text):
    inputs, out = formula.split("->")
    left, right = (Operand(Atom(f"x{n}"), tuple(INDEX[c] for c in one)) for n, one in enumerate(inputs.split(",")))
    assert text in flat(pairwise(left, right, tuple(INDEX[c] for c in out), SCOPE).node)
    array = np.zeros([SIZES[c] for c in formula.split(",")[0]])
    assert np.shares_memory(eval(text, {"x0": array, **{f"n_{c}": size for c, size in SIZES.items()}}), array)
