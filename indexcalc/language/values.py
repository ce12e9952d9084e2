"""Scalars: exact arithmetic on coefficients that stays finite, real and of bounded size."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from indexcalc.errors import LimitError, ProgramError

BIT_LIMIT = 4_096
"""The most bits of the numerator and denominator of a coefficient together."""

EXPONENT_LIMIT = 1_000
"""The largest numerator or denominator of an exponent."""

TOWER_LIMIT = 4
"""The largest exponent of a power that stands in an exponent itself."""

GROWTH_LIMIT = 700
"""The largest number that exp may be applied to, as far as floating point goes."""

SCALAR_FUNCTIONS: dict[str, Callable[[sp.Expr], sp.Expr]] = {
    "exp": sp.exp,
    "log": sp.log,
    "sin": sp.sin,
    "cos": sp.cos,
    "tanh": sp.tanh,
    "abs": sp.Abs,
}
"""The pointwise functions that have a scalar of their own; others stay functions of a constant."""


def checked(value: sp.Expr) -> sp.Expr:
    """The scalar itself, if it is a real number of bounded size, or may be one.

    Raises:
        ProgramError: for a division by zero or a number that is not real.
        LimitError: for a number too long.
    """
    if value.is_Rational:
        if value.p.bit_length() + value.q.bit_length() > BIT_LIMIT:
            raise LimitError(f"a number with more than {BIT_LIMIT} bits")
        return value
    if value.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
        raise ProgramError("this scalar is not finite: a division by zero, or the logarithm of zero")
    if value.has(sp.I) or value.is_real is False:
        raise ProgramError(f"the scalar {value} is not a real number")
    return value


def raised(base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
    """``base**exponent``, after a look at how long the result would be."""
    check_exponent(exponent)
    if base.is_Rational and exponent.is_Rational:
        bits = base.p.bit_length() + base.q.bit_length()
        if bits * abs(exponent) > BIT_LIMIT:
            raise LimitError(f"a power with more than {BIT_LIMIT} bits")
    return checked(base**exponent)


def check_exponent(exponent: sp.Expr) -> None:
    """Reject exponents that no one means."""
    if exponent.is_Rational and max(abs(exponent.p), exponent.q) > EXPONENT_LIMIT:
        raise LimitError(f"the exponent {exponent} is beyond {EXPONENT_LIMIT}")
    for inner in exponent.atoms(sp.Pow):
        if not inner.exp.is_number or abs(inner.exp) > TOWER_LIMIT:
            raise LimitError(
                f"the power {inner} in an exponent: it has no digits that a computer can hold; "
                f"in an exponent a power is at most the {TOWER_LIMIT}th"
            )


def applied(function: str, value: sp.Expr) -> sp.Expr:
    """A function of a scalar."""
    if not value.free_symbols and function == "exp" and abs(float(value)) > GROWTH_LIMIT:
        raise LimitError(f"exp of a number beyond {GROWTH_LIMIT}")
    return checked(SCALAR_FUNCTIONS[function](value))
