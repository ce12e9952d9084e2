from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

NOTE = r"""
$X \in R^{m \times n}$

$norm(x)_i = \sum_{j=0}^{n-1} x_{ij}^2$

$scaled(x)_{ij} = norm(x)_i . x_{ij} . w_j$

"""

TRUE = (
    r"$\frac{\partial norm(x)_k}{\partial x_{ij}} = 2 x_{ij} . \delta_{ik}$",
    r"$\frac{\partial scaled(w)_{kl}}{\partial w_j} = norm(x)_k . x_{kl} . \delta_{lj}$",
    r"$\frac{\partial f(scaled(X))}{\partial x_{ij}}$"
    "\n\n"
    r"$= \sum_{k=0}^{m-1} \sum_{l=0}^{n-1} \frac{\partial f(scaled(X))}{\partial scaled(x)_{kl}} ."
    r" \frac{\partial scaled(x)_{kl}}{\partial x_{ij}}$"
    "\n\n"
    r"$= \sum_{l=0}^{n-1} df_{il} . \frac{\partial scaled(x_{il})}{\partial x_{ij}}$"
    "\n\n"
    r"$= df_{ij} . norm(x)_i . w_j + 2 x_{ij} \sum_{l=0}^{n-1} df_{il} . x_{il} . w_l$",
)

FALSE = (
    r"$\frac{\partial norm(x)_i}{\partial x_{ij}} = x_{ij}$",
    TRUE[2].replace("2 x_{ij}", "x_{ij}"),
    TRUE[2].replace(". w_j + ", " + "),
)


def verdicts(claim, before=NOTE):
    return [found.verdict for found in check(before + claim).claims[3:]]


@pytest.mark.parametrize("claim", TRUE)
def test_a_word_may_bear_what_it_is_made_from(claim):
    assert set(verdicts(claim)) <= {Verdict.PROVED, Verdict.CONFIRMED}


@pytest.mark.parametrize("claim", FALSE)
def test_the_last_member_is_refuted(claim):
    assert verdicts(claim)[-1] is Verdict.REFUTED


def test_a_word_that_is_declared_bears_a_list_too():
    before = r"""
$rows \in R^{m \times n}$, $cols \in R^{k \times n}$

$table = rows @ cols^T$

"""
    true = r"$\frac{\partial table(rows)_{pq}}{\partial rows_{ij}} = \delta_{ip} cols_{qj}$"
    assert check(before + true).claims[-1].verdict is Verdict.PROVED
    wrong = true.replace("cols_{qj}", "cols_{jq}")
    assert check(before + wrong).claims[-1].verdict is Verdict.REFUTED


def test_what_is_applied_to_another_name_is_a_function():
    before = r"$x \in R^{n}$, $z \in R^{n}$ $$gate(x)_i = x_i^2$$ "
    assert check(before + r"$$\frac{\partial gate(z)_i}{\partial z_j} = 2 z_i \delta_{ij}$$").claims[-1].verdict in (
        Verdict.PROVED,
        Verdict.CONFIRMED,
        Verdict.UNCLEAR,
    )


def test_the_rules_of_calculus_keep_their_functions():
    rule = r"$$\frac{\partial f(x)}{\partial x} = 2 x$$"
    assert check(r"$$f(x) = x^2$$" + rule).claims[-1].verdict is Verdict.PROVED


def test_a_formula_whose_declared_sizes_clash_is_refuted_although_it_defines():
    before = r"$X \in R^{m \times n}$, $W \in R^{k \times n}$, $bias \in R^{k}$, $Y \in R^{m \times k}$ "
    wrong = check(before + r"$$Y_{ij} = \sum_{l=0}^{n-1} X_{il} W_{jl} + bias_i$$").claims[-1]
    assert wrong.verdict is Verdict.REFUTED
    assert "shapes do not fit" in wrong.reason
    right = check(before + r"$$Y_{ij} = \sum_{l=0}^{n-1} X_{il} W_{jl} + bias_j$$").claims[-1]
    assert right.verdict is Verdict.DEFINITION


def test_blocks_of_arrays_are_not_refuted_for_their_shapes():
    before = r"$P \in R^{n \times n}$, $V \in R^{n \times e}$ "
    claim = check(before + r"$$U_{ji} = P_{ij}^\top V_i$$").claims[-1]
    assert claim.verdict is not Verdict.REFUTED


def test_two_declared_sizes_are_one_where_an_array_is_another():
    before = r"$X \in R^{m \times n}$, $A \in R^{m \times K}$ $$A = X$$ $$t_i = \sum_{k=1}^{n} X_{ik}$$ "
    assert (
        check(before + r"$$\frac{\partial t_i}{\partial X_{pq}} = \delta_{ip}$$").claims[-1].verdict is Verdict.PROVED
    )
    assert check(before + r"$$t_i = \sum_{k=1}^{K} X_{ik}$$").claims[-1].verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("Case 2: $k = i, l \\neq j$", Verdict.CONFIRMED),
        ("Case 2: $k = i, l < j$", Verdict.CONFIRMED),
        ("Case 2: $k = i, l >= j$", Verdict.REFUTED),
        ("Case 2:", Verdict.REFUTED),
    ],
)
def test_words_state_several_conditions_in_one_formula(words, verdict):
    before = rf"$$y_{{ij}} = x_{{ij}} \sum_q x_{{iq}}$$ {words}"
    claim = check(before + "\n\n" + r"$$\frac{\partial y_{kl}}{\partial x_{ij}} = x_{il}$$").claims[-1]
    assert claim.verdict is verdict


def test_code_repeats_an_array_along_an_axis():
    before = r"$x \in R^{m \times n}$, $r \in R^{m}$ $$y_{ij} = r_i x_{ij}$$ $$t_j = \sum_i y_{ij}$$ "
    assert check(before + r"$$t = sum(r . x, dim=0)$$").claims[-1].verdict is not Verdict.REFUTED


def test_a_change_is_no_product():
    before = r"$$f(x) = x^\top x$$ $$y = x + t \Delta x$$ $$t = \frac{\Delta x^\top q}{\Delta x^\top \Delta x}$$ "
    assert check(before + r"$$\Delta x = - 2 x - q$$").claims[-1].verdict is not Verdict.REFUTED


def test_a_gradient_of_clashing_sizes_is_refuted_whatever_else_is_not_understood():
    before = r"""
Let $\mathbf{x} \in \mathbb{R}^d$, $\mathbf{W} \in \mathbb{R}^{v \times d}$ and $\mathbf{y} \in \mathbb{R}^v$.

$$\mathbf{u} = \mathbf{y} + \operatorname{mystery}(k, l)$$

$$\mathbf{z} = \mathbf{W} \mathbf{x}$$

$$o = \sum_{i=1}^v u_i z_i$$

"""
    wrong = check(before + r"$$\mathbf{dx} = \mathbf{dz} \mathbf{W}^\top$$").claims[-1]
    assert wrong.verdict is Verdict.REFUTED
    assert check(before + r"$$\mathbf{dx} = \mathbf{W}^\top \mathbf{dz}$$").claims[-1].verdict is not Verdict.REFUTED
