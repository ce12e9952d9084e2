"""Fused slots: a plain index that meets one is written out in parts, wherever that leads."""

import sympy as sp

import indexcalc as ic
from indexcalc.language import read_problem
from indexcalc.language.extents import common_split, extent_factors, extent_value
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive

HEAD = """index n : N
index m : M
index h : H
index k : D
index c, e : H*D
"""

SIZES = {sp.Symbol(name, positive=True, integer=True): size for name, size in (("N", 2), ("M", 3), ("H", 4), ("D", 5))}


def read(text):
    return read_problem(HEAD + text, "spec.ixc")


def same_program(text, other):
    one, two = read(text), read(other)
    assert one.program.inputs == two.program.inputs
    assert one.program.equations == two.program.equations
    assert one.claims == two.claims
    return one


def test_a_plain_index_is_split_where_it_stands_in_a_fused_slot():
    problem = same_program(
        "input X[n,m], W[m,(h,k)]\nY[n,c] = sum[m](X[n,m] * W[m,c])\nR[n] = sum[c](Y[n,c]^2)\n"
        "prove sum[c](dL/dY[n,c] - 2 * Y[n,c]) = 0",
        "input X[n,m], W[m,(h,k)]\nY[n,(h,k)] = sum[m](X[n,m] * W[m,(h,k)])\nR[n] = sum[h,k](Y[n,(h,k)]^2)\n"
        "prove sum[h,k](dL/dY[n,(h,k)] - 2 * Y[n,(h,k)]) = 0",
    )
    assert problem.program.layouts == {"W": (1, 2), "Y": (1, 2)}
    assert [index.name for index in problem.program.indices] == ["n", "m", "h", "k", "e"]


def test_an_input_is_split_by_the_way_it_is_read():
    problem = read("input X[n,c]\nY[n,h,k] = X[n,(h,k)]\nb[c] = sum[n](X[n,c])")
    assert [len(axis) for axis in problem.program.axes("X")] == [1, 2]
    assert [len(axis) for axis in problem.program.axes("Y")] == [1, 1, 1]
    assert [len(axis) for axis in problem.program.axes("b")] == [2]


def test_parts_go_from_tensor_to_tensor():
    text = "input W[m,(h,k)], u[c], v[e]\nA[c] = u[c] * v[c]\nB[m] = sum[c](A[c] * W[m,c])"
    assert read(text).program.layouts == {"W": (1, 2), "u": (2,), "v": (2,), "A": (2,)}


def test_two_indices_of_one_statement_get_names_of_their_own():
    problem = read("input W[m,(h,k)]\nS[c,e] = sum[m](W[m,c] * W[m,e])")
    names = [slot.name for slot in problem.program.tensors["S"].slots]
    assert names == ["h", "k", "a", "b"]
    assert {"a", "b"} < {index.name for index in problem.program.indices}
    assert [slot.extent for slot in problem.program.tensors["S"].slots[2:]] == [
        slot.extent for slot in problem.program.tensors["S"].slots[:2]
    ]


def test_names_in_use_are_not_taken_for_parts():
    problem = read("input W[m,(h,k)], t[h]\nS[c] = sum[m](W[m,c]) * sum[h](t[h])")
    slots = [slot.name for slot in problem.program.tensors["S"].slots]
    assert slots == ["a", "k"]
    (term,) = problem.program.definitions["S"].terms
    assert {index.name for index in term.summed} == {"m", "h"}


def test_a_delta_of_split_indices_is_the_product_of_the_deltas():
    for written in ("delta[c,e]", "[c == e]", "[e == c]"):
        problem = read(f"input u[(h,k)]\nS[c,e] = u[c] * {written}")
        (term,) = problem.program.definitions["S"].terms
        assert len(term.powers) == 3
        assert problem.program.layouts == {"u": (2,), "S": (2, 2)}


def test_parts_of_parts():
    problem = read(
        "index q : 2\nindex p : P\nindex r : 2*P\nindex w : P*2*H\ninput x[n,(h,r)], y[w]\n"
        "z[n,h,p] = sum[q](x[n,(h,p,q)])\ng[n] = sum[w](x[n,w] * y[w])"
    )
    assert problem.program.layouts == {"x": (1, 3), "y": (3,)}


def test_other_axes_over_the_same_slots():
    head = "input X[n,m,h], W[m,(h,k)]\n"
    same_program(head + "Y[m,h] = sum[n](X[(n,m),h])", head + "Y[m,h] = sum[n](X[n,m,h])")
    same_program(head + "Y[m,h,k] = W[m,h,k]", head + "Y[m,h,k] = W[m,(h,k)]")


def test_a_product_extent_alone_splits_nothing():
    problem = read("input X[c]\nY[c] = X[c] / (H*D)")
    assert problem.program.layouts == {}
    assert problem.program.inputs[0].slots[0].extent == extent_value(("H", "D"))


def test_mean_over_a_split_index_divides_by_both_extents():
    problem = read("input u[(h,k)]\nY = mean[c](u[c])")
    assert problem.program.definitions["Y"].terms[0].coeff == 1 / extent_value(("D", "H"))


def test_gradients_of_split_programs():
    problem = read(
        "input X[n,m], W[m,(h,k)], V[c,m]\nY[n,c] = tanh(sum[m](X[n,m] * W[m,c]))\nA[n,c] = softmax[c](Y[n,c])\n"
        "Z[n,m] = sum[c](A[n,c] * V[c,m])\nR[n,h] = sum[k](Y[n,(h,k)])"
    )
    derivation = derive(problem)
    assert derivation.backward.layouts["dW"] == (1, 2)
    assert check_backward(problem, derivation.backward, sizes=[SIZES]).ok


def test_the_python_interface_says_the_same():
    N, M, H, D = ic.extents("N M H D")
    program = ic.Program()
    n, m = program.index("n", N), program.index("m", M)
    h, k = program.index("h", H), program.index("k", D)
    c, _ = program.indices("c e", H * D)
    X, W = program.input("X", n, m), program.input("W", m, (h, k))
    program.define("Y", (n, c), ic.sum(X[n, m] * W[m, c], m))
    assert program.problem() == read("input X[n,m], W[m,(h,k)]\nY[n,c] = sum[m](X[n,m] * W[m,c])")


def test_formulas_shared_in_python_are_written_once():
    program = ic.Program()
    h, k = program.index("h", "H"), program.index("k", "D")
    c = program.index("c", sp.Mul(*ic.extents("H D")))
    x = program.input("x", (h, k))
    formula = x[c]
    for _ in range(12):
        formula = ic.tanh(formula) * formula
    program.define("y", (c,), formula)
    assert program.problem().program.layouts == {"x": (2,), "y": (2,)}


def test_common_splits():
    a, b, c = sp.symbols("A B C", positive=True, integer=True)
    assert common_split((a * b, c), (a, b * c)) == (a, b, c)
    assert common_split((a * b * c,), (c, a, b)) == (c, a, b)
    assert common_split((a, b), (b, a)) is None
    assert common_split((sp.Integer(2), sp.Integer(6)), (sp.Integer(4), sp.Integer(3))) == (2, 2, 3)
    assert common_split((sp.Integer(2), sp.Integer(3)), (sp.Integer(3), sp.Integer(2))) is None
    assert common_split((a,), (a, sp.S.One)) == (a, 1)
    assert common_split((a,), (a, b)) is None


def test_extents_and_their_factors():
    assert extent_value(("A", 2, "B", 3)) == 6 * extent_value(("A", "B"))
    assert extent_factors(6 * extent_value(("A", "A"))) == (6, "A", "A")
    assert extent_factors(extent_value(("A",)) + 1) is None
    assert extent_factors(1 / extent_value(("A",))) is None
    assert extent_factors(sp.Integer(-2)) is None
