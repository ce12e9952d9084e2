"""Expressions that stand where they are read: nothing that they read is written over before."""

import sympy as sp

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.nesting import is_nested
from indexcalc.codegen.fast.storage import assigned

ROW, WIDTH = Axis(sp.Symbol("N"), 0), Axis(sp.Symbol("K"))
BOTH = (ROW, WIDTH)
X = Node(Operation.LEAF, "X", (), BOTH)


def pointwise(function, *numbers, axes=BOTH):
    return Node(Operation.MAP, function, tuple(Use(n, tuple(range(len(axes)))) for n in numbers), axes)


def total(number):
    return Node(Operation.REDUCE, "sum", (Use(number, (0, 1)),), (ROW,), (WIDTH,))


def of_row(function, *numbers):
    return pointwise(function, *numbers, axes=(ROW,))


def nested(nodes, kept, called=()):
    live = range(len(nodes))
    counts = dict.fromkeys(live, 0)
    for number in live:
        for use in nodes[number].uses:
            counts[use.node] += 1
    storage = assigned(nodes, live, {}, kept, use_spaces=True)
    return [
        n for n in live if nodes[n].operation is not Operation.LEAF and is_nested(n, nodes, storage, counts, called)
    ]


def test_a_sum_stands_in_the_next_expression():
    assert nested([X, total(0), of_row("np.sqrt", 1)], kept=[2]) == [1]


def test_a_sum_that_is_read_later_has_a_name():
    wide = pointwise("np.exp", 0)
    assert nested([X, total(0), wide, of_row("np.sqrt", 1)], kept=[2, 3]) == []


def test_a_sum_does_not_wait_with_its_reader():
    nodes = [X, total(0), of_row("np.sqrt", 1), pointwise("np.exp", 0), of_row("np.exp", 2)]
    assert nested(nodes, kept=[3, 4]) == [2]


def test_what_is_read_twice_has_a_name():
    assert nested([X, total(0), of_row("np.multiply", 1, 1)], kept=[2]) == []


def test_what_is_called_something_has_a_name():
    assert nested([X, total(0), of_row("np.sqrt", 1)], kept=[2], called={1}) == []


def test_whole_blocks_have_names():
    assert nested([X, pointwise("np.exp", 0), pointwise("np.sqrt", 1)], kept=[2]) == []


def test_what_reads_a_view_does_not_wait():
    square = (Axis(sp.Symbol("N")),) * 2
    diagonal = Node(Operation.DIAGONAL, "", (Use(1, (0, 0)),), square[:1])
    first = Node(Operation.MAP, "np.exp", (Use(0, (0, 1)),), square)
    root = Node(Operation.MAP, "np.sqrt", (Use(2, (0,)),), square[:1])
    again = Node(Operation.MAP, "np.sin", (Use(1, (0, 1)),), square)
    late = Node(Operation.MAP, "np.cos", (Use(3, (0,)),), square[:1])
    nodes = [Node(Operation.LEAF, "S", (), square), first, diagonal, root, again, late]
    assert 3 not in nested(nodes, kept=[4, 5])
