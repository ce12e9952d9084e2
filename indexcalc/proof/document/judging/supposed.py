"""What may be supposed of an input to save a claim: that its entries sum to one, or that it is one-hot.

What the words of the document say comes first; one-hot is supposed only where they say it, for it hides errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.verdicts import UNSTATED
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.names.assumptions import weights_of_logarithms
from indexcalc.proof.document.names.words import ONE_HOT, SUMMED, names_beside
from indexcalc.proof.document.written.roles import Roles


@dataclass(frozen=True, slots=True)
class Supposed:
    """Something that may be supposed of an input.

    Attributes:
        name: the input.
        places: the slots along which its entries sum to one.
        one_hot: whether one of these entries is one and the others are zero.
        stated: whether the words of the document say so.
    """

    name: str
    places: tuple[int, ...]
    one_hot: bool = False
    stated: bool = False

    @property
    def text(self) -> str:
        """The assumption in words."""
        return f"{self.name} is one-hot" if self.one_hot else f"the entries of {self.name} sum to 1"

    @property
    def noted(self) -> str:
        """The assumption in words, marked if the document does not state it."""
        return self.text if self.stated else self.text + UNSTATED

    def of(self, symbols: Symbols) -> Symbols:
        """The symbols where it holds."""
        one_hot = symbols.one_hot | ({self.name} if self.one_hot else set())
        return replace(symbols, simplex={**symbols.simplex, self.name: self.places}, one_hot=one_hot)


def suppositions(roles: Roles, members: Members) -> Iterator[Supposed]:
    """What may be supposed to save a statement, in order."""
    symbols = roles.symbols
    said, one_hot = names_beside(roles, SUMMED), names_beside(roles, ONE_HOT)
    labels = dict.fromkeys(weights_of_logarithms(symbols))
    last = ((name, (len(symbols.slots[name]) - 1,)) for name in said if symbols.slots.get(name))
    words = SUMMED.search(roles.document.source) is not None
    for name, places in dict.fromkeys((*members.sums_written(), *labels, *last)):
        if name not in symbols.definitions and name not in symbols.simplex:
            yield Supposed(name, places, stated=name in said or (words and (name, places) in labels))
    for name in one_hot:
        if name not in symbols.definitions and symbols.slots.get(name):
            yield Supposed(name, (len(symbols.slots[name]) - 1,), one_hot=True, stated=True)
