"""Which equations of a note are drawn as tensor networks, and the files that hold these pictures alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from indexcalc.algebra.terms import Access, Delta, Partial, Terms, free_indices
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Display, Left, displays_of
from indexcalc.notes.familiar import Detail
from indexcalc.notes.names import index_mark
from indexcalc.notes.network_layout import Drawing, drawn
from indexcalc.notes.network_svg import network_svg, svg_style
from indexcalc.notes.network_tikz import colour_definitions, network_tikz, tex_text
from indexcalc.notes.networks import Kind, Network, networks_of, said
from indexcalc.notes.outline import outline
from indexcalc.notes.setup import declared_indices
from indexcalc.notes.sides import side_terms
from indexcalc.notes.tex import environment
from indexcalc.notes.text import Spelling, base_text, spelling_of, terms_text
from indexcalc.program import BlockedLoop, CheckedRange

LEAST_BODIES = 2
"""A picture of fewer bodies says nothing that its formula does not, unless legs end in dots."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An equation as networks.

    Attributes:
        drawing: where everything is.
        title: the equation as text.
        said: the networks in words.
        collapses: whether it shows what is there before and after a delta collapses a sum.
    """

    drawing: Drawing
    title: str
    said: str
    collapses: bool


@dataclass(slots=True)
class Gallery:
    """The pictures of a note, met in reading order; each once.

    Drawn are the first equation of each tensor of the forward pass, definitions of parts, boxed results, and in full
    detail each line in which a delta collapses a sum, beside the line before it.

    Attributes:
        spelling: how tensors are called.
        forward: the tensors of the forward pass.
        detail: whether collapses are drawn.
        seen: the titles of the pictures so far.
        last: the left side and the last right side of the equation before.
    """

    spelling: Spelling
    forward: frozenset[str]
    detail: Detail
    seen: set[str] = field(default_factory=set)
    last: tuple[Left, Terms] | None = None

    def picture(self, display: Display) -> Picture | None:
        """The picture of the next equation, if it has one."""
        left, sides = display.left, [side_terms(side) for side in display.sides]
        before = [self.last[1]] if self.last is not None and self.last[0] == left else []
        self.last = (left, sides[-1])
        collapse = collapse_of([*before, *sides]) if self.detail is Detail.FULL else ()
        if not isinstance(left, Access | Partial):
            return None
        shown = collapse or ((sides[-1],) if self.is_told(display) else ())
        found = pictured(left, shown, self.spelling, collapses=bool(collapse)) if shown else None
        if found is None or found.title in self.seen:
            return None
        self.seen.add(found.title)
        return found

    def is_told(self, display: Display) -> bool:
        """Whether an equation is a result, a definition, or the first of a tensor of the forward pass."""
        if not isinstance(display.left, Access):
            return False
        name = display.left.tensor
        first = name in self.forward and name not in self.seen
        self.seen.add(name)
        return display.boxed or first or (display.defines and name not in self.forward)


def gallery_of(derivation: Derivation, detail: Detail) -> Gallery:
    """An empty gallery of a derivation."""
    made = frozenset(equation.name for equation in derivation.problem.program.equations)
    return Gallery(spelling_of(derivation), made, detail)


def pictured(left: Access | Partial, sides: Sequence[Terms], spelling: Spelling, *, collapses: bool) -> Picture | None:
    """The picture of ``left = side = side``, unless it is too large, or says no more than the formula."""
    outer = tuple(dict.fromkeys((*free_indices(left), *(index for side in sides for index in free_indices(side)))))
    networks = [networks_of(side, outer, spelling) for side in sides]
    every = [one for side in networks for one in side]
    dots = any(not joint.is_wire for one in every if one.bodies for joint in one.joints)
    if not all(networks) or (sum(len(one.bodies) for one in every) < LEAST_BODIES and not dots):
        return None
    title = " = ".join((base_text(left, spelling), *(terms_text(side, spelling) for side in sides)))
    return Picture(drawn(networks), title, said_of(networks), collapses)


def said_of(sides: Sequence[Sequence[Network]]) -> str:
    """All sides in words; plain deltas are called wires."""
    texts = [said(networks) for networks in sides]
    wires = any(body.kind is Kind.DELTA for side in sides for one in side for body in one.bodies)
    return f"{' This equals: '.join(texts)}{' A delta is a bare wire.' if wires else ''}"


def collapse_of(sides: Sequence[Terms]) -> tuple[Terms, ...]:
    """The last side with a plain delta whose index is summed, and the side after it, if that has fewer of them."""
    counts = [collapsing(side) for side in sides]
    for place in range(len(sides) - 1, 0, -1):
        if counts[place - 1] > counts[place]:
            return (sides[place - 1], sides[place])
    return ()


def collapsing(terms: Terms) -> int:
    """How many plain deltas have an index that their term is summed over."""
    return sum(
        isinstance(base, Delta) and base.is_plain and bool({base.left, base.right} & set(term.summed))
        for term in terms
        for base in term.bases
    )


def pictures_of(blocks: Sequence[Block], derivation: Derivation, detail: Detail) -> Iterator[Picture]:
    """Every picture of a note, in reading order."""
    gallery = gallery_of(derivation, detail)
    for display in displays_of(blocks):
        if (picture := gallery.picture(display)) is not None:
            yield picture


def numbers_of(derivation: Derivation) -> dict[str, int]:
    """The numbers of indices from which their colours are made, by their marks; as in the page, in which they grow."""
    return {index_mark(index): number for number, index in enumerate(declared_indices(derivation.problem.program))}


def svg_note(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> str:
    """All pictures of a note below each other as one SVG file, each under its formula."""
    numbers = numbers_of(derivation)
    pictures = tuple(pictures_of(outline(derivation, views, loops, checked, detail), derivation, detail))
    parts: list[str] = []
    top = width = 0.0
    for number, picture in enumerate(pictures):
        svg = network_svg(
            picture.drawing,
            picture.title,
            picture.said,
            f"p{number}",
            lambda index: f"i{numbers.setdefault(index_mark(index), len(numbers))}",
        )
        parts.append(f'<text class="formula" x="12" y="{top + 14:.0f}">{escape(picture.title)}</text>')
        parts.append(svg.replace("<svg ", f'<svg y="{top + 20:.0f}" ', 1))
        top += 20 + picture.drawing.height + 12
        width = max(width, picture.drawing.width, 24 + 7.8 * len(picture.title))
    title = derivation.problem.program.title
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="network" viewBox="0 0 {width:.0f} {top:.0f}" '
        f'width="{width:.0f}" height="{top:.0f}" role="group" aria-labelledby="title">\n'
        f'<title id="title">{escape(title)}</title>\n'
        f"<style>{svg_style(len(numbers))}.network .formula{{text-anchor:start}}</style>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def tikz_note(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> str:
    """All pictures of a note as a LaTeX document of TikZ pictures, each under its formula."""
    numbers = numbers_of(derivation)
    pictures = tuple(pictures_of(outline(derivation, views, loops, checked, detail), derivation, detail))
    body = "\n\n".join(
        f"\\noindent\\texttt{{{tex_text(picture.title)}}}\n\n\\noindent\n"
        + network_tikz(picture.drawing, lambda index: f"index{numbers.setdefault(index_mark(index), len(numbers))}")
        + "\n\n\\bigskip"
        for picture in pictures
    )
    title = tex_text(derivation.problem.program.title)
    template = environment().get_template("networks.tikz.jinja2")  # `tex_text` escapes
    return template.render(title=title, colours=colour_definitions(len(numbers)), body=body)
