"""Scalars as a textbook writes them: ``1/sqrt(2*pi)``, ``(N - K)//2 + 1``; SymPy's own form is another one."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter


def ratio(one: sp.Expr, other: sp.Expr) -> sp.Expr:
    """What is left of one scalar divided by another: ``(1 - 1/sqrt(M)) / (1/sqrt(M) - 1)`` is -1 for every M, not 0/0.

    SymPy multiplies numbers into a sum, and then no longer sees that it divides the sum by itself.
    """
    if not (one.has(sp.Add) and other.has(sp.Add)):
        return one / other
    (number, rest), (divisor, others) = number_and_rest(one), number_and_rest(other)
    return number / divisor * (rest / others)


def number_and_rest(value: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The number that a scalar is a multiple of, sums among its factors included, and the rest."""
    number, rest = sp.S.One, sp.S.One
    for factor in sp.Mul.make_args(value):
        base, exponent = factor.as_base_exp()
        if factor.is_Rational:
            number = number * factor
        elif base.is_Add and exponent.is_Integer:
            content, primitive = base.primitive()
            if primitive.could_extract_minus_sign():
                content, primitive = -content, -primitive
            number, rest = number * content**exponent, rest * primitive**exponent
        else:
            rest = rest * factor
    return number, rest


def as_fraction(value: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What stands above and below the line: roots of numbers in one root below, if a whole number is left above.

    ``sqrt(2)/2`` is 1 over ``sqrt(2)``, ``sqrt(2)/(2*sqrt(pi))`` is 1 over ``sqrt(2*pi)``.
    """
    above, below = value.as_numer_denom()
    number, roots = sp.S.One, False
    for factor in sp.Mul.make_args(above):
        number, roots = number * factor, roots or bool(factor.is_Pow)
    whole, rest = below.as_coeff_Mul()
    square = (number / whole) ** 2
    if not (roots and number.is_number and square.is_Rational):
        return above, below
    top = sp.sqrt(square.p) * sp.sign(number)
    if not top.is_Integer:
        return above, below
    inside, outside = sp.Integer(square.q), []
    for factor in sp.Mul.make_args(rest):
        if factor.is_Pow and factor.exp == sp.S.Half:
            inside = inside * factor.base
        else:
            outside.append(factor)
    # Unevaluated: SymPy would part the root again.
    root = sp.Pow(inside, sp.S.Half, evaluate=False)
    return top, sp.Mul(*outside, root, evaluate=False) if outside != [sp.S.One] and outside else root


def is_turned(value: sp.Expr) -> bool:
    """Whether the fraction has another form than SymPy's."""
    return bool(value.is_Mul and as_fraction(value) != value.as_numer_denom())


def rounded_fraction(value: sp.floor) -> tuple[sp.Expr, sp.Expr]:
    """What is divided, and by which whole number, before it is rounded down."""
    above, below = sp.fraction(sp.together(value.args[0]))
    return sp.expand(above), below


def signed_summands(scalar: sp.Expr) -> list[tuple[bool, sp.Expr]]:
    """What a scalar adds up, without signs: extents by name, then the number."""
    ordered = sorted(sp.Add.make_args(scalar), key=lambda part: (bool(part.is_number), str(part)))
    signs = [(bool(part.could_extract_minus_sign()), part) for part in ordered if part != 0]
    return [(minus, -part if minus else part) for minus, part in signs]


def put_together(
    parts: list[tuple[bool, str]], constants: list[tuple[bool, str]], minus_sign: str, plus_sign: str
) -> str:
    """A sum in writing: what is added, what is taken away, the number last; the number first where all else is less."""
    symbols, numbers = constants, constants[:0]
    if constants and constants[-1][1].isdecimal():
        symbols, numbers = constants[:-1], constants[-1:]
    first = numbers if not any(not minus for minus, _ in (*symbols, *parts)) else []
    last = [] if first else numbers
    every = [
        *first,
        *(part for part in symbols if not part[0] and not parts),
        *(part for part in parts if not part[0]),
        *(part for part in symbols if not part[0] and parts),
        *(part for part in (*symbols, *parts) if part[0]),
        *last,
    ]
    if not every:
        return "0"
    lead = minus_sign.strip() if every[0][0] else ""
    return lead + every[0][1] + "".join((minus_sign if minus else plus_sign) + text for minus, text in every[1:])


class WithSums:
    """A printer of SymPy's that writes sums of extents as `put_together` does: N - K + 1, not -K + N + 1."""

    def _print_Add(self, expr: sp.Add, order: str | None = None) -> str:  # noqa: N802 (SymPy looks for this name)
        printer: Any = super()
        text = str(printer._print_Add(expr, order))
        if text.startswith("-") and all(symbol.is_positive for symbol in expr.free_symbols):
            parts = [(minus, printer._print(part)) for minus, part in signed_summands(expr)]
            return put_together([], parts, " - ", " + ")
        return text


class ScalarPrinter(WithSums, StrPrinter):  # type: ignore[misc]
    """SymPy's printer with fractions and rounded quotients as here, and ``^`` for powers."""

    def parenthesize(self, item: sp.Expr, level: int, strict: bool = False) -> str:
        """What stands in a product or a power; ``2*(N//2)`` is not ``2*N//2``."""
        text = str(super().parenthesize(item, level, strict))
        return f"({text})" if isinstance(item, sp.floor) else text

    def _print_floor(self, expr: sp.floor) -> str:
        above, below = rounded_fraction(expr)
        return f"{self.parenthesize(above, PRECEDENCE['Mul'])}//{below}"

    def _print_Mul(self, expr: sp.Mul) -> str:  # noqa: N802 (SymPy looks for this name)
        if is_turned(expr):
            above, below = as_fraction(expr)
            text = self._print(below)
            return f"{above}/({text})" if below.is_Mul else f"{above}/{text}"
        return str(super()._print_Mul(expr))

    def doprint(self, expr: sp.Expr) -> str:
        """The scalar in one line."""
        return str(super().doprint(expr)).replace("**", "^")


def scalar_str(value: sp.Expr) -> str:
    """A scalar in plain text."""
    return ScalarPrinter().doprint(value)
