"""The section on cost: operations of each equation, both passes in all, before and after, and what is held."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.calculus.steps import Derivation
from indexcalc.cost import CostReport, PassCost, cost_report
from indexcalc.notes.blocks import Block, Heading, Paragraph, Polynomial, Span, Spans, Symbol, Table
from indexcalc.notes.cost import is_contraction
from indexcalc.notes.familiar import Detail
from indexcalc.notes.prose import listed, say
from indexcalc.notes.setup import comma_separated
from indexcalc.notes.tables import memory_blocks
from indexcalc.rewrite.stepping import needs_newton

FEW = 6
"""The most tensors that are listed in the middle of a sentence."""

NUMBERS = ("One", "Two", "Three", "Four", "Five", "Six")


def cost_blocks(derivation: Derivation, detail: Detail = Detail.FULL) -> Iterator[Block]:
    """Operations, those of one count together; totals before and after simplification; memory.

    A brief note has the totals alone.
    """
    yield Heading(2, ("Cost and memory",))
    report = cost_report(derivation)
    brief = detail is Detail.BRIEF
    said = (*contractions_sentence(derivation), *say("cost"))
    if not brief:
        yield Paragraph((*said, ":"))
        yield equations_table(report)
    program = derivation.problem.program
    roots = [unknown for unknown in program.unknowns if needs_newton(unknown, program)]
    if roots:
        yield Paragraph(say("cost.newton", unknowns=listed(Symbol(unknown.name) for unknown in roots)))
    rows_in_all = tuple(total_rows(report))[: 2 if brief else None]
    before = say("cost.before") if len(rows_in_all) > 2 else ()
    yield Paragraph((*((*said, ". ") if brief else ()), *say("cost.totals"), *before, ":"))
    yield Table(("", "FLOPs", "Entries moved"), rows_in_all, wrapping=2)
    yield Paragraph(peak_sentence(report))
    yield from memory_blocks(derivation)


def equations_table(report: CostReport) -> Table:
    """The equations of both passes with their operations, those of one count together."""
    rows: dict[tuple[Spans, Spans], list[Span]] = {}
    for name, cost in (("forward", report.forward), ("backward", report.backward)):
        for row in cost.equations:
            rows.setdefault(((name,), (Polynomial(row.flops),)), []).append(row.equation.lhs)
    return Table(
        ("Pass", "FLOPs each", "Equations"),
        tuple((*row, tuple(comma_separated(entries))) for row, entries in rows.items()),
    )


def contractions_sentence(derivation: Derivation) -> Spans:
    """Which equations of the backward pass are sums of products, its most expensive ones."""
    backward = derivation.backward
    solved = {unknown.residual: unknown.tensor.entry for unknown in backward.unknowns}
    found = [solved.get(eq.name, eq.lhs) for eq in backward.equations if is_contraction(eq.terms)]
    if not found:
        return say("cost.none")
    if len(found) > FEW:
        return say("cost.many", number=str(len(found)))
    number = NUMBERS[len(found) - 1]
    return say("cost.few" if len(found) > 1 else "cost.one", number=number, entries=listed(found))


def total_rows(report: CostReport) -> Iterator[tuple[Spans, ...]]:
    """Both passes in all; the backward pass before simplification, where that differs."""
    yield total_row("forward", report.forward)
    yield total_row("backward", report.backward)
    before = report.before
    if before is not None and (before.cost.flops, before.cost.moved) != (report.backward.flops, report.backward.moved):
        yield total_row("backward, before simplification", before.cost)


def total_row(name: str, cost: PassCost) -> tuple[Spans, ...]:
    """One pass in all."""
    return (name,), (Polynomial(cost.flops),), (Polynomial(cost.moved),)


def peak_sentence(report: CostReport) -> Spans:
    """What the caller holds, and the most that is held beside it, with the moments when that may be."""
    moments = [moment for moment in report.peak.moments if moment.held]
    if not moments:
        return say("cost.ends", ends=Polynomial(report.ends))
    spans: list[Span] = []
    for number, moment in enumerate(moments):
        spans.extend([", or "] if number else [])
        spans.extend(say("cost.moment", entries=Polynomial(moment.entries), made=Symbol(moment.equation)))
        if moment.held != (moment.equation,) and len(moment.held) <= FEW:
            spans.extend([" (", *listed(Symbol(name) for name in moment.held), ")"])
    return say("cost.peak", ends=Polynomial(report.ends), moments=spans)
