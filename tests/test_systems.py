"""Tensors that systems determine: what they are, the adjoint systems, the code, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.terms import Access, Index, Term
from indexcalc.codegen import module_names, module_symbols, numpy_module, target_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.codegen.outline import make_plan
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.consistency import check_program
from indexcalc.document import Verdict, check
from indexcalc.errors import IndexCalcError, ProgramError, UnsupportedError
from indexcalc.generation import loaded
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_backward, check_module
from indexcalc.proof.sampling import sample_point, size_sets
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.systems import log_determinant

HEAD = """
index i, j, k : I
index l, m : M
index n : N
"""

SPECS = {
    "one system": """
        input A[i,j], b[i]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        upstream G[j] = dL/dx[j]
        derive A, b
    """,
    "one for each sample": """
        input A[n,i,j], b[n,i]
        solve x[n,j] : sum[j](A[n,i,j]*x[n,j]) = b[n,i]
        Y[n,j] = exp(x[n,j])
        upstream G[n,j] = dL/dY[n,j]
        derive A, b, x
    """,
    "many right sides": """
        input A[i,j], B[n,i,l]
        solve X[l,j,n] : sum[j](A[i,j]*X[l,j,n]) = B[n,i,l]
        L = sum[j,n,l](X[l,j,n]^3)
        loss L
        derive A, B
    """,
    "both at once": """
        input A[n,i,j], B[n,i,l]
        solve X[l,n,j] : sum[j](A[n,i,j]*X[l,n,j]) = B[n,i,l]
        upstream G[l,n,j] = dL/dX[l,n,j]
        derive A, B
    """,
    "inverse": """
        input A[i,j]
        solve B[j,k] : sum[j](A[i,j]*B[j,k]) = delta[i,k]
        upstream G[j,k] = dL/dB[j,k]
        derive A
    """,
    "Sylvester's equation": """
        input A[i,j], B[l,m], C[i,l]
        solve X[i,l] : sum[j](A[i,j]*X[j,l]) + sum[m](X[i,m]*B[m,l]) = C[i,l]
        upstream G[i,l] = dL/dX[i,l]
        derive A, B, C
    """,
    "one equation an entry": """
        input a[i], b[i,n]
        solve x[i,n] : x[i,n]*(1 + a[i]^2) - b[i,n] = 0
        upstream G[i,n] = dL/dx[i,n]
        derive a, b
    """,
    "one number": """
        input a[i], b[i]
        solve x : x*(1 + sum[i](a[i]^2)) = sum[i](a[i]*b[i])
        L = x^2
        loss L
        derive a, b
    """,
    "equations between": """
        input W[i,l], V[l,j], b[i], c[l]
        h[l] = sum[j](V[l,j]*x[j]) + c[l]
        solve x[j] : x[i] + sum[l](W[i,l]*h[l]) = b[i]
        L = sum[j](x[j]^2) + sum[l](h[l]^3)
        loss L
        derive W, V, b, c
    """,
    "one after the other": """
        input A[i,j], b[i], B[i,j]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        solve y[j] : sum[j](B[i,j]*y[j]) = x[i]*x[i]
        upstream G[j] = dL/dy[j]
        derive A, B, b
    """,
    "determinant": """
        input A[i,j], b[i]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        L = 1/2*sum[i](b[i]*x[i]) + 1/2*logdet[i,j](A[i,j])
        loss L
        derive A, b
    """,
    "determinants of sums": """
        input X[n,i,l], c[i]
        d[n] = exp(logdet[i,j](sum[l](X[n,i,l]*X[n,j,l]) + exp(c[i])*delta[i,j]) / 4)
        upstream G[n] = dL/dd[n]
        derive X, c
    """,
    "an inverse, and a trace of one": """
        input A[n,i,j], C[i,l]
        B[n,j,l] = sum[i](inverse[i,j](A[n,i,j])*C[i,l]) + trace[i,j](inverse[j,i](A[n,i,j] + A[n,j,i]))*C[j,l]
        upstream G[n,j,l] = dL/dB[n,j,l]
        derive A, C
    """,
    "determinant of what a system determines": """
        input A[i,j], B[i,k]
        solve X[j,k] : sum[j](A[i,j]*X[j,k]) = B[i,k]
        L = logdet[j,k](X[j,k])
        loss L
        derive A, B
    """,
    "fused slots": """
        input A[i,j], b[i,(l,n)]
        solve x[j,(l,n)] : sum[j](A[i,j]*x[j,l,n]) = b[i,l,n]
        upstream G[j,(l,n)] = dL/dx[j,(l,n)]
        derive A, b
    """,
    "a fixed point for each sample": """
        input W[i,j] in (-1,1), b[i], u[n,i]
        solve z[n,i] : z[n,i] = tanh(1/I*sum[j](W[i,j]*z[n,j]) + u[n,i] + b[i])
        upstream G[n,i] = dL/dz[n,i]
        derive W, b, u
    """,
    "a cubic equation an entry": """
        input a[i], b[i,n]
        solve x[i,n] : x[i,n] + exp(a[i])*x[i,n]^3 = b[i,n]
        upstream G[i,n] = dL/dx[i,n]
        derive a, b
    """,
    "a level": """
        input b[i], w[n]
        solve s : sum[i](sigmoid(b[i] - s)) = I/2
        y[n] = s*w[n]
        upstream G[n] = dL/dy[n]
        derive b, w
    """,
    "a fixed point through probabilities": """
        input W[i,j] in (-1,1), b[i]
        solve z[i] : z[i] = b[i] + 1/4*sum[j](W[i,j]*softmax[j](z[j]))
        upstream G[i] = dL/dz[i]
        derive W, b
    """,
    "a quadratic equation of matrices": """
        input A[i,j] in (-1,1)
        solve X[i,j] : X[i,j] + 1/(8*I)*sum[k](X[i,k]*X[k,j]) = A[i,j]
        upstream G[i,j] = dL/dX[i,j]
        derive A
    """,
    "unbalanced transport": """
        input C[i,l], a[i] in (0.5,2), b[l] in (0.5,2)
        g[l] = 1/2*log(b[l]) - 1/2*log(sum[i](exp(f[i] - C[i,l])))
        solve f[i] : f[i] = 1/2*log(a[i]) - 1/2*log(sum[l](exp(g[l] - C[i,l])))
        P[i,l] = exp(f[i] + g[l] - C[i,l])
        upstream G[i,l] = dL/dP[i,l]
        derive C, a, b
    """,
    "a fixed point with fused slots": """
        input W[i,j] in (-1,1), b[(i,l)]
        solve z[(i,l)] : 4*z[i,l] = sin(1/I*sum[j](W[i,j]*z[j,l]) + b[i,l])
        upstream G[(i,l)] = dL/dz[(i,l)]
        derive W, b
    """,
    "a fixed point after a system": """
        input A[i,j], b[i]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        solve z[j] : 4*z[j] + sin(z[j]) = x[j]
        L = sum[j](z[j]^2)
        loss L
        derive A, b
    """,
    "equality constraints": """
        index p, q : I + M
        input A[p,q], b[p], C[l,p], d[l]
        solve x[q] "solution", nu[l] "multipliers" :
            sum[q](A[p,q]*x[q]) + sum[l](C[l,p]*nu[l]) = b[p] ;
            sum[q](C[l,q]*x[q]) = d[l]
        upstream G[q] = dL/dx[q]
        derive A, b, C, d
    """,
    "constrained least squares with residuals": """
        index p, q : I + M
        input X[n,p], t[n], C[l,p], d[l]
        solve w[p], e[n], nu[l] :
            sum[n](X[n,p]*e[n]) - 1/10*w[p] + sum[l](C[l,p]*nu[l]) = 0 ;
            e[n] + sum[p](X[n,p]*w[p]) = t[n] ;
            sum[p](C[l,p]*w[p]) = d[l]
        L = sum[p](w[p]^2) + sum[l](exp(nu[l]/10))
        loss L
        derive X, t, C, d
    """,
    "two numbers for each sample": """
        input a[n], b[n], c[n]
        solve u[n], v[n] : a[n]*u[n] + b[n]*v[n] = c[n] ; b[n]*u[n] - (1 + a[n]^2)*v[n] = c[n]^2
        L = sum[n](u[n]*v[n])
        loss L
        derive a, b, c
    """,
    "two for each sample, in another order, with an equation between": """
        input A[n,i,j], B[n,i], c[i,n], d[n]
        h[n] = sum[j](x[n,j]) - s[n]
        solve x[n,j], s[n] : h[n] + sum[j](B[n,j]*x[n,j]) = d[n] ;
            sum[j](A[n,i,j]*x[n,j]) + B[n,i]*s[n] + h[n] = c[i,n]
        upstream G[n,j] = dL/dx[n,j]
        derive A, B, c, d
    """,
    "matrices that determine one another, in two statements": """
        input A[i,j], B[l,m], C[i,l], D[i,l]
        solve X[i,l] : sum[j](A[i,j]*X[j,l]) + Y[i,l] = C[i,l]
        solve Y[i,l] : sum[m](Y[i,m]*B[m,l]) - X[i,l] = D[i,l]
        L = sum[i,l](X[i,l]*Y[i,l])
        loss L
        derive A, B, C, D
    """,
    "one multiplier, and a number for its right side": """
        input A[i,j], c[i], b[i]
        solve x[j], mu : sum[j](A[i,j]*x[j]) + mu*c[i] = b[i] ; sum[i](c[i]*x[i]) = 2
        upstream G[j] = dL/dx[j]
        derive A, b, c
    """,
    "one equation an entry, by an exponential": """
        input b[i], c[i]
        solve x[i] : x[i]*exp(c[i]) = b[i]
        L = sum[i](x[i]^2)
        loss L
        derive b, c
    """,
    "determinants of a part of a batch": """
        index p : N + 1
        input A[p,i,j]
        L = sum[n](logdet[i,j](A[n,i,j])) + logdet[i,j](A[1,i,j])
        loss L
        derive A
    """,
    "implicit steps": """
        index t : T
        input A[i,j], x0[i], u[t,i]
        solve x[t,j] : x[t,i] - sum[j](A[i,j]*x[t,j])/10 = [1 <= t]*x[t-1,i] + delta[t,0]*x0[i] + u[t,i]
        upstream G[t,j] = dL/dx[t,j]
        derive A, x0, u
    """,
    "implicit steps with their right sides above": """
        index t : T
        input A[i,j], x0[i], u[t,i]
        b[t,i] = [1 <= t]*x[t-1,i] + delta[t,0]*x0[i] + u[t,i]
        solve x[t,j] : x[t,i] - sum[j](A[i,j]*x[t,j])/10 = b[t,i]
        upstream G[t,j] = dL/dx[t,j]
        derive A, x0, u
    """,
    "steps of samples, with a matrix for each, explicit in what is not linear": """
        index t : T
        input A[n,t,i,j], u[n,t,i]
        solve x[n,t,j] : 3*x[n,t,i] + sum[j](A[n,t,i,j]*x[n,t,j])/I = [1 <= t]*sin(x[n,t-1,i]) + u[n,t,i]
        L = sum[n,t,j](x[n,t,j]^2)
        loss L
        derive A, u
    """,
    "steps down, two at a time, of one equation an entry": """
        index t : T
        input a[i], u[t,i]
        solve x[t,i] : x[t,i]*(2 + a[i]^2) = [t+1 < T]*x[t+1,i] - [t+2 < T]*x[t+2,i]/2 + u[t,i]
        upstream G[t,i] = dL/dx[t,i]
        derive a, u
    """,
    "a matrix that is made of the step before": """
        index t : T
        input P0[i,j], Q[i,j], b[t,i]
        K[0,i,j] = P0[i,j]
        K[t,i,j] = tanh(x[t-1,i]*x[t-1,j]) + Q[i,j]    for t in 1 .. T-1
        solve x[t,j] : sum[j](K[t,i,j]*x[t,j]) + 3*x[t,i] = b[t,i]
        L = sum[t,i](x[t,i]^2)
        loss L
        derive P0, Q, b
    """,
    "a matrix that is nothing without the step before": """
        index t : T
        input A[t,i,j], Q[i,j] spd
        P[0,i,j] = Q[i,j]
        P[t,i,j] = sum[k](inverse[k,i](P[t-1,k,i])*A[t,k,j]) for t in 1 .. T-1
        upstream G[t,i,j] = dL/dP[t,i,j]
        derive Q, A
    """,
    "an inverse in a line for some steps": """
        index t : T
        input P0[i,j], Q[t,i,j]
        P[0,i,j] = P0[i,j]
        P[t,i,j] = delta[i,j] + inverse[i,j](P[t-1,j,i]/3 + Q[t,i,j] + 3*delta[i,j])    for t in 1 .. T-1
        upstream G[t,i,j] = dL/dP[t,i,j]
        derive P0, Q
    """,
    "steps down, with what is between at the step and at others": """
        index t : T
        input A[i,j], w[i], u[t,i]
        q[t,i] = tanh(sum[j](A[i,j]*x[t,j]))/4
        s[T-1] = sum[i](w[i])
        s[t] = s[t+1]/2 + sum[i](w[i]*q[t+1,i])    for t in 0 .. T-2
        solve x[t,j] : x[t,i]*(2 + s[t]^2) + sum[j](A[i,j]*x[t,j])/5 = u[t,i] + s[t]
        L = sum[t,i](q[t,i]*x[t,i])
        loss L
        derive A, w, u
    """,
    "two inverses at each step": """
        index t : T
        input P0[i,j] spd, Q[i,j] spd, R[i,j] spd
        P[0,i,j] = P0[i,j]
        M[t,i,j] = R[i,j] + inverse[i,j](P[t-1,i,j])    for t in 1 .. T-1
        P[t,i,j] = Q[i,j] + inverse[i,j](M[t,i,j])      for t in 1 .. T-1
        upstream G[t,i,j] = dL/dP[t,i,j]
        derive P0, Q, R
    """,
    "two systems at each step, down": """
        index t : T
        input A[i,j], B[i,j], w[i], u[t,i]
        solve x[t,j] : 3*x[t,i] + sum[j](A[i,j]*x[t,j])/5 = u[t,i] + [t+1 < T]*tanh(y[t+1,i])
        solve y[t,j] : y[t,i]*(2 + sum[k](x[t,k]^2)) + sum[j](B[i,j]*y[t,j])/5 = w[i]
        L = sum[t,i](x[t,i]*y[t,i])
        loss L
        derive A, B, w, u
    """,
    "read directly and through another": """
        input A[i,j], b[i]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        s = sum[j](x[j]^2)
        p[j] = x[j] / s
        upstream G[j] = dL/dp[j], H[j] = dL/dx[j]
        derive A, b
    """,
}


def problem_of(text):
    return ic.read_problem(HEAD + text)


@pytest.fixture(params=SPECS, scope="module")
def derivation(request):
    text = SPECS[request.param].replace(", H[j]", "\n        upstream H[j]")
    return ic.derive(problem_of(text))


def test_the_gradients_are_those_of_complex_step(derivation):
    report = check_backward(derivation.problem, derivation.backward)
    assert report.ok, report.comparisons


def test_every_step_keeps_its_value(derivation):
    extents = dict(zip(derivation.problem.program.extents, (3, 2, 4), strict=False))
    assert check_derivation(derivation, sizes=[extents]) == []


def test_the_code_agrees_with_the_evaluator_and_complex_step(derivation):
    module = loaded(ic.numpy_module(derivation))
    names, symbols = module_names(derivation), module_symbols(derivation)
    assert check_module(derivation.problem, module, names=names, symbols=symbols).ok


def test_notes_and_costs_are_written(derivation):
    if not derivation.problem.program.unknowns:
        pytest.skip("it has no system of its author's")
    unknown = derivation.problem.program.unknowns[0].name
    for note in (ic.markdown_note(derivation), ic.latex_note(derivation), ic.html_note(derivation)):
        assert "is what th" in note or "are what these equations determine together" in note
    assert any(row.equation.name == unknown for row in ic.cost_report(derivation).forward.equations)


def test_a_wrong_sign_in_any_equation_is_refuted(derivation):
    backward = derivation.backward
    sizes = size_sets(derivation.problem.program, np.random.default_rng(1), count=1)[:1]
    for number, equation in enumerate(backward.equations):
        first, *rest = equation.terms
        if not rest and equation.name in backward.residuals.values():
            continue  # What is zero has no sign.
        wrong = replace(equation, terms=(Term(-first.coeff, first.powers, first.summed), *rest))
        changed = replace(backward, equations=(*backward.equations[:number], wrong, *backward.equations[number + 1 :]))
        assert not check_backward(derivation.problem, changed, sizes=sizes).ok, equation.name


def test_the_evaluator_solves_as_mpmath_does():
    problem = problem_of(SPECS["one system"])
    rng = np.random.default_rng(5)
    A, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    found = run_program(problem.program, {"A": A, "b": b}, dict.fromkeys(problem.program.extents, 5))["x"]
    with mpmath.workdps(40):
        expected = mpmath.lu_solve(mpmath.matrix(A.tolist()), mpmath.matrix(b.tolist()))
    assert np.allclose(found, np.array([float(entry) for entry in expected]), rtol=1e-12)


def test_the_adjoint_system_is_the_transposed_one():
    derivation = ic.derive(problem_of(SPECS["one system"]))
    found = {e.name: ic.formula_text(e, derivation) for e in derivation.backward.equations}
    assert found["s_x"] == "Σ_i lam[i] A[i,j] = G[j]"
    assert found["dA"] == "dL/dA[i,j] = −lam[i] x[j]"
    assert found["db"] == "dL/db[i] = lam[i]"
    assert "np.linalg.solve(A.T, G)" in ic.numpy_module(derivation)


def test_the_adjoint_of_a_symmetric_system_may_be_known():
    text = """
        input A[i,j], b[i], g
        assume A[i,j] = A[j,i]
        solve x[j] : sum[j](A[i,j]*x[j]) = b[i]
        L = g*sum[i](b[i]*x[i])
        loss L
        derive A
    """
    derivation = ic.derive(problem_of(text))
    assert derivation.backward.unknowns == ()
    assert [ic.formula_text(e, derivation) for e in derivation.derived] == ["dL/dA[i,j] = −g x[i] x[j]"]
    assert check_derivation(derivation) == []
    # The matrix must be symmetric, and the right side a multiple.
    for old, new in (("assume A[i,j] = A[j,i]\n", "\n"), ("g*sum[i](b[i]*x[i])", "sum[i](b[i]^2*x[i])")):
        assert ic.derive(problem_of(text.replace(old, new))).backward.unknowns


def test_the_derivative_of_a_likelihood_is_half_of_the_inverse_less_the_outer_product():
    text = SPECS["determinant"].replace("input A[i,j], b[i]", "input A[i,j], b[i]\nassume A[i,j] = A[j,i]")
    derivation = ic.derive(problem_of(text))
    found = {e.name: ic.formula_text(e, derivation) for e in derivation.derived}
    assert found == {"dA": "dL/dA[i,j] = (1/2) (A_inv[i,j] − x[i] x[j])", "db": "dL/db[i] = x[i]"}
    assert "np.linalg.inv(A)" in ic.numpy_module(derivation)


def test_an_inverse_has_the_rows_of_its_matrix_as_columns():
    problem = problem_of("input A[i,j]\nB[j,i] = inverse[i,j](A[i,j])\nt = trace[i,j](A[i,j])\nderive A")
    module = loaded(ic.numpy_module(ic.derive(problem)))
    A = np.random.default_rng(0).normal(size=(4, 4))
    values = module.forward(A)
    assert np.allclose(values.B, np.linalg.inv(A), rtol=1e-10)
    assert np.isclose(values.t, np.trace(A))


def test_notes_say_what_an_inverse_is_there_for():
    note = ic.markdown_note(ic.derive(problem_of("input A[i,j]\nB[j,i] = inverse[i,j](A[i,j])\nderive A")))
    assert "Inverse of A: " in note
    assert "determinant" not in note
    note = ic.markdown_note(ic.derive(problem_of("input A[i,j]\nL = logdet[i,j](A[i,j])\nloss L\nderive A")))
    assert "The derivative of the determinant reads the inverse of the matrix. " in note


def test_an_inverse_that_nothing_reads_is_not_computed():
    derivation = ic.derive(problem_of("input A[i,j], b\nL = b*logdet[i,j](A[i,j])\nloss L\nderive b"))
    assert "inv" not in ic.numpy_module(derivation)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_logarithm_of_a_determinant_is_that_of_mpmath(size):
    A = np.random.default_rng(size).normal(size=(2, size, size))
    with mpmath.workdps(40):
        expected = [float(mpmath.log(abs(mpmath.det(mpmath.matrix(one.tolist()))))) for one in A]
    assert np.allclose(log_determinant(A), expected, rtol=1e-12)


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_code_for_speed_solves_on_whole_arrays(derivation, target):
    if target == "torch":
        pytest.importorskip("torch")
    if target == "torch" and any(statement.loop is not None for statement in make_plan(derivation).forward):
        with pytest.raises(UnsupportedError, match="no loops over steps"):
            fast_module(derivation, target=target)
        return
    written = fast_module(derivation, target=target)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures


def test_what_loops_make_is_whole_before_it_is_solved_for():
    source = fast_module(ic.derive(ic.load_problem(ic.find_spec("gaussian_process")))).source
    forward = source[source.index("def forward") : source.index("def backward")]
    assert forward.index("_run(") < forward.index("alpha = np.linalg.solve(K, y)") < forward.index("slogdet(K)[1]")
    assert "K_logdet = logdet(K)" in forward


def test_a_matrix_of_matrices_has_its_axes_in_order_whatever_they_are_called():
    # A right side is a transposed input, under whose name it would stand.
    derivation = ic.derive(problem_of(SPECS["two for each sample, in another order, with an equation between"]))
    source = fast_module(derivation).source
    assert "# s_right[n,i] = c[i,n]" in source
    assert "s_right)" in source
    assert "c.T)" not in source


def test_code_for_speed_solves_nothing_within_a_bound_of_memory():
    derivation = ic.derive(problem_of(SPECS["one system"]))
    with pytest.raises(UnsupportedError, match="x is determined by a system, which is solved as a whole"):
        fast_module(derivation, FastOptions(memory=1 << 20))


def test_samples_are_drawn_at_which_systems_are_not_nearly_singular():
    problem = problem_of("input a[i,j]\nsolve x[j] : sum[j](a[i,j]*x[j]) = 1 + 0*sum[j](a[i,j])")
    sizes = dict.fromkeys(problem.program.extents, 3)
    for seed in range(20):
        point = sample_point(problem.program, sizes, np.random.default_rng(seed))
        assert np.linalg.cond(point.values["a"]) < 2e4


MISTAKES = {
    "solve x[j] : sum[j](A[i,j]*b[j]) = b[i]": r":6:7: the system for x does not read x, and so cannot determine it",
    "solve x[l] : sum[l](C[i,l]*x[l]) = b[i]": "has I equations, one for each i, but x has M entries",
    "solve x[j] : sum[j](A[i,j]*A[i,j])*x[j] = b[i]": r"has I\*\*2 equations, one for each",
    "solve x[j], y[j] : sum[j](A[i,j]*x[j]) = b[i]": "x and y: 2 to be determined, by 1 written with ; between",
    "solve x[j], y[l] : sum[j](A[i,j]*x[j]) + sum[l](y[l]) = b[i] ; sum[j](x[j]) = 1": "I \\+ 1 equations in all but x",
    "solve x[j], y[j] : sum[j](A[i,j]*y[j]) = b[i] ; y[i] = b[i]": "the system for x does not read x",
    "solve x[j], x[i] : x[j] = b[j] ; x[i] = b[i]": "the tensor x is declared already",
    "solve x[j] : sum[j](A[i,j]*x[j]) = b[i]\nx[j] = b[j]": "x is determined by a system",
    "solve A[i,j] : A[i,j] = b[i]": "the tensor A is declared already",
    "solve x[i,i] : x[i,j] = b[i]": "x is defined with the index i in two slots",
    "solve x[j] : sum[j](A[i,j]*x[q]) = b[i]": "the index q is not declared",
    "L = logdet[i](b[i])\nloss L": "logdet runs over two indices of one extent",
    "L = logdet[i,l](C[i,l])\nloss L": "logdet runs over two indices of one extent",
    "L = sum[i,l](inverse[i,l](C[i,l]))\nloss L": "inverse runs over two indices of one extent",
    "L = trace[i](A[i,i])\nloss L": "trace runs over two indices of one extent",
    "L = inverse(A)\nloss L": r"inverse is not known; write inverse\[i,j\]",
    "y[i] = b[i]\nprove trace[i,j](A[i,j]) = 0": "trace stands in equations",
    "y[i] = b[i]\nprove logdet[i,j](A[i,j]) = 0": "logdet stands in equations",
    "solve x[j] = b[j]": "expected ':'|such a line reads: solve x",
    "solve x : x*2 = sum[i](b[i])\nloss x": "the loss x is determined by a system; give it an equation",
    "solve x[j] : sum[j](A[i,j]*x[j]) = b[i]\nrecompute x": "x is determined by a system",
    "solve x[j] : sum[j](A[i,j]*x[j]) = b[i]\nL = sum[j](x[j]^2)\nloss L\nhessian L by b": "go products alone",
    "solve x[j] : sum[j](A[i,j]*x[j]) = b[i]\njacobian x by b": "a system determines x; give it an equation",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_told(text):
    with pytest.raises(IndexCalcError, match=MISTAKES[text]):
        ic.derive(problem_of(f"input A[i,j], b[i], C[i,l]\n{text}"))


def test_a_singular_system_is_told_at_its_place():
    text = "input a[i], b[i]\nsolve x[j] : sum[j](a[i]*a[j]*x[j]) = b[i]"
    problem = problem_of(text)
    size = dict.fromkeys(problem.program.extents, 3)
    with pytest.raises(UnsupportedError, match="the system for x must not be singular") as found:
        sample_point(problem.program, size, np.random.default_rng(0))
    assert found.value.place is not None
    assert found.value.place.line == 6


def test_a_program_whose_system_does_not_stand_together_is_refused():
    program = problem_of(SPECS["equations between"]).program
    h, residual, loss = program.equations
    with pytest.raises(ProgramError, match=r"do not stand together|read before"):
        check_program(replace(program, equations=(h, loss, residual)))


def test_an_unknown_without_its_residual_is_refused():
    program = problem_of(SPECS["one system"]).program
    with pytest.raises(ProgramError, match="r_x, the residual of the system for x, is not defined"):
        check_program(replace(program, equations=()))


def test_code_that_is_refused_is_told_at_the_place_of_the_system():
    text = (
        "input b[i], w[n]\nsolve x[i] : 4*x[i] + sum[j]([i - j < 2]*[j - i < 2]*tanh(x[j])) = b[i]\n"
        "L = sum[j](x[j])\nloss L\nderive b"
    )
    with pytest.raises(UnsupportedError, match="reads entries under expressions") as found:
        numpy_module(ic.derive(problem_of(text)))
    assert found.value.place is not None
    assert found.value.place.line == 6


def test_systems_of_a_step_that_need_one_another_are_refused_in_code():
    text = (
        "index t : T\ninput A[i,j], b[i]\n"
        "solve x[t,j] : 3*x[t,i] + y[t,i]/5 = b[i] + [1 <= t]*tanh(x[t-1,i])\n"
        "solve y[t,j] : 3*y[t,i] + tanh(x[t,i])/5 = b[i]\nL = sum[t,i](x[t,i]*y[t,i])\nloss L"
    )
    derivation = ic.derive(problem_of(text))
    assert check_backward(derivation.problem, derivation.backward).ok
    with pytest.raises(UnsupportedError, match="code solves the systems of a step one after the other") as caught:
        numpy_module(derivation)
    assert caught.value.place is not None


def test_inverses_of_a_step_are_made_one_after_the_other():
    """No array has two axes of steps, and nothing is said of a gradient that leaves the system aside."""
    derivation = ic.derive(problem_of(SPECS["two inverses at each step"]))
    code = numpy_module(derivation)
    assert code.count("for t in range(T):") == 1
    assert code.index("P_matrix_inv[t] = np.linalg.inv(") < code.index("M_matrix_inv[t] = np.linalg.inv(")
    cost = ic.cost_report(derivation)
    for name in ("P_matrix_inv", "M_matrix_inv"):
        flops = next(row.flops for row in cost.forward.equations if row.equation.name == name)
        assert {[str(extent) for extent in monomial].count("T") for monomial, _ in flops.terms} <= {0, 1}
    note = ic.markdown_note(derivation)
    assert "follow one after the other" in note
    assert "No other tensor reads" not in note
    assert not [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]


def test_steps_at_the_step_that_is_solved_for_are_refused_in_code():
    text = "input b[i]\nh[i] = [1 <= i]*h[i-1]*x[i]/4 + b[i]\nsolve x[i] : 2*x[i] = h[i]\nL = sum[i](x[i])\nloss L"
    derivation = ic.derive(problem_of(text))
    with pytest.raises(UnsupportedError, match="h is computed step by step inside the system for x") as caught:
        numpy_module(derivation)
    assert "solve x[i]" in str(caught.value)
    assert check_backward(derivation.problem, derivation.backward).ok


def test_code_for_several_unknowns_that_are_no_linear_system_is_refused_at_its_place():
    text = (
        "input b[i]\nsolve x[i], y : x[i] + tanh(y)/4 = b[i] ; y + sum[i](tanh(x[i]))/I = 0\nL = y^2\nloss L\nderive b"
    )
    derivation = ic.derive(problem_of(text))
    assert check_backward(derivation.problem, derivation.backward).ok
    assert check_derivation(derivation) == []
    assert "Newton" in ic.markdown_note(derivation)
    with pytest.raises(UnsupportedError, match="x and y are determined by one another, by equations that are") as found:
        numpy_module(derivation)
    assert found.value.place is not None
    assert found.value.place.line == 6


def test_the_adjoint_system_of_constraints_has_the_same_blocks():
    derivation = ic.derive(problem_of(SPECS["equality constraints"]))
    found = {e.name: ic.formula_text(e, derivation) for e in derivation.backward.equations}
    assert found["s_x"] == "Σ_p lam_x[p] A[p,q] + Σ_l lam_nu[l] C[l,q] = G[q]"
    assert found["s_nu"] == "Σ_p lam_x[p] C[l,p] = 0"
    assert found["dC"] == "dL/dC[l,p] = −lam_x[p] nu[l] − lam_nu[l] x[p]"


def test_systems_that_do_not_read_one_another_are_solved_one_by_one():
    """Which equation goes with which tensor has no meaning: the order of reading tells what is one system."""
    text = (
        "input A[i,j], b[i]\nsolve x[j], y[j] : sum[j](A[i,j]*x[j]) = b[i] ; y[j] - x[j]/2 = b[j]\nL = sum[j](y[j]^2)"
    )
    program = problem_of(text).program
    assert [len(program.determined_by(block)) for block in program.blocks] == [1, 1, 0]
    first, second = "sum[j](A[i,j]*x[j]) = b[i]", "y[j] - x[j]/2 = b[j]"
    turned = text.replace(f"{first} ; {second}", f"{second} ; {first}")
    program = problem_of(turned).program
    derivation = ic.derive(problem_of(turned + "\nloss L\nderive A, b"))
    assert check_backward(derivation.problem, derivation.backward).ok
    names, symbols = module_names(derivation), module_symbols(derivation)
    assert check_module(derivation.problem, loaded(numpy_module(derivation)), names=names, symbols=symbols).ok


def test_a_spec_with_several_unknowns_is_printed_as_it_is_read():
    problem = problem_of(SPECS["equality constraints"])
    assert ic.read_problem(str(problem)) == problem
    assert "; sum[q](C[l,q] * x[q]) = d[l]" in str(problem)


def test_a_system_that_falls_into_steps_is_solved_step_by_step():
    """Its cost is that of a system a step, and no array has two axes of steps."""
    derivation = ic.derive(problem_of(SPECS["implicit steps"]))
    code = numpy_module(derivation)
    assert code.count("for t in range(T):") == 1
    assert code.count("for t in reversed(range(T)):") == 1
    assert "x[t] = np.linalg.solve(x_matrix, x_right[t])" in code
    cost = ic.cost_report(derivation)
    flops = next(row.flops for row in cost.forward.equations if row.equation.name == "x")
    assert {[str(extent) for extent in monomial].count("T") for monomial, _ in flops.terms} <= {0, 1}


def test_newtons_method_needs_an_inverse_for_each_sample_alone():
    """Deltas of the Jacobian are systems side by side: the matrix of a step has no index of the samples twice."""
    code = numpy_module(ic.derive(problem_of(SPECS["a fixed point for each sample"])))
    assert "np.linalg.solve(z_step_matrix, r_z[..., None])[..., 0]" in code
    assert "solve z_step[a,j]: sum[j](z_step_matrix[a,i,j] * z_step[a,j]) = r_z[a,i]" in code


def test_a_root_that_steps_of_newtons_method_overshoot_is_found():
    text = "input b[i]\nsolve x[i] : 10*tanh(x[i]) + x[i]/100 = b[i]\nL = sum[i](x[i])\nloss L\nderive b"
    module = loaded(numpy_module(ic.derive(problem_of(text))))
    b = np.array([9.9, -10.3, 0.0, 1e-30, 12.0])
    x = module.forward(b).x
    np.testing.assert_allclose(10 * np.tanh(x) + x / 100, b, rtol=1e-12, atol=1e-40)
    np.testing.assert_allclose(module.backward(module.forward(b)).db, 1 / (10 / np.cosh(x) ** 2 + 0.01), rtol=1e-9)


def test_a_root_behind_points_with_singular_matrices_is_found():
    """From zero, each step that makes the residual smaller leads nearer to a point at which the slope is zero."""
    text = "input b[i]\nsolve x[i] : 2*x[i] - 3*sin(x[i]) = b[i]\nL = sum[i](x[i])\nloss L\nderive b"
    module = loaded(numpy_module(ic.derive(problem_of(text))))
    b = np.linspace(4.0, 300.0, 50)[:, None]
    for one in b:
        x = module.forward(one).x
        np.testing.assert_allclose(2 * x - 3 * np.sin(x), one, rtol=1e-12)


ROOTS = (
    ("x[i] + exp(x[i]) = b[i]", lambda x: x + np.exp(x), (2e3, 1e5, 1e10)),
    ("x[i]*exp(x[i]) = b[i]", lambda x: x * np.exp(x), (1e3, 1e6)),
    ("log(1+x[i]) + 0.01*x[i] = b[i]", lambda x: np.log1p(x) + 0.01 * x, (-3.0, -1.0)),
    ("x[i]^3 + x[i] = b[i]", lambda x: x**3 + x, (1e15, 1e-3)),
    ("2*x[i] - 3*sin(x[i]) = b[i]", lambda x: 2 * x - 3 * np.sin(x), (5.0, 111.0, 300.0)),
)
"""Systems of which whole steps of Newton's method lead far away, or halved steps nowhere."""


@pytest.mark.parametrize("style", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(("system", "left", "right"), ROOTS, ids=[system for system, _, _ in ROOTS])
def test_roots_that_either_kind_of_step_alone_misses(style, system, left, right):
    text = f"input b[i]\nsolve x[i] : {system}\nL = sum[i](x[i])\nloss L\nderive b"
    derivation = ic.derive(problem_of(text))
    library = np if style == "numpy" else pytest.importorskip(style)
    module = loaded(numpy_module(derivation) if style == "numpy" else target_module(derivation, style).source)
    array = library.tensor if style == "torch" else getattr(library, "numpy", library).asarray
    for one in right:
        b = np.array([one], np.float32)
        x = np.asarray(module.forward(array(b)).x)
        np.testing.assert_allclose(left(x.astype(float)), b, rtol=1e-5)


@pytest.mark.parametrize("style", ["numpy", "torch", "jax"])
def test_small_entries_of_a_root_are_as_exact_as_large_ones(style):
    text = "input b[i]\nsolve x[i] : 4*x[i] + tanh(x[i]) = b[i]\nL = sum[i](x[i])\nloss L\nderive b"
    b = np.array([300.0, 1e-4, 3e-7], np.float32)
    if style == "numpy":
        x = loaded(numpy_module(ic.derive(problem_of(text)))).forward(b).x
    else:
        library = pytest.importorskip(style)
        source = target_module(ic.derive(problem_of(text)), style).source
        given = library.tensor(b) if style == "torch" else library.numpy.asarray(b)
        x = np.asarray(loaded(source).forward(given).x)
    np.testing.assert_allclose(4.0 * x.astype(float) + np.tanh(x.astype(float)), b, rtol=1e-6)


def test_a_system_without_a_root_is_an_error():
    text = "input b[i]\nsolve x[i] : x[i]^2 + 1 = b[i]*x[i]\nL = sum[i](x[i])\nloss L\nderive b"
    module = loaded(numpy_module(ic.derive(problem_of(text))))
    with pytest.raises(ValueError, match="Newton's method finds no root of a system"):
        module.forward(np.full(3, 0.9))


def test_what_a_step_computes_keeps_its_name_where_another_of_that_name_is_called_otherwise():
    i = Index("i", sp.Symbol("I", positive=True, integer=True))
    terms = {name: (Term(sp.S.One, ((Access(name, (i,)), sp.S.One),)),) for name in ("a", "s")}
    inside = Statement("s", (i,), terms["a"]), Statement("x_step", (i,), terms["s"])
    found = Statement("x", (i,), (), Kind.ROOT, inside=inside, residual="s").reading({"s": "Z", "a": "b"})
    assert [(one.name, one.reads) for one in found.inside] == [("s", ("b",)), ("x_step", ("s",))]
    assert found.reads == ("b",)


def test_what_is_read_by_its_own_system_alone_is_a_result():
    text = "input A[i,j], b[i], c[i]\nsolve x[j], y[j] : sum[j](A[i,j]*x[j]) + y[i] = b[i] ; y[i] - x[i] = c[i]"
    problem = problem_of(text)
    assert problem.program.outputs == ("x", "y")
    assert [up.name for up in problem.upstream] == ["G_x", "G_y"]


def test_a_joint_system_in_code_for_speed_reads_inputs_as_they_are():
    text = "input A[i,j], c[i], b[i], s\nsolve x[j], mu : sum[j](A[i,j]*x[j]) + mu*c[i] = b[i] ; sum[i](c[i]*x[i]) = s"
    source = fast_module(ic.derive(problem_of(text))).source
    forward = source[source.index("def forward") : source.index("def backward")]
    assert "_run(" not in forward
    assert "np.concatenate((b, np.full((1,), s, dtype=dtype)), axis=-1)" in forward


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ("P[0,i,j] = A[i,j]\nP[t,i,j] = {}P[t-1,i,j] + A[i,j]) for t in 1 .. T-1", 1, 0),
        ("P[0,i,j] = A[i,j]\nP[1,i,j] = A[j,i]\nP[t,i,j] = {}P[t-2,i,j] + A[i,j]) for t in 2 .. T-1", 2, 0),
        ("P[T-1,i,j] = A[i,j]\nP[t,i,j] = {}P[t+1,i,j] + A[i,j]) for t in 0 .. T-2", 0, 1),
        ("P[0,i,j] = A[i,j]\nP[T-1,i,j] = A[j,i]\nP[t,i,j] = {}P[t-1,i,j] + A[i,j]) for t in 1 .. T-2", 1, 1),
    ],
)
def test_a_matrix_is_the_identity_where_its_line_does_not_hold(lines, first, last):
    text = f"index t : T\ninput A[i,j]\n{lines.format('inverse[i,j](')}\nL = sum[t,i,j](P[t,i,j])\nloss L\nderive A"
    problem = problem_of(text)
    steps = 5
    point = sample_point(
        problem.program,
        {sp.Symbol(n, positive=True, integer=True): s for n, s in (("I", 3), ("T", steps), ("M", 2), ("N", 4))},
        np.random.default_rng(1),
    )
    matrix, powers = point.values["matrix"], point.values["P"]
    for step in range(steps):
        if step < first or step >= steps - last:
            np.testing.assert_array_equal(matrix[step], np.eye(3))
        else:
            np.testing.assert_allclose(powers[step].T, np.linalg.inv(matrix[step]), atol=1e-9)
    derivation = ic.derive(problem)
    assert ic.validate(derivation, numpy_module(derivation)).ok


FILTER = """
    index t : T
    input y[t,l], C[l,i], R[l,m] spd, A[i,j], P0[i,j] spd
    P[0,i,j] = P0[i,j]
    P[t,i,j] = sum[k](F[t,i,k]*A[j,k]) + delta[i,j]    for t in 1 .. T-1
    F[t,i,k] = sum[j](A[i,j]*V[t-1,j,k])               for t in 1 .. T-1
    c[t,i,l] = sum[j](P[t,i,j]*C[l,j])
    S[t,l,m] = sum[i](C[l,i]*c[t,i,m]) + R[l,m]
    K[t,i,l] = sum[m](c[t,i,m]*inverse[m,l](S[t,m,l]))
    V[t,i,j] = P[t,i,j] - sum[l](K[t,i,l]*c[t,j,l])
    L = sum[t,l,m](y[t,l]*inverse[l,m](S[t,l,m])*y[t,m]) + sum[t](logdet[l,m](S[t,l,m]))
    loss L
    derive A, C, R, y, P0
"""
"""The likelihood of a Kalman filter that observes vectors: recurrences on both sides of an inverse at each step."""


def test_a_filter_that_observes_vectors():
    problem = problem_of(FILTER)
    derivation = ic.derive(problem)
    sizes = {extent: {"I": 2, "T": 3, "M": 2, "N": 1}[extent.name] for extent in problem.program.extents}
    assert check_backward(problem, derivation.backward, sizes=[sizes]).ok
    module = loaded(ic.numpy_module(derivation))
    point = sample_point(problem.program, sizes, np.random.default_rng(3))
    given = {tensor.name: point.values[tensor.name] for tensor in problem.program.inputs}
    values = module.forward(**given)
    np.testing.assert_allclose(values.L, likelihood(**given), rtol=1e-10)
    np.testing.assert_allclose(values.V, point.values["V"], rtol=1e-8)
    gradients = module.backward(values)
    found = run_program(derivation.backward, {**point.values, **values._asdict()}, sizes)
    for name in ("dA", "dC", "dR", "dy", "dP0"):
        np.testing.assert_allclose(getattr(gradients, name), found[name], rtol=1e-8, atol=1e-10)


def likelihood(y, C, R, A, P0):
    """What the filter minimises, as the joint Gaussian of its innovations has it."""
    covariance, total = P0, 0.0
    for observed in y:
        innovation = C @ covariance @ C.T + R
        total += observed @ np.linalg.solve(innovation, observed) + np.linalg.slogdet(innovation)[1]
        known = covariance - covariance @ C.T @ np.linalg.solve(innovation, C @ covariance)
        covariance = A @ known @ A.T + np.eye(len(A))
    return total


def test_a_determinant_may_be_taken_at_each_step_of_a_loop():
    text = """
        index t : T
        input A[t,i,j], B[i,j]
        C[0,i,j] = B[i,j]
        C[t,i,j] = A[t,i,j] + C[t-1,i,j]*tanh(s[t])    for t in 1 .. T-1
        s[t] = logdet[i,j](C[t-1,i,j])                 for t in 1 .. T-1
        d[0] = 1
        d[t] = d[t-1]*det[i,j](delta[i,j] + d[t-1]*A[t,i,j]/4) for t in 1 .. T-1
        L = sum[t,i,j](C[t,i,j])*d[T-1]
        loss L
        derive A, B
    """
    derivation = ic.derive(problem_of(text))
    assert check_backward(derivation.problem, derivation.backward).ok
    for source in (numpy_module(derivation), fast_module(derivation).source):
        assert re.search(r"np\.linalg\.slogdet\(C_matrix\[t\]\)|np\.linalg\.slogdet\(\w+\[t - 1\]\)", source)
    assert ic.validate(derivation, numpy_module(derivation)).ok
    assert check_fast(derivation.problem, loaded(fast_module(derivation).source), fast_module(derivation)).ok


def test_the_part_through_a_tensor_that_reads_a_solution_too_is_read_as_it_is_meant():
    text = (
        "input x[i], S[i,j] spd\nu[i] = 2*x[i]\nsolve v[j] : sum[j](S[i,j]*v[j]) = u[i]\n"
        "p = exp(-1/2*sum[i](u[i]*v[i]))\nupstream G = dL/dp\nderive x"
    )
    note = ic.markdown_note(ic.derive(problem_of(text)))
    assert r"{\text{via } \mathrm{uv}}" in note
    report = check(note)
    assert not [claim for claim in report.claims if claim.verdict in (Verdict.REFUTED, Verdict.UNCLEAR)]
    shorter = note.replace(r"\frac{\partial L}{\partial \mathrm{uv}} \, v_{i}", "v_{i}")
    assert shorter != note
    assert any(claim.verdict in (Verdict.REFUTED, Verdict.UNCLEAR) for claim in check(shorter).claims)
