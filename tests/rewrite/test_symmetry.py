"""Symmetries of tensors are found, hold in numbers, and lead to the forms that textbooks print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import expand, power, product
from indexcalc.algebra.canonical import collect, same
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Add, tensors_of, walk
from indexcalc.calculus.steps import Cited
from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Identity, Program, Tensor
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.sampling import sample_point
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite import symmetry
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.symmetry import (
    NONE,
    TERM_LIMIT,
    assumed_order,
    candidate_orders,
    exchange,
    find_symmetries,
    is_kept,
    places_of,
    single,
)
from tests.support.build import add, at, i, j, term
from tests.support.programs import COLUMNS, ROWS, Draft, N, problems, sizes
from tests.textbook.reading import operations, textbook_program, written_out

slow = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

HEAD = "index n, m : N\nindex d : D\ninput X[n,d], A[n,m]\n"
SYMMETRIC = {
    "distances": "S[n,m] = sum[d]((X[n,d] - X[m,d])^2)",
    "inner products": "S[n,m] = sum[d](X[n,d] * X[m,d])",
    "a matrix and its transpose": "S[n,m] = A[n,m] + A[m,n]",
    "a product with the transpose": "S[n,m] = sum[d](X[n,d]^2) * A[n,m] * A[m,n] * sum[d](X[m,d]^2)",
    "differences inside a function": "x[n] = sum[d](X[n,d])\nS[n,m] = exp(-(x[n] - x[m])^2)",
    "the diagonal": "S[n,m] = delta[n,m] * A[n,n]",
    "the diagonal, read by the other index": "S[n,m] = delta[n,m] * A[m,n]",
    "a mask": "S[n,m] = [n != m] * A[n,m] * A[m,n]",
    "a function of a symmetric matrix": "R[n,m] = A[n,m] + A[m,n]\nS[n,m] = tanh(R[m,n]) * R[n,m]",
}
OTHERS = {
    "a matrix": "S[n,m] = A[n,m]",
    "a difference": "S[n,m] = A[n,m] - A[m,n]",
    "rows scaled": "S[n,m] = sum[d](X[n,d]) * (A[n,m] + A[m,n])",
    "an order": "S[n,m] = [n <= m] * (A[n,m] + A[m,n])",
    "a normalised row": "S[n,m] = exp(A[n,m] + A[m,n]) / sum[k](exp(A[n,k] + A[k,n]))",
}


def program_of(body):
    return read_problem(f"index k : N\n{HEAD}{body}\nupstream G[n,m] = dL/dS[n,m]\nderive A, X").program


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_symmetric_definition_is_found(name):
    assert find_symmetries(program_of(SYMMETRIC[name])).orders["S"] == ((1, 0),)


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is_taken_for_symmetric(name):
    assert "S" not in find_symmetries(program_of(OTHERS[name])).orders


def test_all_orders_of_three_slots_are_found():
    spec = "index i, j, l : N\ninput x[i]\nT[i,j,l] = x[i] * x[j] * x[l]\nupstream G[i,j,l] = dL/dT[i,j,l]\nderive x"
    assert len(find_symmetries(read_problem(spec).program).orders["T"]) == 5


def test_blocks_of_slots_change_places():
    spec = (
        "index a, b, c, d : N\ninput A[a,b]\nT[a,b,c,d] = A[a,b] * A[c,d]\n"
        "upstream G[a,b,c,d] = dL/dT[a,b,c,d]\nderive A"
    )
    assert find_symmetries(read_problem(spec).program).orders["T"] == ((2, 3, 0, 1),)


def test_only_an_exchange_of_slots_is_read_as_a_symmetry():
    assert assumed_order(Identity(single(at("A", i, j)), single(at("A", j, i)))) == (at("A", i, j), (1, 0))
    assert assumed_order(Identity(single(at("A", i, j)), single(at("B", j, i)))) is None
    assert assumed_order(Identity(single(at("A", i, i)), single(at("A", i, i)))) is None
    assert assumed_order(Identity(single(at("A", i, j)), (term(at("A", j, i), coeff=-1),))) is None
    assert assumed_order(Identity((term(at("A", i, j), over=(j,)),), (term(),))) is None


def with_symmetric_inputs(problem, *names):
    """The problem with inputs assumed symmetric."""
    tensors = problem.program.tensors
    found = (Identity(single(tensors[n].entry), single(Access(n, tensors[n].slots[::-1]))) for n in names)
    return replace(problem, program=replace(problem.program, assumptions=(*problem.program.assumptions, *found)))


def equations_of(problem):
    derivation = derive(problem)
    assert not derivation.unproved
    return {equation.name: equation for equation in derivation.backward.equations}


TSNE = """index i, j, a, b : N
index c : d
input Y[i,c], P[i,j]
D[i,j] = sum[c]((Y[i,c] - Y[j,c])^2)
w[i,j] = 1 / (1 + D[i,j])
q[i,j] = [i != j] * w[i,j] / sum[a,b]([a != b] * w[a,b])
L = -sum[i,j](P[i,j] * log(w[i,j])) + log(sum[a,b]([a != b] * w[a,b]))
assume sum[i,j](P[i,j]) = 1
loss L
derive Y
name E = dL/dD
prove sum[i](dL/dY[i,c]) = 0
"""


def test_neighbours_pull_along_the_difference_of_their_points():
    problem = with_symmetric_inputs(read_problem(TSNE), "P")
    slots = problem.program.tensors["Y"].slots
    row, column = slots
    other = problem.program.tensors["P"].slots[1]
    difference = add(term(at("Y", row, column)), term(at("Y", other, column), coeff=-1))
    expected = (term(at("E", row, other), difference, coeff=4, over=(other,)),)
    assert same(expand(equations_of(problem)["dY"].terms), expand(expected))


def test_without_the_assumption_both_directions_pull():
    problem = read_problem(TSNE)
    row, column = problem.program.tensors["Y"].slots
    other = problem.program.tensors["P"].slots[1]
    difference = add(term(at("Y", row, column)), term(at("Y", other, column), coeff=-1))
    both = add(term(at("E", row, other)), term(at("E", other, row)))
    expected = (term(difference, both, coeff=2, over=(other,)),)
    assert same(expand(equations_of(problem)["dY"].terms), expand(expected))


PAIRS = "index n, m : N\nindex d : D\ninput X[n,d], k[n,m], r[n,m]\nassume k[n,m] = k[m,n]\nassume r[n,m] = r[m,n]\n"
FORCES = {
    "springs": (
        "D[n,m] = sum[d]((X[n,d] - X[m,d])^2)\nL = 1/4 * sum[n,m]([n != m] * k[n,m] * (sqrt(D[n,m]) - r[n,m])^2)\n"
        "loss L\nderive D, X",
        "dD[n,m] = [n != m] * k[n,m] * (sqrt(D[n,m]) - r[n,m]) / (4 * sqrt(D[n,m]))\n"
        "dX[n,d] = 4 * sum[m](dD[n,m] * (X[n,d] - X[m,d]))",
    ),
    "springs with a distance inline": (
        "L = 1/4 * sum[n,m](k[n,m] * sum[d]((X[n,d] - X[m,d])^2))\nloss L\nderive X",
        "dX[n,d] = sum[m](k[n,m] * (X[n,d] - X[m,d]))",
    ),
    "a kernel": (
        "K[n,m] = exp(-1/2 * sum[d]((X[n,d] - X[m,d])^2))\nL = 1/2 * sum[n,m](k[n,m] * K[n,m])\nloss L\nderive X",
        "E[n,m] = -k[n,m] * K[n,m] / 4\ndX[n,d] = 4 * sum[m](E[n,m] * (X[n,d] - X[m,d]))",
    ),
    "a kernel under any gradient": (
        "K[n,m] = exp(-1/2 * sum[d]((X[n,d] - X[m,d])^2))\nupstream G[n,m] = dL/dK[n,m]\nderive X",
        "E[n,m] = -G[n,m] * K[n,m] / 2\ndX[n,d] = 2 * sum[m]((E[n,m] + E[m,n]) * (X[n,d] - X[m,d]))",
    ),
}
"""Forces between pairs of points, with the gradients of a textbook: along the differences of the points."""


@pytest.mark.parametrize("name", FORCES)
def test_forces_between_points_are_along_their_differences(name):
    body, forms = FORCES[name]
    problem = read_problem(PAIRS + body)
    derivation, textbook = derive(problem), textbook_program(problem, PAIRS + body, forms)
    for target in problem.targets:
        gradient = problem.gradient_names[target]
        ours, theirs = (written_out(found, gradient) for found in (derivation.backward, textbook))
        assert find_symmetries(problem.program).same(ours, theirs)
    assert operations(problem, derivation.backward) <= operations(problem, textbook)
    (forces,) = (equation for equation in derivation.backward.equations if equation.name == "dX")
    assert any(isinstance(base, Add) and tensors_of(base.terms) == ("X",) for base in walk(forces.terms))


def test_the_note_states_each_symmetry_that_a_step_uses():
    spec = (
        "index n : N\nindex i, j : F\ninput X[n,i]\nC[i,j] = sum[n](X[n,i] * X[n,j])\n"
        "L = sum[i,j](C[i,j]^2)\nloss L\nderive C, X"
    )
    derivation = derive(read_problem(spec))
    i_, j_ = derivation.problem.program.tensors["C"].slots
    stated = Identity(single(at("dC", i_, j_)), single(at("dC", j_, i_)))
    assert stated in [proof.identity for proof in derivation.proofs]
    assert any(isinstance(step.detail, Cited) and step.detail.identity == stated for step in derivation.all_steps())


def test_a_rule_for_columns_serves_the_rows_of_a_symmetric_matrix():
    spec = (
        "index i, j : N\nindex f : F\ninput A[i,j], x[i,f]\nS[i,j] = A[i,j] + A[j,i]\ns[i] = sum[j](S[j,i])\n"
        "Y[i,f] = sum[j](S[i,j] * x[i,f])\nupstream G[i,f] = dL/dY[i,f]\nderive x"
    )
    (equation,) = derive(read_problem(spec)).backward.equations
    slots = equation.lhs.slots
    assert same(equation.terms, (term(at("G", *slots), at("s", slots[0])),))


def symmetric_term(draft, tensor, one, other):
    """A product over a tensor's rows that stays the same when two indices change places."""
    rest = tuple(slot for slot in tensor.slots if slot.extent != N)
    first, second = ((Access(tensor.name, (index, *rest)), sp.S.One) for index in (one, other))
    kind = draft.pick("product", "distance", "sum")
    if kind == "product":
        return product(1, (first, second), rest)
    if kind == "sum":
        return product(1, ((Add((product(1, (first,)), product(1, (second,)))), sp.S.One),), rest)
    return product(1, ((Add((product(1, (first,)), product(-1, (second,)))), sp.Integer(2)),), rest)


@st.composite
def symmetric_problems(draw):
    """A matrix with a symmetric definition over the rows of an input, and random equations that read it."""
    draft = Draft(draw)
    one, other = ROWS[0], ROWS[1]
    source = Tensor("X1", (ROWS[0], COLUMNS[0]))
    draft.tensors["X1"] = source
    inputs = (source,)
    draft.define((one, other), symmetric_term(draft, source, one, other))
    for _ in range(draft.pick(1, 2, 3)):
        draft.plain()
    last = draft.equations[-1].name
    program = Program("random", inputs, tuple(draft.equations), (last,), (*ROWS, *COLUMNS))
    return Problem(program, (Upstream("G1", last),), ("X1",))


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=slow)
@given(symmetric_problems(), sizes().filter(lambda chosen: 1 not in chosen.values()))
def test_gradients_through_symmetric_tensors_are_right_and_every_step_keeps_its_value(problem, chosen):
    derivation = derive(problem)
    try:
        report = check_backward(problem, derivation.backward, sizes=[chosen])
        assert report.ok, "\n".join(map(str, report.failures))
        with np.errstate(all="ignore"):
            assert not check_derivation(derivation, sizes=[chosen])
    except UnsupportedError:
        reject()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=slow)
@given(st.one_of(symmetric_problems(), problems()), sizes())
def test_every_symmetry_that_is_found_holds_in_numbers(problem, chosen):
    known = find_symmetries(problem.program)
    try:
        point = sample_point(problem.program, chosen, np.random.default_rng(0))
    except UnsupportedError:
        reject()
    for name, orders in known.orders.items():
        for order in orders:
            value = np.asarray(point.values[name])
            np.testing.assert_allclose(np.transpose(value, order), value, rtol=1e-9, atol=1e-9)


def test_sums_of_many_terms_are_refused_before_there_is_work(monkeypatch):
    wide = power(tuple(term(at(name, i, j)) for name in "abcde"), sp.Integer(4))
    other = power(tuple(term(at(name, j, i)) for name in "abcde"), sp.Integer(4))
    assert len(expand((wide,))) > TERM_LIMIT
    monkeypatch.setattr(symmetry, "pin", lambda *_: pytest.fail("terms were looked at"))
    with pytest.raises(LimitError):
        NONE.same((wide,), (other,))


def equations_with_orders():
    """Equations with two slots or more of one extent: of both passes of what is shipped, and those above."""
    derivations = [derive(load_problem(path)) for path in shipped_paths().values()]
    programs = [program for one in derivations for program in (one.problem.program, one.backward)]
    programs += [program_of(body) for body in (*SYMMETRIC.values(), *OTHERS.values())]
    known = [(equation, find_symmetries(program)) for program in programs for equation in program.equations]
    return [(equation, own) for equation, own in known if any(candidate_orders(equation.slots))]


def test_where_slots_stand_rules_out_no_symmetry():
    cases = equations_with_orders()
    ruled_out = 0
    for equation, known in cases:
        kept = [order for order in candidate_orders(equation.slots) if is_kept(equation, order, known)]
        places = places_of(equation, known)
        for order in candidate_orders(equation.slots):
            unlike = places is not None and exchange(places, equation.slots, order) != places
            assert not (unlike and order in kept)
            ruled_out += unlike
    assert ruled_out > len(cases) / 2


@settings(max_examples=60, deadline=None, suppress_health_check=slow)
@given(problems(), st.randoms(use_true_random=False))
def test_where_slots_stand_rules_out_no_symmetry_of_a_random_sum(problem, chosen):
    for equation in problem.program.equations:
        orders = list(candidate_orders(equation.slots))
        if not orders:
            continue
        order = chosen.choice(orders)
        moved = {slot: equation.slots[position] for slot, position in zip(equation.slots, order, strict=True)}
        # Added up over all that the order does one after another, a sum has the symmetry.
        total, images = equation.terms, substitute(equation.terms, moved)
        for _ in range(24):
            if same_text(images, equation.terms):
                break
            total, images = (*total, *images), substitute(images, moved)
        whole = replace(equation, terms=collect(total))
        if len(whole.terms) > TERM_LIMIT:
            continue
        places = places_of(whole, NONE)
        assert places is None or exchange(places, whole.slots, order) == places


def same_text(one, other):
    """Whether two sums are written alike."""
    return repr(one) == repr(other)
