"""Sums in non-linear places get names; dummies are kept apart; the values stay what the author wrote."""

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Access, Add, free_indices, tensors_of, walk
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import run_program

HEAD = "index i, j, l : T\nindex k, m : d\nparam eps = 0.5\ninput X[i,k], W[i,j], b[i], c\n"
SIZES = {sp.Symbol("T", positive=True, integer=True): 3, sp.Symbol("d", positive=True, integer=True): 4}


def program_of(text, head=HEAD):
    return read_problem(head + text).program


def equations(text):
    return {equation.name: equation for equation in program_of(text).equations}


def inputs():
    rng = np.random.default_rng(7)
    return {
        "X": rng.uniform(0.5, 1.5, (3, 4)),
        "W": rng.uniform(0.5, 1.5, (3, 3)),
        "b": rng.uniform(0.5, 1.5, 3),
        "c": rng.uniform(0.5, 1.5, ()),
    }


def softmax(x, axis):
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


VALUES = [
    # the name of a dummy must never meet a free index or another dummy of the same name
    ("Y[i] = b[i] * sum[i](b[i])", lambda X, W, b, c: b * b.sum()),
    ("Y[i] = sum[i](b[i]) * b[i]", lambda X, W, b, c: b * b.sum()),
    ("Y = sum[i](b[i]) * sum[i](b[i])", lambda X, W, b, c: b.sum() ** 2),
    ("Y = sum[i](b[i] * sum[i](b[i]))", lambda X, W, b, c: b.sum() ** 2),
    ("Y = sum[i](b[i])^2", lambda X, W, b, c: b.sum() ** 2),
    ("Y = sum[i](sum[j](W[i,j]) * sum[j](W[j,i]))", lambda X, W, b, c: (W.sum(1) * W.sum(0)).sum()),
    ("Y[i] = sum[j](W[i,j] * sum[i](W[i,j] * sum[j](W[i,j])))", lambda X, W, b, c: W @ (W.T @ W.sum(1))),
    ("Y[i,j] = W[i,j] / sum[j](W[i,j])", lambda X, W, b, c: W / W.sum(1, keepdims=True)),
    ("Y[i,j] = W[i,j] / sum[i](W[i,j])", lambda X, W, b, c: W / W.sum(0)),
    ("Y[i,j] = W[j,i] / sum[l](W[i,l])", lambda X, W, b, c: W.T / W.sum(1, keepdims=True)),
    ("Y[i] = sum[j](exp(W[i,j]) / sum[i](exp(W[i,j])))", lambda X, W, b, c: softmax(W, 0).sum(1)),
    ("Y[i] = sum[j](b[j]) + b[i] + sum[i](b[i])", lambda X, W, b, c: 2 * b.sum() + b),
    # places where a sum is named
    ("Y[i] = exp(b[i] - sum[j](W[i,j] * b[j]))", lambda X, W, b, c: np.exp(b - W @ b)),
    ("Y[i] = 1/sqrt(1/d * sum[k](X[i,k]^2) + eps)", lambda X, W, b, c: 1 / np.sqrt((X**2).mean(1) + 0.5)),
    ("Y[i] = (2 * sum[k](X[i,k]))^-2", lambda X, W, b, c: (2 * X.sum(1)) ** -2),
    ("Y[i] = log(b[i] * sum[k](X[i,k]) * sum[j](W[i,j]))", lambda X, W, b, c: np.log(b * X.sum(1) * W.sum(1))),
    ("Y[i] = exp(-1/2 * sum[k](X[i,k]^2))", lambda X, W, b, c: np.exp(-(X**2).sum(1) / 2)),
    ("Y[i] = max(sum[k](X[i,k]), 4)", lambda X, W, b, c: np.maximum(X.sum(1), 4)),
    ("Y[i] = tanh(sigmoid(sum[k](X[i,k])))", lambda X, W, b, c: np.tanh(1 / (1 + np.exp(-X.sum(1))))),
    # sums of products, and products of sums
    ("Y[i] = (b[i] + sum[j](W[i,j])) * (c + sum[k](X[i,k]))", lambda X, W, b, c: (b + W.sum(1)) * (c + X.sum(1))),
    ("Y[i] = (b[i] - c) * (b[i] + c)", lambda X, W, b, c: b**2 - c**2),
    ("Y[i] = -(b[i] - c) / (c - b[i] - 9)", lambda X, W, b, c: -(b - c) / (c - b - 9)),
    ("Y[i] = sum[k](X[i,k] + b[i])", lambda X, W, b, c: X.sum(1) + 4 * b),
    ("Y[i] = sum[k](X[i,k]/X[i,k]) * b[i]", lambda X, W, b, c: 4 * b),
    ("Y[i] = b[i]^0 + 0*b[i]", lambda X, W, b, c: np.ones(3)),
    ("Y[i] = sqrt(b[i]^2) * sqrt(b[i])^2", lambda X, W, b, c: b * b),
    # sugar
    ("Y[i,k] = softmax[k](X[i,k])", lambda X, W, b, c: softmax(X, 1)),
    ("Y[i,k] = softmax[i](X[i,k])", lambda X, W, b, c: softmax(X, 0)),
    ("Y[i,k] = softmax[i,k](X[i,k])", lambda X, W, b, c: softmax(X, (0, 1))),
    ("Y[i] = logsumexp[k](X[i,k])", lambda X, W, b, c: np.log(np.exp(X).sum(1))),
    ("Y[i,k] = logsoftmax[k](X[i,k])", lambda X, W, b, c: np.log(softmax(X, 1))),
    ("Y[i] = mean[k](X[i,k])", lambda X, W, b, c: X.mean(1)),
    ("Y = mean[i,k](X[i,k])", lambda X, W, b, c: X.mean()),
    ("Y[i] = var[k](X[i,k])", lambda X, W, b, c: X.var(1)),
    ("Y[k] = var[i](X[i,k])", lambda X, W, b, c: X.var(0)),
    ("Y[i] = norm2[k](X[i,k])", lambda X, W, b, c: (X**2).sum(1)),
    ("Y[i,k] = softmax[k](softmax[i](X[i,k]))", lambda X, W, b, c: softmax(softmax(X, 0), 1)),
    ("Y[i] = var[j](W[i,j] - mean[i](W[i,j]))", lambda X, W, b, c: (W - W.mean(0)).var(1)),
    # deltas, brackets, scalars
    ("Y[i] = sum[j]([j <= i] * W[i,j])", lambda X, W, b, c: np.tril(W).sum(1)),
    ("Y[i] = sum[j]([j > i] * W[i,j])", lambda X, W, b, c: np.triu(W, 1).sum(1)),
    ("Y[i] = sum[j]([i >= j] * W[i,j])", lambda X, W, b, c: np.tril(W).sum(1)),
    ("Y[i] = sum[j]([i != j] * W[i,j])", lambda X, W, b, c: W.sum(1) - np.diag(W)),
    ("Y[i] = sum[j](delta[i,j] * W[i,j])", lambda X, W, b, c: np.diag(W)),
    ("Y[i] = sum[j]([i == j] * W[i,j])", lambda X, W, b, c: np.diag(W)),
    ("Y[i] = [i <= i] * b[i] + [i < i] * b[i]", lambda X, W, b, c: b),
    ("Y[i] = W[i,i]", lambda X, W, b, c: np.diag(W)),
    (
        "Y[i] = b[i] * sqrt(d) * exp(1/T) * log(2) * abs(-3) * pi",
        lambda X, W, b, c: b * 6 * np.exp(1 / 3) * np.log(2) * np.pi,
    ),
    ("Y[i] = b[i] * (d - 1)^2 / (T + 1)", lambda X, W, b, c: b * 9 / 4),
    ("Y[i] = b[i] * gelu(0) + b[i] * max(2, eps) + max(1, b[i])", lambda X, W, b, c: 2 * b + np.maximum(1, b)),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_the_value_is_what_was_written(text, expected):
    program = program_of(text)
    given = inputs()
    value = run_program(program, given, SIZES, {sp.Symbol("eps", real=True): 0.5})["Y"]
    np.testing.assert_allclose(value, expected(*given.values()), rtol=1e-12)


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_binders_never_nest_nor_meet_free_names(text, expected):
    for equation in program_of(text).equations:
        own = {slot.name for slot in equation.lhs.slots}
        for term in equation.terms:
            bound = [index.name for index in term.summed]
            assert len(set(bound)) == len(bound)
            assert not own & set(bound)
            assert {index.name for index in free_indices(term)} <= own


def test_a_denominator_is_called_z_and_comes_first():
    found = program_of("Y[i,j] = W[i,j] / sum[l](W[i,l])").equations
    assert [(eq.name, eq.hoisted, len(eq.lhs.slots)) for eq in found] == [("Z", True, 1), ("Y", False, 2)]


def test_names_avoid_every_name_of_the_spec():
    head = "index i, Z : Z3\ninput X[i], Z2[i]\n"
    names = [eq.name for eq in program_of("u = 1/sum[i](X[i])\nY = exp(sum[i](Z2[i]))", head).equations]
    assert names == ["Z_u", "u", "Z2_sum", "Y"]
    head = "index i, Z : Z3\ninput X[i], Z_u[i]\n"
    names = [eq.name for eq in program_of("u = 1/sum[i](X[i]*Z_u[i])", head).equations]
    assert names == ["Z2", "u"]
    names = [eq.name for eq in program_of("u = sum[i](Z_u[i])/sum[i](X[i]*Z_u[i])/sum[i](X[i])", head).equations]
    assert names == ["Z2", "Z4", "u"]


def test_equal_sums_get_one_name_up_to_dummies_and_free_names():
    found = equations("A[i,j] = W[i,j] / sum[l](W[i,l])\nB[j,i] = W[j,i] / sum[i](W[j,i])\nC[i] = 1/sum[j](W[j,i])")
    assert list(found) == ["Z", "A", "B", "Z_C", "C"]
    slot = found["B"].lhs.slots[0]
    assert Access("Z", (slot,)) in found["B"].terms[0].bases


def test_a_sum_that_has_a_name_already_keeps_it():
    found = equations("mu[i] = mean[k](X[i,k])\nv[i] = var[k](X[i,k])")
    assert list(found) == ["mu", "v"]
    assert "mu" in {base.tensor for base in walk(found["v"].terms) if isinstance(base, Access)}


def test_a_scale_made_of_extents_goes_with_its_sum():
    found = equations("Y[i] = exp(-1/2 * 1/d * sum[k](X[i,k]))")
    assert found["X_mean"].terms[0].coeff == 1 / sp.Symbol("d", positive=True, integer=True)


def test_a_sum_without_sums_inside_stays_one_factor_in_authored_order():
    (term,) = equations("Y[i,k] = (X[i,k] - b[i]) * c")["Y"].terms
    add = term.bases[0]
    assert isinstance(add, Add)
    assert [part.bases[0].tensor for part in add.terms] == ["X", "b"]


def test_new_dummies_are_declared_names_if_there_are_any():
    (term,) = equations("Y[i] = b[i] * sum[i](b[i])")["Y"].terms
    assert [index.name for index in term.summed] == ["j"]
    (term,) = equations("Y[i] = sum[k](X[i,k])")["Y"].terms
    assert [index.name for index in term.summed] == ["k"]


def test_nested_composites_grow_linearly():
    text = "Y[i,k] = " + "softmax[k](" * 39 + "X[i,k]" + ")" * 39
    assert len(program_of(text).equations) == 2 * 39


def test_sums_in_a_function_over_the_same_indices_are_one_quantity():
    (whole, value) = program_of("Y[i] = tanh(sum[k](X[i,k]) + sum[j](W[i,j]) + b[i])").equations
    assert (whole.name, len(whole.terms)) == ("Y_arg", 3)
    assert [base.tensor for base in walk(value.terms) if isinstance(base, Access)] == ["Y_arg"]


def test_a_difference_with_a_sum_is_never_multiplied_out():
    for mean in ("mean[k](X[i,k])", "1/d * sum[k](X[i,k])", "sum[k](X[i,k])/d"):
        found = equations(f"Y[i,k] = (X[i,k] - {mean}) / sqrt(var[k](X[i,k]) + eps)")
        assert list(found) == ["X_mean", "X_var", "Y"]
        (term,) = found["Y"].terms
        assert not term.summed
        assert isinstance(term.bases[0], Add)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Y[i] = b[i] - mean[i](b[i])", ["b_mean", "Y"]),
        ("Y[i,j] = W[i,j] - max[j](W[i,j])", ["W_rank", "W_ties", "W_max", "Y"]),
        ("Y[i,j] = 1 + softmax[j](W[i,j])", ["Z", "W_softmax", "Y"]),
        ("Y[i,j] = softmax[j](W[i,j]) * softmax[i](W[i,j])", ["Z", "W_softmax", "Z_Y", "p", "Y"]),
        ("Y[i,j] = softmax[j](W[i,j]) * (1 - softmax[j](W[i,j]))", ["Z", "W_softmax", "Y"]),
        ("Y[i,j] = W[i,j] - logsumexp[j](W[i,j])", ["Z", "W_lse", "Y"]),
        ("Y[i,j] = exp(logsoftmax[j](W[i,j]))", ["Z", "W_logsoftmax", "Y"]),
        ("Y[i] = b[i] / sqrt(norm2[k](X[i,k]))", ["X_sq", "Y"]),
        ("Y[i] = 1 / sqrt(mean[k](X[i,k]^2) + eps)", ["X_ms", "Y"]),
        ("Y[i,j] = exp(-sum[k]((X[i,k] - X[j,k])^2))", ["X_dist", "Y"]),
        ("Y[i,j] = tanh(sum[k](X[i,k] * X[j,k]))", ["XX", "Y"]),
        ("Y[i] = tanh(sum[j](W[i,j] * b[j]))", ["Wb", "Y"]),
        ("Y[j] = tanh(sum[i](W[i,j] * b[i]))", ["bW", "Y"]),
        ("Y[i] = tanh(sum[j](W[i,j] * b[j]^2))", ["Y_arg", "Y"]),
        # what is only added up has no need of a name
        ("Y = mean[i](b[i]^2) + c * 0.5", ["Y"]),
        ("Y = mean[i](mean[k](X[i,k])) - 2*norm2[i](b[i])", ["Y"]),
        ("Y = c * mean[i](b[i])", ["b_mean", "Y"]),
    ],
)
def test_generated_names_say_what_they_are(text, names):
    assert [equation.name for equation in program_of(text).equations] == names


def test_what_the_author_named_is_read_by_that_name():
    found = equations(
        "m[i] = mean[k](X[i,k])\np[i,j] = softmax[j](W[i,j])\n"
        "Y[j,k] = (X[j,k] - mean[k](X[j,k])) * sum[i](log(softmax[i](W[j,i]))) / sqrt(var[m](X[j,m]))"
    )
    assert list(found) == ["m", "Z", "p", "X_var", "Y"]
    assert {"m", "p", "X_var"} <= {base.tensor for base in walk(found["Y"].terms) if isinstance(base, Access)}
    assert "m" in {base.tensor for base in walk(found["X_var"].terms) if isinstance(base, Access)}


def test_a_formula_equal_to_a_tensor_whose_gradient_is_asked_for_does_not_read_it():
    """The gradient by `a` goes through what the author wrote with `a`, and nothing else."""
    text = "index i, j : N\ninput R[i,j]\na[j] = sum[i](R[i,j]^3)\nx[j] = exp(sum[i](R[i,j]^3))\ny[j] = a[j]^2\n"
    asked = read_problem(f"{text}derive a, R\n").program.definitions
    assert "a" not in tensors_of(asked["x"].terms)
    other = read_problem(f"{text}derive R\n").program.definitions
    assert tensors_of(other["x"].terms) == ("a",)
