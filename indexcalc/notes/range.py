"""The inputs at which the code is checked to be finite and accurate, and where that ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from indexcalc.notes.blocks import Block, Heading, Paragraph, Span, Spans, Symbol
from indexcalc.notes.prose import listed
from indexcalc.program import CheckedRange, Extreme

FAMILIES = {
    "scale": "inputs up to 1000 times as large",
    "tiny": "inputs down to a millionth of that size",
    "offset": "inputs shifted by 300",
    "crowd": "inputs shifted by 300 that differ little",
    "dominant": "one entry far above the others",
    "equal": "equal entries",
    "zero": "zeros",
    "mask": "masked entries and masked rows",
    "kink": "arguments at kinks",
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
            f"The generated code is run in float32 and in float64 at {checked.points} points. Besides inputs of "
            "ordinary size, these are ",
            *listed(said),
            "; in single inputs, and in all at once, as far as domains and the range of float32 allow. "
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
