"""The inputs at which the code is checked to be finite and accurate, and where that ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from indexcalc.notes.blocks import Block, Heading, Paragraph, Span, Spans, Symbol
from indexcalc.notes.prose import listed
from indexcalc.program import CheckedRange, Extreme

FAMILIES = {
    "scale": "up to 1000 times their usual size",
    "tiny": "down to a millionth of it",
    "offset": "moved by 300",
    "crowd": "close together there",
    "dominant": "with one entry far above the others",
    "equal": "with equal entries",
    "zero": "with zeros",
    "mask": "with masked entries and masked rows",
    "kink": "at kinks",
}
"""What is said of each kind of hostile inputs; those that go without saying have no row."""

LONGEST = 4
"""The most edges of the range that are listed."""


def range_blocks(checked: CheckedRange | None) -> Iterator[Block]:
    """The section about the range; nothing if the code is not checked at hostile inputs."""
    if checked is None or not checked.points:
        return
    said: list[Span] = [FAMILIES[name] for name in checked.families if name in FAMILIES]
    yield Heading(2, ("Range",))
    yield Paragraph(
        (
            f"The code is checked in float32 and in float64 at {checked.points} points: inputs of ordinary size, and "
            "inputs ",
            *listed(said),
            ", all together or one alone. There it is finite, and loses at most "
            f"{checked.allowed} times what one rounding of every tensor and sum above explains.",
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
    return (span for span in (before, subject, after) if span != "")
