"""Arrays that notation gives without an equation: ones, deltas, signs of permutations, the identity, unit vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import ONE, Meaning, Ones, Plus, between, negated, times
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, Typed
from indexcalc.document.statements.extents import size_of
from indexcalc.document.statements.index_expressions import Expression
from indexcalc.document.statements.scripts import Named, is_letter
from indexcalc.document.statements.shapes import ONES
from indexcalc.document.table import Table

Place = Callable[[str], Ix | None]
"""The index variable of a part of a subscript; None for a whole axis."""


def unit_of(table: Table, found: Named, place: Place) -> Typed | None:
    """What a name stands for that is such an array; None for all others, and where an equation gives the name.

    Raises:
        NotUnderstoodError: for slices, and for ones with three indices or more.
    """
    name, parts = found.name, found.parts
    if name == "1" and not any(isinstance(part, Expression) for part in parts or ()):
        return ones(table, parts, place)
    if name in ("epsilon", "varepsilon") and parts is not None:
        return sign_of_permutation(table, found, place)
    if name in table.page.defining:
        return None
    if any(isinstance(part, Expression) for part in parts or ()):
        size = size_below(table, found)
        return None if size is None else identity(table.sizes, size)
    if name == "delta" and parts is not None and len(parts) == 2:
        return delta(table, place(parts[0]), place(parts[1]))
    if name == "I" and parts is None:
        return identity(table.sizes, table.sizes.fresh())
    if (size := size_below(table, found)) is not None:
        return identity(table.sizes, size)
    return entry_of_identity(table, found, place)


def identity(sizes: Sizes, left: Ix) -> Typed:
    """The identity, whose first axis is given."""
    right = sizes.like(left)
    return Typed(between(left, "==", right), (left, right))


def size_below(table: Table, found: Named) -> Ix | None:
    """The size that stands below an identity, ``I_3``, ``I_n``; None if it is none, or an array of the document."""
    base, mark, label = found.name.partition("_")
    parts = (label,) if mark and found.parts is None else found.parts or ()
    page = table.page
    if base == "I" and len(parts) == 1 and isinstance(parts[0], Expression):
        return computed_size(table, parts[0])
    if base != "I" or len(parts) != 1 or found.name in page.declared or not re.fullmatch(r"[A-Za-z]|[2-9]", parts[0]):
        return None
    if parts[0] in page.index_letters and not table.view.is_size(parts[0]):
        return None
    question = choice(
        Kind.WORD,
        f"I with {parts[0]} below it",
        Option("unit", 0.0, f"I_{parts[0]} is the identity"),
        Option("array", 0.1, f"I_{parts[0]} is an array of its own"),
    )
    if table.asking(question).name == "array":
        return None
    return table.sizes.measured(int(parts[0])) if parts[0].isdigit() else table.sizes.named(parts[0])


def computed_size(table: Table, below: Expression) -> Ix | None:
    """The size that an expression of sizes is, ``I_{m-k}``; None if a letter in it is an index elsewhere."""
    formula = size_of(below.tokens)
    letters = {symbol.name for symbol in formula.free_symbols} if formula is not None else set()
    if formula is None or not letters or letters & table.page.index_letters:
        return None
    index = table.sizes.fresh()
    table.sizes.compute(index, formula)
    return index


def delta(table: Table, left: Ix | None, right: Ix | None) -> Typed:
    """One where two indices are equal, else zero.

    Raises:
        NotUnderstoodError: for a slice.
    """
    if left is None or right is None:
        raise NotUnderstoodError("a slice of a delta")
    table.sizes.equate(left, right)
    return Typed(between(left, "==", right) if left != right else ONE)


def sign_of_permutation(table: Table, found: Named, place: Place) -> Typed | None:
    """The sign of the permutation that the indices of ``epsilon_{ijk}`` are, else zero; None if it is an array."""
    page, parts = table.page, found.parts or ()
    given = {page.indexed(number) for number in page.defining.get(found.name, ())}
    if len(parts) not in (2, 3) or not all(map(is_letter, parts)):
        return None
    if found.name in page.declared or None in given or len(parts) in given:
        return None
    question = choice(
        Kind.WORD,
        f"{found.name} with {len(parts)} indices",
        Option("sign", 0.0 if len(parts) == 3 else 0.1, f"{found.name} with indices is the sign of a permutation"),
        Option("array", 0.1 if len(parts) == 3 else 0.0, f"{found.name} is an array"),
    )
    if table.asking(question).name == "array":
        return None
    indices = [index for index in map(place, parts) if index is not None]
    for index in indices:
        table.sizes.unify(index, table.sizes.measured(len(parts)))
    return Typed(permutation_sign(table.sizes, indices))


def permutation_sign(sizes: Sizes, indices: Sequence[Ix]) -> Meaning:
    """The sign of the permutation that indices are, each with as many values as there are indices; else zero."""
    terms = []
    for order in permutations(range(len(indices))):
        numbers = (sizes.fresh(fixed=number + 1) for number in order)
        entries = (between(index, "==", number) for index, number in zip(indices, numbers, strict=True))
        odd = sum(one > other for one, other in combinations(order, 2)) % 2
        terms.append(negated(times(*entries)) if odd else times(*entries))
    return Plus(tuple(terms))


def ones(table: Table, parts: tuple[str, ...] | None, place: Place) -> Typed:
    """Ones; below them stand sizes, or the index of an entry, or the two of an entry of the identity.

    Raises:
        NotUnderstoodError: for a slice, and for three indices or more.
    """
    sizes = table.sizes
    if parts is None and (rank := rank_of_ones(table)) != 1:
        if ONES not in table.known:
            table.known[ONES] = tuple(sizes.fresh() for _ in range(rank))
            table.measure(ONES, table.known[ONES])
        axes = tuple(map(sizes.like, table.known[ONES]))
        return Typed(times(*map(Ones, axes)), axes)
    if parts is None:
        axis = table.axis_of_ones()  # every vector of ones may have a size of its own
        return Typed(Ones(axis), (axis,))
    if all(table.view.is_size(part) or part not in table.page.index_letters for part in parts):
        axes = tuple(sizes.fresh() for _ in parts)
        for axis, part in zip(axes, parts, strict=True):
            sizes.unify(axis, sizes.named(part))
        return Typed(times(*(Ones(axis) for axis in axes)), axes)
    if len(parts) == 2:
        return delta(table, place(parts[0]), place(parts[1]))
    index = place(parts[0]) if len(parts) == 1 else None
    if index is None:
        raise NotUnderstoodError("ones with these indices")
    said = "one-hot" in table.page.said_anywhere
    question = choice(
        Kind.WORD,
        f"1 with {parts[0]} below it",
        Option("entry", 0.1 * said, f"1 with {parts[0]} below it is an entry of a vector of ones"),
        Option(
            "unit", 0.1 * (not said), f"1 with {parts[0]} below it is zero but for that entry, which is one", free=True
        ),
    )
    if table.asking(question).name == "unit":
        axis = sizes.like(index)
        return Typed(between(axis, "==", index), (axis,))
    return Typed(Ones(index))


def rank_of_ones(table: Table) -> int:
    """How many axes a one in bold has: those of its declaration, or of a matrix if words speak of one."""
    shape = table.view.shape(ONES)
    if shape is not None or "matrix of ones" not in table.page.said_anywhere:
        return 1 if shape is None else len(shape)
    question = choice(
        Kind.WORD,
        "a one in bold",
        Option("matrix", 0.0, "a one in bold is a matrix of ones", stated=True),
        Option("vector", 0.1, "a one in bold is a vector of ones", free=True),
    )
    return 1 if table.asking(question).name == "vector" else 2


def entry_of_identity(table: Table, found: Named, place: Place) -> Typed | None:
    """An entry of the identity, ``I_{ij}``, or one of its columns, ``e_i``; None if they are arrays of the document."""
    name, parts = found.name, found.parts or ()
    count = {"I": 2, "e": 1}.get(name)
    if len(parts) != count or not all(map(is_letter, parts)) or name in table.page.declared:
        return None
    words = "entries of the identity" if name == "I" else "unit vectors"
    question = choice(
        Kind.WORD,
        f"{name} with {count} indices",
        Option("unit", 0.0, f"{name} with indices stands for {words}"),
        Option("array", 0.1, f"{name} is an array"),
    )
    if table.asking(question).name == "array":
        return None
    first = place(parts[0])
    if name == "I":
        return delta(table, first, place(parts[1]))
    assert first is not None
    axis = table.sizes.like(first)
    return Typed(between(first, "==", axis), (axis,), COLUMN)
