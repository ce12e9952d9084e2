"""Memory: what is still needed is never written over. Followed here node by node, by rules of its own."""

from functools import cache

import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings

from indexcalc.algebra.terms import tensors_of
from indexcalc.codegen.fast.block import block_of
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.outline import outlined
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.fast.storage import assigned
from indexcalc.codegen.statements import Statement
from indexcalc.errors import LimitError
from indexcalc.language import load_problem
from indexcalc.rewrite.derive import derive
from tests.support.build import N, at, fn, i, j, k, term
from tests.support.gradients import at_once
from tests.support.programs import problems

SHIPPED = at_once()


def owners(nodes, live, storage, results):
    """The memory of every node: a piece of space, a result, or memory of its own; views have that of what they show."""
    found = {}
    for number in live:
        node, place = nodes[number], storage.places.get(number)
        if node.operation is Operation.LEAF:
            found[number] = ("given", number)
        elif place is not None and place.space is not None:
            found[number] = ("space", place.space)
        elif place is not None and place.result:
            found[number] = ("result", place.result)
        elif place is not None and place.inherited is not None:
            found[number] = found[place.inherited]
        elif node.operation is Operation.DIAGONAL or node.name == "np.broadcast_to":
            found[number] = found[node.uses[0].node]
        else:
            found[number] = ("new", number)
    return found


def assert_nothing_is_lost(nodes, live, storage, results, kept):
    """No node is written to memory whose present entries somebody still reads, or wants at the end."""
    memory = owners(nodes, live, storage, results)
    for place, number in enumerate(live):
        later = {use.node for other in live[place + 1 :] for use in nodes[other].uses} | {*kept, *results.values()}
        needed = [old for old in live[:place] if memory[old] == memory[number] and old in later]
        if nodes[number].name != "np.broadcast_to" and nodes[number].operation is not Operation.DIAGONAL:
            assert not needed, (number, nodes[number], needed)
        for use in nodes[number].uses:
            if memory[use.node] == memory[number] and memory[number][0] != "given":
                view = nodes[number].name == "np.broadcast_to" or nodes[number].operation is Operation.DIAGONAL
                entry_by_entry = nodes[number].operation is Operation.MAP and use.places == tuple(
                    range(len(nodes[number].axes))
                )
                assert view or entry_by_entry, (number, nodes[number])
    for tensor, number in results.items():
        # What only shows another array is copied to its result at the end.
        shows = (
            nodes[number].operation in (Operation.LEAF, Operation.DIAGONAL) or nodes[number].name == "np.broadcast_to"
        )
        assert shows or memory[number] == ("result", tensor), (tensor, nodes[number])


def blocks_of(fast):
    """The graph of every loop and of the straight lines between, with what is written and kept."""
    problem, names = fast.problem, fast.names
    schedule = scheduled(problem)
    for number, item in enumerate(schedule):
        after = [s for other in schedule[number + 1 :] for s in statements_of(other)]
        later = {*problem.wanted, *(read for s in after for read in tensors_of(s.terms))}
        block = block_of(statements_of(item), names, problem.large, item if isinstance(item, Loop) else None)
        written = [s for s in statements_of(item) if s.name in later]
        totals = [s for s in written if isinstance(item, Loop) and item.is_total(s)]
        results = {}
        if isinstance(item, Loop):
            for s in written:
                if s not in totals and block.stands_as_it_is(s) and block.node(s) not in results.values():
                    results[s.name] = block.node(s)
        yield block, results, [block.node(s) for s in written], isinstance(item, Loop)


def statements_of(item):
    return item.statements if isinstance(item, Loop) else (item,)


def check(derivation):
    fast = outlined(derivation, {}, None)
    for block, results, kept, in_loop in blocks_of(fast):
        live = sorted(block.reads(kept))
        nodes = block.lowering.graph.nodes
        storage = assigned(nodes, live, results, kept, use_spaces=in_loop)
        assert_nothing_is_lost(nodes, live, storage, results, kept)
    return fast


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_blocks_lose_nothing(name):
    check(derive(load_problem(SHIPPED[name])))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_random_blocks_lose_nothing(problem):
    try:
        derivation = derive(problem)
    except LimitError:
        assume(False)
    check(derivation)


BLOCK, WHOLE = Axis(N, 0), Axis(sp.Symbol("K"))


def leaf(name, *axes):
    return Node(Operation.LEAF, name, (), axes)


def pointwise(function, *numbers, axes=(BLOCK, WHOLE)):
    same = tuple(range(len(axes)))
    return Node(Operation.MAP, function, tuple(Use(number, same) for number in numbers), axes)


def matrices(left, right, axes=(BLOCK, WHOLE)):
    return Node(Operation.PRODUCT, "", (Use(left, (0, 2)), Use(right, (2, 1))), axes, (WHOLE,))


def places(nodes, results=None, kept=(), use_spaces=True):
    live = list(range(len(nodes)))
    storage = assigned(nodes, live, results or {}, kept, use_spaces=use_spaces)
    assert_nothing_is_lost(nodes, live, storage, results or {}, kept)
    return storage


A, B = leaf("A", BLOCK, WHOLE), leaf("B", WHOLE, WHOLE)


def test_a_chain_shares_one_piece_of_space():
    storage = places([A, B, matrices(0, 1), pointwise("np.exp", 2), pointwise("np.sqrt", 3)], kept=[4])
    assert [storage.places[number].space for number in (2, 3, 4)] == [0, 0, 0]
    assert storage.spaces == [(BLOCK, WHOLE)]


def test_what_is_read_again_keeps_its_memory():
    nodes = [A, B, matrices(0, 1), pointwise("np.exp", 2), pointwise("np.multiply", 2, 3)]
    storage = places(nodes, kept=[4])
    assert storage.places[3].space != storage.places[2].space
    assert storage.places[4].space == storage.places[2].space


def test_a_result_is_computed_where_it_stands_with_its_whole_chain():
    nodes = [A, B, matrices(0, 1), pointwise("np.exp", 2), pointwise("np.sqrt", 3)]
    storage = places(nodes, results={"Y": 4})
    assert [storage.places[number].result for number in (2, 3, 4)] == ["Y"] * 3
    assert not storage.spaces


def test_a_result_that_is_read_on_is_not_written_over():
    nodes = [A, B, matrices(0, 1), pointwise("np.exp", 2), pointwise("np.sqrt", 3)]
    storage = places(nodes, results={"Y": 3}, kept=[3, 4])
    assert storage.places[4].result == ""
    assert storage.places[4].inherited is None


def test_space_is_used_again_by_another_product():
    nodes = [A, B, matrices(0, 1), matrices(2, 1), matrices(3, 1)]
    storage = places(nodes, kept=[4])
    assert [storage.places[number].space for number in (2, 3, 4)] == [0, 1, 0]


def test_nothing_inherits_what_is_given():
    storage = places([A, pointwise("np.exp", 0)], kept=[1])
    assert storage.places[1].inherited is None


def test_a_transpose_is_not_written_where_it_is_read():
    square = (Axis(N), Axis(N))
    first = Node(Operation.MAP, "np.exp", (Use(0, (0, 1)),), square)
    turned = Node(Operation.MAP, "np.add", (Use(1, (0, 1)), Use(1, (1, 0))), square)
    storage = places([leaf("A", *square), first, turned], kept=[2])
    assert storage.places[2].inherited is None


def test_truth_values_and_numbers_do_not_share_memory():
    nodes = [A, pointwise("np.exp", 0), pointwise("np.greater", 1, 1), pointwise("np.where", 2, 1)]
    storage = places(nodes, kept=[3])
    assert storage.places[2].inherited is None


def test_what_a_view_shows_is_not_written_over():
    wide = (BLOCK, WHOLE, Axis(sp.Symbol("P")))
    view = Node(Operation.MAP, "np.broadcast_to", (Use(1, (0, 1)),), wide)
    nodes = [A, pointwise("np.exp", 0), view, pointwise("np.sqrt", 1), pointwise("np.sin", 2, axes=wide)]
    storage = places(nodes, kept=[3, 4])
    assert storage.places[3].inherited is None


def test_a_view_of_a_whole_product_keeps_its_space():
    thin = (BLOCK, WHOLE)
    wide = (BLOCK, WHOLE, Axis(sp.Symbol("P")))
    view = Node(Operation.MAP, "np.broadcast_to", (Use(2, (0, 1)),), wide)
    nodes = [A, B, matrices(0, 1), view, matrices(0, 1, thin), pointwise("np.sin", 3, axes=wide)]
    nodes[4] = Node(Operation.PRODUCT, "", (Use(0, (0, 2)), Use(1, (1, 2))), thin, (WHOLE,))
    places(nodes, kept=[4, 5])


def test_a_row_is_new_every_time():
    row = Node(Operation.MAP, "np.exp", (Use(0, (0,)),), (BLOCK,))
    after = Node(Operation.MAP, "np.sqrt", (Use(1, (0,)),), (BLOCK,))
    storage = places([leaf("a", BLOCK), row, after], kept=[2])
    assert storage.places[2].inherited is None


def test_straight_lines_have_no_spaces():
    storage = places([A, B, matrices(0, 1)], kept=[2], use_spaces=False)
    assert storage.places[2].space is None


def test_two_statements_of_one_value_share_it():
    def written(name):
        return Statement(name, (i, k), (term(fn("exp", term(at("X", i, k)))),))

    statements = (written("a"), written("b"), Statement("c", (i, j), (term(at("a", i, k), at("b", j, k), over=(k,)),)))
    fast = cached()
    block = block_of(statements, fast.names, frozenset())
    assert block.node(statements[0]) == block.node(statements[1])


@cache
def cached():
    return outlined(derive(load_problem(SHIPPED["attention"])), {}, None)
