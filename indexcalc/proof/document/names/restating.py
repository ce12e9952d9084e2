"""Restatements that may say more than they seem: updates of a name, and forms with tensors not met before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.meaning.nodes import names_of
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, head_of, names_of_tree


def may_update(roles: Roles, statement: Statement, number: int) -> str:
    """The name that a member adds something to, as in ``dK = dK - dA``: it may be given a new value; or none."""
    head, tree = head_of(roles, statement), statement.sides[number].tree
    if head is None or tree is None or len(tree.terms) < 2:
        return ""
    alone = (roles.survey.name(term.items[0]) for _, term in tree.terms if len(term.items) == 1)
    same = any(found is not None and found.name == head.name and found.parts == head.parts for found in alone)
    return head.name if same else ""


def newcomer(roles: Roles, statement: Statement, value: Typed) -> str:
    """A tensor of a restatement that neither its definition nor an equation before has: of another model; or none."""
    symbols, head = roles.symbols, head_of(roles, statement)
    inputs = [name for name in names_of(value.node) if name not in symbols.definitions and symbols.slots.get(name)]
    if not inputs:
        return ""
    before = [other for other in roles.statements if other.sides[0].start < statement.sides[0].start]
    known = symbols.definitions.get(symbols.resolve(head.name)) if head is not None else None
    met = {*met_in(roles, before), *(known.reads if known is not None else ())}
    return next((name for name in inputs if name not in met), "")


def met_in(roles: Roles, statements: Sequence[Statement]) -> Iterator[str]:
    """The tensors in the equations among some statements."""
    for statement in statements:
        declares = len(statement.sides) == 2 and statement.sides[1].relation == "in"
        trees: tuple[Sum, ...] = () if declares or len(statement.sides) < 2 else statement.trees
        for tree in trees:
            yield from (roles.symbols.resolve(found.name) for found in names_of_tree(roles, tree))
