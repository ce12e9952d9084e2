"""Extents as written, products and sums of names and whole numbers, and as the algebra has them."""

from __future__ import annotations

from math import prod

import sympy as sp

Extent = tuple[str | int | sp.Expr, ...]
"""The factors of an extent: ``N_H*D_h`` is ``("N_H", "D_h")``; a sum such as ``N - K + 1`` is one factor."""


def extent_symbol(name: str) -> sp.Symbol:
    """The symbol of a named extent: a positive whole number."""
    return sp.Symbol(name, positive=True, integer=True)


def extent_value(extent: Extent) -> sp.Expr:
    """The product of the factors."""
    whole = prod(factor for factor in extent if isinstance(factor, int))
    sums = (factor for factor in extent if isinstance(factor, sp.Expr))
    return sp.Mul(sp.Integer(whole), *(extent_symbol(factor) for factor in extent if isinstance(factor, str)), *sums)


def as_extent(value: sp.Expr) -> Extent:
    """The factors of a product; anything else is one factor."""
    return extent_factors(value) or (value,)


def extent_factors(value: sp.Expr) -> tuple[str | int, ...] | None:
    """The factors of a product of symbols and a positive whole number; None for anything else."""
    factors: list[str | int] = []
    for factor in sp.Mul.make_args(value):
        base, exponent = factor.as_base_exp()
        if factor.is_Integer and factor > 0:
            factors.append(int(factor))
        elif base.is_Symbol and exponent.is_Integer and exponent > 0:
            factors.extend([base.name] * int(exponent))
        else:
            return None
    return tuple(factors)


def quotient(whole: sp.Expr, part: sp.Expr) -> sp.Expr | None:
    """``whole / part`` if that is an extent again: a product of names and a whole number, greater than one."""
    ratio = whole / part
    return ratio if ratio != 1 and extent_factors(ratio) is not None else None


def common_split(left: tuple[sp.Expr, ...], right: tuple[sp.Expr, ...]) -> tuple[sp.Expr, ...] | None:
    """The coarsest list of extents of which both lists are groupings, first part slowest; None if there is none.

    ``(A, B*C)`` and ``(A*B, C)`` have ``(A, B, C)``; ``(A, B)`` and ``(B, A)`` have none.
    """
    lefts, rights, parts = [*left], [*right], []
    while lefts and rights:
        one, other = lefts.pop(0), rights.pop(0)
        if one == other:
            parts.append(one)
        elif (more := quotient(other, one)) is not None:
            parts.append(one)
            rights.insert(0, more)
        elif (more := quotient(one, other)) is not None:
            parts.append(other)
            lefts.insert(0, more)
        else:
            return None
    # What is left over can only be parts of extent 1.
    rest = (*lefts, *rights)
    return None if any(part != 1 for part in rest) else (*parts, *rest)
