"""What the words of a document assume of its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexcalc.errors import LimitError, SpecError
from indexcalc.proof.document.meaning.nodes import ONE, Applied, Entry, Meaning, Times, Total, walk
from indexcalc.proof.document.meaning.sizes import ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError, Symbols
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.written.context import Context
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import CONDITION, EQUATION, Roles, prose_before

ASSUMED = re.compile(r"\b(?:assum|suppos|one-hot|sums?\s+to\s+(?:one|1|\$1\$)|given that|probabilit)", re.IGNORECASE)
"""Words that say that what follows is assumed."""


def adopt_assumptions(roles: Roles, context: Context) -> None:
    """Sums of which a context says that they are one; a tensor of another scope is passed over.

    Raises:
        SpecError: if the tensor has fewer slots.
    """
    for name, places in context.simplex.items():
        slots = roles.symbols.slots.get(roles.symbols.resolve(name))
        if slots is None:
            continue
        if len(slots) <= max(places):
            raise SpecError(
                f"{name}, whose sum the context assumes to be 1, has {len(slots)} slots, not {max(places) + 1}"
            )
        roles.symbols.simplex[roles.symbols.resolve(name)] = places


def name_missing(context: Context, scopes: Sequence[Roles]) -> None:
    """Refuse a context that speaks of a tensor that no scope of the document has.

    Raises:
        SpecError: if there is no such tensor.
    """
    known = {name for roles in scopes for name in (*roles.symbols.slots, *roles.symbols.aliases)}
    document = scopes[0].document.name
    for name in context.simplex:
        if name not in known:
            raise SpecError(f"{name}, whose sum the context assumes to be 1, is no tensor of {document}")
    for size in context.sizes:
        if size.tensor not in known:
            raise SpecError(f"{size.tensor} is no tensor of {document}: {size.line}")


def find_assumptions(roles: Roles) -> None:
    """``sum_c y_nc = 1`` for an input, which can only be assumed, or where the words before it say that it is."""
    known = {*roles.symbols.definitions, *roles.symbols.simplex}
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION or len(statement.sides) != 2:
            continue
        if [token.text for token in statement.sides[1].tokens] != ["1"]:
            continue
        found = unit_sum(roles, statement)
        if found is None or found[0] in known:
            continue
        if found[0] not in roles.symbols.unread or ASSUMED.search(prose_before(roles, statement)):
            roles.symbols.simplex[found[0]] = found[1]
            roles.kinds[number] = CONDITION


def weights_of_logarithms(symbols: Symbols) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The inputs by which logarithms are weighed in a sum, as labels in a cross-entropy, each with a summed slot.

    Authors who call them labels or one-hot seldom write down that they sum to one.
    """
    sums = (node for one in symbols.definitions.values() for node in walk(one.body) if isinstance(node, Total))
    for total in sums:
        factors = total.body.factors if isinstance(total.body, Times) else ()
        for factor in factors:
            if not isinstance(factor, Entry) or factor.name in symbols.definitions:
                continue
            if any(is_logarithm(symbols, other) for other in factors if other is not factor):
                slots = reversed(list(enumerate(factor.slots)))
                yield from ((factor.name, (place,)) for place, slot in slots if slot in total.indices)


def is_logarithm(symbols: Symbols, node: Meaning) -> bool:
    """Whether there is a logarithm in an expression, or in the definition of the name that it is."""
    defined = symbols.definitions.get(node.name) if isinstance(node, Entry) else None
    return any(isinstance(inner, Applied) and inner.name == "log" for inner in walk(defined.body if defined else node))


def unit_sum(roles: Roles, statement: Statement) -> tuple[str, tuple[int, ...]] | None:
    """The tensor, and its summed slots, of which a statement says that its entries sum to one."""
    left, right = (side.tree for side in statement.sides)
    if left is None or right is None:
        return None
    reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
    try:
        return summed_entry(reader.sum(left).node) if reader.sum(right).node == ONE else None
    except (NotUnderstoodError, ShapeError, LimitError):
        return None


def summed_entry(node: Meaning) -> tuple[str, tuple[int, ...]] | None:
    """The tensor and the summed slots, if the expression is nothing but a sum of its entries."""
    if isinstance(node, Total) and isinstance(node.body, Entry):
        slots = node.body.slots
        if set(node.indices) <= set(slots) and len(set(slots)) == len(slots):
            return node.body.name, tuple(slots.index(index) for index in node.indices)
    return None
