"""How much of a note a reader sees: the results alone, the brief note, or every step, as one sequence of blocks.

The full and the brief note are merged. A block that both have stands there once; what they say differently stands there
twice, each with the levels at which it is shown. So what is shown at a level is the note of that level, word for word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Diagram, Display, Displays, Heading
from indexcalc.notes.curves import Curves
from indexcalc.notes.familiar import Detail
from indexcalc.notes.heats import Heats
from indexcalc.notes.outline import Chapter, chapters
from indexcalc.notes.wires import Wiring
from indexcalc.program import BlockedLoop, CheckedRange


class Level(StrEnum):
    """What is shown, from least to most; the value is a word of the page's markup."""

    RESULT = "result"
    BRIEF = "brief"
    FULL = "full"


Levels = frozenset[Level]

LEVELS_OF = {Detail.BRIEF: (Level.RESULT, Level.BRIEF), Detail.FULL: tuple(Level)}
"""The levels of a page; one with a brief note has no more than that."""

Figure = Wiring | Curves | Heats
"""What a page has beside the blocks of its note."""

WHOLE = frozenset((Chapter.SUMMARY, Chapter.MATRICES))
"""The chapters that are results as far as the brief note has them."""

DERIVED = frozenset((Chapter.SECTIONS, Chapter.ORDERS))
"""The chapters whose results are the boxed equations, and the definitions of the parts that these read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A block or figure of a page with the levels at which it is shown."""

    chapter: Chapter
    block: Block | Figure
    levels: Levels


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all that stands under it."""

    heading: Block
    units: tuple[Unit, ...]


Unit = Block | Section


def parts_of(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> tuple[Part, ...]:
    """The blocks of a page in order; those that are shown at the level of `detail` are the note in that detail."""
    whole = chapters(derivation, views, loops, checked, detail)
    brief = dict(chapters(derivation, views, loops, checked, Detail.BRIEF))
    found: list[Part] = []
    for chapter, blocks in whole:
        merged = merge(units_of(blocks), units_of(brief.get(chapter, ())), LEVELS_OF[detail][-1])
        found.extend(Part(chapter, block, levels) for block, levels in with_results(chapter, tuple(merged)))
    return tuple(found)


def heading_level(block: Block | Figure) -> int | None:
    """The level of the section that a block begins, if it begins one."""
    match block:
        case Heading(level):
            return level
        case Diagram(title=title) if title:
            return 2
    return None


def units_of(blocks: Sequence[Block]) -> tuple[Unit, ...]:
    """The blocks up to the first heading, then the sections of the highest level there is."""
    levels = [level for block in blocks if (level := heading_level(block)) is not None]
    if not levels:
        return tuple(blocks)
    starts = [number for number, block in enumerate(blocks) if heading_level(block) == min(levels)]
    ends = [*starts[1:], len(blocks)]
    before = blocks[: starts[0]]
    return (
        *(units_of(before) if before else ()),
        *(Section(blocks[a], units_of(blocks[a + 1 : b])) for a, b in zip(starts, ends, strict=True)),
    )


def merge(whole: Sequence[Unit], brief: Sequence[Unit], most: Level) -> Iterator[tuple[Block, Levels]]:
    """The units of two notes in the order of both; sections with the same heading are one, and merged inside."""
    own, other = ([unit.heading if isinstance(unit, Section) else unit for unit in units] for units in (whole, brief))
    shared, first, second = frozenset((most, Level.BRIEF)), frozenset((most,)), frozenset((Level.BRIEF,))
    for tag, a, b, c, d in SequenceMatcher(None, own, other, autojunk=False).get_opcodes():
        if tag == "equal":
            for one, two in zip(whole[a:b], brief[c:d], strict=True):
                yield unit_start(one), shared
                yield from merge(inside(one), inside(two), most)
        else:
            yield from ((block, first) for block in flat(whole[a:b]))
            yield from ((block, second) for block in flat(brief[c:d]))


def unit_start(unit: Unit) -> Block:
    """The heading of a section, or the block itself."""
    return unit.heading if isinstance(unit, Section) else unit


def inside(unit: Unit) -> tuple[Unit, ...]:
    """What stands under the heading of a section."""
    return unit.units if isinstance(unit, Section) else ()


def flat(units: Iterable[Unit]) -> Iterator[Block]:
    """Every block of some units."""
    for unit in units:
        yield unit_start(unit)
        yield from flat(inside(unit))


def with_results(chapter: Chapter, blocks: Sequence[tuple[Block, Levels]]) -> Iterator[tuple[Block, Levels]]:
    """The blocks of a chapter; those of the brief note that are results, or lead to one, are shown with these too."""
    results = {number for number, (block, levels) in enumerate(blocks) if Level.BRIEF in levels and is_result(block)}
    if chapter in WHOLE:
        results = {number for number, (_, levels) in enumerate(blocks) if Level.BRIEF in levels}
    elif chapter is Chapter.SETUP:
        # The section on what is given; the conventions of steps that are not shown come after it.
        starts = [number for number, (block, _) in enumerate(blocks) if heading_level(block) == 2]
        results = set(range(starts[1] if len(starts) > 1 else len(blocks)))
    elif chapter not in DERIVED:
        results = set()
    title = None
    for number, (block, _) in enumerate(blocks):
        title = number if heading_level(block) == 2 else title
        if number in results and title is not None:
            results.add(title)
    for number, (block, levels) in enumerate(blocks):
        yield block, levels | {Level.RESULT} if number in results else levels


def is_result(block: Block) -> bool:
    """Whether an equation is to be remembered, or says what a name means."""
    match block:
        case Display():
            return block.boxed or block.defines
        case Displays(items):
            return all(map(is_result, items))
    return False
