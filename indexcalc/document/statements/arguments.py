"""Lists of arguments that only say on what a quantity depends: ``J(w, b) = ...`` is ``J = ...``.

A name bears such a list if it heads an equation with at least two arguments, each a name; the same
list is then dropped wherever it stands behind that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.document.statements.brackets import SPREADS
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

ARGUMENT_KINDS = frozenset({"NAME", "SUB", "SUP", "NUM", "COMMA", "SEMICOLON", "BAR", "{", "}", "PRIME", "TEXT"})
"""What a list of names is made of."""

Texts = tuple[str, ...]


def without_arguments(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics without such lists."""
    lists = {found for tokens in pieces for found in declared(tokens)}
    return [list(dropped(tokens, lists)) for tokens in pieces] if lists else list(pieces)


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
    if position >= len(tokens) or tokens[position].kind != "(" or tokens[position].text != "(":
        return 0
    for end in range(position + 1, len(tokens)):
        if tokens[end].kind == ")":
            return end + 1 if end > position + 1 else 0
        if tokens[end].kind not in ARGUMENT_KINDS:
            return 0
    return 0


def list_texts(tokens: Sequence[Token], position: int) -> Texts:
    """The texts of the list that starts here."""
    return tuple(token.text for token in tokens[position : after_list(tokens, position)])


def dropped(tokens: Sequence[Token], lists: set[tuple[str, Texts]]) -> Iterator[Token]:
    """The tokens without the lists behind the names that bear them."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind == "NAME" and (token.text, list_texts(tokens, position)) in lists:
            position = after_list(tokens, position)
