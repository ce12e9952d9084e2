"""Equations for a minimum: a derivative set to zero, what follows for the unknown, and its solution.

``X^T (X w - y) = 0`` claims nothing: it is what w is asked to satisfy. From there on, equations without
a derivative hold at the minimum alone, and ``w = (X^T X)^{-1} X^T y`` is no definition of the input w
but a solution, which can be tried: does it make the derivative zero?
"""

from __future__ import annotations

import re

from indexcalc.language.latex.tree import Fraction, Scripted, nodes_of
from indexcalc.proof.document.written.outline import Side, Statement
from indexcalc.proof.document.written.roles import EQUATION, Roles, head_of, names_of_tree

REACH = 200
"""How many characters before a formula are looked at."""


MARKED = ("hat ", "tilde ", "bar ")


STARS = ("*", "ast", "star", "opt")
"""What is on a name for the value of an unknown at the minimum."""


WORDS = re.compile(
    r"\b(?:set|sets|setting|equat(?:e|es|ed|ing)|put|putting|make|making|vanish\w*)\b|"
    r"\bsolv(?:e|es|ing)\b|first[- ]order|"
    r"stationar|optim(?:um|al)|minimi[sz]|maximi[sz]|minimum|maximum|normal equation|critical point|"
    r"令|设|零",
    re.IGNORECASE,
)
"""Words that say that what follows is asked for."""


def find_stationary(roles: Roles) -> None:
    """The statements that set something to zero, and those that say of an input what it must be for that."""
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION:
            continue
        if is_zero(statement.sides[-1]) and (
            asked(roles, statement) or (len(statement.sides) > 2 and differentiates(statement))
        ):
            roles.zeros = (*roles.zeros, number)
        elif roles.zeros and (head := head_of(roles, statement)) is not None:
            name = roles.symbols.resolve(head.name)
            plain = name.rsplit(" ", maxsplit=1)[-1].split("_", maxsplit=1)[0].split("^", maxsplit=1)[0]
            if head.parts is not None or statement.sides[1].relation != "=":
                continue
            if is_read(roles, name, roles.zeros[-1]):
                roles.solutions[number] = name
            elif (name.startswith(MARKED) or name.split("^")[-1] in STARS) and is_read(roles, plain, roles.zeros[-1]):
                roles.estimates[number] = plain


def is_zero(side: Side) -> bool:
    """Whether a member is zero."""
    return side.relation == "=" and [token.text for token in side.tokens if token.kind not in ("{", "}")] == ["0"]


def asked(roles: Roles, statement: Statement) -> bool:
    """Whether the words before a statement say that it is asked for."""
    return WORDS.search(roles.document.source[max(0, statement.span.start - REACH) : statement.span.start]) is not None


def differentiates(statement: Statement) -> bool:
    """Whether the first member has a derivative of something without an index, as of a loss, or an operator."""
    tree = statement.sides[0].tree
    for node in nodes_of(tree) if tree is not None else ():
        if getattr(node, "kind", "") == "NABLA":
            return True
        if not isinstance(node, Fraction) or node.numerator.only is None:
            continue
        first, *rest = node.numerator.only.items
        base = first.base if isinstance(first, Scripted) else first
        curly = getattr(base, "kind", "") == "PARTIAL" or getattr(getattr(base, "token", None), "text", "") == "d"
        if curly and not any(isinstance(item, Scripted) and item.below for item in rest):
            return True
    return False


def is_read(roles: Roles, name: str, last: int) -> bool:
    """Whether a name is read before, up to a statement that sets something to zero, and first defined behind it."""
    read = False
    for statement in roles.statements[: last + 1]:
        head = head_of(roles, statement)
        own = head is not None and roles.symbols.resolve(head.name) == name
        if own and len(statement.sides) > 1 and is_equation(statement):
            return False
        names = {roles.symbols.resolve(n.name) for tree in statement.trees[1:] for n in names_of_tree(roles, tree)}
        read = read or name in names
    return read


def is_equation(statement: Statement) -> bool:
    """Whether a statement says what its first member is, and sets nothing to zero."""
    return statement.sides[1].relation in ("=", ":=") and not is_zero(statement.sides[-1])
