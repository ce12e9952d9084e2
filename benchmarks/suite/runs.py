"""Runs of one side at the stated sizes: made from what a user writes, and tried in a process of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import warnings

import indexcalc as ic
from indexcalc.proof.targets import is_installed

from .programs import PROGRAMS, Part
from .sides import SYSTEMS, Run, generated, other

TRIED = 100
"""How often."""


def built(part: Part, name: str, threads: int) -> Run | str:
    """One side on the arrays of a part, from its text; or why there is none."""
    if name in SYSTEMS:
        side = other(part.problem, name, part.stated)
    elif name not in ("einsum", "fast") and not is_installed(name):
        return f"{name} is not installed"
    else:
        side = generated(ic.derive(ic.load_problem(part.path)), name, part.stated, threads)
    return side if isinstance(side, str) else side(part.inputs(part.stated, "float32"))


def fails(part: Part, name: str, threads: int) -> str:
    """Why a side can't be run here, tried in a process of its own; empty if it can."""
    with_nothing_shared = multiprocessing.get_context("spawn")
    process = with_nothing_shared.Process(target=repeated, args=(part.name, name, threads))
    process.start()
    process.join()
    code = process.exitcode
    return "" if not code else f"it ends the process, by signal {-code}" if code < 0 else "it ends in an error"


def repeated(part_name: str, name: str, threads: int) -> None:
    """Run one side many times."""
    warnings.simplefilter("ignore")
    with with_threads(threads):
        run = built(next(one for program in PROGRAMS for one in program.parts if one.name == part_name), name, threads)
        for _ in range(TRIED if not isinstance(run, str) else 0):
            run()


def with_threads(threads: int) -> contextlib.AbstractContextManager[object]:
    """A number of threads for PyTorch and, with threadpoolctl, for BLAS; JAX decides for itself."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(threads)
    with contextlib.suppress(ImportError):
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        return threadpool_limits(threads)
    return contextlib.nullcontext()
