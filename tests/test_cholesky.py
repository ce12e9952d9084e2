"""Cholesky factors, `cholesky[i,j](A[i,j])`: what they are, their gradients, the code, the notes, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.algebra.terms import Term
from indexcalc.codegen import module_names, module_symbols, target_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.document import Verdict, check
from indexcalc.errors import SpecError, UnsupportedError
from indexcalc.generation import code_styles, loaded, render
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_backward, check_module
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.systems import cholesky
from indexcalc.proof.targets import check_target
from indexcalc.worksheet import read_values, worksheet

HEAD = """
index i, j, k, l : I
index m : M
index n : N
index t : T
"""

SAMPLES = """
    input S[i,j] spd, mu[i], e[n,i]
    C[i,j] = cholesky[i,j](S[i,j])
    x[n,i] = mu[i] + sum[j](C[i,j]*e[n,j])
    upstream G[n,i] = dL/dx[n,i]
    derive S, mu
"""

SPECS = {
    "under a name": SAMPLES,
    "inside a formula, of a batch of matrices of inner products": """
        input R[n,i,m], e[n,i]
        x[n,i] = sum[j](cholesky[i,j](sum[m](R[n,i,m]*R[n,j,m]) + delta[i,j])*e[n,j])
        upstream G[n,i] = dL/dx[n,i]
        derive R, e
    """,
    "turned, beside another": """
        input S[i,j] spd, y[i]
        z[i] = sum[j](cholesky[j,i](S[j,i])*y[j]) + sum[j](cholesky[i,j](2*S[i,j] + delta[i,j])*y[j])
        upstream G[i] = dL/dz[i]
        derive S
    """,
    "a likelihood by its factor": """
        input S[i,j] spd, y[i]
        U[i,j] = cholesky[i,j](S[i,j])
        solve z[j] : sum[j](U[i,j]*z[j]) = y[i]
        L = 1/2*sum[i](z[i]^2) + sum[i](log(U[i,i]))
        loss L
        derive S, y
    """,
    "in a function": """
        input S[i,j] spd
        L = sum[i,j]([j <= i]*tanh(cholesky[i,j](S[i,j])))
        loss L
        derive S
    """,
    "of each step": """
        input P[i,j] spd, Q[t,i,j] spd over (i,j)
        C[0,i,j] = P[i,j]
        C[t,i,j] = Q[t,i,j] + sum[k](F[t,i,k]*F[t,j,k]) for t in 1 .. T-1
        F[t,i,k] = tanh(cholesky[i,k](C[t-1,i,k])) for t in 1 .. T-1
        upstream G[t,i,j] = dL/dC[t,i,j]
        derive P, Q
    """,
}


def problem_of(text):
    return ic.read_problem(HEAD + text)


def derived(text):
    return ic.derive(problem_of(text))


def formulas(derivation):
    equations = (*derivation.problem.program.equations, *derivation.backward.equations)
    return {equation.name: ic.formula_text(equation, derivation) for equation in equations}


@pytest.fixture(params=SPECS, scope="module")
def derivation(request):
    return derived(SPECS[request.param])


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


def test_the_code_for_speed_agrees_with_the_oracles(derivation):
    written = fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_the_code_for_libraries_agrees_with_the_oracles_and_their_gradients(derivation, target):
    pytest.importorskip(target)
    written = target_module(derivation, target)
    sizes = size_sets(derivation.problem.program, np.random.default_rng(1), count=1)[:1]
    assert check_target(derivation.problem, loaded(written.checked_source), written, sizes=sizes).ok


def test_the_code_for_speed_in_torch_agrees_with_the_oracles():
    pytest.importorskip("torch")
    derivation = derived(SPECS["a likelihood by its factor"])
    written = fast_module(derivation, target="torch")
    assert check_fast(derivation.problem, loaded(written.source), written).ok


def test_a_wrong_factor_in_any_equation_is_refuted(derivation):
    backward = derivation.backward
    sizes = size_sets(derivation.problem.program, np.random.default_rng(1), count=1)[:1]
    for number, equation in enumerate(backward.equations):
        first, *rest = equation.terms
        if not rest and equation.name in backward.residuals.values():
            continue  # What is zero has no sign.
        for factor in (-1, 2):
            changed = replace(equation, terms=(Term(factor * first.coeff, first.powers, first.summed), *rest))
            equations = (*backward.equations[:number], changed, *backward.equations[number + 1 :])
            assert not check_backward(derivation.problem, replace(backward, equations=equations), sizes=sizes).ok


@pytest.mark.parametrize("name", ["under a name", "a likelihood by its factor"])
def test_code_is_accurate_at_hostile_inputs(name):
    """The oracle there knows no rule: it goes through the elimination, number by number."""
    derivation = derived(SPECS[name])
    report = check_hostile(derivation.problem, code_styles(derivation, render(derivation)))
    assert report.ok, report.failures
    assert len(report.points) > 10


def definite(size, *shape):
    """Symmetric and positive definite matrices."""
    R = np.random.default_rng(size).normal(size=(*shape, size, size))
    return R @ R.swapaxes(-1, -2) + np.eye(size)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_evaluator_knows_the_factor_and_its_derivative(size):
    """NumPy's factor, and central differences of it along a symmetric direction."""
    A = definite(size, 4)
    np.testing.assert_allclose(cholesky(A), np.linalg.cholesky(A), rtol=1e-12, atol=1e-14)
    D = np.random.default_rng(0).normal(size=(size, size))
    D = D + D.T
    slopes = (np.linalg.cholesky(A + 1e-6 * D) - np.linalg.cholesky(A - 1e-6 * D)) / 2e-6
    np.testing.assert_allclose(cholesky(A + 1e-30j * D).imag / 1e-30, slopes, rtol=1e-6, atol=1e-8)


def test_what_has_no_factor_has_no_value():
    definite_one, indefinite = np.eye(2), np.diag([1.0, -1.0])
    turned = np.array([[1.0, 0.5], [-0.5, 1.0]])
    found = cholesky(np.stack([definite_one, indefinite, turned]))
    assert np.isfinite(found).all(axis=(1, 2)).tolist() == [True, False, False]


@pytest.mark.parametrize("size", [1, 2, 4])
def test_the_gradient_is_that_of_central_differences_and_of_autograd(size):
    """The entries of the matrix are moved in pairs, which leaves it symmetric."""
    module = loaded(ic.numpy_module(derived(SAMPLES)))
    rng = np.random.default_rng(size)
    S, mu, e, G = definite(size), rng.normal(size=size), rng.normal(size=(3, size)), rng.normal(size=(3, size))
    values = module.forward(S, mu, e)
    np.testing.assert_allclose(values.x, mu + e @ np.linalg.cholesky(S).T, rtol=1e-12)
    found = module.backward(values, G).dS
    np.testing.assert_allclose(found, found.T, rtol=1e-10, atol=1e-12)

    def loss(matrix):
        return (G * (e @ np.linalg.cholesky(matrix).T)).sum()

    for row, column in np.ndindex(size, size):
        bump = np.zeros((size, size))
        bump[row, column] += 1e-6
        bump[column, row] += 1e-6
        slope = (loss(S + bump) - loss(S - bump)) / 2e-6
        assert slope == pytest.approx(found[row, column] + found[column, row], rel=1e-6, abs=1e-7)


def test_the_gradient_is_that_of_autograd():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(7)
    R, e, G = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    r, s = (torch.tensor(array, requires_grad=True) for array in (R, e))
    factor = torch.linalg.cholesky(r @ r.mT + torch.eye(3, dtype=r.dtype))
    (torch.tensor(G) * (factor @ s[..., None])[..., 0]).sum().backward()
    name = "inside a formula, of a batch of matrices of inner products"
    module = loaded(ic.numpy_module(derived(SPECS[name])))
    found = module.backward(module.forward(R, e), G)
    np.testing.assert_allclose(found.dR, r.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(found.de, s.grad.numpy(), rtol=1e-9)


def test_the_result_has_the_textbooks_form():
    """Half of a triangle between the inverse of the factor and its transpose, and of its mirror image."""
    assert formulas(derived(SAMPLES))["dS"] == (
        "dL/dS[i,j] = (1/2) Σ_k,l,f dL/dC[k,l] C[k,f] ([l ≤ f] C_inv[f,i] C_inv[l,j] + [l < f] C_inv[f,j] C_inv[l,i])"
    )


def test_one_matrix_is_factored_once_under_one_name():
    text = """
        input S[i,j] spd, y[i]
        C[i,j] = cholesky[i,j](S[i,j])
        z[i] = sum[j](C[i,j]*y[j]) + sum[j](cholesky[i,j](S[i,j])*y[j])
        upstream G[i] = dL/dz[i]
        derive S
    """
    derivation = derived(text)
    assert [name for name in formulas(derivation) if "chol" in name] == []
    for source in (ic.numpy_module(derivation), fast_module(derivation).source):
        forward, _, _ = source.partition("def backward")
        assert forward.count("np.linalg.cholesky(S)") == 1
    assert formulas(derived(text.replace("C[i,j] = chol", "C[j,i] = chol")))["C"] == "C[j,i] = S_chol[i,j]"


def test_a_factor_that_is_only_read_needs_no_inverse():
    text = SAMPLES.replace("derive S, mu", "derive mu, e")
    source = ic.numpy_module(derived(text))
    assert "np.linalg.cholesky(S)" in source
    assert "inv" not in source


def test_the_note_says_what_the_factor_and_the_rule_are():
    note = ic.markdown_note(derived(SAMPLES))
    assert r"C_{ij} = \operatorname{cholesky}(S)_{ij}" in note
    assert "The derivative of the Cholesky factor reads its inverse." in note
    assert "is a lower triangle plus its transpose" in note
    report = check(note)
    assert {claim.verdict for claim in report.claims if claim.display} <= {
        Verdict.PROVED,
        Verdict.CONFIRMED,
        Verdict.DEFINITION,
        Verdict.DECLARATION,
        Verdict.CONDITION,
    }


def test_a_worksheet_writes_entries_of_the_factor():
    values = read_values(
        """
        [inputs]
        S = [[4, 2], [2, 5]]
        mu = [0, 0]
        e = [[1, 1]]
        [upstream]
        G = [[1, 0]]
        [sizes]
        M = 1
        T = 1
        """,
        problem_of(SAMPLES),
    )
    text = worksheet(derived(SAMPLES), values)
    assert "cholesky(S)" in text


REFUSED = {
    "input S[i,m]\nC[i,m] = cholesky[i,m](S[i,m])": "two indices of one extent",
    "input S[i,j]\nC[i,j] = chol[i,j](S[i,j])": r"cholesky\[i,j\]\(A\[i,j\]\)",
    "input S[i,j] spd\nL = sum[i,j](qr[i,j](S[i,j]))": "factored by cholesky",
    "input S[i,j] spd\nL = sum[i](cholesky[i,j](S[i,j]))": "the index j is free",
    "input S[i,j] spd\nL = sum[i](cholesky[i,i](S[i,i]))": "two indices of one extent",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_factor_is_refused_with_the_way_out(text):
    with pytest.raises(SpecError, match=REFUSED[text]):
        problem_of(text)


def test_a_matrix_that_is_not_symmetric_has_no_random_inputs():
    derivation = derived(
        "input S[i,j], y[j]\nz[i] = sum[j](cholesky[i,j](S[i,j])*y[j])\nupstream G[i] = dL/dz[i]\nderive y"
    )
    with pytest.raises(UnsupportedError, match="no random inputs"):
        check_backward(derivation.problem, derivation.backward)


DOCUMENT = r"""
Let $S \in \mathbb{R}^{n \times n}$ be symmetric and positive definite, and $y \in \mathbb{R}^n$.

$$ L = \operatorname{chol}(S) $$

$$ L L^T = S $$

$$ y^T S y = \|L y\|^2 $$

$$ \log\det S = 2 \sum_i \log L_{ii} $$

$$ \log\det S = \sum_i \log L_{ii} $$

$$ y^T S^{-1} y = \|L^{-1} y\|^2 $$

$$ \frac{\partial L_{ab}}{\partial S_{ij}} = \frac{1}{2} \sum_c L_{ac} \left([b \le c] (L^{-1})_{ci} (L^{-1})_{bj}
+ [b < c] (L^{-1})_{cj} (L^{-1})_{bi}\right) $$

$$ \frac{\partial L_{ab}}{\partial S_{ij}} = \sum_c L_{ac} \, [b \le c] (L^{-1})_{ci} (L^{-1})_{bj} $$
"""


def test_documents_read_factors_and_their_derivatives():
    verdicts = [claim.verdict for claim in check(DOCUMENT).claims if claim.display]
    right, wrong = {Verdict.PROVED, Verdict.CONFIRMED}, {Verdict.REFUTED}
    expected = [{Verdict.DEFINITION}, right, wrong, right, wrong, right, right, wrong]
    assert all(verdict in allowed for verdict, allowed in zip(verdicts, expected, strict=True)), verdicts
