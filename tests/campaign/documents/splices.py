"""Formulas of documents, spliced and with parts left out: no reader makes sense of them, and none may stop at them.

What is said of them does not matter. There is no traceback, and an end within a bounded time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache

from indexcalc.document import check
from indexcalc.errors import IndexCalcError
from tests.campaign.case import REFUSED, Case
from tests.campaign.documents.blocks import formulas_of
from tests.campaign.documents.corpus import at_hand, documents
from tests.campaign.judge import Slow, limited

PATIENCE = 40.0
"""How many seconds of processor time the check of some formulas may take."""

LONGEST = 400
"""How many characters a formula has at most."""

TOGETHER = 4
"""How many formulas a case has at most: what one says of a name matters to the others."""

CHANGES = 3
"""How often each is changed at most."""

PIECE = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z0-9]|\s+|.", re.DOTALL)
"""What is cut out and put in: commands, letters, digits and signs."""


def cases(seed: int, count: int, among: Sequence[str] = ()) -> Iterator[Case]:
    """So many cases, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        rng = random.Random(f"splices {own}")
        texts = [spliced(rng, among) for _ in range(rng.randint(1, TOGETHER))]
        yield Case(own, "\n\n".join(f"$${text}$$" for text in texts), frozenset({f"{len(texts)} formulas"}))


def verdict(case: Case) -> str:
    """How the check of these formulas ended, if not with a report."""
    try:
        with limited(PATIENCE):
            check(case.text)
    except IndexCalcError as error:
        return f"{REFUSED}{error}"
    except Slow:
        return f"slow: more than {PATIENCE:.0f} s"
    except Exception as error:
        return f"traceback: {type(error).__name__}: {error}"
    return ""


def spliced(rng: random.Random, among: Sequence[str]) -> str:
    """A formula with parts left out, doubled, and put in from others."""
    pieces = PIECE.findall(drawn(rng, among))
    for _ in range(rng.randint(0, CHANGES)):
        place = rng.randrange(len(pieces) + 1)
        match rng.choice(("one out", "one twice", "some in", "some out")):
            case "one out":
                del pieces[place : place + 1]
            case "one twice":
                pieces[place:place] = rng.sample(pieces, min(1, len(pieces)))
            case "some in":
                others = PIECE.findall(drawn(rng, among))
                start = rng.randrange(len(others))
                pieces[place:place] = others[start : start + rng.randint(1, 8)]
            case "some out":
                del pieces[place : place + rng.randint(1, 6)]
    return "".join(pieces).strip()


def drawn(rng: random.Random, among: Sequence[str]) -> str:
    """A formula: first a collection is drawn, then one of it."""
    return rng.choice(formulas(rng.choice(at_hand(among))))


@cache
def formulas(collection: str) -> tuple[str, ...]:
    """The formulas of a collection, without the longest ones."""
    found = (
        one.text[region.inner : region.inner_end].strip()
        for one in documents(collection)
        for region in formulas_of(one.text, one.name)
    )
    return tuple(text for text in found if 2 < len(text) < LONGEST)
