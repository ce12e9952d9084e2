"""The backward pass of an unrolled program: the chain rule on scalars, and on the roots of systems.

Every node hands its adjoint on to what it reads. Nothing here knows a tensor, an index or a rule of the algebra;
central differences hold it (`oracle.check_slopes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from indexcalc.proof.hostile.nodes import Call, MatrixDeterminant, Node, Power, Product, Root, Sum
from indexcalc.proof.hostile.runs import Adjoints, Forward, Rounding, others, rounded, signs
from indexcalc.proof.hostile.unrolled import Unrolled
from indexcalc.proof.hostile.wide import ONE, ZERO, constant, raised, wide_of


def backward(
    graph: Unrolled, run: Forward, weights: Mapping[int, Decimal], rounding: Rounding | None = None
) -> Adjoints:
    """The adjoints of all nodes, for the sum of the weighted values of some.

    Args:
        graph: the program.
        run: its values.
        weights: the weight of each node that counts.
        rounding: what every sum loses; by default nothing.
    """
    values = run.values
    adjoints, sizes = [ZERO] * len(values), [ZERO] * len(values)
    moved = signs(rounding, len(values), "backward")

    # What has no value has no derivative either, also where a zero multiplies it.
    broken = {number for number, value in enumerate(values) if value.is_nan()}
    reached = set(weights)
    for number, weight in weights.items():
        adjoints[number] += weight
        sizes[number] += abs(weight)
    for number in range(len(values) - 1, -1, -1):
        if moved and sizes[number]:
            adjoints[number] += rounded(moved[number], sizes[number])
        adjoint = adjoints[number]
        if adjoint or (number in broken and number in reached):
            for part, contribution in handed_on(graph.nodes[number], number, adjoint, run):
                reached.add(part)
                adjoints[part] += contribution
                sizes[part] += abs(contribution)
    return Adjoints(adjoints, sizes, [] if rounding else spans_back(graph, run, weights))


def spans_back(graph: Unrolled, run: Forward, weights: Mapping[int, Decimal]) -> list[Decimal]:
    """The sum of the absolute products along all ways from the weighted values to each node."""
    spans = [ZERO] * len(run.values)
    for number, weight in weights.items():
        spans[number] += abs(weight)
    for number in range(len(spans) - 1, -1, -1):
        if spans[number]:
            for part, contribution in handed_on(graph.nodes[number], number, spans[number], run):
                if contribution.is_finite():
                    spans[part] += abs(contribution)
    return spans


def handed_on(node: Node, number: int, adjoint: Decimal, run: Forward) -> Iterable[tuple[int, Decimal]]:
    """What a node contributes to the adjoint of each node that it reads."""
    values = run.values
    match node:
        case Sum(parts):
            return [(part, adjoint) for part in parts]
        case Product((left, right)):
            return ((left, adjoint * values[right]), (right, adjoint * values[left]))
        case Product(parts):
            return [(part, others(values, parts, place, adjoint)) for place, part in enumerate(parts)]
        case Power(part, exponent):
            argument = run.arguments[number]
            slope = ONE if exponent == 1 else raised(argument, exponent - 1)
            return ((part, adjoint * constant(exponent) * slope),)
        case Call(part, "exp"):
            return ((part, adjoint * values[number]),)
        case Call(part, name):
            slope = wide_of(name).slope(run.arguments[number])
            return ((part, adjoint * (slope + run.slopes.get(number, ZERO))),)
        case Root(entry=entry, residuals=residuals, sought=(first, *_)):
            # Where residuals move by dr, the root moves by -J^-1 dr.
            row = run.inverses[first][entry]
            return [(part, -adjoint * slope) for part, slope in zip(residuals, row, strict=True)]
        case MatrixDeterminant(parts, logarithm):
            rows = run.inverses[number]
            adjoint = adjoint if logarithm else adjoint * values[number]
            turned = [rows[column][row] for row in range(len(rows)) for column in range(len(rows))]
            return [(part, adjoint * slope) for part, slope in zip(parts, turned, strict=True)]
    return ()
