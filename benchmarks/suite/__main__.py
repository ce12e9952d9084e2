"""The twelve programs beside PyTorch's autograd: ``python -m benchmarks.suite [PROGRAM ...]``, in float32.

Every row is one spec at its stated sizes: the worst error of any loss or derivative, relative to its largest entry,
and that of PyTorch, both judged by autograd in double precision. Then the median time of each style of generated code
over that of eager autograd, of one process, in turn. A step is the loss and all derivatives; the update is the same
code on all sides, and not counted. Second derivatives have all their entries. ``--write`` puts the table into
docs/comparison.md. The exit code is 1 where generated code is wrong. ``pip install 'indexcalc[performance]'`` brings
PyTorch and JAX; without JAX its column is empty.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from comparison import disagreement, medians  # noqa: E402

import indexcalc as ic  # noqa: E402
from benchmarks.suite.programs import PROGRAMS, SPECS, Part  # noqa: E402
from benchmarks.suite.sides import AUTOGRAD, STYLES, autograd, sides_of, wanted  # noqa: E402
from indexcalc.proof.targets import is_installed  # noqa: E402

AGREES = 1e-3
"""The most that an error in float32 may be, in units of the largest entry of an array."""

BOUND = 4.0
"""How many times PyTorch's error generated code may make beyond that."""

NOISE = 1e-6
"""An array none of whose true entries is larger is zero in exact numbers."""

PAGE = ROOT / "docs" / "comparison.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
HEAD = ("Program", "Spec", "Lines", "Derived in", "Worst error", "PyTorch's", *STYLES, "PyTorch")


@dataclass(frozen=True)
class Row:
    """What was found of one spec.

    Attributes:
        program: the program that it belongs to.
        part: the spec.
        lines: statements of the spec and of what it uses.
        seconds: how long the derivation took.
        errors: the worst error of each side.
        ratios: the time of each style over that of PyTorch.
        eager: PyTorch's time, in seconds.
    """

    program: str
    part: str
    lines: int
    seconds: float
    errors: Mapping[str, float]
    ratios: Mapping[str, float]
    eager: float

    @property
    def agrees(self) -> bool:
        """Whether generated code gives what autograd gives; where numbers cancel, both are less accurate."""
        return self.own <= max(AGREES, BOUND * self.errors[AUTOGRAD])

    @property
    def own(self) -> float:
        """The worst error of generated code."""
        return max(error for side, error in self.errors.items() if side != AUTOGRAD)

    def __str__(self) -> str:
        cells = [f"`{self.program}`", f"`{self.part}`", str(self.lines), f"{self.seconds:.1f} s"]
        cells += [f"{self.own:.0e}", f"{self.errors[AUTOGRAD]:.0e}"]
        cells += [f"{self.ratios[style]:.2f}" if style in self.ratios else "–" for style in STYLES]
        return "| " + " | ".join([*cells, f"{1e3 * self.eager:.2f} ms"]) + " |"


def lines_of(name: str) -> int:
    """The lines of a spec that say something, and those of each spec that it uses, once."""
    text = (SPECS / f"{name}.ixc").read_text(encoding="utf-8")
    said = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    used = {line.split('"')[1].removesuffix(".ixc") for line in said if line.startswith('use "')}
    return len(said) + sum(lines_of(other) for other in used)


def difference(own: Mapping[str, Any], truth: Mapping[str, Any], names: Sequence[str]) -> float:
    """The worst error of any array that is not zero in exact numbers."""
    arrays = [(np.asarray(own[name]), np.asarray(truth[name])) for name in names]
    counted = [(mine, true) for mine, true in arrays if np.max(np.abs(true)) > NOISE]
    return disagreement(*zip(*counted, strict=True))


def compared(program: str, part: Part, seconds: float, threads: int) -> Row:
    """All sides of one part at its stated sizes."""
    problem, start = part.problem, time.perf_counter()
    derivation = ic.derive(problem)
    took = time.perf_counter() - start
    styles = tuple(style for style in STYLES if style in ("einsum", "fast") or is_installed(style))
    arrays = part.inputs(part.stated, "float32")
    runs = {}
    for style, side in sides_of(derivation, part.stated, styles, threads).items():
        if isinstance(side, str):
            print(f"    {part.name}, {style}: {side}", flush=True)
        else:
            runs[style] = side(arrays)
    judge = autograd(derivation, part.stated)
    truth = judge({name: array if array.dtype.kind == "i" else array.astype(float) for name, array in arrays.items()})()
    errors = {style: difference(run(), truth, wanted(problem)) for style, run in runs.items()}
    times = medians(runs, seconds)
    ratios = {style: times[style] / times[AUTOGRAD] for style in runs if style != AUTOGRAD}
    return Row(program, part.name, lines_of(part.name), took, errors, ratios, times[AUTOGRAD])


def with_table(page: str, rows: Sequence[Row]) -> str:
    """A page with these rows for its table."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    table = ["| " + " | ".join(HEAD) + " |", "| --- | --- |" + " ---: |" * (len(HEAD) - 2), *map(str, rows)]
    return "\n".join([f"{before}{BEGIN}", *table, f"{END}{after}"])


def limits(threads: int) -> contextlib.AbstractContextManager[object]:
    """A number of threads for PyTorch and, with threadpoolctl, for BLAS; JAX decides for itself."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(threads)
    with contextlib.suppress(ImportError):
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        return threadpool_limits(threads)
    return contextlib.nullcontext()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each spec, write the table if asked to; 1 where sides disagree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=(__doc__ or "").split("\n\n")[0])
    known = [program.name for program in PROGRAMS]
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"by default all: {', '.join(known)}")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long the sides of one spec take turns")
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch and BLAS")
    parser.add_argument(
        "--write", action="store_true", help="put the table into docs/comparison.md; needs all programs"
    )
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.programs if name not in known]:
        parser.error(f"there is no program {unknown[0]}; there are {', '.join(known)}")
    if chosen.write and chosen.programs:
        parser.error("--write makes the whole table: leave the names out")
    if not is_installed("torch"):
        parser.error("PyTorch is not installed: pip install 'indexcalc[performance]'")
    print("| " + " | ".join(HEAD) + " |")
    rows = []
    with limits(chosen.threads):
        for program in PROGRAMS:
            if chosen.programs and program.name not in chosen.programs:
                continue
            for part in program.parts:
                rows.append(compared(program.name, part, chosen.seconds, chosen.threads))
                print(f"{rows[-1]}{'' if rows[-1].agrees else ' DISAGREES'}", flush=True)
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_table(page, rows), encoding="utf-8", newline="\n")
    return 0 if all(row.agrees for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
