"""Both passes of an unrolled program on wide numbers, one scalar after the other, with or without rounding.

The backward pass is the chain rule on scalars: every node hands its adjoint on to what it reads. It knows no
tensor, no index and no rule of the algebra; central differences hold it (`oracle.check_slopes`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

import sympy as sp

from indexcalc.proof.hostile.unrolled import Call, Leaf, Node, Number, Power, Product, Sum, Unrolled
from indexcalc.proof.hostile.wide import NAN, ONE, ZERO, constant, raised, wide_of

NEAR = 4
"""How many roundings from a kink or the end of a domain an argument may as well lie on the other side."""

LEAST_PART, PARTS = 256, 1024
"""A rounding is between a quarter of the unit and all of it, in so many steps."""


@dataclass(frozen=True)
class Rounding:
    """What a format loses: every tensor entry and every sum is moved by a rounding, up or down at random.

    Attributes:
        unit: the rounding relative to the sum of the absolute terms.
        seed: of the directions.
        above: on which side an argument goes that lies within its rounding of a kink or of the end of a domain.
    """

    unit: Decimal
    seed: int
    above: bool


@dataclass
class Forward:
    """The values of all nodes.

    Attributes:
        values: the value of each.
        sizes: for each, the sum of the absolute values of what was added up.
        spans: the same with sums in sums and products in mind: what a rounding is to be multiplied by, to first
            order, for all that was rounded since the last function or quotient; zero where no edge asks for it.
        arguments: of powers and functions, on the side of their kink where rounding put them.
        slopes: what rounding adds to the slopes of functions whose usual slope cancels.
        sides: on which side of its kink each argument lies, in the order of the nodes.
        outside: whether a logarithm or root was taken of a negative number.
        absorbed: whether one over zero, or its logarithm, was taken where more digits may show another number,
            as ``1 - p`` is for a p that rounds to 1; or an exponential exceeds even these numbers.
    """

    values: list[Decimal]
    sizes: list[Decimal]
    spans: list[Decimal]
    arguments: dict[int, Decimal] = field(default_factory=dict)
    slopes: dict[int, Decimal] = field(default_factory=dict)
    sides: list[int] = field(default_factory=list)
    outside: bool = False
    absorbed: bool = False


@dataclass(frozen=True)
class Adjoints:
    """The derivative of the loss by each node.

    Attributes:
        values: the derivatives.
        sizes: the sum of the absolute contributions to each.
        spans: the sum of the absolute products along all ways from the loss: what cancels in another order of the
            operations too. An output times its gradient may stand for a sum over all that it was made of.
    """

    values: list[Decimal]
    sizes: list[Decimal]
    spans: list[Decimal]


def signs(rounding: Rounding | None, count: int, part: str) -> list[Decimal]:
    """One rounding for each node, up or down, by a part of the unit.

    Were all as large as the unit, those of equal entries would cancel to nothing in every second pattern.
    """
    if rounding is None:
        return []
    return [rounding.unit * part / PARTS for part in signed_parts(rounding.seed, part, count)]


@lru_cache(maxsize=32)
def signed_parts(seed: int, part: str, count: int) -> tuple[int, ...]:
    """How many parts of the unit, up or down; all points and both formats of a trial have the same."""
    source = random.Random(f"{seed} {part}")
    return tuple(source.randint(LEAST_PART, PARTS) * source.choice((-1, 1)) for _ in range(count))


def forward(
    graph: Unrolled,
    inputs: Mapping[str, Sequence[Decimal]],
    rounding: Rounding | None = None,
    shifts: Mapping[int, Decimal] | None = None,
) -> Forward:
    """All values in the precision of the context.

    Args:
        graph: the program.
        inputs: the entries of each input, row-major.
        rounding: what every sum loses; by default nothing.
        shifts: what is added to the value of some nodes.
    """
    run = Forward([], [], [])
    moved = signs(rounding, len(graph.nodes), "forward")
    slopes = signs(rounding, len(graph.nodes), "slopes")
    for number, node in enumerate(graph.nodes):
        match node:
            case Leaf(tensor, entry):
                value = inputs[tensor][entry]
                size = abs(value)
            case Call():
                value, size = called(node, number, run, rounding)
                if moved and (made_of := wide_of(node.name).slope_terms):
                    run.slopes[number] = rounded(slopes[number], made_of(run.arguments[number]))
            case Power():
                value, size = powered(node, number, run, rounding), ZERO
            case _:
                value, size = combined(node, run.values)
        if moved and size:
            value += rounded(moved[number], size)
        if shifts and number in shifts:
            value += shifts[number]
        run.values.append(value)
        run.sizes.append(size or abs(value))
        run.spans.append((span_of(node, run) or run.sizes[-1]) if number in graph.before_edges else ZERO)
    return run


def span_of(node: Node, run: Forward) -> Decimal:
    """What a rounding is multiplied by in a sum, a product or a power of such; zero for what is no such node.

    Of a product that is zero, it is the product itself: nothing is left of first order.
    """
    values, spans = run.values, run.spans
    match node:
        case Sum(parts):
            return sum([spans[part] for part in parts], ZERO)
        case Product(parts) if values[-1]:
            return sum([others(values, parts, place, spans[part]).copy_abs() for place, part in enumerate(parts)], ZERO)
        case Product(parts):
            return others(spans, parts[1:], -1, spans[parts[0]])
        case Power(part, exponent) if exponent.is_Integer and exponent.is_positive:
            return int(exponent) * abs(values[-1] / values[part]) * spans[part] if values[-1] else spans[part]
    return ZERO


def combined(node: Node, values: Sequence[Decimal]) -> tuple[Decimal, Decimal]:
    """A number, sum or product, and the absolute terms that rounding takes its share of."""
    match node:
        case Sum(parts):
            numbers = [values[part] for part in parts]
            return sum(numbers, ZERO), sum(map(abs, numbers), ZERO)
        case Product(parts):
            return others(values, parts[1:], -1, values[parts[0]]), ZERO
        case Number(scalar):
            value = constant(scalar)
            return value, ZERO if is_exact(scalar) else abs(value)
    raise TypeError(f"{node} is not combined from others")


def called(node: Call, number: int, run: Forward, rounding: Rounding | None) -> tuple[Decimal, Decimal]:
    """The value of a function, and the absolute terms that rounding takes its share of."""
    row = wide_of(node.name)
    constants = [constant(c) for c in node.constants]
    edge = constants[0] if constants else ZERO
    argument = run.values[node.part]
    if row.kink or row.positive:
        argument = on_a_side(argument, run.spans[node.part], edge, rounding, pole=row.positive)
    run.arguments[number] = argument
    run.outside |= row.positive and argument < 0
    run.absorbed |= row.positive and argument == 0 != run.spans[node.part]
    if row.kink:
        run.sides.append((argument > edge) - (argument < edge))
    value = row.value(argument, *constants)
    run.absorbed |= argument.is_finite() and not value.is_normal() and node.name == "exp"
    return value, row.terms(argument) if row.terms else ZERO


def powered(node: Power, number: int, run: Forward, rounding: Rounding | None) -> Decimal:
    """The value of a power."""
    argument, root = run.values[node.part], not node.exponent.is_Integer
    if not node.exponent.is_positive:
        run.absorbed |= argument == 0 != run.spans[node.part]
        argument = on_a_side(argument, run.spans[node.part], ZERO, rounding, pole=True)
    elif root and rounding is not None and argument < 0:
        argument = ZERO
    run.arguments[number] = argument
    run.outside |= root and argument < 0
    return raised(argument, node.exponent)


def on_a_side(argument: Decimal, span: Decimal, edge: Decimal, rounding: Rounding | None, *, pole: bool) -> Decimal:
    """An argument; if rounding may carry it over an edge, on the side that is asked for.

    Below a pole there is no value. An argument that is exactly at an edge stays there.
    """
    if rounding is None or not argument.is_finite() or argument == edge:
        return argument
    reach = NEAR * rounding.unit * span
    if abs(argument - edge) > reach:
        return argument
    return edge + reach if rounding.above else NAN if pole else edge - reach


@lru_cache(maxsize=10_000)
def is_exact(scalar: sp.Expr) -> bool:
    """Whether a number is the same in every format: a small whole number over a power of two."""
    return bool(scalar.is_Rational and abs(scalar.p) < 1 << 20 and int(scalar.q).bit_count() == 1)


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
        case Call(part, name, constants):
            argument = run.arguments[number]
            if name == "exp":
                return ((part, adjoint * values[number]),)
            slope = wide_of(name).slope(argument, *[constant(c) for c in constants])
            return ((part, adjoint * (slope + run.slopes.get(number, ZERO))),)
    return ()


def others(values: Sequence[Decimal], parts: Sequence[int], place: int, start: Decimal) -> Decimal:
    """The product of all parts but the one at a place, times a number."""
    for number, part in enumerate(parts):
        if number != place:
            start = start * values[part]
    return start


def rounded(unit: Decimal, size: Decimal) -> Decimal:
    """A rounding of what has a size; nothing where there is none."""
    return unit * size if size.is_finite() else ZERO


def loss_of(run: Forward, weights: Mapping[int, Decimal]) -> Decimal:
    """The sum of the weighted values."""
    return sum((weight * run.values[number] for number, weight in weights.items()), ZERO)
