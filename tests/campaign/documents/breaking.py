"""A formula broken in one place: a factor, a sign, an index, a power, a transpose or a sum of it is changed.

What leaves the value as it was is avoided where the text shows it. Kronecker deltas, ones and the identity are neither
dropped nor doubled, and beside a delta no index is changed. Nothing is changed behind the sign of a derivative, which
may not depend on it. What is one-hot is not doubled, what may be symmetric is not transposed, and indices that the
document sets equal are not exchanged for each other.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.campaign.documents.blocks import closed
from tests.campaign.documents.edits import Edit
from tests.campaign.documents.items import OPERANDS, OPERATOR, Item, Role, items_of, neighbours, rows_in
from tests.campaign.documents.letters import NUMERATOR
from tests.campaign.documents.spelling import TRANSPOSE

CONSTANT = re.compile(
    r"\\(?:delta|varepsilon|epsilon|mathbb|mathbbm|mathds)(?![A-Za-z])"
    r"|\\(?:mathbf|boldsymbol|bm|mathrm)\s*\{?\s*[1I]|1_|I(?![A-Za-z])"
)
"""What is one, zero or the identity."""

CHOOSING = re.compile(
    r"\\delta(?![A-Za-z])|\\mathbb(?:m)?\s*\{?\s*1|\\mathds|(?<!\d)1_"
    r"|\[[^\]]*(?:=|<|>|\\neq?)[^\]]*\]|\\(?:mathbf|boldsymbol)\s*\{?1"
)
"""What chooses between values of an index."""

BINARY = re.compile(
    r"one.?hot|indicator|idempotent|projection|\bmask|binary|0 or 1|\\\{\s*0\s*,\s*1\s*\\\}|I_|\\mathbb\{?1",
    re.IGNORECASE,
)
"""Words of documents whose tensors may be their own squares."""

SYMMETRIC = re.compile(
    r"symmetr|covariance|definite|hessian|\bgram\b|kernel|orthogonal|distance|laplacian", re.IGNORECASE
)
"""Words of documents whose matrices may be their own transposes."""

UNFIT = re.compile(r"\\(?:begin|text|mbox|dots|ldots|cdots|vdots|phantom|cases|underbrace|color)\b|\.\.|\\\\|&")
"""What makes the pieces of a formula hard to tell apart."""


@dataclass(frozen=True)
class Letter:
    """An index letter and its place."""

    start: int
    text: str

    def replaced(self, other: str) -> Edit:
        """Another letter in its place."""
        return Edit(self.start, self.start + 1, other)


@dataclass(frozen=True)
class Formula:
    """A member that is to be broken: the document's text, and where it stands."""

    text: str
    start: int
    end: int

    @property
    def own(self) -> str:
        """The member's text."""
        return self.text[self.start : self.end]

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Its items."""
        return items_of(self.text, self.start, self.end)

    @cached_property
    def rows(self) -> tuple[tuple[Item, ...], ...]:
        """All rows of items, also in brackets."""
        return tuple(rows_in(self.items))

    @cached_property
    def derivatives(self) -> tuple[tuple[int, int, int], ...]:
        """Where each derivative starts, where what is below its line does, and where it ends."""
        found = []
        for row in self.rows:
            for item in row:
                if item.role is Role.DERIVATIVE:
                    below = closed(self.text, self.text.index("{", item.start))
                    found.append((item.start, below, item.end))
        return tuple(found)

    def is_sound(self, position: int) -> bool:
        """Whether a change there changes the value: not behind a derivative, nor in a sum that one is taken of."""
        operator = OPERATOR.search(self.text, self.start, self.end)
        if operator and position >= operator.start():
            return False
        return not any(
            start <= position < below and re.search(r"[-+]", self.text[start:below])
            for start, below, _ in self.derivatives
        )

    def is_below(self, position: int) -> bool:
        """Whether a place is below the line of a derivative."""
        return any(below <= position < end for _, below, end in self.derivatives)


def signs(formula: Formula) -> Iterator[list[Edit]]:
    """A sign turned between two terms, or before the first."""
    for row in formula.rows:
        for number, item in enumerate(row):
            behind = row[number + 1] if number + 1 < len(row) else None
            if item.role is Role.SIGN and number and row[number - 1].role in OPERANDS and behind is not None:
                yield [Edit(item.start, item.end, "-" if item.base == "+" else "+")]
    first = formula.items[0]
    if first.role is Role.SIGN and first.base == "-":
        yield [Edit(first.start, first.end, "")]
    elif is_one_term(formula):
        yield [Edit(formula.start, formula.start, "-")]


def is_one_term(formula: Formula) -> bool:
    """Whether a formula is one product, so that what is written before it multiplies all of it."""
    return not any(item.role in (Role.SIGN, Role.OTHER) for item in formula.items)


def factors(formula: Formula) -> Iterator[tuple[tuple[Item, ...], int]]:
    """The names and derivatives that stand in products, each with its row."""
    for row in formula.rows:
        if any(item.role is Role.OTHER for item in row):
            continue
        for number, item in enumerate(row):
            before, behind = neighbours(row, number)
            if item.role not in (Role.NAME, Role.DERIVATIVE) or CONSTANT.match(item.base):
                continue
            if before is not None and before.role is Role.FUNCTION:
                continue
            if behind is not None and behind.role is Role.GROUP and item.role is Role.NAME:
                continue
            if in_word(formula.text, item):
                continue
            yield row, number


def in_word(text: str, item: Item) -> bool:
    """Whether a letter stands next to letters with which it may be one name, such as ``dx`` and ``rms``."""
    if len(item.base) > 1 or not item.base.isalpha():
        return False
    before = re.search(r"(?<![\\A-Za-z])[A-Za-z]*$", text[: item.start])
    behind = re.match(r"[A-Za-z]*", text[item.start + 1 :])
    run = (before.group() if before else "") + item.base + (behind.group() if behind else "")
    return len(run) > 1 and (run[0] == "d" or len(run) > 2 or not run.isupper())


def dropped(formula: Formula) -> Iterator[list[Edit]]:
    """A factor left out."""
    for row, number in factors(formula):
        before, behind = neighbours(row, number)
        beside = [one for one in (before, behind) if one is not None and one.role in OPERANDS]
        if not beside or all(one.role is Role.NUMBER and one.base == "1" for one in beside):
            continue
        start, end = row[number].start, row[number].end
        if number and row[number - 1].role is Role.TIMES:
            start = row[number - 1].start
        elif number + 1 < len(row) and row[number + 1].role is Role.TIMES:
            end = row[number + 1].end
        yield [Edit(start, end, " ")]


def doubled(formula: Formula) -> Iterator[list[Edit]]:
    """A factor written twice, unless it may be its own square."""
    if BINARY.search(formula.text) or (len(formula.items) == 1 and not formula.items[0].inside):
        return
    for row, number in factors(formula):
        item = row[number]
        own = formula.text[item.start : item.end]
        varied = re.findall(r"\\partial\s*((?:\\[a-z]+\s*\{)?[A-Za-z]|\\[a-z]+)", own)
        if len(varied) < 2 or varied[0] != varied[1]:
            yield [Edit(item.end, item.end, rf" \, {own}")]


SMALL = frozenset("123456789")


def numbers(formula: Formula) -> Iterator[list[Edit]]:
    """A number in front that is another one, or one too many."""
    for row in formula.rows:
        for number, item in enumerate(row):
            _, behind = neighbours(row, number)
            multiplied = behind is not None and behind.role in OPERANDS
            if multiplied and item.role is Role.NUMBER and item.base in SMALL and item.end == item.start + 1:
                yield [Edit(item.start, item.end, str(int(item.base) + 1))]
    if is_one_term(formula) and formula.items[0].role in (Role.NAME, Role.DERIVATIVE, Role.FRACTION, Role.SUM):
        yield [Edit(formula.start, formula.start, r"2 \, ")]


SUBSCRIPT = re.compile(r"(?P<base>\\?[A-Za-z]+\}?'*)\s*_\s*(?P<index>\{[^{}]*\}|[a-z])")
BINDERS = frozenset((r"\sum", r"\prod", r"\max"))
LETTERS = re.compile(r"[\s,]*(?:[a-z](?![a-z]{3})[\s,]*)+")


def subscripts(formula: Formula) -> Iterator[list[Letter]]:
    """The letters of each subscript that consists of single letters; none beside a delta."""
    if CHOOSING.search(formula.own):
        return
    for match in SUBSCRIPT.finditer(formula.text, formula.start, formula.end):
        own = match["index"].strip("{}")
        if match["base"] in BINDERS or not LETTERS.fullmatch(own) or not formula.is_sound(match.start()):
            continue
        start = match.start("index") + (match["index"][0] == "{")
        yield [Letter(start + at, letter) for at, letter in enumerate(own) if letter.isalpha()]


def swapped(formula: Formula) -> Iterator[list[Edit]]:
    """Two indices of an entry in each other's places; one of them stands elsewhere in the formula, and fixes both."""
    if SYMMETRIC.search(formula.text):
        return
    every = list(subscripts(formula))
    for letters in every:
        if len(letters) != 2 or formula.is_below(letters[0].start):
            continue
        one, other = letters
        elsewhere = {letter.text for others in every if others is not letters for letter in others}
        if one.text != other.text and {one.text, other.text} & elsewhere and not same(formula.text, one, other):
            yield [one.replaced(other.text), other.replaced(one.text)]


def replaced(formula: Formula) -> Iterator[list[Edit]]:
    """An index of an entry replaced by another of the formula."""
    every = list(subscripts(formula))
    known = {letter.text: letter for letters in every for letter in letters}
    for letters in every:
        for letter in letters:
            for other in sorted(known.keys() - {one.text for one in letters}):
                if not same(formula.text, letter, known[other]):
                    yield [letter.replaced(other)]


def same(text: str, one: Letter, other: Letter) -> bool:
    """Whether the document says somewhere that two indices are equal."""
    pair = f"{one.text}{other.text}"
    return re.search(rf"(?<![A-Za-z\\_{{])[{pair}]\s*=\s*[{pair}](?![A-Za-z_])", text) is not None


def transposed(formula: Formula) -> Iterator[list[Edit]]:
    """A transpose left out, or one too many on a matrix; not if a matrix may be symmetric."""
    if SYMMETRIC.search(formula.text):
        return
    for match in TRANSPOSE.finditer(formula.text, formula.start, formula.end):
        before = formula.text[formula.start : match.start()]
        if formula.is_sound(match.start()) and re.search(r"(?:[A-Za-z]|\{[A-Za-z]+\})\s*$", before):
            yield [Edit(match.start(), match.end(), " ")]
    sign = TRANSPOSE.search(formula.text)
    losses = {match["loss"][-1] for match in NUMERATOR.finditer(formula.text)}
    for item in (item for row in formula.rows for item in row):
        bare = item.role is Role.NAME and item.base == formula.text[item.start : item.end]
        varied = formula.text[: item.start].rstrip().endswith((r"\partial", "d"))
        letter = re.fullmatch(r"(?:\\(?:mathbf|boldsymbol|bm)\{)?([A-HJ-Z])\}?", item.base)
        matrix = letter is not None and letter[1] not in losses and is_matrix(formula.text, item.base)
        if sign and bare and matrix and not varied:
            yield [Edit(item.end, item.end, sign.group())]


def is_matrix(text: str, name: str) -> bool:
    """Whether a name has two indices or a transpose somewhere."""
    behind = r"\s*(?:_\s*\{\s*[a-z]\s*,?\s*[a-z]\s*\}|\^\s*\{?\s*(?:T|\\top)(?![A-Za-z]))"
    return re.search(rf"(?<![A-Za-z\\]){re.escape(name)}{behind}", text) is not None


POWER = re.compile(r"(?<=[A-Za-z)}\]])\s*\^\s*(?:(?P<bare>[2-9])|\{\s*(?P<braced>-?[1-9])\s*\})(?![}0-9])")


def powers(formula: Formula) -> Iterator[list[Edit]]:
    """A power that is another one, or none."""
    for match in POWER.finditer(formula.text, formula.start, formula.end):
        power = int(match["bare"] or match["braced"])
        base = formula.text[formula.start : match.start()].rstrip()
        if (
            not formula.is_sound(match.start())
            or CONSTANT.search(base[-12:])
            or base.endswith(("partial", "d", "circ"))
        ):
            continue
        yield [Edit(match.start(), match.end(), f"^{{{power + (1 if power > 0 else -1)}}}")]
        if power > 1:
            yield [Edit(match.start(), match.end(), " ")]


def unsummed(formula: Formula) -> Iterator[list[Edit]]:
    """A sum left out; not beside a derivative, where an author may leave it unwritten, nor where another reaches."""
    if CHOOSING.search(formula.own) or r"\partial" in formula.own or formula.own.count(r"\sum") > 1:
        return
    for row in formula.rows:
        for number, item in enumerate(row):
            rest = row[number + 1 :]
            bound = item.role is Role.SUM and item.base == r"\sum" and item.end - item.start > 4
            if bound and rest and not any(one.role is Role.DERIVATIVE for one in rest):
                yield [Edit(item.start, item.end, "")]


WAYS: dict[str, Callable[[Formula], Iterator[list[Edit]]]] = {
    "a sign": signs,
    "a factor dropped": dropped,
    "a factor doubled": doubled,
    "a number": numbers,
    "two indices swapped": swapped,
    "an index replaced": replaced,
    "a transpose": transposed,
    "a power": powers,
    "a sum dropped": unsummed,
}


def broken(formula: Formula, rng: random.Random) -> tuple[str, list[Edit]] | None:
    """A way to break a formula, and the edits; None if it can't be broken."""
    if UNFIT.search(formula.own) or not formula.items:
        return None
    for way in rng.sample(list(WAYS), len(WAYS)):
        found = list(WAYS[way](formula))
        if found:
            return way, rng.choice(found)
    return None
