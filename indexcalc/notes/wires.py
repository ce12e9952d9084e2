"""What deltas do to sums, as wires: a delta joins two indices, and the sum over one of them is struck out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from indexcalc.algebra.slots import slot_text
from indexcalc.algebra.terms import Index, Slot
from indexcalc.calculus.steps import Collapse, Derivation
from indexcalc.notes.blocks import Spans
from indexcalc.notes.network_svg import Classes
from indexcalc.notes.tables import deltas_of

LETTER, STEP, PAD, HEIGHT = 8.0, 46.0, 8.0, 34.0
"""The width of a letter, the length of a wire, the room at both ends, and the height of a drawing."""

STYLE = (
    ".wire{font-family:ui-sans-serif,system-ui,sans-serif;vertical-align:middle}"
    ".wire text{font-size:14px;text-anchor:middle;dominant-baseline:central;fill:var(--ink)}"
    ".wire .name{fill:currentColor;font-style:italic}"
    ".wire path{fill:none;stroke:currentColor;stroke-width:2}"
    ".wire .strike{stroke:var(--ink);stroke-width:1.6}"
    ".wires li{display:flex;flex-wrap:wrap;gap:.1rem .8rem;align-items:center;padding:.15rem 0}"
    ".wires{padding:0;list-style:none}"
    ".wires .what{flex-basis:11rem}"
    "@media (max-width:40rem){.wires .what{flex-basis:100%}}"
)


@dataclass(frozen=True, slots=True)
class Wire:
    """Indices joined by deltas one after another.

    Attributes:
        killed: those whose sums are gone, from the first that was joined on.
        end: what stands in their place.
        kept: whether a term without the delta keeps the sum.
        start: for a delta that is left, its other side; no sum is gone then.
    """

    killed: tuple[Index, ...]
    end: Slot
    kept: bool = False
    start: Slot | None = None

    @property
    def said(self) -> str:
        """The wire in words."""
        if self.start is not None:
            return f"A delta that is left joins {slot_text(self.start)} and {slot_text(self.end)}."
        steps = zip(self.killed, (*self.killed[1:], self.end), strict=True)
        where = ", where the delta stands" if self.kept else ""
        return " ".join(f"The sum over {a.name} is gone{where}: {a.name} is {slot_text(b)}." for a, b in steps)


@dataclass(frozen=True, slots=True)
class Wiring:
    """The wires of every result, in the order of the table of deltas."""

    rows: tuple[tuple[Spans, tuple[Wire, ...]], ...]


def wiring_of(derivation: Derivation) -> Wiring | None:
    """The wires of a derivation; none if no delta acts, or is left."""
    rows: list[tuple[Spans, tuple[Wire, ...]]] = []
    orders = (section for order in derivation.orders for section in order.sections)
    for section in dict.fromkeys((*derivation.sections, *orders)):
        for found, name in deltas_of(section):
            wires = (*joined(found.collapses), *(Wire((), d.right, start=d.left) for d in found.left))
            if wires:
                rows.append((name, wires))
    return Wiring(tuple(rows)) if rows else None


def joined(collapses: Iterable[tuple[Collapse, bool]]) -> tuple[Wire, ...]:
    """The collapses as wires; where an index takes a place and its own sum is collapsed later, the wire goes on."""
    found: list[Wire] = []
    for collapse, kept in collapses:
        place = next((n for n, wire in enumerate(found) if wire.end == collapse.killed and wire.kept == kept), None)
        if place is None:
            found.append(Wire((collapse.killed,), collapse.survivor, kept))
        else:
            found[place] = Wire((*found[place].killed, collapse.killed), collapse.survivor, kept)
    return tuple(found)


def wire_svg(wire: Wire, name: str, classes: Classes) -> str:
    """One wire: the struck sums from left to right, and what they end in."""
    ends: list[tuple[Slot, bool]] = [(index, True) for index in wire.killed]
    ends += [(wire.start, False)] if wire.start is not None else []
    ends.append((wire.end, False))
    parts, x, before = list[str](), PAD, None
    middle = HEIGHT / 2
    for slot, struck in ends:
        text = slot_text(slot)
        width = (len(text) + (2 if struck else 0)) * LETTER + PAD
        if before is not None:
            half = x + STEP / 2
            parts.append(stroke(before, x, half, classes))
            parts.append(stroke(slot, half, x + STEP, classes))
            x += STEP
        shown = f'<tspan class="name {colour_of(slot, classes)}">{escape(text)}</tspan>'
        centre = x + width / 2
        parts.append(f'<text x="{centre:.1f}" y="{middle:.1f}">{"Σ " if struck else ""}{shown}</text>')
        if struck:
            dash = ' stroke-dasharray="3 3"' if wire.kept else ""
            parts.append(
                f'<path class="strike"{dash} d="M{x + 2:.1f} {middle + 9:.1f}L{x + width - 2:.1f} {middle - 9:.1f}"/>'
            )
        x, before = x + width, slot
    return (
        f'<svg class="wire" viewBox="0 0 {x + PAD:.0f} {HEIGHT:.0f}" width="{x + PAD:.0f}" height="{HEIGHT:.0f}" '
        f'role="img" aria-labelledby="{name}-t">'
        f'<title id="{name}-t">{escape(wire.said)}</title>{"".join(parts)}</svg>'
    )


def stroke(slot: Slot, left: float, right: float, classes: Classes) -> str:
    """Half a wire in the colour of its end."""
    return f'<path class="{colour_of(slot, classes)}" d="M{left:.1f} {HEIGHT / 2:.1f}H{right:.1f}"/>'


def colour_of(slot: Slot, classes: Classes) -> str:
    """The class of an index; an expression has the colour of the text."""
    return classes(slot) if isinstance(slot, Index) else "plain"
