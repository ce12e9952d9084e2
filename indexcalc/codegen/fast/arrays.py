"""Arrays made from arrays: small ones are put together before large ones, a scalar goes to the smallest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

import sympy as sp

from indexcalc.algebra.build import is_negative
from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.graph import Axis, Graph, Node, Operation, Use
from indexcalc.codegen.operands import Axes, arranged
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Node as Source

ONE = sp.S.One
COMMUTATIVE = ("np.add", "np.multiply")
BLOCK_LENGTH = 64
"""How long a block is taken to be where two arrays are compared in size; another axis counts ten times that."""


@dataclass(frozen=True, slots=True)
class Array:
    """A node with the index of every axis."""

    node: int
    axes: Axes


Value: TypeAlias = Array | sp.Expr


@dataclass
class Arrays:
    """Builds arrays from arrays, in the graph of one block.

    Attributes:
        scalars: the Python names of extents and parameters.
        stem: of the names for the lengths of a block.
        dtype: the variable with the dtype of new arrays.
        large: the tensors that are larger than any input and result.
        graph: what is built.
        dimensions: the dimension of the loop that an index of the present statement runs over.
        order: the indices of the present statement, its own first.
    """

    scalars: Mapping[sp.Symbol, str]
    stem: str
    dtype: str
    large: frozenset[str] = frozenset()
    graph: Graph = field(default_factory=Graph)
    dimensions: Mapping[Index, int] = field(default_factory=dict)
    order: Axes = ()

    def text(self, value: sp.Expr) -> Source:
        """A scalar as Python source."""
        return scalar_node(value, self.scalars)

    def made(
        self, operation: Operation, name: str, arguments: tuple[Use | Source, ...], axes: Axes, summed: Axes = ()
    ) -> Array:
        """A node with these axes."""
        node = Node(operation, name, arguments, self.axes(axes), self.axes(summed))
        return Array(self.graph.add(node), axes)

    def axes(self, indices: Sequence[Index]) -> tuple[Axis, ...]:
        """The axes that run over indices."""
        return tuple(Axis(index.extent, self.dimensions.get(index)) for index in indices)

    def folded(self, function: str, arrays: list[Array]) -> Array:
        """All arrays put together, always the two whose result is smallest."""
        while len(arrays) > 1:
            first, second = self.nearest(arrays)
            joined = self.combined(function, arrays[first], arrays[second])
            assert isinstance(joined, Array)
            rest = [array for number, array in enumerate(arrays) if number not in (first, second)]
            arrays = [*rest[:first], joined, *rest[first:]]
        return arrays[0]

    def nearest(self, values: Sequence[Value]) -> tuple[int, int]:
        """The two values that are smallest together, the first ones of those."""
        # Values with the same axes are alike here, so that the first two of each kind are enough: sums are long.
        alike: dict[frozenset[Index], list[int]] = {}
        for place, value in enumerate(values):
            places = alike.setdefault(frozenset(value.axes if isinstance(value, Array) else ()), [])
            if len(places) < 2:
                places.append(place)
        pairs = combinations(sorted(place for places in alike.values() for place in places), 2)
        return min(pairs, key=lambda pair: (self.joint_size(values[pair[0]], values[pair[1]]), pair))

    def joint_size(self, *values: Value) -> int:
        """How many entries the values have when they are broadcast together, roughly."""
        axes = {axis for value in values if isinstance(value, Array) for axis in value.axes}
        size = 1
        for axis in axes:
            size *= BLOCK_LENGTH if axis in self.dimensions else 10 * BLOCK_LENGTH
        return size

    def size(self, array: Array) -> int:
        """How many entries an array has, roughly."""
        return self.joint_size(array)

    def weight(self, array: Array, tensor: str) -> int:
        """The size of an array; that of a large tensor counts for more than all others."""
        return self.joint_size(array) * (10**9 if tensor in self.large else 1)

    def scaled(self, array: Array, coeff: sp.Expr) -> Array:
        """``coeff * array``."""
        if coeff == 1:
            return array
        negative = is_negative(coeff)
        numerator, denominator = (-coeff if negative else coeff).as_numer_denom()
        if numerator == 1 and not negative and denominator.is_number is False and not denominator.is_Pow:
            return self.called("np.divide", array, self.text(denominator))
        return self.called("np.multiply", array, self.text(coeff))

    def use(self, array: Array, axes: Axes) -> Use:
        """The array as an argument of an array over `axes`."""
        return Use(array.node, tuple(axes.index(axis) for axis in array.axes))

    def called(self, function: str, value: Value, *others: Source) -> Array:
        """A function of one array, and numbers."""
        assert isinstance(value, Array)
        return self.made(Operation.MAP, function, (self.use(value, value.axes), *others), value.axes)

    def combined(self, function: str, left: Value, right: Value) -> Value:
        """A function of two values, broadcast together."""
        if not isinstance(left, Array) and not isinstance(right, Array):
            return SCALAR_RULES[function](left, right)
        axes = broadcast([value for value in (left, right) if isinstance(value, Array)], self.order)
        arguments: list[Use | Source] = [
            self.use(value, axes) if isinstance(value, Array) else self.text(value) for value in (left, right)
        ]
        if function in COMMUTATIVE:
            arguments.sort(key=lambda a: a.node if isinstance(a, Use) else len(self.graph.nodes))
        return self.made(Operation.MAP, function, tuple(arguments), axes)


def broadcast(arrays: Iterable[Array], order: Axes) -> Axes:
    """The axes of arrays that are broadcast together: those of the largest if it has all."""
    given = sorted((array.axes for array in arrays), key=lambda axes: -len(axes))
    every = dict.fromkeys(axis for axes in given for axis in axes)
    return given[0] if len(given[0]) == len(every) else arranged(every, order)


SCALAR_RULES: Mapping[str, Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    "np.add": lambda left, right: left + right,
    "np.subtract": lambda left, right: left - right,
    "np.multiply": lambda left, right: left * right,
    "np.divide": lambda left, right: left / right,
    "np.maximum": sp.Max,
}
