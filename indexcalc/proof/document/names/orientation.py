"""Whether a document's vectors are rows or columns: decided once for all of it, never claim by claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from indexcalc.language.latex.tree import Node
from indexcalc.proof.document.meaning.typed import COLUMN, ROW
from indexcalc.proof.document.names.declarations import extents_of, names_in
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.trees import products_of


def orient(roles: Roles) -> None:
    """Say of declared vectors what they are; of the others, rows only if no product and no declaration differs."""
    symbols = roles.symbols
    for name, orientation in declared(roles):
        symbols.orientations[name] = orientation
    votes = Counter(symbols.orientations.values())
    votes.update(in_products(roles))
    if votes[ROW] and not votes[COLUMN]:
        symbols.orientation = ROW
    symbols.mixed = bool(votes[ROW] and votes[COLUMN])


def declared(roles: Roles) -> Iterator[tuple[str, str]]:
    r"""Vectors declared as ``\mathbb{R}^{1 \times n}`` or ``\mathbb{R}^{n \times 1}``."""
    for statement in roles.statements:
        for left, right in pairwise(statement.sides):
            extents = extents_of(right.tokens) if right.relation == "in" else None
            if extents is not None and len(extents) == 2 and extents.count("1") == 1:
                orientation = ROW if extents[0] == "1" else COLUMN
                yield from ((found.name, orientation) for found in names_in(left.tokens, roles.survey))


def in_products(roles: Roles) -> Iterator[str]:
    """What the products of a vector and a matrix say: ``x W`` of a row, ``W x`` of a column."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                factors = [rank(roles, item) for item in product.items]
                for left, right in pairwise(factors):
                    if left is not None and right is not None and {left[0], right[0]} == {1, 2}:
                        vector = left if left[0] == 1 else right
                        yield ROW if (vector is left) != vector[1] else COLUMN


def rank(roles: Roles, item: Node) -> tuple[int, bool] | None:
    """The number of axes of a whole tensor, and whether it is transposed; None for all else."""
    found = roles.survey.name(item)
    if found is None or found.parts is not None or found.powers or found.primes:
        return None
    slots = roles.symbols.slots.get(roles.symbols.resolve(found.name))
    return (len(slots), found.transposed) if slots is not None else None
