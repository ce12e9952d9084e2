"""How long a derivation takes: one shipped derivation in full, the cold command, and deep stacks.

Run it with ``python benchmarks/derivation.py``. Times are wall clock, in seconds; the targets are
printed beside them, and the exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from indexcalc.generation import render
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.problem import Problem
from indexcalc.rewrite.derive import derive

RENDER_TARGET = 0.5
"""Attention derived and rendered (notes and code), after import."""

COLD_TARGET = 2.0
"""``indexcalc derive attention`` as a process of its own, imports, check and files included."""

STACK_TARGET = 5.0
"""The derivation of a stack of twelve self-attention layers."""

DEPTHS = (1, 2, 3, 4, 6, 8, 10, 12)

HEAD = """title "A stack of {n} self-attention layers"

index i, j, l : T   "token positions"
index m       : M   "model dimension"
index k       : d   "head dimension"
index p       : d_v "value dimension"

input X0[i,m] "tokens"
"""

LAYER = """
input WQ{n}[m,k], WK{n}[m,k], WV{n}[m,p], WO{n}[p,m]
Q{n}[i,k] = sum[m](X{b}[i,m] * WQ{n}[m,k])
K{n}[j,k] = sum[m](X{b}[j,m] * WK{n}[m,k])
V{n}[j,p] = sum[m](X{b}[j,m] * WV{n}[m,p])
S{n}[i,j] = 1/sqrt(d) * sum[k](Q{n}[i,k] * K{n}[j,k])
A{n}[i,j] = exp(S{n}[i,j]) / sum[l](exp(S{n}[i,l]))
O{n}[i,p] = sum[j](A{n}[i,j] * V{n}[j,p])
X{n}[i,m] = {residual}sum[p](O{n}[i,p] * WO{n}[p,m])
"""


def stack(layers: int, *, residual: bool = True) -> Problem:
    """The problem of `layers` self-attention layers; the gradients of the tokens and of all weights are asked for."""
    text = HEAD.format(n=layers)
    for n in range(1, layers + 1):
        text += LAYER.format(n=n, b=n - 1, residual=f"X{n - 1}[i,m] + " if residual else "")
    return read_problem(text + f"\nupstream G[i,m] = dL/dX{layers}[i,m]\n", slug=f"stack_{layers}")


def seconds(work: Callable[[], object], runs: int) -> float:
    """The median time of `runs` runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def cold_command(name: str) -> None:
    """One run of the command line in a fresh interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "indexcalc", "derive", name, "--out", folder]
        subprocess.run(command, check=True, capture_output=True)


def row(label: str, found: float, target: float | None = None, note: str = "") -> bool:
    """Print one line of the table; whether the target is met."""
    met = target is None or found <= target
    bound = "" if target is None else f"at most {target:g} s: {'met' if met else 'MISSED'}"
    print(f"  {label:<44} {found:8.3f} s   {bound}{note}")
    return met


def main() -> int:
    """Print the table; 0 if every target is met."""
    options = argparse.ArgumentParser(description="Time derivations.")
    options.add_argument("--runs", type=int, default=5, help="runs of which the median is taken")
    runs = max(1, options.parse_args().runs)
    met = []

    print("attention")
    problem = load_problem(find_spec("attention"))
    met.append(
        row("first derivation and all texts, after import", seconds(lambda: render(derive(problem)), 1), RENDER_TARGET)
    )
    met.append(row("the same again, warm", seconds(lambda: render(derive(problem)), runs), RENDER_TARGET))
    met.append(
        row("the cold command, check and files included", seconds(lambda: cold_command("attention"), runs), COLD_TARGET)
    )

    print("stack of n self-attention layers with residuals, derivation alone")
    layers = {}
    for depth in DEPTHS:
        problem = stack(depth)
        layers[depth] = seconds(lambda problem=problem: derive(problem), 3)
        target = STACK_TARGET if depth == DEPTHS[-1] else None
        met.append(row(f"n = {depth}", layers[depth], target, f"   {1000 * layers[depth] / depth:.0f} ms a layer"))
    growth = (layers[12] / 12) / (layers[3] / 3)
    print(f"  time a layer at n = 12 over that at n = 3: {growth:.2f} (1 is linear)")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
