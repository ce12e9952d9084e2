"""Terms to SymPy and back; and the traps of SymPy's own sums, which are why terms are not SymPy's."""

import pytest
import sympy as sp

from indexcalc.algebra.build import access, expand, power, product, sum_over
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import substitute, times
from indexcalc.algebra.sympy_bridge import from_sympy, to_sympy
from indexcalc.algebra.terms import Access, Add, Delta, Fn, Index, Iverson, Term, free_indices
from indexcalc.errors import UnsupportedError

T, d = sp.symbols("T d", positive=True, integer=True)
i, j, k, k2 = Index("i", T), Index("j", T), Index("k", d), Index("k2", d)
ONE = sp.S.One


def fn(name, *args):
    return product(1, ((Fn(name, tuple((term,) for term in args)), ONE),))


CASES = {
    "entry": (access("Q", i, k),),
    "scalar tensor": (access("b"),),
    "coefficient": (product(-1 / sp.sqrt(d), access("Q", i, k).powers),),
    "contraction": sum_over((times(access("Q", i, k), access("K", j, k)),), (k,)),
    "two terms": (access("X", i), product(-1, access("mu").powers)),
    "quotient": (product(1, (*fn("exp", access("S", i, j)).powers, (Access("Z", (i,)), -ONE))),),
    "root": (power((access("v", i), Term(sp.Symbol("eps", real=True))), sp.Rational(-1, 2)),),
    "factor": (product(1, ((Add((access("X", i), product(-1, access("mu").powers))), ONE), (Access("r", (i,)), ONE))),),
    "delta": sum_over((product(1, ((Delta(i, j), ONE), (Access("x", (j,)), ONE))),), (j,)),
    "bracket": sum_over((product(1, ((Iverson(j, "<=", i), ONE), (Access("x", (j,)), ONE))),), (j,)),
    "strict bracket": (product(1, ((Iverson(j, "<", i), ONE), (Access("x", (j,)), ONE))),),
    "unlike bracket": (product(1, ((Iverson(j, "!=", i), ONE), (Access("x", (j,)), ONE))),),
    "two brackets": (product(2, ((Iverson(j, "<", i), ONE), (Iverson(k, "!=", k2), ONE), (Access("x", (j,)), ONE))),),
    "functions": (fn("gelu", fn("tanh", access("x", i))),),
    "maximum": (fn("max", access("x", i), Term(sp.Integer(3))),),
    "absolute value": (fn("abs", access("x", i)),),
    "two sums": (times(*sum_over((access("x", i),), (i,)), *sum_over((access("y", i),), (i,))),),
    "number as extent": sum_over((access("x", Index("a", sp.Integer(3))),), (Index("a", sp.Integer(3)),)),
}


@pytest.mark.parametrize("terms", CASES.values(), ids=CASES)
def test_there_and_back(terms):
    read = from_sympy(to_sympy(terms), scalars=("b", "mu"))
    assert same(expand(read), expand(terms))


def test_sympy_that_others_wrote():
    a, b, n = sp.symbols("a b n", integer=True)
    x, y = sp.IndexedBase("x"), sp.IndexedBase("y")
    index_a, index_b = Index("a", n), Index("b", n)
    expression = sp.Sum(x[a] * y[a], (a, 0, n - 1)) * x[b] + 2
    product_of_both = times(
        *sum_over((times(access("x", index_a), access("y", index_a)),), (index_a,)), access("x", index_b)
    )
    assert same(from_sympy(expression, [index_b]), (product_of_both, Term(sp.Integer(2))))


def test_reading_does_not_capture():
    a, n = sp.symbols("a n", integer=True)
    x = sp.IndexedBase("x")
    free = Index("a", n)
    (term,) = from_sympy(x[a] * sp.Sum(x[a], (a, 0, n - 1)), [free])
    assert [base.slots[0] == free for base in term.bases] == [True, False]
    nested = from_sympy(sp.Sum(x[a] * sp.Sum(x[a], (a, 0, n - 1)), (a, 0, n - 1)))
    assert same(nested, (times(*sum_over((access("x", free),), (free,)), *sum_over((access("x", free),), (free,))),))


s, m = sp.symbols("s m", integer=True)
x = sp.IndexedBase("x")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("x[i]", "expected a SymPy expression, not str"),
        (x[s], "the extent of the index s is not known"),
        (x[s + 1], "a slot holds one index"),
        (sp.exp(sp.Sum(x[s], (s, 0, m - 1))), "needs a name of its own"),
        (1 / sp.Sum(x[s], (s, 0, m - 1)), "needs a name of its own"),
        (sp.Sum(x[s], (s, 1, m)), "a sum starts at 0"),
        (2 ** sp.Sum(x[s], (s, 0, m - 1)), "the exponent of a tensor is a number"),
        (sp.Sum(sp.besselj(0, x[s]), (s, 0, m - 1)), "has no counterpart"),
        (sp.Sum(sp.Piecewise((x[s], s > 2), (0, True)), (s, 0, m - 1)), "a slot holds one index"),
    ],
)
def test_what_has_no_counterpart(expression, words):
    with pytest.raises(UnsupportedError, match="^.*" + words.replace("[", r"\[")):
        from_sympy(expression)


# Why terms are not SymPy's: each of these is wrong, or blind, in SymPy itself; ours beside it.


def test_sympy_captures_dummies_under_substitution_and_terms_do_not():
    a, b, n = sp.symbols("a b n", integer=True)
    total = sp.Sum(x[a] * x[b], (a, 0, n - 1))
    assert total.xreplace({b: a}) == sp.Sum(x[a] ** 2, (a, 0, n - 1))
    index_a, index_b = Index("a", n), Index("b", n)
    ours = substitute(from_sympy(total, [index_b]), {index_b: index_a})
    assert free_indices(ours) == (index_a,)
    assert len(ours[0].powers) == 2


def test_sympy_takes_equal_sums_for_different_and_terms_do_not():
    a, b, n = sp.symbols("a b n", integer=True)
    one, other = sp.Sum(x[a], (a, 0, n - 1)), sp.Sum(x[b], (b, 0, n - 1))
    assert one != other
    assert same(from_sympy(one), from_sympy(other))


def test_sympy_merges_exponentials_and_terms_do_not():
    a = sp.Symbol("a")
    assert sp.exp(a) * sp.exp(2 * a) == sp.exp(3 * a)
    term = times(fn("exp", access("x", i)), fn("exp", product(2, access("x", i).powers)))
    assert len(term.powers) == 2


def test_sympy_differentiates_a_sum_by_its_own_dummy():
    a, n = sp.symbols("a n", integer=True)
    captured = sp.Sum(x[a] ** 2, (a, 0, n - 1)).diff(x[a])
    assert captured == sp.Sum(2 * x[a], (a, 0, n - 1))
    assert captured != 2 * x[a]


def test_sympy_loses_the_authored_order_and_terms_do_not():
    written = (access("X", i), product(-1, access("mu").powers))
    assert str(to_sympy(written)) == "-mu + X[i]"
    assert Add(written).terms == written
