r"""Names that a chain gives on its way: ``\hat y = a = \sigma(z)`` says what ``a`` is, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.proof.document.written.outline import Side, Statement

SCRIPTS = frozenset({"SUB", "SUP", "{", "}", "NAME", "COMMA", "(", ")", "[", "]", "NUM", "PLUS", "MINUS"})
"""What the scripts of a name are made of."""


def inner_definitions(statements: Sequence[Statement]) -> list[Statement]:
    """An equation for each name that stands alone inside a chain, before what it is, and heads no chain itself."""
    headed = {text for statement in statements if (text := name_of(statement.sides[0])) is not None}
    found: list[Statement] = []
    for statement in statements:
        place = estimated(statement)
        if place and (name := name_of(statement.sides[place])) is not None and name not in headed:
            headed.add(name)
            sides = [replace(statement.sides[place], relation=""), replace(statement.sides[place - 1], relation="=")]
            found.append(replace(statement, sides=sides, conditions=list(statement.conditions)))
        for side, following in inside(statement):
            name = name_of(side)
            if name is None or name in headed or name_of(following) is not None or len(following.tokens) < 2:
                continue
            if any(token.text == name for token in following.tokens):
                continue
            headed.add(name)
            first = replace(side, relation="")
            found.append(replace(statement, sides=[first, following], conditions=list(statement.conditions)))
    return found


def estimated(statement: Statement) -> int:
    r"""The place of ``\hat R`` in ``R = P Q^T = \hat R``, which says what the estimate is, and nothing of R; else 0."""
    head = name_of(statement.sides[0])
    for place, side in enumerate(statement.sides[2:], 2):
        if head is not None and side.relation == "=" and name_of(side) in (f"hat {head}", f"tilde {head}"):
            return place
    return 0


def inside(statement: Statement) -> Iterator[tuple[Side, Side]]:
    """Each member but the first that an equals sign leads to, with the next one, if that is equal too."""
    for side, following in zip(statement.sides[1:], statement.sides[2:], strict=False):
        if side.relation in ("=", ":=") and following.relation == "=":
            yield side, following


def name_of(side: Side) -> str | None:
    """The text of the name that is a whole member; None if it is anything else."""
    tokens = side.tokens
    if not tokens or tokens[0].kind != "NAME" or (len(tokens) > 1 and tokens[1].kind not in ("SUB", "SUP")):
        return None
    if not all(token.kind in SCRIPTS for token in tokens):
        return None
    depth = 0
    for before, token in pairwise(tokens):
        depth += (before.kind == "{") - (before.kind == "}")
        script = before.kind in ("SUB", "SUP") or token.kind in ("SUB", "SUP", "{", "}")
        if depth == 0 and not script:
            return None
    return tokens[0].text
