"""Equal work on several tensors as work on their stack: the values are the same, and there are fewer products."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.algebra.terms import Access, Add, Fn, Index, Term
from indexcalc.codegen.fast.alike import in_order
from indexcalc.codegen.fast.stacks import Stacks
from indexcalc.codegen.statements import Kind, Statement
from tests.support.build import D, M, N, at, fn, i, j, k, m, term

SIZES = {N: 3, M: 4, D: 2}
INPUTS = {
    **{f"W{n}": (j, i) for n in range(4)},
    **{f"b{n}": (j,) for n in range(4)},
    "x": (k, i),
    "y": (k, i),
    "V": (m, j),
}


def size(index):
    return SIZES.get(index.extent) or int(index.extent)


def value(term_, place, arrays):
    """One term at a place, entry by entry."""
    if not term_.summed:
        found = float(term_.coeff)
        for base, exponent in term_.powers:
            found *= entry(base, place, arrays) ** float(exponent)
        return found
    (first, *rest) = term_.summed
    inner = Term(term_.coeff, term_.powers, tuple(rest))
    return sum(value(inner, {**place, first: n}, arrays) for n in range(size(first)))


def entry(base, place, arrays):
    match base:
        case Access(tensor, slots):
            return arrays[tensor][tuple(place[slot] for slot in slots)]
        case Fn("tanh", (arg,)):
            return np.tanh(sum(value(t, place, arrays) for t in arg))
        case Add(terms):
            return sum(value(t, place, arrays) for t in terms)
    raise AssertionError(base)


def run(statements, arrays):
    """What statements compute, entry by entry."""
    known = dict(arrays)
    for statement in statements:
        shape = tuple(size(axis) for axis in statement.axes)
        if statement.kind is Kind.LAYER:
            (access,) = statement.terms[0].bases
            whole, first = known[access.tensor], int(statement.start)
            place = access.slots.index(statement.over[0])
            count = size(statement.over[1]) if len(statement.over) > 1 else None
            taken = first if count is None else slice(first, first + count)
            known[statement.name] = whole[(slice(None),) * place + (taken,)]
            continue
        array = np.empty(shape)
        for at_ in np.ndindex(*shape):
            place = dict(zip(statement.axes, at_, strict=True))
            array[at_] = sum(value(t, place, known) for t in statement.terms)
        known[statement.name] = array
    return known


def stacks_for(statements):
    stacks = Stacks(INPUTS, {}, {*INPUTS, *(s.name for s in statements)}, {"i", "j", "k", "m"}, {})
    stacks.enter(statements)
    return stacks


def arrays_with(stacks, seed):
    rng = np.random.default_rng(seed)
    arrays = {name: rng.normal(size=tuple(map(size, slots))) for name, slots in INPUTS.items()}
    for stack in stacks.given:
        arrays[stack.name] = np.stack([arrays[name] for name in stack.members], stack.place)
    return arrays


def products(statements):
    return sum(len(s.terms) == 1 and bool(s.terms[0].summed) for s in statements)


KINDS = st.sampled_from(["product", "other", "biased", "tanh", "twice"])


@st.composite
def programs(draw):
    """Products with a common factor, and what is done to each of them after."""
    count = draw(st.integers(2, 4))
    statements = []
    for n in range(count):
        common = draw(st.sampled_from(["x", "x", "x", "y"]))
        coeff = draw(st.sampled_from([1, 1, 2]))
        statements.append(
            Statement(f"p{n}", (k, j), (term(at(f"W{n}", j, i), at(common, k, i), coeff=coeff, over=(i,)),))
        )
    for n in range(count):
        last = f"p{n}"
        for step, kind in enumerate(draw(st.lists(KINDS, max_size=3))):
            read, name = at(last, k, j), f"r{n}{step}"
            if kind == "biased":
                statements.append(Statement(name, (k, j), (term(read), term(at(f"b{n}", j)))))
            elif kind == "tanh":
                statements.append(Statement(name, (k, j), (term(fn("tanh", term(read))),)))
            elif kind == "twice":
                statements.append(Statement(name, (k, j), (term(read, (at(last, k, j), 2)),)))
            elif kind == "other":
                # Reads another one: no order of joint statements may turn around.
                statements.append(Statement(name, (k, j), (term(read, at(f"p{(n + 1) % count}", k, j)),)))
            else:
                continue
            last = name
    return statements


@given(programs(), st.integers(0, 5))
def test_joint_statements_compute_the_same(statements, seed):
    stacks = stacks_for(statements)
    wanted = {s.name: "" for s in statements}
    joined = stacks.joined(statements, dict(wanted), ())
    arrays = arrays_with(stacks, seed)
    expected, found = run(statements, arrays), run(joined, arrays)
    for name in wanted:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12)


def test_products_with_a_common_factor_are_one():
    statements = [Statement(f"p{n}", (k, j), (term(at(f"W{n}", j, i), at("x", k, i), over=(i,)),)) for n in range(4)]
    statements += [Statement(f"t{n}", (k, j), (term(fn("tanh", term(at(f"p{n}", k, j)))),)) for n in range(1, 4)]
    stacks = stacks_for(statements)
    joined = stacks.joined(statements, {f"t{n}": "" for n in range(1, 4)}, ())
    assert products(joined) == 1
    assert sum(s.kind is Kind.ASSIGN for s in joined) == 2
    assert [stack.members for stack in stacks.given] == [("W0", "W1", "W2", "W3")]


@pytest.mark.parametrize("coeff", [1, 2])
def test_a_sum_of_equal_products_sums_over_the_stack(coeff):
    first, second = [term(at(f"W{n}", j, i), at("xy"[n], k, i), coeff=coeff, over=(i,)) for n in range(2)]
    statement = Statement("s", (k, j), (first, term(at("b0", j)), second))
    stacks = stacks_for([statement])
    joint = stacks.with_joint_sums(statement)
    assert len(joint.terms) == 2
    arrays = arrays_with(stacks, 1)
    np.testing.assert_allclose(run([joint], arrays)["s"], run([statement], arrays)["s"], rtol=1e-12)


def test_what_differs_in_a_coefficient_stays_apart():
    terms = [term(at(f"W{n}", j, i), at("xy"[n], k, i), coeff=n + 1, over=(i,)) for n in range(2)]
    statement = Statement("s", (k, j), tuple(terms))
    assert stacks_for([statement]).with_joint_sums(statement) == statement


def test_a_tensor_that_is_in_two_columns_crosswise_is_not_stacked_twice():
    terms = [term(at(f"W{n}", j, i), at(f"W{1 - n}", m, i), over=(i,)) for n in range(2)]
    statement = Statement("s", (j, m), tuple(terms))
    assert stacks_for([statement]).with_joint_sums(statement) == statement


def test_statements_that_wait_for_each_other_have_no_order():
    one, other = (Statement(name, (k,), ()) for name in ("a", "b"))
    assert in_order([one, other], {"a": {"b"}, "b": ()}) == [other, one]
    assert in_order([one, other], {"a": {"b"}, "b": {"a"}}) is None


def test_the_letter_of_a_stack_is_none_that_the_author_uses():
    stacks = Stacks(INPUTS, {}, set(), {"q", "r"}, {})
    assert stacks.letter(3) not in ("q", "r")
    assert Index(stacks.letter(3), N) not in (i, j, k, m)
