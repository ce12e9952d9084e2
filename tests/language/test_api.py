"""Programs built in Python pose exactly the problems that spec texts pose."""

import inspect
import operator
from fractions import Fraction

import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.canonical import same
from indexcalc.calculus import pointwise
from indexcalc.errors import SpecError
from indexcalc.language import api, lines, sugar


def attention(factor, total):
    """The attention program, with a way to write the scale and the sums."""
    program = ic.Program("Scaled dot-product attention")
    T, d, d_v = ic.extents("T d d_v")
    i, j, t = program.indices("i j t", T, "token positions")
    k = program.index("k", d, "head dimension")
    p = program.index("p", d_v, "value dimension")
    Q = program.input("Q", i, k, doc="queries")
    K = program.input("K", j, k)
    V = program.input("V", j, p)
    S = program.define("S", (i, j), factor(d) * total(Q[i, k] * K[j, k], k), "scaled scores")
    A = program.define("A", (i, j), ic.exp(S[i, j]) / total(ic.exp(S[i, t]), t), "weights")
    O = program.define("O", (i, p), total(A[i, j] * V[j, p], j))  # noqa: E741
    program.upstream("G", O, "given")
    program.derive(V, A, S, Q, K)
    program.recompute(A)
    program.split(i, "k", over="model")
    program.name("D", A)
    program.prove(total(ic.gradient(S)[i, j], j), 0, "centred")
    program.assume(total(A[i, j], j), 1)
    return program.problem("attention")


TEXT = """
title "Scaled dot-product attention"
index i, j, t : T "token positions"
index k : d "head dimension"
index p : d_v "value dimension"
input Q[i,k] "queries", K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k]) "scaled scores"
A[i,j] = exp(S[i,j]) / sum[t](exp(S[i,t])) "weights"
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p] "given"
derive V, A, S, Q, K
recompute A
split i, k over model
name D = dL/dA
prove sum[j](dL/dS[i,j]) = 0 "centred"
assume sum[j](A[i,j]) = 1
"""


def test_python_and_text_pose_the_same_problem():
    assert attention(lambda d: 1 / sp.sqrt(d), ic.sum) == ic.read_problem(TEXT, slug="attention")


def test_symbols_go_by_their_names():
    assert attention(lambda d: 1 / sp.sqrt(sp.Symbol("d")), ic.sum) == ic.read_problem(TEXT, slug="attention")


def build(formula, slots=lambda i, j, k: (i,)):
    program = ic.Program()
    i, j = program.indices("i j", "T")
    k = program.index("k", "d")
    eps = program.parameter("eps", 1e-5, "small")
    X, W = program.input("X", i, k), program.input("W", i, j)
    b, c = program.input("b", i), program.input("c")
    program.define("Y", slots(i, j, k), formula(i, j, k, X, W, b, c, eps))
    return program.problem()


HEAD = 'index i, j : T\nindex k : d\nparam eps = 1e-5 "small"\ninput X[i,k], W[i,j], b[i], c\n'


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (lambda i, j, k, X, W, b, c, eps: b[i] - c, "b[i] - c"),
        (lambda i, j, k, X, W, b, c, eps: 1 - b[i], "1 - b[i]"),
        (lambda i, j, k, X, W, b, c, eps: c - b[i] - 1, "c - b[i] - 1"),
        (lambda i, j, k, X, W, b, c, eps: -(b[i] ** 2), "-b[i]^2"),
        (lambda i, j, k, X, W, b, c, eps: 2 / b[i] / c, "2 / b[i] / c"),
        (lambda i, j, k, X, W, b, c, eps: b[i] ** sp.Rational(1, 2), "sqrt(b[i])"),
        (lambda i, j, k, X, W, b, c, eps: ic.sqrt(b[i] + eps), "sqrt(b[i] + eps)"),
        (lambda i, j, k, X, W, b, c, eps: eps * b[i] + sp.pi * b[i], "eps * b[i] + pi * b[i]"),
        (lambda i, j, k, X, W, b, c, eps: eps + b[i], "eps + b[i]"),
        (lambda i, j, k, X, W, b, c, eps: sp.Integer(1) / b[i], "1 / b[i]"),
        (lambda i, j, k, X, W, b, c, eps: 0.1 * b[i], "0.1 * b[i]"),
        (lambda i, j, k, X, W, b, c, eps: Fraction(1, 3) * b[i], "1/3 * b[i]"),
        (lambda i, j, k, X, W, b, c, eps: ic.mean(X[i, k], k), "mean[k](X[i,k])"),
        (lambda i, j, k, X, W, b, c, eps: ic.var(X[i, k], k), "var[k](X[i,k])"),
        (lambda i, j, k, X, W, b, c, eps: ic.logsumexp(X[i, k], k), "logsumexp[k](X[i,k])"),
        (lambda i, j, k, X, W, b, c, eps: ic.sum(ic.softmax(X[i, k], k), k), "sum[k](softmax[k](X[i,k]))"),
        (lambda i, j, k, X, W, b, c, eps: ic.sum(ic.logsoftmax(X[i, k], k), k), "sum[k](logsoftmax[k](X[i,k]))"),
        (lambda i, j, k, X, W, b, c, eps: ic.norm2(X[i, k], k), "norm2[k](X[i,k])"),
        (lambda i, j, k, X, W, b, c, eps: ic.sum(ic.delta(i, j) * W[i, j], j), "sum[j](delta[i,j] * W[i,j])"),
        (lambda i, j, k, X, W, b, c, eps: ic.sum(ic.bracket(j, "<=", i) * W[i, j], j), "sum[j]([j <= i] * W[i,j])"),
        (lambda i, j, k, X, W, b, c, eps: ic.apply("max", b[i], 0), "max(b[i], 0)"),
        (lambda i, j, k, X, W, b, c, eps: ic.gelu(ic.tanh(ic.relu(b[i]))), "gelu(tanh(relu(b[i])))"),
        (
            lambda i, j, k, X, W, b, c, eps: ic.silu(ic.softplus(ic.sigmoid(ic.log(b[i])))),
            "silu(softplus(sigmoid(log(b[i]))))",
        ),
        (lambda i, j, k, X, W, b, c, eps: b[i] * (1 + c) * b[i], "b[i] * (1 + c) * b[i]"),
    ],
)
def test_formulas_read_as_texts_do(formula, text):
    assert build(formula) == ic.read_problem(HEAD + f"Y[i] = {text}")


def test_long_sums_stay_flat():
    def formula(i, j, k, X, W, b, c, eps):
        return sum((b[i] for _ in range(200)), 0 * b[i])

    assert len(build(formula).program.definitions["Y"].terms) == 200


def test_sympy_expressions_are_read_as_they_stand():
    T, d = sp.symbols("T d", positive=True, integer=True)
    i, j, k = sp.symbols("i j k", integer=True)
    X, W, b = sp.IndexedBase("X"), sp.IndexedBase("W"), sp.IndexedBase("b")
    c = sp.Symbol("c")
    cases = [
        (sp.Sum(W[i, j] * b[j], (j, 0, T - 1)), "sum[j](W[i,j] * b[j])"),
        (sp.exp(b[i]) / sp.Sum(sp.exp(b[j]), (j, 0, T - 1)), "1/sum[j](exp(b[j])) * exp(b[i])"),
        (sp.Sum(sp.KroneckerDelta(i, j) * W[i, j], (j, 0, T - 1)), "sum[j]([i == j] * W[i,j])"),
        (
            sp.Sum(sp.Piecewise((1, j <= i), (0, True)) * W[i, j], (j, 0, T - 1)),
            "sum[j]([j <= i] * W[i,j])",
        ),
        (sp.sqrt(b[i]) * c, "c * sqrt(b[i])"),
        (sp.Function("gelu")(b[i]), "gelu(b[i])"),
        (sp.Max(b[i], 0), "max(b[i], 0)"),
        (sp.Sum(X[i, k] ** 2, (k, 0, d - 1)) / d, "1/d * sum[k](X[i,k]^2)"),
        (sp.tanh(b[i]) - sp.Abs(b[i]) + sp.Symbol("eps"), None),
    ]
    for expression, text in cases:
        problem = build(lambda *_, value=expression: value)
        if text is not None:
            written = ic.read_problem(HEAD + f"Y[i] = {text}").program
            assert [eq.lhs for eq in problem.program.equations] == [eq.lhs for eq in written.equations]
            assert same(problem.program.definitions["Y"].terms, written.definitions["Y"].terms), text
        else:
            assert len(problem.program.definitions["Y"].terms) == 3


def test_fused_slots_are_tuples():
    program = ic.Program()
    i, m = program.index("i", "T"), program.index("m", "M")
    h, k = program.index("h", "H"), program.index("k", "d")
    X, W = program.input("X", i, m), program.input("W", m, (h, k))
    Y = program.define("Y", (i, (h, k)), ic.sum(X[i, m] * W[m, (h, k)], m))
    program.upstream("G", Y)
    program.prove(ic.gradient(W)[m, (h, k)], ic.gradient(W)[m, (h, k)])
    text = "index i : T\nindex m : M\nindex h : H\nindex k : d\ninput X[i,m], W[m,(h,k)]\n"
    text += "Y[i,(h,k)] = sum[m](X[i,m] * W[m,(h,k)])\nupstream G = dL/dY\nprove dL/dW[m,(h,k)] = dL/dW[m,(h,k)]"
    assert program.problem() == ic.read_problem(text)


def loss_program():
    program = ic.Program("Loss")
    n = program.index("n", 3)
    x = program.input("x", n)
    L = program.define("L", (), ic.sum(x[n] ** 2, n))
    program.loss(L)
    program.derive("x")
    return program.problem()


def test_a_loss_and_extents_that_are_numbers():
    assert loss_program() == ic.read_problem(
        'title "Loss"\nindex n : 3\ninput x[n]\nL = sum[n](x[n]^2)\nloss L\nderive x'
    )


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (lambda i, j, k, X, W, b, c, eps: X[i, k], "in the equation of Y: the index k is free on the right"),
        (lambda i, j, k, X, W, b, c, eps: b["i"], "a slot holds an index made by Program.index, not 'i'"),
        (lambda i, j, k, X, W, b, c, eps: b[i] + "x", "expected a formula"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * float("nan"), "a finite number"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * True, "expected a formula"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * sp.Symbol("unknown"), "in the equation of Y: the scalar unknown"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * sp.oo, "not finite"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * sp.I, "not a real number"),
        (lambda i, j, k, X, W, b, c, eps: b[i] * X, "X has slots: write X[i,k]"),
        (lambda i, j, k, X, W, b, c, eps: ic.apply("exq", b[i]), "did you mean exp?"),
        (lambda i, j, k, X, W, b, c, eps: ic.bracket(i, "~", j), "a relation is one of"),
        (lambda i, j, k, X, W, b, c, eps: ic.gradient(X)[i, k], "a gradient can stand only in"),
        (lambda i, j, k, X, W, b, c, eps: b[i] if b[i] else c, "no truth value"),
        (
            lambda i, j, k, X, W, b, c, eps: sp.Sum(sp.IndexedBase("b")[sp.Symbol("j")], (sp.Symbol("j"), 0, 4)) * b[i],
            "this sum over j has 5 terms, but j has extent T",
        ),
        (
            lambda i, j, k, X, W, b, c, eps: sp.Sum(sp.IndexedBase("b")[sp.Symbol("j")], (sp.Symbol("j"), 1, 4)) * b[i],
            "a sum starts at 0",
        ),
        (lambda i, j, k, X, W, b, c, eps: sp.IndexedBase("b")[sp.Symbol("i") + 1] * b[i], "a slot holds one index"),
        (lambda i, j, k, X, W, b, c, eps: sp.besselj(0, sp.IndexedBase("b")[sp.Symbol("i")]), "no counterpart"),
    ],
)
def test_a_mistake_is_one_error(formula, words):
    with pytest.raises(SpecError) as caught:
        build(formula)
    assert words in str(caught.value)
    assert caught.value.place is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (lambda program: program.input("2x"), "'2x' is not a name"),
        (lambda program: program.index("i", 0), "a whole number from 1 on"),
        (lambda program: program.index("i", sp.sqrt(sp.Symbol("T"))), "an extent is a symbol"),
        (lambda program: program.index("i", True), "an extent is a symbol"),
        (lambda program: program.indices("", "T"), "an index needs a name"),
        (lambda program: program.index("i j", "T"), "is not a name"),
        (lambda program: program.problem(), "there is no equation"),
        (lambda program: program.derive(3), "3 is not a name"),
    ],
)
def test_a_wrong_line_is_reported_at_once(line, words):
    with pytest.raises(SpecError) as caught:
        line(ic.Program())
    assert words in str(caught.value)


def test_public_names_are_all_there():
    for name in ic.__all__:
        assert getattr(ic, name).__doc__
    with pytest.raises(AttributeError):
        _ = ic.no_such_name


def test_extremes_along_an_index():
    program = ic.Program()
    i, k = program.index("i", "T"), program.index("k", "d")
    Q = program.input("Q", i, k)
    program.define("Y", (i,), ic.max(Q[i, k], k) - ic.min(Q[i, k], k))
    text = "index i : T\nindex k : d\ninput Q[i,k]\nY[i] = max[k](Q[i,k]) - min[k](Q[i,k])"
    assert program.problem() == ic.read_problem(text)


def language_functions():
    """Every name that a formula of a spec may have before a bracket."""
    return {*pointwise.TABLE, *sugar.COMPOSITES, *sugar.MATRICES, "sum", "sqrt", "delta"}


def test_every_function_of_the_language_has_its_name_in_python():
    assert language_functions() <= set(ic.__all__)
    assert all(callable(getattr(ic, name)) and getattr(ic, name).__doc__ for name in language_functions())


@pytest.mark.parametrize("name", sorted(pointwise.TABLE))
def test_pointwise_functions_mean_what_they_mean_in_a_spec(name):
    others = len(pointwise.TABLE[name].derivatives) - 1
    inner = ", ".join(["b[i]", *["W[i,i]", "2"][:others]])
    written = ic.read_problem(HEAD + f"Y[i] = {name}({inner})")
    assert build(lambda i, j, k, X, W, b, c, eps: getattr(ic, name)(b[i], *[W[i, i], 2][:others])) == written


@pytest.mark.parametrize(("relation", "sign"), [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")])
def test_values_are_compared_as_in_python(relation, sign):
    compare = getattr(operator, relation)
    written = ic.read_problem(HEAD + f"Y[i] = where(b[i] {sign} 0.5, b[i], 2) + [W[i,i] {sign} b[i]]")
    assert (
        build(lambda i, j, k, X, W, b, c, eps: ic.where(compare(b[i], 0.5), b[i], 2) + compare(W[i, i], b[i]))
        == written
    )


def test_a_clipped_value_lies_between_two():
    written = ic.read_problem(HEAD + "Y[i] = min(max(b[i], -1), W[i,i])")
    assert build(lambda i, j, k, X, W, b, c, eps: ic.clip(b[i], -1, W[i, i])) == written
    assert ic.read_problem(HEAD + "Y[i] = clip(b[i], -1, W[i,i])") == written


@pytest.mark.parametrize("name", sorted(sugar.COMPOSITES))
def test_composites_mean_what_they_mean_in_a_spec(name):
    def formula(i, j, k, X, W, b, c, eps):
        found = getattr(ic, name)(X[i, k], k)
        return b[i] * (ic.sum(found, k) if keeps else found)

    keeps = name in sugar.TABLE and sugar.TABLE[name].keeps
    text = f"{name}[k](X[i,k])"
    assert build(formula) == ic.read_problem(HEAD + f"Y[i] = b[i] * {f'sum[k]({text})' if keeps else text}")


def test_every_kind_of_statement_can_be_made_in_python():
    """A recurrence, a system, a determinant, and a vector times a Jacobian."""
    program = ic.Program("All")
    t = program.index("t", "T")
    i, j = program.indices("i j", "N")
    gamma = program.parameter("gamma", sp.Rational(1, 2))
    r, A = program.input("r", t, i), program.input("A", i, j)
    h, z = program.tensor("h"), program.tensor("z")
    T = sp.Symbol("T")
    program.define("h", (0, i), r[0, i], "first")
    program.define("h", (t, i), gamma * h[t - 1, i] + r[t, i], steps=(t, 1, T - 1))
    program.solve("z", j, ic.sum(A[i, j] * z[j], j), h[T - 1, i], "solution")
    L = program.define("L", (), ic.sum(z[j] ** 2, j) + ic.logdet(A[i, j], i, j))
    program.loss(L)
    program.derive(r, A)
    text = """
title "All"
index t : T
index i, j : N
param gamma = 0.5
input r[t,i], A[i,j]
h[0,i] = r[0,i] "first"
h[t,i] = gamma*h[t-1,i] + r[t,i] for t in 1 .. T-1
solve z[j] : sum[j](A[i,j]*z[j]) = h[T-1,i] "solution"
L = sum[j](z[j]^2) + logdet[i,j](A[i,j])
loss L
derive r, A
"""
    assert program.problem() == ic.read_problem(text)
    assert ic.read_problem(str(program)) == program.problem()


def test_a_vector_times_a_jacobian():
    program = ic.Program()
    c = program.index("c", "C")
    z = program.input("z", c)
    p = program.define("p", c, ic.exp(z[c]))
    program.product_with_jacobian("s", p, z)
    assert program.problem() == ic.read_problem(
        "index c : C\ninput z[c]\np[c] = exp(z[c])\nproduct s with jacobian p by z"
    )


def test_a_line_of_every_kind_has_a_method():
    """The statements of the grammar against what `Program` makes; a title is given when it is made."""
    source = inspect.getsource(api)
    made = {kind.__name__ for kind in lines.Statement.__args__ if f"lines.{kind.__name__}(" in source}
    assert made == {kind.__name__ for kind in lines.Statement.__args__}
