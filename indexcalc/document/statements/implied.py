r"""Equations that no line writes: ``a = \sigma(w x + b) = \sigma(z)`` says that z is w x + b."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.document.statements.outline import Side, Statement
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token

NAMES = ("NAME", "FUNC")
"""What may stand before the bracket of a function's argument."""


def with_implied(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, and behind each those that it implies of names with which no equation begins.

    What a chain defines is then a function of such a name, by which it may be differentiated.
    """
    heads = {spelt(one.sides[0].tokens) for one in statements}
    found: list[Statement] = []
    for statement in statements:
        found.append(statement)
        for implied in implied_by(statement):
            name = spelt(implied.sides[0].tokens)
            if name not in heads:
                heads.add(name)
                found.append(implied)
                put_name_first(statement, implied)
    return found


def put_name_first(statement: Statement, implied: Statement) -> None:
    """Let a chain that gives a name give it by the member with the other name in it."""
    first, one, other = statement.sides[:3]
    behind = implied.sides[0].start >= other.start
    if implied.implied == 2 and behind and is_name(first.tokens) and one.relation == other.relation:
        statement.sides[1:3] = [other, one]


def implied_by(statement: Statement) -> Iterator[Statement]:
    """What a chain implies whose members behind the first differ in one argument, which is a name in the other."""
    for member in range(2, len(statement.sides)):
        one, other = statement.sides[member - 1 : member + 1]
        if other.relation != "=" or one.tree is None or other.tree is None:
            continue
        arguments = unequal_argument(one.tokens, other.tokens)
        if arguments is None:
            continue
        formula, name = sorted(arguments, key=is_name)
        if is_name(name) and not is_name(formula) and spelt(name) not in spelt(formula):
            try:
                sides = [side_of("", name), side_of("=", formula)]
            except (IndexCalcError, RecursionError):
                continue
            yield Statement(sides, statement.span, statement.number, families=statement.families, implied=member)


def side_of(relation: str, tokens: Sequence[Token]) -> Side:
    """Tokens as a member."""
    return Side(relation, tuple(tokens), parse(tokens), "", tokens[0].start, tokens[-1].start + 1)


def unequal_argument(one: Sequence[Token], other: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The arguments of the one function in which two members differ; None if they differ otherwise."""
    alike = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a.text != b.text), 0)
    for opening in range(alike - 1, 0, -1):
        if one[opening].kind == "(" and one[opening - 1].kind in NAMES:
            ends = [closing(tokens, opening) for tokens in (one, other)]
            behind = [spelt(tokens[end:]) for tokens, end in zip((one, other), ends, strict=True)]
            if all(ends) and behind[0] == behind[1]:
                return one[opening + 1 : ends[0]], other[opening + 1 : ends[1]]
    return None


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The place of the bracket that closes one; 0 if none does."""
    depth = 0
    for place in range(opening, len(tokens)):
        depth += (tokens[place].kind == "(") - (tokens[place].kind == ")")
        if depth == 0:
            return place
    return 0


def is_name(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a name, with scripts or without."""
    return bool(tokens) and tokens[0].kind == "NAME" and after_scripts(tokens, 1) == len(tokens)


def spelt(tokens: Iterable[Token]) -> str:
    """Tokens as text."""
    return " ".join(token.text for token in tokens)
