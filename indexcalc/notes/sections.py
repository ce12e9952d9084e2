"""One gradient's derivation as blocks: a sentence that names the rule, then the equation it gave."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.terms import (
    Access,
    Partial,
    Term,
    Terms,
    accesses_of,
    tensors_of,
)
from indexcalc.calculus.steps import (
    Derivation,
    LocalDerivative,
    Path,
    Rule,
    Section,
    Step,
)
from indexcalc.notes.alike import alike_paths, path_runs
from indexcalc.notes.blocks import (
    Block,
    Display,
    Displays,
    Equality,
    Gradient,
    Heading,
    Loss,
    Paragraph,
    Span,
    Spans,
    Symbol,
)
from indexcalc.notes.contributions import freed_by, inner_product
from indexcalc.notes.differentiation import Local
from indexcalc.notes.familiar import Habit, Shown, is_long
from indexcalc.notes.held import held_in, held_tensors
from indexcalc.notes.joined import announced, is_joined, joined_blocks, only_rewrites, together_blocks
from indexcalc.notes.narration import NOTHING, intro, steps_blocks, tensor_of
from indexcalc.notes.parts import Parts, is_direct, named_parts, names_on_the_way, start_of
from indexcalc.notes.prose import listed, say
from indexcalc.notes.put_in import put_in
from indexcalc.notes.reading import is_a_sum_of_paths, leftover_deltas, path_reading, reading_of
from indexcalc.notes.repetition import Repeat, Repeats
from indexcalc.notes.sides import Nested, Spelled, Split
from indexcalc.notes.systems import adjoint_intro, adjoint_reminder, adjoint_result, unknown_of
from indexcalc.program import Unknown


def section_blocks(derivation: Derivation, section: Section, repeats: Repeats, shown: Shown = NOTHING) -> list[Block]:
    """The derivation of one backward tensor, from the chain rule to the boxed result.

    A path that repeats one that is shown in full is cited; what a long note has shown is not shown again.
    """
    unknown = unknown_of(derivation, section)
    if section.target is None and unknown is None:
        return part_blocks(derivation, section, shown)
    parts = named_parts(derivation)
    several = is_a_sum_of_paths(section)
    blocks: list[Block]
    if unknown is not None:
        target = unknown.tensor.entry
        blocks = [Heading(2, say("adjoint.heading", unknown=Symbol(unknown.name)))]
        blocks.extend(adjoint_intro(derivation, unknown))
    else:
        target = Access(section.target or "", section.equation.slots)
        blocks = [Heading(2, ("The gradient ", Gradient(Access(target.tensor))))]
        if several:
            blocks.append(Paragraph(paths_sentence(derivation, section, target)))
    cited, steps, told = cited_consumers(section, repeats), section.steps, shown.readings
    found: set[int] = set()
    for run in path_runs(section, repeats) if shown.joins and several else ((path,) for path in section.paths):
        path = run[0]
        if len(run) > 1:
            blocks.extend(alike_paths(target.tensor, run, repeats))
            continue
        if path.consumer.tensor in cited:
            repeat = repeats[target.tensor, path.consumer.tensor]
            told_there, steps = cited_path(path, target, repeat, shown, steps, several=several, parts=parts)
            blocks.extend(told_there)
            continue
        if unknown is None:
            blocks.extend(adjoint_reminder(derivation, path.consumer.tensor))
        # Where there is one path, its steps and those of the section are one chain.
        tail, steps = ((), steps) if several else (steps, ())
        blocks.extend(path_blocks(path, target, parts, shown, tail, several=several, of=derivation, found=found))
        found.update(map(id, path.locals))
        told, shown = shown.readings, shown.after_path(section, path)
        if several and unknown is None:
            blocks.extend(path_reading(derivation, section, path, told))
    if several and section.paths:
        blocks.append(Heading(3, ("All paths together",)))
    if unknown is not None:
        return [*blocks, *system_blocks(derivation, section, unknown, steps, shown)]
    joins = several and shown.joins and steps[0].rule is Rule.PATHS and only_rewrites(steps[1:], parts)
    blocks.extend(together_blocks(steps) if joins else steps_blocks(steps, parts, shown=shown))
    reading = [] if cited else reading_of(derivation, section, told)
    once_more = () if is_long(derivation) else put_in(derivation, section)
    return [*boxed_result(blocks, section), *once_more, *reading]


def system_blocks(
    derivation: Derivation, section: Section, unknown: Unknown, steps: Sequence[Step], shown: Shown
) -> list[Block]:
    """The system that determines an adjoint variable, and what is known of it from another one."""
    parts = named_parts(derivation)
    place = next((n for n, step in enumerate(steps) if step.rule is Rule.SAME_SYSTEM), len(steps))
    blocks = [*steps_blocks(steps[:place], parts, shown=shown), *adjoint_result(derivation, section, unknown)]
    if place == len(steps):
        return blocks
    return boxed_result([*blocks, *steps_blocks(steps[place:], parts, shown=shown)], section)


def contribution_blocks(derivation: Derivation, section: Section) -> list[Block]:
    """One gradient in a note that has no room for steps: what every path contributes, and the boxed result."""
    target = Access(section.target or "", section.equation.slots)
    blocks: list[Block] = [Heading(2, ("The gradient ", Gradient(Access(target.tensor))))]
    if is_a_sum_of_paths(section):
        blocks.append(Paragraph(paths_sentence(derivation, section, target)))
        displays = tuple(Display(path.steps[-1].subject, (path.result,)) for path in section.paths)
        if displays:
            blocks.append(Displays(displays) if len(displays) > 1 else displays[0])
    return [*blocks, Display(section.equation.lhs, (section.equation.terms,), boxed=True, spelled=True)]


def cited_consumers(section: Section, repeats: Repeats) -> frozenset[str]:
    """The consumers of the paths that are cited."""
    consumers = (path.consumer.tensor for path in section.paths)
    return frozenset(name for name in consumers if (section.target, name) in repeats)


def paths_sentence(derivation: Derivation, section: Section, target: Access) -> Spans:
    """Through which tensors the loss depends on the target, and what it gets from the target itself."""
    names: dict[str, Span | list[Span]] = {"target": Symbol(target.tensor), "loss": Loss()}
    given = [up.name for up in derivation.problem.upstream if up.of == target.tensor]
    consumers = listed(Symbol(path.consumer.tensor) for path in section.paths)
    if not section.paths:
        return say("paths.none", **names)
    intro = say("paths.one" if len(section.paths) == 1 else "paths.intro", consumers=consumers, **names)
    if not given:
        return intro
    return (*intro, *say("paths.direct", given=listed(Access(name, target.slots) for name in given), **names))


def part_blocks(derivation: Derivation, section: Section, shown: Shown = NOTHING) -> list[Block]:
    """How a part that got a name is computed from less; nothing if its definition is its last word.

    What it stands for is said again, unless the note is brief.
    """
    entry = section.equation.lhs
    named = entry.tensor in names_on_the_way(derivation)
    if named and not section.steps:
        return []
    equations = derivation.backward.equations
    readers = [equation.lhs for equation in equations if accesses_of(equation.terms, entry.tensor)]
    intro = say("part", part=entry) if named else say("part.first", part=entry, readers=listed(readers))
    blocks: list[Block] = [Heading(3 if named else 2, say("part.heading", part=entry))]
    if not (named and shown.brief):
        blocks += [Paragraph(intro), Display(entry, (start_of(section),), defines=True)]
    blocks.extend(steps_blocks(section.steps, named_parts(derivation)))
    if not section.steps:
        return blocks
    return [*boxed_result(blocks, section), *freed_blocks(section)]


def freed_blocks(section: Section) -> Iterator[Block]:
    """What a named part is computed from in the end, where that is less than what it stood for was made of."""
    read, freed = freed_by(section)
    if read and freed:
        names: dict[str, Span | list[Span]] = {"part": section.equation.lhs, "are": "is" if len(freed) == 1 else "are"}
        names["freed"] = listed(Symbol(name) for name in freed)
        names["sources"] = listed(Symbol(name) for name in read)
        terms = section.equation.terms
        if entries := inner_product(terms):
            names |= {"sources": listed(entries), "indices": listed(terms[0].summed)}
        yield Paragraph(say("read.freed.inner" if entries else "read.freed", **names))


def boxed_result(blocks: list[Block], section: Section) -> list[Block]:
    """The blocks with the result boxed: the last equation if it is the result, else one more."""
    equation = section.equation
    result = Display(equation.lhs, (equation.terms,), boxed=True, spelled=True)
    last = blocks[-1]
    if isinstance(last, Display) and is_about(last, section) and last.sides[-1] == equation.terms:
        spelled = isinstance(last.sides[0], Spelled)
        rewritten = len(last.sides) > 1 + spelled and all(
            isinstance(side, tuple | Split | Nested | Spelled) for side in last.sides
        )
        # Of a chain of equations the last one is the result.
        before = [replace(last, sides=last.sides[:-1])] if rewritten else []
        boxed = result if rewritten else replace(last, left=equation.lhs, boxed=True, spelled=True)
        return [*blocks[:-1], *before, boxed]
    return [*blocks, result]


def is_about(display: Display, section: Section) -> bool:
    """Whether an equation is about the gradient of a section, also where it is the derivative of the loss itself."""
    match display.left:
        case Partial(Access(_, ()), wrt):
            alone = len(section.paths) == 1 and not is_a_sum_of_paths(section)
            return alone and wrt == Access(section.target or "", section.equation.slots)
        case left:
            return left == section.equation.lhs


def path_blocks(
    path: Path,
    target: Access,
    parts: Parts,
    shown: Shown,
    tail: tuple[Step, ...],
    *,
    several: bool,
    of: Derivation,
    found: Container[int],
) -> Iterator[Block]:
    """What one consumer contributes: chain rule, local derivatives, and everything put together, up to the `tail`.

    Of derivatives that are `found` on an earlier path, which are told by their identity, the result stands again. It is
    a path `of` a derivation.
    """
    if several:
        key = "path.direct" if is_direct(path, target) else "path.heading"
        yield Heading(3, say(key, consumer=Symbol(path.consumer.tensor)))
    if is_joined(path, shown) and only_rewrites(tail, parts):
        yield from joined_blocks(path, target, tail, several=several, said=shown.said)
        return
    chain, rest = path.steps[0], path.steps[1:]
    yield from chain_blocks(chain, path, target, shown, several=several)
    level = 4 if several else 3
    yield from statistics_blocks(path, target, found)
    for local in (local for local in path.locals if id(local) not in found):
        if len(path.locals) > 1:
            yield Heading(level, say("statistic.heading", statistic=Symbol(tensor_of(local.partial))))
        yield from local_blocks(local, path, parts, shown, of)
        shown = shown.after(local.steps)
    if len(path.locals) > 1:
        yield Heading(level, say("back.heading", loss=Loss()))
    if is_direct(path, target) and rest and rest[0].after == path.locals[-1].result:
        rest = rest[1:]
    yield from steps_blocks((*rest, *tail), parts, shown=shown)


def cited_path(
    path: Path,
    target: Access,
    repeat: Repeat,
    shown: Shown,
    steps: tuple[Step, ...],
    *,
    several: bool,
    parts: Parts,
) -> tuple[Iterator[Block], tuple[Step, ...]]:
    """A path that repeats an earlier one, and which `steps` of its section are still to be told."""
    relabelled = all(step.rule is Rule.RELABEL for step in steps)
    if shown.joins and not (several or relabelled or repeat.mirror) and only_rewrites(steps, parts):
        return cited_and_rewritten(path, target, repeat, steps), ()
    short = repeat.mirror or (shown.brief and (several or relabelled))
    blocks = (cited_in_short if short else cited_blocks)(path, target, repeat, several=several)
    return blocks, () if short and not several else steps


def cited_blocks(path: Path, target: Access, repeat: Repeat, *, several: bool) -> Iterator[Block]:
    """A path that differs from an earlier one by names alone: chain rule, local derivatives and result."""
    if several:
        yield Heading(3, say("path.heading", consumer=Symbol(path.consumer.tensor)))
    yield from chain_blocks(path.steps[0], path, target, NOTHING, several=several)
    yield Paragraph(citation(target, repeat, ""))
    for local in path.locals:
        yield Display(local.partial, (local.result,))
    yield Paragraph(say("cited.result"))
    yield Display(path.steps[-1].subject, (path.result,))


def cited_in_short(path: Path, target: Access, repeat: Repeat, *, several: bool) -> Iterator[Block]:
    """The same in a long note: what is cited, and the result."""
    if several:
        yield Heading(3, say("path.heading", consumer=Symbol(path.consumer.tensor)))
    yield Paragraph((*citation(target, repeat, ".all"), *mirrored_result(path, repeat)))
    if several:
        yield Display(path.steps[-1].subject, (path.result,))


def cited_and_rewritten(path: Path, target: Access, repeat: Repeat, tail: Sequence[Step]) -> Iterator[Block]:
    """What is cited with what it gives, and the steps after it that only write that in another way, in one chain."""
    yield Paragraph(announced(citation(target, repeat, ".all"), *(intro(step, None) for step in tail)))
    yield Display(path.steps[-1].subject, (path.result, *(step.after for step in tail)))


def mirrored_result(path: Path, repeat: Repeat) -> Spans:
    """What the exchange of two tensors makes of the derivative of their consumer: its own slots change places too."""
    if not repeat.mirror:
        return ()
    if len(path.locals) != 1:
        return (":",)
    (local,) = path.locals
    partial = (Term(sp.S.One, ((local.partial, sp.S.One),)),)
    return say("cited.mirror.local", local=Equality(partial, local.result))


def citation(target: Access, repeat: Repeat, form: str) -> Spans:
    """Which steps are the same, and with which names."""
    if repeat.mirror:
        return mirror_citation(repeat)
    swaps: list[Span] = []
    for number, (old, new) in enumerate(repeat.renamed):
        comma = "" if not number else " and " if number == len(repeat.renamed) - 1 else ", "
        swaps.extend([comma, Symbol(new), " for ", Symbol(old)])
    if {old for old, _ in repeat.renamed} & {new for _, new in repeat.renamed}:
        swaps.append(", both at once" if len(repeat.renamed) == 2 else ", all at once")
    if repeat.target == target.tensor:
        return say(f"cited.path{form}", earlier=Symbol(repeat.consumer), swaps=swaps)
    return say(f"cited{form}", earlier=Gradient(Access(repeat.target)), swaps=swaps)


def mirror_citation(repeat: Repeat) -> Spans:
    """What changes places in the equation of the consumer, and so in the steps for an earlier tensor."""
    ((one, other),) = repeat.renamed
    pairs = [span for pair in repeat.indices for span in (", ", *listed(pair))]
    names: dict[str, Span | list[Span]] = {"one": Symbol(one), "other": Symbol(other)}
    together: list[Span] = [" together with ", *pairs[1:]] if pairs else []
    earlier = Gradient(Access(repeat.target))
    return say("cited.mirror", consumer=Symbol(repeat.consumer), together=together, earlier=earlier, **names)


def statistics_blocks(path: Path, target: Access, found: Container[int]) -> Iterator[Block]:
    """Through which statistics the consumer depends on the target, and the derivatives of those that are `found`."""
    *before, own = path.locals
    if not before:
        return
    direct = target.tensor in tensors_of(forward_of(own))
    names: dict[str, Span | list[Span]] = {"target": Symbol(target.tensor), "also": "also " if direct else ""}
    statistics = listed(Symbol(tensor_of(local.partial)) for local in before)
    above = [local for local in before if id(local) in found]
    key = "statistics.above" if len(above) == len(before) else "statistics"
    key += "" if len(before) > 1 else ".one"
    sentence = say(key, consumer=Symbol(path.consumer.tensor), statistics=statistics, **names)
    if above and len(above) < len(before):
        known = listed(Symbol(tensor_of(local.partial)) for local in above)
        sentence += say("statistics.known" if len(above) > 1 else "statistics.known.one", statistics=known)
    yield Paragraph(sentence)
    displays = tuple(Display(local.partial, (local.result,)) for local in above)
    if displays:
        yield Displays(displays) if len(displays) > 1 else displays[0]


def chain_blocks(chain: Step, path: Path, target: Access, shown: Shown, *, several: bool) -> Iterator[Block]:
    """The full chain rule, first with every gradient spelled out; nothing to say where the loss reads the target."""
    consumer = path.consumer
    if is_direct(path, target):
        key = "chain.direct" if several else "chain.loss"
        yield Paragraph(say(key, consumer=Symbol(consumer.tensor), target=target))
        return
    key = "chain.scalar" if not consumer.slots else "chain.path" if several else "chain.only"
    if consumer.slots and Habit.CHAIN in shown.habits:
        key = "chain.path.again" if several else "chain.again"
    noun = "a fresh dummy" if len(consumer.slots) == 1 else "fresh dummies"
    names: dict[str, Span | list[Span]] = {"noun": noun, "dummies": listed(consumer.slots)}
    yield Paragraph(say(key, loss=Loss(), target=target, consumer=Symbol(consumer.tensor), **names))
    yield Display(chain.subject, (Spelled(chain.after), chain.after))


def local_blocks(
    local: LocalDerivative, path: Path, parts: Parts, shown: Shown, derivation: Derivation
) -> Iterator[Block]:
    """One local derivative, step by step, and what its deltas will do next."""
    through = frozenset(held_in(local.partial, held_tensors(derivation)))
    origins = derivation.problem.program.origins
    yield from steps_blocks(local.steps, parts, Local(local.partial, forward_of(local), through, origins), shown)
    yield from leftover_deltas(local, path, brief=Habit.REMAINS in shown.habits)


def forward_of(local: LocalDerivative) -> Terms:
    """The forward equation that a local derivative starts from."""
    return next((step.after for step in local.steps if step.rule is Rule.FORWARD), ())
