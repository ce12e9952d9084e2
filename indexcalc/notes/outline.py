"""A derivation as a list of blocks: what the note says, in order, in no format yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache

from indexcalc.algebra.terms import Terms, tensors_of
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.notes.blocks import (
    Block,
    Heading,
    Left,
    Paragraph,
    displays_of,
)
from indexcalc.notes.costs import cost_blocks
from indexcalc.notes.diagram import diagram_blocks
from indexcalc.notes.familiar import STEPS_LIMIT, Detail, number_of_steps, shown_before
from indexcalc.notes.groups import grouped_blocks
from indexcalc.notes.matrices import implementation_blocks, matrix_blocks
from indexcalc.notes.orders import order_blocks
from indexcalc.notes.parts import is_part, parts_put_in
from indexcalc.notes.proofs import identity_blocks, lemma_blocks
from indexcalc.notes.prose import say
from indexcalc.notes.range import range_blocks
from indexcalc.notes.repetition import mirrors_of, repeats_of
from indexcalc.notes.sections import contribution_blocks, section_blocks
from indexcalc.notes.setup import setup_blocks
from indexcalc.notes.sides import side_terms
from indexcalc.notes.symbols import symbol_blocks
from indexcalc.notes.tables import delta_blocks, says_more, summary_blocks
from indexcalc.notes.views import loop_blocks, storage_blocks, view_blocks
from indexcalc.program import BlockedLoop, CheckedRange

OPENING = (
    "The forward pass in index notation, and its backward pass derived from it step by step, "
    "with the Kronecker deltas and the sums that they collapse."
)

ORDERS = (
    "The forward pass in index notation, and the derivatives that are asked for derived from it step by step, "
    "with the Kronecker deltas and the sums that they collapse. Deltas that are left say where entries are zero."
)


class Chapter(Enum):
    """The parts of a note, in their order; each is made of whole sections, or goes on with the section before it."""

    OPENING = "the title, and what the note is"
    SETUP = "indices, inputs, the forward pass, the convention"
    FLOW = "the dataflow of both passes"
    LEMMAS = "identities that are used later"
    SECTIONS = "the derivation of every gradient and named part"
    ORDERS = "the derivatives that are no gradients"
    IDENTITIES = "claims of the author"
    SUMMARY = "every equation of the backward pass"
    MATRICES = "the same between whole arrays"
    VIEWS = "the same row by row and entry by entry"
    IMPLEMENTATION = "the same as a list of assignments"
    SYMBOLS = "what every symbol means"
    DELTAS = "which sum each delta collapsed"
    COST = "operations and memory"
    STORAGE = "what to store"
    LOOPS = "what code in blocks never holds"
    RANGE = "the inputs of the check"


Chapters = tuple[tuple[Chapter, tuple[Block, ...]], ...]


@lru_cache(maxsize=2)
def chapters_once(
    derivation: Derivation,
    views: tuple[str, ...],
    loops: tuple[BlockedLoop, ...],
    checked: CheckedRange | None,
    detail: Detail,
) -> Chapters:
    """The chapters, once for all formats."""
    return tuple((chapter, tuple(blocks)) for chapter, blocks in composed(derivation, views, loops, checked, detail))


def chapters(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> Chapters:
    """Every chapter of the note with its blocks; see `composed`."""
    return chapters_once(derivation, tuple(views), tuple(loops), checked, detail)


def outline(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> tuple[Block, ...]:
    """Every block of the note; see `composed`."""
    return tuple(block for _, blocks in chapters(derivation, views, loops, checked, detail) for block in blocks)


def composed(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> Iterator[tuple[Chapter, Iterable[Block]]]:
    """The chapters of the note in their order, without those that this note leaves out.

    Args:
        derivation: what the note is about.
        views: asks for rows and entries of all gradients.
        loops: how code that runs in blocks does so, if there is such code.
        checked: the inputs at which the code is checked, if it is.
        detail: whether every step and table is there. A brief note says what is alike once, and each result once.
    """
    brief = detail is Detail.BRIEF
    title = Heading(1, (derivation.problem.program.title,))
    opening: list[Block] = [title, Paragraph((ORDERS if derivation.orders else OPENING,))]
    if (steps := number_of_steps(derivation)) > STEPS_LIMIT:
        opening.append(Paragraph(say("opening.long", steps=f"{steps:,}", limit=f"{STEPS_LIMIT:,}")))
    yield Chapter.OPENING, opening
    yield Chapter.SETUP, setup_blocks(derivation)
    yield Chapter.FLOW, diagram_blocks(derivation)
    yield Chapter.LEMMAS, lemma_blocks(derivation, detail)
    yield Chapter.SECTIONS, gradient_blocks(derivation, detail)
    yield Chapter.ORDERS, order_blocks(derivation)
    yield Chapter.IDENTITIES, identity_blocks(derivation, detail)
    if not brief or says_more(derivation):
        yield Chapter.SUMMARY, summary_blocks(derivation, detail)
    yield Chapter.MATRICES, matrix_blocks(derivation)
    if not brief or views:
        yield Chapter.VIEWS, view_blocks(derivation, views)
    if not brief:
        yield Chapter.IMPLEMENTATION, implementation_blocks(derivation)
        yield Chapter.SYMBOLS, symbol_blocks(derivation)
    yield Chapter.DELTAS, delta_blocks(derivation)
    yield Chapter.COST, cost_blocks(derivation, detail)
    yield Chapter.STORAGE, storage_blocks(derivation)
    yield Chapter.LOOPS, loop_blocks(loops)
    if not brief:
        yield Chapter.RANGE, range_blocks(checked)


def gradient_blocks(derivation: Derivation, detail: Detail) -> Iterator[Block]:
    """The derivation of every gradient and named part; what repeats an earlier path is cited.

    Where that takes too many steps, of every gradient what its paths contribute, and the result.
    """
    if number_of_steps(derivation) > STEPS_LIMIT:
        for section in reading_order(derivation):
            own = section.target is not None
            yield from contribution_blocks(derivation, section) if own else section_blocks(derivation, section, {})
        return
    repeats, shown = repeats_of(derivation), shown_before(derivation, detail)
    if detail is Detail.BRIEF:
        repeats = {**mirrors_of(derivation), **repeats}
    yield from grouped_blocks(derivation, reading_order(derivation), repeats, shown)


def reading_order(derivation: Derivation) -> list[Section]:
    """The sections, each named part after the first gradient in which its name turns up; without parts put in."""
    inside = parts_put_in(derivation)
    others = {section.equation.name for order in derivation.orders for section in order.sections}
    own = [section for section in derivation.sections if section.equation.name not in others]
    named = {section.equation.name: section for section in own if is_part(derivation, section)}
    parts = {name: part for name, part in named.items() if name not in inside}
    ordered: list[Section] = []
    for section in own:
        if not is_part(derivation, section):
            ordered.append(section)
            ordered.extend(take_parts(section, parts))
    return [*parts.values(), *ordered]


def take_parts(section: Section, parts: dict[str, Section]) -> list[Section]:
    """The parts that a section's result reads, with those that they read, taken out of `parts`."""
    found: list[Section] = []
    for name in tensors_of(section.equation.terms):
        if name in parts:
            part = parts.pop(name)
            found.extend((part, *take_parts(part, parts)))
    return found


def displayed_equations(derivation: Derivation) -> tuple[tuple[Left, Terms], ...]:
    """Every equation that the note displays, as algebra objects, in reading order.

    A chain ``left = side = side`` gives one pair for each side; the left side is Terms for an identity.
    """
    return tuple(
        (display.left, side_terms(side)) for display in displays_of(outline(derivation)) for side in display.sides
    )
