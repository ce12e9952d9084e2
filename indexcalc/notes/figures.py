"""The figures that a page has beside the blocks of its note, each at the end of a chapter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from indexcalc.calculus.steps import Derivation
from indexcalc.cost.blocks import CACHE
from indexcalc.cost.units import bytes_text
from indexcalc.notes import curves_svg, wires
from indexcalc.notes.blocks import Diagram, Heading
from indexcalc.notes.curves import BLOCKS, Curves, curves_of
from indexcalc.notes.curves_svg import curves_text
from indexcalc.notes.diagram import shown_diagrams
from indexcalc.notes.heats import STYLE as HEAT_STYLE
from indexcalc.notes.heats import Array, Heats, heat_svg, heats_of
from indexcalc.notes.latex import scalar_text
from indexcalc.notes.levels import Figure, Level, Part
from indexcalc.notes.outline import Chapter
from indexcalc.notes.page import Page, plain
from indexcalc.notes.wires import Wiring, wire_svg, wiring_of

STYLE = curves_svg.STYLE + wires.STYLE + HEAT_STYLE

CURVES = "Operations, and entries held, over {varied}{fixed}. Both axes are in powers{crossing}."
BY_CODE = (
    " Code for reading makes whole arrays, one equation after another. Code for speed makes large tensors that are "
    f"only on the way in blocks, as long as {bytes_text(CACHE)} of cache hold them in float32. It holds less, and does "
    "not move these tensors, but reads again for every block what all blocks share."
)
HEATS = (
    "Tensors of both passes with numbers: positive entries are orange, negative ones blue, "
    "and the largest of each tensor is the deepest."
)
WIRES = "The same as wires: a delta joins two indices, and the sum over one of them is struck out{kept}."


def with_figures(
    parts: Sequence[Part], derivation: Derivation, levels: Iterable[Level], example: Mapping[str, Array]
) -> Iterator[Part]:
    """The parts of a page with the figures of their chapters, then those of an example; at the results there are none.

    Args:
        parts: the blocks of the note.
        derivation: what it is about.
        levels: the levels of the page.
        example: the tensors of an example, if one is worked out.
    """
    shown = frozenset(levels) - {Level.RESULT}
    for chapter, group in groupby(parts, key=lambda part: part.chapter):
        yield from joined(group, derivation)
        if (figure := figure_of(chapter, derivation)) is not None:
            yield Part(chapter, figure, shown)
    if (heats := heats_of(derivation, example)) is not None:
        yield Part(Chapter.RANGE, Heading(2, ("A worked example",)), shown)
        yield Part(Chapter.RANGE, heats, shown)


def joined(parts: Iterable[Part], derivation: Derivation) -> Iterator[Part]:
    """The parts of a chapter, with the diagrams of both passes in one where that is not too large."""
    drawn = False
    for part in parts:
        if not isinstance(part.block, Diagram):
            yield part
        elif not drawn:
            drawn = True
            yield from (replace(part, block=diagram) for diagram in shown_diagrams(derivation))


def figure_of(chapter: Chapter, derivation: Derivation) -> Figure | None:
    """The figure at the end of a chapter, if it has one."""
    match chapter:
        case Chapter.DELTAS:
            return wiring_of(derivation)
        case Chapter.COST:
            return curves_of(derivation)
    return None


def figure_text(figure: Figure, page: Page, name: str) -> str:
    """A figure with the sentence above it; `name` starts its ids."""
    match figure:
        case Wiring():
            caption, body = wiring_caption(figure), wiring_text(figure, page, name)
        case Curves():
            caption, body = curves_caption(figure, page), curves_text(figure, name, page.colour_class)
        case Heats():
            caption, body = HEATS, heats_text(figure, page, name)
    return f"<figure>\n<figcaption>{caption}</figcaption>\n{body}\n</figure>"


def curves_caption(curves: Curves, page: Page) -> str:
    """What the panels hold fixed, and whether lines cross."""
    varied = ", ".join(
        page.formula(scalar_text(extent, page.notation)) for extent in dict.fromkeys(p.extent for p in curves.panels)
    )
    listed = ", ".join(page.formula(f"{scalar_text(extent, page.notation)} = {size}") for extent, size in curves.sizes)
    fixed = f", each with the others at {listed}" if len(curves.sizes) > 1 else ""
    crossing = "; a circle is where two lines cross" if any(panel.crossings for panel in curves.panels) else ""
    blocks = BY_CODE if any(curve.name == BLOCKS for panel in curves.panels for curve in panel.curves) else ""
    return CURVES.format(varied=varied, fixed=fixed, crossing=crossing) + blocks


def wiring_caption(wiring: Wiring) -> str:
    """What the wires show."""
    kept = any(wire.kept for _, row in wiring.rows for wire in row)
    return WIRES.format(kept=", by dashes where other terms keep it" if kept else "")


def wiring_text(wiring: Wiring, page: Page, name: str) -> str:
    """One row for each result."""
    rows = []
    for number, (what, row) in enumerate(wiring.rows):
        drawn = "".join(wire_svg(wire, f"{name}-{number}-{place}", page.colour_class) for place, wire in enumerate(row))
        rows.append(f'<li><span class="what">{page.text(what)}</span>{drawn}</li>')
    return '<ul class="wires">\n' + "\n".join(rows) + "\n</ul>"


def heats_text(heats: Heats, page: Page, name: str) -> str:
    """Each map under the name of its tensor."""
    maps = "\n".join(
        f"<li><code>{plain(heat.title)}</code>{heat_svg(heat, f'{name}-{number}', page.colour_class)}</li>"
        for number, heat in enumerate(heats.maps)
    )
    return f'<ul class="heats">\n{maps}\n</ul>'
