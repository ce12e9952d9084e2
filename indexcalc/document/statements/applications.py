r"""Functions of several arguments put in where they are applied: ``\sum_i L(a_i, y_i)`` after ``L(a, y) = ...``.

A function is an equation ``name(list) = formula`` whose formula names every argument. Where the name is applied to
another list, as long as that, the formula stands in its place, with these arguments for those. Where it is applied
to its own list, or stands without one, it stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import CLOSERS, FUNCTIONS, OPENERS, STRUCTURAL

DEPTH = 3
"""How often formulas are put into formulas that were put in."""

GROWTH_LIMIT = 2_000
"""The most tokens of a formula in which others are put in."""

Tokens = Sequence[Token]
Texts = tuple[str, ...]

STARTS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "BEGIN", "END", "TEXT"})
"""What stands before an equation."""

ENDS = frozenset({"REL", "NEWLINE", "QUAD", "TEXT", "AMP", "COMMA", "SEMICOLON", "COLON"})
"""What ends the formula of a function."""


@dataclass(frozen=True)
class Formula:
    """A function of several arguments.

    Attributes:
        parameters: the texts of each argument in its own equation.
        body: its formula.
    """

    parameters: tuple[Texts, ...]
    body: tuple[Token, ...]


def with_applications(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, functions of several arguments put in."""
    formulas: dict[str, Formula] = {}
    for tokens in pieces:
        for name, formula in declared(tokens):
            formulas.setdefault(name, formula)
    if not formulas:
        return list(pieces)
    return [put_in(tokens, formulas) for tokens in pieces]


def declared(tokens: Tokens) -> Iterator[tuple[str, Formula]]:
    """The functions of several arguments that a formula defines."""
    for position, token in enumerate(tokens):
        starts = position == 0 or tokens[position - 1].kind in STARTS
        arguments, end = list_of(tokens, position + 1) if starts and is_name(token) else ([], 0)
        while end and end < len(tokens) and tokens[end].kind == "AMP":
            end += 1
        if len(arguments) < 2 or end >= len(tokens) or tokens[end].text not in ("=", ":="):
            continue
        body = formula_from(tokens, end + 1)
        parameters = tuple(texts_of(argument) for argument in arguments)
        named = all(next(places(body, one), None) is not None for one in parameters)
        if named and len(set(parameters)) == len(parameters) and token.text not in texts_of(body):
            yield token.text, Formula(parameters, tuple(body))


def is_name(token: Token) -> bool:
    """Whether a token may be the name of a function that a document defines."""
    return token.kind == "NAME" and token.text not in FUNCTIONS and token.text not in STRUCTURAL


def list_of(tokens: Tokens, position: int) -> tuple[list[Tokens], int]:
    """The arguments in the round brackets that open here, and where they end; none if these hold a relation."""
    if position >= len(tokens) or tokens[position].text != "(":
        return [], 0
    depth, start = 0, position + 1
    arguments: list[Tokens] = []
    for place in range(position, len(tokens)):
        token = tokens[place]
        if token.kind in ("REL", "NEWLINE", "BAR"):
            break
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
        if depth == 0 or (depth == 1 and token.kind in ("COMMA", "SEMICOLON")):
            arguments.append(tokens[start:place])
            start = place + 1
        if depth == 0:
            return (arguments, place + 1) if all(arguments) else ([], 0)
    return [], 0


def formula_from(tokens: Tokens, position: int) -> Tokens:
    """The tokens from here to what ends a formula."""
    depth = 0
    for place in range(position, len(tokens)):
        token = tokens[place]
        if depth == 0 and (token.kind in ENDS or token.kind in CLOSERS) and place > position:
            return tokens[position:place]
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
    end = len(tokens) - (tokens[-1].kind == "DOT")
    return tokens[position:end]


def texts_of(tokens: Tokens) -> Texts:
    """The texts of tokens."""
    return tuple(token.text for token in tokens)


def places(tokens: Tokens, texts: Texts) -> Iterator[int]:
    """Where some texts stand in a row."""
    for position in range(len(tokens) - len(texts) + 1):
        if all(tokens[position + n].text == text for n, text in enumerate(texts)):
            yield position


def put_in(tokens: Tokens, formulas: dict[str, Formula]) -> list[Token]:
    """The tokens of one formula, functions put in."""
    result = list(tokens)
    for _ in range(DEPTH):
        changed = list(expanded(result, formulas))
        if len(changed) == len(result) or len(changed) > GROWTH_LIMIT:
            break
        result = changed
    return result


def expanded(tokens: Tokens, formulas: dict[str, Formula]) -> Iterator[Token]:
    """The tokens, each function that is applied to another list than its own replaced by its formula."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        formula = formulas.get(token.text) if token.kind == "NAME" else None
        arguments, end = list_of(tokens, position + 1) if formula is not None else ([], 0)
        if formula is None or len(arguments) != len(formula.parameters) or heads(tokens, position, end):
            yield token
            position += 1
            continue
        own = tuple(texts_of(argument) for argument in arguments) == formula.parameters
        if own and all(len(texts) == 1 for texts in formula.parameters):
            yield token
            position += 1
            continue
        yield from applied(formula, arguments, token)
        position = end


def heads(tokens: Tokens, position: int, end: int) -> bool:
    """Whether an application is the left side of an equation, or stands alone."""
    starts = position == 0 or tokens[position - 1].kind in ENDS - {"REL"} | {"BEGIN", "END"}
    while end < len(tokens) and tokens[end].kind in ("AMP", "DOT"):
        end += 1
    return starts and (end >= len(tokens) or tokens[end].kind in ENDS)


def applied(formula: Formula, arguments: Sequence[Tokens], place: Token) -> Iterator[Token]:
    """The formula with other arguments, in brackets."""
    yield Token("(", "(", place.start)
    position = 0
    while position < len(formula.body):
        number = next(
            (
                n
                for n, texts in enumerate(formula.parameters)
                if texts_of(formula.body[position : position + len(texts)]) == texts
            ),
            None,
        )
        if number is None:
            yield formula.body[position]
            position += 1
            continue
        yield from bracketed(arguments[number])
        position += len(formula.parameters[number])
    yield Token(")", ")", place.start)


def bracketed(argument: Tokens) -> Iterator[Token]:
    """An argument, in brackets if it is more than a name with scripts."""
    simple = argument[0].kind == "NAME" and (len(argument) == 1 or argument[1].kind in ("SUB", "SUP"))
    plain = simple and not any(token.kind in ("PLUS", "MINUS", "TIMES") for token in argument[1:])
    if plain:
        yield from argument
        return
    yield Token("(", "(", argument[0].start)
    yield from argument
    yield Token(")", ")", argument[-1].start)
