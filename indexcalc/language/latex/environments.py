r"""Cases and written-out matrices as syntax trees; what holds ellipses stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tokens import Token, tokenize
from indexcalc.language.latex.tree import Cases, Environment, Matrix, Node, Sum, Truth

Parse = Callable[[Sequence[Token]], Sum]
"""What reads the tokens of one cell."""

CASES = frozenset({"cases", "dcases", "rcases"})
MATRICES = frozenset({"matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "psmallmatrix", "bsmallmatrix"})

OTHERWISE = frozenset({"otherwise", "else", "elsewhere"})
WORDS = frozenset({"if", "for", "when", "where", "and"})
RELATIONS = frozenset({"=", "!=", "<", "<=", ">", ">="})

ROW_LIMIT = 12
"""The most rows and columns of a matrix that is judged entry by entry."""

STOPS = ("COMMA", "DOT", "SEMICOLON")
"""What may stand behind a formula in a sentence, and so at the end of a cell."""


def structured(environment: Environment, parse: Parse) -> Node:
    """The environment with its cells read; unchanged if it cannot be."""
    try:
        if environment.name in CASES:
            return cases(environment, parse)
        if environment.name in MATRICES:
            return matrix(environment, parse)
    except IndexCalcError:
        pass
    return environment


def cases(environment: Environment, parse: Parse) -> Node:
    """Branches with their conditions; the last one may be for all other cases."""
    branches = []
    for row in environment.rows:
        cells = [token for cell in row for token in [*cell, Token("QUAD", " ", 0)]]
        value = [token for token in row[0] if token.kind != "QUAD"]
        first_word = next((n for n, token in enumerate(value) if is_word(token)), len(value))
        value = value[:first_word]
        while value and value[-1].kind in ("COMMA", "DOT", "SEMICOLON"):
            value.pop()
        rest = cells[cells.index(value[-1]) + 1 :] if value else cells
        conditions = tests(list(spelled_out(rest)), parse)
        if not value or conditions is None:
            return environment
        branches.append((parse(value), conditions))
    ends = [n for n, (_, conditions) in enumerate(branches) if not conditions]
    return Cases(tuple(branches), environment.start) if ends in ([], [len(branches) - 1]) else environment


OPENING, CLOSING = ("{", "(", "["), ("}", ")", "]")
"""What stands around commas that part indices or arguments, and no conditions."""


def is_word(token: Token) -> bool:
    """Whether a token is text, or a word that leads to a condition."""
    return token.kind == "TEXT" or (token.kind == "NAME" and token.text in WORDS | OTHERWISE)


def spelled_out(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the mathematics and the words of texts taken out of them."""
    result: list[Token] = []
    for token in tokens:
        if token.kind != "TEXT":
            result.append(token)
            continue
        for n, part in enumerate(token.text.split("$")):
            if n % 2:
                result.extend(Token(t.kind, t.text, token.start) for t in tokenize(part))
            else:
                result.extend(Token("TEXT", word, token.start) for word in re.findall(r"\w+", part))
    return result


def tests(tokens: list[Token], parse: Parse) -> tuple[Truth, ...] | None:
    """The conditions of a branch; none for all other cases; None if they are not read."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if (token.kind in ("QUAD", *STOPS) and not depth) or is_word(token):
            if token.kind in ("TEXT", "NAME") and token.text.lower() not in WORDS | OTHERWISE:
                return None
            parts.append([])
        else:
            parts[-1].append(token)
    found = []
    for part in (part for part in parts if part):
        relations = [n for n, token in enumerate(part) if token.kind == "REL"]
        if len(relations) != 1 or part[relations[0]].text not in RELATIONS:
            return None
        (at,) = relations
        found.append(Truth(parse(part[:at]), part[at].text, parse(part[at + 1 :]), part[0].start))
    otherwise = any(token.text.lower() in OTHERWISE for token in tokens)
    return tuple(found) if bool(found) != otherwise else None


def without_stops(cell: tuple[Token, ...]) -> tuple[Token, ...]:
    """A cell without what ends or parts a sentence behind it."""
    end = len(cell)
    while end and cell[end - 1].kind in STOPS:
        end -= 1
    return cell[:end]


def matrix(environment: Environment, parse: Parse) -> Node:
    """A matrix of a few rows, without ellipses; nothing in a cell is a zero, unless half of the matrix is left out."""
    rows = tuple(tuple(without_stops(cell) for cell in row) for row in environment.rows)
    width = max(map(len, rows), default=0)
    dots = any(token.kind == "DOTS" for row in rows for cell in row for token in cell)
    if dots or not rows or max(len(rows), width) > ROW_LIMIT:
        return environment
    cells = [[*row, *([()] * (width - len(row)))] for row in rows]
    blank = {(i, j) for i, row in enumerate(cells) for j, cell in enumerate(row) if not cell}
    below = {(i, j) for i in range(len(cells)) for j in range(i)}
    if len(cells) == width and blank in (below, {(j, i) for i, j in below}) and below:
        return environment
    zero = (Token("NUM", "0", environment.start),)
    return Matrix(tuple(tuple(parse(cell or zero) for cell in row) for row in cells), environment.start)
