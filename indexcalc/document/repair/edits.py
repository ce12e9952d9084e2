"""Single edits of a formula: the mistakes that authors make, taken back.

Every edit is a function from a place in a formula to what may have been meant there, with words that
name the mistake. None of them knows what is true: that is for the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from indexcalc.document.repair.arrays import reordered, transposed, turned
from indexcalc.document.repair.factors import added, bracketed, multiplied, replaced, scaled, unadded, unfactored
from indexcalc.document.repair.indices import crossed, reindexed, relimited, summed, swapped, unsummed
from indexcalc.document.repair.places import Place, places
from indexcalc.document.repair.powers import refunctioned, renumbered, repowered, signed
from indexcalc.document.repair.vocabulary import Vocabulary
from indexcalc.language.latex.tree import Sum

LIMIT = 250
"""The most repairs of one kind that are tried for one formula."""


@dataclass(frozen=True)
class Repair:
    """A formula that may have been meant, and what was wrong with the one that stands there."""

    tree: Sum
    words: str


Found = tuple[Sum, str]
Edit = Callable[[Place, Vocabulary], Iterator[Found]]


def repairs(tree: Sum, words: Vocabulary) -> Iterator[Repair]:
    """All formulas that are one edit away, the likeliest kinds first."""
    every = list(places(tree))
    for edit, order in EDITS:
        here = every[::-1] if order is INNER else every
        found = [edit(place, words) for place in here]
        yield from islice((Repair(*pair) for pair in (taking_turns(found) if order is TURNS else chain(*found))), LIMIT)


def taking_turns(rows: Iterable[Iterator[Found]]) -> Iterator[Found]:
    """The first of each row, then the second of each, and so on."""
    missing = object()
    for column in zip_longest(*rows, fillvalue=missing):
        yield from (pair for pair in column if pair is not missing)  # type: ignore[misc]


OUTER, INNER, TURNS = "outermost places first", "innermost places first", "places take turns"

EDITS: tuple[tuple[Edit, str], ...] = (
    (signed, OUTER),
    (transposed, OUTER),
    (swapped, OUTER),
    (reindexed, OUTER),
    (summed, INNER),
    (unsummed, OUTER),
    (relimited, OUTER),
    (reordered, OUTER),
    (repowered, OUTER),
    (unfactored, OUTER),
    (renumbered, OUTER),
    (replaced, OUTER),
    (refunctioned, OUTER),
    (scaled, OUTER),
    (unadded, OUTER),
    (turned, OUTER),
    (crossed, OUTER),
    (added, TURNS),
    (bracketed, TURNS),
    (multiplied, TURNS),
)
"""The kinds of mistakes in the order in which they are looked for, and the order of their places."""
