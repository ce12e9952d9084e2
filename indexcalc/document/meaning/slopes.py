"""Derivatives of meanings by the rules, for proofs; evaluation never uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy as sp

from indexcalc.calculus.pointwise import F, X, row_of
from indexcalc.document.meaning.nodes import (
    ONE,
    ZERO,
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
    Plus,
    Raised,
    Relation,
    Stacked,
    Times,
    Total,
    Value,
    bound_in,
    children,
    pair,
    rebuilt,
    renamed,
    same,
    times,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.meaning.unknown import is_unknown, primed
from indexcalc.errors import LimitError, UnsupportedError

Inside = Callable[[Entry], Meaning | None]
"""The derivative of an entry of another tensor; None if it is constant."""

NODE_LIMIT = 3_000
"""The most nodes of a derivative that is written out for a proof."""


def refreshed(node: Meaning, sizes: Sizes, names: Mapping[Ix, Ix] | None = None) -> Meaning:
    """The expression with every bound index variable replaced by a new one of its size; `names` are those around."""
    names = names or {}
    own = {index: sizes.like(index) for index in bound_in(node)}
    match node:
        case Total(body=body):
            return Total(tuple(own.values()), refreshed(body, sizes, {**names, **own}))
        case Inverse(body, axes, slots) | Exponential(body, axes, slots) | Cholesky(body, axes, slots):
            return type(node)(refreshed(body, sizes, {**names, **own}), pair(axes, own), pair(slots, names))
        case Determinant(body, axes):
            return Determinant(refreshed(body, sizes, {**names, **own}), pair(axes, own))
        case Gathered(body, axes, places):
            apart = tuple(refreshed(place, sizes, names) for place in places)
            return Gathered(refreshed(body, sizes, {**names, **own}), tuple(own[axis] for axis in axes), apart)
        case Stacked(slot, axes, bodies):
            within = {**names, **own}
            parts = tuple(refreshed(body, sizes, within) for body in bodies)
            return Stacked(names.get(slot, slot), tuple(own[axis] for axis in axes), parts)
    if not children(node):
        return renamed(node, names) if names else node
    return rebuilt(node, lambda inner: refreshed(inner, sizes, names))


def placed(definition: Definition, slots: Sequence[Ix], sizes: Sizes) -> Meaning:
    """The expression of a definition at other slots, with dummies of its own."""
    return renamed(refreshed(definition.body, sizes), dict(zip(definition.slots, slots, strict=True)))


def slope(node: Meaning, wrt: Entry, sizes: Sizes, inside: Inside) -> Meaning:
    """The derivative of `node` by the entry `wrt`.

    Args:
        node: what is differentiated.
        wrt: the entry, at index variables that nothing in `node` binds.
        sizes: the sizes; new dummies are made here.
        inside: the derivative of an entry of another tensor; None if it is constant.

    Raises:
        LimitError: if the result is longer than `NODE_LIMIT`.
        UnsupportedError: for a derivative of a derivative, or a power that is not constant.
    """
    match node:
        case Entry(name, slots) if name == wrt.name:
            return product_of([same(a, b) for a, b in zip(slots, wrt.slots, strict=True)])
        case Entry():
            return inside(node) or ZERO
        case Plus(terms):
            return total([slope(term, wrt, sizes, inside) for term in terms])
        case Times(factors):
            return of_product(factors, wrt, sizes, inside)
        case Raised(base, exponent):
            return of_power(base, exponent, wrt, sizes, inside)
        case Applied(name, argument):
            inner = slope(argument, wrt, sizes, inside)
            return ZERO if inner == ZERO else bounded(times(from_row(name, refreshed(argument, sizes)), inner))
        case Total(indices, body):
            inner = slope(body, wrt, sizes, inside)
            return refreshed(Total(indices, inner), sizes) if inner != ZERO else ZERO
        case Inverse() | Exponential() | Cholesky() | Determinant():
            return of_matrix(node, wrt, sizes, inside)
        case Stacked(slot, axes, bodies):
            inners = tuple(slope(body, wrt, sizes, inside) for body in bodies)
            return refreshed(Stacked(slot, axes, inners), sizes) if set(inners) != {ZERO} else ZERO
        case Gathered(body, axes, places):
            inner = slope(body, wrt, sizes, inside)
            return refreshed(Gathered(inner, axes, places), sizes) if inner != ZERO else ZERO
        case Derivative():
            raise UnsupportedError("the derivative of a derivative")
        case _:
            return ZERO


def product_of(factors: list[Meaning]) -> Meaning:
    """The product; zero if a factor is."""
    return ZERO if ZERO in factors else times(*factors)


def of_product(factors: tuple[Meaning, ...], wrt: Entry, sizes: Sizes, inside: Inside) -> Meaning:
    """(f g)' = f' g + f g'."""
    parts: list[Meaning] = []
    for n, factor in enumerate(factors):
        inner = slope(factor, wrt, sizes, inside)
        if inner != ZERO:
            rest = tuple(refreshed(other, sizes) for other in (*factors[:n], *factors[n + 1 :]))
            parts.append(times(*rest, inner))
            bounded(total(parts))
    return total(parts)


def of_power(base: Meaning, exponent: Meaning, wrt: Entry, sizes: Sizes, inside: Inside) -> Meaning:
    """(f^n)' = n f^(n-1) f'.

    Raises:
        UnsupportedError: if the exponent is no number.
    """
    inner = slope(base, wrt, sizes, inside)
    if inner == ZERO:
        return ZERO
    if not isinstance(exponent, Number):
        raise UnsupportedError("the derivative of a power with a variable exponent")
    lowered = Raised(refreshed(base, sizes), Number(exponent.value - 1))
    return bounded(times(exponent, lowered, inner))


def of_matrix(
    node: Inverse | Exponential | Cholesky | Determinant, wrt: Entry, sizes: Sizes, inside: Inside
) -> Meaning:
    """``d(M^-1) = -M^-1 dM M^-1`` and ``d det M = det M tr(M^-1 dM)``; that of a Cholesky factor is `of_factor`.

    Raises:
        UnsupportedError: for the exponential of a matrix that varies, which has no such rule.
    """
    inner = slope(node.body, wrt, sizes, inside)
    if inner == ZERO:
        return ZERO
    if isinstance(node, Exponential):
        raise UnsupportedError("the derivative of the exponential of a matrix")
    if isinstance(node, Cholesky):
        return bounded(of_factor(node, inner, sizes))
    row, column = node.axes
    factors: tuple[Meaning, ...]
    if isinstance(node, Determinant):
        factors = (node, inner, Inverse(node.body, node.axes, (column, row)))
    else:
        before, after = node.slots
        left, right = Inverse(node.body, node.axes, (before, row)), Inverse(node.body, node.axes, (column, after))
        factors = (Number(-sp.S.One), left, inner, right)
    apart = tuple(factor if factor is inner else refreshed(factor, sizes) for factor in factors)
    return bounded(refreshed(Total(node.axes, times(*apart)), sizes))


def of_factor(node: Cholesky, inner: Meaning, sizes: Sizes) -> Meaning:
    """``dL_ab = 1/2 sum_c L_ac ([b <= c] N_cb + [b < c] N_bc)`` with ``N = L^-1 dM L^-T``, of a symmetric M."""
    (own_row, own_column), (row, column) = node.slots, node.axes
    between = sizes.like(own_column)

    def factor(one: Ix, other: Ix) -> Meaning:
        return refreshed(Cholesky(node.body, node.axes, (one, other)), sizes)

    def inverse(one: Ix, other: Ix) -> Meaning:
        axes = (sizes.like(row), sizes.like(column))
        return Inverse(factor(*axes), axes, (one, other))

    half, parts = Number(sp.Rational(1, 2)), []
    for relation, change in (("<=", inner), ("<", renamed(inner, {row: column, column: row}))):
        below = Relation(Value(own_column), relation, Value(between))
        left, right = inverse(between, row), inverse(own_column, column)
        whole = times(half, factor(own_row, between), below, left, right, change)
        parts.append(refreshed(Total((between, row, column), whole), sizes))
    return Plus(tuple(parts))


def total(parts: list[Meaning]) -> Meaning:
    """The sum of what is not zero."""
    kept = tuple(part for part in parts if part != ZERO)
    if not kept:
        return ZERO
    return kept[0] if len(kept) == 1 else Plus(kept)


def bounded(node: Meaning) -> Meaning:
    """The node, if it is not too long."""
    for count, _ in enumerate(walk(node)):
        if count > NODE_LIMIT:
            raise LimitError(f"a derivative of more than {NODE_LIMIT} parts")
    return node


def from_row(name: str, argument: Meaning) -> Meaning:
    """The derivative of a function of the table, or of an unknown one, at an argument."""
    if is_unknown(name):
        return Applied(primed(name), argument)
    return from_formula(row_of(name).derivative, argument, Applied(name, argument))


def from_formula(formula: sp.Expr, argument: Meaning, value: Meaning) -> Meaning:
    """A formula of the table in its argument X and its value F."""
    if formula == X:
        return argument
    if formula == F:
        return value
    if not formula.has(X, F):
        return Number(formula)
    parts = tuple(from_formula(part, argument, value) for part in formula.args)
    if isinstance(formula, sp.Add):
        return Plus(parts)
    if isinstance(formula, sp.Mul):
        return times(*parts)
    if isinstance(formula, sp.Pow):
        return Raised(parts[0], parts[1]) if parts[1] != ONE else parts[0]
    if isinstance(formula, sp.Function):
        return Applied(formula.func.__name__, parts[0])
    raise UnsupportedError(f"the derivative {formula} cannot be read")
