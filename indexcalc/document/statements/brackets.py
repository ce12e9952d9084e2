"""``A[i,j]`` and ``A[i][j]``, as code writes entries, and ``A(i,j)``: read as ``A_{ij}``, in definitions too.

One letter alone in brackets is an index only if it is one elsewhere, for ``a [x]`` may be a product. What stands in
round ones are indices if sums run over them: a function of a letter that numbers entries is an array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

SPREADS = {"Var": 1, "Cov": 2}
"""The names of variances and covariances, and of how many things they are at most."""

DIVERGENCES = frozenset({"KL", "D_KL"})
"""The names of divergences, with what stands below them."""

OPERATORS = frozenset({"E", "P", *SPREADS, "Pr", "KL", "D"})
"""Names whose square brackets hold an argument."""


def with_brackets(pieces: Sequence[list[Token]]) -> list[list[Token]]:
    """The tokens of a document's mathematics, entries in brackets as subscripts."""
    tables = tables_in(pieces)
    pieces = [list(with_entries(tokens, tables)) for tokens in pieces] if tables else pieces
    if not any(listed(tokens, position)[1] for tokens in pieces for position in range(len(tokens))):
        return list(pieces)
    indices = frozenset(letter for tokens in pieces for letter in index_letters(tokens))
    return [list(lowered(tokens, indices)) for tokens in pieces]


def listed(tokens: Sequence[Token], position: int) -> tuple[int, int]:
    """Where the lists in brackets behind the name that stands here begin and end; ``(0, 0)`` if there are none."""
    name = tokens[position].text
    if tokens[position].kind != "NAME" or name in OPERATORS or name in FUNCTIONS or name in STRUCTURAL:
        return 0, 0
    start = end = after_scripts(tokens, position + 1)
    while end < len(tokens) and tokens[end].kind == "[" and (after := list_end(tokens, end)):
        end = after
    return (start, end) if end > start else (0, 0)


def list_end(tokens: Sequence[Token], position: int) -> int:
    """Where a list of letters, numbers and colons in square brackets ends; 0 if it is anything else."""
    place = position + 1
    while place + 1 < len(tokens) and is_place(tokens[place]):
        place += 1
        while tokens[place].kind == "PRIME" and place + 1 < len(tokens):
            place += 1
        if tokens[place].kind == "]":
            return place + 1
        if tokens[place].kind != "COMMA":
            return 0
        place += 1
    return 0


def is_place(token: Token) -> bool:
    """Whether a token is a letter of an index, the number of an entry, or all of an axis."""
    letter = token.kind == "NAME" and ((len(token.text) == 1 and token.text.islower()) or token.text in GREEK)
    return letter or token.kind == "COLON" or (token.kind == "NUM" and token.text.isdigit())


def index_letters(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters of subscripts, those of sums too, and of lists of several."""
    for position, token in enumerate(tokens):
        if token.kind == "SUB":
            yield from (part.text for part in tokens[position : after_scripts(tokens, position)] if part.kind == "NAME")
        start, end = listed(tokens, position)
        names = [part.text for part in tokens[start:end] if part.kind == "NAME"]
        yield from names if len(names) > 1 else ()


def lowered(tokens: Sequence[Token], indices: frozenset[str]) -> Iterator[Token]:
    """The tokens of one formula, entries in brackets as subscripts that keep their brackets."""
    position = 0
    while position < len(tokens):
        start, end = listed(tokens, position)
        parts = [part for part in tokens[start:end] if is_place(part)]
        before = tokens[position:start]
        certain = len(parts) > 1 or any(part.kind != "NAME" or part.text in indices for part in parts)
        named = labelled_name(before) if end and certain else None
        if named is None:
            after = max(start, position + 1)
            yield from tokens[position:after]
            position = after
            continue
        first, last = tokens[start], tokens[end - 1]
        yield from named
        yield replace(first, kind="SUB", text="_")
        yield replace(first, kind="{", text="{")
        yield from tokens[start:end]
        yield replace(last, kind="}", text="}")
        position = end


def labelled_name(tokens: Sequence[Token]) -> list[Token] | None:
    """A name with its superscripts, a label below it made a part of it; None if an index stands below it."""
    below = [place for place, token in enumerate(tokens) if token.kind == "SUB"]
    if not below:
        return list(tokens)
    label = [token for token in tokens[1:] if token.kind not in ("SUB", "{", "}")]
    if below != [1] or len(label) != 1 or not (label[0].kind == "TEXT" or label[0].text[:1].isupper()):
        return None
    return [replace(tokens[0], text=f"{tokens[0].text}_{label[0].text}", last=tokens[-1].start)]


# Arrays as functions of their indices

DENSITIES = frozenset({"p", "q", "P", "Pr"})
"""The names of densities: which one is meant is told by what it is of, so that no array has such a name."""

Table = tuple[str, int]
"""The name of an array that is written as a function, and how many indices it has."""

CLOSING = {"(": ")", "{": "}", "[": "]"}

OF_PLACES = frozenset({"NAME", "NUM", "PLUS", "MINUS", "TIMES", "FRAC", "PRIME", "SUB", "{", "}", "(", ")"})
"""The tokens of indices that are expressions."""

REACH = 120
"""The most tokens of one such list of indices."""


def tables_in(pieces: Sequence[Sequence[Token]]) -> frozenset[Table]:
    """The arrays that a document writes as functions of their indices.

    Sums run over some of their arguments, all of these are letters somewhere, and no bracket of the name holds
    anything but indices. What expectations draw, and what is differentiated by, is no index.
    """
    summed = frozenset[str]().union(*map(summed_in, pieces))
    values = frozenset(name for tokens in pieces for name in values_in(tokens))
    if not summed:
        return frozenset()
    seen: dict[str, set[int]] = {}
    certain: set[Table] = set()
    for tokens in pieces:
        for position in range(len(tokens) - 1):
            start, parts = arguments_at(tokens, position)
            if not start:
                continue
            name, indices = tokens[position].text, all(map(is_expression, parts))
            if name in DENSITIES:
                continue
            seen.setdefault(name, set()).add(len(parts) if indices else 0)
            letters = [part[0].text for part in parts if len(part) == 1 and is_place(part[0])]
            if len(letters) == len(parts) > 1 and summed.intersection(letters) and values.isdisjoint(letters):
                certain.add((name, len(parts)))
    return frozenset((name, count) for name, count in certain if 0 not in seen[name])


def summed_in(tokens: Sequence[Token]) -> frozenset[str]:
    """The letters over which sums run."""
    found = set[str]()
    for position, token in enumerate(tokens[:-1]):
        if token.kind == "SUM" and tokens[position + 1].kind == "SUB":
            below = tokens[position + 2 : after_scripts(tokens[: position + REACH], position + 1)]
            kinds = [one.kind for one in below]
            end = kinds.index("REL") if "REL" in kinds else len(below)
            found.update(one.text for one in below[:end] if one.kind == "NAME")
    return frozenset(found)


def values_in(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The letters that are no indices: what is drawn, ``x \sim p``, and what is alone under a sign of a derivative."""
    for position, token in enumerate(tokens[:-1]):
        following = tokens[position + 1]
        if token.kind == "NABLA":
            yield from (
                one.text for one in tokens[position : after_scripts(tokens, position + 1)] if one.kind == "NAME"
            )
        if token.kind == "NAME" and following.kind == "REL" and following.text == "~":
            yield token.text
        if (token.kind == "PARTIAL" or token.text == "d") and following.kind == "NAME":
            end = position + 2
            if end >= len(tokens) or tokens[end].kind not in ("SUB", "(", "["):
                yield following.text


def arguments_at(tokens: Sequence[Token], position: int) -> tuple[int, list[Sequence[Token]]]:
    """Where the round bracket opens behind the name that stands here, and what stands in it between commas."""
    name = tokens[position]
    script = position > 0 and tokens[position - 1].kind in ("SUB", "SUP")
    if script or name.kind != "NAME" or name.text in OPERATORS or name.text in FUNCTIONS or name.text in STRUCTURAL:
        return 0, []
    start = position + 1
    while start < len(tokens) and tokens[start].kind == "PRIME":
        start += 1
    if start >= len(tokens) or tokens[start].kind != "(":
        return 0, []
    depth, parts, begin = 0, [], start + 1
    for place in range(start, min(len(tokens), start + REACH)):
        kind = tokens[place].kind
        depth += (kind in CLOSING) - (kind in CLOSING.values())
        if depth == 0 or (depth == 1 and kind == "COMMA"):
            parts.append(tokens[begin:place])
            begin = place + 1
        if depth == 0:
            return (start, parts) if len(parts) > 1 else (0, [])
    return 0, []


def is_expression(part: Sequence[Token]) -> bool:
    """Whether tokens may be an index: letters, sizes and whole numbers with signs between them."""
    return bool(part) and all(token.kind in OF_PLACES for token in part)


def with_entries(tokens: Sequence[Token], tables: frozenset[Table]) -> Iterator[Token]:
    """The tokens of one formula, the arguments of such arrays as subscripts."""
    position = 0
    while position < len(tokens):
        start, parts = arguments_at(tokens, position)
        if not start or (tokens[position].text, len(parts)) not in tables:
            yield tokens[position]
            position += 1
            continue
        end = start + sum(map(len, parts)) + len(parts)
        first, last = (replace(tokens[place], index=True) for place in (start, end))
        yield from tokens[position:start]
        yield replace(first, kind="SUB", text="_")
        yield replace(first, kind="{", text="{")
        yield from (first, *tokens[start + 1 : end], last)
        yield replace(last, kind="}", text="}")
        position = end + 1


def tables_read(tokens: Sequence[Token]) -> Iterator[Table]:
    """The arrays whose indices are read as subscripts, and keep their round brackets."""
    for position, token in enumerate(tokens):
        if token.kind == "(" and token.index:
            before = (one for one in reversed(tokens[:position]) if one.kind not in ("SUB", "{", "PRIME"))
            for name in islice(before, 1):
                _, parts = arguments_at([name, *tokens[position:]], 0)
                yield name.text, len(parts)
