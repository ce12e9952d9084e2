"""From the tokens of a display to chains of relations: rows, continuation lines, commas, conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from indexcalc.language.latex.grammar import rows_of
from indexcalc.language.latex.systems import system_marks
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import CLOSERS, OPENERS

ALIGNED = frozenset(
    [
        "align",
        "aligned",
        "alignat",
        "alignedat",
        "eqnarray",
        "gather",
        "gathered",
        "split",
        "multline",
        "equation",
        "array",
        "flalign",
        "displaymath",
        "math",
        "subequations",
        "dmath",
    ]
)

OPERATORS = frozenset({"PLUS", "MINUS", "TIMES", "SLASH", "ODOT"})

REMARKS = frozenset({"TEXT", "ODD"})

PARTING = frozenset({"COMMA", "DOT", "SEMICOLON", "QUAD"})

PUNCTUATION = frozenset({"COMMA", "DOT", "SEMICOLON", "QUAD", "NEWLINE", "COLON", "AMP"})


@dataclass(frozen=True, slots=True)
class Member:
    """One side of a relation, and the relation that leads to it (empty for the first)."""

    relation: str
    tokens: tuple[Token, ...]

    @property
    def start(self) -> int:
        """Where it starts in the source."""
        return self.tokens[0].start if self.tokens else -1


@dataclass(frozen=True, slots=True)
class Chain:
    """Members joined by relations.

    `continued` says that its first member is the last one before it; `guessed`, that commas were read as spaces;
    `implied`, that it follows from the chain before it, behind an arrow such as ``=>``.
    """

    members: tuple[Member, ...]
    continued: bool = False
    remarks: tuple[str, ...] = ()
    guessed: bool = False
    implied: bool = False


def implies(token: Token) -> bool:
    """Whether a token parts a chain from one that follows from it."""
    return token.kind == "REL" and token.text == "=>"


def chains_of(tokens: Sequence[Token]) -> Iterator[Chain]:
    """The chains of a display, in order."""
    for row in joined_rows([without_reasons(row) for row in rows(strip_environments(tokens))]):
        before: list[Token] = []
        pending: list[list[Token]] = []
        for piece in pieces(row):
            if any(token.kind == "REL" for token in outer(piece)):
                if pending and relation_after(piece) == "in":
                    piece = [token for part in pending for token in part] + piece  # noqa: PLW2901
                    pending = []
                yield from closed(before, pending)
                before, pending = piece, []
            else:
                pending.append(piece)
        yield from closed(before, pending)


def closed(relation: list[Token], rest: list[list[Token]]) -> Iterator[Chain]:
    """A relation and what follows it without one: factors after commas that were thin spaces, or remarks."""
    if not relation:
        yield from (chain_of(part) for part in rest)
        return
    factors = [part for part in rest if part[0].kind == "NAME" and (len(part) > 2 or part[0].text.isupper())]
    if factors and factors == rest and relation_after(relation) != "in":
        comma = [relation[-1]] if relation[-1].kind == "COMMA" else []
        joined = [*relation[: len(relation) - len(comma)], *(t for part in rest for t in part if t.kind != "COMMA")]
        chain = chain_of(joined)
        yield Chain(chain.members, chain.continued, chain.remarks, guessed=True)
        return
    yield chain_of(relation)
    yield from (chain_of(part) for part in rest)


def without_reasons(tokens: list[Token]) -> list[Token]:
    r"""A line without the reasons in brackets for what is before them, ``(\because a = b)``; the next line goes on."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        starts = [(token.kind, token.text) for token in tokens[place : place + 2]]
        if starts == [("(", "("), ("TEXT", "because")] and (end := closing(tokens, place)) is not None:
            place = end + 1
            continue
        kept.append(tokens[place])
        place += 1
    return kept


def closing(tokens: Sequence[Token], start: int) -> int | None:
    """Where the round bracket closes that opens at a place; None if there is none."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += (tokens[place].kind == "(") - (tokens[place].kind == ")")
        if depth <= 0:
            return place if tokens[place].kind == ")" else None
    return None


def strip_environments(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the begin and end of alignments; the rest of the structure stays."""
    result: list[Token] = []
    systems = system_marks(tokens)
    for place, token in enumerate(tokens):
        if token.kind in ("BEGIN", "END") and (token.text in ALIGNED or place in systems):
            if result and result[-1].kind != "NEWLINE":
                result.append(Token("NEWLINE", "\\\\", token.start))
            continue
        result.append(token)
    return result


def rows(tokens: Sequence[Token]) -> list[list[Token]]:
    """The lines, with their alignment marks gone (a mark after text starts a remark; one at the start is a space)."""
    lines = []
    for row in rows_of(unwrapped(tokens)):
        line: list[Token] = [Token("QUAD", " ", row[1][0].start)] if len(row) > 1 and not row[0] and row[1] else []
        for cell in row:
            if cell and cell[0].kind == "TEXT" and line:
                line.append(Token("QUAD", " ", cell[0].start))
            line.extend(cell)
        lines.append(line)
    return lines


def unwrapped(tokens: Sequence[Token]) -> list[Token]:
    r"""Braces around a whole relation are dropped, as in ``\boxed{a = b}`` and ``{[x] =} & y``."""
    result = list(tokens)
    stack: list[int] = []
    drop: set[int] = set()
    for position, token in enumerate(result):
        if token.kind in ("{", "("):
            stack.append(position)
        elif token.kind in ("}", ")") and stack:
            start = stack.pop()
            if token.kind == ")" and not stands_alone(result, start, position):
                continue
            before = result[start - 1].kind if start else "NEWLINE"
            if before in ("SUB", "SUP", "FRAC", "SQRT", "}") or any(
                result[n].kind in ("SUB", "SUP", "FRAC", "SQRT") for n in stack_owners(result, stack)
            ):
                continue
            if any(t.kind in ("REL", "NEWLINE", "AMP") for t in outer(result[start + 1 : position])):
                drop.update((start, position))
    return [token for position, token in enumerate(result) if position not in drop]


def stands_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a bracket is all there is between separators."""
    before = tokens[start - 1].kind if start else "NEWLINE"
    after = tokens[end + 1].kind if end + 1 < len(tokens) else "NEWLINE"
    return {before, after} <= PUNCTUATION | {"TEXT"}


def stack_owners(tokens: Sequence[Token], stack: Sequence[int]) -> Iterator[int]:
    """The positions before each open brace."""
    yield from (position - 1 for position in stack if position)


def outer(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens outside all brackets."""
    depth = 0
    for token in tokens:
        depth -= token.kind in CLOSERS
        if depth <= 0 and token.kind not in CLOSERS and token.kind not in OPENERS:
            yield token
        depth += token.kind in OPENERS
        depth = max(depth, 0)


def joined_rows(lines: Sequence[list[Token]]) -> list[list[Token]]:
    """Lines that continue the one before are joined to it: they begin with a relation or a sign, or are factors."""
    result: list[list[Token]] = []
    contents = [[token for token in line if token.kind != "QUAD"] for line in lines]
    for number, (line, content) in enumerate(zip(lines, contents, strict=True)):
        if not content:
            continue
        behind = next((one for one in contents[number + 1 :] if one), [])
        before = [token for token in result[-1] if token.kind != "QUAD"] if result else []
        continues = before and (
            (content[0].kind == "REL" and not implies(content[0]))
            or (content[0].kind in OPERATORS and before[-1].kind not in ("COMMA", "DOT", "SEMICOLON"))
            or before[-1].kind in OPERATORS
            or before[-1].kind == "REL"
            or unclosed(before)
            or (is_indented(line) and not is_indented(result[-1]) and has_factors(before, content, behind))
        )
        if continues:
            while content[0].kind == "REL" and result[-1] and result[-1][-1].kind in PARTING:
                result[-1].pop()
            result[-1].extend(content_from(line))
        else:
            result.append(list(line))
    return result


def is_indented(line: Sequence[Token]) -> bool:
    """Whether a line begins with a space, or behind a mark of its alignment."""
    return line[0].kind == "QUAD"


def is_remark_word(token: Token, behind: Token | None) -> bool:
    """Whether a token is text, an arrow, or a word in an upright font that is applied to nothing."""
    applied = behind is not None and behind.kind in ("(", "[", "SUB", "SUP")
    word = token.upright and len(token.text) > len("tr") and not applied
    return token.kind in REMARKS or word or token.text.lower().endswith("arrow")


def has_factors(before: Sequence[Token], content: Sequence[Token], behind: Sequence[Token]) -> bool:
    """Whether a line goes on with the product at the end of a relation before it: it holds factors, and nothing else.

    A word is a remark, and what a relation follows in the next line is a first member. A bracket that is all there is
    may hold a number or a remark.
    """
    related = any(token.kind == "REL" for token in outer(before)) and before[-1].kind not in PUNCTUATION
    words = any(is_remark_word(token, next_one) for token, next_one in zip_longest(content, content[1:]))
    outside = list(outer(content))
    relates = any(token.kind in ("REL", "COMMA", "DOT", "SEMICOLON", "COLON") for token in outside)
    heads = bool(behind) and behind[0].kind == "REL"
    return related and bool(outside or content[0].kind != "(") and not (words or relates or heads)


def content_from(line: Sequence[Token]) -> list[Token]:
    """A line without the wide spaces that indent it."""
    start = next((n for n, token in enumerate(line) if token.kind != "QUAD"), len(line))
    return list(line[start:])


def unclosed(tokens: Sequence[Token]) -> bool:
    """Whether a bracket is still open at the end."""
    return sum((token.kind in OPENERS) - (token.kind in CLOSERS) for token in tokens) > 0


def pieces(row: Sequence[Token]) -> list[list[Token]]:
    """A line split at wide spaces and at commas that part whole relations."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in row:
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
        if depth == 0 and token.kind in ("QUAD", "SEMICOLON", "TEXT", "NEWLINE"):
            if token.kind == "TEXT" or separates(parts[-1]):
                parts.append([token] if token.kind == "TEXT" else [])
            continue
        if depth == 0 and token.kind == "COMMA":
            parts[-1].append(token)
            parts.append([])
            continue
        if depth == 0 and implies(token):
            parts.append([token])
            continue
        parts[-1].append(token)
    return rejoined([part for part in parts if part])


def separates(part: Sequence[Token]) -> bool:
    """Whether a wide space after this ends it: it does not end in a relation or an operator."""
    return bool(part) and part[-1].kind not in OPERATORS and part[-1].kind != "REL"


def rejoined(parts: list[list[Token]]) -> list[list[Token]]:
    """Pieces that are no relation of their own join their neighbour: ``k = 1, ..., N``, a space before ``=``."""
    result: list[list[Token]] = []
    for part in parts:
        if implies(part[0]):
            result.append(part)
            continue
        if result and len(result[-1]) == 1 and implies(result[-1][0]):
            result[-1].extend(part)
            continue
        ranges = part[0].kind == "DOTS" or (result and [t.kind for t in result[-1][-2:]] == ["DOTS", "COMMA"])
        begins = part[0].kind == "REL" or part[0].kind in OPERATORS - {"MINUS"}
        if result and (ranges or (begins and result[-1][-1].kind != "COMMA")):
            result[-1].extend(part)
        elif result and begins and part[0].kind == "REL":
            result[-1] = [*result[-1][:-1], *part]
        else:
            result.append(part)
    return result


def relation_after(piece: Sequence[Token]) -> str:
    """The first relation of a piece."""
    return next((token.text for token in outer(piece) if token.kind == "REL"), "")


def chain_of(piece: Sequence[Token]) -> Chain:
    """The members of a piece: split at the relations outside brackets."""
    members: list[Member] = []
    current: list[Token] = []
    relation = ""
    depth = 0
    implied = bool(piece) and implies(piece[0])
    position = int(implied)
    while position < len(piece):
        token = piece[position]
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
        defines = token.kind == "COLON" and position + 1 < len(piece) and piece[position + 1].text == "="
        if depth <= 0 and (token.kind == "REL" or defines):
            members.append(Member(relation, tuple(trimmed(current))))
            relation = ":=" if defines else token.text
            current = []
            position += 2 if defines or doubled(piece, position) else 1
            continue
        labels = depth <= 0 and token.kind == "COLON" and not members and relation_after(piece[position:]) == "="
        if labels and not is_computed(current) and not is_inner_product(piece[position:]):
            current = []  # what stands before a colon says what the equation is about
            position += 1
            continue
        current.append(token)
        position += 1
    members.append(Member(relation, tuple(trimmed(current))))
    continued = len(members) > 1 and not members[0].tokens
    remarks = tuple(token.text for token in piece if token.kind == "TEXT")
    return Chain(tuple(members), continued and not implied, remarks, implied=implied)


COMPUTING = frozenset({"TIMES", "ODOT", "PLUS", "SLASH", "FRAC"})
"""The signs of a formula with which something is computed."""


def is_computed(before: Sequence[Token]) -> bool:
    r"""Whether a formula stands before a colon, ``(u v^\top) : A``, and no label: signs, or factors in brackets."""
    names = [token for token in before if token.kind == "NAME"]
    bracketed = any(token.kind in OPENERS for token in before) and len(names) > 1
    listed = any(token.kind in ("COMMA", "TEXT") for token in before)
    return not listed and (bracketed or any(token.kind in COMPUTING for token in before))


def is_inner_product(piece: Sequence[Token]) -> bool:
    """Whether a colon begins the second factor of an inner product: the next member has one, or is a trace or a sum."""
    place = next(n for n, token in enumerate(piece) if token.kind == "REL")
    rest = list(outer(piece[place + 1 :]))
    return any(token.kind == "COLON" for token in rest) or (bool(rest) and rest[0].text in ("tr", "Tr", "trace", "sum"))


def doubled(piece: Sequence[Token], position: int) -> bool:
    """Whether a relation is written twice, as programmers write an equals sign, and others that of independence."""
    following = piece[position + 1] if position + 1 < len(piece) else None
    return following is not None and following.kind == "REL" and piece[position].text == following.text


def is_remark(tokens: Sequence[Token]) -> bool:
    """Whether tokens end with words in brackets."""
    return [token.kind for token in tokens[-3:]] == ["(", "TEXT", ")"]


def trimmed(tokens: list[Token]) -> list[Token]:
    """The tokens without punctuation and remarks at either end."""
    start, end = 0, len(tokens)
    while end > start and (tokens[end - 1].kind in PUNCTUATION | {"TEXT"} or is_remark(tokens[:end])):
        end -= 3 if is_remark(tokens[:end]) else 1
    while start < end and tokens[start].kind in PUNCTUATION | {"TEXT"}:
        start += 1
    return tokens[start:end]
