"""What a notebook shows of each kind of result, as Markdown with formulas between dollar signs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.formula import equation_text
from indexcalc.document.formats import MARKS
from indexcalc.document.report import CheckReport, summary
from indexcalc.generation import Outputs
from indexcalc.notebook.texts import displayed, for_notebooks
from indexcalc.notes.blocks import Block, Display, Equality, Heading, Paragraph, Symbol
from indexcalc.notes.markdown import block_text, plain
from indexcalc.notes.names import Notation, notation_of
from indexcalc.notes.prose import listed
from indexcalc.notes.render import display_latex
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


def set_blocks(blocks: Iterable[Block], notation: Notation) -> str:
    """Blocks of a note, as a notebook reads them."""
    return for_notebooks("\n\n".join(block_text(block, notation) for block in blocks)) + "\n"


def bare(program: Program, problem: Problem | None = None) -> Derivation:
    """A derivation in which nothing is derived yet: what names look like follows from it."""
    return Derivation(problem or Problem(program, (), ()), (), Program(program.title, (), (), ()), {})


def equation_latex(equation: Equation) -> str:
    """One equation, displayed."""
    program = Program("", (), (equation,), ())
    return displayed(display_latex(forward_display(equation), notation_of(bare(program))))


def titled(title: str) -> str:
    """A title above what a notebook shows; no heading, since it is no part of the notebook's outline."""
    return f"**{plain(title)}**\n\n"


def program_markdown(program: Program) -> str:
    """The equations."""
    return titled(program.title) + set_blocks(forward_blocks(program), notation_of(bare(program)))


def problem_markdown(problem: Problem) -> str:
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
    return titled(problem.program.title) + set_blocks(blocks, notation_of(bare(problem.program, problem)))


def asked_blocks(problem: Problem) -> Iterator[Block]:
    """The gradients and other derivatives that are asked for."""
    if problem.targets:
        yield Paragraph(("Asked for are the gradients by ", *listed(Symbol(name) for name in problem.targets), "."))
    if problem.results:
        yield Paragraph(("Asked for are the derivatives ", *listed(Symbol(one.name) for one in problem.results), "."))


def derivation_markdown(derivation: Derivation) -> str:
    """Every equation of the backward pass, and what was proved; the note has the steps."""
    blocks = [block for block in summary_blocks(derivation) if not isinstance(block, Heading)]
    found = derivation.proofs
    if found:
        blocks.append(Paragraph(("Proved: ", *listed(Equality(p.identity.left, p.identity.right) for p in found), ".")))
    for claim in derivation.unproved:
        blocks.append(Paragraph(("No proof was found of this claim, which only numbers can decide:",)))
        blocks.append(Display(claim.left, (claim.right,)))
    return titled(derivation.problem.program.title) + set_blocks(blocks, notation_of(derivation))


def report_markdown(report: Report) -> str:
    """What was compared with an oracle, how far off it was, and what happened at hostile inputs."""
    rows = []
    for c in sorted(report.comparisons, key=lambda c: c.ok):
        sizes = ", ".join(f"{extent}={size}" for extent, size in c.sizes.items())
        verdict = "right" if c.ok else "**wrong**"
        rows.append([code(c.tensor), verdict, number(c.error), number(c.bound), *map(plain, (c.method, sizes, c.note))])
    header = ["Tensor", "", "Relative error", "Allowed", "Compared with", "Worst at", "Note"]
    said = "every tensor is right" if report.ok else "something is wrong"
    lines = [f"**Check of {code(report.subject)}: {said}.**", "", *table(header, rows)]
    hostile = report.hostile
    if hostile is not None:
        worst = max((finding.ratio for finding in hostile.findings), default=0.0)
        said = (
            plain(hostile.skipped)
            if hostile.skipped
            else f"{len(hostile.points)} points; errors are at most {number(worst)} times what rounding explains"
        )
        lines += ["", f"Hostile inputs: {said}."]
        lines += [f"- {plain(str(failure))}" for failure in hostile.failures]
    return "\n".join(lines) + "\n"


def check_markdown(report: CheckReport) -> str:
    """The verdict on every relation of a document, wrong ones first."""
    wrong = set(report.refuted)
    ordered = sorted(report.claims, key=lambda claim: claim not in wrong)
    rows = []
    for claim in ordered:
        said = plain("; ".join(claim.said))
        if claim.correction:
            said += f"{'; ' if said else ''}correct: {formula(claim.correction)}"
        verdict = f"{MARKS[claim.verdict]} {claim.verdict}"
        verdict = f"**{verdict}**" if claim in wrong else verdict
        rows.append([str(claim.line), verdict, formula(claim.latex), said])
    lines = [f"**Check of {code(report.file)}.** {plain(summary(report))}", ""]
    return "\n".join([*lines, *table(["Line", "Verdict", "Relation", "Reason"], rows)]) + "\n"


def outputs_markdown(outputs: Outputs) -> str:
    """The files, and the report of the check."""
    files = ", ".join(code(name) for name in outputs.files)
    unchecked = "".join(f"\n\nNot made: {plain(reason)}." for reason in outputs.unchecked)
    return f"{report_markdown(outputs.report)}\nFiles: {files}.{unchecked}\n"


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    """A table of cells; columns in which nothing stands are left out, and so are rows behind the bound."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    shown = [header, ["---"] * len(header), *rows[:ROWS]]
    lines = [f"| {' | '.join(row[place] for place in kept)} |" for row in shown] if rows else []
    return [*lines, "", f"and {len(rows) - ROWS} more"] if len(rows) > ROWS else lines


def code(text: str) -> str:
    """A name as it is written in code."""
    return f"`{text.replace('`', chr(39)).replace('|', ' ')}`"


def formula(latex: str) -> str:
    """A formula of a document in a cell; what would end the formula or the cell is written otherwise."""
    text = " ".join(latex.split()).replace("|", r"\vert ").replace("$", r"\$")
    return f"${text}$"


def number(value: float) -> str:
    """An error in two digits."""
    return f"{value:.2g}" if math.isfinite(value) else "not finite"


VIEWS: Mapping[type, Callable[..., str]] = {
    Program: program_markdown,
    Problem: problem_markdown,
    Derivation: derivation_markdown,
    Report: report_markdown,
    CheckReport: check_markdown,
    Outputs: outputs_markdown,
}
"""What is shown of a result, by its type."""


def markdown_of(result: object) -> str:
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
