"""Scalar SymPy expressions as Python source: plain floats, so that arrays keep their dtype.

NumPy scalars such as ``np.sqrt(d)`` are float64 and would promote a float32 array; ``d**0.5`` is a
Python float and does not.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from indexcalc.algebra.build import is_negative
from indexcalc.algebra.scalars import rounded_fraction
from indexcalc.codegen.source import Atom, Binary, Call, Node, chain, negated, product_of, signed_sum
from indexcalc.errors import UnsupportedError

Symbols = Mapping[sp.Symbol, str]

FUNCTIONS = {
    "exp": "np.exp", "log": "np.log", "sin": "np.sin", "cos": "np.cos", "tan": "np.tan", "tanh": "np.tanh",
    "sinh": "np.sinh", "cosh": "np.cosh", "atan": "np.arctan", "Abs": "np.abs",
}  # fmt: skip
LARGEST = 2**53
"""The largest whole number that is written as one: beyond, a float does not hold all of them."""

CONSTANTS = {sp.pi: "np.pi", sp.E: "np.e", sp.oo: "np.inf"}


def scalar_node(value: sp.Expr, symbols: Symbols) -> Node:
    """The scalar as a Python expression.

    Raises:
        UnsupportedError: for a symbol without a name or a function that NumPy lacks.
    """
    if value.is_Number or value in CONSTANTS:
        return number_node(value)
    if isinstance(value, sp.Symbol):
        if value not in symbols:
            raise UnsupportedError(f"the scalar {value} has no value in generated code: declare it as a parameter")
        return Atom(symbols[value])
    if isinstance(value, sp.Add):
        signs = [(is_negative(part), part) for part in value.as_ordered_terms()]
        return signed_sum([(minus, scalar_node(-part if minus else part, symbols)) for minus, part in signs])
    if isinstance(value, sp.Mul):
        if is_negative(value):
            return negated(scalar_node(-value, symbols))
        factors, divisors = split_scalar(value, symbols)
        return product_of(factors, divisors)
    if isinstance(value, sp.floor):
        above, below = rounded_fraction(value)
        return Binary("//", scalar_node(above, symbols), scalar_node(below, symbols))
    if isinstance(value, sp.exp):
        return Call("float", (Call("np.exp", (scalar_node(value.exp, symbols),)),))
    if isinstance(value, sp.Pow):
        if value.exp.could_extract_minus_sign():
            return Binary("/", Atom("1"), scalar_node(1 / value, symbols))
        return Binary("**", scalar_node(value.base, symbols), scalar_node(value.exp, symbols))
    name = FUNCTIONS.get(value.func.__name__)
    if name is None or len(value.args) != 1:
        raise UnsupportedError(f"the scalar {value} cannot be written in NumPy")
    return Call("float", (Call(name, (scalar_node(value.args[0], symbols),)),))


def number_node(value: sp.Expr) -> Node:
    """A number or constant: short decimals as such, other fractions as a quotient."""
    if value in CONSTANTS:
        return Atom(CONSTANTS[value])
    if isinstance(value, sp.Integer):
        return whole(value)
    if isinstance(value, sp.Rational):
        if is_short_decimal(value):
            return Atom(decimal(value))
        return Binary("/", whole(value.p), whole(value.q))
    return Atom(decimal(value))


def whole(value: sp.Expr | int) -> Node:
    """A whole number; as a float where array libraries have no integer of its size."""
    return Atom(str(value) if abs(value) <= LARGEST else decimal(sp.Integer(value)))


def decimal(value: sp.Expr) -> str:
    """A number as a float is written, its exponent without a plus sign."""
    return repr(float(value)).replace("e+", "e")


def is_short_decimal(value: sp.Rational) -> bool:
    """Whether the fraction is exactly the decimal that its float prints as."""
    return bool(sp.Rational(repr(float(value))) == value)


def split_scalar(value: sp.Expr, symbols: Symbols) -> tuple[list[Node], list[Node]]:
    """A positive-looking scalar as ``(factors, divisors)``; one is no factor at all.

    A root stands where it is shortest: ``sqrt(2)/2`` divides by ``2**0.5``.
    """
    root, rest = root_and_rest(value)
    factors, divisors = (rooted(square) for square in sp.fraction(root**2))
    for part in sp.Mul.make_args(rest):
        if part == 1:
            continue
        if isinstance(part, sp.Rational) and not isinstance(part, sp.Integer) and not is_short_decimal(part):
            if part.p != 1:
                factors.append(whole(part.p))
            divisors.append(whole(part.q))
        elif isinstance(part, sp.Pow) and part.exp.could_extract_minus_sign():
            divisors.append(scalar_node(1 / part, symbols))
        else:
            factors.append(scalar_node(part, symbols))
    return factors, divisors


def root_and_rest(value: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """``(root, value / root)``: the constant factors, if there is a square root among them, else 1."""
    constants = [part for part in sp.Mul.make_args(value) if part.is_Rational or is_root(part)]
    if not any(map(is_root, constants)):
        return sp.S.One, value
    root = sp.Mul(*constants)
    return root, value / root


def is_root(value: sp.Expr) -> bool:
    """Whether the scalar is ``n**(1/2)`` or its inverse, of a positive number or of pi."""
    return (
        isinstance(value, sp.Pow)
        and abs(value.exp) == sp.S.Half
        and (value.base is sp.pi or bool(value.base.is_Rational and value.base.is_positive))
    )


def rooted(square: sp.Expr) -> list[Node]:
    """The square root of a whole number times powers of pi, as a whole factor and a root."""
    number, rest = square.as_coeff_Mul()
    whole, inner = sp.sqrt(number).as_coeff_Mul()
    under = [number_node(part) for part in (inner**2, rest) if part != 1]
    root = [Binary("**", product_of(under, []), Atom("0.5"))] if under else []
    return [*([number_node(whole)] if whole != 1 else []), *root]


def product_of_extents(extents: list[sp.Expr], symbols: Symbols) -> Node:
    """The size of several axes merged into one."""
    return chain("*", [scalar_node(extent, symbols) for extent in extents])
