r"""Entries that are looked up, ``E_{y_n}`` and ``E_{y_n m}``: y holds whole numbers, each of which is an index.

A name below a name is a label as often. It holds indices if a bracket compares it with one, ``[y_n = v]``, or if it
stands between commas, ``E_{y_n, m}``; or if it bears an index wherever it stands, and no equation begins so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.index_expressions import is_index_letter
from indexcalc.document.statements.layer_marks import argument
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token, parted

BRACES = ("{", "}")


def with_lookups(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, with commas around what is looked up, and that as an index."""
    names = {name for tokens in pieces for name in (*compared(tokens), *between_commas(tokens))}
    below = {name for tokens in pieces for _, _, name in lookups(tokens)} - names
    names |= below - {name for tokens in pieces for name in otherwise(tokens)}
    return [list(parted_at(tokens, names)) for tokens in pieces] if names else list(pieces)


def scripted(tokens: Sequence[Token], position: int) -> int:
    """Where a letter and an index below it end that begin here; 0 if another thing stands here."""
    if position + 2 >= len(tokens) or not is_letter(tokens[position]) or tokens[position + 1].kind != "SUB":
        return 0
    below, end = argument(tokens, position + 2)
    return end if len(below) == 1 and is_index_letter(below[0]) else 0


def is_letter(token: Token) -> bool:
    """Whether a token is a small letter, that no sum binds."""
    return token.kind == "NAME" and len(token.text) == 1 and token.text.islower() and not token.index


def compared(tokens: Sequence[Token]) -> Iterator[str]:
    """The names of which a bracket compares an entry with a letter, or with another entry."""
    for position, token in enumerate(tokens):
        if token.kind == "[":
            ends = [position + 1]
            while (end := scripted(tokens, ends[-1]) or letter_end(tokens, ends[-1])) and len(ends) < len("a=b"):
                is_equal = end < len(tokens) and tokens[end].kind == "REL" and tokens[end].text in ("=", "!=")
                ends.append(end + is_equal)
            if len(ends) == len("a=b") and ends[-1] < len(tokens) and tokens[ends[-1]].kind == "]":
                yield from (tokens[start].text for start in ends[:2] if scripted(tokens, start))


def letter_end(tokens: Sequence[Token], position: int) -> int:
    """Where a letter ends that begins here, alone; 0 if another thing stands here."""
    return position + 1 if position < len(tokens) and is_index_letter(tokens[position]) else 0


def subscripts(tokens: Sequence[Token]) -> Iterator[tuple[int, tuple[Token, ...], int]]:
    """Where each subscript of a name begins, what stands in it, and where it ends."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB" and position and tokens[position - 1].kind in ("NAME", "PRIME"):
            script, end = argument(tokens, position + 1)
            yield position, script, end


def between_commas(tokens: Sequence[Token]) -> Iterator[str]:
    """The names that stand with an index between commas in a subscript."""
    for _, script, _ in subscripts(tokens):
        parts = list(parted(script, "COMMA"))
        if len(parts) > 1:
            yield from (part[0].text for part in parts if part and scripted(part, 0) == len(part))


def lookups(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """The subscripts in which a letter with an index stands beside letters or alone: both ends, and that letter."""
    for position, script, end in subscripts(tokens):
        place = 0
        while place < len(script):
            after = scripted(script, place)
            if after:
                yield position, end, script[place].text
            elif not (is_index_letter(script[place]) or script[place].kind in ("COMMA", "NUM")):
                break
            place = after or place + 1


def otherwise(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters that stand somewhere without an index, and those of subscripts with which an equation begins."""
    for position, token in enumerate(tokens):
        if is_letter(token) and not scripted(tokens, position):
            yield token.text
    for position, end, name in lookups(tokens):
        begins = position < 2 or tokens[position - 2].kind in ("NEWLINE", "AMP", "REL", "COMMA", "QUAD")
        if begins and after_scripts(tokens, end) < len(tokens) and tokens[end].kind in ("REL", "AMP"):
            yield name


def parted_at(tokens: Sequence[Token], names: Collection[str]) -> Iterator[Token]:
    """The tokens, with commas in subscripts beside the entries of some names, which are indices there."""
    ends = {place: end for place, _, end in subscripts(tokens) if any(one[0] == place for one in lookups(tokens))}
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = ends.get(position, 0)
        if not end:
            yield token
            position += 1
            continue
        script = argument(tokens, position + 1)[0]
        comma = replace(token, kind="COMMA", text=",")
        yield from (token, replace(token, kind="{", text="{"))
        place = 0
        while place < len(script):
            after = scripted(script, place)
            looked_up = bool(after) and script[place].text in names
            if looked_up and place and script[place - 1].kind != "COMMA":
                yield comma
            yield replace(script[place], index=True) if looked_up else script[place]
            yield from script[place + 1 : after or place + 1]
            place = after or place + 1
            if looked_up and place < len(script) and script[place].kind != "COMMA":
                yield comma
        yield replace(tokens[end - 1], kind="}", text="}")
        position = end
