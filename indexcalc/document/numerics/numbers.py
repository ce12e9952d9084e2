"""Formulas as numbers: the naive evaluation of meanings at a point, derivatives by complex step.

Nothing here knows a rule of differentiation: a derivative perturbs every entry of a tensor by an
imaginary amount (one lane an entry) and evaluates again what depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

from indexcalc.document.meaning.nodes import (
    Applied,
    Cholesky,
    Derivative,
    Determinant,
    Entry,
    Exponential,
    Gathered,
    Inverse,
    Meaning,
    Number,
    Ones,
    Plus,
    Raised,
    Relation,
    Size,
    Stacked,
    Times,
    Total,
    Value,
    free,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError, Symbols, depends_on
from indexcalc.document.meaning.unknown import row_of
from indexcalc.document.numerics.arrays import bounded, contracted, exponentials, of_matrices, only_where, raised
from indexcalc.errors import LimitError
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import COMPLEX_STEP
from indexcalc.proof.systems import cholesky

DISPLACED_LIMIT = 100
"""The most entries by which a second derivative is taken."""

STEP = 0.02
"""The step of central differences, in units of the inputs, whose magnitudes are about one."""

ROUNDS = 40
"""The most steps of a recurrence that are computed; no axis is as long."""

FINE_DIGITS = 25
"""The digits to which a number is written out for the finest type of the machine."""

LAID_OUT = 4_000
"""The most grid points on which the terms of a sum are laid out before they are added up, if they are products."""

STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""The weights of central differences of order 8, by the number of steps."""


def is_gate(node: Meaning) -> bool:
    """Whether an expression only says where a condition holds."""
    match node:
        case Relation() | Number() | Applied("step"):
            return True
        case Plus(parts) | Times(parts):
            return all(is_gate(part) for part in parts)
    return False


WORK_LIMIT = 100_000_000
"""How much may be computed at one point: entries, each formula as much as a thousand of them."""


class WorkError(LimitError):
    """One point takes too long."""


@dataclass
class Work:
    """What was computed at a point, and at those that are only a little apart from it."""

    done: int = 0

    def add(self, entries: int) -> None:
        """Count a formula with so many entries.

        Raises:
            WorkError: if that is too much.
        """
        self.done += 1000 + entries
        if self.done > WORK_LIMIT:
            raise WorkError("it takes too long to evaluate")


@dataclass
class Point:
    """Values of all inputs at one choice of sizes, and what has been computed from them.

    Attributes:
        symbols: the document's symbols.
        sizes: classes of index variables.
        lengths: the length of each class, by its representative.
        given: the given tensors.
        values: those computed so far.
        scale: the largest magnitude met on the way.
        found: the lengths looked up so far.
        displaced: whether an input is displaced for a second derivative.
        fine: whether numbers have more digits than usual, where the machine has such.
    """

    symbols: Symbols
    sizes: Sizes
    lengths: dict[Ix, int]
    given: Mapping[str, Array]
    values: dict[str, Array] = field(default_factory=dict)
    jacobians: dict[tuple[str, str, bool, tuple[str, ...]], Array] = field(default_factory=dict)
    scale: float = 0.0
    displaced: bool = False
    fine: bool = False
    found: dict[Ix, int] = field(default_factory=dict, repr=False)
    work: Work = field(default_factory=Work, repr=False)

    def finer(self) -> Point:
        """The same point with more digits, nothing computed yet."""
        given = {name: np.asarray(value, dtype=np.longdouble) for name, value in self.given.items()}
        return replace(self, given=given, values={}, jacobians={}, fine=True)

    def number(self, value: sp.Expr) -> np.floating[Any]:
        """A number with the digits that are used here."""
        return np.longdouble(str(value.evalf(FINE_DIGITS))) if self.fine else np.float64(value)

    def length(self, index: Ix) -> int:
        """The number of values of an index variable."""
        if index not in self.found:
            self.found[index] = self.lengths[self.sizes.find(index)]
        return self.found[index]

    def value(self, node: Meaning, axes: Sequence[Ix]) -> Array:
        """The expression as an array over `axes`.

        Raises:
            LimitError: if a product has too many grid points.
            NotUnderstoodError: for a second derivative.
        """
        shape = tuple(self.length(axis) for axis in axes)
        frame = Frame(self, {}, "", False)
        result = frame.on(node, tuple(axes))
        return np.asarray(np.broadcast_to(result, (1, *shape))[0])

    def tensor(self, name: str) -> Array:
        """The value of a tensor, computed once.

        Raises:
            NotUnderstoodError: if it is neither given nor defined.
        """
        if name in self.given:
            return self.given[name]
        if name not in self.values:
            if name not in self.symbols.definitions:
                raise NotUnderstoodError(f"{name} has no definition")
            self.values.update((one, value[0]) for one, value in Frame(self, {}, "", False).defined(name).items())
        return self.values[name]

    def jacobian(self, key: tuple[str, str, bool, tuple[str, ...]], compute: Callable[[], Array]) -> Array:
        """The derivative of a named tensor, computed once."""
        if key not in self.jacobians:
            self.jacobians[key] = compute()
        return self.jacobians[key]


@dataclass
class Frame:
    """Evaluation with one tensor perturbed, lane by lane; all lanes agree if none is.

    Attributes:
        point: the point.
        lanes: perturbed tensors and those computed from them, lane axis first.
        wrt: the perturbed tensor; empty if none is.
        local: whether all other named tensors are held.
        held: the tensors that are held, if not all.
    """

    point: Point
    lanes: dict[str, Array]
    wrt: str
    local: bool
    held: tuple[str, ...] = ()

    def on(self, node: Meaning, grid: tuple[Ix, ...]) -> Array:
        """The expression on the grid, the lane axis first, of length 1 where nothing varies.

        Raises:
            WorkError: if the point has taken too long.
        """
        self.point.work.add(math.prod(self.point.length(index) for index in grid))
        match node:
            case Number() | Size() | Ones():
                return np.full((1,) * (1 + len(grid)), self.constant(node))
            case Value(index):
                return self.axis(index, grid)[np.newaxis] * 1.0
            case Entry(name, slots):
                return self.read(self.tensor(name), slots, grid)
            case Relation(left, relation, right):
                compare = {"==": np.equal, "<": np.less, "<=": np.less_equal, "!=": np.not_equal}[relation]
                return np.asarray(compare(self.whole_number(left, grid), self.whole_number(right, grid))) * 1.0
            case Times(factors):
                return self.noted(self.times(factors, [self.on(factor, grid) for factor in factors]))
            case Plus(terms):
                return reduce(np.add, (self.noted(self.on(term, grid)) for term in terms))
            case Raised(base, exponent):
                return raised(self.on(base, grid), self.on(exponent, grid))
            case Applied(name, argument):
                row, at = row_of(name), self.on(argument, grid)
                value = np.asarray(row.compute(at))
                return only_where(at.real > 0, value) if row.positive else value
            case Total(indices, body):
                return self.total(indices, body, grid)
            case Inverse() | Exponential() | Cholesky() | Determinant() | Stacked() | Gathered():
                return self.whole(node, grid)
            case Derivative():
                return self.derivative(node, grid)

    def constant(self, node: Number | Size | Ones) -> np.floating[Any]:
        """What is one number everywhere."""
        match node:
            case Number(value):
                return self.point.number(value)
            case Size(index):
                return np.float64(self.point.length(index))
            case Ones():
                return np.float64(1)

    def times(self, factors: Sequence[Meaning], arrays: Sequence[Array]) -> Array:
        """A product; where a condition among the factors does not hold, the others need no value.

        Where indices are too short for any entry to fulfil it, as ``i != j`` with one value, there is no value at all.
        """
        value = np.asarray(reduce(np.multiply, arrays))
        if not any(map(is_gate, factors)) or np.all(np.isfinite(value)):
            return value
        both = list(zip(factors, arrays, strict=True))
        relations = [array for factor, array in both if isinstance(factor, Relation)]
        if relations and not np.any(reduce(np.multiply, relations)):
            return value
        is_open = reduce(np.multiply, (array for factor, array in both if is_gate(factor))) != 0
        return np.asarray(np.where(is_open, value, 0))

    def noted(self, array: Array) -> Array:
        """The array, its magnitude remembered as a scale of rounding errors."""
        if not self.wrt:
            magnitude = float(np.max(np.abs(array), initial=0.0))
            self.point.scale = max(self.point.scale, magnitude if math.isfinite(magnitude) else 0.0)
        return np.asarray(array)

    def total(self, indices: tuple[Ix, ...], body: Meaning, grid: tuple[Ix, ...]) -> Array:
        """A sum over indices: laid out on the larger grid, then added up; a large one of a product index by index."""
        inner = (*grid, *indices)
        lengths = tuple(self.point.length(index) for index in indices)
        own = 1 + len(grid)
        factors = body.factors if isinstance(body, Times) else (body,)
        arrays = [self.on(factor, inner) for factor in factors]
        shape = (*np.broadcast_shapes(*(array.shape for array in arrays))[:own], *lengths)
        large = len(arrays) > 1 and math.prod(shape) > LAID_OUT
        if large and (not any(map(is_gate, factors)) or all(np.all(np.isfinite(array)) for array in arrays)):
            return self.noted(self.large_total(arrays, lengths))
        bounded(*shape)
        laid_out = self.noted(self.times(factors, arrays)) if len(arrays) > 1 else arrays[0]
        return self.noted(np.broadcast_to(laid_out, shape).sum(axis=tuple(range(own, len(shape)))))

    def large_total(self, arrays: Sequence[Array], lengths: tuple[int, ...]) -> Array:
        """The sum of a product over the last axes, without the array of its terms."""
        own = arrays[0].ndim - len(lengths)
        last = range(own, arrays[0].ndim)
        alike = [n for n, axis in zip(lengths, last, strict=True) if all(array.shape[axis] == 1 for array in arrays)]
        if not self.wrt:
            self.noted(math.prod(alike) * contracted([np.abs(array) for array in arrays], last))
        summed = math.prod(alike) * contracted(arrays, last)
        return np.asarray(summed.reshape(summed.shape[:own]))

    def whole(
        self, node: Inverse | Exponential | Cholesky | Determinant | Stacked | Gathered, grid: tuple[Ix, ...]
    ) -> Array:
        """The determinant of a matrix, or an entry of what else is made from it, of blocks, or at places."""
        if isinstance(node, Gathered):
            return self.gathered(node, grid)
        if isinstance(node, Stacked):
            return self.stacked(node, grid)
        if isinstance(node, Determinant):
            return self.noted(self.matrix(np.linalg.det, node.body, node.axes, grid))
        if isinstance(node, Exponential):
            array = self.on(node.body, (*grid, *node.axes))
            found = exponentials(array, (*array.shape[:-2], *(self.point.length(axis) for axis in node.axes)))
        elif isinstance(node, Cholesky):
            found = self.matrix(cholesky, node.body, node.axes, grid)
        else:
            found = self.matrix(np.linalg.inv, node.body, node.axes, grid)
        return self.entry_of(found, [self.axis(slot, grid) for slot in node.slots], grid)

    def matrix(
        self, compute: Callable[[Array], Array], body: Meaning, axes: tuple[Ix, Ix], grid: tuple[Ix, ...]
    ) -> Array:
        """A function of the matrix that an expression is over two axes; undefined where it is nearly singular."""
        array = self.on(body, (*grid, *axes))
        return of_matrices(compute, array, (*array.shape[:-2], *(self.point.length(axis) for axis in axes)))

    def stacked(self, node: Stacked, grid: tuple[Ix, ...]) -> Array:
        """The entry at a slot of arrays one behind the other."""
        place = self.axis(node.slot, grid)
        result: Array = np.zeros((1,) * (1 + len(grid)))
        for axis, body in zip(node.axes, node.bodies, strict=True):
            length = self.point.length(axis)
            array = self.on(body, (*grid, axis))
            bounded(*(max(pair) for pair in zip(array.shape, (1, *place.shape, length), strict=True)))
            full = np.broadcast_to(array, (*array.shape[:-1], length))
            entry = self.entry_of(full, [np.clip(place, 0, length - 1)], grid)
            result = np.where((place >= 0) & (place < length), entry, result)
            place = place - length
        return result

    def gathered(self, node: Gathered, grid: tuple[Ix, ...]) -> Array:
        """The entries at places that are computed; those outside have no value."""
        array = self.on(node.body, (*grid, *node.axes))
        lengths = tuple(self.point.length(axis) for axis in node.axes)
        bounded(*array.shape[: 1 + len(grid)], *lengths)
        full = np.broadcast_to(array, (*array.shape[: 1 + len(grid)], *lengths))
        places = [self.whole_number(place, grid)[0] for place in node.places]
        inside = reduce(np.logical_and, ((at >= 0) & (at < end) for at, end in zip(places, lengths, strict=True)))
        slots = [np.clip(at, 0, end - 1) for at, end in zip(places, lengths, strict=True)]
        entries = self.entry_of(full, slots, grid)
        if self.point.symbols.zero_outside:
            return np.asarray(np.where(inside[np.newaxis], entries, 0))
        return only_where(inside[np.newaxis], entries)

    def whole_number(self, node: Meaning, grid: tuple[Ix, ...]) -> Array:
        """A place, or what a condition compares: whole, and the same in all lanes."""
        return np.asarray(np.rint(self.on(node, grid)[:1].real), dtype=int)

    def entry_of(self, array: Array, slots: Sequence[Array], grid: tuple[Ix, ...]) -> Array:
        """The entries at places along the last axes of arrays that may differ along the grid."""
        along = []
        for place, index in enumerate(grid, 1):
            at = self.axis(index, grid)
            along.append(at if array.shape[place] > 1 else np.zeros((1,) * len(grid), dtype=int))
        places: tuple[Any, ...] = (slice(None), *along, *slots)
        return np.asarray(array[places])

    def axis(self, index: Ix, grid: tuple[Ix, ...]) -> Array:
        """0, 1, 2, ... along the axis of an index."""
        if index.fixed:
            return np.full((1,) * len(grid), index.fixed - 1)
        if index not in grid:
            raise NotUnderstoodError(f"the index {index.name or '?'} is free in one place only")
        shape = [1] * len(grid)
        shape[grid.index(index)] = -1
        return np.arange(self.point.length(index)).reshape(shape)

    def read(self, array: Array, slots: Sequence[Ix], grid: tuple[Ix, ...]) -> Array:
        """The entries at the slots' indices, on the grid."""
        bounded(array.shape[0], *(self.point.length(slot) for slot in set(slots)))
        if not slots:
            return array.reshape(array.shape[0], *(1,) * len(grid))
        if array.ndim != 1 + len(slots):
            raise NotUnderstoodError("a name is used with slots of two numbers")
        ends = [slot.fixed or self.point.length(slot) for slot in slots]
        if any(end > length for end, length in zip(ends, array.shape[1:], strict=True)):
            raise NotUnderstoodError("an entry beyond the end of an axis is read")
        if tuple(slots) == grid and array.shape[1:] == tuple(ends) and not any(slot.fixed for slot in slots):
            return array
        places: tuple[Any, ...] = (slice(None), *(self.axis(slot, grid) for slot in slots))
        return np.asarray(array[places])

    def tensor(self, name: str) -> Array:
        """The value of a tensor in this frame, lane axis first."""
        if name in self.lanes:
            return self.lanes[name]
        if self.is_fixed(name):
            return self.point.tensor(name)[np.newaxis]
        self.lanes.update(self.defined(name))
        return self.lanes[name]

    def is_fixed(self, name: str) -> bool:
        """Whether nothing of a tensor varies in this frame."""
        symbols = self.point.symbols
        return (
            not self.wrt
            or self.local
            or name in self.held
            or name not in symbols.definitions
            or not depends_on(symbols.definitions, name, self.wrt)
            or symbols.is_backward(name)
        )

    def defined(self, name: str) -> dict[str, Array]:
        """The value of a definition in this frame, and those that are computed with it."""
        circle = self.point.symbols.circle(name)
        return self.step_by_step(circle) if circle else {name: self.once(name)}

    def step_by_step(self, circle: Sequence[str], moved: Array | None = None) -> dict[str, Array]:
        """The values of a recurrence: each round computes the entries that rest on those of the round before.

        What no round comes to has no value. If the tensor by which is differentiated is one of them, all entries of it
        are `moved`, and the steps behind them with it.
        """
        varying = [name for name in circle if not self.is_fixed(name) or not self.wrt]
        lanes: dict[str, Array] = {}
        for name in varying:
            shape = tuple(self.point.length(slot) for slot in self.point.symbols.definitions[name].slots)
            lanes[name] = np.full((1, *shape), np.nan)
        frame = replace(self, lanes={**self.lanes, **lanes})
        for _ in range(ROUNDS):
            before = {name: frame.lanes[name] for name in varying}
            for name in varying:
                value = frame.once(name)
                frame.lanes[name] = value if moved is None or name != self.wrt else value + moved
            if all(np.array_equal(frame.lanes[name], before[name], equal_nan=True) for name in varying):
                return {name: frame.lanes[name] for name in varying}
        return lanes  # what never settles has no value

    def once(self, name: str) -> Array:
        """The value of a definition as the tensors that it reads are now."""
        definition = self.point.symbols.definitions[name]
        shape = tuple(self.point.length(slot) for slot in definition.slots)
        array = self.on(definition.body, definition.slots)
        return np.asarray(np.broadcast_to(array, (array.shape[0], *shape)))

    def derivative(self, node: Derivative, grid: tuple[Ix, ...]) -> Array:
        """A derivative on the grid."""
        symbols, body, wrt = self.point.symbols, node.body, node.wrt
        whole_loss = isinstance(body, Entry) and symbols.is_loss(body.name)
        if self.wrt and not whole_loss:
            raise NotUnderstoodError("a third derivative" if self.point.displaced else "a derivative of a derivative")
        if any(isinstance(inner, Derivative) for inner in walk(body)):
            own = free(body)
            return self.noted(self.read(self.displaced(body, own, wrt.name)[np.newaxis], (*own, *wrt.slots), grid))
        if isinstance(body, Entry):
            own = body.slots
            array = self.jacobian(body.name, wrt.name, node.local, node.held)
        else:
            own = free(body)
            array = self.perturbed(body, own, wrt.name, node.local, node.held)
        return self.noted(self.read(array[np.newaxis], (*own, *wrt.slots), grid))

    def jacobian(self, name: str, wrt: str, local: bool, held: tuple[str, ...] = ()) -> Array:
        """The derivative of a named tensor, axes of the tensor first; computed once a point."""
        return self.point.jacobian((name, wrt, local, held), lambda: self.rate(name, wrt, local, held))

    def rate(self, name: str, wrt: str, local: bool, held: tuple[str, ...]) -> Array:
        """The derivative of a named tensor, computed anew."""
        if name == wrt:
            size = np.size(self.base(wrt))
            bounded(size, size)
            return np.eye(size).reshape(np.shape(self.base(wrt)) * 2)
        slots = self.point.symbols.slots.get(name, ())
        body: Meaning = Entry(name, slots)
        definition = self.point.symbols.definitions.get(name)
        if local and definition is not None:
            body, slots = definition.body, definition.slots
        return self.perturbed(body, slots, wrt, local, held)

    def displaced(self, body: Meaning, own: tuple[Ix, ...], wrt: str) -> Array:
        """The derivative of an expression with derivatives in it, by central differences of order 8."""
        if self.point.displaced:
            raise NotUnderstoodError("a third derivative")
        if self.point.symbols.circle(wrt):  # its steps are computed again, and would undo what is displaced
            raise NotUnderstoodError("a second derivative by what a recurrence gives")
        at = np.asarray(self.base(wrt))
        if at.size > DISPLACED_LIMIT:
            raise LimitError(f"a second derivative by more than {DISPLACED_LIMIT} entries")
        shape = tuple(self.point.length(index) for index in own)
        columns = []
        for entry in np.eye(max(1, at.size)).reshape(max(1, at.size), *at.shape):
            total = np.zeros(shape)
            for steps, weight in STENCIL.items():
                for sign in (1, -1):
                    given = {**self.point.given, wrt: at + sign * steps * STEP * entry}
                    moved = replace(self.point, given=given, values={}, jacobians={}, displaced=True)
                    total = total + sign * weight / STEP * moved.value(body, own)
            columns.append(total)
        return np.stack(columns, axis=-1).reshape(shape + at.shape)

    def base(self, name: str) -> Array:
        """The unperturbed value of a tensor."""
        return np.asarray(Frame(self.point, {}, "", False).tensor(name)[0])

    def perturbed(self, body: Meaning, own: tuple[Ix, ...], wrt: str, local: bool, held: tuple[str, ...] = ()) -> Array:
        """The derivative of an expression by all entries of a tensor: axes of the expression, then of the tensor."""
        at = np.asarray(self.base(wrt))
        size = max(1, at.size)
        bounded(size, size)
        bounded(size, *(self.point.length(index) for index in own))
        moved = 1j * COMPLEX_STEP * np.eye(size).reshape(size, *at.shape)
        frame = Frame(self.point, {wrt: at[np.newaxis] + moved}, wrt, local, held)
        circle = () if local or wrt in held else self.point.symbols.circle(wrt)
        if circle:
            del frame.lanes[wrt]
            frame.lanes.update(frame.step_by_step(circle, moved))
        result = frame.on(body, own)
        shape = tuple(self.point.length(index) for index in own)
        full = np.broadcast_to(result.imag / COMPLEX_STEP, (size, *shape))
        return np.asarray(np.moveaxis(full, 0, -1).reshape(shape + at.shape))
