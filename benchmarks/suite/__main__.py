"""The twelve programs in other systems beside generated code: ``python -m benchmarks.suite [PROGRAM ...]``, in float32.

Every row is one spec at its stated sizes. First the lines that a user writes, and the worst error of any loss or
derivative, relative to its largest entry, judged by autograd in double precision. Then how long it takes from the
user's text to the first result, and the median time of each side over that of PyTorch's eager autograd, of one process,
in turn. A step is the loss and all derivatives; the update is the same code on all sides, and not counted. Second
derivatives have all their entries. ``--write`` puts the tables into docs/comparison.md. The exit code is 1 where
any side is wrong. ``pip install 'indexcalc[performance]'`` brings PyTorch and JAX. For tensorgrad's columns make
an environment of its own, with ``pip install tensorgrad==0.3.0 torch==2.9.1`` besides; what is missing is left out,
with a word.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

# Read when PyTorch is imported: what was compiled before says nothing about the time.
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from comparison import disagreement, medians  # noqa: E402
from pages import machine, replaced, table  # noqa: E402

from benchmarks.suite.programs import PROGRAMS, Part  # noqa: E402
from benchmarks.suite.runs import built, fails, with_threads  # noqa: E402
from benchmarks.suite.sides import AUTOGRAD, STYLES, SYSTEMS, missing, other, wanted  # noqa: E402
from benchmarks.suite.writing import lines_written  # noqa: E402
from indexcalc.proof.targets import is_installed  # noqa: E402

AGREES = 1e-3
"""The most that an error in float32 may be, in units of the largest entry of an array."""

BOUND = 4.0
"""How many times PyTorch's error generated code may make beyond that."""

NOISE = 1e-6
"""An array none of whose true entries is larger is zero in exact numbers."""

PAGE = ROOT / "docs" / "comparison.md"
COMPILED = ("torch.compile", "tensorgrad compiled")
"""Sides that are machine code made on the spot, which may end the process; they are tried in one of their own."""

LIBRARIES = ("numpy", "torch", "jax", "tensorgrad")
SIDES = (*STYLES, *SYSTEMS)
WRITERS = ("spec", AUTOGRAD, "JAX", "tensorgrad")
"""Who writes lines: systems, and users of a spec."""


@dataclass(frozen=True)
class Row:
    """What was found of one spec, by side.

    Attributes:
        program: the program that it belongs to.
        part: the spec.
        lines: what a user writes.
        errors: the worst error.
        ready: the seconds from the text to the first result.
        times: the median seconds of a step.
        absent: why a side has none of them.
    """

    program: str
    part: str
    lines: Mapping[str, int]
    errors: dict[str, float] = field(default_factory=dict)
    ready: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    @property
    def own(self) -> float:
        """The worst error of generated code."""
        return max(self.errors[style] for style in STYLES if style in self.errors)

    @property
    def agrees(self) -> bool:
        """Whether generated code gives what autograd gives."""
        return self.within(self.own)

    @property
    def wrong(self) -> tuple[str, ...]:
        """The sides that don't give what autograd gives, of whatever system."""
        return tuple(side for side, error in self.errors.items() if not self.within(error))

    def within(self, error: float) -> bool:
        """Whether an error is that of float32; where numbers cancel, autograd is less accurate, too."""
        return error <= max(AGREES, BOUND * self.errors[AUTOGRAD])

    def worst(self, writer: str) -> float | None:
        """The worst error of a system, or of generated code."""
        return self.own if writer == "spec" else self.errors.get(writer)


def difference(own: Mapping[str, Any], truth: Mapping[str, Any], names: Sequence[str]) -> float:
    """The worst error of any array that is not zero in exact numbers."""
    arrays = [(np.asarray(own[name]), np.asarray(truth[name])) for name in names]
    counted = [(mine, true) for mine, true in arrays if np.max(np.abs(true)) > NOISE]
    return disagreement(*zip(*counted, strict=True))


def compared(program: str, part: Part, seconds: float, threads: int, sides: Sequence[str] = SIDES) -> Row:
    """All sides of one part at its stated sizes."""
    row, runs = Row(program, part.name, lines_written(part.name)), {}
    exact = {n: a if a.dtype.kind == "i" else a.astype(float) for n, a in part.inputs(part.stated, "float32").items()}
    judge = other(part.problem, AUTOGRAD, part.stated)
    assert not isinstance(judge, str)
    truth = judge(exact)()
    for name in sides:
        if name in COMPILED and not missing(name) and (reason := fails(part, name, threads)):
            row.absent[name] = reason
            continue
        start = time.perf_counter()
        run = built(part, name, threads)
        if isinstance(run, str):
            row.absent[name] = run
            continue
        found = run()
        row.ready[name] = time.perf_counter() - start
        row.errors[name] = difference(found, truth, wanted(part.problem))
        runs[name] = run
    gc.collect()
    row.times.update(medians(runs, seconds))
    return row


def of_rows(head: Sequence[str], rows: Sequence[Row], values: Callable[[Row], Sequence[str]]) -> list[str]:
    """A table with a line of values for each row, behind the names of program and spec."""
    return table(("Program", "Spec", *head), [[f"`{row.program}`", f"`{row.part}`", *values(row)] for row in rows], 2)


def shown(value: float | None, form: str) -> str:
    """A number, or a dash."""
    return "–" if value is None else format(value, form)


def lines_table(rows: Sequence[Row]) -> list[str]:
    """What users write."""
    return of_rows(WRITERS, rows, lambda row: [str(row.lines[writer]) for writer in WRITERS])


def errors_table(rows: Sequence[Row]) -> list[str]:
    """The worst errors."""
    head = ("generated", *WRITERS[1:])
    return of_rows(head, rows, lambda row: [shown(row.worst(one), ".0e") for one in WRITERS])


def ready_table(rows: Sequence[Row]) -> list[str]:
    """The seconds to the first result."""
    return of_rows(SIDES, rows, lambda row: [shown(row.ready.get(side), ".1f") for side in SIDES])


def times_table(rows: Sequence[Row]) -> list[str]:
    """The times over those of eager autograd, and these in milliseconds."""
    others = [side for side in SIDES if side != AUTOGRAD]

    def values(row: Row) -> list[str]:
        eager = row.times[AUTOGRAD]
        ratios = [shown(row.times[side] / eager if side in row.times else None, ".2f") for side in others]
        return [*ratios, f"{1e3 * eager:.2f} ms"]

    return of_rows((*others, AUTOGRAD), rows, values)


TABLES = {"lines": lines_table, "errors": errors_table, "ready": ready_table, "times": times_table}


def with_tables(page: str, rows: Sequence[Row], threads: int) -> str:
    """A page with these rows for its tables."""
    parts = {name: make(rows) for name, make in TABLES.items()} | {"machine": [machine(threads, LIBRARIES)]}
    for name, lines in parts.items():
        page = replaced(page, name, lines)
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, write them if asked to; 1 where sides disagree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=(__doc__ or "").split("\n\n")[0])
    known = [program.name for program in PROGRAMS]
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"by default all: {', '.join(known)}")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long the sides of one spec take turns")
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch and BLAS")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/comparison.md; needs all programs"
    )
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.programs if name not in known]:
        parser.error(f"there is no program {unknown[0]}; there are {', '.join(known)}")
    if chosen.write and chosen.programs:
        parser.error("--write makes the whole tables: leave the names out")
    if not is_installed("torch"):
        parser.error("PyTorch is not installed: pip install 'indexcalc[performance]'")
    for side in SYSTEMS:
        if reason := missing(side):
            print(f"left out: {side}, for {reason}")
    rows = []
    with with_threads(chosen.threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # named tensors are called experimental at every use
        for program in PROGRAMS:
            for part in program.parts if not chosen.programs or program.name in chosen.programs else ():
                rows.append(compared(program.name, part, chosen.seconds, chosen.threads))
                wrong = ", ".join(rows[-1].wrong)
                print(f"{part.name}: {'DISAGREE: ' + wrong if wrong else 'agrees'}", flush=True)
                for side, reason in rows[-1].absent.items():
                    if not (side in SYSTEMS and missing(side)):
                        print(f"    {side}: {reason}", flush=True)
    for name, make in TABLES.items():
        print("", name, *make(rows), sep="\n")
    if chosen.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_tables(page, rows, chosen.threads), encoding="utf-8", newline="\n")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
