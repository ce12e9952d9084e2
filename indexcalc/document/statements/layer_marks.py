"""Names with their scripts as they are written: the pieces of what stands above and below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.statements.nesting import end_of
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

BRACKETS = {"(": ")", "[": "]", "<": ">", "langle": "rangle"}
"""Brackets that may stand around a number or a letter above a name."""

PLAIN = ""
BELOW = "_"
"""The styles of a letter that stands without brackets, above and below; the others are their brackets."""


def is_small_letter(text: str) -> bool:
    r"""Whether a name is one small letter; ``\ell`` is one."""
    return text == "ell" or (len(text) == 1 and text.islower())


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a script: a letter or a number, with what is added to it, in its style.

    Attributes:
        text: the letter, the word or the digits.
        offset: what is added: -1 in ``l-1``.
        style: the opening bracket around it, or `PLAIN`, or `BELOW` for a subscript.
        token: where it stands.
    """

    text: str
    offset: int
    style: str
    token: Token

    @property
    def is_letter(self) -> bool:
        """Whether it is a small letter, alone or with a number added."""
        return is_small_letter(self.text)


@dataclass(frozen=True, slots=True)
class Written:
    """A name with scripts.

    Attributes:
        base: its token.
        above: the pieces of its superscript, without a transpose and a power; None if they are no such pieces.
        below: the pieces of its subscript; None if they are no such pieces.
        rest: the tokens of a transpose or a power, and primes, as they are to stand behind the name.
        superscripts: all tokens above it, and primes, as they stand.
        last: the last token of all scripts.
        start: the place of the base.
        end: the place after the last script.
    """

    base: Token
    above: tuple[Item, ...] | None
    below: tuple[Item, ...] | None
    rest: tuple[Token, ...]
    superscripts: tuple[Token, ...]
    last: Token
    start: int
    end: int


def written_names(tokens: Sequence[Token]) -> Iterator[Written]:
    """The names with scripts, in order; scripts are looked into only where they are no such pieces."""
    position = 0
    while position < len(tokens):
        found = written_at(tokens, position)
        if found is not None:
            yield found
        position = found.end if found is not None and found.above is not None else position + 1


def written_at(tokens: Sequence[Token], position: int) -> Written | None:
    """The name with scripts that starts here; None if there is none."""
    base = tokens[position]
    if base.kind != "NAME" or is_power(tokens, position) or base.text in FUNCTIONS or base.text in STRUCTURAL:
        return None
    above: tuple[Item, ...] | None = ()
    below: tuple[Item, ...] | None = ()
    rest: list[Token] = []
    superscripts: list[Token] = []
    end = position + 1
    while end < len(tokens) and tokens[end].kind in ("SUB", "SUP", "PRIME"):
        if tokens[end].kind == "PRIME":
            rest.append(tokens[end])
            superscripts.append(tokens[end])
            end += 1
            continue
        inner, after = argument(tokens, end + 1)
        if tokens[end].kind == "SUB":
            inner = tuple(token for token in inner if token.kind not in ("[", "]"))
            below = items_of(inner, BELOW) if below == () else None
        else:
            superscripts.extend(tokens[end:after])
            inner, turned = without_marks(inner)
            found = items_of(inner, PLAIN)
            above = found if above == () else (above if found == () else None)
            rest.extend((tokens[end], *turned) if turned else ())
        end = after
    return Written(base, above, below, tuple(rest), tuple(superscripts), tokens[end - 1], position, end)


def argument(tokens: Sequence[Token], position: int) -> tuple[tuple[Token, ...], int]:
    """The tokens of the script that starts here, without its braces, and where it ends."""
    if position >= len(tokens):
        return (), position
    if tokens[position].kind != "{":
        return (tokens[position],), position + 1
    end = end_of(tokens, position)
    return (tuple(tokens[position + 1 : end - 1]), end) if end else (tuple(tokens[position + 1 :]), len(tokens))


def is_power(tokens: Sequence[Token], position: int) -> bool:
    """Whether a power of e stands here: no letter alone in brackets is above it."""
    if tokens[position].text != "e" or position + 1 >= len(tokens) or tokens[position + 1].kind != "SUP":
        return False
    inner, _ = argument(tokens, position + 2)
    return [token.kind for token in inner[:3]] != ["(", "NAME", ")"]


def without_marks(inner: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """The superscript without the transpose at an end of it, or the power behind a bracket; and that sign."""
    if len(inner) > 1 and inner[-1].kind == "NUM" and inner[-2].text in BRACKETS.values():
        return inner[:-1], inner[-1:]
    if len(inner) > 1 and inner[0].kind == "TOP" and inner[1].text in BRACKETS:
        return inner[1:], inner[:1]
    if not inner or not (inner[-1].kind == "TOP" or (inner[-1].kind, inner[-1].text) == ("NAME", "T")):
        return inner, ()
    nested = len(inner) > 1 and inner[-2].kind == "SUP"
    return (inner[:-2] if nested else inner[:-1]), inner[-1:]


def items_of(tokens: Sequence[Token], style: str) -> tuple[Item, ...] | None:
    """The pieces of a script; None if it is anything else, such as a power with a product in it."""
    items: list[Item] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        opening = token.text if token.text in BRACKETS else ""
        if token.kind == "COMMA" or token.kind in ("{", "}"):
            position += 1
            continue
        item, position = item_at(tokens, position + bool(opening), opening or style)
        if item is None:
            return None
        if opening:
            if position >= len(tokens) or tokens[position].text != BRACKETS[opening]:
                return None
            position += 1
        items.append(item)
    return tuple(items)


def item_at(tokens: Sequence[Token], position: int, style: str) -> tuple[Item | None, int]:
    """The piece that starts here, and where it ends."""
    if position >= len(tokens) or tokens[position].kind not in ("NAME", "NUM", "TEXT"):
        return None, position
    token = tokens[position]
    if token.kind == "NUM" and not token.text.isdigit():
        return None, position
    signs = [token.kind for token in tokens[position + 1 : position + 3]]
    if signs in (["PLUS", "NUM"], ["MINUS", "NUM"]) and token.kind == "NAME" and tokens[position + 2].text.isdigit():
        offset = int(tokens[position + 2].text) * (1 if signs[0] == "PLUS" else -1)
        return Item(token.text, offset, style, token), position + 3
    if signs[:1] in (["PLUS"], ["MINUS"]):
        return None, position
    return Item(token.text, 0, style, token), position + 1
