"""Sweeps along an axis: what waits for a sum along it, and what need not."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.sharing import Result, shares
from indexcalc.codegen.fast.sweeps import longest, sweeps_along
from indexcalc.codegen.source import Atom

ROWS, LONG = Axis(sp.Symbol("N"), 0), Axis(sp.Symbol("M"))
BOTH, ROW = (0, 1), (0,)


class Nodes(list):
    """Nodes that are put one behind another; each call returns the number of the new one."""

    def put(self, operation, name, arguments, axes, summed=()):
        self.append(Node(operation, name, tuple(arguments), tuple(axes), tuple(summed)))
        return len(self) - 1

    def leaf(self, name, *axes):
        return self.put(Operation.LEAF, name, (), axes)

    def map(self, name, *arguments, axes=(ROWS, LONG)):
        return self.put(Operation.MAP, name, arguments, axes)

    def reduce(self, name, node):
        return self.put(Operation.REDUCE, name, [Use(node, BOTH)], [ROWS], [LONG])

    def exponentials(self):
        """``x``, its largest entries, and ``exp(x - max x)``."""
        x = self.leaf("x", ROWS, LONG)
        largest = self.reduce("max", x)
        difference = self.map("np.subtract", Use(x, BOTH), Use(largest, ROW))
        return x, largest, self.map("np.exp", Use(difference, BOTH))


def along(nodes, *results):
    return sweeps_along(LONG, nodes, range(len(nodes)), results)


def test_a_sum_of_exponentials_grows_with_the_largest_exponent():
    nodes = Nodes()
    _, largest, exponential = nodes.exponentials()
    total = nodes.reduce("sum", exponential)
    sweeps = along(nodes, total)
    assert sweeps.count == 1
    assert sweeps.running[total].shift.node == largest
    assert sweeps.inside(1) == {0, 2, exponential}


def test_what_divides_the_exponentials_is_a_factor_of_their_sum():
    nodes = Nodes()
    _, _, exponential = nodes.exponentials()
    total = nodes.reduce("sum", exponential)
    inverse = nodes.map("np.divide", Atom("1"), Use(total, ROW), axes=[ROWS])
    weights = nodes.map("np.multiply", Use(exponential, BOTH), Use(inverse, ROW))
    values = nodes.leaf("v", LONG)
    product = nodes.put(Operation.PRODUCT, "", [Use(weights, BOTH), Use(values, (1,))], [ROWS], [LONG])
    sweeps = along(nodes, product)
    assert sweeps.count == 1
    assert sweeps.running[product].factors == (Use(inverse, ROW),)
    assert weights not in sweeps.inside(1)


@pytest.mark.parametrize("otherwise", ["0.0", "1.0"])
def test_a_mask_is_linear_where_it_leaves_zeros_alone(otherwise):
    nodes = Nodes()
    _, _, exponential = nodes.exponentials()
    mask = nodes.leaf("mask", ROWS, LONG)
    masked = nodes.map("np.where", Use(mask, BOTH), Atom(otherwise), Use(exponential, BOTH))
    assert along(nodes, nodes.reduce("sum", masked)).count == (1 if otherwise == "0.0" else 2)


@pytest.mark.parametrize("function", ["np.square", "np.sqrt", "np.sin", "_sigmoid"])
def test_what_is_not_linear_waits(function):
    nodes = Nodes()
    _, _, exponential = nodes.exponentials()
    assert along(nodes, nodes.reduce("sum", nodes.map(function, Use(exponential, BOTH)))).count == 2


@pytest.mark.parametrize(("function", "count"), [("np.add", 2), ("np.multiply", 1), ("np.divide", 1)])
def test_one_argument_may_know_of_the_largest_value_in_a_product_alone(function, count):
    nodes = Nodes()
    x, _, exponential = nodes.exponentials()
    joined = nodes.map(function, Use(exponential, BOTH), Use(x, BOTH))
    assert along(nodes, nodes.reduce("sum", joined)).count == count


def test_a_product_of_two_exponentials_waits_and_so_does_a_quotient_by_one():
    for function, turned in (("np.multiply", False), ("np.divide", True)):
        nodes = Nodes()
        x, _, exponential = nodes.exponentials()
        uses = [Use(exponential, BOTH), Use(exponential if not turned else x, BOTH)]
        joined = nodes.map(function, *(uses[::-1] if turned else uses))
        assert along(nodes, nodes.reduce("sum", joined)).count == 2


def test_differences_from_a_mean_wait_for_it():
    nodes = Nodes()
    x = nodes.leaf("x", ROWS, LONG)
    mean = nodes.reduce("sum", x)
    difference = nodes.map("np.subtract", Use(x, BOTH), Use(mean, ROW))
    spread = nodes.reduce("sum", nodes.map("np.square", Use(difference, BOTH)))
    scaled = nodes.map("np.multiply", Use(difference, BOTH), Use(spread, ROW))
    sweeps = along(nodes, scaled)
    assert [sweeps.after[node] for node in (mean, spread, scaled)] == [1, 2, 2]
    assert sweeps.results == {3: [scaled]}


def test_an_axis_that_a_node_has_twice_is_not_swept():
    nodes = Nodes()
    nodes.put(Operation.LEAF, "x", (), [LONG, LONG])
    assert longest(nodes, [0]) is None


def test_totals_along_the_long_axis_have_programs_of_their_own_that_read_statistics():
    nodes = Nodes()
    x, largest, exponential = nodes.exponentials()
    total = nodes.reduce("sum", exponential)
    columns = nodes.put(Operation.REDUCE, "sum", [Use(exponential, (1, 0))], [LONG], [ROWS])
    results = [Result("z", total, (0,)), Result("c", columns, (0,), is_added=True)]
    first, second = shares(nodes, results, (ROWS,), "kept")
    assert (first.grid, first.swept) == ((ROWS,), LONG)
    assert (second.grid, second.swept) == ((LONG,), ROWS)
    assert [result.node for result in first.results] == [total, largest]
    assert [(result.name, result.is_added) for result in second.results] == [("c", False)]
    assert second.nodes[largest] == Node(Operation.LEAF, "kept_1", (), (ROWS,))
    assert set(second.counts) == {x, largest, 2, exponential, columns}


def test_totals_without_the_long_axis_stay_where_they_are():
    nodes = Nodes()
    x = nodes.leaf("x", ROWS, LONG)
    everything = nodes.put(Operation.REDUCE, "sum", [Use(x, BOTH)], [], [ROWS, LONG])
    (share,) = shares(nodes, [Result("L", everything, (), is_added=True)], (ROWS,), "kept")
    assert share.results[0].is_added
    assert not share.kept
