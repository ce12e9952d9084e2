"""Other ways to write the same formulas and sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from tests.campaign.documents.blocks import Kind, Part, Region, blocks_of, closed, formulas_of, is_tex, regions_of
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.edits import Edit
from tests.campaign.documents.letters import (
    DEFINED,
    NUMERATOR,
    Piece,
    Place,
    bound_letters,
    loss_of,
    pieces_of,
    runs_of,
    sizes_of,
    uses_of,
)

Spelling = Callable[[Document, random.Random], list[Edit]]

TRANSPOSE = re.compile(
    r"\^\s*(?:\{\s*(?:\\(?:mathrm|mathsf|mathtt)\s*\{\s*T\s*\}|\\(?:rm|mathrm|mathsf)\s+T|T|\\top|\\intercal)\s*\}"
    r"|\\top(?![A-Za-z])|\\intercal(?![A-Za-z])|T(?![A-Za-z]))"
)
PLAIN = re.compile(r"\^\s*\{?\s*T")
TOPS = (r"^{\top}", r"^\top ", r"^{\mathrm{T}}", r"^{\mathsf{T}}", r"^{\intercal}", "^T ", "^{T}")


def inner(document: Document) -> Iterator[tuple[Region, str]]:
    """The formulas of a document with their texts."""
    for region in formulas_of(document.text, document.name):
        yield region, document.text[region.inner : region.inner_end]


def places(document: Document, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Where a pattern stands in the formulas."""
    return [
        match
        for region in formulas_of(document.text, document.name)
        for match in pattern.finditer(document.text, region.inner, region.inner_end)
    ]


def transposes(document: Document, rng: random.Random) -> list[Edit]:
    """The sign of a transpose, where T stands for nothing else."""
    found = places(document, TRANSPOSE)
    signs = {match.start() for match in found}
    letters = [piece for piece in pieces_of(document.text, document.name) if piece.text == "T"]
    inside = {at for match in found for at in range(match.start(), match.end())}
    taken = any(piece.start not in inside for piece in letters)
    if not signs or (taken and any(PLAIN.match(match.group()) for match in found)):
        return []
    new = rng.choice([top for top in TOPS if not (taken and PLAIN.match(top))])
    return [Edit(match.start(), match.end(), new) for match in found]


def fractions(document: Document, rng: random.Random) -> list[Edit]:
    """Blanks in fractions, or their other commands."""
    found = places(document, re.compile(r"\\([dt]?frac)\s*(?=\{)"))
    way = rng.choice(("blanks", "dfrac", "tfrac", "frac", "inside"))
    edits = []
    for match in found:
        if way == "inside":
            end = closed(document.text, match.end())
            edits += [Edit(match.end(), match.end() + 1, "{ "), Edit(end - 1, end, " }")] if end > 0 else []
        else:
            edits.append(Edit(match.start(), match.end(), r"\frac " if way == "blanks" else rf"\{way}"))
    return edits


def differentials(document: Document, rng: random.Random) -> list[Edit]:
    """The sign of the loss's derivatives, which are total however they are written."""
    text = document.text
    loss = loss_of(text)
    if not loss or DEFINED.search(text) or re.search(r"\\partial\s*\^|d\s*\^\s*\{?2", text):
        return []
    letter = re.sub(r"(?<=mathcal)\{", r"\\s*\\{", re.escape(loss).replace(r"\{", "{").replace(r"\}", "}"))
    letter = letter.replace("}", r"\}")
    named = any(
        "d" in run.text and run.place is Place.BASE and run.text[0] != "d" for run in runs_of(text, document.name)
    )
    alone = any(run.text == "d" and run.place is Place.BASE for run in runs_of(text, document.name))
    straight = r"\mathrm{d} " if named or alone else rng.choice(("d ", r"\mathrm{d} "))
    edits = []
    for sign, new in ((r"\\partial", straight), (r"d|\\mathrm\s*\{d\}", r"\partial ")):
        if sign.startswith("d") and edits:
            break
        whole = re.compile(
            rf"\\[dt]?frac\s*\{{\s*(?P<one>{sign})\s*{letter}\s*\}}\s*\{{\s*(?P<other>{sign})(?![A-Za-z])\s*"
        )
        sloped = re.compile(rf"(?P<one>{sign})\s*{letter}\s*/\s*(?P<other>{sign})(?![A-Za-z])\s*")
        if sign.startswith("d"):
            whole = re.compile(whole.pattern.replace("(?![A-Za-z])", ""))
            sloped = re.compile(r"(?<![A-Za-z\\])" + sloped.pattern.replace("(?![A-Za-z])", ""))
        for match in (*places(document, whole), *places(document, sloped)):
            edits += [Edit(*match.span("one"), new), Edit(match.start("other"), match.end(), new)]
    return edits


def fonts(document: Document, rng: random.Random) -> list[Edit]:
    """Bold letters by another command; or matrices, if no letter is bold, in bold."""
    text, name = document.text, document.name
    if DEFINED.search(text):
        return []
    bold = {piece.font for piece in pieces_of(text, name)} & {r"\mathbf", r"\boldsymbol", r"\bm"}
    if len(bold) == 1:
        (old,) = bold
        new = rng.choice(sorted({r"\mathbf", r"\boldsymbol", r"\bm"} - bold))
        return [
            Edit(match.start(), match.end(), new + match["rest"])
            for match in places(document, re.compile(rf"{re.escape(old)}(?P<rest>\s*\{{?\s*\\?[A-Za-z])"))
        ]
    return [] if bold else in_bold(document)


MATRIX = re.compile(r"_\{\s*[a-z]\s*,?\s*[a-z]\s*\}|\^\s*\{?\s*(?:T|\\top)\b")
"""What follows the name of a matrix somewhere."""


def in_bold(document: Document) -> list[Edit]:
    """Capital letters that are names of tensors in bold."""
    text, name = document.text, document.name
    bound = bound_letters(text, name) | sizes_of(text) | {match["loss"][-1] for match in NUMERATOR.finditer(text)}
    runs = runs_of(text, name)
    bound |= {letter for run in runs if run.text[0] in "dD" and len(run.text) > 1 for letter in run.text}
    starts = {piece.start for piece in pieces_of(text, name)}
    edits = []
    for letter, uses in uses_of(text, name).items():
        on_line = [piece for piece in uses if piece.place is Place.BASE]
        if letter in bound or not letter.isupper() or not any(MATRIX.match(text, piece.end) for piece in on_line):
            continue
        if any(piece.font or piece.place is Place.ABOVE or not free(text, piece, starts) for piece in uses):
            continue
        edits += [Edit(piece.start, piece.end, rf"\mathbf{{{letter}}}") for piece in on_line]
    return edits


def free(text: str, piece: Piece, starts: set[int]) -> bool:
    """Whether a letter is no argument that a command or a script takes without braces."""
    before = text[: piece.start].rstrip()[-20:]
    found = re.search(r"\\([A-Za-z]+)$", before)
    return piece.start in starts and not before.endswith(("_", "^")) and (found is None or found[1] in AFTER)


AFTER = frozenset(
    (
        *(
            "partial",
            "quad",
            "qquad",
            "cdot",
            "times",
            "left",
            "right",
            "sum",
            "log",
            "exp",
            "in",
            "odot",
            "top",
            "circ",
        ),
        *("det", "ln", "nabla", "otimes", "le", "ge", "leq", "geq", "neq", "sigma", "alpha", "beta", "gamma", "lambda"),
        *("mu", "eta", "epsilon", "theta", "phi", "to", "max", "min", "tanh", "Bigl", "bigl", "Bigr", "bigr", "big"),
        *("Big", "rVert", "lVert", "Delta", "delta"),
    )
)
"""Commands that take no argument."""


BLANK = re.compile(r"(?<=[^\s\\&]) (?=\\[A-Za-z]|[A-Za-z][^.)])")


def line_breaks(document: Document, rng: random.Random) -> list[Edit]:
    """Lines of displays broken where there is a blank."""
    edits = []
    for region in free_displays(document):
        for match in re.finditer(
            r"(?<=[^\s\\&]) (?=\\[A-Za-z]|[A-Za-z][^.)])", document.text[region.inner : region.inner_end]
        ):
            if rng.random() < 0.3 and not in_word(document, region.inner + match.start()):
                edits.append(Edit(region.inner + match.start(), region.inner + match.end(), "\n"))
    return edits


def joined_lines(document: Document, rng: random.Random) -> list[Edit]:
    """Displays of several lines in one."""
    edits = []
    for region in free_displays(document):
        own = document.text[region.inner : region.inner_end]
        start = 0 if document.text[region.start] in "$\\" else len(own) - len(own.lstrip())
        end = len(own) if document.text[region.start] in "$\\" else len(own.rstrip())
        for match in re.finditer(r"[ \t]*\n[ \t]*", own[start:end]):
            if loose(own[start : start + match.start()], own[start + match.end() :]):
                continue
            at = region.inner + start + match.start()
            edits.append(Edit(at, at + len(match.group()), " "))
    return edits


def loose(before: str, behind: str) -> bool:
    """Whether only the break of the line shows where one equation ends and the next begins."""
    last, first = before.rsplit("\n", 1)[-1].rstrip(), behind.split("\n", 1)[0]
    return (
        "=" in last and "=" in first and not re.search(r"\\\\$|[-+=&,]$", last) and not re.match(r"\s*[-+=&\\]", first)
    )


def free_displays(document: Document) -> Iterator[Region]:
    """Displays that stand on lines of their own, neither indented nor quoted, without comments."""
    text = document.text
    alone = {block.start for block in blocks_of(text, document.name) if block.kind is Kind.DISPLAY}
    for region in formulas_of(text, document.name):
        own = text[region.inner : region.inner_end]
        if region.part is Part.DISPLAY and region.start in alone and not re.search(r"(?<!\\)%|\n[ \t]*>|\n\s*\n", own):
            yield region


def in_word(document: Document, position: int) -> bool:
    """Whether a position is in the argument of a command that takes words."""
    before = document.text[max(0, position - 80) : position]
    opened = re.search(r"\\(?:text\w*|mbox|operatorname\*?|tag|label|begin|end)\s*\{[^{}]*$", before)
    return opened is not None


def brackets(document: Document, rng: random.Random) -> list[Edit]:
    r"""Without ``\left`` and ``\right``, or with them."""
    return shrinking_brackets(document) or growing_brackets(document, rng)


def shrinking_brackets(document: Document) -> list[Edit]:
    r"""Pairs of ``\left`` and ``\right`` taken away from round and square brackets."""
    edits: list[Edit] = []
    opened: list[tuple[Piece, Piece]] = []
    pieces = pieces_of(document.text, document.name)
    for piece, following in pairwise(pieces):
        if piece.text == r"\left":
            opened.append((piece, following))
        elif piece.text == r"\right" and opened:
            first, bracket = opened.pop()
            if bracket.text in "([" and following.text in ")]" and first.region == piece.region:
                edits += [Edit(first.start, bracket.start, ""), Edit(piece.start, following.start, "")]
    return edits


def growing_brackets(document: Document, rng: random.Random) -> list[Edit]:
    r"""``\left`` and ``\right`` put to round brackets of one row."""
    edits: list[Edit] = []
    opened: list[tuple[Piece, Piece] | None] = []
    before = Piece(-1, "", Place.BASE, "", -1)
    for piece in pieces_of(document.text, document.name):
        if piece.region != before.region:
            opened = []
        if piece.text in ("(", "{", "["):
            opened.append((piece, before) if piece.text == "(" and piece.place is Place.BASE else None)
        elif piece.text in (")", "}", "]") and opened:
            first = opened.pop()
            if piece.text == ")" and first is not None and not re.match(r"\\\w+", before.text):
                row = document.text[first[0].start : piece.start]
                if not re.search(r"&|\\\\", row) and not sized(first[1]) and rng.random() < 0.6:
                    edits += [Edit(first[0].start, first[0].end, r"\left("), Edit(piece.start, piece.end, r"\right)")]
        elif piece.text in ("&", r"\\"):
            opened = [None for _ in opened]
        before = piece
    return edits


def sized(piece: Piece) -> bool:
    """Whether a piece says how large the bracket behind it is."""
    return re.fullmatch(r"\\(?:left|right|[bB]igg?[lr]?)", piece.text) is not None


DOTTED = re.compile(r"(?<![\w.}^_\\])(?<![\^_{]\s)(?P<number>[0-9]+)\s*\\cdot(?![A-Za-z])\s*(?=\\?[A-Za-z(])")
UNDOTTED = re.compile(
    r"(?<![\w.}^_\\,])(?P<number>[0-9]+)(?P<gap>\s*(?:\\,)?\s*)(?=[A-Za-z]|\\(?:frac|sum)(?![A-Za-z]))"
)


def dots(document: Document, rng: random.Random) -> list[Edit]:
    """A dot behind a number, or none."""
    there = places(
        document, re.compile(r"(?<![\w.}^_\\])(?<![\^_{]\s)(?P<number>[0-9]+)\s*\\cdot(?![A-Za-z])\s*(?=\\?[A-Za-z(])")
    )
    if there:
        return [Edit(match.start(), match.end(), rf"{match['number']} \, ") for match in there]
    missing = places(
        document, re.compile(r"(?<![\w.}^_\\,])(?P<number>[0-9]+)(?P<gap>\s*(?:\\,)?\s*)(?=[A-Za-z]|\\(?:frac|sum)\b)")
    )
    base = {piece.start for piece in pieces_of(document.text, document.name) if piece.place is Place.BASE}
    return [Edit(*match.span("gap"), r" \cdot ") for match in missing if match.start() in base and rng.random() < 0.7]


def thin_spaces(document: Document, rng: random.Random) -> list[Edit]:
    """Small spaces in formulas, taken away."""
    return [Edit(*match.span(), " ") for match in places(document, re.compile(r"\s*\\[,;!:](?!\\)\s*"))]


SYNONYMS = (
    *(
        ("we get", "we obtain"),
        ("we obtain", "we get"),
        ("Therefore", "Hence"),
        ("therefore", "hence"),
        ("Thus", "Hence"),
    ),
    *(("the average of", "the mean of"), ("the mean of", "the average of"), ("with respect to", "w.r.t.")),
    *(("w.r.t.", "with respect to"), ("element-wise", "entry by entry"), ("elementwise", "element-wise")),
    *(("Note that", "Observe that"), ("note that", "observe that"), ("that is,", "i.e.,"), ("i.e.", "that is,")),
    *(("Similarly", "Likewise"), ("similarly", "likewise"), ("suppose", "assume"), ("Suppose", "Assume")),
    *(("Substitute", "Insert"), ("Combining", "Taken together"), ("Differentiate", "Take the derivative of")),
    *(("can be written as", "may be written as"), ("is given by", "reads"), ("rewrite", "write")),
    *(("compute", "calculate"), ("Compute", "Calculate"), ("collapses", "removes")),
)
"""Words and others of the same sense in a derivation."""


def synonyms(document: Document, rng: random.Random) -> list[Edit]:
    """Words of the prose by others of the same sense."""
    text, edits, done = document.text, [], 0
    stretches = []
    for region in regions_of(text, document.name):
        stretches.append((done, region.start))
        done = region.end
    for start, end in (*stretches, (done, len(text))):
        for old, new in SYNONYMS:
            for match in re.finditer(rf"(?<![\w\\]){re.escape(old)}(?!\w)", text[start:end]):
                if (
                    not is_tex(document.name)
                    or "\\" not in text[max(0, start + match.start() - 20) : start + match.start()]
                ):
                    edits.append(Edit(start + match.start(), start + match.end(), new))
    return [edit for edit in edits if rng.random() < 0.7]


SPELLINGS: dict[str, Spelling] = {
    "transposes": transposes,
    "fractions": fractions,
    "differentials": differentials,
    "fonts": fonts,
    "line breaks": line_breaks,
    "joined lines": joined_lines,
    "brackets": brackets,
    "dots": dots,
    "thin spaces": thin_spaces,
    "synonyms": synonyms,
}
