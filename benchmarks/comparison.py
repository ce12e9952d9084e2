"""Side by side in one process: generated code and other libraries on the same arrays, in turn, as ratios of medians."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
        near: a ratio above its bound is allowed where generated code takes at most so many times the limit.
        agree: how far results may be apart, relative to the largest entry of each array.
    """

    name: str
    own: Run
    others: Mapping[str, tuple[float, Callable[[], Run]]]
    needs: Mapping[str, str] = field(default_factory=dict)
    limit: Callable[[], Run] | None = None
    near: float = 0.0
    agree: float = 1e-3


@dataclass(frozen=True)
class Measurement:
    """Generated code beside one other side: median milliseconds in turn, and the ratio of calls in a row.

    Attributes:
        work: the piece of work.
        against: the other side.
        own: of generated code.
        other: of the other side.
        in_a_row: the ratio of median times of calls in a row.
        bound: the most that the ratio in turn may be.
        limit: of what no NumPy code can beat; None where nothing is known.
        near: a ratio above its bound is allowed where generated code takes at most so many times the limit.
        error: the largest difference, relative to the largest entry of an array.
        agrees: whether it is no more than rounding.
    """

    work: str
    against: str
    own: float
    other: float
    in_a_row: float
    bound: float
    limit: float | None
    near: float
    error: float
    agrees: bool

    @property
    def ratio(self) -> float:
        """Of the times in turn."""
        return self.own / self.other

    @property
    def allowed(self) -> float:
        """The most that the ratio may be: its bound, or what the limit leaves, whichever is larger."""
        return max(self.bound, self.near * (self.limit or 0.0) / self.other)

    @property
    def met(self) -> bool:
        """Whether the sides agree and the ratio is as asked for."""
        return self.agrees and self.ratio <= self.allowed

    @property
    def verdict(self) -> str:
        """That in words."""
        if not self.agrees:
            return f"DISAGREES by {self.error:.1e}"
        by_limit = f" by the limit: {self.near} of it" if self.allowed > self.bound else ""
        return f"{'met' if self.met else 'MISSED'}{by_limit}"


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


def measured(work: Work, seconds: float) -> Iterator[Measurement]:
    """One piece of work beside every other side whose library is there; print which are left out."""
    runs: dict[str, Run] = {"generated": work.own}
    for name, (_, make) in work.others.items():
        library = work.needs.get(name)
        if library is None or rivals.has(library):
            runs[name] = make()
        else:
            print(f"{work.name:36} {name:20} left out: {library} is not installed")
    first = work.own()
    wrong = {name: disagreement(first, run()) for name, run in runs.items() if name != "generated"}
    if work.limit is not None:
        runs["limit"] = work.limit()
    found, steady = medians(runs, seconds), medians_in_a_row(runs, seconds)
    limit = 1e3 * found["limit"] if "limit" in found else None
    for name, error in wrong.items():
        yield Measurement(
            work=work.name,
            against=name,
            own=1e3 * found["generated"],
            other=1e3 * found[name],
            in_a_row=steady["generated"] / steady[name],
            bound=work.others[name][0],
            limit=limit,
            near=work.near,
            error=error,
            agrees=error < work.agree,
        )
