"""Domains of inputs: read as intervals, carried through ``use`` and Python, refused where they say nothing."""

from __future__ import annotations

import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.terms import tensors_of
from indexcalc.errors import SpecError
from indexcalc.language import load_problem, read_problem

HEAD = "index i : N\nindex c, l : C\n"


def domain(text: str) -> sp.Interval | None:
    (tensor,) = read_problem(f"{HEAD}input x[i,c] {text}\nL = sum[i,c](x[i,c])\nloss L").program.inputs
    return tensor.domain


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("", None),
        ("in (-1,1)", sp.Interval.open(-1, 1)),
        ("in [0, 1]", sp.Interval(0, 1)),
        ("in (-1, 0.5]", sp.Interval(-1, sp.Rational(1, 2), left_open=True)),
        ("in [2, inf)", sp.Interval(2, sp.oo)),
        ("in (-inf, pi/2)", sp.Interval.open(-sp.oo, sp.pi / 2)),
        ("in (-inf, inf)", sp.Interval(-sp.oo, sp.oo)),
        ("positive", sp.Interval.open(0, sp.oo)),
        ("probability", sp.Interval(0, 1)),
        ('positive "amounts"', sp.Interval.open(0, sp.oo)),
    ],
)
def test_a_domain_is_an_interval(text: str, interval: sp.Interval | None) -> None:
    assert domain(text) == interval


def test_a_probability_over_an_index_sums_to_one() -> None:
    program = read_problem(HEAD + "input y[i,c] probability over c, x[i]\nL = sum[i,c](x[i] * y[i,c])\nloss L").program
    assumed = read_problem(
        HEAD + "input y[i,c] probability, x[i]\nassume sum[c](y[i,c]) = 1\nL = sum[i,c](x[i] * y[i,c])\nloss L"
    ).program
    assert [(one.left, one.right) for one in program.assumptions] == [(a.left, a.right) for a in assumed.assumptions]
    both = read_problem(HEAD + "input y[i,c] probability over (i, c)\nL = sum[i,c](y[i,c]^2)\nloss L").program
    assert [index.name for index in both.assumptions[0].left[0].summed] == ["i", "c"]


def test_a_symmetric_input_is_assumed_to_be_one() -> None:
    text = "index a, b : N\n{}\nL[i] = sum[a,b](A[i,a,b] * S[a,b])\n"
    said = read_problem(HEAD + text.format("input S[a,b] symmetric, A[i,a,b] spd over (b,a)")).program
    assumed = "input S[a,b], A[i,a,b]\nassume S[a,b] = S[b,a]\nassume A[i,a,b] = A[i,b,a]"
    other = read_problem(HEAD + text.format(assumed)).program
    assert [(one.left, one.right) for one in said.assumptions] == [(one.left, one.right) for one in other.assumptions]
    assert [one.definite for one in said.assumptions] == [False, True]
    assert not any(one.definite for one in other.assumptions)


def test_a_bound_input_is_symmetric_as_what_is_bound_to_it(tmp_path) -> None:
    (tmp_path / "part.ixc").write_text("index a, b : N\ninput S[a,b] spd\nt = trace[a,b](S[a,b])\n")
    outer = tmp_path / "outer.ixc"
    outer.write_text(
        'index i, j : N\ninput K[i,j]\nuse "part.ixc"(S = K[i,j]) as p\nuse "part.ixc"() as q\n'
        "L = p_t + q_t\nloss L\nderive K"
    )
    bound, free = load_problem(outer).program.assumptions
    assert bound.definite
    assert free.definite
    assert {*tensors_of(bound.left), *tensors_of(free.left)} == {"K", "q_S"}


def test_words_of_domains_are_names_elsewhere() -> None:
    program = read_problem(
        "index over : N\ninput positive[over], in[over], probability in (0,1)\nY = probability"
    ).program
    assert [tensor.name for tensor in program.inputs] == ["positive", "in", "probability"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("in (1, -1)", "from 1 to -1 is empty"),
        ("in [2, 2]", "holds one number alone"),
        ("in (inf, 0)", "from the lower end to the upper one"),
        ("in (0, -inf)", "from the lower end to the upper one"),
        ("in (N, 3)", "the scalar N is not known"),
        ("in (i, 3)", "has no value of its own"),
        ("in (0, x)", "the scalar x is not known"),
        ("in (sqrt(-1), 3)", "not a real number"),
        ("in 0", "a whole number from 1 on, not 0"),
        ("in (0, 1) over c", "unexpected over"),
        ("probability over k", "the index k is not declared"),
        ("probability over l", "l does not occur inside"),
        ("negative", "unexpected negative"),
        ("symmetric", "the index c has extent C"),
        ("symmetric over (i,i)", "symmetric over two of its indices"),
        ("spd over (i,l)", "spd over two of its indices"),
        ("spd over i", "unexpected i"),
    ],
)
def test_what_is_no_domain_is_told_at_its_place(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        domain(text)
    assert "<text>:3:" in str(caught.value)


def test_python_says_the_same() -> None:
    program = ic.Program()
    n, c = ic.extents("N C")
    i = program.index("i", n)
    k, _ = program.indices("c l", c)
    x = program.input("x", i, domain=sp.Interval.Lopen(-1, 1))
    y = program.input("y", i, k, domain="probability", over=k)
    z = program.input("z", i, domain="positive")
    program.define("L", (), ic.sum(x[i] * y[i, k] * z[i], i, k))
    program.loss("L")
    text = "input x[i] in (-1, 1], y[i,c] probability over c, z[i] positive\nL = sum[i,c](x[i] * y[i,c] * z[i])\nloss L"
    assert program.problem() == read_problem(HEAD + text)


@pytest.mark.parametrize(
    "given",
    [
        {"domain": "negative"},
        {"domain": sp.Interval(1, 0)},
        {"domain": sp.Interval(1, 1)},
        {"domain": sp.Union(sp.Interval(0, 1), sp.Interval(2, 3))},
    ],
)
def test_python_refuses_what_is_no_interval(given: dict) -> None:
    with pytest.raises(SpecError, match="a domain is a SymPy interval"):
        ic.Program().input("x", **given)


def test_python_says_what_is_symmetric() -> None:
    program = ic.Program()
    i, j = program.indices("i j", "N")
    k, _ = program.indices("c l", "C")
    s = program.input("S", i, j, domain="spd", doc="kernel")
    a = program.input("A", k, i, j, domain="symmetric", over=(i, j))
    program.define("L", (), ic.sum(s[i, j] * a[k, i, j], i, j, k))
    program.loss("L")
    text = 'input S[i,j] spd "kernel", A[c,i,j] symmetric over (i,j)\nL = sum[i,j,c](S[i,j] * A[c,i,j])\nloss L'
    assert program.problem() == read_problem("index i, j : N\nindex c, l : C\n" + text)
    with pytest.raises(SpecError, match="two of its indices"):
        program.input("B", k, i, j, domain="symmetric")


def test_only_a_probability_sums_to_one() -> None:
    program = ic.Program()
    i = program.index("i", "N")
    with pytest.raises(SpecError, match="only a probability sums to one"):
        program.input("x", i, over=i, domain="positive")


def test_a_domain_goes_along_with_an_input_that_is_not_bound(tmp_path) -> None:
    (tmp_path / "part.ixc").write_text(
        "index a : N\ninput u[a] in (0,1), v[a] probability over a\nw[a] = u[a] * v[a]\n"
    )
    outer = tmp_path / "outer.ixc"
    outer.write_text('index i : N\ninput x[i] positive\nuse "part.ixc"(u = x) as p\n')
    program = load_problem(outer).program
    assert {tensor.name: tensor.domain for tensor in program.inputs} == {
        "x": sp.Interval.open(0, sp.oo),
        "p_v": sp.Interval(0, 1),
    }
    assert len(program.assumptions) == 1
