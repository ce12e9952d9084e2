"""The gradients of gradients: right, from both passes as one program, and refused from the backward pass alone."""

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import generate, loaded
from indexcalc.language import read_problem
from indexcalc.problem import Problem, Upstream
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.oracles import total_gradient
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.second import second_order
from tests.rewrite.specs import SPECS

LOSS = """
index n : N
index f : F
input X[n,f], t[n], w[f]
z[n] = sum[f](X[n,f] * w[f])
L = 1/N * sum[n](softplus(z[n]) - t[n] * z[n]) + sum[f](w[f]^4)
loss L
derive w
"""


@pytest.mark.parametrize("name", ["softmax_rows", "layer_norm", "attention", "logistic_regression"])
def test_every_step_of_a_second_derivation_keeps_its_value(name):
    problem = read_problem(SPECS[name])
    derivation = derive(second_order(derive(problem), problem.targets[:1]))
    assert check_derivation(derivation) == []
    report = check_backward(derivation.problem, derivation.backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_second_derivative_is_the_derivative_of_the_gradient():
    problem = read_problem("index i : n\ninput x[i]\nL = sum[i](exp(2 * x[i]))\nloss L\nderive x")
    twice = second_order(derive(problem))
    rng = np.random.default_rng(0)
    point = sample_point(twice.program, size_sets(twice.program, rng)[0], rng)
    weights = weights_for(twice, point, rng)
    found = total_gradient(twice.program, point, weights, "x")
    np.testing.assert_allclose(found, 4 * np.exp(2 * point.values["x"]) * weights["dx"], rtol=1e-12)
    assert check_backward(twice, derive(twice).backward).ok


def test_code_of_the_second_derivation_multiplies_by_the_hessian():
    first = derive(read_problem(LOSS))
    outputs = generate(derive(second_order(first)))
    assert outputs.report.ok, outputs.report.failures
    gradient, product = loaded(ic.numpy_module(first)), loaded(outputs.texts.code)
    rng = np.random.default_rng(0)
    X, t, w, V = rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3), rng.normal(size=3)

    def moved(step):
        return gradient.backward(gradient.forward(X, t, w + step * V)).dw

    expected = (moved(1e-5) - moved(-1e-5)) / 2e-5
    found = product.backward(product.forward(X, t, w), V).dw
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_upstream_gradients_are_inputs_that_may_be_differentiated_by():
    first = derive(read_problem(SPECS["softmax_rows"]))
    (upstream,) = first.problem.upstream
    twice = derive(second_order(first, [upstream.name]))
    assert twice.problem.targets == (upstream.name,)
    assert check_backward(twice.problem, twice.backward).ok


def test_the_backward_pass_alone_is_refused_where_paths_would_be_missing():
    first = derive(read_problem(LOSS.replace("loss L", "name e = dL/dz\nloss L")))
    assert first.backward.held == {"z": ("X", "w")}
    alone = Problem(first.backward, (Upstream("V", "dw"),), ("w",))
    said = r"by w would miss what goes through z: .* second_order\(derivation\) gives both passes as one program"
    with pytest.raises(ic.ProgramError, match=said):
        derive(alone)
    other = Problem(first.backward, (Upstream("V", "dw"),), ("t",))
    assert check_backward(other, derive(other).backward).ok


SHARES = """
index k : K
input c[k]
assume sum[k](c[k]) = 1
b = sum[k](c[k] * sum[k](c[k]^2))
ell = sin(b)
loss ell
derive c
"""


def test_what_is_assumed_of_a_tensor_says_nothing_of_slopes_by_it():
    spec = SHARES.replace("derive c", "hessian ell by c")
    whole = loaded(ic.numpy_module(derive(read_problem(spec))))
    twice = loaded(ic.numpy_module(derive(second_order(derive(read_problem(SHARES))))))
    c, v = np.array([0.2, 0.3, 0.5]), np.array([1.0, -2.0, 0.5])

    def gradient(c):
        return np.cos(c.sum() * np.sum(c**2)) * (np.sum(c**2) + 2 * c * c.sum())

    expected = (gradient(c + 1e-6 * v) - gradient(c - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(twice.backward(twice.forward(c), v).dc, expected, rtol=1e-7)
    np.testing.assert_allclose(whole.backward(whole.forward(c)).H @ v, expected, rtol=1e-7)


def test_what_is_assumed_of_other_tensors_still_holds():
    spec = "index k : K\ninput x[k], y[k]\nassume sum[k](y[k]) = 1\nL = logsumexp[k](x[k]) * sum[k](y[k]^2)\n"
    problem = read_problem(spec + "L2 = L * sum[k](y[k])\nloss L2\nhessian L2 by x")
    assert problem.alone[0].program.assumptions == problem.program.assumptions
    by_y = read_problem(spec + "L2 = L * sum[k](y[k])\nloss L2\nhessian L2 by y")
    assert by_y.alone[0].program.assumptions == ()
    assert by_y.first.program.assumptions == ()


def test_claims_beside_second_derivatives_are_proved_by_what_is_assumed():
    claims = 'prove b = sum[k](c[k]^2) "the mean of squares"\nprove sum[k](c[k]) = 1 "as assumed"\n'
    derivation = derive(read_problem(f"{SHARES}hessian ell by c\n{claims}"))
    assert not derivation.unproved
    assert check_derivation(derivation) == []


NEWTON = {
    "one array": """
index n : N
index f, g : F
input X[n,f], y[n], w[f], alpha positive
z[n] = sum[f](X[n,f] * w[f])
J = 1/N * sum[n](softplus(z[n]) - y[n] * z[n]) + alpha/2 * sum[f](w[f]^2)
loss J
hessian J by w
""",
    "a system for each row": """
index n, m : N
index c, d, l : C
input w[n,c], y[n,c], alpha positive
p[n,c] = exp(w[n,c]) / sum[l](exp(w[n,l]))
J = -sum[n,c](y[n,c] * log(p[n,c])) + alpha/2 * sum[n,c](w[n,c]^2)
loss J
hessian J by w
""",
    "two tensors": """
index i, j : N
index k, l : K
input u[i,k], v[k], A[i], alpha positive
z[i] = sum[k](u[i,k] * v[k]) - A[i]
J = sum[i](z[i]^2) + alpha * sum[i,k](cosine(u[i,k])) + alpha * sum[k](v[k]^4 + v[k]^2)
loss J
hessian J by (u, v)
""".replace("cosine(u[i,k])", "u[i,k]^4 + 3*u[i,k]^2"),
}


@pytest.mark.parametrize("name", NEWTON)
def test_a_step_of_newtons_method_solves_with_the_numerical_hessian(name):
    """The Hessian is that of central differences of the gradient of central differences of the loss."""
    derivation = derive(read_problem(NEWTON[name]))
    problem = ic.newton(derivation)
    code = loaded(ic.numpy_module(derive(problem)))
    rng = np.random.default_rng(1)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    inputs = {tensor.name: point.values[tensor.name] for tensor in problem.program.inputs}
    inputs["alpha"] = np.array(5.0)
    values = code.forward(*inputs.values())
    moving = [name for name in ("u", "v", "w") if name in inputs]
    start = np.concatenate([inputs[name].ravel() for name in moving])

    def loss(flat):
        parts, place = dict(inputs), 0
        for name in moving:
            size = inputs[name].size
            parts[name] = flat[place : place + size].reshape(inputs[name].shape)
            place += size
        return float(code.forward(*parts.values()).J)

    step = 1e-3 * np.eye(len(start))
    slope = np.array([(loss(start + e) - loss(start - e)) / 2e-3 for e in step])
    curved = np.array(
        [
            [
                (loss(start + a + b) - loss(start + a - b) - loss(start - a + b) + loss(start - a - b)) / 4e-6
                for b in step
            ]
            for a in step
        ]
    )
    found = np.concatenate([(inputs[name] - getattr(values, f"{name}_next")).ravel() for name in moving])
    np.testing.assert_allclose(found, np.linalg.solve(curved, slope), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", NEWTON)
def test_gradients_go_through_a_step_of_newtons_method(name):
    again = derive(ic.newton(derive(read_problem(NEWTON[name]))))
    assert check_derivation(again) == []
    report = check_backward(again.problem, again.backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_step_falls_into_blocks_as_the_second_derivatives_do():
    code = ic.numpy_module(derive(ic.newton(derive(read_problem(NEWTON["a system for each row"])))))
    assert "s_w = np.linalg.solve(s_w_matrix, dw[..., None])[..., 0]" in code
    assert "s_w_matrix[n,d,c]" in code


def test_a_step_of_gauss_and_newton_is_that_of_least_squares():
    text = """
index n : N
index f, g : F
input X[n,f], y[n], w[f], alpha positive
r[n] = tanh(sum[f](X[n,f] * w[f])) - y[n]
J = 1/2 * sum[n](r[n]^2)
loss J
gauss_newton J by w through r
"""
    code = loaded(ic.numpy_module(derive(ic.newton(derive(read_problem(text))))))
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(9, 3)), rng.normal(size=9), 0.1 * rng.normal(size=3)
    slopes = (1 - np.tanh(X @ w) ** 2)[:, None] * X
    step, *_ = np.linalg.lstsq(slopes, np.tanh(X @ w) - y, rcond=None)
    np.testing.assert_allclose(code.forward(X, y, w, np.array(1.0)).w_next, w - step, rtol=1e-9)


MIXTURE = """
index n : N
index k : K
index d : D
input m[k,d], x[n,d]
q[n,k] = -sum[d]((x[n,d]-m[k,d])^2)
J = -sum[n](logsumexp[k](q[n,k])) + sum[k,d](m[k,d]^2)*9
loss J
hessian J by m
"""
"""Its second derivatives are made of parts that are made of others."""

FUSED = """
index m : M
index h : H
index k : K
input W[m,(h,k)], a positive
J = sum[m,h,k](W[m,(h,k)]^4) + a*sum[m,h,k](W[m,(h,k)]^2)
loss J
hessian J by W
"""

SUMMING_TO_ONE = """
index k : K
input c[k], q[k]
assume sum[k](c[k]) = 1
b = sum[k](c[k]*sum[k](c[k]^2))
J = sin(b) + 4*sum[k](c[k]^2) + sum[k](exp(c[k])*q[k])
loss J
hessian J by c
"""


@pytest.mark.parametrize("text", [MIXTURE, FUSED, SUMMING_TO_ONE])
def test_code_of_a_step_is_right(text):
    again = derive(ic.newton(derive(read_problem(text))))
    report = ic.validate(again, ic.numpy_module(again))
    assert report.ok, report.failures


def test_a_step_has_the_shape_of_what_it_moves():
    code = loaded(ic.numpy_module(derive(ic.newton(derive(read_problem(FUSED))))))
    W = np.random.default_rng(0).normal(size=(2, 6))
    values = code.forward(W, np.array(0.5), H=2)
    assert values.W_next.shape == W.shape
    np.testing.assert_allclose(values.W_next, W - (4 * W**3 + W) / (12 * W**2 + 1), rtol=1e-9)


def test_gradients_through_a_step_assume_nothing_of_what_varies():
    code = loaded(ic.numpy_module(derive(ic.newton(derive(read_problem(SUMMING_TO_ONE))))))
    rng = np.random.default_rng(0)
    c, q, G = rng.uniform(0.2, 0.5, 3), rng.normal(size=3), rng.normal(size=3)
    c /= c.sum()
    moved = [code.forward(c + e, q).c_next - code.forward(c - e, q).c_next for e in 1e-6 * np.eye(3)]
    found = code.backward(code.forward(c, q), G).dc
    np.testing.assert_allclose(found, [G @ one / 2e-6 for one in moved], rtol=1e-6)


def test_a_step_shows_what_it_solves():
    assert "solve s_w[f] : dw[f] - " in str(ic.newton(derive(read_problem(NEWTON["one array"]))))


@pytest.mark.parametrize(
    "asked",
    ["derive w", "jacobian z by w", "hessian J by w\njacobian z by w", "hessian J by w\nproduct hessian J by w with s"],
)
def test_a_step_needs_second_derivatives_and_nothing_else(asked):
    text = NEWTON["one array"].replace("hessian J by w", asked)
    with pytest.raises(ic.IndexCalcError, match="a step of Newton's method needs the second derivatives"):
        ic.newton(derive(read_problem(text)))
