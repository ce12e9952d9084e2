"""Side by side in one process: generated code and other libraries on the same arrays, in turn, as ratios of medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import rivals

Run = Callable[[], Sequence[Any]]

PAUSE = 0.02
"""Seconds between two runs."""

REST = 0.1
"""Seconds before calls in a row: OpenBLAS keeps its threads waiting for work, each on a core, for most of that time."""


@dataclass(frozen=True)
class Work:
    """One piece of work: what generated code does, and what it is compared with.

    Attributes:
        name: as it is asked for.
        own: the generated code.
        others: what it is compared with, each with the most that the ratio of times may be.
        needs: the library that each of the others needs, if it needs one.
        limit: makes what no NumPy code for it can beat; None where nothing is known.
        agree: how far results may be apart, relative to the largest entry of each array.
    """

    name: str
    own: Run
    others: Mapping[str, tuple[float, Callable[[], Run]]]
    needs: Mapping[str, str] = field(default_factory=dict)
    limit: Callable[[], Run] | None = None
    agree: float = 1e-3


def normal(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Random float32 arrays, the same ones every time."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]


def flat(found: tuple[Any, Sequence[Any]], order: Sequence[str] = ()) -> Sequence[Any]:
    """The output and the gradients, in an order."""
    output, gradients = found
    return output, *(getattr(gradients, name) for name in order or gradients._fields)


def blas() -> str:
    """What NumPy multiplies matrices with: its BLAS, and the kernels that this took for the processor."""
    try:
        from threadpoolctl import threadpool_info  # noqa: PLC0415
    except ImportError:
        return "BLAS unknown without threadpoolctl"
    found = (one for one in threadpool_info() if one["user_api"] == "blas" and "numpy" in one["filepath"])
    return "; ".join(f"{one['internal_api']}, kernels {one.get('architecture', 'unknown')}" for one in found)


def disagreement(own: Sequence[Any], other: Sequence[Any]) -> float:
    """The largest difference, relative to the largest entry of each array."""
    worst = 0.0
    for mine, theirs in zip(own, other, strict=True):
        one, two = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
        worst = max(worst, float(np.abs(one - two).max() / max(np.abs(two).max(), 1e-30)))
    return worst


def medians(runs: Mapping[str, Run], seconds: float) -> dict[str, float]:
    """The median time of a call of each side; they take turns for `seconds`, at least five times."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < 5:
        for name, run in runs.items():
            # The threads of one library go on spinning for a while: they must not slow down the next side.
            if times[name] and times[name][-1] > PAUSE / 10:
                time.sleep(PAUSE)
            times[name].append(time_of(run))
    return {name: statistics.median(own) for name, own in times.items()}


def medians_in_a_row(runs: Mapping[str, Run], seconds: float) -> dict[str, float]:
    """The median time of a call of each side among many of its own, as in a loop; in turns, at least three.

    The first calls after those of another side find cold caches, cores that slept, and threads that still wait.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    turn = seconds / 3 / len(runs)
    for _ in range(3):
        for name, run in runs.items():
            time.sleep(REST)
            end = time.perf_counter() + turn
            own = [time_of(run)]
            while time.perf_counter() < end:
                own.append(time_of(run))
            times[name] += own
    return {name: statistics.median(own) for name, own in times.items()}


def time_of(run: Run) -> float:
    """The seconds of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measured(work: Work, seconds: float) -> bool:
    """Print the ratios of one piece of work; whether all are within their bounds."""
    runs: dict[str, Run] = {"generated": work.own}
    for name, (_, make) in work.others.items():
        library = work.needs.get(name)
        if library is None or rivals.has(library):
            runs[name] = make()
        else:
            print(f"{work.name:26} {name:20} left out: {library} is not installed")
    first = work.own()
    wrong = {name: disagreement(first, run()) for name, run in runs.items() if name != "generated"}
    if work.limit is not None:
        runs["limit"] = work.limit()
    found, steady = medians(runs, seconds), medians_in_a_row(runs, seconds)
    limit = found.get("limit")
    least = " " * 19 if limit is None else f"{limit * 1e3:10.3f} {found['generated'] / limit:8.2f}"
    good = True
    for name in runs:
        if name in ("generated", "limit"):
            continue
        ratio, bound = found["generated"] / found[name], work.others[name][0]
        in_a_row = steady["generated"] / steady[name]
        agrees = wrong[name] < work.agree
        fine = ratio <= bound and agrees
        good &= fine
        times = f"{found['generated'] * 1e3:10.3f} {found[name] * 1e3:10.3f}"
        verdict = "met" if fine else "MISSED" if agrees else f"DISAGREES by {wrong[name]:.1e}"
        print(f"{work.name:26} {name:20} {times} {ratio:6.2f} {bound:6.2f} {in_a_row:8.2f} {least} {verdict}")
    return good
