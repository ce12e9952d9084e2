"""The values of a sheet's expressions: exactly, from the model, and as intervals, from the digits shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from indexcalc.errors import UnsupportedError
from indexcalc.figures.intervals import Interval, applied, inverse, minus, plus, point, power, times
from indexcalc.figures.naming import Names, UnknownNameError
from indexcalc.figures.nodes import Call, Dots, Figure, Name, Node, Power, Product, Rows, Sum
from indexcalc.proof.numeric import Array, numeric_of

READINGS_LIMIT = 8
"""The most readings of products of arrays that are tried."""

ALL = Interval(-np.inf, np.inf)


class NotEvaluatedError(Exception):
    """An expression without a value; the text says why. Caught where a claim is judged."""


def value_of_name(name: Name, names: Names) -> Array | None:
    """The exact value of a name; None if it is a number of the sheet's own that is known by its figures only.

    Raises:
        NotEvaluatedError: if the name has no meaning.
    """
    local = names.locals.get(name.base)
    if local is not None and local.meaning is None and not name.gradient:
        return local_value(name, local.value)
    try:
        return names.meaning(name).values
    except UnknownNameError as error:
        raise NotEvaluatedError(str(error)) from error


def local_value(name: Name, value: Array | None) -> Array | None:
    """An entry of a name that the sheet introduced."""
    if value is None or not name.places:
        return value
    try:
        return np.asarray(value[tuple(slice(None) if place is None else place for place in name.places)])
    except IndexError as error:
        raise NotEvaluatedError(f"{name.text}: the index is out of range") from error


def interval(node: Node, operand: Callable[[Figure], Interval], names: Names) -> Interval:
    """Where a scalar expression lies if each figure lies in the interval of its operand.

    Raises:
        NotEvaluatedError: for a name without a meaning, an array, a sum with dots.
    """
    match node:
        case Figure():
            return operand(node)
        case Name():
            value = value_of_name(node, names)
            if value is None:
                raise NotEvaluatedError(f"{node.text} is known by its figures only")
            scalar = names.scalar(node) if value.size != 1 else None
            value = scalar.values if scalar is not None else value
            if value.size != 1:
                raise NotEvaluatedError(f"{node.text} is an array here")
            return point(float(value.reshape(())))
        case Sum(terms):
            total = point(0.0)
            for sign, term in terms:
                part = interval(term, operand, names)
                total = plus(total, part if sign > 0 else minus(part))
            return total
        case Product(factors):
            result = point(1.0)
            for side, factor in factors:
                part = interval(factor, operand, names)
                result = times(result, part if side > 0 else inverse(part))
            return result
        case Power(base, exponent):
            return power(interval(base, operand, names), interval(exponent, operand, names))
        case Call(function, arguments):
            return called(function, [interval(argument, operand, names) for argument in arguments])
        case Dots():
            raise NotEvaluatedError("dots stand for some terms")
        case Rows():
            raise NotEvaluatedError("a list stands among numbers")


def called(function: str, arguments: list[Interval]) -> Interval:
    """A function of intervals.

    Raises:
        NotEvaluatedError: for a wrong number of arguments.
    """
    if function in ("max", "min"):
        best = max if function == "max" else min
        return Interval(best(a.low for a in arguments), best(a.high for a in arguments))
    if len(arguments) != 1:
        raise NotEvaluatedError(f"{function} of {len(arguments)} arguments")
    if function == "sqrt":
        return power(arguments[0], point(0.5)) if arguments[0].low >= 0 else ALL
    try:
        return applied(function, arguments[0])
    except UnsupportedError as error:
        raise NotEvaluatedError(str(error)) from error


def readings(node: Node, exact: Callable[[Figure], float | None], names: Names) -> list[Array]:
    """The exact values that an expression of arrays may have: a product of arrays is one by matrices or by entries.

    Raises:
        NotEvaluatedError: if it has no value.
    """
    found = list(values(node, exact, names))[:READINGS_LIMIT]
    if not found:
        raise NotEvaluatedError("the shapes do not fit")
    return found


def values(node: Node, exact: Callable[[Figure], float | None], names: Names) -> Iterator[Array]:
    """The possible exact values, one after the other."""
    match node:
        case Figure():
            value = exact(node)
            if value is None:
                raise NotEvaluatedError(f"what {node.text} rounds is not known")
            yield np.asarray(float(value))
        case Name():
            array = value_of_name(node, names)
            if array is None:
                raise NotEvaluatedError(f"{node.text} is known by its figures only")
            yield np.asarray(array, dtype=float)
        case Sum(terms):
            yield from combined([(sign, readings(term, exact, names)) for sign, term in terms], added)
        case Product(factors):
            sides = [(side, readings(factor, exact, names)) for side, factor in factors]
            yield from combined(sides, multiplied)
        case Power(base, exponent):
            for array in readings(base, exact, names):
                for raised in readings(exponent, exact, names):
                    yield np.asarray(quiet(np.power, array, raised))
        case Call(function, arguments):
            yield from function_values(function, [readings(argument, exact, names) for argument in arguments])
        case Dots():
            raise NotEvaluatedError("dots stand for some terms")
        case Rows():
            raise NotEvaluatedError("a list stands in a formula")


def function_values(function: str, arguments: list[list[Array]]) -> Iterator[Array]:
    """A function of arrays, entry by entry."""
    if function in ("max", "min"):
        best = np.maximum if function == "max" else np.minimum
        result = arguments[0][0]
        for argument in arguments[1:]:
            result = best(result, argument[0])
        yield np.asarray(result)
        return
    if len(arguments) != 1:
        raise NotEvaluatedError(f"{function} of {len(arguments)} arguments")
    for array in arguments[0]:
        yield np.asarray(quiet(np.sqrt if function == "sqrt" else numeric_of(function).compute, array))


def quiet(function: Callable[..., Array], *arguments: Array) -> Array:
    """A function without warnings; where it is undefined there is no number."""
    with np.errstate(all="ignore"):
        return np.asarray(function(*arguments))


def combined(sides: list[tuple[int, list[Array]]], join: Callable[[Array, int, Array], list[Array]]) -> Iterator[Array]:
    """All readings of a sum or a product, from the left."""
    sign, first = sides[0]
    results = [array for start in first for array in join(np.asarray(0.0 if join is added else 1.0), sign, start)]
    for sign, options in sides[1:]:
        results = [joined for left in results for right in options for joined in join(left, sign, right)]
        results = results[:READINGS_LIMIT]
    yield from results


def added(left: Array, sign: int, right: Array) -> list[Array]:
    """A sum, if the shapes fit."""
    try:
        return [quiet(np.add, left, sign * right)]
    except ValueError:
        return []


def multiplied(left: Array, side: int, right: Array) -> list[Array]:
    """A product by matrices and by entries, as far as the shapes fit."""
    if side < 0:
        right = quiet(np.reciprocal, right)
    found: list[Array] = []
    if left.ndim and right.ndim and left.shape[-1] == right.shape[0 if right.ndim == 1 else -2]:
        found.append(quiet(np.matmul, left, right))
    if left.ndim == 1 and right.ndim == 1:
        found.append(quiet(np.outer, left, right))
    try:
        found.append(quiet(np.multiply, left, right))
    except ValueError:
        return found
    return found
