"""Brackets as an author writes them: ``[0 <= i + k < N]`` for the two that say where an expression lies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.algebra.slots import is_fixed
from indexcalc.algebra.terms import Iverson, Power


def chained(powers: Sequence[Power]) -> Iterator[tuple[Power, Iverson | None]]:
    """The factors in order, a lower bound together with the upper bound of the same expression that stands after it."""
    taken: set[int] = set()
    for place, (base, exponent) in enumerate(powers):
        if place in taken:
            continue
        upper = None
        if isinstance(base, Iverson) and is_fixed(base.left) and not is_fixed(base.right):
            upper = next((n for n in range(place + 1, len(powers)) if bounds_above(powers[n][0], base)), None)
        if upper is None:
            yield (base, exponent), None
            continue
        taken.add(upper)
        bracket = powers[upper][0]
        assert isinstance(bracket, Iverson)
        yield (base, exponent), bracket


def bounds_above(base: object, lower: Iverson) -> bool:
    """Whether a factor is a bracket with a bound above what another one bounds below."""
    return (
        isinstance(base, Iverson)
        and "!=" not in (base.relation, lower.relation)
        and base.left == lower.right
        and is_fixed(base.right)
    )
