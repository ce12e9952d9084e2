"""What a notebook shows of each kind of result: blocks of a note with a title, or lines and tables of cells.

`markdown` and `html` set them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.formula import equation_text
from indexcalc.document.formats import MARKS
from indexcalc.document.report import CheckReport, summary
from indexcalc.generation import Outputs
from indexcalc.notes.blocks import Block, Display, Equality, Heading, Paragraph, Symbol
from indexcalc.notes.prose import listed
from indexcalc.notes.setup import (
    assumption_blocks,
    direction_blocks,
    forward_blocks,
    forward_display,
    index_table,
    input_blocks,
    parameter_blocks,
    upstream_blocks,
)
from indexcalc.notes.tables import summary_blocks
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program
from indexcalc.proof.report import Report

ROWS = 200
"""The most rows of a table that a notebook shows; the rest is counted."""


@dataclass(frozen=True, slots=True)
class View:
    """Blocks of a note.

    Attributes:
        title: stands above them; nothing does if it is empty.
        blocks: what is shown.
        of: what names look like follows from it.
    """

    title: str
    blocks: tuple[Block, ...]
    of: Derivation


@dataclass(frozen=True, slots=True)
class Code:
    """A name as it is written in code."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Text that stands out."""

    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of a document, in LaTeX."""

    text: str


Cell = str | Code | Strong | Formula
Line = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """A table: the title of each column, and the rows; each cell holds some text."""

    header: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]

    @property
    def used(self) -> tuple[int, ...]:
        """The columns in which something stands."""
        return tuple(n for n in range(len(self.header)) if any("".join(map(text_of, row[n])) for row in self.rows))


@dataclass(frozen=True, slots=True)
class Points:
    """Some lines as a list."""

    lines: tuple[Line, ...]


Sheet = tuple[Line | Cells | Points, ...]
"""Lines, tables and lists."""


def text_of(cell: Cell) -> str:
    """What stands in a cell."""
    return cell if isinstance(cell, str) else cell.text


def bare(program: Program, problem: Problem | None = None) -> Derivation:
    """A derivation in which nothing is derived yet: what names look like follows from it."""
    return Derivation(problem or Problem(program, (), ()), (), Program(program.title, (), (), ()), {})


def equation_view(equation: Equation) -> View:
    """One equation, displayed."""
    return View("", (forward_display(equation),), bare(Program("", (), (equation,), ())))


def program_view(program: Program) -> View:
    """The equations."""
    return View(program.title, tuple(forward_blocks(program)), bare(program))


def problem_view(problem: Problem) -> View:
    """Indices, inputs, the forward pass, what is given and what is asked for."""
    blocks = (
        index_table(problem.program),
        *input_blocks(problem.program),
        *parameter_blocks(problem.program),
        *upstream_blocks(problem),
        *direction_blocks(problem),
        Paragraph(("The forward pass:",)),
        *forward_blocks(problem.program),
        *assumption_blocks(problem.program),
        *asked_blocks(problem),
    )
    return View(problem.program.title, blocks, bare(problem.program, problem))


def asked_blocks(problem: Problem) -> Iterator[Block]:
    """The gradients and other derivatives that are asked for."""
    if problem.targets:
        yield Paragraph(("Asked for are the gradients by ", *listed(Symbol(name) for name in problem.targets), "."))
    if problem.results:
        yield Paragraph(("Asked for are the derivatives ", *listed(Symbol(one.name) for one in problem.results), "."))


def derivation_view(derivation: Derivation) -> View:
    """Every equation of the backward pass, and what was proved; the note has the steps."""
    blocks = [block for block in summary_blocks(derivation) if not isinstance(block, Heading)]
    found = derivation.proofs
    if found:
        blocks.append(Paragraph(("Proved: ", *listed(Equality(p.identity.left, p.identity.right) for p in found), ".")))
    for claim in derivation.unproved:
        blocks.append(Paragraph(("No proof was found of this claim, which only numbers can decide:",)))
        blocks.append(Display(claim.left, (claim.right,)))
    return View(derivation.problem.program.title, tuple(blocks), derivation)


def report_sheet(report: Report) -> Sheet:
    """What was compared with an oracle, how far off it was, and what happened at hostile inputs."""
    rows: list[tuple[Line, ...]] = []
    for c in sorted(report.comparisons, key=lambda c: c.ok):
        sizes = ", ".join(f"{extent}={size}" for extent, size in c.sizes.items())
        verdict: Cell = "right" if c.ok else Strong("wrong")
        cells: Line = (Code(c.tensor), verdict, number(c.error), number(c.bound), c.method, sizes, c.note)
        rows.append(tuple((cell,) for cell in cells))
    header = ("Tensor", "", "Relative error", "Allowed", "Compared with", "Worst at", "Note")
    said = "every tensor is right" if report.ok else "something is wrong"
    sheet: list[Line | Cells | Points] = [(Strong("Check of "), Code(report.subject), Strong(f": {said}."))]
    sheet.append(Cells(header, tuple(rows)))
    hostile = report.hostile
    if hostile is not None:
        worst = max((finding.ratio for finding in hostile.findings), default=0.0)
        points = f"{len(hostile.points)} points; errors are at most {number(worst)} times what rounding explains"
        sheet.append((f"Hostile inputs: {hostile.skipped or points}.",))
        sheet.append(Points(tuple((str(failure),) for failure in hostile.failures)))
    return tuple(sheet)


def check_sheet(report: CheckReport) -> Sheet:
    """The verdict on every relation of a document, wrong ones first."""
    wrong = set(report.refuted)
    ordered = sorted(report.claims, key=lambda claim: claim not in wrong)
    rows: list[tuple[Line, ...]] = []
    for claim in ordered:
        said: Line = ("; ".join(claim.said),)
        if claim.correction:
            said = (f"{said[0]}; correct: " if claim.said else "correct: ", Formula(claim.correction))
        verdict = f"{MARKS[claim.verdict]} {claim.verdict}"
        marked: Cell = Strong(verdict) if claim in wrong else verdict
        rows.append(((str(claim.line),), (marked,), (Formula(claim.latex),), said))
    first: Line = (Strong("Check of "), Code(report.file), Strong("."), f" {summary(report)}")
    return (first, Cells(("Line", "Verdict", "Relation", "Reason"), tuple(rows)))


def outputs_sheet(outputs: Outputs) -> Sheet:
    """The files, and the report of the check."""
    files = [cell for name in outputs.files for cell in (", ", Code(name))]
    unchecked = tuple((f"Not made: {reason}.",) for reason in outputs.unchecked)
    return (*report_sheet(outputs.report), ("Files: ", *files[1:], "."), *unchecked)


def number(value: float) -> str:
    """An error in two digits."""
    return f"{value:.2g}" if math.isfinite(value) else "not finite"


VIEWS: Mapping[type, Callable[..., View | Sheet]] = {
    Equation: equation_view,
    Program: program_view,
    Problem: problem_view,
    Derivation: derivation_view,
    Report: report_sheet,
    CheckReport: check_sheet,
    Outputs: outputs_sheet,
}
"""What is shown of a result, by its type."""


def view_of(result: object) -> View | Sheet:
    """What a notebook shows of a result."""
    return VIEWS[type(result)](result)


def problem_text(problem: Problem) -> str:
    """The equations of a problem whose spec is not known, one a line, and what is asked for."""
    program = problem.program
    lines = [equation_text(equation.lhs, equation.terms, program.layouts) for equation in program.equations]
    for unknown in program.unknowns:
        place = next(n for n, equation in enumerate(program.equations) if equation.name == unknown.residual)
        slots = ",".join(slot.name for slot in unknown.tensor.slots)
        entry = f"{unknown.name}[{slots}]" if slots else unknown.name
        lines[place] = f"solve {entry} : {lines[place].partition(' = ')[2]} = 0"
    asked = [*problem.targets, *(result.name for result in problem.results)]
    return "\n".join([f"# {program.title}", *lines, f"derive {', '.join(asked)}", ""])
