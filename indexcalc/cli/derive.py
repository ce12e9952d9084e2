"""``indexcalc derive``: a note, code, and a check of the code."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.calculus.steps import Derivation
from indexcalc.cli import outcome, terminal
from indexcalc.cli.inputs import GIVEN, Inputs, shipped_names
from indexcalc.cli.mistakes import REFUTED, each, mistakes_reported
from indexcalc.cli.style import Style, fast_options
from indexcalc.codegen import TARGETS
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.cost import Mesh, MeshError, read_mesh
from indexcalc.errors import IndexCalcError
from indexcalc.generation import NOTE_WRITERS, PAGE, USUAL_FORMATS, BrokenCodeError, Outputs, checked, render
from indexcalc.notes import VIEWS, Detail, formula_text
from indexcalc.problem import Problem
from indexcalc.proof.checkpoints import STYLE as CHECKPOINTS
from indexcalc.proof.fast import KERNELS, style_name
from indexcalc.rewrite.derive import derive
from indexcalc.writing import write

USUAL = (*USUAL_FORMATS, PAGE)
"""The formats of the note that are written unless others are asked for."""


def chosen(
    given: Sequence[str] | None, option: str, kind: str, known: Collection[str], usual: Collection[str] = ()
) -> tuple[str, ...]:
    """What lists with commas name, each once.

    Args:
        given: the lists, one for each time that the option is given.
        usual: what it is if the option is not given.
        option: the option that it is given to.
        kind: what one of the list is.
        known: what there is.

    Raises:
        IndexCalcError: if one is unknown.
    """
    if given is None:
        return tuple(usual)
    names = tuple(dict.fromkeys(part.strip() for text in given for part in text.split(",") if part.strip()))
    for name in names:
        if name not in known:
            raise IndexCalcError(f"{option}: there is no {kind} {name!r}; there are {', '.join(known)}")
    return names


def mesh_given(texts: list[str] | None, targets: Collection[str]) -> list[str] | None:
    """The texts of the mesh.

    Raises:
        MeshError: if there is one for code that knows no meshes.
    """
    if texts and JAX.name not in targets:
        raise MeshError("--mesh is about the code for JAX; add --target jax")
    return texts


def derive_spec(
    specs: Annotated[list[str], typer.Argument(metavar="NAME|PATH...", help=f"{GIVEN}", autocompletion=shipped_names)],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the files go: out/NAME by default; of several, DIR/NAME each."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write the files even if the code fails its check.")] = False,
    views: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help=f"More views in the note, with commas between: {', '.join(VIEWS)}.",
            autocompletion=lambda: list(VIEWS),
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="LIST",
            help=f"The formats of the note, with commas between: {', '.join(NOTE_WRITERS)}; "
            f"by default {','.join(USUAL)}.",
            autocompletion=lambda: list(NOTE_WRITERS),
        ),
    ] = None,
    detail: Annotated[
        Detail,
        typer.Option(help="`full` shows every step; `brief` says what is alike once, and each result once."),
    ] = Detail.FULL,
    values: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For the page: numbers, in TOML, with which the page shows an example."),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIST",
            help=f"The array libraries to write code for, with commas between: {', '.join(TARGETS)}. "
            "NumPy's code is NAME.py, written always; that of others goes beside it, NAME_torch.py, NAME_jax.py.",
            autocompletion=lambda: list(TARGETS),
        ),
    ] = None,
    mesh: Annotated[
        list[str] | None,
        typer.Option(metavar="SPLIT", help="For --target jax: split indices over axes of devices, h=4,s+t=2."),
    ] = None,
    style: Annotated[
        Style,
        typer.Option(
            help="`fast` writes NAME_fast.py too: NumPy code that works in blocks, with `value_and_grad`; "
            "with --target torch also NAME_torch_fast.py, in blocks that PyTorch compiles. "
            "`checkpoints` writes NAME_checkpoints.py: NumPy code that keeps few steps of a recurrence, and computes "
            "the others again."
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
    memory: Annotated[
        str,
        typer.Option(
            metavar="BYTES", help="For --style fast: what a call may take beside given arrays, 256M; NumPy alone."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print results and checks as JSON.")] = False,
) -> None:
    """Derive the backward pass of a forward pass: a note, NumPy code, and a check of the code."""
    console = Console()
    inputs, found = Inputs(), list[dict[str, object]]()
    folders: dict[Path, str] = {}
    with mistakes_reported():
        targets = chosen(target, "--target", "target", TARGETS)
        wanted = Wanted(
            chosen(views, "--views", "view", VIEWS),
            targets,
            chosen(formats, "--format", "format", NOTE_WRITERS, USUAL),
            detail,
            style,
            at,
            block,
            cache,
            memory,
            values,
            mesh_given(mesh, targets),
        )

        def derived(spec: str) -> int:
            start = time.perf_counter()
            try:
                derivation, outputs = derive_one(spec, inputs, wanted)
            except BrokenCodeError as error:
                # Code that cannot even be run is refuted, and no mistake of the user.
                terminal.show_error(Console(stderr=True), str(error))
                return REFUTED
            slug, report = derivation.problem.slug, outputs.report
            folder = Path("out") / slug if out is None else out if len(specs) == 1 else out / slug
            if folder in folders:
                both = f"{spec} and {folders[folder]}"
                raise IndexCalcError(f"{both} would be written to the same folder {folder}; derive them apart")
            folders[folder] = spec
            if not as_json:
                show_derivation(console, derivation, outputs)
            if not report.ok:
                outcome.show_refutation(Console(stderr=True), report, written=force)
            paths = write(outputs.files, folder) if report.ok or force else ()
            if as_json:
                found.append(derivation_json(derivation, outputs, paths))
            elif paths:
                terminal.show_summary(console, "written", terminal.paths_text(paths))
            if not as_json:
                terminal.show_summary(console, "time", f"{time.perf_counter() - start:.2f} s")
            return 0 if report.ok else REFUTED

        worst = each(specs, derived)
        if as_json:
            typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    raise typer.Exit(worst)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be written of each derivation, see the options of the command."""

    views: Collection[str]
    targets: Collection[str]
    formats: Collection[str]
    detail: Detail
    style: Style
    at: list[str] | None
    block: str
    cache: str
    memory: str
    values: Path | None
    mesh: list[str] | None


def derive_one(spec: str, inputs: Inputs, wanted: Wanted) -> tuple[Derivation, Outputs]:
    """One derivation with its checked texts.

    Raises:
        BrokenCodeError: for code that cannot be run.
        IndexCalcError: for a mistake in the spec, or options that do not fit it.
    """
    with terminal.Progress() as progress:
        progress("reading the spec")
        problem = inputs.problem(spec)
        progress(f"deriving the gradients of {terminal.printable(problem.slug)}")
        derivation = derive(problem)
        progress("writing the note and the code")
        blocks = wanted.style, wanted.at, wanted.block, wanted.cache
        fast = fast_options(*blocks, memory=wanted.memory, extents=problem.program.extents)
        if wanted.values is not None and PAGE not in wanted.formats:
            raise IndexCalcError("--values is about the page; name html among the formats")
        example = inputs.values(wanted.values, spec, problem) if wanted.values is not None else None
        texts = render(
            derivation,
            wanted.views,
            wanted.targets,
            fast,
            wanted.formats,
            detail=wanted.detail,
            mesh=mesh_of(problem, wanted),
            example=example,
            checkpoints=wanted.style is Style.checkpoints,
        )
        progress("checking the code")
        return derivation, checked(derivation, texts)


def mesh_of(problem: Problem, wanted: Wanted) -> Mesh | None:
    """The devices over which JAX's arrays are split: those of the option, along the axes that the spec names.

    Raises:
        MeshError: for a mesh that is misspelt, or if the spec splits indices and nothing says over how many devices.
    """
    if wanted.mesh or (problem.splits and JAX.name in wanted.targets):
        return read_mesh(wanted.mesh or (), problem.splits)
    return None


def show_derivation(console: Console, derivation: Derivation, outputs: Outputs) -> None:
    """The results, and what the checks found."""
    problem, report, texts = derivation.problem, outputs.report, outputs.texts
    terminal.show(console, (problem.program.title or problem.slug, "bold"))
    for equation in derivation.put_together.equations:
        terminal.show_formula(console, formula_text(equation, derivation))
    outcome.show_claims(console, derivation, report)
    terminal.show_summary(console, "checked", outcome.check_text(report, problem), ok=report.ok)
    if report.stand_ins:
        terminal.show_summary(console, "checked", outcome.stand_ins_text(report))
    fast = tuple(name for module in texts.fast for name in (style_name(module), f"{style_name(module)} {KERNELS}"))
    few = (CHECKPOINTS,) if texts.checkpoints is not None else ()
    for target in (*(module.target for module in texts.targets), *fast, *few):
        said = outcome.target_text(report, problem, target)
        if said:
            terminal.show_summary(console, "checked", said, ok=report.ok)
    if report.hostile is not None:
        terminal.show_summary(console, "hostile", outcome.hostile_text(report.hostile), ok=report.hostile.ok)
    for reason in outputs.unchecked:
        terminal.show_summary(console, "skipped", reason, ok=False)


def derivation_json(derivation: Derivation, outputs: Outputs, paths: Sequence[Path]) -> dict[str, object]:
    """The same as plain values."""
    problem, report = derivation.problem, outputs.report
    return {
        "name": problem.slug,
        "title": problem.program.title or problem.slug,
        "results": [formula_text(equation, derivation) for equation in derivation.put_together.equations],
        "claims": [
            {"claim": claim.tensor, "verdict": verdict} for claim, verdict in outcome.claims_of(derivation, report)
        ],
        "ok": report.ok,
        "checked": outcome.check_text(report, problem),
        "hostile": "" if report.hostile is None else outcome.hostile_text(report.hostile),
        "skipped": list(outputs.unchecked),
        "files": [str(path) for path in paths],
    }
