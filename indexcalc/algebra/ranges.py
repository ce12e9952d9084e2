"""The ranges of slot expressions, shown from extents: ``0 <= 2*i+k-1`` for all values of the indices, or not.

An expression is never negative if it is a sum, with positive weights, of what is known not to be: an index, its
extent less one and itself, an extent less one, what guards say, and the two inequalities of a floor. Every index
runs, so that its extent is one at least. The weights are found by the simplex method on exact fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.scalars import rounded_fraction
from indexcalc.algebra.slots import Atom, Index, Slot, constant_of, difference, parts_of_slot, place

PIVOT_LIMIT = 400
"""The most steps of the simplex method."""

FACT_LIMIT = 80
"""The most inequalities that one proof takes."""

Row = dict[sp.Expr, Fraction]
"""A linear form: a coefficient for each monomial, with 1 for the constant."""


def in_range(slot: Slot, extent: sp.Expr, given: Iterable[Slot] = ()) -> bool:
    """Whether an expression lies in ``0 .. extent-1`` for all values of its indices that keep `given` from negative."""
    given = tuple(given)
    return never_negative(slot, given) and never_negative(room_above(slot, extent), given)


def reads_inside(slots: Sequence[Slot], declared: Sequence[Index], given: Iterable[Slot] = ()) -> bool:
    """Whether an entry lies inside its tensor for all values of the indices that keep `given` from negative."""
    given = tuple(given)
    return all(
        (isinstance(slot, Index) and may_be_whole(slot, index)) or in_range(slot, index.extent, given)
        for slot, index in zip(slots, declared, strict=True)
    )


def may_be_whole(index: Index, slot: Index) -> bool:
    """Whether an index runs over a slot as it is declared: extents that are names are the same if they meet."""
    return bool(index.extent == slot.extent) or not (is_compound(index.extent) or is_compound(slot.extent))


def is_compound(extent: sp.Expr) -> bool:
    """Whether an extent is a sum such as ``N - K + 1``, or rounded down: it may meet others in one slot."""
    return bool(extent.has(sp.Add, sp.floor))


def room_above(slot: Slot, extent: sp.Expr) -> Slot:
    """``extent - 1 - slot``."""
    return difference(place(extent - 1), slot)


@lru_cache(maxsize=20_000)
def never_negative(slot: Slot, given: tuple[Slot, ...] = ()) -> bool:
    """Whether an expression is at least zero wherever its indices are in their ranges and `given` are not negative.

    False means that no proof was found.
    """
    symbols: dict[Atom, sp.Symbol] = {}
    goal = polynomial(slot, symbols)
    known = [polynomial(one, symbols) for one in given]
    facts: list[sp.Expr] = list(known)
    weights = {coeff for one in (slot, *given) for _, coeff in parts_of_slot(one)}
    factors = {factor for weight in weights for factor in sp.Mul.make_args(sp.Abs(weight)) if factor.free_symbols}
    for atom, symbol in tuple(symbols.items()):
        ends = [symbol, atom.extent - 1 - symbol, atom.extent - 1]
        facts += ends
        facts += [factor * end for factor in factors if factor.is_positive for end in ends]
    return follows(goal, facts)


def polynomial(slot: Slot, symbols: dict[Atom, sp.Symbol]) -> sp.Expr:
    """The expression with a symbol for each atom."""
    total = constant_of(slot)
    for atom, coeff in parts_of_slot(slot):
        if atom not in symbols:
            symbols[atom] = sp.Symbol(f"@{len(symbols)}", nonnegative=True, integer=True)
        total = total + coeff * symbols[atom]
    return total


def extent_at_least(extent: sp.Expr, least: int, others: Iterable[sp.Expr] = ()) -> bool:
    """Whether an extent is never smaller than `least`, where `others` are 1 at least."""
    return follows(extent - least, [other - 1 for other in others])


def follows(goal: sp.Expr, facts: Iterable[sp.Expr]) -> bool:
    """Whether `goal` is a sum of `facts` with weights that are not negative, and of a number that is not negative."""
    goal, every = sp.expand(goal), [sp.expand(fact) for fact in facts]
    extents = {s for one in (goal, *every) for s in one.free_symbols if not s.name.startswith("@")}
    floors = {f for one in (goal, *every) for f in one.atoms(sp.floor)}
    every += [symbol - 1 for symbol in sorted(extents, key=str)]
    every += [
        sp.expand((one - 1) * (other - 1)) for one in sorted(extents, key=str) for other in products_with(one, goal)
    ]
    every += [sp.expand(one * other - one) for one in sorted(extents, key=str) for other in products_with(one, goal)]
    for floor in sorted(floors, key=str):
        above, below = rounded_fraction(floor)
        every += [sp.expand(above - below * floor), sp.expand(below * floor - above + below - 1)]
    if len(every) > FACT_LIMIT:
        return False
    return is_cone_member(linear(goal), [linear(fact) for fact in dict.fromkeys(every)])


def products_with(symbol: sp.Symbol, goal: sp.Expr) -> list[sp.Symbol]:
    """The extents that an expression multiplies by a given one."""
    found = {s for part in sp.Add.make_args(goal) if part.has(symbol) for s in part.free_symbols - {symbol}}
    return sorted((s for s in found if not s.name.startswith("@")), key=str)


def linear(value: sp.Expr) -> Row:
    """The coefficients of the monomials."""
    row: Row = {}
    for part in sp.Add.make_args(sp.expand(value)):
        number, monomial = part.as_coeff_Mul()
        if not number.is_Rational:
            number, monomial = sp.S.One, part
        row[monomial] = row.get(monomial, Fraction(0)) + Fraction(int(number.p), int(number.q))
    return {monomial: number for monomial, number in row.items() if number}


def is_cone_member(goal: Row, facts: Sequence[Row]) -> bool:
    """Whether ``goal = sum of w_n facts_n + w`` for weights ``w_n, w >= 0`` (Farkas' lemma): phase one of simplex."""
    columns = [*facts, {sp.S.One: Fraction(1)}]
    monomials = sorted({m for row in (goal, *columns) for m in row}, key=str)
    table: list[list[Fraction]] = []
    for monomial in monomials:
        right = goal.get(monomial, Fraction(0))
        row = [column.get(monomial, Fraction(0)) for column in columns]
        sign = -1 if right < 0 else 1
        table.append([sign * number for number in (*row, right)])
    width = len(columns)
    basis = [width + n for n in range(len(table))]
    for _ in range(PIVOT_LIMIT):
        short = [row for row, base in zip(table, basis, strict=True) if base >= width]
        if all(row[-1] == 0 for row in short):
            return True
        # A weight that brings what is not met yet closer; the first one, so that no cycle arises (Bland's rule).
        gains = (sum((row[n] for row in short), Fraction(0)) for n in range(width))
        entering = next((n for n, gain in enumerate(gains) if gain > 0), None)
        if entering is None:
            return False
        ratios = [(row[-1] / row[entering], basis[n], n) for n, row in enumerate(table) if row[entering] > 0]
        _, _, leaving = min(ratios)
        pivot(table, leaving, entering)
        basis[leaving] = entering
    return False


def pivot(table: list[list[Fraction]], leaving: int, entering: int) -> None:
    """The column `entering` becomes a unit vector, by row operations."""
    chosen = table[leaving]
    scale = chosen[entering]
    table[leaving] = chosen = [number / scale for number in chosen]
    for n, row in enumerate(table):
        if n != leaving and row[entering]:
            factor = row[entering]
            table[n] = [number - factor * other for number, other in zip(row, chosen, strict=True)]
