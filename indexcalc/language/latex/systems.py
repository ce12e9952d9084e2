r"""Several equations in one display without ``\\``: a system in braces, or one equation to a line of the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from indexcalc.language.latex.environments import CASES
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import CLOSERS, OPENERS

SEPARATORS = frozenset({"NEWLINE", "AMP", "QUAD", "COMMA", "SEMICOLON", "COLON", "BEGIN", "TEXT", "DOT"})
"""What may stand before a system."""

UNFINISHED = frozenset({"PLUS", "MINUS", "TIMES", "ODOT", "SLASH", "REL", "SUM", "FRAC", "SUB", "SUP", "COMMA", "AMP"})
"""What an equation neither ends nor begins with."""

DEFINES = ("=", ":=")


def system_marks(tokens: Sequence[Token]) -> set[int]:
    r"""The places of ``\begin{cases}`` and ``\end{cases}`` around whole equations, which are no branches."""
    found: set[int] = set()
    for start, end in environments(tokens):
        if tokens[start].text not in CASES or (start and tokens[start - 1].kind not in SEPARATORS):
            continue
        # The branches of a value stand behind a sign of equality, maybe with spaces between.
        before = [token for token in tokens[:start] if token.kind not in ("QUAD", "AMP")]
        inner = tokens[start + 1 : end]
        if not (before and before[-1].kind == "REL") and any(t.kind == "REL" and t.text in DEFINES for t in inner):
            found.update((start, end))
    return found


def with_arrays(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with arrays in brackets as matrices, and with those behind a brace that nothing closes as cases."""
    result = list(tokens)
    dropped: set[int] = set()
    for start, end in environments(tokens):
        before, behind = start - 1, end + 1
        while before >= 0 and tokens[before].kind == "{" and behind < len(tokens) and tokens[behind].kind == "}":
            before, behind = before - 1, behind + 1
        opening, closing = (tokens[n].kind if 0 <= n < len(tokens) else "" for n in (before, behind))
        if tokens[start].text != "array" or opening not in CLOSED_BY:
            continue
        name = "matrix" if closing == CLOSED_BY[opening] else "cases" if tokens[before].text == "{" else ""
        dropped.update((before,) if name == "cases" else ())
        for place in (start, end) if name else ():
            result[place] = replace(tokens[place], text=name)
    return [token for place, token in enumerate(result) if place not in dropped]


CLOSED_BY = {"(": ")", "[": "]", "BAR": "BAR"}
"""The brackets around a matrix."""


def environments(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where each environment begins and ends."""
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind == "BEGIN":
            opened.append(place)
        elif token.kind == "END" and opened:
            yield opened.pop(), place


def with_line_breaks(tokens: Sequence[Token], text: str, offset: int) -> list[Token]:
    """The tokens of a display with a line break between equations that each fill a line of the source.

    Only a display without line breaks and alignments of its own, whose lines all are equations with a name or a
    derivative on the left, is parted; and a line that begins with a derivative only where the line before it is
    about a derivative of the same thing, for else it may be the next factor of a chain rule.
    """
    lines = list(lines_of(tokens, text, offset))
    if len(lines) < 2 or any(token.kind in ("NEWLINE", "BEGIN", "AMP") for token in tokens):
        return list(tokens)
    if not all(is_equation(line) for line in lines) or not all(parted(*pair) for pair in pairwise(lines)):
        return list(tokens)
    result = list(lines[0])
    for line in lines[1:]:
        result.extend([Token("NEWLINE", "\\\\", line[0].start), *line])
    return result


def lines_of(tokens: Sequence[Token], text: str, offset: int) -> Iterator[list[Token]]:
    """The tokens of each line of the source that has any."""
    line: list[Token] = []
    number = 0
    for token in tokens:
        own = text.count("\n", 0, token.start - offset)
        if line and own != number:
            yield line
            line = []
        number = own
        line.append(token)
    if line:
        yield line


def is_equation(line: Sequence[Token]) -> bool:
    """Whether a line has whole brackets, ends and begins as an equation does, and has a plain left side."""
    depth = 0
    for token in line:
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
        if depth < 0:
            return False
    left = left_side(line)
    if depth or not left or line[0].kind in UNFINISHED - {"FRAC"} or line[-1].kind in UNFINISHED:
        return False
    plain = all(token.kind not in ("PLUS", "MINUS", "ODOT", "SLASH", "SUM") for token in left)
    return plain and (line[0].kind == "FRAC" or left[0].kind in ("NAME", "{"))


def left_side(line: Sequence[Token]) -> list[Token]:
    """What stands before the first sign of equality outside brackets; empty if there is none."""
    depth = 0
    for place, token in enumerate(line):
        depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
        if not depth and token.kind == "REL":
            return list(line[:place]) if token.text in DEFINES else []
    return []


def parted(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two lines are two equations: if the second is about a derivative, so is the first, of the same thing."""
    if other[0].kind != "FRAC":
        return True
    return one[0].kind == "FRAC" and [t.text for t in numerator(one)] == [t.text for t in numerator(other)]


def numerator(line: Sequence[Token]) -> list[Token]:
    """The tokens above the stroke of the fraction that a line begins with."""
    depth, above = 0, []
    for token in line[1:]:
        depth += (token.kind == "{") - (token.kind == "}")
        if not depth:
            break
        above.append(token)
    return above
