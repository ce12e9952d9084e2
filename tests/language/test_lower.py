"""Statements to problems: what the lines of a spec come to, and every mistake with its place."""

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Access, Index, Term
from indexcalc.errors import SpecError
from indexcalc.language import read_problem
from indexcalc.problem import Upstream
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive

HEAD = """index i, j, l : T "positions"
index k, m : d
input Q[i,k] "queries", K[j,k], b
"""


def lowered(text):
    return read_problem(HEAD + text, "spec.ixc")


def entry(name, *slots):
    return Term(sp.S.One, ((Access(name, slots), sp.S.One),))


def test_declarations():
    problem = read_problem(
        'title "A title"\nindex i : T "rows"\nindex a : 2\nparam eps = 1e-5 "small", tau\n'
        'input X[i,a] "x", b\nY[i] = sum[a](X[i,a]) * eps + b * tau "y"',
        slug="mine",
    )
    program = problem.program
    i = Index("i", sp.Symbol("T", positive=True, integer=True))
    a = Index("a", sp.Integer(2))
    assert (program.title, problem.slug) == ("A title", "mine")
    assert program.indices == (i, a)
    assert program.index_docs == {"i": "rows"}
    assert [(p.symbol, p.doc, p.default) for p in program.parameters] == [
        (sp.Symbol("eps", real=True), "small", sp.Rational(1, 100000)),
        (sp.Symbol("tau", real=True), "", None),
    ]
    assert [(t.name, t.slots, t.doc) for t in program.inputs] == [("X", (i, a), "x"), ("b", (), "")]
    assert program.definitions["Y"].doc == "y"


def test_defaults():
    problem = lowered("Y[i] = sum[k](Q[i,k])\nZ = b^2\nW[i] = Y[i] * 2")
    assert problem.upstream == (Upstream("G_Z", "Z"), Upstream("G_W", "W"))
    assert problem.targets == ("Q", "K", "b")
    assert problem.program.outputs == ("Z", "W")
    assert problem.program.title == "derivation"


def test_a_result_whose_sum_another_equation_has_too_is_still_a_result():
    problem = read_problem("""
        index i : N
        input x[i]
        a = max[i](x[i]^2)
        b = relu(max[i](x[i]^2))
        c = logsumexp[i](x[i])
        d = exp(logsumexp[i](x[i]))
        e[i] = x[i] + b - b
    """)
    assert [up.of for up in problem.upstream] == ["a", "c", "d", "e"]


def test_names_of_default_upstream_gradients_avoid_names_in_use():
    problem = lowered("G_Y = b\nY[i] = sum[k](Q[i,k]) * G_Y")
    assert problem.upstream == (Upstream("G_Y2", "Y"),)


def test_requests():
    problem = lowered(
        "S[i,j] = sum[k](Q[i,k] * K[j,k])\nY = sum[i,j](S[i,j])\n"
        'upstream g = dL/dY "given"\nderive S, Q\nname D = dL/dS'
    )
    assert problem.upstream == (Upstream("g", "Y", "given"),)
    assert problem.targets == ("S", "Q")
    assert problem.names == {"S": "D"}
    assert problem.gradient_names["S"] == "D"


def test_a_loss_needs_no_upstream():
    problem = lowered("ell = 1/T * sum[i,k](Q[i,k]^2)\nloss ell\nderive Q")
    assert (problem.loss, problem.upstream, problem.program.outputs) == ("ell", (), ("ell",))


def test_claims_speak_of_gradients_under_any_name():
    problem = lowered(
        "S[i,j] = sum[k](Q[i,k] * K[j,k])\nupstream G[i,j] = dL/dS[i,j]\nname E = dL/dQ\n"
        'prove sum[k](dL/dQ[i,k]) = sum[k](E[i,k]) "same"\nprove dL/dK[j,k] - dL/dK[j,k] = 0\n'
        "prove dL/dS[i,j] = G[i,j]\nassume sum[k](Q[i,k]) = 1"
    )
    first, second, third = problem.claims
    assert first.left == first.right
    assert first.doc == "same"
    assert second.left[0].bases[0].tensor == problem.gradient_names["K"]
    assert second.right == ()
    assert third.left == third.right
    (assumed,) = problem.program.assumptions
    assert assumed.right == (Term(sp.S.One),)


def test_extents_and_tensors_may_share_a_name():
    problem = read_problem("index i : D\ninput D[i]\nY[i] = D[i] / D")
    (term,) = problem.program.definitions["Y"].terms
    assert term.coeff == 1 / sp.Symbol("D", positive=True, integer=True)


def test_indices_and_tensors_may_share_a_name():
    problem = read_problem("index i : T\ninput i[i]\nY[i] = i[i]")
    slot = problem.program.indices[0]
    assert problem.program.definitions["Y"].terms == (entry("i", slot),)


def test_a_tensor_called_delta_hides_the_kronecker_delta():
    hidden = read_problem("index i, j : T\ninput delta[i,j]\nY[i,j] = delta[i,j] + [i == j]")
    first, second = hidden.program.definitions["Y"].terms
    assert isinstance(first.bases[0], Access)
    plain = read_problem("index i, j : T\nY[i,j] = delta[i,j]")
    assert plain.program.definitions["Y"].terms == (second,)


def test_a_broadcast_term_may_lack_an_index():
    problem = lowered("Y[i,k] = Q[i,k] + b + 1")
    assert len(problem.program.definitions["Y"].terms) == 3


def test_order_of_declarations_does_not_matter_where_nothing_depends_on_it():
    text = "Y[i] = eps * X[i]\nupstream G[i] = dL/dY[i]\nparam eps\ninput X[i]\nindex i : T"
    assert read_problem(text) == read_problem("\n".join(reversed(text.split("\n"))))


def test_claims_and_equations_use_the_same_algebra():
    problem = lowered("Y[i] = sum[k](Q[i,k])\nprove Y[i] = sum[m](Q[i,m])")
    (claim,) = problem.claims
    assert same(problem.program.definitions["Y"].terms, claim.right)


MISTAKES = [
    ("Y[i] = Q[i,k]", 4, 12, "the index k is free on the right, but not on the left"),
    ("Y[i,j] = sum[k](Q[i,k])", 4, 5, "the index j stands on the left"),
    ("Y[i,k] = Q[i,n]", 4, 14, "the index n is not declared"),
    ("Y[n] = b", 4, 3, "the index n is not declared"),
    ("Y[i,i] = Q[i,k]", 4, 5, "in two slots"),
    ("Y[k,i] = Q[k,i]", 4, 12, "k has extent d (line 2), but this slot of Q[i,k] has extent T, that of i (line 1)"),
    ("Y[i] = Q[i]", 4, 8, "Q[i,k] has 2 slots, but is written with 1"),
    ("Y = b[i]", 4, 5, "b has 0 slots, but is written with 1"),
    ("Y = Q", 4, 5, "Q has slots: write Q[i,k]"),
    ("Y[i] = sum[j](sum[k](Q[i,k]))", 4, 12, "sum over j, but j does not occur inside"),
    ("Y[i] = sum[k,k](Q[i,k])", 4, 14, "twice"),
    ("Y[i] = mean[n](Q[i,n])", 4, 20, "the index n is not declared"),
    ("Y[i,k] = P[i,k]", 4, 10, "the tensor P is not known"),
    ("Y[i,k] = Querys[i,k]\nQuery[i,k] = Q[i,k]", 4, 10, "the tensor Querys is not known"),
    ("Y = x", 4, 5, "the scalar x is not known"),
    ("Y = i * b", 4, 5, "give the numbers that it stands for as an input, number[i]"),
    ("Y[i,k] = [i = 1] * Q[i,k]", 4, 13, "and that one has a value delta[i,0]"),
    ("Y[i,k] = W[i,k]\nW[i,k] = Q[i,k]", 4, 10, "W is read before it is defined (line 5)"),
    (
        "Y[0] = b\nW[i] = 2 * Y[i]\nY[i] = W[i-1] for i in 1 .. T-1",
        5,
        12,
        "Y is read before it is defined (line 6): what reads it at the same step stands below its last line",
    ),
    ("Y[i,k] = Y[i,k]", 4, 10, "Y is read in its own definition"),
    ("Q[i,k] = b", 4, 1, "Q is an input (line 3)"),
    ("Y = b\nY = b", 5, 1, "Y is defined already (line 4)"),
    ("input Q[i,k]\nY = b", 4, 7, "is declared already (line 3)"),
    ("index i : T\nY = b", 4, 7, "is declared already (line 1)"),
    ("param d = 1\nY = b", 4, 7, "d is an extent already (line 2)"),
    ("param Q\nY = b", 3, 7, "Q is a parameter already (line 4)"),
    ("param tau\ntau = b", 5, 1, "tau is a parameter already (line 4)"),
    ("param tau = T\nY = b", 4, 13, "the scalar T is not known"),
    ("param tau = sqrt(-1)\nY = b", 4, 13, "not a real number"),
    ('title "a"\ntitle "b"\nY = b', 5, 7, "one title"),
    ("input d\nY = d", 5, 5, "d is both a tensor without slots and an extent"),
    ("Y[i,k] = exq(Q[i,k])", 4, 10, "did you mean exp?"),
    ("Y = softmx[i](b)", 4, 5, "did you mean softmax?"),
    ("Y[i] = softmax(Q[i,k])", 4, 8, "write softmax[k](...)"),
    ("Y[i] = sum(Q[i,k])", 4, 8, "write sum[k](...)"),
    ("Y[i] = sum[k]*Q[i,k]", 4, 8, "sum[k](...)"),
    ("Y[i] = Q[i,k](b)", 4, 8, "a product is written with *"),
    ("Y[i,k] = max(Q[i,k])", 4, 10, "max takes 2 arguments"),
    ("Y[i,k] = exp(Q[i,k], 2)", 4, 10, "exp takes one argument"),
    ("Y[i,k] = where(Q[i,k] > 0, 1)", 4, 10, "where takes 3 arguments"),
    ("Y[i,k] = clip(Q[i,k], 1)", 4, 10, "clip takes 3 arguments"),
    ("Y[i,k] = [Q[k,i] > 0] * Q[i,k]", 4, 13, "extent"),
    ("Y = b\nZ = Y + b\nupstream g = dL/dZ\nderive Z", 7, 8, "nothing to derive"),
    ("upstream g = dL/dY\nY = max[i,k](Q[i,k] + 1)\nprove max[i,k](2 * Q[i,k]) = 1", 6, 7, "have no name here"),
    ("Y[i,k] = delta[i,k]", 4, 18, "i has extent T (line 1) and k has extent d (line 2)"),
    ("Y[i] = delta[i]", 4, 8, "delta has two slots"),
    ("Y[i,j] = 1/delta[i,j]", 4, 11, "division by delta"),
    ("Y[i,j] = 1/[i<j]", 4, 11, "division by iverson"),
    ("Y[i,k] = Q[i,k]/(1-1)", 4, 16, "not finite"),
    ("Y = log(0)*b", 4, 5, "not finite"),
    ("Y = 10^10^10*b", 4, 7, "exponent"),
    ("Y = (10^500)^1000*b", 4, 13, "bits"),
    ("Y = exp(exp(exp(9)))*b", 4, 9, "exp of a number beyond"),
    ("Y = dL/dQ[i,k]", 4, 5, "a gradient can stand only in"),
    ("", 4, 1, "there is no equation"),
    ("Y[i] = sum[k](Q[i,k])\nupstream G[k] = dL/dY[k]", 5, 23, "k has extent d (line 2)"),
    ("Y[i] = sum[k](Q[i,k])\nupstream G[j] = dL/dY[i]", 5, 10, "write G[i]"),
    ("Y[i] = sum[k](Q[i,k])\nupstream G = dL/dY[i]", 5, 10, "write G[i]"),
    ("Y = b\nupstream Q = dL/dY", 5, 10, "Q is a tensor of the program already"),
    ("Y = b\nupstream G = dL/dX", 5, 14, "the tensor X is not known"),
    ("Y = b\nupstream G = dL/db", 5, 14, "b is an input"),
    ("Y = b\nupstream G = dL/dY\nupstream H = dL/dY", 6, 10, "given twice"),
    ("Y = b\nW = b\nupstream G = dL/dY\nupstream G = dL/dW", 7, 10, "another gradient"),
    ("Y = b\nloss Y\nupstream G = dL/dY", 6, 10, "there is no upstream gradient"),
    ("Y = b\nloss Y\nloss Y", 6, 6, "one loss"),
    ("Y = b\nloss b", 5, 6, "is an input"),
    ("Y[i] = sum[k](Q[i,k])\nloss Y", 5, 6, "a loss is one number"),
    ("Y = b\nloss M", 5, 6, "the tensor M is not known"),
    ("Y = b\nloss Y\nderive Y", 6, 8, "the loss itself"),
    ("Y = b\nderive Y", 5, 8, "is the upstream gradient G_Y"),
    ("Y = b\nderive b, b", 5, 11, "asked for twice"),
    ("Y = b\nderive Qq", 5, 8, "did you mean Q?"),
    ("Y = b\nZ = Y\nrecompute W", 6, 11, "the tensor W is not known"),
    ("Y = b\nZ = Y\nrecompute Y, b", 6, 14, "b is an input, there anyway"),
    ("Y = b\nZ = Y\nrecompute Z", 6, 11, "Z is a result, there anyway"),
    ("Y = b\nZ = Y\nupstream G = dL/dY\nrecompute Y", 7, 11, "Y is a result, there anyway"),
    ("Y = b\nZ = Y\nloss Z\nrecompute Z", 7, 11, "Z is a result, there anyway"),
    ("Y = b\nZ = Y\nrecompute Y\nrecompute Y", 7, 11, "Y is to be recomputed already"),
    ("Y = b\nsplit q over model", 5, 7, "there is no index q to split"),
    (
        "Y = b\nsplit i over model\nsplit k, i over model",
        6,
        10,
        "i is split over model already (line 5)",
    ),
    ("Y = b\nsplit i over j", 5, 14, "j is an index; give the axis another name"),
    ("Y = b\nname Y = dL/db", 5, 6, "Y is a tensor of the program already"),
    ("Y = b\nname D = dL/db\nname E = dL/db", 6, 6, "has the name D already"),
    ("Y = b\nname D = dL/db\nname D = dL/dQ", 6, 6, "another gradient"),
    ("Y = b\nupstream G = dL/dY\nname D = dL/dY", 6, 6, "it is given upstream"),
    ("Y = b\nname D = dL/dQ[k,i]", 5, 16, "k has extent d (line 2)"),
    ("Y = b\nprove dL/dX = 0", 5, 7, "the tensor X is not known"),
    ("Y = b\nprove dL/dQ[i] = 0", 5, 7, "dL/dQ[i,k] has 2 slots"),
    ("Y = b\nprove exp(sum[i](dL/dQ[i,k])) = 0", 5, 7, "this sum has no name here"),
    ("Y = b\nassume dL/db = 0", 5, 8, "a gradient can stand only in"),
    ("Y = " + "exp(" * 50 + "b" + ")" * 50, 4, 169, "levels deep"),
    ("Y = " + "+".join(["b"] * 3000), 4, 5, "more than 2000 parts"),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), MISTAKES)
def test_a_mistake_is_one_error_with_its_place(text, line, column, words):
    with pytest.raises(SpecError) as caught:
        lowered(text)
    error = caught.value
    assert words in error.message
    assert (error.place.file, error.place.line, error.place.column) == ("spec.ixc", line, column)
    assert error.place.text == (HEAD + text).split("\n")[line - 1]
    assert f"spec.ixc:{line}:{column}: " in str(error)


FUSED = """index i : T
index m : M
index h : H
index k : d
input X[i,m], W[m,(h,k)]
"""


def test_fused_slots_are_a_matter_of_layout():
    problem = read_problem(
        FUSED + "P[i,h,k] = sum[m](X[i,m] * W[m,(h,k)])\nO[i,(h,k)] = exp(P[i,h,k])\n"
        "upstream G[i,(h,k)] = dL/dO[i,(h,k)]\nname E = dL/dW\nprove sum[h,k](E[m,(h,k)] - dL/dW[m,(h,k)]) = 0\n"
        "prove G[i,(h,k)] = dL/dO[i,(h,k)]"
    )
    flat = read_problem(
        FUSED.replace("(h,k)", "h,k") + "P[i,h,k] = sum[m](X[i,m] * W[m,h,k])\nO[i,h,k] = exp(P[i,h,k])"
    )
    assert problem.program.layouts == {"W": (1, 2), "O": (1, 2)}
    assert problem.program.equations == flat.program.equations
    assert [len(axis) for axis in problem.program.axes("O")] == [1, 2]
    assert problem.claims[1].left == problem.claims[1].right


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("Y[m] = sum[h,k](W[m,(k,h)])", 6, 22, "(k,h) is split as d * H here, but this slot of W[m,(h,k)] (line 5)"),
        ("Y[m] = sum[h,k](W[(m,h),k])", 6, 20, "(m,h) has extent M * H, but this slot of W[m,(h,k)] (line 5) has"),
        ("Y[m] = sum[i](W[m,i])", 6, 19, "i has extent T, but this slot of W[m,(h,k)] (line 5) has extent H * d"),
        ("Y[i] = sum[m](W[m,h,k,i])", 6, 15, "has 3 slots, but is written with 4"),
        ("index c, e : H*d\nY[m,c] = W[m,c] * sum[e]([e < c])", 7, 27, "c stands in a fused slot"),
        ("index c : H*M\nY[m,c] = W[m,c]", 7, 14, "c has extent H*M, but this slot"),
        ("index c : H/d\nY[m,c] = W[m,c]", 6, 12, "with no /"),
        ("Y[m] = sum[(h,k)](W[m,(h,k)])", 6, 8, "sum[h,k](...)"),
        ("Y[m] = W", 6, 8, "write W[m,(h,k)]"),
        ("Y[m,(h,h)] = W[m,(h,h)]", 6, 8, "in two slots"),
        ("Y[(h,k)] = sum[m](W[m,(h,k)])\nupstream G[h,k] = dL/dY[(h,k)]", 7, 10, "write G[(h,k)]"),
        ("Y[(h,k)] = sum[m](W[m,(h,k)])\nupstream G[h,k] = dL/dY[h,k]", 7, 10, "write G[(h,k)]"),
        ("Y[m,(h)] = W[m,(h,k)]", 6, 7, "expected ,"),
        ("Y[m] = delta[(m,m)]", 6, 8, "one in each slot"),
        ("Y[m,h] = W[m,(h,k)]", 6, 17, "or define Y[m,h,k]"),
    ],
)
def test_fused_slots_that_do_not_fit(text, line, column, words):
    with pytest.raises(SpecError) as caught:
        read_problem(FUSED + text)
    error = caught.value
    assert words in error.message
    assert (error.place.line, error.place.column) == (line, column)


def test_exponents_may_hold_parameters_and_extents():
    problem = lowered("param alpha\nY[i] = sum[k](exp(Q[i,k])^alpha) ^ (d/2)")
    first, second = problem.program.equations
    alpha, d = sp.Symbol("alpha", real=True), sp.Symbol("d", positive=True, integer=True)
    assert first.terms[0].powers[0][1] == alpha
    assert second.terms[0].powers[0][1] == d / 2
    assert check_backward(problem, derive(problem).backward).ok


def test_an_output_that_others_read_has_a_gradient_of_its_own():
    problem = lowered(
        "Y[i] = sum[k](Q[i,k]^2)\nZ = sum[i](Y[i]^3)\nupstream g[i] = dL/dY[i]\nupstream c = dL/dZ\n"
        "derive Y, Q\nname E = dL/dY\nprove dL/dY[i] = g[i] + 3 * c * Y[i]^2"
    )
    derivation = derive(problem)
    assert problem.gradient_names["Y"] == "E"
    assert not derivation.unproved
    assert check_backward(problem, derivation.backward).ok


@pytest.mark.parametrize(("word", "numpy"), [("max", np.max), ("min", np.min)])
def test_the_largest_entry_along_indices(word, numpy):
    problem = lowered(
        f"Y[i] = {word}[k](Q[i,k])\nW = {word}[i,k](Q[i,k])\nV[i] = {word}[j](sum[k](Q[i,k] * K[j,k]) + b)"
    )
    q, k = np.array([[1.0, 3.0, 3.0], [-2.0, -5.0, -7.0]]), np.array([[1.0, 0.5, -1.0], [0.0, 2.0, 1.0]])
    sizes = dict(zip(sp.symbols("T d", positive=True, integer=True), q.shape, strict=True))
    values = run_program(problem.program, {"Q": q, "K": k, "b": np.array(0.5)}, sizes)
    assert np.array_equal(values["Y"], numpy(q, axis=1))
    assert values["W"] == numpy(q)
    assert np.allclose(values["V"], numpy(q @ k.T + 0.5, axis=1))
    assert check_backward(problem, derive(problem).backward).ok


def test_largest_entries_that_are_equal_share_the_gradient():
    problem = lowered("Y[i] = max[k](Q[i,k])")
    sizes = dict(zip(sp.symbols("T d", positive=True, integer=True), (1, 3), strict=True))
    inputs = {"Q": np.array([[3.0, 1.0, 3.0]]), "K": np.zeros((1, 3)), "b": np.array(0.0)}
    values = run_program(problem.program, inputs, sizes)
    backward = derive(problem).backward
    known = {**values, "G_Y": np.array([1.0])}
    found = run_program(backward, {tensor.name: known[tensor.name] for tensor in backward.inputs}, sizes)
    assert np.allclose(found["dQ"], [[0.5, 0.0, 0.5]])


def test_an_extreme_and_a_bound_have_one_name():
    problem = lowered("Y[i] = max(max[k](Q[i,k]), 0)")
    assert problem.program.equations[-1].terms[0].powers[0][0].name == "max"


def test_what_reads_itself_alone_is_a_result():
    problem = read_problem("index t : T\ninput h0, a[t]\nh[0] = h0\nh[t] = tanh(h[t-1] + a[t]) for t in 1 .. T-1\n")
    assert problem.program.outputs == ("h",)


def test_it_is_said_where_every_result_is_read_by_another_equation():
    text = "index t : T\ninput a[t]\nh[0] = a[0]\nh[t] = tanh(c[t-1]) for t in 1 .. T-1\nc[t] = h[t] * a[t]\n"
    with pytest.raises(SpecError, match=r"5:1: every result is read by another equation; say on which the loss dep"):
        read_problem(text)
    assert read_problem(f"{text}loss L\nL = c[T-1]").loss == "L"
