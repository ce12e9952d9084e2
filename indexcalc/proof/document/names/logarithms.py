r"""``\log p = ...`` defines p, and ``\log p(x) = ...`` a function, where nothing else does."""

from __future__ import annotations

from dataclasses import replace

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document.meaning.nodes import Applied, names_of
from indexcalc.proof.document.meaning.symbols import Function
from indexcalc.proof.document.names.definitions import definition_from, depends_on_itself
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import DEFINITION, EQUATION, Roles
from indexcalc.proof.document.written.scripts import Named


def find_logarithms(roles: Roles) -> None:
    """Define what only its logarithm is given of."""
    symbols = roles.symbols
    for number, statement in enumerate(roles.statements):
        found = argument_of_log(roles, statement) if roles.kinds.get(number) == EQUATION else None
        if found is None:
            continue
        name, parameter = found
        resolved, body = symbols.resolve(name.name), statement.sides[1].tree
        if resolved in symbols.definitions or resolved in symbols.functions or body is None:
            continue
        if parameter is not None:
            symbols.functions[resolved] = Function(parameter.name, exponential(body))
        else:
            definition = definition_from(roles, number, name)
            if definition is None:
                continue
            symbols.definitions[resolved] = replace(definition, body=Applied("exp", definition.body))
            if depends_on_itself(symbols, resolved):
                del symbols.definitions[resolved]
                continue
            symbols.slots[resolved] = definition.slots
            symbols.given.update(names_of(definition.body))
        roles.kinds[number] = DEFINITION
        roles.defining[number] = resolved


def argument_of_log(roles: Roles, statement: Statement) -> tuple[Named, Named | None] | None:
    """The name whose logarithm is the first member, and its own argument, if it has one."""
    tree = statement.sides[0].tree
    items = tree.only.items if tree is not None and tree.only is not None else ()
    if len(items) not in (2, 3) or len(statement.sides) < 2 or statement.sides[1].relation not in ("=", ":="):
        return None
    log = items[0]
    if not isinstance(log, Atom) or FUNCTIONS.get(log.text) != "log":
        return None
    name = plain(roles, items[1])
    parameter = only_name(roles, items[2]) if len(items) == 3 else None
    if name is None or (len(items) == 3 and (parameter is None or name.parts is not None)):
        return None
    distinct = name.parts is None or (len(set(name.parts)) == len(name.parts) and all(p.isalpha() for p in name.parts))
    return (name, parameter) if distinct else None


def plain(roles: Roles, item: Node) -> Named | None:
    """A name, at an index or not, without powers or the like."""
    name = roles.survey.name(item)
    fine = name is not None and not (name.powers or name.transposed or name.primes or name.unreadable)
    return name if fine and name is not None and name.name not in FUNCTIONS else None


def only_name(roles: Roles, item: Node) -> Named | None:
    """The one name in round brackets, without an index."""
    only = item.members[0].only if isinstance(item, Group) and len(item.members) == 1 else None
    name = plain(roles, only.items[0]) if only is not None and len(only.items) == 1 else None
    return name if name is not None and name.parts is None else None


def exponential(body: Sum) -> Sum:
    """The exponential of a formula."""
    return Sum(((1, Product((Atom(Token("NAME", "exp", 0)), Group("(", (body,), 0)))),))
