"""Array operations: equal values once, small arrays before large ones, scalars on the smallest."""

import pytest
import sympy as sp

from indexcalc.algebra.terms import Delta, Iverson
from indexcalc.codegen.fast.graph import Axis, Graph, Node, Operation
from indexcalc.codegen.fast.lowering import Lowering
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Kind, Statement
from tests.support.build import D, M, N, add, at, ell, fn, i, j, k, m, term

SCALARS = {N: "N", M: "M", D: "D"}


def lowered(*statements, indices=None, large=()):
    lowering = Lowering(SCALARS, "size", "dtype", frozenset(large))
    for statement in statements:
        lowering.add(statement, (indices or {}).get(statement.name, ()))
    return lowering


def operations(lowering):
    """What every node does that computes something, with the shape of its result."""
    return [
        (node.name or node.operation.name, "".join(str(axis.extent) for axis in node.axes))
        for node in lowering.graph.nodes
        if node.operation is not Operation.LEAF
    ]


def texts(lowering, function):
    """The arguments of a function that are no arrays."""
    nodes = [node for node in lowering.graph.nodes if node.name == function]
    return [[flat(a) for a in node.arguments if a not in node.uses] for node in nodes]


def test_a_node_is_added_once():
    graph = Graph()
    leaf = Node(Operation.LEAF, "X", (), (Axis(N),))
    assert graph.add(leaf) == graph.add(Node(Operation.LEAF, "X", (), (Axis(N),))) == 0
    assert graph.add(Node(Operation.LEAF, "X", (), (Axis(N, 0),))) == 1


def test_names_of_indices_do_not_matter():
    first = Statement("a", (i, j), (term(fn("exp", term(at("S", i, j)))),))
    second = Statement("b", (i, ell), (term(fn("exp", term(at("S", i, ell)))),))
    lowering = lowered(first, second)
    assert lowering.tensors["a"] == lowering.tensors["b"]
    assert operations(lowering) == [("np.exp", "NN")]


def test_the_order_of_factors_and_terms_does_not_matter():
    first = Statement("a", (i,), (term(at("x", i), at("y", i)), term(at("z", i))))
    second = Statement("b", (i,), (term(at("z", i)), term(at("y", i), at("x", i))))
    lowering = lowered(first, second)
    assert lowering.tensors["a"] == lowering.tensors["b"]


def test_a_block_of_an_array_is_not_the_whole_array():
    first = Statement("a", (i, k), (term(fn("exp", term(at("X", i, k)))),))
    second = Statement("b", (j, k), (term(fn("exp", term(at("X", j, k)))),))
    assert len(operations(lowered(first, second))) == 1
    assert len(operations(lowered(first, second, indices={"a": (i,)}))) == 2


def test_a_transposed_entry_is_another_argument():
    lowering = lowered(Statement("a", (i, j), (term(at("X", i, j)), term(at("X", j, i)))))
    total = lowering.graph.nodes[-1]
    assert sorted(use.places for use in total.uses) == [(0, 1), (1, 0)]


def test_small_factors_are_multiplied_first():
    whole = term(at("X", i, k), at("a", i), at("b", i), at("w", k))
    assert operations(lowered(Statement("y", (i, k), (whole,)))) == [
        ("np.multiply", "N"),
        ("np.multiply", "ND"),
        ("np.multiply", "ND"),
    ]


def test_small_terms_are_added_first():
    terms = (term(at("X", i, k)), term(at("a", i)), term(at("b", i), coeff=-1))
    assert operations(lowered(Statement("y", (i, k), terms))) == [("np.subtract", "N"), ("np.add", "ND")]


def test_a_small_divisor_is_inverted_and_not_a_large_one():
    small = lowered(Statement("y", (i, k), (term(at("X", i, k), (at("a", i), -1)),)))
    assert operations(small) == [("np.divide", "N"), ("np.multiply", "ND")]
    large = lowered(Statement("y", (i, k), (term(at("a", i), (at("X", i, k), -1)),)))
    assert operations(large) == [("np.divide", "ND")]


def test_a_number_goes_to_the_smallest_factor():
    scaled = Statement("y", (i, k), (term(at("X", i, k), at("a", i), coeff=1 / sp.sqrt(D)),))
    assert operations(lowered(scaled)) == [("np.multiply", "N"), ("np.multiply", "ND")]
    (numbers, others) = texts(lowered(scaled), "np.multiply")
    assert len(numbers) == 1
    assert not others


def test_a_number_of_a_product_of_matrices_goes_to_the_smallest_array():
    def scores(large):
        product = term(at("Q", i, k), at("K", j, k), coeff=1 / sp.sqrt(D), over=(k,))
        return lowered(Statement("S", (i, j), (product,)), indices={"S": (i,)}, large=large)

    assert operations(scores(["S"])) == [("np.multiply", "ND"), ("PRODUCT", "NN")]


def test_a_number_goes_to_the_result_if_that_is_smaller():
    product = term(at("X", i, k), at("w", k), coeff=2, over=(k,))
    assert operations(lowered(Statement("y", (i,), (product,)))) in (
        [("np.multiply", "D"), ("PRODUCT", "N")],
        [("PRODUCT", "N"), ("np.multiply", "N")],
    )


def test_terms_without_arrays_are_one_number():
    lowering = lowered(Statement("y", (i,), (term(at("x", i)), term(coeff=2), term(coeff=sp.Rational(1, 2)))))
    assert operations(lowering) == [("np.add", "N")]
    assert texts(lowering, "np.add") == [["2.5"]] or texts(lowering, "np.add") == [["5 / 2"]]


def test_signs_become_differences():
    terms = (term(at("a", i), coeff=-1), term(at("b", i)))
    (node,) = [node for node in lowered(Statement("y", (i,), terms)).graph.nodes if node.uses]
    assert node.name == "np.subtract"
    assert [use.node for use in node.uses] == [1, 0]


def test_a_diagonal_is_a_view_of_the_whole():
    lowering = lowered(Statement("d", (i,), (term(at("X", i, i)),)))
    whole, diagonal = lowering.graph.nodes
    assert len(whole.axes) == 2
    assert diagonal.operation is Operation.DIAGONAL
    assert diagonal.uses[0].places == (0, 0)


def test_what_has_fewer_indices_is_spread_over_all():
    lowering = lowered(Statement("y", (i, k), (term(at("a", i)),)))
    assert operations(lowering) == [("np.broadcast_to", "ND")]
    assert operations(lowered(Statement("y", (i,), (term(coeff=3),)))) == [("np.full", "N")]


def test_a_number_alone_is_of_the_right_kind():
    lowering = lowered(Statement("y", (), (term(coeff=3),)))
    assert operations(lowering) == [("dtype.type", "")]


def test_a_block_is_spread_over_its_own_length():
    lowering = lowered(Statement("y", (i, k), (term(at("a", k)),)), indices={"y": (i,)})
    assert texts(lowering, "np.broadcast_to") == [["(size_1, D)"]]


@pytest.mark.parametrize(
    ("mask", "function"),
    [
        (Iverson(j, "<=", i), "np.greater"),
        (Iverson(j, "<", i), "np.greater_equal"),
        (Iverson(j, "!=", i), "np.equal"),
        (Delta(i, j), "np.not_equal"),
    ],
)
def test_a_mask_is_the_truth_of_its_opposite(mask, function):
    lowering = lowered(Statement("y", (i, j), (term(mask, at("X", i, j)),)))
    assert [name for name, _ in operations(lowering) if name.startswith("np.")] == [function, "np.where"]


def test_a_masked_exponential_is_hidden_inside():
    lowering = lowered(Statement("y", (i, j), (term(Iverson(j, "<=", i), fn("exp", term(at("S", i, j)))),)))
    names = [name for name, _ in operations(lowering)]
    assert names[-2:] == ["np.where", "np.exp"]
    assert texts(lowering, "np.where") == [["-np.inf"]]


def test_a_mask_beside_the_exponential_of_a_number_stays_in_front():
    nothing = fn("exp", term(coeff=0))
    lowering = lowered(Statement("y", (i, j), (term(Iverson(j, "<=", i), nothing, at("S", i, j)),)))
    names = [name for name, _ in operations(lowering)]
    assert names[-1] == "np.where"
    assert texts(lowering, "np.where") == [["0.0"]]


def test_positions_of_a_block_are_its_own():
    lowering = lowered(Statement("y", (i, j), (term(Delta(i, j), at("X", i, j)),)), indices={"y": (i,)})
    positions = [node.axes for node in lowering.graph.nodes if node.operation is Operation.POSITIONS]
    assert positions == [(Axis(N, 0),), (Axis(N),)]


def test_a_maximum_takes_the_last_axes_away():
    largest = Statement("m", (i,), (term(at("X", j, i)),), Kind.MAXIMUM, (j,))
    node = lowered(largest).graph.nodes[-1]
    assert (node.name, node.axes, node.summed) == ("max", (Axis(N),), (Axis(N),))
    assert node.uses[0].places == (1, 0)


def test_a_product_has_rows_before_columns():
    node = lowered(Statement("Y", (m, i), (term(at("A", i, k), at("B", k, m), over=(k,)),))).graph.nodes[-1]
    first, second = node.uses
    assert [axis.extent for axis in node.axes] == [M, N]
    assert first.places == (2, 0) or second.places == (2, 0)


def test_a_square_root_and_powers():
    lowering = lowered(
        Statement("a", (i,), (term((at("x", i), sp.Rational(1, 2))),)),
        Statement("b", (i,), (term((at("x", i), 2)),)),
        Statement("c", (i,), (term((at("x", i), 3)),)),
        Statement("d", (i,), (term((add(term(at("x", i)), term(coeff=1)), sp.Rational(-1, 2))),)),
    )
    names = [name for name, _ in operations(lowering)]
    assert names == ["np.sqrt", "np.square", "np.multiply", "np.add", "np.sqrt", "np.divide"]


def test_a_function_of_a_number_is_a_float():
    lowering = lowered(Statement("y", (i,), (term(at("x", i), fn("cos", term(coeff=1))),)))
    assert ("float", "") in operations(lowering)
