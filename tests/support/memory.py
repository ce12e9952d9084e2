"""How much memory a call takes, and the least bound that it accepts."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def peak_of(run: Callable[[], Any], given: Sequence[np.ndarray] = ()) -> tuple[Any, int]:
    """What a call returns, and the most bytes that it held beside what was there before and the arrays returned.

    Args:
        run: the call.
        given: arrays that were there before and may be returned.
    """
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    before_it = {id(owner_of(array)) for array in given}
    owners = {id(owner): owner for owner in map(owner_of, arrays_in(result)) if not isinstance(owner, np.memmap)}
    owners = {number: owner for number, owner in owners.items() if number not in before_it}
    return result, peak - before - sum(owner.nbytes for owner in owners.values())


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory another one shows; a memory map for what stands in a file."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def arrays_in(result: Any) -> list[np.ndarray]:
    """All arrays of what a function returns."""
    if isinstance(result, tuple):
        return [array for part in result for array in arrays_in(part)]
    return [np.asarray(result)]


def least_bound(run: Callable[[int], Any], start: int = 1) -> int:
    """The least bound that a call accepts, found from what it says is needed."""
    bound, needed = 0, start
    while needed > bound:
        bound = needed
        try:
            run(bound)
        except ValueError as error:
            found = re.search(r"memory is \d+ bytes, (\d+) are needed", str(error))
            if found is None:
                raise
            needed = int(found[1])
    return bound
