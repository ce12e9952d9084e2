"""The search for a cheaper form, the parts that get names, and what is inlined: by cost, not by name."""

from __future__ import annotations

import pytest

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Terms, tensors_of
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.language import read_problem
from indexcalc.rewrite.cost import live_cost, nominal_sizes, terms_cost
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.rules import fold_rule
from indexcalc.rewrite.search import EACH, EFFORT, MOST, Effort, Moves, cheaper_form
from tests.support.build import at, attention, i, j, p, term


def backward(spec: str):
    return derive(read_problem(spec)).backward


def test_the_row_scalar_of_attention_is_refolded():
    problem = attention()
    d = derive(problem)
    names = {section.equation.name: section.equation for section in d.sections if section.target is None}
    (scalar,) = names.values()
    assert set(tensors_of(scalar.terms)) == {"G", "O"}
    assert same(scalar.terms, (term(at("G", i, p), at("O", i, p), over=(p,)),))


def test_a_form_is_left_alone_where_nothing_is_cheaper():
    program = attention().program
    entry, terms = at("O", i, p), program.definitions["O"].terms
    moves = Moves(program.definitions, (), nominal_sizes(program), frozenset())
    assert cheaper_form(entry, terms, moves, Effort()) == ()


def search_of_a_product():
    program = attention().program
    rules = tuple(rule for equation in program.equations if (rule := fold_rule(equation)) is not None)
    moves = Moves(program.definitions, rules, nominal_sizes(program), frozenset(program.definitions))
    terms: Terms = (term(at("A", i, j), at("V", j, p), at("G", i, p), over=(j, p)),)
    return at("y", i), terms, moves


def test_a_search_without_effort_left_finds_nothing():
    assert cheaper_form(*search_of_a_product(), Effort(0)) == ()


def test_a_search_that_is_remembered_costs_the_same_effort_again():
    efforts = [Effort(), Effort()]
    steps = [cheaper_form(*search_of_a_product(), effort) for effort in efforts]
    assert steps[0] == steps[1] != ()
    assert efforts[0] == efforts[1] != Effort()


def test_what_is_out_of_reach_changes_no_search():
    entry, terms, moves = search_of_a_product()
    near = moves.within_reach(terms)
    assert set(near.definitions) <= set(moves.definitions)
    assert cheaper_form(entry, terms, near, Effort()) == cheaper_form(entry, terms, moves, Effort())


def test_what_the_search_accepts_costs_less():
    program = attention().program
    rules = tuple(rule for equation in program.equations if (rule := fold_rule(equation)) is not None)
    sizes = nominal_sizes(program)
    moves = Moves(program.definitions, rules, sizes, frozenset(program.definitions))
    entry = at("y", i)
    terms: Terms = (term(at("A", i, j), at("V", j, p), at("G", i, p), over=(j, p)),)
    steps = cheaper_form(entry, terms, moves, Effort())
    assert terms_cost(steps[-1].after, entry.slots, sizes) < terms_cost(terms, entry.slots, sizes)
    assert same(steps[-1].after, (term(at("G", i, p), at("O", i, p), over=(p,)),))


CROSS_ENTROPY = """
index n : N
index c, l : C
input z[n,c], y[n,c]
assume sum[c](y[n,c]) = 1
p[n,c] = exp(z[n,c]) / sum[l](exp(z[n,l]))
L = -sum[n,c](y[n,c] * log(p[n,c]))
loss L
derive z
"""


def test_a_gradient_is_inlined_where_what_follows_gets_cheaper():
    (only,) = backward(CROSS_ENTROPY).equations
    n, c = only.lhs.slots
    assert same(expand(only.terms), (term(at("p", n, c)), term(at("y", n, c), coeff=-1)))


def test_without_the_assumption_the_factor_stays():
    program = backward(CROSS_ENTROPY.replace("assume sum[c](y[n,c]) = 1\n", ""))
    assert "y" in {name for equation in program.equations for name in tensors_of(equation.terms)}
    assert len(program.equations) == 2


MLP = """
index n : N
index f : F
index h : H
input X[n,f], W[f,h], b[h], U[h,f]
A[n,h] = sum[f](X[n,f] * W[f,h]) + b[h]
B[n,h] = tanh(A[n,h])
Y[n,f] = sum[h](B[n,h] * U[h,f])
upstream G[n,f] = dL/dY[n,f]
derive X, W, b, U
"""


def test_a_gradient_that_several_read_keeps_its_name():
    names = [equation.name for equation in backward(MLP).equations]
    assert "dA" in names
    assert names.index("dA") < min(names.index("dX"), names.index("dW"), names.index("db"))


@pytest.mark.parametrize("spec", [CROSS_ENTROPY, MLP])
def test_the_live_program_is_no_dearer_than_the_bare_sweep(spec):
    problem = read_problem(spec)
    d = derive(problem)
    sizes = nominal_sizes(problem.program)
    bare = [section.equation for section in derive_gradients(problem)]
    assert live_cost(d.backward.equations, d.backward.outputs, sizes) <= live_cost(bare, d.backward.outputs, sizes)


def test_a_part_is_named_once_and_shared():
    spec = """
index n : N
index h, q : H
input x[n,h], y[n,h]
a[n] = sum[h](x[n,h] * y[n,h])
u[n,h] = x[n,h] * a[n]
v[n,h] = y[n,h] * a[n]
upstream gu[n,h] = dL/du[n,h]
upstream gv[n,h] = dL/dv[n,h]
derive x, y
"""
    d = derive(read_problem(spec))
    keys = [section.equation.terms for section in d.sections if section.target is None]
    assert len(keys) == len({str(terms) for terms in keys})


def test_long_forms_take_more_of_the_effort():
    """The same search with a factor more in each form that nothing unfolds."""
    entry, terms, moves = search_of_a_product()
    longer = (term(*(factor for factor in terms[0].powers), at("H", i), over=terms[0].summed),)
    efforts = [Effort(), Effort()]
    for form, effort in zip((terms, longer), efforts, strict=True):
        cheaper_form(entry, form, moves, effort)
    assert 0 < efforts[1].left < efforts[0].left < EFFORT


def test_each_equation_adds_to_the_effort_up_to_a_bound():
    efforts = [Effort.of(count).left for count in (1, 40, 10_000)]
    assert efforts == [EFFORT, 40 * EACH, MOST]
