"""The closing parts of a note: summary, deltas, memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexcalc.algebra.terms import Access, Delta, Terms, accesses_of, walk
from indexcalc.calculus.steps import Collapse, Derivation, Section, Step
from indexcalc.cost.streams import memory_of
from indexcalc.notes.blocks import (
    Block,
    Display,
    Displays,
    Gradient,
    Heading,
    Match,
    Paragraph,
    Scalar,
    Span,
    Spans,
    Symbol,
    Table,
)
from indexcalc.notes.contributions import freed_by
from indexcalc.notes.familiar import Detail
from indexcalc.notes.parts import is_direct, is_part
from indexcalc.notes.prose import listed, say
from indexcalc.notes.recurrences import recurrence_blocks
from indexcalc.notes.setup import comma_separated, forward_display, recompute_sources
from indexcalc.notes.systems import has_equations_between, system_display
from indexcalc.program import Equation


def summary_blocks(derivation: Derivation, detail: Detail = Detail.FULL) -> Iterator[Block]:
    """Every equation of the backward pass, in an order in which it can be computed.

    In brief only those that are computed step by step, where that is all that the summary says more than the sections.
    """
    yield Heading(2, ("Summary",))
    if detail is Detail.BRIEF and not says_more_than_steps(derivation):
        steps = {name for recurrence in derivation.backward.recurrences for name in recurrence.axes}
        yield Paragraph(say("summary.steps"))
        yield equations_display(derivation, [equation for equation in derivation.derived if equation.name in steps])
        yield from recurrence_blocks(derivation.backward)
        return
    if derivation.recomputed:
        sources = listed(Symbol(name) for name in recompute_sources(derivation))
        yield Paragraph(say("recompute.summary", sources=sources))
        yield Displays(tuple(map(forward_display, derivation.recomputed)))
        yield Paragraph(say("recompute.then"))
    elif derivation.derived:
        yield Paragraph(("The backward pass, in an order in which it can be computed:",))
    displays = equations_display(derivation, derivation.derived)
    if displays.items:
        yield displays
    if derivation.backward.unknowns:
        unknowns = derivation.backward.unknowns
        names = listed(Symbol(unknown.name) for unknown in unknowns)
        many = ".many" if len(unknowns) > 1 else ""
        key = "summary.system.between" if has_equations_between(derivation.backward) else "summary.system"
        yield Paragraph(say(f"{key}{many}", unknown=names))
    yield from recurrence_blocks(derivation.backward)
    made = tuple(order.equation for order in derivation.orders if not order.whole)
    if made:
        yield Paragraph(say("summary.parts"))
        yield Displays(tuple(Display(equation.lhs, (equation.terms,), boxed=True) for equation in made))
    yield from jacobian_blocks(derivation)


def equations_display(derivation: Derivation, equations: Iterable[Equation]) -> Displays:
    """Equations of the backward pass: results boxed, definitions with their sign, systems as such."""
    asked = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    asked |= {order.result.name for order in derivation.orders}
    systems = derivation.backward.residuals.values()
    return Displays(
        tuple(
            system_display(equation)
            if equation.name in systems
            else Display(
                equation.lhs,
                (equation.terms,),
                boxed=equation.name in asked,
                defines=equation.name not in derivation.gradients and equation.name not in asked,
                spelled=True,
            )
            for equation in equations
        )
    )


def says_more(derivation: Derivation) -> bool:
    """Whether a summary says more than the results of the sections: an order of steps, a system, structured arrays."""
    return bool(says_more_than_steps(derivation) or derivation.backward.recurrences)


def says_more_than_steps(derivation: Derivation) -> bool:
    """Whether a summary says more than the results and the order of steps."""
    return bool(derivation.recomputed or derivation.orders or derivation.backward.unknowns)


def jacobian_blocks(derivation: Derivation) -> Iterator[Block]:
    """The derivatives of whole tensors that were found through sums they are normalised by, such as a softmax's."""
    gradients = [section for section in derivation.sections if section.target is not None]
    found = [path.locals[-1] for section in gradients for path in section.paths if len(path.locals) > 1]
    found = [local for local in found if not (isinstance(local.partial.base, Access) and not local.partial.base.slots)]
    if found:
        yield Paragraph(say("jacobians.many" if len(found) > 1 else "jacobians"))
        yield Displays(tuple(Display(local.partial, (local.result,), boxed=True) for local in found))


def delta_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which sum each delta collapsed, in order, and which deltas are left; results with the same in one row."""
    results: dict[Deltas, list[Spans]] = {}
    orders = (section for order in derivation.orders for section in order.sections)
    for section in dict.fromkeys((*derivation.sections, *orders)):
        for found, name in deltas_of(section):
            if found.collapses or found.left:
                results.setdefault(found, []).append(name)
    if not results:
        return
    yield Heading(2, ("Where the deltas acted",))
    yield Paragraph(say("deltas"))
    header = ("Deltas", "Sums they collapse, and what is left", "Deltas in the result", "Results")
    rows = tuple(
        (*deltas_row(found), tuple(span for name in names for span in (", ", *name))[1:])
        for found, names in results.items()
    )
    if any(found.left for found in results):
        yield Table(header, rows, wrapping=2)
    else:
        yield Table((*header[:2], header[3]), tuple((*row[:2], row[3]) for row in rows), wrapping=2)


@dataclass(frozen=True, slots=True)
class Deltas:
    """What the deltas of one result do: the collapses in their order, each once, and what stands in the result.

    With each collapse stands whether some terms are without its delta, and keep the sum.
    """

    collapses: tuple[tuple[Collapse, bool], ...]
    left: tuple[Delta, ...]


def deltas_of(section: Section) -> Iterator[tuple[Deltas, Spans]]:
    """The deltas of one section with the name of its result; of several paths each for itself, then what joins them."""
    entry = section.equation.lhs
    name: Span = entry if section.target is None else Gradient(Access(section.target, section.equation.slots))
    if len(section.paths) < 2:
        yield deltas_in(section.all_steps(), section.equation.terms), (name,)
        return
    for path in section.paths:
        steps = (*(step for local in path.locals for step in local.steps), *path.steps)
        direct = is_direct(path, Access(section.target or "", section.equation.slots))
        share: Spans = (" directly",) if direct else (" through ", Symbol(path.consumer.tensor))
        yield deltas_in(steps, path.result), (name, *share)
    yield deltas_in(section.steps, section.equation.terms), (name,)


def deltas_in(steps: Iterable[Step], result: Terms) -> Deltas:
    """The deltas that some steps collapse, and those in their result."""
    collapses: dict[Collapse, bool] = {}
    for step in steps:
        if isinstance(step.detail, Collapse):
            in_part = any(step.detail.killed in term.summed for term in step.after)
            collapses[step.detail] = in_part or collapses.get(step.detail, False)
    left = dict.fromkeys(base for base in walk(result) if isinstance(base, Delta))
    return Deltas(tuple(collapses.items()), tuple(left))


def deltas_row(found: Deltas) -> tuple[Spans, Spans, Spans]:
    """The deltas that collapse sums, the sums beside them in the same order, and the deltas that are left."""
    kills = [
        span
        for collapse, in_part in found.collapses
        for span in (
            *(", ", collapse.killed, " (", Match(collapse.killed, collapse.survivor)),
            *((", where this delta stands)",) if in_part else (")",)),
        )
    ]
    deltas = comma_separated([collapse.delta for collapse, _ in found.collapses])
    return tuple(deltas) or ("none",), tuple(kills[1:]) or ("none",), tuple(comma_separated(found.left)) or ("none",)


def memory_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which tensors need not be stored, by the structure of both passes."""
    program, backward = derivation.problem.program, derivation.backward
    asked = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    memory = memory_of(program, backward, [name for order in derivation.orders for name in order.arrays])
    if memory.unread:
        them = "it need" if len(memory.unread) == 1 else "they need"
        names = listed([Symbol(name) for name in memory.unread], "or")
        yield Paragraph(("The backward pass never reads ", *names, f", so {them} not be kept."))
    for size, streamed in memory.streamed.items():
        names = listed(Symbol(name) for name in streamed)
        results = [Symbol(name) for name in streamed if name in asked]
        end: Spans = say("stream.asked", results=listed(results)) if results else ()
        key = "stream" if len(streamed) > 1 else "stream.one"
        yield Paragraph(say(key, names=names, entries=Scalar(size), asked=list(end)))
    yield from ahead_blocks(derivation, [name for streamed in memory.streamed.values() for name in streamed])


def ahead_blocks(derivation: Derivation, streamed: Sequence[str]) -> Iterator[Block]:
    """Named parts that are computed without the large tensors that they were sums over, before any block of these."""
    for section in derivation.sections:
        if section.target is not None or not section.steps or not is_part(derivation, section):
            continue
        read, freed = freed_by(section)
        large = [name for name in freed if name in streamed and name != section.equation.name]
        equations = derivation.backward.equations
        readers = [e.lhs for e in equations if e.name in streamed and accesses_of(e.terms, section.equation.name)]
        if large and readers and not set(read) & {*streamed}:
            names = listed(Symbol(name) for name in large)
            sources = listed(Symbol(name) for name in read)
            yield Paragraph(
                say(
                    "memory.ahead",
                    reader=readers[0],
                    part=section.equation.lhs,
                    freed=names,
                    sources=sources,
                )
            )
