"""Values and gradients to as many digits as they need, where inputs are hostile: mpmath, at tiny sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.campaign.arithmetic import Exact
from tests.campaign.formulas import Program
from tests.campaign.oracle import Evaluated, Point, Truth, stepped, truth

DIGITS = (40, 120, 400)
"""Precisions to try, until two of them agree."""

AGREEMENT = 1e-10
"""How closely they must agree, relative to the largest entry."""


def exact_truth(program: Program, point: Point) -> Truth | None:
    """What is right at a point; None where something is not finite, or does not settle with `DIGITS`."""
    from mpmath import mp  # noqa: PLC0415

    known: Evaluated | None = None
    for digits in DIGITS:
        with mp.workdps(digits):

            def evaluate(program: Program, point: Point, noise: float, seed: int) -> Evaluated:
                return stepped(program, point, lambda given: Exact(mp, noise, seed, given))

            try:
                found = evaluate(program, point, 0.0, 0)
                if known is not None and agree(known[0], found[0]) and agree(known[1], found[1]):
                    return truth(program, point, evaluate)
            except (ValueError, ZeroDivisionError, OverflowError):
                return None
            known = found
    return None


def agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two precisions give the same."""
    for name, array in one.items():
        if not np.all(np.isfinite(array)) or not np.all(np.isfinite(other[name])):
            return False
        scale = np.max(np.abs(other[name]), initial=0.0)
        if np.max(np.abs(array - other[name]), initial=0.0) > AGREEMENT * scale:
            return False
    return True
