"""The backward pass of an unrolled program: the chain rule on scalars, and on the roots of systems.

Every node hands its adjoint on to what it reads. Nothing here knows a tensor, an index or a rule of the algebra;
central differences hold it (`oracle.check_slopes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from indexcalc.proof.hostile.nodes import Call, Leaf, MatrixDeterminant, Node, Power, Product, Root, Sum
from indexcalc.proof.hostile.runs import Adjoints, Forward, Rounding, absolute_total, added, signs, times, total
from indexcalc.proof.hostile.unrolled import Unrolled
from indexcalc.proof.hostile.wide import ONE, ZERO, constant, slope_of_power, wide_of


def backward(
    graph: Unrolled, run: Forward, weights: Mapping[int, Decimal], rounding: Rounding | None = None
) -> Adjoints:
    """The adjoints of all nodes but coefficients, for the sum of the weighted values of some.

    Args:
        graph: the program.
        run: its values.
        weights: the weight of each node that counts.
        rounding: what every sum loses; by default nothing.
    """
    count = len(graph.nodes)
    adjoints, sizes = [ZERO] * count, [ZERO] * count
    moved, received = signs(rounding, count, "backward"), handed_by_loss(weights, count)
    chain = Chain(graph.nodes, run, received, graph.coefficients)
    for number in reversed(range(count)):
        if not received[number]:
            continue
        adjoint, size = added(received[number])
        if moved and size.is_finite():
            adjoint += moved[number] * size
        adjoints[number], sizes[number] = adjoint, size
        # What has no value has no derivative either, also where a zero multiplies it.
        if adjoint or run.values[number].is_nan():
            chain.hand_on(number, adjoint)
    return Adjoints(adjoints, sizes)


def spans_back(graph: Unrolled, run: Forward, weights: Mapping[int, Decimal]) -> list[Decimal]:
    """The sum of the absolute products along all ways from the weighted values to each node, infinite ones aside.

    It holds what cancels in another order of the operations too: an output times its gradient may stand for a sum over
    all that it was made of.
    """
    count = len(graph.nodes)
    spans, received = [ZERO] * count, handed_by_loss(weights, count)
    chain = Chain(graph.nodes, run, received, graph.coefficients)
    for number in reversed(range(count)):
        spans[number] = span = absolute_total([term for term in received[number] if term.is_finite()])
        if span:
            chain.hand_on(number, span)
    return spans


def handed_by_loss(weights: Mapping[int, Decimal], count: int) -> list[list[Decimal]]:
    """What so many nodes receive first: the weight of each that has one."""
    received: list[list[Decimal]] = [[] for _ in range(count)]
    for number, weight in weights.items():
        received[number].append(weight)
    return received


def slopes_in(graph: Unrolled, run: Forward, root: Root, *, spans: bool = False) -> list[list[Decimal]]:
    """The slope of each residual along each entry of the unknown, by the chain rule on the scalars of the system.

    Args:
        graph: the program.
        run: its values.
        root: an entry of the unknown.
        spans: asks for the sum of the absolute products along all ways to each slope instead.
    """
    rows, summed = [], absolute_total if spans else total
    for residual in root.residuals:
        received = defaultdict[int, list[Decimal]](list, {residual: [ONE]})
        chain = Chain(graph.nodes, run, received, graph.coefficients)
        for number in reversed(graph.members[root.tensor]):
            if number in received and (slope := summed(received[number])):
                chain.hand_on(number, slope)
        rows.append([summed(received[place]) for place in root.sought])
    return rows


@dataclass(frozen=True, slots=True)
class Chain:
    """The chain rule under way, from the last node to the first.

    Attributes:
        nodes: those of the program.
        run: their values.
        received: what each node was handed so far, in the order in which it is added up.
        unasked: nodes whose adjoints nobody asks for; they are spared where they are many, as first factors.
    """

    nodes: Sequence[Node]
    run: Forward
    received: Sequence[list[Decimal]] | Mapping[int, list[Decimal]]
    unasked: Set[int] = frozenset()

    def hand_on(self, number: int, adjoint: Decimal) -> None:
        """Hand the adjoint of a node on to each that it reads."""
        node, received = self.nodes[number], self.received
        # Nearly all nodes are of these two kinds, and a type is compared in a third of the time that a pattern takes.
        if type(node) is Product:
            self.hand_to_factors(node.parts, adjoint)
        elif type(node) is Sum:
            for part in node.parts:
                received[part].append(adjoint)
        elif type(node) is not Leaf:
            for part, contribution in contributions(node, number, adjoint, self.run):
                received[part].append(contribution)

    def hand_to_factors(self, parts: Sequence[int], adjoint: Decimal) -> None:
        """Hand the adjoint of a product, times all other factors in order, on to each."""
        values, received = self.run.values, self.received
        if parts[0] in self.unasked:
            adjoint *= values[parts[0]]
            parts = parts[1:]
        if len(parts) == 2:
            # Most products have no more.
            left, right = parts
            received[left].append(adjoint * values[right])
            received[right].append(adjoint * values[left])
            return
        for place, part in enumerate(parts, 1):
            received[part].append(times(adjoint, values, parts[place:]))
            adjoint *= values[part]


def contributions(node: Node, number: int, adjoint: Decimal, run: Forward) -> Iterable[tuple[int, Decimal]]:
    """What a node that is no sum or product contributes to the adjoint of each node that it reads."""
    match node:
        case Power(part, exponent):
            slope = slope_of_power(exponent)(run.arguments[number])
            return ((part, adjoint * constant(exponent) * slope),)
        case Call(part, "exp"):
            return ((part, adjoint * run.values[number]),)
        case Call(part, name):
            slope = wide_of(name).slope(run.arguments[number])
            return ((part, adjoint * (slope + run.slopes.get(number, ZERO))),)
        case Root(entry=entry, residuals=residuals, sought=(first, *_)):
            # Where residuals move by dr, the root moves by -J^-1 dr.
            row = run.inverses[first][entry]
            return [(part, -adjoint * slope) for part, slope in zip(residuals, row, strict=True)]
        case MatrixDeterminant(parts, logarithm):
            rows = run.inverses[number]
            adjoint = adjoint if logarithm else adjoint * run.values[number]
            turned = [rows[column][row] for row in range(len(rows)) for column in range(len(rows))]
            return [(part, adjoint * slope) for part, slope in zip(parts, turned, strict=True)]
    return ()
