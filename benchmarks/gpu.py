"""How fast generated PyTorch code is on a GPU: median times beside PyTorch's own ways to do the same work.

Run it with ``python benchmarks/gpu.py [WORK ...]``. Where PyTorch has no GPU nothing is measured, and it says so.
All sides get the same tensors and must agree. ``--check`` compares them on the processor, at sizes for which kernels
have tiles as long as on a GPU, but few of them; with TRITON_INTERPRET=1 kernels are among the sides.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import rivals
from comparison import disagreement
from performance import BATCHED

from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive

BLOCK_BYTES = 1 << 28
"""What the tensors of one block may take on a GPU, in bytes: its memory is large, and each call costs time."""

TOLERANCE = 2e-2
"""The largest difference, relative to the largest entry, for two sides to agree: some round products to 10 bits."""

TURNS = 30
WARM = 5

Run = Callable[[], Sequence[Any]]


@dataclass(frozen=True)
class Work:
    """One piece of work.

    Attributes:
        name: as it is asked for.
        spec: the name of a shipped spec, or the text of one.
        shapes: of inputs and upstream gradients, at full size and at one for the check, which takes several tiles.
        order: the gradients in the order of the inputs that the rivals differentiate by.
        rivals: PyTorch's forward passes, by what is said of them.
    """

    name: str
    spec: str
    shapes: Mapping[bool, Sequence[tuple[int, ...]]]
    order: Sequence[str]
    rivals: Mapping[str, Callable[..., Any]]


def works() -> tuple[Work, ...]:
    """All pieces of work."""

    def rows(count: int, width: int, vectors: int) -> list[tuple[int, ...]]:
        return [(count, width), *[(width,)] * vectors, (count, width)]

    attention = {"PyTorch eager": rivals.torch_attention, "PyTorch fused": rivals.torch_fused_attention}
    norm = {"PyTorch eager": rivals.torch_layer_norm, "PyTorch fused": rivals.torch_fused_layer_norm}
    return (
        Work(
            "attention",
            BATCHED,
            {True: [(8, 4096, 64)] * 4, False: [(1, 77, 64)] * 4},
            ("dQ", "dK", "dV"),
            attention,
        ),
        Work(
            "layer_norm", "layer_norm", {True: rows(8192, 4096, 2), False: rows(3, 4099, 2)}, ("dX", "dg", "db"), norm
        ),
        Work(
            "rms_norm",
            "rms_norm",
            {True: rows(8192, 4096, 1), False: rows(3, 4099, 1)},
            ("dX", "dg"),
            {"PyTorch eager": rivals.torch_rms_norm},
        ),
    )


def sides(work: Work, device: str, *, large: bool, compiled: bool) -> dict[str, Run]:
    """All ways to run a piece of work once."""
    import torch  # noqa: PLC0415

    torch.manual_seed(0)
    tensors = [torch.randn(shape, device=device) for shape in work.shapes[large]]
    problem = read_problem(work.spec) if "\n" in work.spec else load_problem(find_spec(work.spec))
    module = loaded(fast_module(derive(problem), FastOptions(cache=BLOCK_BYTES), "torch").source)

    def own(by: str) -> Sequence[Any]:
        output, gradients = module.value_and_grad(*tensors, by=by)
        return output, *(getattr(gradients, name) for name in work.order)

    def other(forward: Callable[..., Any]) -> Sequence[Any]:
        inputs = [tensor.detach().requires_grad_() for tensor in tensors[:-1]]
        output = forward(*inputs)
        return output.detach(), *torch.autograd.grad(output, inputs, tensors[-1])

    ways = [by for by in module.WAYS if compiled or by != "compile"]
    able = rivals.has("triton") and (device == "cuda" or os.environ.get("TRITON_INTERPRET") == "1")
    found = {f"indexcalc, {by}": partial(own, by) for by in ways if by != "triton" or able}
    found |= {name: partial(other, forward) for name, forward in work.rivals.items()}
    if compiled:
        found["PyTorch compiled"] = partial(other, torch.compile(work.rivals["PyTorch eager"]))
    return found


def agree(found: Mapping[str, Run]) -> list[str]:
    """A line for each side that differs from the first."""
    (_, first), *others = [(name, [one.cpu() for one in run()]) for name, run in found.items()]
    errors = {name: disagreement(first, results) for name, results in others}
    return [f"{name} differs by {error:.1e}" for name, error in errors.items() if not error <= TOLERANCE]


def milliseconds(run: Run) -> float:
    """The median time of a run on the GPU."""
    import torch  # noqa: PLC0415

    for _ in range(WARM):
        run()
    times = []
    for _ in range(TURNS):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or check; the exit code is 1 if two sides disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = {work.name: work for work in works()}
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"of {', '.join(known)}; all by default")
    parser.add_argument("--check", action="store_true", help="compare at small sizes on the processor")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.works if name not in known]
    if unknown:
        parser.error(f"there is no work {unknown[0]!r}; there are {', '.join(known)}")
    if not rivals.has("torch"):
        print("PyTorch is not installed: nothing to measure (pip install 'indexcalc[torch]')")
        return 0
    import torch  # noqa: PLC0415

    if not given.check and not torch.cuda.is_available():
        print("PyTorch has no GPU here: nothing is measured; --check compares all sides on the processor")
        return 0
    wrong = []
    for name in given.works or known:
        found = sides(known[name], "cpu" if given.check else "cuda", large=not given.check, compiled=not given.check)
        differences = agree(found)
        wrong += differences
        print(f"{name}: {'; '.join(differences) or 'all sides agree'} ({', '.join(found)})")
        if not given.check and not differences:
            times = {side: milliseconds(run) for side, run in found.items()}
            best = min(time for side, time in times.items() if side.startswith("PyTorch"))
            for side, time in times.items():
                print(f"  {side:24} {time:9.3f} ms  {time / best:6.2f} times PyTorch's best")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
