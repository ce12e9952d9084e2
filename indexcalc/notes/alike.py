"""Paths and gradients of a brief note that differ from an earlier one in names alone, told at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Path, Rule, Section
from indexcalc.notes.blocks import Block, Display, Displays, Gradient, Heading, Paragraph, Span, Spans, Symbol
from indexcalc.notes.joined import announced, sentences
from indexcalc.notes.prose import listed, listed_groups, say
from indexcalc.notes.reading import is_a_sum_of_paths
from indexcalc.notes.repetition import Repeat, Repeats


def path_runs(section: Section, repeats: Repeats) -> Iterator[tuple[Path, ...]]:
    """The paths in order, with those together that follow one another and repeat earlier ones under other names."""
    target = section.target or ""
    for renamed, run in groupby(section.paths, lambda path: is_renamed(repeats.get((target, path.consumer.tensor)))):
        paths = tuple(run)
        yield from ([paths] if renamed else ((path,) for path in paths))


def section_runs(sections: Sequence[Section], repeats: Repeats) -> Iterator[tuple[Section, ...]]:
    """The same of sections that have nothing of their own but names."""
    for renamed, run in groupby(sections, lambda section: has_only_names(section, repeats)):
        every = tuple(run)
        yield from ([every] if renamed else ((section,) for section in every))


def has_only_names(section: Section, repeats: Repeats) -> bool:
    """Whether the one path of a section repeats an earlier one, and all else is names of dummies."""
    if section.target is None or len(section.paths) != 1 or is_a_sum_of_paths(section):
        return False
    repeat = repeats.get((section.target, section.paths[0].consumer.tensor))
    return is_renamed(repeat) and all(step.rule is Rule.RELABEL for step in section.steps)


def is_renamed(repeat: Repeat | None) -> bool:
    """Whether a path repeats an earlier one under other names."""
    return repeat is not None and not repeat.mirror


def alike_paths(target: str, paths: Sequence[Path], repeats: Repeats) -> Iterator[Block]:
    """Which paths of a gradient are those of earlier ones, and with which names; what they give stands in the sum."""
    yield Heading(3, say("paths.heading", consumers=listed(Symbol(path.consumer.tensor) for path in paths)))
    found = [repeats[target, path.consumer.tensor] for path in paths]
    yield Paragraph(sentences(renamings(target, found)))


def alike_sections(sections: Sequence[Section], repeats: Repeats) -> Iterator[Block]:
    """Gradients that are those of earlier ones with other names: which, and the results."""
    found = [repeats[section.target or "", section.paths[0].consumer.tensor] for section in sections]
    yield Paragraph(announced(*renamings("", found)))
    yield Displays(tuple(Display(s.equation.lhs, (s.equation.terms,), boxed=True, spelled=True) for s in sections))


def renamings(target: str, repeats: Sequence[Repeat]) -> Iterator[Spans]:
    """Whose steps are repeated under which names, in as few sentences as say it of each."""
    models: dict[tuple[tuple[str, str], ...], list[Repeat]] = {}
    for repeat in repeats:
        models.setdefault(tuple(sorted(repeat.renamed)), []).append(repeat)
    alike: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], list[dict[str, str]]] = {}
    for found in models.values():
        old = tuple(name for name, _ in found[0].renamed)
        alike.setdefault((old, tuple((one.target, one.consumer) for one in found)), []).append(dict(found[0].renamed))
    for (old, earlier), every in alike.items():
        own = all(name == target for name, _ in earlier)
        steps = listed(Symbol(consumer) if own else Gradient(Access(name)) for name, consumer in earlier)
        news = [listed(Symbol(names[name]) for name in old) for names in every]
        swaps: list[Span] = [*news[0], " for ", *listed(map(Symbol, old))]
        if any(set(old) & set(names.values()) for names in every):
            swaps.append(", all at once")
        if news[1:]:
            swaps += [
                "; likewise with ",
                *listed_groups((("with ", *new) if n else new for n, new in enumerate(news[1:]))),
            ]
        yield say("cited.paths" if own else "cited.sections", earlier=steps, swaps=swaps)
