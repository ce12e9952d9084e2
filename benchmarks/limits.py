"""What no NumPy code for a piece of work can beat here: its matrix products alone, or its memory traffic alone.

Both are NumPy's, on arrays of the same sizes in the same process, with as many threads as there are cores. Products
are made in blocks that stay in cache wherever a whole result would not, as in code that never holds it; of several
lengths of a block the quickest counts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from itertools import product
from typing import Any

import numpy as np

Run = Callable[[], Sequence[Any]]

CORES = os.cpu_count() or 1
ROWS = (32, 64, 128, 256, 512)
"""How many rows of a product are made at a time, of which the quickest number counts."""

Product = tuple[int, int, int, int]
"""How many products of a kind; then the rows of the first factor, the length of the sums, and the columns."""


def one_thread() -> Any:
    """Keeps BLAS to one thread for each of ours."""
    with suppress(ImportError):
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        return threadpool_limits(1, user_api="blas")
    return nullcontext()


def products(*kinds: Product) -> Run:
    """Products of matrices, one after another."""
    sides = [blocked(kinds, rows) for rows in ROWS] + [whole(kinds)]
    return min(sides, key=quickest)


def quickest(run: Run, times: int = 3) -> float:
    """The least seconds of a few runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def whole(kinds: Sequence[Product]) -> Run:
    """Each product at once, with BLAS's own threads; what is larger than memory wants is left to blocks."""
    arrays = [
        (ones(count, rows, inner), ones(count, inner, columns), ones(count, rows, columns))
        for count, rows, inner, columns in kinds
    ]

    def run() -> Sequence[Any]:
        for left, right, out in arrays:
            np.matmul(left, right, out=out)
        return ()

    return run


def blocked(kinds: Sequence[Product], rows: int) -> Run:
    """Each product in blocks of some rows, shared out over threads; each reads and writes where it did before."""
    right = [ones(count, inner, columns) for count, _, inner, columns in kinds]
    pool = ThreadPoolExecutor(CORES)
    left = [[ones(rows, inner) for _, _, inner, _ in kinds] for _ in range(CORES)]
    out = [[ones(rows, columns) for _, _, _, columns in kinds] for _ in range(CORES)]

    def share(number: int) -> None:
        for kind, (count, height, _, _) in enumerate(kinds):
            for one, start in list(product(range(count), range(0, height, rows)))[number::CORES]:
                some = min(rows, height - start)
                np.matmul(left[number][kind][:some], right[kind][one], out=out[number][kind][:some])

    def run() -> Sequence[Any]:
        with one_thread():
            list(pool.map(share, range(CORES)))
        return ()

    return run


def ones(*shape: int) -> np.ndarray:
    """An array that takes memory."""
    return np.ones(shape, np.float32)


def traffic(reads: int, writes: int) -> Run:
    """Reading and writing so many entries once, each thread its share."""
    source, target = ones(max(reads, 1)), ones(max(writes, 1))
    pool, both = ThreadPoolExecutor(CORES), min(reads, writes)

    def share(number: int) -> None:
        start, end = number * both // CORES, (number + 1) * both // CORES
        np.copyto(target[start:end], source[start:end])
        if reads > both:
            first, last = both + number * (reads - both) // CORES, both + (number + 1) * (reads - both) // CORES
            source[first:last].max()
        elif writes > both:
            first, last = both + number * (writes - both) // CORES, both + (number + 1) * (writes - both) // CORES
            target[first:last] = 0

    def run() -> Sequence[Any]:
        list(pool.map(share, range(CORES)))
        return ()

    return run
