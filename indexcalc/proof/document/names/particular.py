"""Numbers: those that a name has in one case, and those that are shown to a few digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document.written.outline import Side, Statement
from indexcalc.proof.document.written.roles import CONDITION, EQUATION, Roles, head_of, names_of_tree

CASE = re.compile(r"\b(?:if|when|whenever|for|case|class|label)\b[^.:\n]{0,30}$", re.IGNORECASE)
"""Words just before a formula that make it a case."""

CONSTANTS = frozenset({"e", "pi", *FUNCTIONS})
"""Names in a formula that is a number all the same."""

ROUGHLY = 0.05
"""The relative error up to which a number calculated from rounded figures may be right."""


def find_cases(roles: Roles) -> None:
    """``If y_i = 1``: a number that a name has in one case defines nothing.

    It is a case where words say so, where the name has indices and stands in a sentence, or where the document
    says of the same name that it is another number, or made from other names.
    """
    found = [(number, name, side) for number, name, side in numbers_given(roles)]
    formulas = {
        name.name
        for number, statement in enumerate(roles.statements)
        if roles.kinds.get(number) == EQUATION
        and (name := head_of(roles, statement)) is not None
        and statement.sides[1].tree is not None
        and not is_number(roles, statement.sides[1].tree)
    }
    for number, given, _ in found:
        statement = roles.statements[number]
        others = {text_of(other.tokens) for _, same, other in found if same == given}
        sentence = not statement.span.display
        before = roles.document.source[max(0, statement.span.start - 60) : statement.span.start].rstrip("$ \\(")
        spoken = sentence and CASE.search(before) is not None
        indexed = sentence and bool(getattr(head_of(roles, statement), "parts", None))
        if spoken or indexed or given in formulas or len(others) > 1:
            roles.kinds[number] = CONDITION


def is_one_case(statement: Statement, number: int) -> bool:
    """Whether a member is calculated with decimals alone, behind one with names: the values of one case."""
    tokens = statement.sides[number].tokens
    names = (token for token in tokens if token.kind in ("NAME", "PARTIAL", "NABLA"))
    before = (token for side in statement.sides[:number] for token in side.tokens if token.kind == "NAME")
    alone = all(token.text in CONSTANTS for token in names)
    return alone and has_decimals(tokens) and any(token.text not in CONSTANTS for token in before)


def numbers_given(roles: Roles) -> Iterator[tuple[int, str, Side]]:
    """The statements that say of a name that it is a number."""
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION or statement.sides[1].relation != "=":
            continue
        name, tree = head_of(roles, statement), statement.sides[1].tree
        if name is not None and tree is not None and is_number(roles, tree):
            yield number, name.name, statement.sides[1]


def is_number(roles: Roles, tree: Sum) -> bool:
    """Whether an expression has no name but those of constants and functions."""
    return all(found.name in CONSTANTS for found in names_of_tree(roles, tree))


def text_of(tokens: tuple[Token, ...]) -> str:
    """Tokens as they are written, without spaces."""
    return "".join(token.text for token in tokens)


def after_number(statement: Statement) -> Statement:
    """What a statement says of the number that it gives to a name: ``L = -log(1/4) = 1.386`` without the name."""
    first = statement.sides[1]
    return Statement(
        [Side("", first.tokens, first.tree, first.error, first.start, first.end), *statement.sides[2:]],
        statement.span,
        statement.number,
        statement.remarks,
        list(statement.conditions),
        statement.guessed,
        statement.spoken,
    )


def unit_of(tokens: tuple[Token, ...]) -> float | None:
    """Half a unit of the last digit of a number shown with a decimal point; None for anything else."""
    shown = [token for token in tokens if token.kind not in ("PLUS", "MINUS")]
    if len(shown) != 1 or shown[0].kind != "NUM" or "." not in shown[0].text:
        return None
    return float(0.5 * 10.0 ** -len(shown[0].text.partition(".")[2]))


def has_decimals(tokens: tuple[Token, ...]) -> bool:
    """Whether a formula has a number with a decimal point."""
    return any(token.kind == "NUM" and "." in token.text for token in tokens)
