"""The naive evaluator: terms on the grid of their indices, slow and obviously right.

Every factor is laid out on the grid of all free and summed indices, and one summed axis after the
other is summed over the product of the factors that vary along it. No `einsum`, no search for a good
order, no stable forms: this is what generated code is compared with. The first axis of every array is
the lane: the same terms for many tensors at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import islice, product
from typing import Any

import numpy as np
import sympy as sp

from indexcalc.algebra.ranges import is_compound
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import Affine
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Lookup,
    MatrixFunction,
    Partial,
    Power,
    Slot,
    Term,
    Terms,
    free_indices,
    own_slots,
    walk,
)
from indexcalc.errors import LimitError, ProgramError, UndefinedError, placed
from indexcalc.program import Equation, Program, Tensor, Unknown, read_in
from indexcalc.proof.numeric import Array, numeric_of
from indexcalc.proof.systems import OF_MATRICES, Steps, joint, parted, root
from indexcalc.recurrence import Recurrence

GRID_LIMIT = 20_000_000
"""The most grid points of one product, lanes included; 320 MB for complex numbers."""

EXACT = 1 << 53
"""Whole numbers below this are floats without rounding."""

Grid = tuple[Index, ...]
Numbers = tuple[tuple[sp.Symbol, float], ...]


MOST_WAYS = 64
"""The most ways to choose the step among the slots of several unknowns that are tried."""


@dataclass(frozen=True)
class Environment:
    """What the evaluator reads.

    Attributes:
        tensors: arrays by tensor name, the lane axis first (of length 1 where all lanes agree).
        numbers: the values of extents and parameters.
        partials: the values of unevaluated derivatives, by the `Partial` itself: an array over the
            lane, the distinct free indices of its base, and the slots of its `wrt`.
        outside: whether an index may run beyond the tensor in whose slot it stands, since brackets hide that.
    """

    tensors: Mapping[str, Array]
    numbers: Numbers
    partials: Mapping[Partial, Array] = field(default_factory=dict)
    outside: bool = False


def numbers_of(sizes: Mapping[sp.Symbol, int], parameters: Mapping[sp.Symbol, float] | None = None) -> Numbers:
    """Extents and parameters in one hashable table."""
    return (*sizes.items(), *(parameters or {}).items())


def number(scalar: sp.Expr, numbers: Numbers) -> float:
    """The value of a scalar expression.

    Raises:
        ProgramError: if a symbol has no value.
        UndefinedError: if the expression has no value that a float can hold, such as ``1/(N - 1)`` at ``N = 1``.
    """
    if scalar.is_Integer and abs(scalar.p) < EXACT:
        return float(scalar.p)
    if scalar.is_Symbol:
        for symbol, value in numbers:
            if symbol is scalar:
                return float(value)
    return computed_number(scalar, numbers)


@lru_cache(maxsize=100_000)
def computed_number(scalar: sp.Expr, numbers: Numbers) -> float:
    """The value of a scalar expression that is more than a symbol."""
    known = dict(numbers)
    given = {s: sp.Float(v) if isinstance(v, float) else sp.Integer(v) for s, v in known.items()}
    value = scalar.xreplace(given)
    if value.free_symbols:
        missing = ", ".join(sorted(map(str, value.free_symbols)))
        raise ProgramError(f"no value is given for {missing} in the scalar {scalar}")
    try:
        found = float(value)
    except TypeError:
        found = math.nan
    # One over a logarithm of 0 has no value, though SymPy says that it is 0.
    infinite = any(part.xreplace(given).is_infinite for part in scalar.atoms(sp.log, sp.Pow))
    if infinite or not math.isfinite(found):
        there = ", ".join(f"{s} = {known[s]:.6g}" for s in sorted(scalar.free_symbols, key=str))
        raise UndefinedError(f"{scalar} has no value" + (f" at {there}" if there else ""))
    return found


def size_of(index: Index, numbers: Numbers) -> int:
    """The length of an index's range."""
    return round(number(index.extent, numbers))


def evaluate(
    terms: Terms,
    free: Sequence[Index],
    tensors: Mapping[str, Array],
    sizes: Mapping[sp.Symbol, int],
    parameters: Mapping[sp.Symbol, float] | None = None,
) -> Array:
    """The value of a sum of terms as an array over the free indices.

    Args:
        terms: what to evaluate; they may read no index but their own sums and `free`.
        free: the axes of the result, in order.
        tensors: an array for each tensor that is read, of the shape of its slots.
        sizes: the value of each symbolic extent.
        parameters: the value of each scalar parameter.

    Raises:
        LimitError: if a term has more than `GRID_LIMIT` grid points.
        ProgramError: if a tensor or scalar has no value, or a shape does not fit.
    """
    lanes = {name: np.asarray(array)[np.newaxis] for name, array in tensors.items()}
    return np.asarray(evaluate_lanes(terms, free, Environment(lanes, numbers_of(sizes, parameters)))[0])


def run_program(
    program: Program,
    inputs: Mapping[str, Array],
    sizes: Mapping[sp.Symbol, int],
    parameters: Mapping[sp.Symbol, float] | None = None,
) -> dict[str, Array]:
    """Every tensor of the program, by name; a tensor already among `inputs` keeps the value given.

    Raises:
        LimitError: if a term has more than `GRID_LIMIT` grid points.
        ProgramError: if an input is missing or has another shape than its slots.
    """
    lanes = {name: np.asarray(array)[np.newaxis] for name, array in inputs.items()}
    return {name: array[0] for name, array in run_lanes(program, lanes, numbers_of(sizes, parameters)).items()}


def run_lanes(
    program: Program,
    given: Mapping[str, Array],
    numbers: Numbers,
    bumps: Mapping[str, Array] | None = None,
) -> dict[str, Array]:
    """Every tensor of the program, the lane axis first; tensors in `given` are not computed.

    `bumps` are added to tensors as they are computed: what a recurrence computes of a bumped entry follows from it,
    and an unknown is that for which the bumped residual is zero.
    """
    values = {tensor.name: read_input(tensor, given) for tensor in program.inputs}
    for _ in run_blocks(program, given, numbers, values, bumps or {}):
        pass
    return values


def read_input(tensor: Tensor, given: Mapping[str, Array]) -> Array:
    """The value given for an input.

    Raises:
        ProgramError: if there is none.
    """
    if tensor.name not in given:
        raise ProgramError(f"no value is given for the input {tensor.name}")
    return given[tensor.name]


def run_blocks(
    program: Program,
    given: Mapping[str, Array],
    numbers: Numbers,
    values: dict[str, Array],
    bumps: Mapping[str, Array],
) -> Iterator[tuple[Equation, ...]]:
    """The blocks of a program, each when its tensors are computed; `values` holds the inputs, and grows."""
    slots = (slot for tensor in program.tensors.values() for slot in tensor.slots)
    outside = any(is_compound(slot.extent) for slot in slots)
    for block in program.blocks:
        values.update({equation.name: given[equation.name] for equation in block if equation.name in given})
        computed = [equation for equation in block if equation.name not in given]
        env = Environment(values, numbers, outside=outside)
        unknowns = program.determined_by(block)
        if unknowns and all(unknown.name in given for unknown in unknowns):
            values.update({unknown.name: given[unknown.name] for unknown in unknowns})
        elif unknowns:
            run_system(program, block, env, values, bumps)
            computed = []
        run_group(program, computed, env, values, bumps)
        yield block


def run_group(
    program: Program,
    equations: Sequence[Equation],
    env: Environment,
    values: dict[str, Array],
    bumps: Mapping[str, Array],
) -> None:
    """Equations from what stands above them, those of a recurrence step by step; `values` are those of `env`."""
    recurrence = program.recurrence_by_name.get(equations[0].name) if equations else None
    if recurrence is not None:
        run_steps(equations, recurrence, env, values, bumps)
        return
    for equation in equations:
        with placed(equation.place):
            values[equation.name] = evaluate_lanes(equation.terms, equation.slots, env)
        if equation.name in bumps:
            values[equation.name] = values[equation.name] + bumps[equation.name]


def run_system(
    program: Program,
    block: Sequence[Equation],
    env: Environment,
    values: dict[str, Array],
    bumps: Mapping[str, Array],
) -> None:
    """Unknowns, and what their system computes from them; `values` are those of `env`, and grow.

    A bump of an unknown itself is added for those that read it after the system.
    """
    unknowns, groups = program.determined_by(block), program.steps_of(block)
    shapes = {one.name: tuple(size_of(slot, env.numbers) for slot in one.tensor.slots) for one in unknowns}
    given = {name: values[name] for name in sorted(read_in(tuple(block))) if name in values}
    moved = {equation.name: bumps[equation.name] for equation in block if equation.name in bumps}
    lanes = max((len(array) for array in (*given.values(), *moved.values())), default=1)

    def computed(found: Array) -> dict[str, Array]:
        """All tensors for some values of the unknowns; what is given is repeated where there are more of these."""
        times = len(found) // lanes
        here = {**repeated(given, times), **parted(found, shapes)}
        for group in groups:
            run_group(program, group, replace(env, tensors=here), here, repeated(moved, times))
        return here

    def residual(found: Array) -> Array:
        here = computed(found)
        return joint([here[unknown.residual] for unknown in unknowns])

    ways = ways_of([(unknown, program.definitions[unknown.residual]) for unknown in unknowns], env)
    found = root(residual, (sum(math.prod(shape) for shape in shapes.values()),), ways)
    values.update(computed(found))
    for name, value in parted(found, shapes).items():
        values[name] = value + bumps[name] if name in bumps else value


def ways_of(system: Sequence[tuple[Unknown, Equation]], env: Environment) -> Iterator[Steps]:
    """The ways in which a system may fall into steps: along a slot of each unknown and one of its residual.

    Of several unknowns, one comes after the other at each step.
    """
    count = len(system)
    ways = [list(ways_of_one(unknown, residual, env)) for unknown, residual in system]
    for found in islice(product(*ways), MOST_WAYS):
        rows = [way.rows * count + place for place, way in enumerate(found)]
        columns = [way.columns * count + place for place, way in enumerate(found)]
        yield Steps(np.concatenate(rows), np.concatenate(columns))


def ways_of_one(unknown: Unknown, residual: Equation, env: Environment) -> Iterator[Steps]:
    """The ways of one unknown: along a slot of it and one of its residual."""
    columns, rows = (steps_along(slots, env) for slots in (unknown.tensor.slots, residual.slots))
    pairs = product(zip(unknown.tensor.slots, columns, strict=True), zip(residual.slots, rows, strict=True))
    yield from (Steps(row, column) for (slot, column), (other, row) in pairs if slot.extent == other.extent)


def steps_along(slots: Sequence[Index], env: Environment) -> list[Array]:
    """For each slot, its value at every entry, row by row."""
    shape = tuple(size_of(slot, env.numbers) for slot in slots)
    return [np.asarray(places).reshape(-1) for places in np.indices(shape)]


def repeated(arrays: Mapping[str, Array], times: int) -> Mapping[str, Array]:
    """The lanes of arrays several times over, one set after the other; a single lane stands for all."""
    if times <= 1:
        return arrays
    return {
        name: array if len(array) == 1 else np.tile(array, (times, *(1,) * (array.ndim - 1)))
        for name, array in arrays.items()
    }


def run_steps(
    equations: Sequence[Equation],
    recurrence: Recurrence,
    env: Environment,
    values: dict[str, Array],
    bumps: Mapping[str, Array],
) -> None:
    """The equations of a recurrence, one step after another; `values` are those of `env`, and grow."""
    steps = size_of(recurrence.step(equations[0]), env.numbers)
    ordered = [one for name in recurrence.axes for one in equations if one.name == name]
    for equation in ordered:
        values[equation.name] = np.zeros((1, *(size_of(index, env.numbers) for index in equation.slots)))
    for step in range(steps) if recurrence.direction > 0 else reversed(range(steps)):
        for equation in ordered:
            axis = recurrence.axes[equation.name]
            rest = tuple(slot for slot in equation.slots if slot != recurrence.step(equation))
            with placed(equation.place):
                found = evaluate_lanes(at_step(equation.terms, recurrence.step(equation), step), rest, env)
            if equation.name in bumps:
                found = found + np.take(bumps[equation.name], step, axis=1 + axis)
            whole = values[equation.name]
            lanes = max(len(whole), len(found))
            kind = np.result_type(whole, found)
            if len(whole) != lanes or whole.dtype != kind:
                whole = np.broadcast_to(whole, (lanes, *whole.shape[1:])).astype(kind)
            whole = np.moveaxis(whole, 1 + axis, 0)
            whole[step] = found
            values[equation.name] = np.moveaxis(whole, 0, 1 + axis)


@lru_cache(maxsize=10_000)
def at_step(terms: Terms, index: Index, step: int) -> Terms:
    """The right side of an equation at one step."""
    return substitute(terms, {index: Affine((), sp.Integer(step))})


def evaluate_lanes(terms: Terms, free: Sequence[Index], env: Environment) -> Array:
    """The value of a sum of terms, as an array over the lanes and the free indices."""
    total: Array = np.zeros((1, *(size_of(index, env.numbers) for index in free)))
    for term in terms:
        total = total + closed_term(term, tuple(free), env)
    return total


def closed_term(term: Term, free: Grid, env: Environment) -> Array:
    """One term with its sums done; a free index that a sum hides is only broadcast."""
    if reads_beyond(term) and not env.outside:
        env = replace(env, outside=True)
    outer = tuple(index for index in free if index not in term.summed)
    grid = outer + term.summed
    unknown = [index.name for index in free_indices(term) if index not in grid]
    if unknown:
        raise ProgramError(f"the index {unknown[0]} is free, but is not among the indices asked for")
    factors: list[Array] = [np.full((1,) * (1 + len(grid)), number(term.coeff, env.numbers))]
    factors.extend(hidden_by_brackets(term.powers, grid, env))
    # Innermost sums first, each over the product of the factors that vary with its index: the others are constant.
    for place in range(len(grid), len(outer), -1):
        factors = summed_out(factors, place, size_of(grid[place - 1], env.numbers))
    total = multiplied(factors).reshape(-1, *(factors_length(factors, 1 + n) for n in range(len(outer))))
    sizes = tuple(size_of(index, env.numbers) for index in outer)
    full = np.broadcast_to(total, (total.shape[0], *sizes))
    hidden = tuple(1 + n for n, index in enumerate(free) if index in term.summed)
    return np.asarray(np.expand_dims(full, hidden))


@lru_cache(maxsize=10_000)
def reads_beyond(term: Term) -> bool:
    """Whether an expression stands in a slot, a delta or a bracket, or an index over an extent such as ``N - 1``."""
    return any(
        not isinstance(slot, Index) or is_compound(slot.extent) for base in walk(term) for slot in own_slots(base)
    )


def summed_out(factors: Sequence[Array], place: int, size: int) -> list[Array]:
    """``sum_i a f_i g_i = a (sum_i f_i g_i)``: one axis of a product summed."""
    varying = [factor for factor in factors if factor.shape[place] != 1]
    constant = [factor for factor in factors if factor.shape[place] == 1]
    if not varying:
        return [*constant, np.full((1,) * constant[0].ndim, float(size))]
    return [*constant, np.asarray(multiplied(varying).sum(axis=place, keepdims=True))]


def multiplied(factors: Sequence[Array]) -> Array:
    """The product of arrays on one grid.

    Raises:
        LimitError: if it has more than `GRID_LIMIT` grid points.
    """
    points = math.prod(factors_length(factors, place) for place in range(factors[0].ndim))
    if points > GRID_LIMIT:
        raise LimitError(f"a term has {points} grid points; the limit is {GRID_LIMIT}")
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return np.asarray(result)


def factors_length(factors: Sequence[Array], place: int) -> int:
    """The length of an axis of the product of arrays."""
    return next((factor.shape[place] for factor in factors if factor.shape[place] != 1), 1)


def product_on(term: Term, grid: Grid, env: Environment) -> Array:
    """The product of the factors, before any sum, broadcastable to the grid."""
    result: Array = np.full((1,) * (1 + len(grid)), number(term.coeff, env.numbers))
    for factor in hidden_by_brackets(term.powers, grid, env):
        result = result * factor
    return result


def hidden_by_brackets(powers: Sequence[Power], grid: Grid, env: Environment) -> list[Array]:
    """The factors; where a delta or bracket is zero, what has no finite value counts as zero."""
    hides = any(isinstance(base, Delta | Iverson) and not base.is_plain for base, _ in powers)
    with np.errstate(divide="ignore", invalid="ignore") if hides else nullcontext():
        factors = [powered(base, exponent, grid, env) for base, exponent in powers]
    brackets = [f for f, (base, _) in zip(factors, powers, strict=True) if isinstance(base, Delta | Iverson)]
    if not brackets or all(np.all(np.isfinite(factor)) for factor in factors):
        return factors
    shown = reduce(np.multiply, brackets)
    return [factor if np.all(np.isfinite(factor)) else np.where(shown != 0, factor, 0.0) for factor in factors]


def powered(base: Base, exponent: sp.Expr, grid: Grid, env: Environment) -> Array:
    """One factor with its exponent, broadcastable to the grid."""
    value = base_on(base, grid, env)
    return value if exponent == 1 else np.asarray(np.power(value, number(exponent, env.numbers)))


def base_on(base: Base, grid: Grid, env: Environment) -> Array:
    """One factor on the grid: the lane axis, then one axis an index, of length 1 where it does not vary."""
    match base:
        case Access(tensor, slots):
            if tensor not in env.tensors:
                raise ProgramError(f"no value is given for the tensor {tensor}")
            return read(tensor, env.tensors[tensor], slots, grid, env)
        case Delta(left, right):
            return np.asarray(places_of(left, grid, env) == places_of(right, grid, env))[np.newaxis] * 1.0
        case Iverson(left, relation, right):
            compare = {"<": np.less, "<=": np.less_equal, "!=": np.not_equal}[relation]
            holds = compare(places_of(left, grid, env), places_of(right, grid, env))
            return np.asarray(holds)[np.newaxis] * 1.0
        case Fn(name, args):
            return np.asarray(numeric_of(name).compute(*(body_on(arg, grid, env) for arg in args)))
        case Add(terms):
            return body_on(terms, grid, env)
        case MatrixFunction(tensor, slots):
            if tensor not in env.tensors:
                raise ProgramError(f"no value is given for the tensor {tensor}")
            return read(base.word, OF_MATRICES[base.word](env.tensors[tensor]), slots, grid, env)
        case Partial(of, wrt):
            if base not in env.partials:
                raise ProgramError(f"no value is given for the derivative {base}")
            return read("a derivative", env.partials[base], (*free_indices(of), *wrt.slots), grid, env)


def body_on(terms: Terms, grid: Grid, env: Environment) -> Array:
    """Sum-free terms added up on the grid."""
    total: Array = np.zeros((1,) * (1 + len(grid)))
    for term in terms:
        total = total + product_on(term, grid, env)
    return total


def axis(index: Index, grid: Grid, numbers: Numbers) -> Array:
    """0, 1, 2, ... along the axis of `index`, of length 1 along all others."""
    shape = [1] * len(grid)
    shape[grid.index(index)] = -1
    return np.arange(size_of(index, numbers)).reshape(shape)


def places_of(slot: Slot, grid: Grid, env: Environment) -> Array:
    """The values of what a slot holds, broadcastable to the grid."""
    if isinstance(slot, Index):
        return axis(slot, grid, env.numbers)
    if isinstance(slot, Lookup):
        if slot.tensor not in env.tensors:
            raise ProgramError(f"no value is given for the tensor {slot.tensor}")
        looked_up = env.tensors[slot.tensor]
        shape = np.broadcast_shapes((1,) * len(grid), *(places_of(inner, grid, env).shape for inner in slot.slots))
        # What brackets hide may lie outside.
        sizes = zip(slot.slots, looked_up.shape[1:], strict=True)
        found = looked_up[(0, *(np.clip(places_of(inner, grid, env), 0, size - 1) for inner, size in sizes))]
        return np.asarray(np.rint(found.real), dtype=np.int64).reshape(shape)
    total: Array = np.full((1,) * len(grid), round(number(slot.const, env.numbers)))
    for atom, coeff in slot.parts:
        total = total + round(number(coeff, env.numbers)) * places_of(atom, grid, env)
    return total


def read(name: str, array: Array, slots: Sequence[Slot], grid: Grid, env: Environment) -> Array:
    """The entries at the slots' values; an index in two slots reads the diagonal, and what is outside reads as zero.

    Brackets hide what is outside; that it is zero, and not another entry, is what code with padding has as well.
    """
    sizes = array.shape[1:]
    expected = tuple(
        size_of(slot, env.numbers) if isinstance(slot, Index) else size
        for slot, size in zip(slots, sizes, strict=False)
    )
    if len(sizes) != len(slots) or (sizes != expected and not env.outside):
        raise ProgramError(f"{name} has shape {array.shape[1:]}, but its slots have sizes {expected}")
    if not slots:
        return array.reshape(array.shape[0], *(1,) * len(grid))
    places: list[Any] = [places_of(slot, grid, env) for slot in slots]
    if sizes == expected and all(isinstance(slot, Index) for slot in slots):
        return np.asarray(array[(slice(None), *places)])
    inside = [(at >= 0) & (at < size) for at, size in zip(places, sizes, strict=True)]
    held: list[Any] = [np.clip(at, 0, size - 1) for at, size in zip(places, sizes, strict=True)]
    hidden = ~reduce(np.logical_and, inside)
    found = array[(slice(None), *held)]
    return np.where(hidden[np.newaxis], 0.0, found) if hidden.any() else np.asarray(found)
