"""Single edits of a formula: the mistakes that authors make, taken back.

Every edit is a function from a place in a formula to what may have been meant there, with words that
name the mistake. None of them knows what is true: that is for the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.repair.arrays import reordered, transposed, turned
from indexcalc.proof.document.repair.factors import added, bracketed, multiplied, replaced, scaled, unadded, unfactored
from indexcalc.proof.document.repair.indices import reindexed, relimited, summed, swapped, unsummed
from indexcalc.proof.document.repair.places import Place, places
from indexcalc.proof.document.repair.powers import refunctioned, renumbered, repowered, signed
from indexcalc.proof.document.repair.vocabulary import Vocabulary

KIND_LIMIT = 250
"""The most repairs of one kind that are tried for one formula."""


@dataclass(frozen=True)
class Repair:
    """A formula that may have been meant, and what was wrong with the one that stands there."""

    tree: Sum
    words: str


Edit = Callable[[Place, Vocabulary], Iterator[tuple[Sum, str]]]


def repairs(tree: Sum, words: Vocabulary) -> Iterator[Repair]:
    """All formulas that are one edit away, the likeliest kinds first."""
    every = list(places(tree))
    for edit in EDITS:
        yield from islice((Repair(*found) for place in every for found in edit(place, words)), KIND_LIMIT)


EDITS: tuple[Edit, ...] = (
    signed,
    transposed,
    swapped,
    reindexed,
    summed,
    unsummed,
    relimited,
    reordered,
    repowered,
    renumbered,
    unfactored,
    replaced,
    refunctioned,
    scaled,
    unadded,
    turned,
    added,
    bracketed,
    multiplied,
)
"""The kinds of mistakes, in the order in which they are looked for."""
