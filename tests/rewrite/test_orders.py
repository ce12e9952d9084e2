"""Jacobians, Hessians and products with them: right by PyTorch, in the form of a textbook, with their structure."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import indexcalc as ic
from indexcalc.algebra.terms import Access, Add, Index, Term, occurring_indices, tensors_of
from indexcalc.codegen.formula import equation_text
from indexcalc.errors import LimitError, ProgramError, SpecError
from indexcalc.generation import loaded
from indexcalc.notes.held import barred_tensors, held_tensors
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.orders import is_weighted

LOGISTIC = """
index n : N
index f, g : F
input X[n,f], t[n], w[f]
z[n] = sum[f](X[n,f] * w[f])
p[n] = sigmoid(z[n])
L = 1/N * sum[n](softplus(z[n]) - t[n] * z[n])
"""

SOFTMAX = """
index n, m : N
index c, d, l : C
input z[n,c]
p[n,c] = exp(z[n,c]) / sum[l](exp(z[n,l]))
"""

EVERY = {
    "a Jacobian": SOFTMAX + "jacobian p by z",
    "a product with a Jacobian": SOFTMAX + "product jacobian p by z with s",
    "a Hessian": LOGISTIC + "hessian L by w",
    "a product with a Hessian": LOGISTIC + "product hessian L by w with s",
    "a Hessian by an intermediate": LOGISTIC + "hessian L by z\nderive w",
    "a Hessian beside other gradients": LOGISTIC + "hessian L by w\nderive X, z",
    "several blocks": LOGISTIC + "hessian L by (w, X)\nderive w",
    "several products": LOGISTIC + "product hessian L by (w, X) with (s, V)",
    "a Gauss-Newton part": LOGISTIC + "gauss_newton L by w through z\nderive w",
    "by what is computed from another": LOGISTIC + "derive w\nhessian L by w\ngauss_newton L by w through z",
    "products by what is computed from another": LOGISTIC
    + "product hessian L by z with s\nproduct hessian L by w with r",
    "a linear function": "index i : n\ninput x[i]\nL = sum[i](2 * x[i])\nhessian L by x",
    "products with a linear function": "index i : n\ninput x[i]\nL = sum[i](2 * x[i])\nproduct hessian L by x with s",
    "kinks": "index i : n\ninput x[i]\ny[i] = relu(x[i])^2 + abs(x[i])\nL = sum[i](y[i]^2)\n"
    "hessian L by x\njacobian y by x",
    "a tensor that is read twice": "index i, j : n\ninput x[i], W[i,j]\nh[i] = tanh(sum[j](W[i,j] * x[j]))\n"
    "y[i] = x[i] * h[i]\nL = sum[i](y[i]^3)\nhessian L by x\nproduct hessian L by (x, W) with (s, V)\nderive x, h",
    "numbers for extents": "index i, j : 12\ninput x[i], A[i,j]\n"
    "L = sum[i,j](A[i,j] * x[i] * exp(x[j]))\nhessian L by x",
    "a scalar": "input x\nL = exp(2 * x)\nhessian L by x",
    "a convolution": "index n : N\nindex k : K\nindex i : N-K+1\ninput x[n], w[k]\n"
    "y[i] = sum[k](x[i+k] * w[k])\njacobian y by x\nproduct jacobian y by w with s",
    "values looked up": "index n : N\nindex v : V\nindex i : I\ninput E[v,i], tok[n] in V\n"
    "y[n,i] = sin(E[tok[n],i])\njacobian y by E",
    "a kept array with fused axes": "index i, j : N\nindex h : H\nindex k, q, r : D\nindex w : N*H\n"
    "input b[k,r,j,(i,h)]\nv[q,w,k,j] = delta[k,q] * b[q,q,j,w]\nF[j,k] = norm2[w](b[k,k,j,w])\njacobian F by b",
    "names that are one without underscores": "input a, a_a, aa\nL = exp(a * a_a) + sin(aa * a)\nloss L\n"
    "hessian L by (a, a_a, aa)",
    "along what code for speed does not keep": "index i : n\nindex j : M\ninput b[i,j], c\nW[i,j] = exp(b[i,j])\n"
    "L = sum[i,j](W[i,j]) * c\nloss L\nproduct hessian L by W with s",
    "a quadratic form": "index i, j : N\ninput x[i], A[i,j]\nL = sum[i,j](A[i,j] * x[i] * x[j])\nhessian L by x",
    "a quadratic form and more": "index i, j : N\ninput x[i], A[i,j], c[i]\n"
    "L = 1/2 * sum[i,j](A[i,j] * x[i] * x[j]) + sum[i](c[i] * x[i])^2 + 1/N * sum[i](x[i]^3)\nhessian L by x",
    "labels": "index n : N\nindex c, e : C\ninput z[n,c], y[n] in C\n"
    "L = 1/N * sum[n](logsumexp[e](z[n,e]) - z[n,y[n]])\nhessian L by z",
    "fused axes": "index n : N\nindex h : H\nindex k : K\ninput W[n,(h,k)]\n"
    "L = sum[n,h,k](exp(W[n,(h,k)]))^2\nhessian L by W",
}


def entries(text: str) -> list[str]:
    """The arrays and the entries of the derivatives of a spec, as formulas."""
    derivation = ic.derive(ic.read_problem(text))
    results = {name for order in derivation.orders for name in (order.equation.name, *order.arrays)}
    whole = derivation.put_together
    return [equation_text(e.lhs, e.terms, {}) for e in whole.equations if e.name in results]


@pytest.mark.parametrize("name", EVERY)
def test_every_step_keeps_its_value_and_every_result_is_right(name):
    derivation = ic.derive(ic.read_problem(EVERY[name]))
    assert check_derivation(derivation) == []
    report = check_backward(derivation.problem, derivation.put_together)
    assert report.ok, "\n".join(map(str, report.failures))
    assert {c.tensor for c in report.comparisons} >= {result.name for result in derivation.problem.results}
    assert ic.validate(derivation, ic.numpy_module(derivation)).ok
    written = ic.fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, "\n".join(map(str, report.failures))


def test_lines_of_derivatives_in_parts_are_not_too_long():
    names = "input X[n,f], t[n], first[f], other[f], third[f]\n"
    text = f"index n : N\nindex f, g : F\n{names}z[n] = sum[f](X[n,f]*first[f]*other[f])\n"
    text += "p[n] = tanh(z[n] + t[n]*sum[f](third[f]^2))\nL = sum[n](p[n]^2)\nloss L\n"
    text += "hessian L by (first, other, third)\ngauss_newton L by first through p"
    derivation = ic.derive(ic.read_problem(text))
    for source in (ic.numpy_module(derivation), ic.fast_module(derivation).source):
        assert max(map(len, source.splitlines())) <= 88
        loaded(source)


def test_results_have_the_form_of_a_textbook():
    assert entries(LOGISTIC + "hessian L by w") == ["H[f,g] = 1/N * sum[n](p[n] * (1 - p[n]) * X[n,f] * X[n,g])"]
    assert entries(SOFTMAX + "jacobian p by z") == [
        "J[n,c,m,d] = p[n,c] * delta[n,m] * delta[c,d] - p[n,c] * delta[n,m] * p[n,d]"
    ]


SHIPPED = {
    "softmax_jacobian": (
        "Js[n,c] = p[n,c] * (s[n,c] - r[n])",
        "J[n,c,m,d] = p[n,c] * delta[n,m] * delta[c,d] - p[n,c] * delta[n,m] * p[n,d]",
    ),
    "logistic_hessian": ("H[f,g] = 1/N * sum[n](p[n] * (1 - p[n]) * X[n,f] * X[n,g])",),
    "cross_entropy_hessian": (
        "H_diagonal[n,c] = 1/N * p[n,c]",
        "H[n,c,m,d] = delta[n,m] * delta[c,d] * H_diagonal[n,c] - delta[n,m] * H_diagonal[n,c] * p[n,d]",
    ),
    "matrix_factorization_hessian": (
        "H_P_P_block[u,k,l] = sum[i](W[u,i] * Q[i,k] * Q[i,l])",
        "H_P_Q[u,k,i,l] = W[u,i] * P[u,l] * Q[i,k] + dE[u,i] * delta[k,l]",
        "H_Q_Q_block[i,k,l] = sum[u](W[u,i] * P[u,k] * P[u,l])",
    ),
    "gauss_newton_least_squares": ("GN[f,g] = sum[n]((1 - q[n]^2)^2 * X[n,f] * X[n,g])",),
    "fisher_information": ("GN_block[c,f,g] = 1/N * sum[n](p[n,c] * X[n,f] * X[n,g])",),
    "mlp_hessian_vector": (
        "HV2[h,o] = 1/N * sum[n](A_dot[n,h] * (Y[n,o] - T[n,o])) + 1/N * sum[n](A[n,h] * Y_dot[n,o])",
        "Hc2[o] = 1/N * sum[n](Y_dot[n,o])",
        "HV1[f,h] = sum[n](X[n,f] * dZ_dot[n,h])",
    ),
}
"""Equations of shipped derivations as a textbook has them."""


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_derivations_have_the_form_of_a_textbook(name):
    whole = ic.derive(ic.load_problem(ic.find_spec(name))).put_together
    found = {equation_text(equation.lhs, equation.terms, {}) for equation in whole.equations}
    assert set(SHIPPED[name]) <= found


def test_what_two_factors_have_in_common_is_shared_evenly():
    found = entries(EVERY["labels"])
    # Not exp(z) and exp(z) / Z^2, which overflow where the softmax doesn't.
    assert found == [
        "H_diagonal[n,c] = 1/N * exp(z[n,c]) / Z[n]",
        "H_factor[n,e] = exp(z[n,e]) / Z[n]",
        "H[n,c,a,e] = delta[n,a] * delta[c,e] * H_diagonal[n,c] - delta[n,a] * H_diagonal[n,c] * H_factor[n,e]",
    ]


def test_only_what_is_not_zero_is_computed():
    derivation = ic.derive(ic.read_problem(SOFTMAX + "L = sum[n,c](p[n,c]^2)\nhessian L by z"))
    (order,) = derivation.orders
    assert not order.whole
    assert all(len(equation.lhs.slots) <= 2 for equation in derivation.backward.equations)


def test_a_sum_of_arrays_that_are_there_is_not_added_up():
    derivation = ic.derive(ic.read_problem(EVERY["a quadratic form"]))
    assert derivation.backward.equations == ()
    assert entries(EVERY["a quadratic form"]) == ["H[i,j] = A[i,j] + A[j,i]"]
    rng = np.random.default_rng(0)
    x, A, s = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3)
    module = loaded(ic.numpy_module(derivation))
    H = module.backward(module.forward(x, A)).H
    assert H.A is A
    np.testing.assert_allclose(H.dense() @ s, (A + A.T) @ s)
    np.testing.assert_allclose(H @ s, (A + A.T) @ s)
    assert "It is a sum of arrays that are there" in ic.markdown_note(derivation)


def test_what_is_kept_for_a_derivative_in_parts_is_read_by_it():
    note = ic.markdown_note(ic.derive(ic.read_problem(EVERY["a quadratic form"])))
    assert "| $`A`$ | $`N^{2}`$ | $`H`$ | an input, there anyway |" in note


def test_rows_and_columns_that_may_change_places_are_proved_to():
    for text, expected in (("hessian L by w", 1), ("hessian L by X", 1), ("jacobian p by w", 0)):
        (order,) = ic.derive(ic.read_problem(LOGISTIC + text)).orders
        assert len(order.symmetries) == expected


def test_both_blocks_and_products_agree_with_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X, t, w, s, V = (
        rng.normal(size=(5, 3)),
        rng.random(5),
        rng.normal(size=3),
        rng.normal(size=3),
        rng.normal(size=(5, 3)),
    )

    def loss(w, X):
        z = X @ w
        return (torch.nn.functional.softplus(z) - torch.tensor(t) * z).mean()

    blocks = torch.autograd.functional.hessian(loss, (torch.tensor(w), torch.tensor(X)))
    parts = loaded(ic.numpy_module(ic.derive(ic.read_problem(LOGISTIC + "hessian L by (w, X)"))))
    found = parts.backward(parts.forward(X, t, w))
    dense = [part.dense() if hasattr(part, "dense") else part for part in (found.H_w_w, found.H_w_X, found.H_X_X)]
    for one, other in zip(dense, (blocks[0][0], blocks[0][1], blocks[1][1]), strict=True):
        np.testing.assert_allclose(one, other.numpy(), atol=1e-14)
    np.testing.assert_allclose(found.H_X_X @ V, np.tensordot(dense[2], V, axes=2), atol=1e-14)
    along = loaded(ic.numpy_module(ic.derive(ic.read_problem(LOGISTIC + "product hessian L by (w, X) with (s, V)"))))
    products = along.backward(along.forward(X, t, w), s, V)
    np.testing.assert_allclose(products.Hs, dense[0] @ s + np.tensordot(dense[1], V, axes=2), atol=1e-14)
    np.testing.assert_allclose(
        products.HV, np.tensordot(s, dense[1], axes=1) + np.tensordot(dense[2], V, axes=2), atol=1e-14
    )


def test_a_vector_before_a_jacobian_is_an_upstream_gradient():
    one = ic.read_problem(SOFTMAX + "product s with jacobian p by z")
    other = ic.read_problem(SOFTMAX + "upstream s[n,c] = dL/dp[n,c]\nderive z")
    assert one == other


def test_programs_in_python_ask_the_same():
    program = ic.Program()
    (n_size,) = ic.extents("N")
    n = program.index("n", n_size)
    x = program.input("x", n)
    loss = program.define("L", (), ic.sum(ic.exp(x[n]), n))
    program.hessian(loss, x)
    program.product_hessian(loss, {"x": "s"})
    program.gauss_newton(program.define("M", (), ic.sum(x[n] * x[n], n)), x, through="x") if False else None
    program.jacobian(loss, x)
    text = (
        "index n : N\ninput x[n]\nL = sum[n](exp(x[n]))\nhessian L by x\nproduct hessian L by x with s\njacobian L by x"
    )
    assert program.problem().derivatives == ic.read_problem(text).derivatives


def test_a_gradient_may_not_depend_on_how_its_tensor_was_computed():
    # y is x^2 and (x^2)^2 stands in the loss: dL/dy must be 2 y, not 2 x^2, whose derivative by y would be zero.
    text = "index i : n\ninput x[i]\ny[i] = x[i]^2\nL = sum[i](y[i]^2)\nhessian L by y\nderive x"
    derivation = ic.derive(ic.read_problem(text))
    assert check_backward(derivation.problem, derivation.put_together).ok


MISTAKES = {
    "hessian z by w": "a loss is one number",
    "hessian L by q": "the tensor q is not known",
    "jacobian X by w": "X is an input",
    "hessian L by (w, w)": "asked for twice",
    "hessian L by L": "by itself",
    "hessian L by (w, z)": "z is computed from w",
    "product hessian L by w with X": "X has a meaning already",
    "product hessian L by (w, X) with s": "one direction for each tensor",
    "product s with hessian L by w": "write product hessian L by w with s",
    "product gauss_newton L by w with s": "multiplies by it with @",
    "hessian L by w through z": "leave `through` out",
    "hessian L b w": "such a line reads: hessian L by",
    "loss p\nhessian L by w": "one loss",
    "jacobian p by z\njacobian p by z": "asked for twice",
}


def test_a_derivative_through_all_has_no_bar():
    derivation = ic.derive(ic.read_problem(EVERY["a tensor that is read twice"]))
    assert ("y", "x") not in barred_tensors(derivation)
    (held,) = held_tensors(derivation)["y", "x"]
    note = ic.markdown_note(derivation)
    assert f"Here $`{held}`$ is held, so" in note
    assert f"$`{held}`$ does not depend on" not in note


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_named_at_their_place(line):
    with pytest.raises(SpecError, match=MISTAKES[line]) as found:
        ic.read_problem(LOGISTIC + line)
    assert found.value.place is not None


def test_what_the_loss_is_a_function_of_must_be_all_that_it_depends_on():
    text = LOGISTIC.replace("- t[n] * z[n])", "- t[n] * z[n]) + sum[f](w[f]^2)")
    with pytest.raises(ProgramError, match="L depends on w by other ways than through z"):
        ic.derive(ic.read_problem(text + "gauss_newton L by w through z"))


def test_a_derivative_of_too_many_terms_is_refused_with_a_way_out():
    sums = " * ".join(f"(1 + x[i] + sin({k} * x[i]))^3" for k in range(1, 7))
    with pytest.raises(LimitError, match="ask for a product with it"):
        ic.derive(ic.read_problem(f"index i : n\ninput x[i]\ny[i] = {sums}\njacobian y by x"))


@pytest.mark.parametrize(("extent", "names"), [("F", ["H", "H_X"]), ("H", ["H_w", "H_X"])])
def test_a_second_hessian_is_called_by_what_it_is_differentiated_by(extent, names):
    spec = LOGISTIC.replace(": F", f": {extent}") + "hessian L by w\nhessian L by X"
    assert [result.name for result in ic.read_problem(spec).results] == names


@pytest.mark.parametrize("penalty", ["norm2[f](w[f])", "sum[f](w[f]^4)", "sum[f](exp(w[f]))"])
def test_the_weights_of_a_product_are_one_factor_beside_a_penalty(penalty):
    problem = ic.read_problem(LOGISTIC + f"Q = L + 1/8 * {penalty}\nhessian Q by w")
    derivation = ic.derive(problem)
    (full,) = (e for e in derivation.backward.equations if e.name == "H_full")
    assert len(full.terms) == 1
    assert check_derivation(derivation) == []
    assert check_backward(derivation.problem, derivation.put_together).ok


SETS = st.sets(st.sampled_from("nfg"))


def factor_over(kind, name, indices):
    slots = tuple(Index(one, sp.Symbol("N", positive=True, integer=True)) for one in sorted(indices))
    entry = Access(name, slots)
    return Add((Term(sp.S.One, ((entry, sp.S.One),)), Term(sp.S.One))) if kind == "sum" else entry


@given(st.lists(st.tuples(st.sampled_from(["array", "sum"]), SETS), min_size=1, max_size=5), st.booleans())
def test_a_weight_makes_no_array_larger(drawn, summed):
    """The oracle is NumPy: a weight times the array that carries it has the shape of that array."""
    bases = [factor_over(kind, f"A{number}", indices) for number, (kind, indices) in enumerate(drawn)]
    bound = tuple({index for base in bases for index in occurring_indices(base)}) if summed else ()
    shapes = {kind: [tuple(2 if one in i else 1 for one in "nfg") for k, i in drawn if k == kind] for kind, _ in drawn}
    arrays = shapes.get("array", [])
    carried = all(any(np.broadcast_shapes(one, array) == array for array in arrays) for one in shapes.get("sum", []))
    term = Term(sp.S.One, tuple((base, sp.S.One) for base in bases), bound)
    assert is_weighted(term) == (carried or not bound)


CURVED = ["exp({})", "sigmoid({})", "softplus({})", "sin({})", "{}^3"]


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    losses=st.lists(st.tuples(st.sampled_from(CURVED), st.sampled_from("zu")), min_size=1, max_size=3),
    penalty=st.sampled_from(["{}^2", "{}^4", "exp({})", "cos({})", "{}^2 + 1/3 * {}^3"]),
)
@example(losses=[("{}^3", "u"), ("{}^3", "z"), ("sigmoid({})", "z")], penalty="exp({})")
@example(losses=[("{}^3", "u"), ("sigmoid({})", "u"), ("softplus({})", "z")], penalty="cos({})")
def test_second_derivatives_with_penalties_have_one_product_for_each_pair_of_matrices(losses, penalty):
    """What is added up over samples of one matrix is one product with weights; those of two matrices stay apart."""
    parts = " + ".join(f"sum[n]({kind.format(f'{name}[n]')})" for kind, name in losses)
    problem = ic.read_problem(
        "index n : N\nindex f, g : F\ninput X[n,f], Y[n,f], w[f]\nz[n] = sum[f](X[n,f] * w[f])\n"
        f"u[n] = sum[f](Y[n,f] * w[f])\nL = {parts} + 1/8 * sum[f]({penalty.replace('{}', 'w[f]')})\nhessian L by w"
    )
    derivation = ic.derive(problem)
    equations = [e for e in derivation.backward.equations if any(t.summed for t in e.terms)]
    products = [t for e in equations for t in e.terms if {"f", "g"} <= {s.name for s in e.slots} and t.summed]
    pairs = [{name for name in tensors_of((t,)) if name in ("X", "Y")} for t in products]
    used = {{"z": "X", "u": "Y"}[name] for _, name in losses}
    assert sorted(map(sorted, pairs)) == sorted([name] for name in used)
    assert check_derivation(derivation) == []
    assert check_backward(derivation.problem, derivation.put_together).ok


@pytest.mark.parametrize(
    "text",
    [
        "index i, j : N\nparam a = 0.3\ninput x[i], A[i,j]\nL = a * sum[i,j](A[i,j] * x[i] * x[j])\nhessian L by x",
        "index i, j : N\nparam a = 2\ninput x[j], A[i,j], B[i,j]\ny[i] = sum[j]((a*A[i,j] + B[i,j]) * x[j])\n"
        "jacobian y by x",
        "index j : N\ninput v[j], w[j], x[j]\ny = sum[j]((v[j] + w[j]) * x[j])\njacobian y by x",
    ],
)
def test_what_a_parameter_scales_or_is_no_matrix_is_an_array(text):
    derivation = ic.derive(ic.read_problem(text))
    assert all(order.whole for order in derivation.orders)
    assert ic.validate(derivation, ic.numpy_module(derivation)).ok


@pytest.mark.parametrize(
    "text",
    [
        "index v : V\nindex n : M\ninput e[v], t[n] in V\nz[n] = e[t[n]]^4\nJ = sum[n](z[n]) + 3*sum[v](e[v]^2)\n"
        "loss J\nhessian J by e",
        "index i : N\nindex k : K\ninput w[k], x[i], t[i]\nz[i] = sum[k]([0<=i-k<N]*w[k]*x[i-k])\n"
        "J = sum[i]((tanh(z[i])-t[i])^2)/10 + 3*sum[k](w[k]^2)\nloss J\nhessian J by w",
    ],
    ids=["a lookup by its table", "a convolution by its filter"],
)
def test_second_derivatives_with_expressions_in_slots(text):
    derivation = ic.derive(ic.read_problem(text))
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures
