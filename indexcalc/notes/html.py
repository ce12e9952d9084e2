"""Blocks as one page of HTML that needs nothing else: no network, no font, and no script to be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined

from indexcalc.algebra.terms import Access, Index, occurring_indices
from indexcalc.calculus.steps import Derivation
from indexcalc.errors import LimitError
from indexcalc.notes.blocks import (
    Assignments,
    Block,
    Diagram,
    Display,
    Displays,
    Gradient,
    Heading,
    Items,
    Left,
    MatrixDisplays,
    Paragraph,
    Spans,
    Table,
)
from indexcalc.notes.colours import DARK, LIGHT, colour
from indexcalc.notes.curves import Curves
from indexcalc.notes.familiar import Detail
from indexcalc.notes.figures import STYLE as FIGURES
from indexcalc.notes.figures import figure_text, with_figures
from indexcalc.notes.heats import Array, Heats
from indexcalc.notes.latex import scalar_text
from indexcalc.notes.levels import LEVELS_OF, Figure, Level, Levels, Part, heading_level, parts_of
from indexcalc.notes.listing import STYLE as CODE
from indexcalc.notes.listing import Listing
from indexcalc.notes.names import index_mark, notation_of
from indexcalc.notes.network_svg import STYLE
from indexcalc.notes.outline import Chapter
from indexcalc.notes.page import Page, plain
from indexcalc.notes.pictures import gallery_of, numbers_of
from indexcalc.notes.render import assignment_latex, matrix_display_latex
from indexcalc.notes.setup import declared_indices
from indexcalc.notes.svg import svg_text
from indexcalc.notes.wires import Wiring
from indexcalc.program import BlockedLoop, CheckedRange, Program


@cache
def environment() -> Environment:
    """The template loader of this format; what the template does not call safe is escaped."""
    return Environment(
        loader=PackageLoader("indexcalc.notes"), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=True
    )


NAMES = {Level.RESULT: "result only", Level.BRIEF: "brief", Level.FULL: "every delta"}
"""What the slider calls the levels."""


def html_note(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
    *,
    example: Mapping[str, Array] | None = None,
    code: Mapping[str, str] | None = None,
) -> str:
    """The note as one HTML page, which holds its style and its formulas as MathML.

    Args:
        derivation: what the note is about.
        views: asks for rows and entries of all gradients.
        loops: how code that runs in blocks does so, if there is such code.
        checked: the inputs at which the code is checked, if it is.
        detail: how much the page holds.
        example: the value of each tensor in an example, with one axis a slot; small ones are drawn.
        code: the code of equations, by the names of their tensors; it stands below these.
    """
    first, *rest = with_figures(
        parts_of(derivation, views, loops, checked, detail), derivation, LEVELS_OF[detail], example or {}
    )
    page, title = page_of(derivation, rest, detail, code or {}), first.block
    assert isinstance(title, Heading)
    heading, body = page.text(title.spans), "\n".join(sectioned(rest, page))
    return (
        environment()
        .get_template("note.html.jinja2")
        .render(
            title=" ".join(str(span) for span in title.spans if isinstance(span, str)),
            heading=heading,
            networks=STYLE + FIGURES + CODE,
            colours=colour_rules(len(page.numbers)),
            legend=legend_text(derivation, page),
            levels=[(level.value, NAMES[level]) for level in page.levels],
            body=body,
            changes='class="changed"' in body,
            most=page.shown_at(frozenset(page.levels[-1:])),
        )
    )


def fragment(blocks: Sequence[Block], derivation: Derivation) -> tuple[str, int]:
    """Some blocks without a page around them and without pictures, and how many indices have a colour there."""
    notation = replace(notation_of(derivation), marked=True)
    page = Page(notation, numbers_of(derivation), {}, (Level.FULL,), {})
    parts = [Part(Chapter.SETUP, block, frozenset((Level.FULL,))) for block in blocks]
    text = "\n".join(block_text(part, page, number) for number, part in enumerate(parts))
    return text, len(page.numbers)


def page_of(derivation: Derivation, parts: Sequence[Part], detail: Detail, code: Mapping[str, str]) -> Page:
    """The notation of a derivation with marks; the indices of the program have the first colours."""
    notation, levels = replace(notation_of(derivation), marked=True), LEVELS_OF[detail]
    galleries = {
        level: gallery_of(derivation, found)
        for level, found in ((Level.FULL, Detail.FULL), (Level.BRIEF, Detail.BRIEF))
        if level in levels
    }
    anchors, follows = anchors_of(derivation, parts, levels[-1]), followed(parts, levels[-1])
    page = Page(notation, numbers_of(derivation), anchors, levels, galleries, follows=follows)
    return replace(page, listing=listing_of(derivation, page, code)) if code else page


def followed(parts: Sequence[Part], level: Level) -> dict[int, Display]:
    """The formula that each one follows from, by the number of its block, among those that are shown at a level.

    It is the last one of the same section that has the same left side.
    """
    found: dict[int, Display] = {}
    earlier: dict[Left, Display] = {}
    for number, part in enumerate(parts):
        if level not in part.levels:
            continue
        match part.block:
            case Heading():
                earlier = {}
            case Display(left) as block:
                if left in earlier:
                    found[number] = earlier[left]
                earlier[left] = block
    return found


def listing_of(derivation: Derivation, page: Page, code: Mapping[str, str]) -> Listing:
    """The code of a page, with the colours that indices have there; of two with one name the author's counts."""
    classes: dict[str, str] = {}
    for index in indices_of(derivation):
        classes.setdefault(index.name, page.colour_class(index))
    return Listing(code, gradient_names(derivation), classes)


def gradient_names(derivation: Derivation) -> dict[str, str]:
    """The name of each gradient, by the tensor that it is of."""
    found = {tensor: name for name, tensor in derivation.gradients.items()}
    return found | dict(derivation.problem.gradient_names)


def anchors_of(derivation: Derivation, parts: Sequence[Part], level: Level) -> Mapping[str, int]:
    """Where the page tells about each tensor: the section of a gradient or part, the equation of another."""
    gradients, found = gradient_names(derivation), dict[str, int]()
    for number, part in enumerate(parts):
        for name in subjects_of(part.block, gradients) if level in part.levels else ():
            found.setdefault(name, number)
    for tensor, name in gradients.items():
        if name in found:
            found.setdefault(tensor, found[name])
    return found


def subjects_of(block: Block | Figure, gradients: Mapping[str, str]) -> Iterator[str]:
    """The tensors that a block is about."""
    match block:
        case Heading(_, spans):
            for span in spans:
                match span:
                    case Gradient(Access(tensor)) if tensor in gradients:
                        yield gradients[tensor]
                    case Access(tensor):
                        yield tensor
        case Display(left=Access(tensor)):
            yield tensor


def legend_text(derivation: Derivation, page: Page) -> str:
    """Every index that the page shows: its colour, how many values it has, and what it means.

    Those of which only the number of values can be said share an entry with others that have as many.
    """
    known = {index_mark(index): index for index in indices_of(derivation)}
    shown = [known[mark] for mark in page.numbers if mark in known]
    groups: dict[tuple[sp.Expr, str], list[Index]] = {}
    for index in shown:
        groups.setdefault((index.extent, meaning_of(index, derivation.problem.program)), []).append(index)
    return "\n".join(legend_entry(indices, about, page) for (_, about), indices in groups.items())


def meaning_of(index: Index, program: Program) -> str:
    """What the author says of an index; empty for what nobody declared."""
    return program.index_docs.get(index.name, "") if index in declared_indices(program) else ""


def legend_entry(indices: Sequence[Index], about: str, page: Page) -> str:
    """Indices of one meaning in the legend."""
    names = ", ".join(page.formula(page.notation.index(index)) for index in indices)
    size = page.formula(scalar_text(indices[0].extent, page.notation))
    return f"<li>{names}: <span>{size}{f' {plain(about)}' if about else ''}</span></li>"


def indices_of(derivation: Derivation) -> tuple[Index, ...]:
    """The indices of the program and those of the derivation, each once."""
    sections = (*derivation.sections, *(section for order in derivation.orders for section in order.sections))
    equations = (*derivation.problem.program.equations, *(section.equation for section in sections))
    steps = [step for section in sections for step in section.all_steps()]
    terms = [equation.terms for equation in equations] + [side for step in steps for side in (step.before, step.after)]
    found = [*declared_indices(derivation.problem.program)]
    found.extend(index for one in terms for index in occurring_indices(one))
    return tuple(dict.fromkeys(found))


def colour_rules(count: int) -> str:
    """The colours of so many indices, on both papers."""
    light, dark = (
        "".join(f".i{number}{{color:{colour(number, paper)}}}" for number in range(count)) for paper in (LIGHT, DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}"


def sectioned(parts: Sequence[Part], page: Page) -> Iterator[str]:
    """The blocks, with an element around what a heading begins, and around neighbours of the same levels."""
    open_levels: list[int] = []
    for (number, level, levels), group in groupby(enumerate(parts), key=lambda one: group_key(*one)):
        if level is None:
            yield from grouped([(n, part) for n, part in group], page.shown_at(levels), page)
            continue
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
            yield "</section>"
        open_levels.append(level)
        inside = frozenset[Level]().union(*(part.levels for part in section_of(parts, number, level)))
        yield f'<section aria-labelledby="h{number}"{page.shown_at(inside)}>'
        yield from (block_text(part, page, number) for _, part in group)
    yield from ("</section>" for _ in open_levels)


def group_key(number: int, part: Part) -> tuple[int, int | None, Levels]:
    """What neighbours have in common that stand in one element; a heading stands alone."""
    level = heading_level(part.block)
    return (-1 if level is None else number), level, part.levels


def section_of(parts: Sequence[Part], number: int, level: int) -> Iterator[Part]:
    """The parts of the section that a heading of some level begins."""
    yield parts[number]
    for part in parts[number + 1 :]:
        if (found := heading_level(part.block)) is not None and found <= level:
            return
        yield part


def grouped(group: Iterable[tuple[int, Part]], attributes: str, page: Page) -> Iterator[str]:
    """The texts of neighbours, in one element if it has something to say."""
    texts = [block_text(part, page, number) for number, part in group]
    yield from (f"<div{attributes}>", *texts, "</div>") if attributes else texts


def block_text(part: Part, page: Page, number: int) -> str:
    """One block; its number makes the id of a heading, or of what others lead to."""
    name = f"h{number}"
    match part.block:
        case Heading(level, spans):
            return heading_text(level, name, page.text(spans), page.shown_at(part.levels))
        case Paragraph(spans):
            return f"<p>{page.text(spans)}</p>"
        case Items(items):
            return listed("ul", (page.text(item) for item in items))
        case Display() as block:
            anchor = name if number in page.anchors.values() else ""
            shown = page.pictured(block, part.levels, anchor, page.follows.get(number))
            return page.listing.beside(shown, block, part.chapter)
        case Displays(items):
            texts = (page.listing.beside(page.pictured(item, part.levels), item, part.chapter) for item in items)
            return "\n".join(texts)
        case MatrixDisplays(items):
            return "\n".join(page.display(matrix_display_latex(item, page.notation)) for item in items)
        case Assignments(items):
            texts = (page.formula(assignment_latex(item, page.notation)) for item in items)
            return listed("ol", (f'<div class="wide">{text}</div>' for text in texts))
        case Table() as block:
            return table_text(block, page)
        case Diagram() as block:
            return diagram_text(block, page, name)
        case Wiring() | Curves() | Heats() as figure:
            return figure_text(figure, page, name)


def heading_text(level: int, name: str, text: str, attributes: str = "") -> str:
    """A heading; its text alone names the section, without the button that the script adds."""
    return f'<h{level}{attributes}><span id="{name}">{text}</span></h{level}>'


def listed(tag: str, items: Iterable[str]) -> str:
    """A list."""
    return f"<{tag}>\n" + "\n".join(f"<li>{item}</li>" for item in items) + f"\n</{tag}>"


def table_text(table: Table, page: Page) -> str:
    """A table whose first column names its rows."""
    head = "".join(f'<th scope="col">{plain(title)}</th>' for title in table.header)
    rows = "\n".join(f"<tr>{row_text(row, page)}</tr>" for row in table.rows)
    return f'<div class="table">\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>'


def row_text(row: Sequence[Spans], page: Page) -> str:
    """The cells of a row."""
    first, *others = (page.text(cell) for cell in row)
    return f'<th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def diagram_text(diagram: Diagram, page: Page, name: str) -> str:
    """A diagram that is drawn; a box leads to what the page tells about its tensor."""
    title = heading_text(2, name, plain(diagram.title)) + "\n" if diagram.title else ""
    links = {
        node.tensor: f"h{page.anchors[node.name or node.tensor]}"
        for node in diagram.nodes
        if (node.name or node.tensor) in page.anchors
    }
    try:
        drawing = svg_text(diagram, links, f"{name}-flow")
    except LimitError:
        return f"{title}<p>The program is too long for a drawing of its dataflow.</p>"
    return (
        f"{title}<figure>\n<figcaption>{plain(diagram.caption)}</figcaption>\n"
        f'<div class="drawing">\n{drawing}\n</div>\n</figure>'
    )
