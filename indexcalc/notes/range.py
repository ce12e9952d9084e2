"""The inputs at which the code is checked to be finite and accurate, and where that ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indexcalc.algebra.terms import Base, Delta, Iverson
from indexcalc.notes.blocks import Block, Heading, Paragraph, Span, Spans, Symbol
from indexcalc.notes.prose import figures, listed, listed_groups
from indexcalc.program import CheckedRange, Extreme, Largest, OtherFormulas

FAMILIES = {
    "scale": "inputs up to 1000 times as large",
    "turned": "inputs 1000 times as large with the other sign",
    "tiny": "inputs down to a millionth of that size",
    "offset": "inputs shifted by 300",
    "lowered": "inputs shifted down by 300",
    "crowd": "inputs shifted by 300 that differ little",
    "dominant": "one entry far above the others",
    "equal": "equal entries",
    "zero": "zeros",
    "mask": "exponentials with factors 0 and 1",
    "hiding": "exponents with minus infinity among their terms",
    "kink": "arguments at kinks",
}
"""What is said of each kind of hostile inputs; those that go without saying have no row."""

NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)")
"""A number in the words for a point."""

WHERE = {
    (True, True): "; in single inputs, and in all at once",
    (True, False): "",
    (False, True): "; in all inputs at once",
    (False, False): "",
}
"""Whether single inputs are changed, or all at once."""

LONGEST = 4
"""The most edges of the range that are listed."""


def range_blocks(checked: CheckedRange | None) -> Iterator[Block]:
    """The section about the range; nothing if the code is not checked at hostile inputs."""
    if checked is None or not checked.points:
        return
    yield Heading(2, ("Range",))
    yield from other_blocks(checked.others)
    said: list[Span] = [FAMILIES[name] for name in checked.families if name in FAMILIES]
    yield Paragraph(
        (
            f"The generated code is run in float32 and in float64 at {checked.points} points"
            + (f", of {checked.points + checked.untried} that there are" if checked.untried else "")
            + ". Besides inputs of ordinary size, these are ",
            *listed(said),
            f"{WHERE[checked.single, checked.together]}, as far as domains and the range of float32 allow. "
            "Where the function has a value that float32 holds, the results "
            f"are finite, and their error is at most {checked.allowed} times what one rounding of every tensor and sum "
            "above causes.",
        )
    )
    if checked.limits:
        yield Paragraph(("Further out, values exceed float32: the check stops at ", *extremes(checked.limits), "."))
    if checked.poles:
        yield Paragraph(("Some entries have no value, whatever the code, at ", *extremes(checked.poles), "."))
    if checked.blurred:
        yield Paragraph(
            (
                "Rounding the tensors above to float32 may leave some entries without a value, whatever the code, at ",
                *extremes(checked.blurred),
                ".",
            )
        )


def other_blocks(others: OtherFormulas) -> Iterator[Block]:
    """Where the code departs from the formulas above; nothing if it does nowhere."""
    spans: list[Span] = []
    if others.changed:
        ending = (
            "another formula of the same value" if len(others.changed) == 1 else "other formulas of the same values"
        )
        names = listed(Symbol(name) for name in others.changed)
        spans += ["The generated code computes ", *names, f" by {ending}. "]
    if others.largest:
        verb = "is" if len(others.largest) == 1 else "are"
        spans += ["In exponents, ", *listed_groups(map(largest_spans, others.largest)), f" {verb} subtracted"]
        them = "it" if len(others.largest) == 1 else "them"
        spans += [f"; quotients of exponentials stay the same, and logarithms get {them} back. "]
    if spans:
        yield Paragraph((*spans, "Comments in the code state its formulas."))


def largest_spans(largest: Largest) -> Iterable[Span]:
    """What is subtracted in exponents."""
    yield from ("the largest ", largest.terms, " over ", *listed(largest.over))
    if largest.guards:
        yield from (" where ", *listed_groups(map(holding, largest.guards)))


def holding(guard: Base) -> Spans:
    """That a bracket or a delta is 1, or a factor not zero."""
    return guard, " is 1" if isinstance(guard, Delta | Iverson) else " is not zero"


def extremes(found: tuple[Extreme, ...]) -> Spans:
    """Some edges of the range in a list; of many, the first."""
    rest = len(found) - LONGEST
    items = [tuple(extreme_spans(extreme)) for extreme in found[:LONGEST]]
    spans: list[Span] = []
    for place, item in enumerate(items):
        last = place == len(items) - 1 and rest <= 0
        spans += [*(["; " if not last else "; and "] if place else []), *item]
    return (*spans, *([f"; and {rest} more"] if rest > 0 else []))


def extreme_spans(extreme: Extreme) -> Iterable[Span]:
    """One edge, its tensor as a symbol."""
    before, _, after = extreme.words.partition("{subject}")
    subject: Span = Symbol(extreme.subject) if extreme.subject else "all inputs"
    yield from with_numbers(before)
    yield subject
    yield from with_numbers(after)


def with_numbers(words: str) -> Iterable[Span]:
    """Words, the numbers among them as formulas: a minus is no hyphen."""
    for place, piece in enumerate(NUMBER.split(words)):
        if place % 2:
            yield figures(piece)
        elif piece:
            yield piece
