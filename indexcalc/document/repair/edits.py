"""Single edits of a formula: the mistakes that authors make, taken back.

Every edit is a function from a place in a formula to what may have been meant there, with words that
name the mistake. None of them knows what is true: that is for the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, zip_longest

from indexcalc.document.repair.arrays import reordered, transposed, turned
from indexcalc.document.repair.factors import added, bracketed, multiplied, replaced, scaled, unadded, unfactored
from indexcalc.document.repair.indices import crossed, reindexed, relimited, summed, swapped, unsummed
from indexcalc.document.repair.places import Place, Repair, places
from indexcalc.document.repair.powers import refunctioned, renumbered, repowered, signed
from indexcalc.document.repair.vocabulary import Vocabulary
from indexcalc.language.latex.tree import Sum

LIMIT = 250
"""The most repairs of one kind that are tried for one formula."""


Edit = Callable[[Place, Vocabulary], Iterator[Repair]]


def repairs(tree: Sum, words: Vocabulary) -> Iterator[Repair]:
    """All formulas that are one edit away, the likeliest kinds first."""
    every = list(places(tree))
    for edit, order in EDITS:
        here = every[::-1] if order is INNER else every
        found = [edit(place, words) for place in here]
        yield from islice(taking_turns(found) if order is TURNS else chain(*found), LIMIT)


def taking_turns(rows: Iterable[Iterator[Repair]]) -> Iterator[Repair]:
    """The first of each row, then the second of each, and so on."""
    for column in zip_longest(*rows):
        yield from (repair for repair in column if repair is not None)


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
