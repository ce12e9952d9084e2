"""What is wrong with a refuted relation, in words, and the values that show it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indexcalc.proof.document.sizes import Ix, Sizes
from indexcalc.proof.document.trials import Failure


def diagnosis(failures: Sequence[Failure]) -> str:
    """What is wrong, from the ratio of the sides over several points."""
    values = [ratio(failure.left, failure.right) for failure in failures]
    if all(abs(value + 1) < 1e-8 for value in values):
        return "the sign is wrong"
    if all(np.isfinite(values)) and max(values) - min(values) < 1e-8 * abs(values[0]):
        return f"the right side is {values[0]:.6g} times the left"
    if all(np.isfinite(values)):
        return "the right side is a multiple of the left; a factor is missing or too much"
    return "the two sides differ"


def ratio(left: np.ndarray, right: np.ndarray) -> float:
    """The constant by which the right side exceeds the left; NaN if there is none."""
    usable = np.abs(left) > 1e-12
    if not usable.any():
        return float("nan")
    values = (right[usable] / left[usable]).reshape(-1)
    first = float(values[0])
    constant = bool(np.all(np.abs(values - first) <= 1e-8 * abs(first)))
    return first if constant and not np.any(np.abs(right[~usable]) > 1e-9) else float("nan")


def counterexample(failure: Failure, letters: tuple[Ix, ...], sizes: Sizes) -> str:
    """Sizes, the entry that differs most, and both values."""
    gap = np.abs(failure.left - failure.right)
    flat = int(np.argmax(gap)) if gap.size else 0
    place = np.unravel_index(flat, gap.shape) if gap.ndim else ()
    names = [index.name or f"axis {n + 1}" for n, index in enumerate(letters)]
    where = ", ".join(f"{name} = {int(number) + 1}" for name, number in zip(names, place, strict=False))
    left, right = float(failure.left.reshape(-1)[flat]), float(failure.right.reshape(-1)[flat])
    lengths = failure.point.lengths
    extents = ", ".join(
        f"{name} runs to {lengths[sizes.find(index)]}" for name, index in zip(names, letters, strict=False)
    )
    at = f" at {where} ({extents})" if where and len(place) == len(names) else ""
    return f"left {left:.8g}, right {right:.8g}{at}"
