"""Products with second derivatives and Jacobians through recurrences and systems: right by numbers, and by PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.calculus import along
from indexcalc.codegen import module_names, module_symbols
from indexcalc.codegen.checkpoints.module import checkpoints_module
from indexcalc.codegen.outline import origin_of
from indexcalc.errors import SpecError
from indexcalc.generation import generate, loaded
from indexcalc.proof.checkpoints import check_checkpoints
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_backward, check_module
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.targets import check_target, is_installed

HEAD = "index t : T\nindex i, j : N\nindex k : K\n"

ELMAN = """
input W[i,j], U[i,k], x[t,k], h0[i]
h[0,i] = h0[i]
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j]) + sum[k](U[i,k]*x[t,k])) for t in 1 .. T-1
L = sum[t,i](h[t,i]^2)/2
"""

LSTM = """
input U[i,j], W[i,j], P[i,j], x[t,i]
f[t,i] = sigmoid(sum[j](U[i,j]*h[t-1,j]) + x[t,i]) for t in 1 .. T-1
f[0,i] = sigmoid(x[0,i])
g[t,i] = tanh(sum[j](W[i,j]*h[t-1,j]) + x[t,i]) for t in 1 .. T-1
g[0,i] = tanh(x[0,i])
o[t,i] = sigmoid(sum[j](P[i,j]*h[t-1,j]) - x[t,i]) for t in 1 .. T-1
o[0,i] = sigmoid(x[0,i])
c[t,i] = f[t,i]*c[t-1,i] + (1 - f[t,i])*g[t,i] for t in 1 .. T-1
c[0,i] = g[0,i]
h[t,i] = o[t,i]*tanh(c[t,i])
L = sum[i](h[T-1,i]^2)/2
"""

EULER = """
input A[i,j], q0[i]
param dt = 0.1
q[0,i] = q0[i]
p[0,i] = 0
p[t,i] = p[t-1,i] - dt*sum[j](A[i,j]*sin(q[t-1,j])) for t in 1 .. T-1
q[t,i] = q[t-1,i] + dt*p[t,i] for t in 1 .. T-1
"""

SYSTEM = "input A[i,j], b[i]\nsolve x[j] : sum[j](A[i,j]*x[j]) = b[i]\n"

POINT = """
input W[i,j], b[i]
solve z[i] : z[i] = tanh(sum[j](W[i,j]*z[j])/(4*N) + b[i])
L = sum[i](z[i]^2)/2
"""

STEPS = {
    "an Elman network": ELMAN + "product hessian L by (W, h0) with (V, s)",
    "an LSTM": LSTM + "product hessian L by (U, W) with (V, Z)",
    "steps that go down": """
input X[t,k], w[k], gamma
r[t] = sum[k](X[t,k]*w[k])^2
G[t] = r[t] + gamma*G[t+1] for t in 0 .. T-2
G[T-1] = r[T-1]
L = sum[t](G[t]^2)/2
product hessian L by (w, gamma) with (v, g)""",
    "two lags": """
input a, b, e[t], s[t]
y[0] = e[0]
y[1] = e[1]
y[t] = a*sin(y[t-1]) + b*y[t-2] + e[t] for t in 2 .. T-1
L = sum[t](y[t]^2)
product hessian L by (a, b) with (u, v)
product hessian L by e with w""",
    "steps of an equation of motion": EULER
    + "L = sum[i](q[T-1,i]^2 + p[T-1,i]^2)/2\nproduct hessian L by (A, q0) with (V, s)",
    "a logarithm at each step": """
input A[i,j], e[t,j]
a[t,j] = log(sum[i](exp(a[t-1,i] + A[i,j]))) + e[t,j] for t in 1 .. T-1
a[0,j] = e[0,j]
L = log(sum[j](exp(a[T-1,j])))
product hessian L by A with V""",
    "by what steps compute later": ELMAN.replace("L =", "y[t,i] = h[t,i]^2\nL =").replace("h[t,i]^2)/2", "exp(y[t,i]))")
    + "product hessian L by y with v\nproduct hessian L by U with P\nderive W",
    "a Jacobian of one of several tensors": EULER + "product jacobian p by (A, q0) with (V, s)",
    "a gradient that is not kept": ELMAN + "recompute h\nproduct hessian L by x with v",
}

SYSTEMS = {
    "a linear system": SYSTEM + "L = sum[j](x[j]^4)\nproduct hessian L by (A, b) with (V, s)",
    "a Jacobian": SYSTEM + "y[j] = x[j]^2\nproduct jacobian y by (A, b) with (V, s)",
    "a fixed point": POINT + "product hessian L by (W, b) with (V, s)",
    "an inverse": "input A[i,j], y[i]\nL = sum[i,j](y[i]*inverse[i,j](A[i,j])*y[j])\n"
    "product hessian L by (A, y) with (V, s)",
    "a determinant": "input A[i,j]\nL = det[i,j](A[i,j])\nproduct hessian L by A with V",
    "the logarithm of one": "input A[i,j] spd\nL = logdet[i,j](A[i,j])\nproduct hessian L by A with V",
    "a Cholesky factor": "input A[i,j] spd, e[j]\ny[i] = sum[j](cholesky[i,j](A[i,j])*e[j])\nL = sum[i](y[i]^3)\n"
    "product hessian L by A with V",
    "an adjoint system that is solved already": "input A[i,j] spd, b[i]\nsolve x[j] : sum[j](A[i,j]*x[j]) = b[i]\n"
    "L = sum[i](b[i]*x[i])/2\nproduct hessian L by b with s",
    "a Gaussian": """
input X[i,k], y[i]
param s = 0.5
C[i,j] = sum[k](X[i,k]*X[j,k]) + s*delta[i,j]
solve a[j] : sum[j](C[i,j]*a[j]) = y[i]
L = sum[i](y[i]*a[i])/2 + logdet[i,j](C[i,j])/2
product hessian L by X with V""",
    "several unknowns": """
input A[i,j], B[i,k], C[k,i], b[i], c[k]
solve x[j] : sum[j](A[i,j]*x[j]) + sum[k](B[i,k]*u[k]) = b[i]
solve u[k] : 2*u[k] + sum[i](C[k,i]*x[i]) = c[k]
L = sum[i](x[i]^3) + sum[k](u[k]^2)
product hessian L by (A, b) with (V, s)""",
    "a system behind a recurrence": ELMAN.replace("L = sum[t,i](h[t,i]^2)/2", "")
    + "a[i] = h[T-1,i]/4\nb[i] = h[0,i]\nsolve z[i] : z[i] = tanh(z[i]*a[i] + b[i])\n"
    "L = sum[i](z[i]^2)\nproduct hessian L by W with V",
}

EVERY = STEPS | SYSTEMS


def derived(name: str):
    return ic.derive(ic.read_problem(HEAD + EVERY[name] + "\n"))


@pytest.mark.parametrize("name", EVERY)
def test_products_are_right_and_every_step_keeps_its_value(name):
    derivation = derived(name)
    report = check_backward(derivation.problem, derivation.backward)
    assert len(report.comparisons) >= len(derivation.problem.results)
    assert report.ok, report.failures
    assert not check_derivation(derivation, seed=3)


@pytest.mark.parametrize("name", EVERY)
def test_code_computes_them(name):
    derivation = derived(name)
    problem, names, symbols = derivation.problem, module_names(derivation), module_symbols(derivation)
    report = check_module(problem, loaded(ic.numpy_module(derivation)), names=names, symbols=symbols)
    assert report.ok, report.failures
    fast = ic.fast_module(derivation)
    assert not [c for c in check_fast(problem, loaded(fast.source), fast).comparisons if not c.ok]


@pytest.mark.parametrize("name", STEPS)
def test_code_that_keeps_few_steps_computes_them(name):
    derivation = derived(name)
    few = checkpoints_module(derivation)
    assert not [c for c in check_checkpoints(derivation.problem, loaded(few.source), few) if not c.ok]


def test_code_that_keeps_few_steps_holds_derivatives_in_parts():
    text = ELMAN.replace("L = sum[t,i](h[t,i]^2)/2", "p[t,i] = softmax[i](h[t,i]*c[i])\nL = sum[t,i](p[t,i]^2)")
    text = text.replace("h0[i]\n", "h0[i], c[i]\n", 1).replace("softmax[i](h[t,i]*c[i])", "softmax[i](z[t,i])")
    text = text.replace("p[t,i] =", "z[t,i] = h[t,i]*c[i]\np[t,i] =")
    derivation = ic.derive(ic.read_problem(f"{HEAD}{text}derive W\nhessian L by z\n"))
    assert not derivation.orders[0].whole
    few = checkpoints_module(derivation)
    found = check_checkpoints(derivation.problem, loaded(few.source), few)
    assert {comparison.tensor for comparison in found} >= {"dW", "H", "H times a vector"}
    assert not [comparison for comparison in found if not comparison.ok]


@pytest.mark.parametrize("target", ["torch", "jax"])
@pytest.mark.parametrize("name", ["an Elman network", "steps that go down", "a linear system", "a fixed point"])
def test_code_for_other_libraries_computes_them(name, target):
    if not is_installed(target):
        pytest.skip(f"{target} is not installed")
    derivation = derived(name)
    module = ic.target_module(derivation, target)
    assert not [
        c for c in check_target(derivation.problem, loaded(module.checked_source), module).comparisons if not c.ok
    ]


def elman(torch, w, h):
    total = (h**2).sum() / 2
    for x in torch.linspace(-1, 1, 5, dtype=torch.float64):
        h = torch.tanh(w @ h + x)
        total = total + (h**2).sum() / 2
    return total


def linear(torch, a, b):
    return (torch.linalg.solve(a, b) ** 4).sum()


def point(torch, w, b):
    z = torch.zeros_like(b)
    for _ in range(80):
        z = torch.tanh(w @ z / (4 * len(b)) + b)
    return (z**2).sum() / 2


@pytest.mark.parametrize(
    ("name", "loss"), [("an Elman network", elman), ("a linear system", linear), ("a fixed point", point)]
)
def test_they_are_those_of_pytorch(name, loss):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    n = 4
    arrays = [rng.normal(size=(n, n)) + 2 * np.eye(n) * (loss is linear), rng.normal(size=n)]
    moves = [rng.normal(size=(n, n)), rng.normal(size=n)]
    tensors, ways = ([torch.tensor(array) for array in some] for some in (arrays, moves))
    _, right = torch.autograd.functional.hvp(lambda *given: loss(torch, *given), tuple(tensors), tuple(ways))
    module = loaded(ic.numpy_module(derived(name)))
    inputs = arrays
    if loss is elman:
        # One column of ones, times the inputs that the loop adds.
        x = np.concatenate([[0.0], np.linspace(-1, 1, 5)])[:, np.newaxis]
        inputs = [arrays[0], np.ones((n, 1)), x, arrays[1]]
    found = module.backward(module.forward(*inputs), *moves)
    for product, expected in zip((found.HV, found.Hs), right, strict=True):
        np.testing.assert_allclose(product, expected.numpy(), rtol=1e-8, atol=1e-8)


def test_the_product_through_a_system_is_two_systems_with_its_matrix():
    texts = [ic.formula_text(equation, derived("a linear system")) for equation in derived("a linear system").derived]
    assert texts == [
        "Σ_i lam[i] A[i,j] = 4 x[j]^3",
        "Σ_j x[j] V[i,j] + Σ_j x_dot[j] A[i,j] = s[i]",
        "Σ_i lam[i] V[i,j] + Σ_i lam_dot[i] A[i,j] = 12 x[j]^2 x_dot[j]",
        "HV[i,j] = −lam[i] x_dot[j] − x[j] lam_dot[i]",
        "Hs[i] = lam_dot[i]",
    ]


def test_the_derivative_along_a_direction_steps_as_its_tensor_does():
    backward = derived("an Elman network").backward
    assert [(tuple(one.axes), one.direction) for one in backward.recurrences] == [
        (("dh", "dh_arg"), -1),
        (("h_arg_dot", "h_dot"), 1),
        (("dh_dot", "dh_arg_dot"), -1),
    ]


def test_errors_about_systems_name_the_unknown_of_the_author():
    derivation = derived("several unknowns")
    assert {one.name: origin_of(one.name, derivation) for one in derivation.backward.unknowns} == {
        "lam_x": ("x", "adjoint"),
        "lam_u": ("u", "adjoint"),
        "x_dot": ("x", "differentiated"),
        "u_dot": ("u", "differentiated"),
        "lam_x_dot": ("x", "adjoint differentiated"),
        "lam_u_dot": ("u", "adjoint differentiated"),
    }


@pytest.mark.parametrize("name", ["an Elman network", "steps that go down", "two lags"])
def test_a_derivative_that_does_not_read_earlier_steps_is_refuted(name, monkeypatch):
    right = along.nearest_consumers

    def of_other_tensors(program, statistics, source):
        own = program.recurrence_by_name.get(source)
        return tuple(one for one in right(program, statistics, source) if own is None or one not in own.axes)

    monkeypatch.setattr(along, "nearest_consumers", of_other_tensors)
    derivation = derived(name)
    assert not check_backward(derivation.problem, derivation.backward).ok


@pytest.mark.parametrize("name", EVERY)
def test_notes_write_derivatives_along_directions_with_an_r(name):
    derivation = derived(name)
    note = ic.markdown_note(derivation)
    assert r"\mathcal{R}\{" in note
    for text in (note, ic.latex_note(derivation)):
        assert r"\mathrm{dot}" not in text
    assert "</math>" in ic.html_note(derivation)


def test_a_note_says_how_a_product_passes_a_system():
    note = ic.markdown_note(derived("a linear system"))
    assert (
        r"$`x`$ is given by no formula, but $`r^{x}`$ stays zero as everything moves. So $`\mathcal{R}\{r^{x}_{i}\}`$ "
        r"is zero, and this determines $`\mathcal{R}\{x_{j}\}`$:" in note
    )
    assert r"\boxed{\sum_{j} (x_{j} \, V_{ij} + \mathcal{R}\{x_{j}\} \, A_{ij}) = s_{i}}" in note
    assert r"$`V \, x + A \, \mathcal{R}\{x\} = s \quad \text{for } \mathcal{R}\{x\}`$" in note
    assert r"$`\mathcal{R}\{\lambda\}`$ are the solutions of the systems in which they stand." in note
    joint = ic.markdown_note(derived("several unknowns"))
    assert "are given by no formulas" in joint
    assert r"determine $`\mathcal{R}\{x_{j}\}`$ and $`\mathcal{R}\{u_{k}\}`$ together" in joint


def test_how_far_tensors_move_is_no_letter_of_the_program():
    note = ic.markdown_note(derived("an Elman network"))
    assert r"Move $`W`$ to $`W + u \, V`$" in note
    assert r"with respect to $`u`$ at $`u = 0`$" in note
    assert r"Move $`A`$ to" in (other := ic.markdown_note(derived("a determinant")))
    assert r"$`A + u \, V`$" in other


REFUSED = {
    ELMAN
    + "hessian L by W": "the derivative of L by W goes through h, which is computed step by step, and through that "
    r"go products alone; ask for one: product hessian L by W with v",
    ELMAN + "hessian L by (W, U)": r"ask for one: product hessian L by \(W, U\) with \(v_W, v_U\)",
    ELMAN + "y[i] = h[T-1,i]\njacobian y by W": "ask for one: product jacobian y by W with v",
    ELMAN + "gauss_newton L by W through h": "through h, which is computed step by step",
    ELMAN + "product hessian L by h with v": "h is computed step by step, so its entries do not vary by themselves; "
    "add an input to its equation",
    ELMAN + "jacobian L by h": "h is computed step by step, so its entries",
    SYSTEM + "L = sum[j](x[j]^4)\nhessian L by b": "goes through x, which a system determines, and through that go",
    SYSTEM
    + "L = sum[j](x[j]^4)\nproduct hessian L by x with v": "a system determines x, so its entries do not vary by "
    "themselves; give it an equation, y = x, let what follows read y",
    SYSTEM + "product jacobian x by b with v": "a system determines x; give it an equation, y = x, and differentiate y",
    "input A[i,j]\nL = det[i,j](A[i,j])\nhessian L by A": "goes through the inverse of A, for det of it",
    "input A[i,j], b[j]\ny[i] = sum[j](inverse[i,j](A[i,j])*b[j])\njacobian y by A": "through the inverse of a matrix",
    "input W[i,j], b[i]\nv[i] = sum[j](W[i,j]*z[j])/(4*N) + b[i]\nsolve z[i] : z[i] = tanh(v[i])\nL = sum[i](z[i]^2)\n"
    "product hessian L by v with w": "v is computed within a system",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_is_told_at_its_place_with_the_way_out(text):
    with pytest.raises(SpecError, match=REFUSED[text]) as found:
        ic.read_problem(HEAD + text + "\n")
    place = found.value.place
    assert place is not None
    assert place.text == text.splitlines()[-1]


WAYS_OUT = {
    "by a copy of what a system determines": SYSTEM + "y[j] = x[j]\nL = sum[j](y[j]^4)\nhessian L by y",
    "by zeros that are added at each step": """
input W[i,j], h0[i], e[t,i]
h[0,i] = h0[i]
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j])) + e[t,i] for t in 1 .. T-1
L = sum[t,i](h[t,i]^2)/2
product hessian L by e with v""",
    "a Hessian beside a recurrence that it does not go through": ELMAN.replace("L =", "y[t,i] = h[t,i]^2\nL =").replace(
        "h[t,i]^2)/2", "exp(y[t,i]))"
    )
    + "hessian L by y",
    "a Hessian beside a system that it does not go through": "input A[i,j], b[i]\n"
    "y[i] = sum[j](inverse[i,j](A[i,j])*b[j])\nL = sum[i](sin(y[i]))\nhessian L by b",
    "a Jacobian of a determinant": "input A[i,j]\ny = logdet[i,j](A[i,j])\njacobian y by A",
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_what_the_refusals_offer_works(name):
    derivation = ic.derive(ic.read_problem(HEAD + WAYS_OUT[name] + "\n"))
    report = check_backward(derivation.problem, derivation.put_together)
    assert report.comparisons
    assert report.ok, report.failures


@pytest.mark.parametrize("name", ["an Elman network", "a linear system"])
def test_hostile_inputs_are_survived(name):
    outputs = generate(derived(name))
    assert outputs.report.hostile is not None
    assert outputs.report.hostile.findings
    assert outputs.report.ok, (outputs.report.failures, outputs.report.hostile.failures)
