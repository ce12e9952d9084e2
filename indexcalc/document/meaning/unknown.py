"""Functions of which only a derivative is known to exist, ``f`` and ``f'``: their names and their values.

As numbers, such a function is a fixed smooth one with values between 0 and 1, so that logarithms may be
taken of it, whose derivatives are exact; to the algebra, the function and its derivatives are names.
"""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache, partial

import numpy as np

from indexcalc.proof.numeric import Array, Numeric, numeric_of

PREFIX = "function "
"""What the name of an unknown function begins with among the entrywise functions."""

WAVES = 4
"""The number of waves of which an unknown function is made."""


def unknown(name: str, order: int = 0) -> str:
    """The entrywise function that is a derivative of an unknown one."""
    return PREFIX + name + "'" * order


def is_unknown(function: str) -> bool:
    """Whether an entrywise function is an unknown one, or a derivative of one."""
    return function.startswith(PREFIX)


def primed(function: str) -> str:
    """The derivative of an unknown function."""
    return f"{function}'"


def row_of(function: str) -> Numeric:
    """How an entrywise function is computed, known or not."""
    return Numeric(partial(computed, function)) if is_unknown(function) else numeric_of(function)


def computed(function: str, argument: Array) -> Array:
    """The value of an unknown function, or of a derivative of one."""
    base = function.rstrip("'")
    order = len(function) - len(base)
    result = np.zeros_like(argument) + (0.5 if order == 0 else 0.0)
    for size, rate, phase in zip(*waves(base), strict=True):
        result = result + size * rate**order * np.sin(rate * argument + phase + order * math.pi / 2)
    return np.asarray(result)


@lru_cache(maxsize=256)
def waves(base: str) -> tuple[Array, Array, Array]:
    """The sizes, the rates and the phases of the waves of a function: they depend on nothing but its name."""
    random = np.random.default_rng(int.from_bytes(hashlib.sha256(base.encode()).digest()[:8], "big"))
    sizes = random.uniform(0.5, 1.5, WAVES)
    return 0.45 * sizes / sizes.sum(), random.uniform(0.4, 2.2, WAVES), random.uniform(0.0, 2 * math.pi, WAVES)
