"""Whether a document sums over repeated indices without saying so."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.errors import LimitError
from indexcalc.language.latex.tree import Atom, nodes_of
from indexcalc.proof.document.einstein import bind_repeated
from indexcalc.proof.document.nodes import free
from indexcalc.proof.document.outline import Statement
from indexcalc.proof.document.reading import Reader
from indexcalc.proof.document.roles import EQUATION, Roles
from indexcalc.proof.document.sizes import Ix, ShapeError
from indexcalc.proof.document.symbols import NotUnderstoodError


def uses_einstein(roles: Roles) -> bool:
    """Whether the definitions, or else the entries of traces, need sums that are not written."""
    written = sum(
        isinstance(node, Atom) and node.kind == "SUM"
        for statement in roles.statements
        for tree in statement.trees
        for node in nodes_of(tree)
    )
    votes = 0
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION:
            continue
        reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
        for side in statement.sides:
            if side.tree is None or side.relation == "in":
                continue
            try:
                value = reader.sum(side.tree)
            except (NotUnderstoodError, ShapeError, LimitError):
                continue
            bound = bind_repeated(value.node, set(head_letters(reader, statement)))
            votes += bound != value.node
    return votes > 2 * written


def head_letters(reader: Reader, statement: Statement) -> Iterator[Ix]:
    """The letters that are free in the first member."""
    tree = statement.sides[0].tree
    if tree is None:
        return
    try:
        value = reader.sum(tree)
    except (NotUnderstoodError, ShapeError, LimitError):
        return
    yield from free(value.node)
