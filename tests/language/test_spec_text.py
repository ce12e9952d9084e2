"""What a problem prints is a spec that poses the same problem."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import indexcalc as ic
from indexcalc.errors import LimitError, SpecError
from indexcalc.language import syntax as ast
from indexcalc.language.formula_text import formula_text, scalar_tree
from indexcalc.language.paths import unquoted
from indexcalc.language.reader import parse
from indexcalc.language.source import Source
from indexcalc.language.spec_text import quoted
from indexcalc.library import shipped_paths
from tests.campaign import programs, recurrences, second, systems

SHIPPED = shipped_paths()


def reads_back(problem):
    """The spec says the same, and prints the same again."""
    again = ic.read_problem(problem.spec, slug=problem.slug)
    assert again == problem
    assert str(again) == str(problem) == problem.spec


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_derivations(name):
    reads_back(ic.load_problem(SHIPPED[name]))


def random_specs():
    """Programs of every campaign."""
    yield from (case.text for case in programs.cases(700, 60))
    yield from (case.text for case in second.cases(700, 20))
    for seed in range(20):
        yield recurrences.spec_of(recurrences.drawn(seed))
        yield systems.spec_of(systems.drawn(seed))


def test_random_programs():
    texts = list(random_specs())
    assert len(texts) == 120
    for text in texts:
        reads_back(ic.read_problem(text))


def test_random_programs_with_expressions_in_slots():
    pytest.importorskip("torch")
    slots = pytest.importorskip("tests.campaign.slots")
    for seed in range(30):
        reads_back(ic.read_problem(slots.program_of(seed).text()))


STATEMENTS = r"""
title "Everything \"at once\", with a \\ in it"
index i, j : T  "positions"
index k : d
index h : 3
index r : 3*d
index m : (T-d+2)//2+1
index o : T-d+1
index v : V
param eps = 1e-5  "small", c = 1/3, e
input x[i] in (-1,1]  "data", y[i] positive, p[i,k] probability over k  "weights", q[i,k] probability over (i,k)
input W[i,(k,h)], A[i,j], B[i,j,k] symmetric over (i,j), C[i,j] spd "kernel"
input b[i], tok[i] in V, E[v,k], u[i] in (-inf, 0), s
use softmax(z = p[i,k]) as sm giving p as P  "shares"
S[i,j] = -x[i]^2 * -(b[j] - c) / (1 + e^2) / 2 + [0 <= i-j < 3] * delta[i,j] * exp(-x[i])^-1
w[m] = sum[k]([0 <= 2*m+k-1 < T] * x[2*m+k-1])
R[k] = sum[i](E[tok[i],k] * [i != T-1])
a[0] = x[0]
a[i] = a[i-1] * max(b[i], 0) - sqrt(y[i]) for i in 1 .. T-1  "recurrent"
solve z[j] : sum[j](A[i,j] * z[j]) = b[i] + logdet[i,j](A[i,j])  "solution"
n[r] = W[0,r] + (s - -2)
F = mean[i](a[i]) + sum[i,j](S[i,j]) + sum[j](z[j]^2) + max[i](b[i]) + sum[r](n[r]) + sum[m](w[m]) + sum[k](R[k])
assume A[i,j] = A[j,i]
loss F
derive x, b
recompute S
split i, j over model
name D = dL/dS
prove dL/ds = sum[r](dL/dn[r])  "sums"
"""
"""Statements of every kind that goes with a system and a recurrence."""


def test_every_kind_of_statement():
    problem = ic.read_problem(STATEMENTS)
    reads_back(problem)
    assert 'title "Everything \\"at once\\", with a \\\\ in it"' in problem.spec
    assert "probability over (i, k)" in problem.spec
    assert "input B[i,j,k] symmetric over (i, j)\n" in problem.spec
    assert 'input C[i,j] spd  "kernel"\n' in problem.spec
    assert "[0 <= 2*m+k-1 < T]" in problem.spec


def test_derivatives_of_every_kind():
    text = """
index n : N
index f, g : F
input X[n,f], w[f]
z[n] = sum[f](X[n,f] * w[f])
q[n] = tanh(z[n])
L = sum[n](softplus(z[n]) + q[n]^2)
loss L
derive w
jacobian q by z
product jacobian q by z with s "along s"
hessian L by w "curvature"
gauss_newton L by w through z
product hessian L by (w, X) with (d, D)
"""
    problem = ic.read_problem(text)
    reads_back(problem)
    for line in text.splitlines()[8:]:
        assert line.replace(' "', '  "') in problem.spec
    reads_back(ic.read_problem("index n : N\ninput z[n]\nq[n] = exp(z[n])\nproduct t with jacobian q by z\n"))


def test_a_spec_that_lies_elsewhere_is_written_out(tmp_path):
    part = 'index i : N\ninput x[i]\ny[i] = tanh(x[i])  "squashed"\n'
    (tmp_path / "part.ixc").write_text(part)
    (tmp_path / "whole.ixc").write_text('index i : N\ninput x[i]\nuse "part.ixc"(x = x) as g\nz[i] = g_y[i]^2\n')
    problem = ic.load_problem(tmp_path / "whole.ixc")
    assert "g_y[i] = tanh(x[i])" in problem.spec
    reads_back(problem)


def test_a_changed_copy_has_no_spec_and_prints_its_equations():
    problem = ic.read_problem('title "Two"\nindex i : N\ninput x[i], y[i]\nz[i] = x[i] * y[i]\n')
    changed = replace(problem, targets=("y",))
    assert changed.spec == ""
    assert str(changed) == "# Two\nz[i] = x[i] * y[i]\nderive y\n"


def test_a_program_prints_as_its_spec():
    program = ic.Program("Scores")
    T, d = ic.extents("T d")
    i, j = program.indices("i j", T, "positions")
    k = program.index("k", d)
    Q, K = program.input("Q", i, k), program.input("K", j, k, doc="keys")
    S = program.define("S", (i, j), -ic.sum(Q[i, k] * K[j, k], k) / sp.sqrt(d) + sp.pi / 2 - 0.25)
    program.derive(Q)
    program.upstream("G", S)
    assert str(program) == (
        'title "Scores"\nindex i, j : T  "positions"\nindex k : d\n\ninput Q[i,k]\ninput K[j,k]  "keys"\n\n'
        "S[i,j] = -sum[k](Q[i,k] * K[j,k]) / sqrt(d) + pi / 2 - 0.25\n\nderive Q\nupstream G = dL/dS\n"
    )
    assert ic.read_problem(str(program)) == program.problem()
    assert repr(program) == "<Program 'Scores': 1 equation>"


def test_a_formula_that_is_shared_too_often_is_not_written_out():
    program = ic.Program()
    i = program.index("i", "N")
    x = program.input("x", i)
    formula = x[i]
    for _ in range(17):
        formula = ic.tanh(formula) + formula
    program.define("y", i, formula)
    with pytest.raises(LimitError, match="parts"):
        str(program)
    assert repr(program) == "<Program untitled: 1 equation>"


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12).map(str.strip)


@given(WORDS)
def test_words_come_back(words):
    assert unquoted(quoted(words)) == words


N, T, EPS = (
    sp.Symbol("N", positive=True, integer=True),
    sp.Symbol("T", positive=True, integer=True),
    sp.Symbol("eps", real=True),
)


def raised(base, power):
    """A power of a number above 1; not one of those that SymPy gives up on, as its factors found so far mislead it."""
    try:
        return (base**2 + 1) ** power
    except ValueError:
        assume(False)


LEAVES = st.sampled_from([N, T, EPS, sp.pi, sp.E, *map(sp.Rational, ("1/3", "-2", "1/10", "7/4", "1e-30", "12345"))])
SCALARS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(sp.Add, inner, inner),
        st.builds(sp.Mul, inner, inner),
        st.builds(raised, inner, st.sampled_from([-1, 2, sp.Rational(-1, 2)])),
        st.builds(lambda x: sp.tanh(x) + sp.exp(x), inner),
    ),
    max_leaves=6,
)
HEAD = "index i : N\nindex t : T\nparam eps\ninput x[i], u[t]\n"


@given(SCALARS)
@settings(max_examples=60, deadline=None)
def test_scalars_that_sympy_computed_come_back(value):
    text = formula_text(ast.Scalar(value))
    try:
        program = ic.read_problem(f"{HEAD}y[i] = ({text}) * x[i]\nv[t] = u[t]").program
    except (SpecError, LimitError):
        return
    (term,) = program.definitions["y"].terms if value != 0 else (None,)
    if term is not None:
        point = {N: 3, T: 5, EPS: sp.Rational(1, 7)}
        assert abs(sp.N((term.coeff - value).xreplace(point), 30)) <= 1e-20 * (1 + abs(sp.N(value.xreplace(point))))


NAMES = st.sampled_from(["a", "b"]).map(lambda name: ast.Entry(name, (ast.Slot("i"),)))
NUMBERS = st.sampled_from(["0", "1", "2.5", "1e-3"]).map(lambda text: ast.Scalar(sp.Rational(text)))
TREES = st.recursive(
    st.one_of(NAMES, NUMBERS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ast.Plus(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ast.Times(tuple(parts))),
        st.tuples(inner, inner).map(lambda pair: ast.Times((pair[0], ast.Over(pair[1])))),
        inner.map(ast.Negate),
        st.tuples(inner, inner).map(lambda pair: ast.Raise(*pair)),
        inner.map(lambda body: ast.Call("exp", (body,))),
        inner.map(lambda body: ast.Reduce("sum", (ast.Slot("k"),), body)),
    ),
    max_leaves=12,
)


def bare(node):
    """A tree without places."""
    match node:
        case ast.Scalar(value=value):
            return value
        case ast.Entry(name=name, slots=slots):
            return name, len(slots or ())
    return type(node).__name__, getattr(node, "function", getattr(node, "operator", "")), *map(bare, ast.children(node))


@given(TREES)
def test_brackets_stand_where_the_tree_needs_them(tree):
    (line,) = parse(Source("<text>", (f"y[i] = {formula_text(tree)}",)))
    assert bare(line.right) == bare(tree)


@given(st.lists(LEAVES, min_size=1, max_size=4))
def test_a_scalar_is_spelled_by_numbers_and_names_alone(values):
    nodes = chain.from_iterable(ast.nodes_in(scalar_tree(value)) for value in values)
    assert all(node.value.is_Rational and node.value >= 0 for node in nodes if isinstance(node, ast.Scalar))
