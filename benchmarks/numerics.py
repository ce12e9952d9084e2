"""How accurate generated code is in float32 at hostile inputs, beside PyTorch's own functions on the same inputs.

Run it with ``python benchmarks/numerics.py [NAME ...]``; ``pip install 'indexcalc[performance]'`` brings PyTorch
and JAX. ``--write`` puts the table into docs/numerics.md. The judge is the oracle of the check, which computes
with more digits and a larger range. The exit code is 1 if a style is more than `BOUND` times worse than PyTorch,
or not finite where PyTorch is. With names, ``--write`` changes their rows alone.
"""

from __future__ import annotations

import argparse
import inspect
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import recurrent_references  # noqa: F401  enters references
import system_references  # noqa: F401  enters references
import torch
from references import REFERENCES
from torch_derivatives import THROUGH, derivatives

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.module import FastOptions
from indexcalc.errors import UnsupportedError
from indexcalc.generation import Texts, code_styles, render
from indexcalc.language import load_problem
from indexcalc.library import find_spec, shipped_paths
from indexcalc.problem import Problem
from indexcalc.proof.gradcheck import stored
from indexcalc.proof.hostile.check import point_of
from indexcalc.proof.hostile.trial import Case, Trial
from indexcalc.proof.numeric import Array
from indexcalc.proof.targets import is_installed
from indexcalc.rewrite.derive import derive

BOUND = 4.0
"""How many times PyTorch's error a style may make; where PyTorch is exact, what rounding explains stands for it."""

DETERMINED = 1e-2
"""A tensor counts if rounding explains less than this of its largest entry: beyond, no code can know it."""

FORMAT = "float32"
PAGE = Path(__file__).parents[1] / "docs" / "numerics.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
OWN = ("numpy", "fast", "torch", "jax")
RIVAL = "PyTorch"

Found = Mapping[str, Array]
Run = Callable[[Case], Found]


@dataclass
class Side:
    """One side of the comparison.

    Attributes:
        worst: the worst relative error.
        beside: the worst error over PyTorch's of the same tensor at the same point.
        where: the tensor and the point of the latter.
        broken: the points and tensors that are not finite though the truth is.
    """

    worst: float = 0.0
    beside: float = 0.0
    where: str = ""
    broken: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Row:
    """What is known of one derivation: its sides by name, and the number of points."""

    name: str
    points: int
    sides: Mapping[str, Side]


def main() -> int:
    """Run the comparison, print the table, write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="derivations or specs; all that are shipped by default"
    )
    parser.add_argument("--write", action="store_true", help="put the rows into the table of docs/numerics.md")
    chosen = parser.parse_args()
    rows = []
    for name in chosen.names or shipped_paths():
        rows.append(compared(derive(load_problem(find_spec(name)))))
        print(line(rows[-1]), flush=True)
        for text in complaints(rows[-1]):
            print(f"    {text}", flush=True)
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_rows(page, rows, list(shipped_paths())), encoding="utf-8", newline="\n")
    return 1 if any(text for row in rows for text in complaints(row)) else 0


def compared(derivation: Derivation) -> Row:
    """All sides of one derivation at all of its hostile points."""
    problem, name = derivation.problem, derivation.problem.slug
    texts = written(derivation)
    trial = texts.trial
    assert trial is not None, f"{name} has no hostile points"
    runs: dict[str, list[tuple[Run, Any]]] = {}
    for style in code_styles(derivation, texts):
        upstream = {up.of: up.name for up in problem.upstream}

        def run(case: Case, style: Any = style, upstream: Mapping[str, str] = upstream) -> Found:
            given = {upstream[n]: w.astype(FORMAT) for n, w in case.weights.items() if n in upstream}
            return style.candidate(point_of(trial, case, FORMAT), given)

        runs.setdefault(style.name.split()[0], []).append((run, style.precision))
    rival = [(reference_run(problem, trial, REFERENCES[name]), None)] if name in REFERENCES else []
    sides = {side: Side() for side in (*runs, *([RIVAL] if rival else []))}
    for case in trial.cases:
        beside = errors(trial, case, rival[0][0]) if rival else {}
        if rival:
            count(sides[RIVAL], case, beside, {})
        for side, several in runs.items():
            for function, precision in several:
                with precision():
                    count(sides[side], case, errors(trial, case, function), beside)
    return Row(name, len(trial.cases), sides)


def written(derivation: Derivation) -> Texts:
    """Code in every style that there is for a derivation."""
    installed = [target for target in ("torch", "jax") if is_installed(target)]
    try:
        return render(derivation, targets=installed, fast=FastOptions(), formats=())
    except UnsupportedError:
        return render(derivation, targets=installed, formats=())


@dataclass(frozen=True)
class Error:
    """The error of one tensor: absolute, relative to its largest entry, and what rounding explains of it."""

    absolute: float
    relative: float
    explained: float


def errors(trial: Trial, case: Case, run: Run) -> dict[str, Error]:
    """The error of every output and every gradient of an input; infinite for what is not finite."""
    problem = trial.problem
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(case)
    values, gradients = case.truth.explained[FORMAT].whole
    rows = [(n, case.truth.values[n], values[n]) for n in problem.program.outputs if n in values]
    inputs = {tensor.name for tensor in problem.program.inputs}
    wanted = [n for n in problem.targets if n in inputs]
    rows += [(problem.gradient_names[n], case.truth.gradients[n], gradients[n]) for n in wanted]
    result = {}
    for key, right, explained in rows:
        expected = np.array([float(number) for number in right])
        asked = np.isfinite(expected) & np.isfinite(explained)
        if not asked.all() or key not in found:
            continue
        scale = float(np.max(np.abs(expected), initial=0.0))
        floor = case.truth.floor[FORMAT]
        if scale <= floor or float(np.max(explained, initial=0.0)) > DETERMINED * scale:
            continue
        actual = np.asarray(found[key], dtype=float).ravel()
        error = float(np.max(np.abs(actual - expected), initial=0.0))
        error = error if math.isfinite(error) else math.inf
        result[key] = Error(error, error / scale, float(np.max(explained)) + floor)
    return result


def count(side: Side, case: Case, found: Mapping[str, Error], beside: Mapping[str, Error]) -> None:
    """Add the errors at one point to a side."""
    for key, error in found.items():
        if math.isinf(error.absolute):
            side.broken.add((case.name, key))
            continue
        side.worst = max(side.worst, error.relative)
        if key in beside and math.isfinite(beside[key].absolute):
            ratio = error.absolute / max(beside[key].absolute, beside[key].explained)
            if ratio > side.beside:
                side.beside, side.where = ratio, f"{key} at {case.name}"


def reference_run(problem: Problem, trial: Trial, function: Callable[..., Any]) -> Run:
    """PyTorch's functions, differentiated by autograd in float32.

    Args:
        problem: what is derived; that of the trial holds both passes where more than gradients is asked for.
        trial: the points.
        function: the reference.
    """
    program = problem.program
    parameters = {str(symbol): value for symbol, value in trial.parameters.items()}
    options: dict[str, Any] = {**parameters, "sizes": {str(extent): size for extent, size in trial.sizes.items()}}
    targets = [t.name for t in program.inputs if t.name in problem.targets]
    through = next((d.through for d in problem.derivatives if d.through), "")

    def computed(tensors: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs, and what a Gauss-Newton part goes through."""
        found = {}
        if through:
            found[through] = tensors[through] if through in tensors else THROUGH[problem.slug](**tensors)
        results = function(**wanted_by(function, {**tensors, **options, **found}))
        results = results if isinstance(results, tuple) else (results,)
        return found | dict(zip(program.outputs, results, strict=True))

    def run(case: Case) -> Found:
        given = {up.name: torch.from_numpy(stored(program, up.of, case.inputs[up.name])) for up in problem.directions}
        tensors = {
            tensor.name: torch.from_numpy(stored(program, tensor.name, case.inputs[tensor.name]))
            for tensor in program.inputs
        }
        others = {name: found.numpy() for name, found in derivatives(problem, computed, {**tensors, **given})}
        for name in targets:
            tensors[name].requires_grad_()
        results = computed(tensors)
        weights = {up.of: case.weights[up.of] for up in problem.upstream}
        weights |= {problem.loss: np.ones((), FORMAT)} if problem.loss is not None else {}
        loss = sum(
            (torch.from_numpy(stored(program, name, weight)) * results[name]).sum() for name, weight in weights.items()
        )
        found = {name: results[name].detach().numpy() for name in program.outputs}
        return {**found, **dict(gradients_of(loss, {name: tensors[name] for name in targets}, problem)), **others}

    return run


def wanted_by(function: Callable[..., Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """What a function takes of what is known; all tensors for one that takes any."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return {name: value for name, value in known.items() if name in parameters or isinstance(value, torch.Tensor)}
    return {name: value for name, value in known.items() if name in parameters}


def gradients_of(loss: Any, tensors: Mapping[str, Any], problem: Problem) -> Iterator[tuple[str, Array]]:
    """The gradients of a scalar by autograd, under the names of the derivation."""
    if not tensors:
        return
    gradients = torch.autograd.grad(loss, list(tensors.values()), allow_unused=True)
    for (name, tensor), gradient in zip(tensors.items(), gradients, strict=True):
        array = np.zeros(tensor.shape) if gradient is None else gradient.numpy()
        yield problem.gradient_names[name], array


def complaints(row: Row) -> Iterator[str]:
    """What is not as it should be."""
    rival = row.sides.get(RIVAL)
    for name, side in row.sides.items():
        if name == RIVAL:
            continue
        broken = side.broken - (rival.broken if rival else set())
        if broken:
            point, key = min(broken)
            yield f"{row.name}, {name}: not finite at {len(broken)} tensors, such as {key} at {point}"
        if side.beside > BOUND:
            yield f"{row.name}, {name}: {side.beside:.1f} times PyTorch's error: {side.where}"


def said(side: Side | None) -> str:
    """A side in a cell; a dash for one that there is not."""
    if side is None:
        return "–"
    broken = f", {len(side.broken)} not finite" if side.broken else ""
    return f"{side.worst:.1e}{broken}"


def line(row: Row) -> str:
    """A row of the table."""
    beside = max((side.beside for name, side in row.sides.items() if name != RIVAL), default=0.0)
    ratio = f"{beside:.1f}" if RIVAL in row.sides else ""
    cells = [f"`{row.name}`", str(row.points), *(said(row.sides.get(name)) for name in (*OWN, RIVAL)), ratio]
    return "| " + " | ".join(cells) + " |"


def lines_of(page: str) -> dict[str, str]:
    """The rows of the table on a page, by the derivation."""
    _, rest = page.split(BEGIN)
    return {found[1]: found[0] for found in re.finditer(r"^\| `(\w+)` .*$", rest.split(END)[0], re.MULTILINE)}


def with_rows(page: str, rows: Sequence[Row], shipped: Sequence[str]) -> str:
    """A page with new rows in its table, beside those it has of what is `shipped`, in that order."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    lines = lines_of(page) | {row.name: line(row) for row in rows}
    head = ["Derivation", "Points", "NumPy", "fast", "torch", "jax", "PyTorch's own", "Worst ratio"]
    table = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    table += [lines[name] for name in shipped if name in lines]
    return "\n".join([f"{before}{BEGIN}", *table, f"{END}{after}"])


if __name__ == "__main__":
    sys.exit(main())
