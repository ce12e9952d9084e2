"""What each statement of a document is, and the symbols: found before anything is judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from indexcalc.language.document import Document
from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.scripts import COLON, Named
from indexcalc.proof.document.written.survey import Survey
from indexcalc.proof.document.written.trees import name_nodes

DECLARATION, CONDITION, DEFINITION, EQUATION, OTHER = "declaration", "condition", "definition", "equation", "other"

PROSE_REACH = 200
"""How many characters before a statement are looked at for words that say how it is meant."""


@dataclass
class Roles:
    """The statements with their roles, and the symbols.

    Attributes:
        document: the document.
        statements: in order.
        survey: how names are used.
        symbols: what names stand for.
        kinds: the role of each statement, by its place.
        defining: for each statement that defines a name, that name.
        zeros: the statements that set something to zero.
        identities: whether each of those is zero anyway, once it is known.
        solutions: for each statement that says of an input what it must be for that, the input.
        estimates: for each that says it of the input with an accent or a star, the input.
    """

    document: Document
    statements: list[Statement]
    survey: Survey
    symbols: Symbols
    kinds: dict[int, str] = field(default_factory=dict)
    defining: dict[int, str] = field(default_factory=dict)
    zeros: tuple[int, ...] = ()
    identities: dict[int, bool] = field(default_factory=dict)
    solutions: dict[int, str] = field(default_factory=dict)
    estimates: dict[int, str] = field(default_factory=dict)


def head_of(roles: Roles, statement: Statement) -> Named | None:
    """The name that is the whole first member of a statement, at distinct letters or bare."""
    tree = statement.sides[0].tree
    product = tree.only if tree is not None else None
    if product is None or len(product.items) != 1:
        return None
    found = roles.survey.name(product.items[0])
    if found is None or found.powers or found.transposed or found.primes or found.unreadable or found.name == "1":
        return None
    if found.parts is not None and (
        len(set(found.parts)) < len(found.parts) or any(p == COLON or p.isdigit() for p in found.parts)
    ):
        return None
    return found


def heads(roles: Roles, name: str) -> list[int]:
    """The statements whose first member is a name."""
    return [
        number
        for number, statement in enumerate(roles.statements)
        if len(statement.sides) > 1 and (found := head_of(roles, statement)) is not None and found.name == name
    ]


def index_letters(statement: Statement, survey: Survey) -> Iterator[str]:
    """The letters that index something in a statement."""
    for tree in statement.trees:
        for node in name_nodes(tree):
            found = survey.name(node)
            if found is not None:
                yield from (part for part in found.parts or () if part != COLON)


def names_of_tree(roles: Roles, tree: Sum) -> Iterator[Named]:
    """The names in a syntax tree."""
    for node in name_nodes(tree):
        found = roles.survey.name(node)
        if found is not None:
            yield found


def prose_before(roles: Roles, statement: Statement) -> str:
    """The words just before a statement."""
    text = roles.document.source[max(0, statement.span.start - PROSE_REACH) : statement.span.start]
    return re.split(r"\n\s*\n(?=.*\n\s*\n)", text, flags=re.DOTALL)[-1]
