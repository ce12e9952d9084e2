"""What local derivatives hold: other paths to the loss, but never statistics that are differentiated through."""

from __future__ import annotations

import pytest

from indexcalc.language.read import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import latex_note, markdown_note
from indexcalc.notes.held import barred_tensors
from indexcalc.rewrite.derive import derive


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("info_nce", {("L", "S"): ("Z",)}),
        ("matrix_factorization", {("L", "P"): ("E",), ("L", "Q"): ("E",)}),
        ("layer_norm", {}),
        ("attention_projected", {}),
    ],
)
def test_shipped(name: str, held: dict[tuple[str, str], tuple[str, ...]]) -> None:
    assert barred_tensors(derive(load_problem(shipped_paths()[name]))) == held


@pytest.mark.parametrize("writer", [markdown_note, latex_note])
def test_the_loss_never_has_two_derivatives_of_one_look(writer) -> None:
    derivation = derive(load_problem(shipped_paths()["info_nce"]))
    note = writer(derivation)
    assert r"\right|_{Z \text{ held}} = -\frac{\delta_{ij}}{N}" in note
    assert r"\frac{\partial L}{\partial S_{ij}} = -\frac{\delta_{ij}}{N}" not in note
    assert "the word held" in note


def test_a_residual_holds_what_it_is_added_to() -> None:
    source = """
title "A residual"
index i, j : N
input X[i], W[i,j]
H[i] = sum[j](W[i,j] * X[j])
Y[i] = H[i] + X[i]
upstream G[i] = dL/dY[i]
derive X, H
"""
    assert barred_tensors(derive(read_problem(source))) == {("Y", "X"): ("H",)}


@pytest.mark.parametrize("writer", [markdown_note, latex_note])
def test_the_derivative_of_a_formula_holds_what_stands_in_it(writer) -> None:
    source = """
title "A loss that reads scores and sums of their exponentials in one bracket"
index i, j : N
input z[i], M[i,j]
Z[i] = sum[j](M[i,j] * exp(z[j]))
L = sum[i]((z[i] - log(Z[i]))^2)
loss L
derive z
"""
    note = writer(derive(read_problem(source)))
    whole = r"\frac{\partial (z_{a} - \log(Z_{a}))}{\partial z_{i}}"
    assert rf"\left.{whole}\right|_{{Z \text{{ held}}}} = " in note
    assert note.count(whole) == note.count(rf"\left.{whole}")


@pytest.mark.parametrize("writer", [markdown_note, latex_note])
def test_a_product_with_a_hessian_shows_what_the_formulas_of_gradients_hold(writer) -> None:
    derivation = derive(load_problem(shipped_paths()["mlp_hessian_vector"]))
    assert barred_tensors(derivation) == {("dW2", "A"): ("Y",), ("dA", "W2"): ("Y",), ("dZ", "A"): ("dA",)}
    note = writer(derivation)
    by_weights = (
        r"\left.\frac{\partial}{\partial W^{(2)}_{ab}}\right|_{Y \text{ held}} \frac{\partial L}{\partial A_{nh}}"
    )
    assert by_weights in note
    assert r"\right|_{\partial L/\partial A \text{ held}} \frac{\partial L}{\partial Z_{nh}}" in note
    assert r"\frac{\partial}{\partial W^{(2)}_{ab}} \frac{\partial L}{\partial A_{nh}}" not in note


def test_a_recurrence_that_reads_itself_holds_itself_at_the_other_steps() -> None:
    derivation = derive(load_problem(shipped_paths()["euler_ode"]))
    assert barred_tensors(derivation)["y", "y0"] == ("y", "Wy")
    assert (
        "In a derivative of $`y`$ or with respect to $`y`$, at one step, what is held of $`y`$ are its entries at all "
        "other steps." in markdown_note(derivation)
    )
