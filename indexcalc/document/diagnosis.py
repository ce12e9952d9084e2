"""What is wrong with a refuted relation, in words, and the values that show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from indexcalc.document.meaning.nodes import Meaning, indices_in
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.numerics.ratios import fitted, quantities_of, ratio, worded
from indexcalc.document.numerics.trials import Failure


class Difference(StrEnum):
    """How the sides of a refuted relation differ.

    ANY: in no way that is known.
    SIGN: they are each other's negatives.
    FACTOR: by a factor.
    SHAPE: in their indices or sizes.
    """

    ANY = "any"
    SIGN = "sign"
    FACTOR = "factor"
    SHAPE = "shape"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How the sides of a refuted relation differ, and the same in words."""

    kind: Difference
    words: str


DIFFER = Diagnosis(Difference.ANY, "the two sides differ")


def diagnosis(failures: Sequence[Failure], sides: tuple[Meaning, Meaning], sizes: Sizes) -> Diagnosis:
    """What is wrong, from the ratio of the sides over several points."""
    ratios = np.array([ratio(failure.left, failure.right) for failure in failures])
    if not np.all(np.isfinite(ratios)):
        return DIFFER
    if np.all(np.abs(ratios + 1) < 1e-8):
        return Diagnosis(Difference.SIGN, "the sign is wrong")
    indices = [index for side in sides for index in indices_in(side)]
    found = fitted(ratios, quantities_of(failures, indices, sizes))
    if found is not None:
        return Diagnosis(Difference.FACTOR, f"the right side is {worded(*found)} times the left")
    if np.ptp(ratios) < 1e-8 * abs(ratios[0]):
        return Diagnosis(Difference.FACTOR, f"the right side is {ratios[0]:.6g} times the left")
    several = any(failure.left.size > 1 for failure in failures)
    words = "the right side is a multiple of the left; a factor is missing or too much"
    return Diagnosis(Difference.FACTOR, words) if several else DIFFER


def counterexample(failure: Failure, axes: tuple[Ix, ...], letters: Collection[Ix], sizes: Sizes) -> str:
    """Sizes, the entry that differs most, and both values."""
    gap = np.abs(failure.left - failure.right)
    flat = int(np.argmax(gap)) if gap.size else 0
    place = np.unravel_index(flat, gap.shape) if gap.ndim else ()
    names = [index.name if index in letters else f"axis {n + 1}" for n, index in enumerate(axes)]
    where = ", ".join(f"{name} = {int(number) + 1}" for name, number in zip(names, place, strict=False))
    left, right = float(failure.left.reshape(-1)[flat]), float(failure.right.reshape(-1)[flat])
    lengths = failure.point.lengths
    extents = ", ".join(
        f"{name} runs to {lengths[sizes.find(index)]}" for name, index in zip(names, axes, strict=False)
    )
    at = f" at {where} ({extents})" if where and len(place) == len(names) else ""
    return f"left {left:.8g}, right {right:.8g}{at}"
