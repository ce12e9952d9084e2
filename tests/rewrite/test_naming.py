"""Parts across a whole backward pass: each in its cheapest form, named once, none of them trivial."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.steps import Section
from indexcalc.generation import loaded, numpy_module
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.program import Equation
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.naming import PartNaming, with_folds
from indexcalc.rewrite.rules import fold_rule
from indexcalc.rewrite.tidy import Simplifier
from tests.support.build import at, i, j, term

TWO_LAYERS = """
index i, j, l : T
index k : d
input x[i,k], W[k], r[i]
S[i,j] = sum[k](x[i,k]*x[j,k]*W[k])
A[i,j] = softmax[j](S[i,j])
y[i,k] = sum[j](A[i,j]*x[j,k])*r[i]
B[i,j] = softmax[j](sum[k](y[i,k]*y[j,k]))
z[i,k] = sum[j](B[i,j]*y[j,k])
derive x, W, r
"""


def passes(spec):
    problem = read_problem(spec)
    simplifier = Simplifier(problem.program)
    return PartNaming(problem, simplifier), derive_gradients(problem, simplifier)


def test_every_part_stands_before_its_first_reader():
    naming, sections = passes(TWO_LAYERS)
    named = naming.run(sections)
    seen: set[str] = set()
    parts = {section.equation.name for section in named if section.target is None}
    assert parts
    for section in named:
        assert parts & set(tensors_of(section.equation.terms)) <= seen
        seen.add(section.equation.name)


def test_parts_avoid_every_name_of_the_problem():
    naming, sections = passes(TWO_LAYERS)
    names = [section.equation.name for section in naming.run(sections)]
    assert len(names) == len(set(names))
    assert not {"r", "i", "T", "d"} & set(names)


def test_a_part_that_is_a_multiple_of_a_tensor_is_put_back():
    spec = """
index n : N
index h : H
input x[n,h]
s[n] = sum[h](x[n,h]^2)
y[n,h] = x[n,h]*s[n] + x[n,h]^3
derive x
"""
    for section in derive(read_problem(spec)).sections:
        if section.target is None:
            assert any(t.summed for t in section.equation.terms) or len(section.equation.terms) > 1


def test_the_sum_of_a_part_is_folded_where_it_stands_elsewhere():
    naming, sections = passes(TWO_LAYERS)
    named = naming.run(sections)
    part = next(section for section in named if section.target is None)
    (rule,) = naming.rules_of(part)
    unfolded = with_folds(part, (rule,))
    assert unfolded.steps[-1].after != part.equation.terms
    assert tensors_of(unfolded.equation.terms) == (part.equation.name,)


@pytest.mark.parametrize("name", shipped_paths())
def test_every_live_part_of_a_shipped_derivation_is_read(name):
    backward = derive(load_problem(shipped_paths()[name])).backward
    read = {tensor for equation in backward.equations for tensor in tensors_of(equation.terms)}
    # A residual is read by the system that it stands for.
    read.update(backward.outputs, backward.residuals.values())
    assert {equation.name for equation in backward.equations} <= read


def test_a_contraction_of_two_gradients_is_computed_once():
    problem = read_problem("""
        index n : N
        index j, k : H
        input a[n,j], b[n,j], U[k,j]
        y[n,k] = tanh(sum[j](U[k,j] * (a[n,j] * b[n,j])))
        derive a, b
    """)
    backward = derive(problem).backward
    contractions = [eq for eq in backward.equations if any(term.summed for term in eq.terms)]
    assert len(contractions) == 1
    for target in ("da", "db"):
        assert contractions[0].name in tensors_of(backward.definitions[target].terms)


def test_the_parts_that_stand_in_one_sum_are_put_in_together():
    parts = [Equation(at(name, i), (term(at(of, i, j), over=(j,)),)) for name, of in (("p", "A"), ("q", "B"))]
    terms = (*parts[0].terms, term(at("x", i)), *parts[1].terms)
    folded = with_folds(Section(Equation(at("y", i), terms), None, (), ()), [fold_rule(part) for part in parts])
    assert folded.equation.terms == (term(at("p", i)), term(at("x", i)), term(at("q", i)))
    (step,) = folded.steps
    assert (step.before, step.after, step.detail.tensors) == (terms, folded.equation.terms, ("p", "q"))


HIDDEN = {
    "an index of another extent": (
        """
index i, l : N
index j : K
index k : M
input X[j,l], W[i,k]
Y[j,k] = sum[i]([0 <= i+k-2 < M] * [i+k-2 < N] * sum[l](sin(W[l,i+k-2])) * X[j,i+k-2])
derive X
""",
        "r[l] = [l < M] * sum[i](sin(W[i,l]))",
    ),
    "a division": (
        """
index i : N
index j : K
index k : M
input X[j,k], W[i,k]
Y[j,k] = sum[i]([k+1 < M] / W[i,k+1] * X[j,k+1])
derive X
""",
        "r[k] = [1 <= k] * sum[i](1 / W[i,k])",
    ),
}
"""For each reason why a part keeps a bracket: a spec, and the part."""


@pytest.mark.parametrize("reason", HIDDEN)
def test_a_part_keeps_the_bracket_that_hides_where_it_has_no_value(reason):
    spec, part = HIDDEN[reason]
    equations = derive(read_problem(spec)).backward.equations
    assert f"<Equation {part}>" in map(str, equations)


def test_a_gradient_is_a_number_where_what_no_entry_reads_is_zero():
    module = loaded(numpy_module(derive(read_problem(HIDDEN["a division"][0]))))
    rng = np.random.default_rng(0)
    X, W = rng.random((2, 3)), rng.random((4, 3)) + 1
    W[:, 0] = 0
    values = module.forward(X, W)
    with np.errstate(divide="ignore"):
        gradients = module.backward(values, np.ones_like(values.Y))
    assert np.isfinite(gradients.dX).all()


def test_a_sum_that_another_equation_computes_everywhere_is_one_part():
    spec = """
index i : N
index j : K
index k : M
input X[j,k], W[i,k], V[j,k]
Y[j,k] = sum[i]([k+1 < M] / W[i,k+1] * X[j,k+1]) + sum[i](V[j,k] / W[i,k])
derive X, V
"""
    parts = [
        str(equation) for equation in derive(read_problem(spec)).backward.equations if "sum[i](1 / W" in str(equation)
    ]
    assert parts == ["<Equation r[k] = sum[i](1 / W[i,k])>"]
