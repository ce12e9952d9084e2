"""The letters of a document's formulas: where each stands, and which of them may bear another name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from tests.campaign.documents.blocks import Part, Region, formulas_of, regions_of
from tests.campaign.documents.edits import Edit
from tests.campaign.documents.formulas import PIECE


class Place(StrEnum):
    """Where a piece of a formula stands."""

    BASE = "base"
    BELOW = "below"
    ABOVE = "above"
    WORD = "word"


@dataclass(frozen=True)
class Piece:
    """A piece of LaTeX in its place.

    Attributes:
        start: its position in the document.
        text: what is written.
        place: on the line, in a subscript or superscript, or in the argument of a command that takes words.
        font: the command for the font that it is in.
        region: the number of its formula.
    """

    start: int
    text: str
    place: Place
    font: str
    region: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Run:
    """Letters that stand next to each other, and whether a round bracket follows."""

    pieces: tuple[Piece, ...]
    called: bool

    @property
    def text(self) -> str:
        """The letters."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def place(self) -> Place:
        """Where they stand."""
        return self.pieces[0].place


WORDS = frozenset(
    rf"\{name}"
    for name in (
        *("text", "mbox", "textrm", "textbf", "textit", "operatorname", "mathrm", "mathtt", "mathsf", "mathbb", "rm"),
        *("label", "tag", "ref", "eqref", "color", "hspace", "vspace", "mathop", "phantom", "textcolor", "cite"),
        *("href", "style", "class"),
    )
)
"""Commands whose argument is no product of letters."""

FONTS = frozenset((r"\mathbf", r"\boldsymbol", r"\bm", r"\mathcal", r"\mathit", r"\mathfrak", r"\bf"))


@lru_cache(maxsize=128)
def pieces_of(text: str, name: str) -> tuple[Piece, ...]:
    """The pieces of all formulas of a document, in order, without blanks."""
    return tuple(
        piece for number, region in enumerate(formulas_of(text, name)) for piece in pieces_in(text, region, number)
    )


def pieces_in(text: str, region: Region, number: int) -> Iterator[Piece]:
    """The pieces of a formula."""
    states: list[tuple[Place, str]] = [(Place.BASE, "")]
    coming: tuple[Place, str] | None = None
    for match in PIECE.finditer(text, region.inner, region.inner_end):
        piece = match.group()
        place, font = states[-1]
        own = coming or (place, font)
        if piece.isspace() or piece.startswith("%"):
            continue
        yield Piece(match.start(), piece, own[0], own[1], number)
        if piece == "{":
            states.append(own)
            coming = None
        elif piece == "}":
            if len(states) > 1:
                states.pop()
            coming = None
        elif piece in ("_", "^"):
            script = Place.BELOW if piece == "_" else Place.ABOVE
            coming = (own[0] if own[0] is Place.WORD else script, own[1])
        elif piece in WORDS:
            coming = (Place.WORD, piece)
        elif piece in FONTS:
            coming = (own[0], piece)
        else:
            coming = None


@lru_cache(maxsize=128)
def runs_of(text: str, name: str) -> tuple[Run, ...]:
    """The runs of letters in the formulas of a document; words in fonts of their own are left out."""
    found: list[Run] = []
    run: list[Piece] = []
    alike = (Place.BASE, "")
    for piece in (*pieces_of(text, name), Piece(len(text), "", Place.WORD, "", -1)):
        letter = len(piece.text) == 1 and piece.text.isascii() and piece.text.isalpha()
        here = letter and piece.place is not Place.WORD
        if run and not (here and piece.start == run[-1].end and (piece.place, piece.font) == alike):
            called = piece.text in ("(", r"\left", r"\big", r"\Big", r"\bigl", r"\Bigl") and piece.place is run[0].place
            found.append(Run(tuple(run), called))
            run = []
        if here:
            run.append(piece)
            alike = (run[0].place, run[0].font)
    return tuple(found)


KNOWN = frozenset(
    (
        *("log", "exp", "max", "min", "sin", "cos", "tan", "rms", "var", "cov", "dim", "det", "diag", "sgn", "std"),
        *("avg", "sup", "inf", "arg", "lim", "mod", "MSE", "KLD", "SVD", "MLP", "FFN", "LSE", "RMS", "GRU", "PCA"),
        *("SGD", "MAP", "ReLU", "relu", "tr", "ln", "BN", "LN", "KL", "CE", "Re", "Im", "id", "lr", "fc", "in"),
        *("out", "new", "old", "hid", "pos", "neg", "is", "to", "at", "if", "of", "or"),
    )
)
"""Runs of two and three letters that are words."""

ASIDE = frozenset("eoOIERT")
"""Letters whose name says what they are, such as e and I, or that look like a digit."""


class Sort(StrEnum):
    """What letters that stand together are."""

    LETTERS = "letters"
    WORD = "a word"
    UNSURE = "either"


def sort_of(run: Run, written: str, alone: frozenset[str]) -> Sort:
    """What a run is if these letters are written there: a product or a list of indices, a word, or one of both.

    Args:
        run: where they stand.
        written: the letters.
        alone: the letters that stand alone somewhere in the document.
    """
    apart = set(written) <= alone
    if len(written) == 1 or (len(written) == 2 and written[0] == "d"):
        return Sort.LETTERS
    if written in KNOWN:
        return Sort.UNSURE if apart and len(written) == 2 else Sort.WORD
    spoken = Sort.WORD if len(written) > 3 and LIKE_A_WORD.fullmatch(written) else Sort.UNSURE
    if run.called:
        return spoken
    if run.place is Place.BELOW or written.isupper() or len(written) == 2:
        return Sort.LETTERS if apart else spoken
    return spoken


LIKE_A_WORD = re.compile(r"[A-Za-z][a-z]{3,}|[A-Z][a-z]+[A-Z][A-Za-z]*")


@lru_cache(maxsize=128)
def alone_in(text: str, name: str) -> frozenset[str]:
    """The letters that stand alone somewhere in a formula."""
    return frozenset(run.text for run in runs_of(text, name) if len(run.pieces) == 1)


def sorted_runs(text: str, name: str) -> Iterator[tuple[Run, Sort]]:
    """The runs of letters of a document, with what they are."""
    alone = alone_in(text, name)
    return ((run, sort_of(run, run.text, alone)) for run in runs_of(text, name))


def bound_letters(text: str, name: str) -> set[str]:
    """The letters that must keep their names: they stand in prose, or in what may be a word or a product."""
    bound = {letter for run, sort in sorted_runs(text, name) if sort is Sort.UNSURE for letter in run.text}
    for word in re.findall(r"\\(?:mathrm|mathtt|text|mathsf|rm|operatorname\*?)\s*\{?\s*([A-Za-z]+)", text):
        if len(word) == 1 or (len(word) <= 3 and word[0] in "dD"):
            bound |= set(word)
    done, prose = 0, []
    for region in regions_of(text, name):
        prose.append(text[done : region.start])
        done = region.end
        if region.part is Part.CODE and "\n" not in text[region.start : region.end]:
            prose.append(text[region.inner : region.inner_end])
    spoken = ARTICLE.sub(" ", " ".join((*prose, text[done:])))
    return bound | ASIDE | (set(re.findall(r"(?<![\w'’\\])([A-Za-z])(?![\w'’])", spoken)) - {"a"})


ARTICLE = re.compile(r"(?:^|(?<=[.!?:|]\s)|(?<=\n))A (?=[a-z])")


def uses_of(text: str, name: str) -> dict[str, list[Piece]]:
    """Where each letter stands that is in no word."""
    found: dict[str, list[Piece]] = {}
    for run, sort in sorted_runs(text, name):
        if sort is Sort.LETTERS:
            for piece in run.pieces:
                found.setdefault(piece.text, []).append(piece)
    return found


def permuted(text: str, name: str, letters: Mapping[str, str]) -> list[Edit]:
    """The edits that give letters the names of each other; none if letters that stand together became a word."""
    alone = frozenset(letters.get(letter, letter) for letter in alone_in(text, name))
    edits = []
    for run, sort in sorted_runs(text, name):
        if sort is Sort.LETTERS and not letters.keys().isdisjoint(run.text):
            if sort_of(run, "".join(letters.get(letter, letter) for letter in run.text), alone) is not Sort.LETTERS:
                return []
            edits += [
                Edit(piece.start, piece.end, letters[piece.text]) for piece in run.pieces if piece.text in letters
            ]
    return edits


LIMITS = re.compile(
    r"\\(?:sum|prod|int)\s*(?:\\limits)?\s*_\s*(?:\{[^{}]*\}|\w)\s*\^\s*(?P<limit>\{[^{}]*\}|\w)"
    r"|\\mathbb\s*\{?\s*[RNC]\s*\}?\s*\^\s*(?P<shape>\{(?:[^{}]|\{[^{}]*\})*\}|\w)"
)


def sizes_of(text: str) -> set[str]:
    """The letters that stand in limits of sums and in shapes."""
    found = ((match["limit"] or "") + (match["shape"] or "") for match in LIMITS.finditer(text))
    return {letter for own in found for letter in re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", own))}


DEFINED = re.compile(r"\\(?:newcommand|renewcommand|providecommand|DeclareMathOperator|def\b)|<!--\s*indexcalc")
"""What hides letters from those who look at formulas alone: macros, and words for the checker."""

NUMERATOR = re.compile(
    r"\\[dt]?frac\s*\{\s*(?:\\partial|\\mathrm\s*\{?d\}?|d)\s*(?P<loss>\\mathcal\s*\{[A-Z]\}|\\mathcal\s+[A-Z]|\\ell(?![A-Za-z])|[A-Z])\s*\}"
)


def loss_of(text: str) -> str:
    """How the loss is written: what is differentiated most; empty if that is not clear."""
    found = [re.sub(r"\s", "", match["loss"]) for match in NUMERATOR.finditer(text)]
    best = max(set(found), key=lambda loss: (found.count(loss), loss), default="")
    return best if found.count(best) >= 0.8 * len(found) and len(found) > 1 else ""
