r"""Capitals beside their small letters: ``X``, which stands as a whole, and ``x_i`` or ``x_{ij}``, which do not."""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.document.statements.labels import ABOVE_NAMES
from indexcalc.document.statements.survey import Usage


def capitals_in(usages: Mapping[str, Usage]) -> Mapping[str, str]:
    """The name of each array in a capital that may hold what a small letter numbers, and of that its capital."""
    pairs = [
        (name, small)
        for name, usage in usages.items()
        if usage.bare and not usage.scalar and is_capital(name)
        for small in (name[:-1] + name[-1].lower() + mark for mark in ("", *ABOVE_NAMES))
        if small in usages and is_numbered(usages[small])
    ]
    return {**dict(pairs), **{small: name for name, small in pairs}}


def is_capital(name: str) -> bool:
    """Whether a name is a capital, with a sign over it or without."""
    letter = name.rpartition(" ")[2]
    return len(letter) == 1 and letter.isascii() and letter.isupper()


def is_numbered(usage: Usage) -> bool:
    """Whether a name has one or two indices wherever it stands in a formula."""
    return bool(usage.indexed) and usage.indexed.keys() <= {1, 2} and usage.bare <= usage.mentioned
