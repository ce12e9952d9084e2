"""Determinants, `det[i,j](A[i,j])`: what they are, their gradients, the code, the notes, and what is refused.

Their logarithms are tested with the systems that their gradients read (`test_systems.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.match import match_base
from indexcalc.algebra.renaming import substitute, with_tensors
from indexcalc.algebra.sympy_bridge import to_sympy
from indexcalc.algebra.terms import Index, MatrixFunction, Term
from indexcalc.codegen import module_names, module_symbols, target_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.document import Verdict, check
from indexcalc.editors.hover import function_text
from indexcalc.errors import IndexCalcError
from indexcalc.generation import code_styles, loaded, render
from indexcalc.notes.networks import networks_of
from indexcalc.notes.text import PLAIN
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_backward, check_module
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.systems import determinant, log_determinant
from indexcalc.proof.targets import check_target
from indexcalc.worksheet import read_values, worksheet

HEAD = """
index i, j, k, l : I
index m : M
index n : N
index t : T
"""

SPECS = {
    "one of each sample": """
        input A[n,i,j], c[n]
        y[n] = c[n]*det[i,j](A[n,i,j])
        upstream G[n] = dL/dy[n]
        derive A, c
    """,
    "to a power, of a matrix of inner products": """
        input X[m,i]
        y = det[i,j](sum[m](X[m,i]*X[m,j]) + delta[i,j])^(-1/2)
        upstream G = dL/dy
        derive X
    """,
    "of sums for each sample": """
        input X[n,i,m], c[i]
        d[n] = det[i,j](sum[m](X[n,i,m]*X[n,j,m]) + exp(c[i])*delta[i,j])
        L = sum[n](d[n]^(1/3))
        loss L
        derive X, c
    """,
    "a density": """
        input x[n,i], mu[i], R[i,j]
        S[i,j] = sum[k](R[i,k]*R[j,k]) + delta[i,j]
        solve v[n,j] : sum[j](S[i,j]*v[n,j]) = x[n,i] - mu[i]
        p[n] = exp(-1/2*sum[i]((x[n,i] - mu[i])*v[n,i]))/sqrt(det[i,j](2*pi*S[i,j]))
        upstream G[n] = dL/dp[n]
        derive x, mu, R
    """,
    "under a name of the author's": """
        input A[i,j], b
        D = det[i,j](A[i,j])
        L = b*det[i,j](A[i,j]) + D^2
        loss L
        derive A, b, D
    """,
    "quotients, and transposed matrices": """
        input A[i,j], B[i,j]
        L = det[i,j](A[i,j])/det[j,i](B[i,j]) + det[i,j](A[j,i])
        loss L
        derive A, B
    """,
    "beside its logarithm": """
        input A[n,i,j]
        L = sum[n](det[i,j](A[n,i,j])*logdet[i,j](A[n,i,j]))
        loss L
        derive A
    """,
    "inside a function": """
        input A[n,i,j], w[n]
        y[n] = tanh(w[n]*det[i,j](A[n,i,j])/10)
        upstream G[n] = dL/dy[n]
        derive A, w
    """,
    "in a system": """
        input A[i,j], b[i]
        solve x[i] : x[i]*(1 + det[i,j](A[i,j])^2) = b[i]
        upstream G[i] = dL/dx[i]
        derive A, b
    """,
    "of what a system determines": """
        input A[i,j], B[i,k]
        solve X[j,k] : sum[j](A[i,j]*X[j,k]) = B[i,k]
        L = det[j,k](X[j,k])
        loss L
        derive A, B
    """,
    "of a part of a batch": """
        index p : N + 1
        input A[p,i,j]
        L = sum[n](det[i,j](A[n,i,j])) + det[i,j](A[1,i,j])
        loss L
        derive A
    """,
    "times an inverse": """
        input A[i,j]
        B[i,j] = det[i,j](A[i,j])*inverse[i,j](A[i,j])
        upstream G[i,j] = dL/dB[i,j]
        derive A
    """,
}

VALUES = """
[inputs]
A = [[[2, 1], [1, 3]], [[0, 1], [1, 0]]]
[upstream]
G = [1, 2]
[sizes]
M = 1
T = 1
"""

STEPS = """
    input A[t,i,j]
    s[0] = 1
    s[t] = s[t-1]/2 + det[i,j](A[t,i,j]) for t in 1 .. T-1
    L = s[T-1]
    loss L
    derive A
"""


def problem_of(text):
    return ic.read_problem(HEAD + text)


def derived(text):
    return ic.derive(problem_of(text))


def formulas(derivation):
    equations = (*derivation.problem.program.equations, *derivation.backward.equations)
    return {equation.name: ic.formula_text(equation, derivation) for equation in equations}


@pytest.fixture(params=[*SPECS, "steps"], scope="module")
def derivation(request):
    return derived(STEPS if request.param == "steps" else SPECS[request.param])


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


def agrees_with_the_oracles_and_its_own_gradients(derivation, target):
    written = target_module(derivation, target)
    sizes = size_sets(derivation.problem.program, np.random.default_rng(1), count=1)[:1]
    report = check_target(derivation.problem, loaded(written.checked_source), written, sizes=sizes)
    return report.ok


def test_the_code_for_torch_agrees_with_the_oracles_and_autograd(derivation):
    pytest.importorskip("torch")
    assert agrees_with_the_oracles_and_its_own_gradients(derivation, "torch")


@pytest.mark.parametrize(
    "text", [SPECS["one of each sample"], SPECS["a density"], STEPS], ids=["batch", "root", "steps"]
)
def test_the_code_for_jax_agrees_with_the_oracles_and_its_own_gradients(text):
    pytest.importorskip("jax")
    assert agrees_with_the_oracles_and_its_own_gradients(derived(text), "jax")


def test_the_code_for_speed_agrees_with_the_oracles(derivation):
    written = fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures


def test_the_code_for_speed_in_torch_agrees_with_the_oracles():
    pytest.importorskip("torch")
    derivation = derived(SPECS["to a power, of a matrix of inner products"])
    written = fast_module(derivation, target="torch")
    assert check_fast(derivation.problem, loaded(written.source), written).ok


def test_axes_may_stand_in_another_order():
    text = "input A[n,m,i,j]\ny[m,n] = det[i,j](A[n,m,i,j])\nupstream G[m,n] = dL/dy[m,n]\nderive A"
    derivation = derived(text)
    assert formulas(derivation)["dA"] == "dL/dA[n,m,i,j] = G[m,n] y[m,n] A_inv[n,m,j,i]"
    A = np.random.default_rng(0).normal(size=(2, 4, 3, 3))
    G = np.random.default_rng(1).normal(size=(4, 2))
    expected = np.linalg.det(A)
    for source, extents in ((ic.numpy_module(derivation), {}), (fast_module(derivation).source, {"T": 1})):
        module = loaded(source)
        values = module.forward(A, **extents)
        np.testing.assert_allclose(values.y, expected.T, rtol=1e-10)
        right = (G.T * expected)[..., None, None] * np.linalg.inv(A).swapaxes(-1, -2)
        np.testing.assert_allclose(module.backward(values, G).dA, right, rtol=1e-9)


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


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_gradient_is_the_matrix_of_cofactors(size):
    """Signed determinants of what is left of the matrix without a row and a column, and central differences."""
    module = loaded(ic.numpy_module(derived("input A[i,j]\nL = det[i,j](A[i,j])\nloss L\nderive A")))
    A = np.random.default_rng(size).normal(size=(size, size))
    values = module.forward(A)
    found = module.backward(values).dA
    assert np.isclose(values.L, np.linalg.det(A))
    for row, column in np.ndindex(size, size):
        rest = np.delete(np.delete(A, row, 0), column, 1)
        cofactor = (-1) ** (row + column) * np.linalg.det(rest)
        bump = np.zeros((size, size))
        bump[row, column] = 1e-6
        slope = (np.linalg.det(A + bump) - np.linalg.det(A - bump)) / 2e-6
        assert found[row, column] == pytest.approx(cofactor, rel=1e-9, abs=1e-12)
        assert found[row, column] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_gradients_are_those_of_autograd():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    X, c, G = rng.normal(size=(4, 3, 5)), rng.normal(size=3), rng.normal(size=4)
    x, w = (torch.tensor(array, requires_grad=True) for array in (X, c))
    (torch.linalg.det(x @ x.mT + torch.diag(torch.exp(w))) ** (1 / 3)).sum().backward()
    module = loaded(ic.numpy_module(derived(SPECS["of sums for each sample"])))
    found = module.backward(module.forward(X, c))
    np.testing.assert_allclose(found.dX, x.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(found.dc, w.grad.numpy(), rtol=1e-9)

    a, b = (torch.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((4, 3, 3), (4,)))
    (torch.tensor(G) * b * torch.linalg.det(a)).sum().backward()
    module = loaded(ic.numpy_module(derived(SPECS["one of each sample"])))
    found = module.backward(module.forward(a.detach().numpy(), b.detach().numpy()), G)
    np.testing.assert_allclose(found.dA, a.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(found.dc, b.grad.numpy(), rtol=1e-9)


def test_a_density_is_that_of_scipy_or_torch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    x, mu, R = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(3, 3))
    module = loaded(ic.numpy_module(derived(SPECS["a density"])))
    a, b, c = (torch.tensor(array, requires_grad=True) for array in (x, mu, R))
    density = torch.distributions.MultivariateNormal(b, c @ c.T + torch.eye(3, dtype=c.dtype)).log_prob(a).exp()
    density.sum().backward()
    values = module.forward(x, mu, R)
    found = module.backward(values, np.ones(4))
    np.testing.assert_allclose(values.p, density.detach().numpy(), rtol=1e-10)
    for name, tensor in (("dx", a), ("dmu", b), ("dR", c)):
        np.testing.assert_allclose(getattr(found, name), tensor.grad.numpy(), rtol=1e-8, atol=1e-14)


CLOSED = {
    "L = det[i,j](A[i,j])": "dL/dA[i,j] = L A_inv[j,i]",
    "L = log(det[i,j](A[i,j]))": "dL/dA[i,j] = A_inv[j,i]",
    "L = det[i,j](A[i,j])^(-1/2)": "dL/dA[i,j] = −(1/2) L A_inv[j,i]",
    "L = exp(-det[i,j](A[i,j]))": "dL/dA[i,j] = −L A_det A_inv[j,i]",
}
"""Losses, and what the gradient is."""


@pytest.mark.parametrize("loss", CLOSED)
def test_the_gradient_is_what_is_known_times_the_inverse(loss):
    text = f"input A[i,j]\n{loss}\nloss L\nderive A"
    assert formulas(derived(text))["dA"] == CLOSED[loss]
    symmetric = derived(text.replace("A[i,j]\n", "A[i,j]\nassume A[i,j] = A[j,i]\n", 1))
    assert formulas(symmetric)["dA"] == CLOSED[loss].replace("A_inv[j,i]", "A_inv[i,j]")
    assert check_derivation(symmetric) == []


def test_a_determinant_inside_a_formula_has_a_name_and_is_computed_once():
    derivation = derived(SPECS["one of each sample"])
    assert formulas(derivation)["A_det"] == "A_det[n] = det(A[n])"
    assert formulas(derivation)["dA"] == "dL/dA[n,i,j] = G[n] y[n] A_inv[n,j,i]"
    assert formulas(derivation)["dc"] == "dL/dc[n] = G[n] A_det[n]"
    sources = {
        "A_det = np.linalg.det(A)": (ic.numpy_module(derivation), fast_module(derivation).source),
        "A_det = torch.linalg.det(A)": (target_module(derivation, "torch").source,),
        "A_det = _det(A)": (target_module(derivation, "jax").source,),
    }
    for call, written in sources.items():
        for source in written:
            forward, _, rest = source.partition("def backward")
            backward, _, _ = rest.partition("return Gradients")
            assert (forward.count(call), backward.count("det(A)")) == (1, 0)
    # Under the author's name, it has no other.
    named = derived("input A[i,j], b\nD = det[i,j](A[i,j])\nL = b*det[i,j](A[i,j]) + D\nloss L\nderive A, b")
    assert [name for name in formulas(named) if "det" in name] == []
    assert formulas(named)["L"] == "L = b D + D"


def test_code_for_speed_computes_equal_determinants_once():
    source = fast_module(derived(SPECS["under a name of the author's"])).source
    assert source[: source.index("def backward")].count("np.linalg.det(") == 1
    source = fast_module(derived(SPECS["beside its logarithm"])).source
    forward = source[: source.index("def backward")]
    assert (forward.count("np.linalg.det("), forward.count("np.linalg.slogdet(")) == (1, 1)


def test_an_inverse_that_nothing_reads_is_not_computed_and_the_matrix_may_be_singular():
    module = ic.numpy_module(derived("input A[i,j], b\nL = b*det[i,j](A[i,j])\nloss L\nderive b"))
    assert "inv" not in module
    values = loaded(module).forward(np.ones((2, 2)), np.array(3.0))
    assert values.L == 0
    assert loaded(module).backward(values).db == 0


def test_small_determinants_keep_their_digits_in_jax():
    """JAX writes those of three rows out, as products of three entries; here they cancel, and elimination doesn't."""
    jax = pytest.importorskip("jax")
    module = loaded(target_module(derived(SPECS["one of each sample"]), "jax").source)
    A = (np.random.default_rng(0).normal(size=(50, 3, 3)) - 300).astype(np.float32)
    found = np.asarray(module.forward(jax.numpy.asarray(A), jax.numpy.ones(50, A.dtype)).y)
    expected = np.linalg.det(A.astype(float))
    assert np.median(np.abs(found - expected) / np.abs(expected)) < 1e-4


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_evaluator_takes_determinants_as_mpmath_does(size):
    rng = np.random.default_rng(size)
    A = rng.normal(size=(6, size, size)) + 1j * rng.normal(size=(6, size, size))
    with mpmath.workdps(40):
        expected = [complex(mpmath.det(mpmath.matrix(one.tolist()))) for one in A]
    assert np.allclose(determinant(A), expected, rtol=1e-12)
    assert np.allclose(determinant(A.real), np.linalg.det(A.real), rtol=1e-10)
    assert np.allclose(log_determinant(A.real), np.linalg.slogdet(A.real)[1], rtol=1e-10)
    problem = problem_of("input A[n,i,j]\ny[n] = det[i,j](A[n,i,j])\nderive A")
    sizes = {extent: 6 if extent.name == "N" else size for extent in problem.program.extents}
    assert np.allclose(run_program(problem.program, {"A": A.real}, sizes)["y"], np.linalg.det(A.real), rtol=1e-10)


def test_of_a_singular_matrix_it_is_zero():
    singular = np.array([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert determinant(singular).tolist() == [0.0, 0.0, 0.0]
    assert np.isneginf(log_determinant(singular)).all()


HOSTILE = ["one of each sample", "to a power, of a matrix of inner products", "a density"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
def test_code_is_exact_at_hostile_inputs(name, target):
    targets = () if target == "numpy" else (target,)
    if targets:
        pytest.importorskip(target)
    derivation = derived(SPECS[name])
    texts = render(derivation, targets=targets, fast=FastOptions() if target == "numpy" else None)
    report = check_hostile(derivation.problem, code_styles(derivation, texts), trial=texts.trial)
    assert report.ok, str(report)
    assert len(report.points) > 10


def test_steps_read_determinants_of_inputs_and_of_states():
    before = ic.numpy_module(derived(STEPS))
    assert before.index("A_det = np.linalg.det(A)") < before.index("for t in range")
    inside = derived(
        """
        input A[i,j]
        P[0,i,j] = A[i,j]
        P[t,i,j] = A[i,j]*tanh(s[t-1]) + delta[i,j] for t in 1 .. T-1
        s[t] = det[i,j](P[t,i,j])
        upstream G[t] = dL/ds[t]
        derive A
        """
    )
    source = ic.numpy_module(inside)
    assert "s[t] = np.linalg.det(P_matrix[t])" in source
    assert check_backward(inside.problem, inside.backward).ok
    assert ic.validate(inside, source).ok


def test_notes_say_the_rule():
    derivation = derived(CLEAN["a factor"])
    note = ic.markdown_note(derivation)
    assert "Jacobi's formula: relative to itself, a determinant changes by what the entries of the matrix" in note
    assert "The derivative of the determinant reads the inverse of the matrix. " in note
    assert r"A^{\mathrm{det}} := \det(A)" in note
    assert r"\frac{\partial \det(A)}{\partial A_{ij}} = \det(A) \sum_{a, b} A^{\mathrm{inv}}_{ba}" in note
    assert "determinant: $`A`$" in note
    assert r"\det(A)" in ic.latex_note(derivation)
    assert '<mi mathvariant="normal">det</mi><mo>&#x2061;</mo>' in ic.html_note(derivation)


CLEAN = {
    "a loss": "input A[i,j]\nL = det[i,j](A[i,j])\nloss L\nderive A",
    "a factor": "input A[i,j], c\nL = c*det[i,j](A[i,j])\nloss L\nderive A, c",
    "a logarithm": "input A[i,j]\nL = log(det[i,j](A[i,j]))\nloss L\nderive A",
    "a power of a symmetric one": "input A[i,j]\nassume A[i,j] = A[j,i]\nL = det[i,j](A[i,j])^(-1/2)\nloss L\nderive A",
    "inner products": SPECS["to a power, of a matrix of inner products"],
    "quotients": SPECS["quotients, and transposed matrices"],
}


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN)
def test_every_claim_of_the_note_is_judged_and_right(text):
    found = Counter(claim.verdict for claim in check(ic.markdown_note(derived(text)), "note.md").claims)
    assert found[Verdict.PROVED] + found[Verdict.CONFIRMED] >= 12
    assert found[Verdict.REFUTED] == 0
    assert found[Verdict.UNCLEAR] == 0


def test_a_note_with_the_formula_of_the_logarithm_is_refuted():
    note = ic.markdown_note(derived(CLEAN["a loss"]))
    right = r"\boxed{\frac{\partial L}{\partial A_{ij}} = L \, A^{\mathrm{inv}}_{ji}}"
    assert right in note
    report = check(note.replace(right, right.replace(r"L \, A^", "A^")), "note.md")
    assert Verdict.REFUTED in {claim.verdict for claim in report.claims}


def test_second_derivatives_are_refused_as_those_through_any_system():
    with pytest.raises(IndexCalcError, match="goes through the inverse of A, for det of it"):
        derived("input A[i,j]\nL = det[i,j](A[i,j])\nloss L\nderive A\nhessian L by A")


MISTAKES = {
    "y = det(A[i,j])": r"the function det is not known; write det\[i,j\]\(...\)",
    "y[i] = det[j](A[i,j])": "det runs over two indices of one extent, those of the rows and of the columns",
    "y = det[i,m](B[i,m])": "det runs over two indices of one extent, those of the rows and of the columns",
    "y = determinant[i,j](A[i,j])": r"is det\[i,j\]\(A\[i,j\]\)",
    "y = slogdet[i,j](A[i,j])": r"is logdet\[i,j\]\(A\[i,j\]\)",
    "y[i,j] = inv(A[i,j])": r"det\[i,j\]\(A\[i,j\]\), logdet",
    "y = trace[i,j](A[i,j])\nprove det[i,j](A[i,j]) = 0": "det stands in equations; give it a name there",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_say_what_to_write(text):
    with pytest.raises(IndexCalcError, match=MISTAKES[text]):
        problem_of(f"input A[i,j], B[i,m]\n{text}")


def test_a_determinant_and_its_logarithm_are_two_factors():
    i, n, m = Index("i", sp.Symbol("I")), Index("n", sp.Symbol("N")), Index("m", sp.Symbol("N"))
    one = MatrixFunction("A", (n,), "A_inv", i.extent, word="det")
    other = replace(one, word="logdet")
    assert one != other
    assert list(match_base(one, other, {})) == []
    assert list(match_base(one, replace(one, slots=(m,)), {})) == [{n: m}]
    (term,) = with_tensors(substitute((Term(sp.S.One, ((one, sp.S.One),)),), {n: m}), {"A": "B", "A_inv": "B_inv"})
    assert term.bases == (MatrixFunction("B", (m,), "B_inv", i.extent, word="det"),)
    assert [str(to_sympy((Term(sp.S.One, ((base, sp.S.One),)),))).partition("(")[0] for base in (one, other)] == [
        "det",
        "logdet",
    ]


def test_python_programs_have_them_too():
    program = ic.Program("Volumes")
    n, (i, j) = program.index("n", "N"), program.indices("i j", "I")
    A = program.input("A", n, i, j)
    program.define("V", n, ic.det(A[n, i, j], i, j))
    text = """
title "Volumes"
index n : N
index i, j : I
input A[n,i,j]
V[n] = det[i,j](A[n,i,j])
"""
    assert program.problem() == ic.read_problem(text)
    assert "V[n] = det[i,j](A[n,i,j])" in program.problem().spec


def test_other_views_say_the_word():
    derivation = derived("input A[n,i,j]\ny[n] = det[i,j](A[n,i,j])\nupstream G[n] = dL/dy[n]\nderive A")
    (equation,) = (one for one in derivation.problem.program.equations if one.name == "y")
    (network,) = networks_of(equation.terms, equation.lhs.indices, PLAIN)
    assert [body.label for body in network.bodies] == ["det(A[n])"]
    values = read_values(VALUES, derivation.problem)
    assert "det(A[0])" in worksheet(derivation, values)
    assert list(function_text("det")) == [
        "`det[i,j](x)` is the determinant of the matrix, with the rows i and the columns j"
    ]
    (costs,) = (row for row in ic.cost_report(derivation).forward.equations if row.equation.name == "y")
    assert str(costs.flops) == "I^3 N"
