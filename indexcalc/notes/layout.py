r"""Long formulas broken into lines: widths are estimated from the LaTeX, breaks taken at the marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache

SOFT, WEAK = "\x1e", "\x1f"
"""Where a line may end: between terms, and less willingly inside a parenthesis or between factors."""

MARK = re.compile(f"[{SOFT}{WEAK}]")

BETWEEN_FACTORS = r" \, "
"""The thin space of a product, with a `WEAK` mark behind it where a line may end."""

LINE_WIDTH = 60.0
"""The widest line, in widths of an average letter of the body font."""

LEFT_WIDTH = 20.0
"""The widest left side that a right side may stand beside in a broken equation."""

BESIDE = 12.0
"""By how much a line with a reason beside it may be wider than others: words are set more tightly than formulas."""

SMALL = 0.7
"""The width of a letter in a subscript or an exponent, in that of one in the body."""

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|.", re.DOTALL)
NO_WIDTH = frozenset(
    (r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\left", r"\right", r"\mathrm", r"\mathtt", r"\mathcal", r"\boxed")
)
WIDTHS = {
    **{r"\sum": 2.2, r"\,": 0.4, r"\quad": 2.0, r"\qquad": 4.0, r"\le": 2.0, r"\odot": 2.0, r"\partial": 1.1},
    **{"+": 2.2, "-": 2.2, "=": 2.8, "<": 2.4, ",": 0.8, "(": 0.8, ")": 0.8, "[": 0.6, "]": 0.6},
}
"""The widths of what is not as wide as an average letter."""


MARKED = re.compile(r"\\mark\{[^{}]*\}")
"""What `marked` puts in front of a symbol; it takes no room."""


def marked(mark: str, symbol: str) -> str:
    r"""A symbol with a mark that says what it stands for; ``\mark`` is no command of TeX, and `formula` reads it."""
    return rf"\mark{{{mark}}}{{{symbol}}}"


def solid(text: str) -> str:
    """The text without its marks: for what must stay on one line, such as a numerator."""
    return text.replace(SOFT, "").replace(WEAK, "")


class Place(Enum):
    """Where the next item of a formula stands."""

    LINE = auto()
    SCRIPT = auto()
    NUMERATOR = auto()
    DENOMINATOR = auto()


PLACES = {"^": Place.SCRIPT, "_": Place.SCRIPT, r"\frac": Place.NUMERATOR}
"""What puts the next item in a place of its own."""


def width(text: str) -> float:
    """An estimate of the printed width, in average letters; marks stand in no group, so it is that of the pieces."""
    return sum(map(unmarked_width, MARK.split(MARKED.sub("", text))))


def fits(text: str, room: float) -> bool:
    """Whether a text is at most so wide, seen as soon as it is not."""
    taken = 0.0
    for piece in MARK.split(MARKED.sub("", text)):
        taken += unmarked_width(piece)
        if taken > room:
            return False
    return True


@lru_cache(maxsize=65_536)
def unmarked_width(text: str) -> float:
    """The width of what has no marks in it."""
    totals = [0.0]  # of the line, and of each group that is open
    places: list[Place] = []
    numerators: list[float] = []
    place = Place.LINE
    for token in TOKEN.findall(text):
        if token == "{":
            places.append(place)
            totals.append(0.0)
            place = Place.LINE
            continue
        if token == "}":
            if not places:
                break
            item, place = totals.pop(), places.pop()
        elif token in PLACES:
            place = PLACES[token]
            continue
        elif token.isspace() or token in NO_WIDTH:
            continue
        else:
            item = WIDTHS.get(token, 1.0)
        if place is Place.NUMERATOR:
            numerators.append(item)
            place = Place.DENOMINATOR
            continue
        if place is Place.DENOMINATOR:
            item = max(numerators.pop(), item) + 0.5
        elif place is Place.SCRIPT:
            item *= SMALL
        totals[-1] += item
        place = Place.LINE
    return sum(totals)


def wrapped(text: str, room: float) -> list[str]:
    """Lines of at most about `room`, broken between terms if that is enough, else inside them."""
    if fits(text, room):
        return [solid(text)]
    lines = filled(text.split(SOFT), room)
    return [solid(part) for line in lines for part in ([line] if fits(line, room) else filled(line.split(WEAK), room))]


def filled(pieces: Sequence[str], room: float) -> list[str]:
    r"""Pieces put on lines, as many on each as fit; a product that is parted goes on with ``\cdot``.

    Without that sign the factors of the second line would seem to be a formula of their own.
    """
    lines: list[str] = []
    taken = 0.0
    for piece in pieces:
        more = width(piece)
        if lines and taken + more <= room:
            lines[-1] += piece
            taken += more
            continue
        parted = bool(lines) and lines[-1].endswith(BETWEEN_FACTORS)
        if parted:
            lines[-1] = lines[-1].removesuffix(BETWEEN_FACTORS)
        lines.append(rf"\cdot {piece}" if parted else piece)
        taken = width(lines[-1])
    return lines


def reasoned_latex(left: str, parts: Sequence[str], reasons: Sequence[str]) -> str:
    r"""``left = part`` with a reason beside each part; one that has no room beside its part stands below it."""
    rows: list[str] = []
    room = LINE_WIDTH - min(width(left), LEFT_WIDTH) - 6
    if width(left) > LEFT_WIDTH:
        rows = [f"&{solid(left)}"]
    for number, (part, reason) in enumerate(zip(parts, reasons, strict=True)):
        first, *others = wrapped(part, room)
        rows.append(f"{'' if number or rows else solid(left)} &= {first}")
        rows.extend(rf"&\qquad {line}" for line in others)
        if reason and width(rows[-1]) + width(reason) <= LINE_WIDTH + BESIDE:
            rows[-1] += rf" && {reason}"
        elif reason:
            rows.append(rf"&\qquad {reason}")
    body = " \\\\\n".join(" ".join(row.split()) for row in rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def chain_latex(left: str, relation: str, parts: Sequence[str]) -> str:
    r"""``left = part = part``: on one line if it fits, else aligned at the equals signs.

    A left side that leaves little room stands on lines of its own.
    """
    whole = f"{left} {relation} " + " = ".join(parts)
    if fits(whole, LINE_WIDTH):
        return solid(whole)
    signs = [relation, *["="] * (len(parts) - 1)]
    if not fits(left, LEFT_WIDTH):
        first, *others = wrapped(left, LINE_WIDTH)
        rows = [f"&{first}", *(rf"&\qquad {line}" for line in others)]
        for sign, part in zip(signs, parts, strict=True):
            first, *others = wrapped(part, LINE_WIDTH - 6)
            rows.append(rf"&\quad {sign} {first}")
            rows.extend(rf"&\qquad {line}" for line in others)
    else:
        rows = []
        for number, (sign, part) in enumerate(zip(signs, parts, strict=True)):
            first, *others = wrapped(part, LINE_WIDTH - width(left) - 6)
            rows.append(f"{'' if number else solid(left)} &{sign} {first}")
            rows.extend(rf"&\qquad {line}" for line in others)
    body = " \\\\\n".join(" ".join(row.split()) for row in rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


TALL = ("\\frac", "\\sum", "\\sqrt")


def parenthesised(text: str) -> str:
    """The text in parentheses that are large enough, and that a line break may part."""
    if any(tall in text for tall in TALL):
        return rf"\Bigl({text.replace(SOFT, WEAK)}\Bigr)"
    return f"({text.replace(SOFT, WEAK)})"


def bracketed(text: str) -> str:
    """The text in square brackets: what an operator in front acts on."""
    if any(tall in text for tall in TALL):
        return rf"\Bigl[{text.replace(SOFT, WEAK)}\Bigr]"
    return rf"\bigl[{text.replace(SOFT, WEAK)}\bigr]"
