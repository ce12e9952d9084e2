"""``indexcalc derive``: a note, code, and a check of the code."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.calculus.steps import Derivation
from indexcalc.cli import outcome, terminal
from indexcalc.cli.mistakes import REFUTED, mistakes_reported
from indexcalc.cli.specs import GIVEN, problem_of
from indexcalc.cli.style import Style, fast_options
from indexcalc.codegen import TARGETS
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.cost import Mesh, MeshError, read_mesh
from indexcalc.errors import IndexCalcError
from indexcalc.generation import NOTE_WRITERS, USUAL_FORMATS, BrokenCodeError, Outputs, Texts, checked, render
from indexcalc.notes import VIEWS, Detail, formula_text
from indexcalc.rewrite.derive import derive
from indexcalc.writing import write


def chosen(text: str, option: str, kind: str, known: Collection[str]) -> tuple[str, ...]:
    """What a list with commas names, each once.

    Args:
        text: the list.
        option: the option that it is given to.
        kind: what one of the list is.
        known: what there is.

    Raises:
        IndexCalcError: if one is unknown.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if name not in known:
            raise IndexCalcError(f"{option}: there is no {kind} {name!r}; there are {', '.join(known)}")
    return names


def mesh_given(texts: list[str] | None, targets: Collection[str]) -> Mesh | None:
    """The mesh of the options.

    Raises:
        MeshError: if it is misspelt, or given for code that knows no meshes.
    """
    if not texts:
        return None
    if JAX.name not in targets:
        raise MeshError("--mesh is about the code for JAX; add --target jax")
    return read_mesh(texts)


def derive_spec(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help=GIVEN)],
    *,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the files go: out/NAME by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write the files even if the code fails its check.")] = False,
    views: Annotated[
        str, typer.Option(metavar="LIST", help=f"More views in the note, with commas between: {', '.join(VIEWS)}.")
    ] = "",
    formats: Annotated[
        str,
        typer.Option(
            "--format", metavar="LIST", help=f"The formats of the note, with commas between: {', '.join(NOTE_WRITERS)}."
        ),
    ] = ",".join(USUAL_FORMATS),
    detail: Annotated[
        Detail,
        typer.Option(help="`full` shows every step; `brief` says what is alike once, and each result once."),
    ] = Detail.FULL,
    target: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help=f"The array libraries to write code for, with commas between: {', '.join(TARGETS)}. "
            "NumPy's code is NAME.py, written always; that of others goes beside it, NAME_torch.py, NAME_jax.py.",
        ),
    ] = "numpy",
    mesh: Annotated[
        list[str] | None,
        typer.Option(metavar="SPLIT", help="For --target jax: split indices over axes of devices, h=4,s+t=2."),
    ] = None,
    style: Annotated[
        Style,
        typer.Option(
            help="`fast` writes NAME_fast.py too: NumPy code that works in blocks, over threads, with `value_and_grad`."
        ),
    ] = Style.einsum,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZES", help="For --style fast: the sizes to decide for, T=4096,d=64."),
    ] = None,
    block: Annotated[
        str, typer.Option(metavar="INDEX=LENGTH", help="For --style fast: what to cut into blocks, i=256.")
    ] = "",
    cache: Annotated[
        str, typer.Option(metavar="BYTES", help="For --style fast: what one block may take, 512K or 1M.")
    ] = "",
) -> None:
    """Derive the backward pass of a forward pass: a note, NumPy code, and a check of the code."""
    start = time.perf_counter()
    console = Console()
    with mistakes_reported():
        asked = chosen(views, "--views", "view", VIEWS)
        targets = chosen(target, "--target", "target", TARGETS)
        devices = mesh_given(mesh, targets)
        notes = chosen(formats, "--format", "format", NOTE_WRITERS)
        with terminal.Progress(Console(stderr=True)) as progress:
            progress("reading the spec")
            problem = problem_of(spec)
            progress("deriving the gradients")
            derivation = derive(problem)
            progress("writing the note and the code")
            fast = fast_options(style, at, block, cache, problem.program.extents)
            texts = render(derivation, asked, targets, fast, notes, detail=detail, mesh=devices)
            progress("checking the code")
            outputs = checked_or_refused(derivation, texts)
            report = outputs.report
        terminal.show(console, (problem.program.title or problem.slug, "bold"))
        for equation in derivation.backward.equations:
            terminal.show_formula(console, formula_text(equation, derivation))
        outcome.show_claims(console, derivation, report)
        terminal.show_summary(console, "checked", outcome.check_text(report), ok=report.ok)
        if report.stand_ins:
            terminal.show_summary(console, "checked", outcome.stand_ins_text(report))
        for module in texts.targets:
            said = outcome.target_text(report, module.target)
            if said:
                terminal.show_summary(console, "checked", said, ok=report.ok)
        if texts.fast is not None:
            said = outcome.target_text(report, "fast")
            terminal.show_summary(console, "checked", said, ok=report.ok)
        if report.hostile is not None:
            terminal.show_summary(console, "hostile", outcome.hostile_text(report.hostile), ok=report.hostile.ok)
        for reason in outputs.unchecked:
            terminal.show_summary(console, "skipped", reason, ok=False)
        if not report.ok:
            outcome.show_refutation(Console(stderr=True), report, written=force)
        if report.ok or force:
            folder = Path("out") / problem.slug if out is None else out
            paths = write(outputs.files, folder)
            terminal.show_summary(console, "written", terminal.paths_text(paths))
        terminal.show_summary(console, "time", f"{time.perf_counter() - start:.2f} s")
    if not report.ok:
        raise typer.Exit(REFUTED)


def checked_or_refused(derivation: Derivation, texts: Texts) -> Outputs:
    """The checked outputs; code that cannot even be run is refuted, and no mistake of the user."""
    try:
        return checked(derivation, texts)
    except BrokenCodeError as error:
        terminal.show_error(Console(stderr=True), str(error))
        raise typer.Exit(REFUTED) from error
