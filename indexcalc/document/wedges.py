r"""Matrices of cross products: ``a^\wedge`` and ``[a]_\times`` of a vector, with ``a^\wedge b = a \times b``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import sympy as sp

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import Entry, Number, Plus, between, negated, renamed, times
from indexcalc.document.meaning.sizes import SizeError
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table
from indexcalc.language.latex.tokens import Token

WEDGE, VEE = "wedge", "vee"

CROSSES = frozenset({WEDGE, "times"})
"""The signs that make a matrix of a vector: above it, or, a cross, below its bracket."""

ENTRIES = 3
"""How many entries a vector has of which there is such a matrix."""


def skew(table: Table, value: Typed) -> Typed:
    """``M_ij = -sum_k epsilon_ijk a_k``, so that ``M b`` is the vector product of ``a`` and ``b``.

    Raises:
        RankError: for what is no vector.
        NotUnderstoodError: for a vector that has not three entries.
    """
    if len(value.axes) != 1:
        raise RankError("a wedge above what is no vector")
    row, column = (table.sizes.measured(ENTRIES) for _ in range(2))
    try:
        table.sizes.unify(table.sizes.measured(ENTRIES), value.axes[0])
    except SizeError:
        raise NotUnderstoodError("a wedge above a vector that has not three entries") from None
    terms = []
    for order in permutations(range(1, ENTRIES + 1)):
        first, second, third = (table.sizes.fresh(fixed=number) for number in order)
        entry = renamed(value.node, {value.axes[0]: third})
        term = times(between(row, "==", first), between(column, "==", second), entry)
        terms.append(negated(term) if is_even(order) else term)
    return Typed(Plus(tuple(terms)), (row, column))


def vector_of(table: Table, value: Typed) -> Typed:
    """``a_k = -1/2 sum_ij epsilon_ijk M_ij``, the vector of a skew-symmetric matrix with three rows.

    Raises:
        RankError: for what is no matrix.
        NotUnderstoodError: for a matrix that has not three rows and columns.
    """
    if len(value.axes) != 2:
        raise RankError("the vector of what is no matrix")
    axis = table.sizes.measured(ENTRIES)
    try:
        for own in value.axes:
            table.sizes.unify(table.sizes.measured(ENTRIES), own)
    except SizeError:
        raise NotUnderstoodError("the vector of a matrix that has not three rows and columns") from None
    terms = []
    for order in permutations(range(1, ENTRIES + 1)):
        *two, third = (table.sizes.fresh(fixed=number) for number in order)
        entry = renamed(value.node, dict(zip(value.axes, two, strict=True)))
        weight = Number(-sp.S.Half if is_even(order) else sp.S.Half)
        terms.append(times(weight, between(axis, "==", third), entry))
    return Typed(Plus(tuple(terms)), (axis,))


def is_even(order: Sequence[int]) -> bool:
    """Whether a permutation is even."""
    return sum(one > other for one, other in combinations(order, 2)) % 2 == 0


def named(table: Table, found: Named, value: Callable[[Named], Typed]) -> Typed | None:
    """What a name with a wedge or a vee above it stands for; None if it has none, or an equation gives it."""
    base, mark, sign = found.name.rpartition("^")
    if not mark or sign not in (WEDGE, VEE) or table.view.definition_of(found) is not None:
        return None
    if found.parts is not None and sign == VEE:
        return None
    inner = value(replace(found, name=base))
    if sign == VEE:
        return vector_of(table, inner)
    length = table.sizes.exact.get(table.sizes.find(inner.axes[0])) if len(inner.axes) == 1 else None
    if length is None:
        question = choice(
            Kind.WORD,
            f"a wedge above {base}",
            Option("product", 0.0, f"a wedge above {base} makes the matrix of a cross product of it"),
            Option("array", 0.1, f"{base} with a wedge above it is a matrix of its own", free=True),
        )
        length = ENTRIES if table.asking(question).name == "product" else 0
    return skew(table, inner) if length == ENTRIES else own_matrix(table, found)


def own_matrix(table: Table, found: Named) -> Typed:
    """A matrix of which no more is known, such as that of a vector with six entries."""
    if found.name not in table.known:
        table.known[found.name] = (table.sizes.fresh(found.name), table.sizes.fresh(found.name))
    table.open.setdefault(found.name, f"no equation says what {found.name} is")
    if found.parts is not None:
        raise NotUnderstoodError("an entry of a matrix that no equation gives")
    own = tuple(table.sizes.like(slot) for slot in table.known[found.name])
    return Typed(Entry(found.name, own), own)


def marked(table: Table, value: Typed, above: Sequence[Token]) -> Typed | None:
    """An expression with one of the signs above it; None if none stands there."""
    signs = [token.text for token in above if token.kind not in ("{", "}")]
    if len(signs) != 1:
        return None
    if signs[0] in CROSSES and len(value.axes) == 1:
        return skew(table, value)
    return vector_of(table, value) if signs[0] == VEE else None


def is_cross(below: Sequence[Token]) -> bool:
    r"""Whether a cross stands below a bracket, ``[a]_\times``."""
    return [token.text for token in below if token.kind not in ("{", "}")] == ["times"]
