"""The closing parts of a note: summary, deltas, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.algebra.terms import Access, Index, Slot
from indexcalc.calculus.steps import Collapse, Derivation, Entry, Section
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
from indexcalc.notes.cost import memory_of
from indexcalc.notes.prose import listed, say
from indexcalc.notes.recurrences import recurrence_blocks
from indexcalc.notes.setup import forward_display, recompute_sources
from indexcalc.notes.systems import system_display


def summary_blocks(derivation: Derivation) -> Iterator[Block]:
    """Every equation of the backward pass, in an order in which it can be computed."""
    yield Heading(2, ("Summary",))
    if derivation.recomputed:
        sources = listed(Symbol(name) for name in recompute_sources(derivation))
        yield Paragraph(say("recompute.summary", sources=sources))
        yield Displays(tuple(map(forward_display, derivation.recomputed)))
        yield Paragraph(say("recompute.then"))
    elif derivation.derived:
        yield Paragraph(("The backward pass, in an order in which it can be computed:",))
    asked = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    asked |= {order.result.name for order in derivation.orders}
    systems = derivation.backward.residuals.values()
    displays = Displays(
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
            for equation in derivation.derived
        )
    )
    if displays.items:
        yield displays
    if derivation.backward.unknowns:
        names = listed(Symbol(unknown.name) for unknown in derivation.backward.unknowns)
        yield Paragraph(say("summary.system", unknown=names))
    yield from recurrence_blocks(derivation.backward)
    made = tuple(order.equation for order in derivation.orders if not order.whole)
    if made:
        yield Paragraph(say("summary.parts"))
        yield Displays(tuple(Display(equation.lhs, (equation.terms,), boxed=True) for equation in made))
    yield from jacobian_blocks(derivation)


def jacobian_blocks(derivation: Derivation) -> Iterator[Block]:
    """The derivatives of whole tensors that were found through sums they are normalised by, such as a softmax's."""
    gradients = [section for section in derivation.sections if section.target is not None]
    found = [path.locals[-1] for section in gradients for path in section.paths if len(path.locals) > 1]
    if found:
        yield Paragraph(say("jacobians.many" if len(found) > 1 else "jacobians"))
        yield Displays(tuple(Display(local.partial, (local.result,), boxed=True) for local in found))


def delta_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which deltas appeared, and which sum each of them collapsed; gradients with the same deltas in one row."""
    gradients: dict[tuple[Spans, Spans], list[Span]] = {}
    for section in derivation.sections:
        if (found := deltas_of(section)) is not None:
            entry = Access(section.target or "", section.equation.slots)
            gradients.setdefault(found, []).append(Gradient(entry))
    if gradients:
        yield Heading(2, ("Where the deltas acted",))
        yield Paragraph(
            (
                "Every derivative of an entry by an entry brought one delta for each index slot, "
                "and every delta collapsed one sum, or stands in the result:",
            )
        )
        rows = tuple((*found, tuple(comma_joined(names))) for found, names in gradients.items())
        yield Table(("Deltas", "Sums they collapse, and what is left", "Gradients"), rows, wrapping=2)


def deltas_of(section: Section) -> tuple[Spans, Spans] | None:
    """The deltas of one section, and the sums they collapse; None if there are none."""
    if section.target is None:
        return None
    steps = tuple(section.all_steps())
    deltas = dict.fromkeys(delta for s in steps if isinstance(s.detail, Entry) for delta in s.detail.deltas)
    kills = dict.fromkeys((s.detail.killed, s.detail.survivor) for s in steps if isinstance(s.detail, Collapse))
    if not deltas:
        return None
    return tuple(comma_joined(list(deltas))), tuple(kill_spans(list(kills)))


def comma_joined(items: Sequence[Span]) -> list[Span]:
    """Spans with commas between them."""
    spans: list[Span] = []
    for item in items:
        spans.extend([", ", item] if spans else [item])
    return spans


def kill_spans(kills: list[tuple[Index, Slot]]) -> list[Span]:
    """Each index whose sum is gone, and what is left of it."""
    spans: list[Span] = []
    for killed, survivor in kills:
        spans.extend([", "] if spans else [])
        spans.extend([killed, " (", Match(killed, survivor), ")"])
    return spans or ["none"]


def memory_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which tensors need not be stored, by the structure of both passes."""
    program, backward = derivation.problem.program, derivation.backward
    memory = memory_of(program, backward, [name for order in derivation.orders for name in order.arrays])
    if memory.unread:
        them = "it is" if len(memory.unread) == 1 else "they are"
        names = listed([Symbol(name) for name in memory.unread], "or")
        yield Paragraph(("The backward pass never reads ", *names, f", so {them} not kept after the forward pass."))
    if memory.streamed:
        names = listed(Symbol(name) for name in memory.streamed)
        key = "stream" if len(memory.streamed) > 1 else "stream.one"
        yield Paragraph(say(key, names=names, entries=Scalar(memory.size)))
