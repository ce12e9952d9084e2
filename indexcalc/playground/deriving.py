"""All that is said of a spec, in the order in which it is ready: note, code, cost, worksheet, check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.cost_table import count_text, footnotes, size_text
from indexcalc.cli.outcome import check_text, hostile_text, stand_ins_text, target_text
from indexcalc.codegen import numpy_module, target_module
from indexcalc.codegen.checkpoints.module import checkpoints_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.cost import EquationCost, PassCost, cost_report
from indexcalc.cost.blocks import CACHE
from indexcalc.errors import IndexCalcError
from indexcalc.generation import Texts, checked, render, rendered_files, trial_of
from indexcalc.language.read import read_problem
from indexcalc.notes import Detail, formula_text, html_note
from indexcalc.playground.requests import Derive, NoteFile
from indexcalc.proof.claims import CLAIM_METHOD
from indexcalc.proof.report import Report
from indexcalc.rewrite.derive import derive
from indexcalc.workers.frames import Message
from indexcalc.worksheet import drawn_values, read_values, worksheet

FLOAT, WIDTH = "float32", 4
"""The type of entries for which bytes are counted."""

SPEC = "spec"
"""The name under which errors speak of what is typed; no file is called so, and none is read."""


def derived(job: Derive) -> Iterator[Message]:
    """The answers to a request, each as soon as it is there.

    What comes later and fails says so in its own place; the note stays.

    Raises:
        IndexCalcError: for a mistake in the spec.
    """
    derivation = derive(read_problem(job.text, SPEC))
    yield {
        "kind": "note",
        "title": derivation.problem.program.title or "Derivation",
        "html": html_note(derivation),
        "results": [formula_text(equation, derivation) for equation in derivation.backward.equations],
    }
    texts: Texts | None = None
    try:
        texts = code_of(derivation, job.targets)
    except IndexCalcError as error:
        yield {"kind": "refused", "of": "code", "message": error.message}
    if texts is not None:
        files = rendered_files(derivation.problem.slug, texts)
        yield {"kind": "code", "files": [{"name": name, "text": text} for name, text in files.items()]}
    yield cost_of(derivation)
    yield worksheet_of(derivation, job.values)
    if texts is None:
        return
    try:
        yield check_of(derivation, texts)
    except IndexCalcError as error:
        yield {"kind": "refused", "of": "check", "message": error.message}


def code_of(derivation: Derivation, targets: Sequence[str]) -> Texts:
    """The code for NumPy, and what else is asked for."""
    fast = (fast_module(derivation, FastOptions({}, None, CACHE)),) if "fast" in targets else ()
    others = tuple(target_module(derivation, target) for target in targets if target not in ("fast", "checkpoints"))
    few = checkpoints_module(derivation) if "checkpoints" in targets else None
    return Texts({}, numpy_module(derivation), others, fast, few)


def cost_of(derivation: Derivation) -> Message:
    """The table of costs, in symbols."""
    report = cost_report(derivation)
    rows = []
    for name, cost in (("forward pass", report.forward), ("backward pass", report.backward)):
        rows += [cost_row(formula_text(row.equation, derivation).partition(" = ")[0], row) for row in cost.equations]
        rows.append(cost_row(name, cost, total=True))
    rows.append(cost_row("both passes", report.both, total=True))
    if report.before is not None:
        rows.append(cost_row("backward pass before simplification", report.before.cost))
    return {"kind": "cost", "rows": rows, "notes": list(footnotes(derivation, report, None, FLOAT, WIDTH))}


def cost_row(label: str, cost: EquationCost | PassCost, *, total: bool = False) -> Message:
    """One line of the table."""
    return {
        "label": label,
        "flops": count_text(cost.flops, None),
        "bytes": size_text(cost.moved, None, WIDTH),
        "total": total,
    }


def worksheet_of(derivation: Derivation, values: str) -> Message:
    """The derivation worked out with numbers, which are those that are given, or some that are drawn.

    Where they don't fit the spec, or nothing can be worked out, it says why.
    """
    problem, given = derivation.problem, values
    try:
        given = given or drawn_values(problem)
        sheet = worksheet(derivation, read_values(given, problem, "the numbers"))
    except IndexCalcError as error:
        return {"kind": "worksheet", "values": given, "mistake": error.message}
    return {"kind": "worksheet", "values": given, "sheet": sheet}


def check_of(derivation: Derivation, texts: Texts) -> Message:
    """What the check of the code found, in sentences."""
    trial = trial_of(derivation)
    outputs = checked(derivation, replace(texts, trial=trial))
    report = outputs.report
    return {"kind": "checked", "ok": report.ok, "lines": check_lines(derivation, report, outputs.unchecked)}


def check_lines(derivation: Derivation, report: Report, unchecked: Sequence[str]) -> list[Message]:
    """One line each: claims, gradients, code for other libraries, hostile inputs."""
    lines = [claim_line(derivation, report, number) for number in range(len(derivation.problem.claims))]
    lines.append(line("checked", check_text(report, derivation.problem), report.ok))
    if report.stand_ins:
        lines.append(line("checked", stand_ins_text(report)))
    others = (target_text(report, derivation.problem, target) for target in ("fast", "torch", "jax"))
    lines += [line("checked", said, report.ok) for said in others if said]
    if report.hostile is not None:
        lines.append(line("hostile", hostile_text(report.hostile), report.hostile.ok))
    lines += [line("skipped", reason) for reason in unchecked]
    lines += [line("wrong", str(one), False) for one in report.failures if one.method != CLAIM_METHOD]
    return lines


def claim_line(derivation: Derivation, report: Report, number: int) -> Message:
    """Whether a claim of the spec is proved, or evaluated only, or false."""
    identity = derivation.problem.claims[number]
    comparison = [one for one in report.comparisons if one.method == CLAIM_METHOD][number]
    if not comparison.ok:
        return line("false", comparison.tensor, False)
    if any(identity is claim for claim in derivation.unproved):
        return line("holds", f"{comparison.tensor} (no proof found; error {comparison.error:.1e})")
    return line("proved", comparison.tensor)


def line(word: str, text: str, ok: bool = True) -> Message:
    """One finding."""
    return {"word": word, "text": text, "ok": ok}


def note_file(job: NoteFile) -> Iterator[Message]:
    """The note as `indexcalc derive` writes it.

    Raises:
        IndexCalcError: for a mistake in the spec.
    """
    derivation = derive(read_problem(job.text, SPEC))
    texts = render(derivation, formats=(job.format,), detail=Detail(job.detail))
    yield {"kind": "file", "text": texts.notes[job.format]}
