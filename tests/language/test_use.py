"""Programs from programs: a used spec under the tensors and indices of the one that uses it."""

import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import substitute
from indexcalc.errors import SpecError
from indexcalc.language import load_problem, read_problem
from indexcalc.language.paths import file_text
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive

HEAD = """index b : B
index s, t : S
index m, n : M
index h : H
index k : D
index c : H*D
input X[b,s,m], W[m,(h,k)], y
"""

SPECS = {
    "norm": 'index r : R "rows"\nindex f : F\nparam eps = 1e-5 "small"\ninput X[r,f] "x", g[f] "gain"\n'
    'ms[r] = mean[f](X[r,f]^2) "mean square"\nY[r,f] = g[f] * X[r,f] / sqrt(ms[r] + eps) "output"\nprove ms[r] = ms[r]',
    "scores": "index i, j, l : T\nindex a : d\ninput Q[i,a], K[j,a]\n"
    "A[i,j] = softmax[j](sum[a](Q[i,a] * K[j,a]) / sqrt(d))\nname E = dL/dQ\nderive Q",
    "causal": "index i, j : T\ninput s[i,j]\nw[i,j] = [j <= i] * exp(s[i,j])\nq[i,j] = delta[i,j] * s[i,j]",
    "mix": "index i : T\nindex e : E\ninput p[i]\nassume sum[i](p[i]) = 1\nu[i,e] = p[i] * [i != e]\n"
    "z = sum[i](p[i]^2) * T",
    "fused": "index n : N\nindex h : H\nindex k : D\nindex c : H*D\ninput x[n,(h,k)]\n"
    "v[n,c] = exp(x[n,c])\nt[n] = sum[c](v[n,c])",
    "twice": "index q : T\nindex w : V\ninput P[q,w]\nuse norm(X = P) as one\n"
    "use norm(X = one_Y[q,w], g = one_g) as two",
    "loop": "index q : T\nindex w : V\ninput P[q,w]\nuse loop(P = P) as one",
    "ping": "index q : T\ninput P[q]\nuse pong(P = P) as one",
    "pong": "index q : T\ninput P[q]\nuse ping(P = P) as one",
    "wrong": "index q : T\ninput P[q]\nR[q] = P[r]",
    "two": "index i : T\nindex j : U\ninput x[i], z[j]\nr[i] = x[i] * 2\nl = sum[j](z[j]) * U",
    "double": "index i : 2*T\ninput x[i]\nr = sum[i](x[i]) / T",
}


def read(text, file="spec.ixc"):
    return read_problem(HEAD + text, file, resolve=SPECS.get)


def same_equations(text, other):
    one, two = read(text).program, read(other).program
    assert [eq.name for eq in one.equations] == [eq.name for eq in two.equations]
    for equation, expected in zip(one.equations, two.equations, strict=True):
        assert [slot.extent for slot in equation.lhs.slots] == [slot.extent for slot in expected.lhs.slots]
        renaming = dict(zip(equation.lhs.slots, expected.lhs.slots, strict=True))
        assert same(substitute(equation.terms, renaming), expected.terms), equation.name
    assert one.layouts == two.layouts
    return read(text)


def test_axes_of_an_input_stand_for_several_indices():
    problem = same_equations(
        "use norm(X = X[(b,s),m]) as ln giving Y as Xn\nR[b,s] = sum[m](Xn[b,s,m])",
        "param eps = 1e-5\ninput ln_g[m]\nln_ms[b,s] = mean[m](X[b,s,m]^2)\n"
        "Xn[b,s,m] = ln_g[m] * X[b,s,m] / sqrt(ln_ms[b,s] + eps)\nR[b,s] = sum[m](Xn[b,s,m])",
    )
    tensors = problem.program.tensors
    assert (tensors["ln_ms"].doc, tensors["Xn"].doc, tensors["ln_g"].doc) == ("mean square", "output", "gain")
    assert [(p.symbol.name, p.doc) for p in problem.program.parameters] == [("eps", "small")]
    assert problem.claims == ()
    assert check_backward(problem, derive(problem).backward).ok


def test_bare_names_take_the_slots_of_the_tensor():
    same_equations(
        "H2[s,m] = sum[b](X[b,s,m])\ninput gain[n]\nuse norm(X = H2, g = gain, eps = 2) as a",
        "H2[s,m] = sum[b](X[b,s,m])\ninput gain[n]\na_ms[s] = mean[m](H2[s,m]^2)\n"
        "a_Y[s,m] = gain[m] * H2[s,m] / sqrt(a_ms[s] + 2)",
    )


def test_one_tensor_for_two_inputs_keeps_their_indices_apart():
    problem = same_equations(
        "input P[s,m]\nuse scores(Q = P, K = P) as u",
        "input P[s,m]\nu_A[s,t] = softmax[t](sum[m](P[s,m] * P[t,m]) / sqrt(M))",
    )
    assert problem.names == {}
    assert check_backward(problem, derive(problem).backward).ok


def test_deltas_and_brackets_follow_the_indices():
    same_equations(
        "input P[s,t]\nuse causal(s = P) as c",
        "input P[s,t]\nc_w[s,t] = [t <= s] * exp(P[s,t])\nc_q[s,t] = delta[s,t] * P[s,t]",
    )


def test_a_fused_slot_stays_one():
    problem = read("use norm(X = W[m,(h,k)]) as ln")
    assert problem.program.layouts == {"W": (1, 2), "ln_g": (2,), "ln_Y": (1, 2)}
    same_equations(
        "use norm(X = W) as ln",
        "param eps\ninput ln_g[c]\nln_ms[m] = mean[c](W[m,c]^2)\nln_Y[m,c] = ln_g[c] * W[m,c] / sqrt(ln_ms[m] + eps)",
    )


def test_fused_slots_inside():
    same_equations("use fused(x = W) as f", "f_v[m,c] = exp(W[m,c])\nf_t[m] = sum[c](f_v[m,c])")
    same_equations(
        "input Z[n,(h,k)]\nuse fused(x = Z) as f",
        "input Z[n,(h,k)]\nf_v[n,c] = exp(Z[n,c])\nf_t[n] = sum[c](f_v[n,c])",
    )


def test_assumptions_and_extents_come_along():
    problem = read("R[m] = sum[b,s](X[b,s,m])\nuse mix(p = R) as q")
    (assumed,) = problem.program.assumptions
    assert len(assumed.left[0].summed) == 1
    extra = problem.program.tensors["q_u"].slots[1]
    assert extra.extent == sp.Symbol("q_E", positive=True, integer=True)
    assert problem.program.definitions["q_z"].terms[0].coeff == sp.Symbol("M", positive=True, integer=True)


def test_an_extent_is_bound_by_its_name():
    same_equations(
        "R[m] = sum[b,s](X[b,s,m])\nuse mix(p = R, E = D) as q",
        "R[m] = sum[b,s](X[b,s,m])\nq_u[m,k] = R[m] * [m != k]\nq_z = sum[m](R[m]^2) * M",
    )
    agrees = read("use norm(X = X[(b,s),m], F = M) as a").program.tensors["a_g"].slots[0].extent
    assert agrees == sp.Symbol("M", positive=True, integer=True)
    literal = read("R[m] = sum[b,s](X[b,s,m])\nuse mix(p = R, E = 3) as q").program.tensors["q_u"].slots[1].extent
    assert literal == 3


def test_uses_that_share_an_extent_read_one_another():
    uses = "R[m] = sum[b,s](X[b,s,m])\nuse mix(p = R{0}) as q\nuse mix(p = R{0}) as r\n"
    text = uses + "w = sum[m,k](q_u[m,k] * r_u[m,k])"
    problem = read(text.format(", E = D"))
    assert problem.program.tensors["q_u"].slots == problem.program.tensors["r_u"].slots
    with pytest.raises(SpecError, match="q_E"):
        read(text.format(""))


def test_product_extents_are_solved_for():
    problem = read("index v : 4\nindex w : 6*M\ninput x[v], z[w]\nuse double(x = x) as one\nuse double(x = z) as two")
    M = sp.Symbol("M", positive=True, integer=True)
    assert [problem.program.definitions[f"{name}_r"].terms[0].coeff for name in ("one", "two")] == [
        sp.Rational(1, 2),
        1 / (3 * M),
    ]


def test_uses_of_uses():
    problem = read("input P[s,m], g[m]\nuse twice(P = P, one_g = g) as w giving two_Y as R")
    assert [eq.name for eq in problem.program.equations] == ["w_one_ms", "w_one_Y", "w_two_ms", "R"]
    assert check_backward(problem, derive(problem).backward).ok


def test_names_and_words_of_their_own():
    line = 'use norm(X = X[(b,s),m]) as ln giving ms "mean square of a token", g as gain "how much", Y as Xn'
    problem = read(f"{line}\nR[b,s] = sum[m](Xn[b,s,m])")
    plain = read("use norm(X = X[(b,s),m]) as ln")
    assert problem.program.tensors["ms"].doc == "mean square of a token"
    assert problem.program.tensors["gain"].doc == "how much"
    assert problem.program.tensors["Xn"].doc == plain.program.tensors["ln_Y"].doc


def test_a_used_spec_can_stand_beside(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "norm.ixc").write_text(SPECS["norm"])
    spec = tmp_path / "mine.ixc"
    spec.write_text('index i : T\nindex j : U\ninput x[i,j]\nuse "parts/norm.ixc"(X = x) as ln')
    assert load_problem(spec).program.outputs == ("ln_Y",)
    spec.write_text('index i : T\ninput x[i]\nuse "mine.ixc"(x = x) as ln')
    with pytest.raises(SpecError, match="can't use itself"):
        load_problem(spec)


def test_shipped_derivations_are_used_by_name():
    problem = read_problem(
        "index b : B\nindex i : N\nindex j : M\ninput x[b,i,j]\nuse layer_norm(X = x[(b,i),j]) as ln"
    )
    assert problem.program.tensors["ln_Y"].slots == problem.program.tensors["x"].slots


def test_the_python_interface_says_the_same():
    program = ic.Program()
    b, _, _, m = program.index("b", "B"), *program.indices("s t", "S"), program.index("m", "M")
    (s, *_) = [ic.Program().index("s", "S")]
    X = program.input("X", b, s, m)
    ln = program.use("layer_norm", "ln", {"X": X[(b, s), m], "eps": sp.Rational(1, 10)}, giving={"Y": "Xn"})
    program.define("R", (b, s), ic.sum(ln["Y"][b, s, m] + ln["xh"][b, s, m], m))
    text = (
        "index b : B\nindex s, t : S\nindex m : M\ninput X[b,s,m]\n"
        "use layer_norm(X = X[(b,s),m], eps = 1/10) as ln giving Y as Xn\nR[b,s] = sum[m](Xn[b,s,m] + ln_xh[b,s,m])"
    )
    assert program.problem() == read_problem(text)


def test_tensors_may_have_the_words_of_a_use_line_for_names():
    problem = read_problem("index i : T\ninput use[i], as[i]\ngiving[i] = use[i] * as[i]")
    assert problem.program.outputs == ("giving",)


MISTAKES = [
    ("use nor(X = y) as a", 8, 5, "there is no shipped derivation nor"),
    ("use norm(X = X) as a", 8, 14, "the input X[r,f] of norm is bound to X with 3 axes"),
    ("use norm(Z = X) as a", 8, 10, "norm has no input Z; known are X, eps, g"),
    ("use norm(X = V) as a", 8, 14, "the tensor V is not known"),
    ("use norm(X = X[(b,q),m]) as a", 8, 19, "the index q is not declared"),
    ("use norm(X = X[(b,s),b]) as a", 8, 17, "stands twice"),
    ("use norm(X = 2 * X[(b,s),m]) as a", 8, 14, "name this by an equation first"),
    ("use norm(X = X[(b,s),m], X = y) as a", 8, 26, "X is bound twice"),
    ("use norm(X = X[(b,s),m], g = y) as a", 8, 30, "is bound to y with 0 axes"),
    (
        "input g[s]\nuse norm(X = X[(b,s),m], g = g) as a",
        9,
        30,
        "the index f in g of norm has extent F, which is M here, not S",
    ),
    ("use norm(X = X[(b,s),m]) as a\nuse norm(X = X[(b,s),m]) as a", 9, 5, "a is used already (line 8)"),
    ("use norm(X = X[(b,s),m]) as a\na_ms = y", 9, 1, "a_ms is defined already (line 8)"),
    ("use norm(X = X[(b,s),m]) as a giving ms as y", 8, 5, "y is an input (line 7)"),
    ("use norm(X = X[(b,s),m]) as a giving Q as y", 8, 38, "norm has no tensor Q"),
    ("use norm(X = P) as a\nP[s,m] = sum[b](X[b,s,m])", 8, 5, "P is read before it is defined (line 9)"),
    ("use causal(s = X[(b,s),m]) as a", 8, 24, "has extent T, which is B * S here, not M"),
    ("input P[b,s,h,k]\nuse fused(x = P[(b,s),(h,k,n)]) as a", 9, 24, "falls into 2 parts"),
    ("use fused(x = X[b,s]) as a", 8, 19, "(h,k) of fused falls into 2 parts"),
    ("use loop(P = X[(b,s),m]) as a", None, None, "a spec can't use itself: loop.ixc uses loop.ixc"),
    ("use ping(P = y) as a", None, None, "ping.ixc uses pong.ixc uses ping.ixc"),
    ("use wrong(P = y) as a", None, None, "wrong.ixc:3:10: the index r is not declared"),
    ("use norm(X = X[(b,s),m], F = D) as a", 8, 22, "has extent F, which is D here, not M"),
    ("use norm(X = X[(b,s),m], F = Dd) as a", 8, 30, "the extent Dd is not known; did you mean D?"),
    ("use norm(X = X[(b,s),m], F = 2*D) as a", 8, 30, "F is an extent of norm; it is bound to an extent"),
    ("use norm(X = X[(b,s),m], F = 0) as a", 8, 30, "F is an extent of norm; it is bound to an extent"),
    ("use norm(X = X[(b,s),m], F = M, F = M) as a", 8, 33, "F is bound twice"),
    ('use "../norm.ixc"(P = y) as a', 8, 5, "lies beside this one or below"),
    ('use "/norm.ixc"(P = y) as a', 8, 5, "lies beside this one or below"),
    ('use "norm.txt"(P = y) as a', 8, 5, "ends in .ixc"),
    ('use "norm.ixc"(P = y) as a', 8, 5, "only from a spec file"),
    ("use norm(X = y)", 8, 16, "expected as; such a line reads: use layer_norm"),
    ("use norm(X[r,f] = y) as a", 8, 11, "unexpected [; expected ="),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), MISTAKES)
def test_a_mistake_is_one_error_with_its_place(text, line, column, words):
    with pytest.raises(SpecError) as caught:
        read(text + "\nlast = y")
    assert words in str(caught.value)
    if line is not None:
        assert (caught.value.place.line, caught.value.place.column) == (line, column)


def test_a_bracket_compares_single_indices_only():
    with pytest.raises(SpecError, match=r"causal compares j <= i, but \(a,t\) stands for j here"):
        read("index a : B\ninput P[(b,s),(a,t)]\nuse causal(s = P) as a")


def test_depth_is_bounded():
    specs = {f"d{n}": f"index q : T\ninput P[q]\nuse d{n + 1}(P = P) as a" for n in range(20)}
    specs["d20"] = "index q : T\ninput P[q]\nR[q] = P[q]"
    with pytest.raises(SpecError, match="more than 8 levels deep"):
        read_problem("index i : T\ninput x[i]\nuse d0(P = x) as a", resolve=specs.get)


def test_length_is_bounded():
    specs = {"d0": "index q : T\ninput P[q]\nR[q] = P[q]"}
    for n in range(1, 7):
        uses = "\n".join(f"use d{n - 1}(P = P) as a{k}" for k in range(8))
        specs[f"d{n}"] = f"index q : T\ninput P[q]\n{uses}"
    with pytest.raises(SpecError, match="more than"):
        read_problem("index i : T\ninput x[i]\nuse d6(P = x) as a", resolve=specs.get)


def test_a_missing_file_is_said_so(tmp_path):
    spec = tmp_path / "mine.ixc"
    spec.write_text('index i : T\ninput x[i]\nuse "other.ixc"(x = x) as ln')
    assert file_text(spec)
    with pytest.raises(SpecError, match=r"there is no file .*other\.ixc"):
        load_problem(spec)
