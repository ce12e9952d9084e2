"""Code that keeps few steps: ``python benchmarks/checkpoints.py``, the memory and the time of both passes.

Each row is a shipped recurrence at some number of steps, in float32: the most bytes that Python and NumPy hold during
a call of the code for reading, as `tracemalloc` counts them, what the code that keeps few steps needs of that, and
the time that it takes of the other's. Both agree before anything is measured.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from comparison import medians  # noqa: E402

import indexcalc as ic  # noqa: E402
from indexcalc.program import Tensor  # noqa: E402
from indexcalc.proof.gradcheck import stored  # noqa: E402

WORKS: Mapping[str, Mapping[str, int]] = {
    "hmm_forward": {"T": 1024, "K": 64},
    "linear_attention_recurrent": {"T": 1024, "D": 64, "P": 64},
    "lstm": {"B": 8, "T": 1024, "D": 64, "H": 64},
    "bidirectional_rnn": {"T": 1024, "D": 64, "H": 64, "P": 64},
    "state_space": {"T": 4096, "N": 64, "D": 16, "P": 16},
    "transformer": {"N_L": 36, "B": 2, "T": 64, "D": 64, "H": 4, "d": 16, "F": 256, "N_V": 100},
}
"""The sizes of each row; those of the transformer are blocks, sequences and positions."""

Run = Callable[[], Any]


def both(name: str, sizes: Mapping[str, int]) -> tuple[Run, Run]:
    """A call of the code for reading, and one of the code that keeps few steps, on the same arrays."""
    problem = ic.load_problem(ic.find_spec(name))
    derivation, rng = ic.derive(problem), np.random.default_rng(0)
    tensors = (*problem.program.inputs, *(problem.program.tensors[up.of] for up in problem.upstream))
    given = [stored(problem.program, tensor.name, drawn(tensor, sizes, rng)) for tensor in tensors]
    plain, few = derivation.function("numpy"), derivation.function("checkpoints")
    known = {name: size for name, size in sizes.items() if name in inspect.signature(plain).parameters}
    return lambda: plain(*given, **known), lambda: few(*given, **known)


def drawn(tensor: Tensor, sizes: Mapping[str, int], rng: np.random.Generator) -> np.ndarray:
    """Entries that are small, so that nothing grows over many steps; whole or positive numbers where asked for."""

    def size(extent: sp.Expr) -> int:
        return int(extent.subs({symbol: sizes[symbol.name] for symbol in extent.free_symbols}))

    shape = [size(slot.extent) for slot in tensor.slots]
    if tensor.values is not None:
        return rng.integers(0, size(tensor.values), shape)
    if tensor.domain is not None:
        return rng.uniform(0.5, 1.5, shape).astype(np.float32)
    return (0.05 * rng.normal(size=shape)).astype(np.float32)


def agreement(one: Any, other: Any) -> float:
    """How far gradients are apart, as a part of the largest entry of each."""
    (_, left), (_, right) = one, other
    return max(float(np.max(np.abs(a - b)) / max(np.max(np.abs(a)), 1e-30)) for a, b in zip(left, right, strict=True))


def peak(run: Run) -> int:
    """The most bytes that are held during a call."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def main() -> None:
    """Print a row for each recurrence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="recurrences; all by default")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    asked = parser.parse_args()
    print(f"{'':28}{'steps':>8}{'MB':>8}{'few: of it':>12}{'time':>8}")
    for name in asked.names or WORKS:
        sizes = WORKS[name]
        plain, few = both(name, sizes)
        apart = agreement(plain(), few())
        if apart > 1e-3:
            sys.exit(f"{name}: gradients are {apart:.1e} apart")
        whole = peak(plain)
        times = medians({"plain": plain, "few": few}, asked.seconds)
        steps = sizes["N_L"] if "N_L" in sizes else sizes["T"]
        print(
            f"{name:28}{steps:>8}{whole / 1e6:>8.0f}{peak(few) / whole:>12.2f}{times['few'] / times['plain']:>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
