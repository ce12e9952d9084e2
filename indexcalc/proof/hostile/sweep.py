"""The forward pass of an unrolled program on wide numbers, one scalar after the other, with or without rounding.

The unknown of a system is found by Newton's method on its scalars. With rounding, it is that of the rounded residual:
so what rounding moves it by is what the condition of the system says.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, getcontext
from functools import lru_cache
from typing import Any

import sympy as sp

from indexcalc.proof.hostile.adjoints import slopes_in
from indexcalc.proof.hostile.matrices import condition, determinant, inverse, log_determinant
from indexcalc.proof.hostile.nodes import Call, Leaf, MatrixDeterminant, Node, Number, Power, Product, Root, Sum
from indexcalc.proof.hostile.runs import Forward, Rounding, absolute_total, added, rounded, signs, times, total
from indexcalc.proof.hostile.unrolled import Unrolled
from indexcalc.proof.hostile.wide import NAN, ONE, ZERO, constant, raised, wide_of

NEAR = 4
"""How many roundings from a kink or the end of a domain an argument may as well lie on the other side."""

OUTSIDE = "outside the domain"
"""Where a point lies at which a logarithm or a root has no value."""

ROUNDS = 100
"""The most rounds of Newton's method."""

LINEAR_ROUNDS = 2
"""The rounds after which Newton's method has found the root of a linear system, and seen that it is one."""

OTHER_STARTS, STEPS = (1, 1, 1, 3, 3, 3), 1000
"""How far from zero other points lie at most from which roots are looked for, and in how many places up to there.

It is measured by the largest entry of the root that was found, or by 1, which functions such as ``tanh`` bend at.
"""

HALVINGS = 20
"""How often a step is halved at most."""

SAME_ROOT = Decimal("1e-9")
"""How close two roots are that are one."""

SPARE = 12
"""How many digits of a root may be left undetermined: those that the condition of its system takes, and some more."""

WORST_CONDITION = Decimal(100_000)
"""The largest condition number of a system that is judged: few digits of the smallest format are left there."""


def forward(
    graph: Unrolled,
    inputs: Mapping[str, Sequence[Decimal]],
    rounding: Rounding | None = None,
    shifts: Mapping[int, Decimal] | None = None,
    near: Forward | None = None,
) -> Forward:
    """All values in the precision of the context.

    Args:
        graph: the program.
        inputs: the entries of each input, row-major.
        rounding: what every sum loses; by default nothing.
        shifts: what is added to the value of some nodes.
        near: a run with nearly the same values, whose roots are where the search for roots starts.
    """
    sweep = Sweep(graph, inputs, rounding, shifts or {}, near)
    # What a system computes from its unknown waits until the unknown is found.
    sweep.visit(graph.outside)
    return sweep.run


class Sweep:
    """A forward pass under way; each node may be visited again, with other values of what it reads."""

    def __init__(
        self,
        graph: Unrolled,
        inputs: Mapping[str, Sequence[Decimal]],
        rounding: Rounding | None,
        shifts: Mapping[int, Decimal],
        near: Forward | None,
    ) -> None:
        """Nothing is computed yet; the arguments are those of `forward`."""
        count = len(graph.nodes)
        self.graph, self.inputs, self.rounding, self.shifts, self.near = graph, inputs, rounding, shifts, near
        self.run = Forward([ZERO] * count, [ZERO] * count, [ZERO] * count)
        self.moved, self.again = signs(rounding, count, "forward"), signs(rounding, count, "again")
        self.slopes = signs(rounding, count, "slopes")
        self.outside = self.run.outside, self.run.absorbed  # before the system that is solved

    def visit(self, numbers: Iterable[int]) -> None:
        """Compute some nodes, each from those that it reads."""
        run, nodes, before_edges = self.run, self.graph.nodes, self.graph.before_edges
        values, sizes, moved, shifts = run.values, run.sizes, self.moved, self.shifts
        for number in numbers:
            node = nodes[number]
            # Most nodes are products, by far, and a type is compared in a third of the time that a pattern takes.
            if type(node) is Product:
                value, size = values[node.parts[0]], ZERO
                for part in node.parts[1:]:
                    value *= values[part]
            else:
                value, size = self.computed(node, number)
                if moved and size and size.is_finite():
                    value += moved[number] * size
                if number in shifts:
                    value += shifts[number]
            values[number], sizes[number] = value, size or abs(value)
            if number in before_edges:
                run.spans[number] = span_of(node, number, run) or sizes[number]

    def computed(self, node: Node, number: int) -> tuple[Decimal, Decimal]:
        """The value of what is no product, and the absolute terms that rounding takes its share of."""
        run = self.run
        if type(node) is Sum:
            return added([run.values[part] for part in node.parts])
        match node:
            case Leaf(tensor, entry):
                value = self.inputs[tensor][entry]
                return value, abs(value)
            case Number(scalar):
                value = constant(scalar)
                return value, ZERO if is_exact(scalar) else abs(value)
            case Call(name=name):
                value, size = called(node, number, run, self.rounding)
                if self.moved and (made_of := wide_of(name).slope_terms):
                    run.slopes[number] = rounded(self.slopes[number], made_of(run.arguments[number]))
                return value, size
            case Power():
                return powered(node, number, run, self.rounding), ZERO
            case Root(entry=entry, sought=sought):
                if entry == 0:
                    self.solve(node)
                value = run.values[sought[entry]]
                return value, abs(value)
            case MatrixDeterminant():
                return determined(node, number, run)
        raise TypeError(f"{node} is not computed from others")

    def solve(self, root: Root) -> None:
        """Find the unknown of a system by Newton's method; with rounding, that of the rounded residual.

        From a run nearby its slopes serve for all rounds. What is computed from the unknown is rounded once more at the
        end, as it is in code: the roundings that the root has made up for are others.

        Code may find any root of a system: there is no value where other starting points lead to another, or nowhere.
        """
        run, members = self.run, self.graph.members[root.tensor]
        self.outside = run.outside, run.absorbed
        if self.near is not None:
            found, _ = self.root_from([self.near.values[place] for place in root.sought], root, members)
        else:
            found, rounds = self.root_from([ZERO] * len(root.sought), root, members)
            if found is not None and rounds > LINEAR_ROUNDS and not self.is_alone(found, root, members):
                found = None
        if found is not None:
            for place, value in zip(root.sought, found, strict=True):
                run.values[place] = value
            self.settle(root, members)
            return
        run.outside = f"the system of {root.tensor} has no single root that is found"
        run.inverses[root.sought[0]] = [[NAN] * len(root.sought)] * len(root.sought)
        for number in (*root.sought, *members):
            run.values[number] = NAN

    def root_from(
        self, start: Sequence[Decimal], root: Root, members: Sequence[int], *, damped: bool = False
    ) -> tuple[list[Decimal] | None, int]:
        """Where Newton's method ends, and after how many rounds; None if it does not end.

        Where it is damped, a step is halved until it makes the residual smaller.
        """
        found = list(start)
        tolerance = ONE.scaleb(SPARE - getcontext().prec)
        inverted = self.near.inverses[root.sought[0]] if self.near is not None else None
        residual = self.residual_at(found, root, members)
        for number_of_rounds in range(1, ROUNDS + 1):
            if self.near is None:
                inverted = inverse(slopes_in(self.graph, self.run, root))
            assert inverted is not None
            change = [sum((a * b for a, b in zip(row, residual, strict=True)), ZERO) for row in inverted]
            if not all(moved.is_finite() for moved in change):
                break
            before = largest(residual)
            ended = largest(change) <= tolerance * largest([a - b for a, b in zip(found, change, strict=True)])
            for _ in range(HALVINGS):
                nearer = [value - moved for value, moved in zip(found, change, strict=True)]
                residual = self.residual_at(nearer, root, members)
                if ended or not damped or largest(residual) < before:
                    break
                change = [moved / 2 for moved in change]
            found = nearer
            if ended:
                return found, number_of_rounds
        return None, ROUNDS

    def residual_at(self, values: Sequence[Decimal], root: Root, members: Sequence[int]) -> list[Decimal]:
        """The residual of a system at some values of its unknown."""
        run = self.run
        run.outside, run.absorbed = self.outside
        for place, value in zip(root.sought, values, strict=True):
            run.values[place] = value
        self.visit(members)
        return [run.values[number] for number in root.residuals]

    def is_alone(self, found: Sequence[Decimal], root: Root, members: Sequence[int]) -> bool:
        """Whether Newton's method ends at the same root from some other starting points, and at no other from any."""
        reach, again = max(ONE, *map(abs, found)), False
        source = random.Random(f"{root.tensor} {len(found)}")
        for far in OTHER_STARTS:
            start = [far * reach * source.randint(-STEPS, STEPS) / STEPS for _ in found]
            other, _ = self.root_from(start, root, members)
            if other is None:
                other, _ = self.root_from(start, root, members, damped=True)
            if other is not None:
                again = True
                if largest([a - b for a, b in zip(found, other, strict=True)]) > SAME_ROOT * reach:
                    return False
        return again

    def settle(self, root: Root, members: Sequence[int]) -> None:
        """The slopes of a system at its root."""
        moved, self.moved = self.moved, self.again
        if moved:
            for place in root.sought:
                self.run.values[place] += rounded(self.again[place], abs(self.run.values[place]))
        self.visit(members)
        self.moved = moved
        matrix = slopes_in(self.graph, self.run, root)
        if self.rounding is not None:
            # An adjoint variable is that of the matrix as code puts it together, whose entries are rounded.
            parts = iter(signs(self.rounding, len(matrix) ** 2, f"matrix {root.sought[0]}"))
            for row, terms in zip(matrix, slopes_in(self.graph, self.run, root, spans=True), strict=True):
                row[:] = [slope + rounded(next(parts), size) for slope, size in zip(row, terms, strict=True)]
        inverted = self.run.inverses[root.sought[0]] = inverse(matrix)
        if not condition(matrix, inverted) <= WORST_CONDITION:
            self.run.outside = f"the system of {root.tensor} is near a singular one"


def largest(numbers: Sequence[Decimal]) -> Decimal:
    """The largest absolute value; of what is no number, it is infinite."""
    return max((abs(number) if not number.is_nan() else Decimal("inf") for number in numbers), default=ZERO)


def determined(node: MatrixDeterminant, number: int, run: Forward) -> tuple[Decimal, Decimal]:
    """A determinant or its logarithm, and the absolute terms that rounding takes its share of."""
    matrix = square([run.values[part] for part in node.parts])
    value, size = log_determinant(matrix) if node.logarithm else determinant(matrix)
    run.inverses[number] = inverse(matrix)
    if not condition(matrix, run.inverses[number]) <= WORST_CONDITION:
        run.outside = "a matrix whose determinant is taken is near a singular one"
    return value, size


def square(entries: Sequence[Any]) -> list[Sequence[Any]]:
    """The rows of a square matrix."""
    size = math.isqrt(len(entries))
    return [entries[start : start + size] for start in range(0, len(entries), size)]


def span_of(node: Node, number: int, run: Forward) -> Decimal:
    """What a rounding is multiplied by in a sum, a product or a power of such; zero for what is no such node.

    Of a product that is zero, it is the product itself: nothing is left of first order.
    """
    values, spans = run.values, run.spans
    match node:
        case Sum(parts):
            return total([spans[part] for part in parts])
        case Product(parts) if values[number]:
            ways = [(spans[part], parts[:place] + parts[place + 1 :]) for place, part in enumerate(parts)]
            return absolute_total([times(span, values, others) for span, others in ways])
        case Product((first, *others)):
            return times(spans[first], spans, others)
        case Power(part, exponent) if exponent.is_Integer and exponent.is_positive:
            return int(exponent) * abs(values[number] / values[part]) * spans[part] if values[number] else spans[part]
    return ZERO


def called(node: Call, number: int, run: Forward, rounding: Rounding | None) -> tuple[Decimal, Decimal]:
    """The value of a function, and the absolute terms that rounding takes its share of."""
    row = wide_of(node.name)
    argument = run.values[node.part]
    if row.kink or row.positive:
        argument = on_a_side(argument, run.spans[node.part], rounding, pole=row.positive)
    run.arguments[number] = argument
    if row.positive and argument < 0:
        run.outside = OUTSIDE
    run.absorbed |= row.positive and argument == 0 != run.spans[node.part]
    if row.kink:
        run.sides[number] = (argument > 0) - (argument < 0)
    value = row.value(argument)
    run.absorbed |= argument.is_finite() and not value.is_normal() and node.name == "exp"
    return value, row.terms(argument) if row.terms else ZERO


def powered(node: Power, number: int, run: Forward, rounding: Rounding | None) -> Decimal:
    """The value of a power."""
    argument, root = run.values[node.part], not node.exponent.is_Integer
    if not node.exponent.is_positive:
        run.absorbed |= argument == 0 != run.spans[node.part]
        argument = on_a_side(argument, run.spans[node.part], rounding, pole=True)
    elif root and rounding is not None and argument < 0:
        argument = ZERO
    run.arguments[number] = argument
    if root and argument < 0:
        run.outside = OUTSIDE
    return raised(argument, node.exponent)


def on_a_side(argument: Decimal, span: Decimal, rounding: Rounding | None, *, pole: bool) -> Decimal:
    """An argument; if rounding may carry it over zero, on the side that is asked for.

    Below a pole there is no value. An argument that is exactly zero stays there.
    """
    if rounding is None or not argument.is_finite() or argument == 0:
        return argument
    reach = NEAR * rounding.unit * span
    if abs(argument) > reach:
        return argument
    return reach if rounding.above else NAN if pole else -reach


@lru_cache(maxsize=10_000)
def is_exact(scalar: sp.Expr) -> bool:
    """Whether a number is the same in every format: a small whole number over a power of two."""
    return bool(scalar.is_Rational and abs(scalar.p) < 1 << 20 and int(scalar.q).bit_count() == 1)
