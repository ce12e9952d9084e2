"""Lists of arguments that only say on what a quantity depends: ``J(w, b) = ...`` is ``J = ...``.

A name bears such a list if it heads an equation with at least two arguments, each a name; the same list is then dropped
wherever it stands behind that name. A name that is applied to other ones is that of a function, and keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.brackets import SPREADS
from indexcalc.document.statements.calls import closing, separators
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

ARGUMENT_KINDS = frozenset({"NAME", "SUB", "SUP", "NUM", "COMMA", "SEMICOLON", "BAR", "{", "}", "PRIME", "TEXT"})
"""What a list of names is made of."""

Texts = tuple[str, ...]


def without_arguments(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics without such lists."""
    lists = {found for tokens in pieces for found in declared(tokens)}
    functions = {name for name, texts in lists if any(other_list(tokens, name, texts) for tokens in pieces)}
    lists = {(name, texts) for name, texts in lists if name not in functions}
    if not lists and not functions:
        return list(pieces)
    return [list(dropped(with_commas(tokens, functions), lists)) for tokens in pieces]


def other_list(tokens: Sequence[Token], name: str, texts: Texts) -> bool:
    """Whether a name is applied to as many arguments as stand in its list, and these are other ones."""
    count = sum(text in (",", ";") for text in texts)
    return any(
        sum(kind in ("COMMA", "SEMICOLON") for kind in separators(tokens[start + 1 : end - 1])) == count
        and tuple(sorted(token.text for token in tokens[start:end])) != texts
        for start, end in applied(tokens, {name})
    )


def applied(tokens: Sequence[Token], names: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the round brackets behind some names begin, and where they end."""
    for position, token in enumerate(tokens[1:], 1):
        before = tokens[position - 1]
        if before.kind == "NAME" and before.text in names and token.text == "(" and (end := closing(tokens, position)):
            yield position, end


def with_commas(tokens: Sequence[Token], functions: Collection[str]) -> list[Token]:
    """The tokens with commas for the semicolons between the arguments of functions."""
    result = list(tokens)
    for start, end in applied(tokens, functions):
        for place in range(start, end):
            if tokens[place].kind == "SEMICOLON":
                result[place] = replace(tokens[place], kind="COMMA", text=",")
    return result


def declared(tokens: Sequence[Token]) -> Iterator[tuple[str, Texts]]:
    """The names that head an equation with a list of arguments, each with its list."""
    for position, token in enumerate(tokens):
        starts = position == 0 or tokens[position - 1].kind in ("NEWLINE", "AMP", "QUAD", "COMMA", "BEGIN", "END", "{")
        known = token.text in FUNCTIONS or token.text in STRUCTURAL or token.text in SPREADS
        if not starts or token.kind != "NAME" or known:
            continue
        end = after_list(tokens, position + 1)
        while end and end < len(tokens) and tokens[end].kind == "AMP":
            end += 1
        if end and end < len(tokens) and tokens[end].kind == "REL" and tokens[end].text in ("=", ":="):
            texts = list_texts(tokens, position + 1)
            if any(text in (",", ";") for text in texts) and "|" not in texts:
                yield token.text, texts


def after_list(tokens: Sequence[Token], position: int) -> int:
    """Where a list of names in round brackets ends; 0 if there is none."""
    end = closing(tokens, position) if position < len(tokens) and tokens[position].text == "(" else 0
    inner = tokens[position + 1 : end - 1]
    return end if inner and all(token.kind in ARGUMENT_KINDS for token in inner) else 0


def list_texts(tokens: Sequence[Token], position: int) -> Texts:
    """The texts of the list that starts here; on what a quantity depends may be said in any order."""
    return tuple(sorted(token.text for token in tokens[position : after_list(tokens, position)]))


def dropped(tokens: Sequence[Token], lists: set[tuple[str, Texts]]) -> Iterator[Token]:
    """The tokens without the lists behind the names that bear them."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind == "NAME" and (token.text, list_texts(tokens, position)) in lists:
            position = after_list(tokens, position)
