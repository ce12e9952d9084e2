"""Gradients of a brief note under one heading: neighbours in whose chain rules the same deltas collapse sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.notes.alike import alike_sections, section_runs
from indexcalc.notes.blocks import Block, Gradient, Heading, Paragraph, Span, Spans
from indexcalc.notes.familiar import Shown
from indexcalc.notes.joined import back_sentence, is_joined, only_rewrites
from indexcalc.notes.parts import Parts, named_parts
from indexcalc.notes.prose import listed
from indexcalc.notes.reading import is_a_sum_of_paths
from indexcalc.notes.repetition import Repeats
from indexcalc.notes.sections import cited_consumers, section_blocks

FEW = 3
"""So many gradients are named one by one in a heading at most."""


def grouped_blocks(
    derivation: Derivation, sections: Sequence[Section], repeats: Repeats, shown: Shown
) -> Iterator[Block]:
    """The derivations of gradients and named parts, in order; see `section_blocks`."""
    parts = named_parts(derivation)
    while sections:
        group = alike_at_start(sections, parts, shown)
        if len(group) > 1:
            yield from group_blocks(derivation, group, repeats, shown)
        else:
            yield from section_blocks(derivation, group[0], repeats, shown)
        for section in group:
            shown = shown.after_section(section, cited_consumers(section, repeats))
        sections = sections[len(group) :]


def alike_at_start(sections: Sequence[Section], parts: Parts, shown: Shown) -> tuple[Section, ...]:
    """The first section, and those after it with the same collapses in the chain rule."""
    first, *others = sections
    said = collapses_of(first, parts, shown)
    return (first, *takewhile(lambda section: said and collapses_of(section, parts, shown) == said, others))


def collapses_of(section: Section, parts: Parts, shown: Shown) -> Spans:
    """What the deltas do in the chain rule of a gradient that is told in one sentence; nothing of others."""
    if section.target is None or len(section.paths) != 1 or is_a_sum_of_paths(section):
        return ()
    (path,) = section.paths
    joins = is_joined(path, shown) and only_rewrites(section.steps, parts)
    return back_sentence("joined.back", path, section.steps) if joins else ()


def group_blocks(
    derivation: Derivation, sections: Sequence[Section], repeats: Repeats, shown: Shown
) -> Iterator[Block]:
    """Gradients of which one sentence says what deltas do in the chain rule; then what each has of its own."""
    gradients = [Gradient(Access(section.target or "")) for section in sections]
    names: list[Span] = listed(gradients) if len(gradients) <= FEW else [gradients[0], " to ", gradients[-1]]
    yield Heading(2, ("The gradients ", *names))
    first = sections[0]
    yield Paragraph(back_sentence("joined.each", first.paths[0], first.steps))
    shown = replace(shown, said=back_sentence("joined.back", first.paths[0], first.steps))
    for run in section_runs(sections, repeats):
        if len(run) > 1:
            yield from alike_sections(run, repeats)
        else:
            yield from section_blocks(derivation, run[0], repeats, shown)[1:]
            shown = shown.after_section(run[0], cited_consumers(run[0], repeats))
