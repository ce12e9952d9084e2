"""Programs on labelled arrays: one axis for each index, and everything written out as it is defined."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tests.campaign.arithmetic import EXACT, FUNCTIONS, LEAST, SATURATED, Arithmetic, Array
from tests.campaign.formulas import (
    Apply,
    Axis,
    Delta,
    Extent,
    Formula,
    Negative,
    Number,
    Over,
    Plus,
    Power,
    Program,
    Ratio,
    Read,
    Relation,
    Symbol,
    Times,
)

RELATIONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


BATCH = "*"
"""The label of an axis along which a tensor is moved entry by entry; it comes first."""


@dataclass(frozen=True)
class Labelled:
    """An array with an index for each axis."""

    labels: tuple[str, ...]
    array: Array

    @property
    def batched(self) -> bool:
        """Whether the first axis is no index."""
        return BATCH in self.labels


@dataclass
class Evaluation:
    """What formulas are evaluated with.

    Attributes:
        arithmetic: the kind of arrays.
        extents: the extent of each index.
        sizes: the size of each named extent.
        scalars: the value of each parameter.
        tensors: the arrays as they are stored, which grow statement by statement.
        batch: how many entries are moved one by one.
    """

    arithmetic: Arithmetic
    extents: Mapping[str, Extent]
    sizes: Mapping[str, int]
    scalars: Mapping[str, float]
    tensors: dict[str, Array] = field(default_factory=dict)
    batch: int = 0

    def length(self, index: str) -> int:
        """How many values an index takes."""
        if index == BATCH:
            return self.batch
        return extent_size(self.extents[index], self.sizes)

    def number(self, formula: Formula) -> float:
        """The value of a formula without indices and tensors, such as an exponent or a constant."""
        match formula:
            case Number(text):
                return float(text)
            case Symbol("pi"):
                return math.pi
            case Symbol(name):
                return float(self.sizes[name] if name in self.sizes else self.scalars[name])
            case Negative(body):
                return -self.number(body)
            case Plus(parts):
                return sum(self.number(part) for part in parts)
            case Times(parts):
                return math.prod(self.number(part) for part in parts)
            case Ratio(top, bottom):
                bottom_value = self.number(bottom)
                return self.number(top) / bottom_value if bottom_value else math.nan
            case Apply("sqrt", body, _):
                value = self.number(body)
                return math.sqrt(value) if value >= 0 else math.nan
            case Apply("log", body, _):
                value = self.number(body)
                return math.log(value) if value > 0 else math.nan
            case Apply("exp", body, _):
                return math.exp(self.number(body))
            case Power(base, exponent, _):
                return self.number(base) ** self.number(exponent)
        raise AssertionError(formula)

    def value(self, formula: Formula) -> Labelled:
        """The value of a formula, with an axis for each free index."""
        found = self.computed(formula)
        return Labelled(found.labels, self.arithmetic.kept(found.array))

    def computed(self, formula: Formula) -> Labelled:
        """The value of a formula from those of its parts."""
        match formula:
            case Number() | Symbol():
                return Labelled((), self.arithmetic.array(np.asarray(self.number(formula))))
            case Read(tensor, axes):
                return self.read(tensor, axes)
            case Delta(left, right):
                return self.related("==", left, right)
            case Relation(left, sign, right):
                return self.related(sign, left, right)
            case Negative(body):
                found = self.value(body)
                return Labelled(found.labels, -found.array)
            case Plus(parts) | Times(parts):
                return self.joined(formula, [self.value(part) for part in parts])
            case Ratio(top, bottom):
                one, other = self.value(top), self.value(bottom)
                labels = union(one, other)
                return self.rounded(labels, self.spread(one, labels) / self.spread(other, labels))
            case Power(base, exponent, _):
                found = self.value(base)
                return self.rounded(found.labels, self.arithmetic.power(found.array, self.number(exponent)))
            case Apply():
                return self.applied(formula)
            case Over():
                return self.reduced(formula)
        raise AssertionError(formula)

    def rounded(self, labels: tuple[str, ...], array: Array) -> Labelled:
        """The result of an operation that rounds."""
        return Labelled(labels, self.arithmetic.rounded(array, BATCH in labels))

    def spread(self, value: Labelled, labels: tuple[str, ...]) -> Array:
        """The array with an axis for each of the labels, of length 1 where it has none."""
        order = [value.labels.index(label) for label in labels if label in value.labels]
        moved = self.arithmetic.transposed(value.array, order) if order else value.array
        return moved.reshape(tuple(self.length(label) if label in value.labels else 1 for label in labels))

    def read(self, tensor: str, axes: tuple[Axis, ...]) -> Labelled:
        """An entry: axes fall into their indices, and an index that stands twice reads the diagonal."""
        labels = [index for axis in axes for index in axis]
        if len(self.tensors[tensor].shape) > len(axes):
            labels.insert(0, BATCH)
        array = self.tensors[tensor].reshape(tuple(self.length(label) for label in labels))
        while len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            first = labels.index(twice)
            second = labels.index(twice, first + 1)
            array = array.diagonal(0, first, second)
            labels = [label for place, label in enumerate(labels) if place not in (first, second)] + [twice]
        # What each reading gives to the gradient is rounded before it is added to the others.
        sizes = np.ones(tuple(map(int, array.shape)))
        return Labelled(tuple(labels), self.arithmetic.steepened(array, sizes, BATCH in labels))

    def related(self, sign: str, left: str, right: str) -> Labelled:
        """1 where a relation holds."""
        if left == right:
            holds = RELATIONS[sign](0, 0) * np.ones(self.length(left))
            return Labelled((left,), self.arithmetic.array(holds))
        rows, columns = np.ogrid[: self.length(left), : self.length(right)]
        return Labelled((left, right), self.arithmetic.array(RELATIONS[sign](rows, columns).astype(float)))

    def joined(self, formula: Plus | Times, values: list[Labelled]) -> Labelled:
        """A sum or a product, part by part."""
        labels = union(*values)
        array = self.spread(values[0], labels)
        for value in values[1:]:
            other = self.spread(value, labels)
            array = array + other if isinstance(formula, Plus) else array * other
            array = self.arithmetic.rounded(array, BATCH in labels)
        return Labelled(labels, array)

    def applied(self, formula: Apply) -> Labelled:
        """A pointwise function."""
        found, a = self.value(formula.body), self.arithmetic
        if formula.constant is None:
            result = FUNCTIONS[formula.function](a, found.array)
            if formula.function in SATURATED:
                # The slope is made of the value, as PyTorch makes it: what is left of 1 has the absolute error of 1.
                left = 1 - np.abs(a.plain(result))
                result = a.steepened(result, 1 / np.maximum(left, LEAST), found.batched)
            return Labelled(found.labels, result if formula.function in EXACT else a.rounded(result, found.batched))
        bound = self.number(formula.constant) + 0 * a.real(found.array)
        beyond = a.over(found.array, bound) if formula.function == "max" else a.over(bound, found.array)
        return Labelled(found.labels, a.where(beyond, found.array, a.array(np.asarray(self.number(formula.constant)))))

    def reduced(self, formula: Over) -> Labelled:
        """A sum and what is made of sums."""
        found, a = self.value(formula.body), self.arithmetic
        places = tuple(found.labels.index(index) for index in formula.indices)
        count = math.prod(self.length(index) for index in formula.indices)
        x = found.array

        def rounded(array: Array) -> Array:
            return a.rounded(array, found.batched)

        def total(array: Array) -> Array:
            return rounded(array.sum(places, keepdims=True))

        match formula.operator:
            case "sum":
                result = total(x)
            case "norm2":
                result = total(rounded(x * x))
            case "mean":
                result = rounded(total(x) / count)
            case "var":
                centred = rounded(x - rounded(total(x) / count))
                result = rounded(total(rounded(centred * centred)) / count)
            case "logsumexp" | "softmax" | "logsoftmax":
                # An exponential that overflows would make a finite value that is wrong: exp(x - inf) = 0.
                above = a.largest(x, places)
                shifted = rounded(x - above)
                powers = rounded(a.exp(shifted))
                logarithm = rounded(a.log(total(powers)))
                kinds = {
                    "logsumexp": above + logarithm,
                    "softmax": powers / total(powers),
                    "logsoftmax": shifted - logarithm,
                }
                result = rounded(kinds[formula.operator])
                if formula.operator == "logsumexp":
                    # A weight exp(x - result) has the absolute error of an exponent, as PyTorch's has.
                    result = a.steepened(result, a.plain(result), found.batched)
            case "max" | "min":
                x = x if formula.operator == "max" else -x
                ties = a.where(a.equal(x, a.largest(x, places)), 1 + 0 * a.real(x), 0 * a.real(x))
                result = (x * ties).sum(places, keepdims=True) / ties.sum(places, keepdims=True)
                result = result if formula.operator == "max" else -result
            case _:
                raise AssertionError(formula.operator)
        if formula.operator in ("softmax", "logsoftmax"):
            return Labelled(found.labels, result)
        kept = tuple(label for label in found.labels if label not in formula.indices)
        return Labelled(kept, result.reshape(tuple(self.length(label) for label in kept)))

    def stored(self, value: Labelled, axes: tuple[Axis, ...]) -> Array:
        """A value in the axes of a tensor."""
        labels = (BATCH,) * value.batched + tuple(index for axis in axes for index in axis)
        shape = (self.batch,) * value.batched + shape_of(axes, self.extents, self.sizes)
        return self.spread(value, labels).reshape(shape)


def union(*values: Labelled) -> tuple[str, ...]:
    """All labels in the order of their first places, but that of a batch before all."""
    found = dict.fromkeys(label for value in values for label in value.labels)
    return (BATCH,) * (BATCH in found) + tuple(label for label in found if label != BATCH)


def extent_size(extent: Extent, sizes: Mapping[str, int]) -> int:
    """The number that an extent stands for."""
    return math.prod(sizes[part] if isinstance(part, str) else part for part in extent)


def shape_of(axes: tuple[Axis, ...], extents: Mapping[str, Extent], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of a tensor as it is stored."""
    return tuple(math.prod(extent_size(extents[index], sizes) for index in axis) for axis in axes)


def run(
    program: Program,
    inputs: Mapping[str, np.ndarray],
    sizes: Mapping[str, int],
    arithmetic: Arithmetic,
    moves: Mapping[str, Array] | None = None,
) -> dict[str, Array]:
    """All tensors of a program.

    Args:
        program: the program.
        inputs: as they are stored.
        sizes: of the named extents.
        arithmetic: the kind of arrays.
        moves: what is added to tensors before anything reads them: by these, gradients are taken. One with an axis
            more moves a tensor in many ways at once.
    """
    scalars = {name: float(value) for name, value in program.parameters}
    batch = max((len(m) for name, m in (moves or {}).items() if len(m.shape) > len(program.axes[name])), default=0)
    evaluation = Evaluation(arithmetic, program.extents, sizes, scalars, batch=batch)
    moved = moves or {}
    for tensor in program.inputs:
        array = arithmetic.array(inputs[tensor.name])
        evaluation.tensors[tensor.name] = array + moved[tensor.name] if tensor.name in moved else array
    for made in program.statements:
        array = evaluation.stored(evaluation.value(made.right), made.axes)
        evaluation.tensors[made.name] = array + moved[made.name] if made.name in moved else array
    return evaluation.tensors
