"""What is in scope while the members of one chain are read, and the interface of the reader."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.language.latex.tree import Node, Sum
from indexcalc.proof.document.meaning.sizes import Ix, Sizes
from indexcalc.proof.document.meaning.symbols import FIRST, NotUnderstoodError, Pair, Symbols, Variation
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.written.scripts import COLON
from indexcalc.proof.document.written.survey import Survey

NUMBER_LIMIT = 9
"""The highest number of an entry that is read: sizes are at least that large."""


def unknown_apart(name: str, other: str) -> bool:
    """Nothing is known of two inputs."""
    return False


@dataclass
class Scope(ABC):
    """The document's symbols, and the letters of one chain; they live as long as the reader.

    Attributes:
        symbols: the document's symbols.
        survey: how names are used.
        sizes: the sizes, a copy where a claim is read.
        letters: the free index letters of the chain.
        local: whether derivatives of tensors by tensors are local.
        settled: the pairs of which the document says whether they are local; the others are as `local` says.
        pairs: the pairs that were met whose derivative is total or local.
        apart: whether an input is known not to depend on another.
        mixed: whether the chain has derivatives with a straight and with a curly d, total and maybe local.
        dummies: letters that a sum binds here.
        arguments: what the parameters of functions stand for here.
        inside: the functions whose own formulas are being put in for their names.
        put_in: all functions that were put in for their names, each time they were.
        codelike: whether the chain sums along axes as code does, so that products may be entry by entry.
        scalars_only: whether a bare name is a scalar although it has slots elsewhere.
        notes: what had to be assumed.
        guesses: readings that may prove a claim, but never refute one.
        ranges: how the sums up to a size run: their first value, and whether they end one before it.
        indices: the letters that index something in the chain.
        depth: how many products this one stands in.
        variation: the differentials that the chain speaks of, if it does.
        head: the letters of the first member, once it is read.
    """

    symbols: Symbols
    survey: Survey
    sizes: Sizes
    letters: dict[str, Ix] = field(default_factory=dict)
    local: bool = False
    settled: Mapping[Pair, bool] = field(default_factory=dict)
    pairs: dict[Pair, None] = field(default_factory=dict)
    apart: Callable[[str, str], bool] = unknown_apart
    mixed: bool = False
    inside: tuple[str, ...] = ()
    put_in: list[str] = field(default_factory=list)
    codelike: bool = False
    dummies: tuple[dict[str, Ix], ...] = ()
    arguments: dict[str, Typed] = field(default_factory=dict)
    scalars_only: bool = False
    notes: list[str] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    ranges: dict[str, tuple[str, bool]] = field(default_factory=dict)
    indices: frozenset[str] = frozenset()
    depth: int = 0
    variation: Variation | None = None
    head: dict[str, Ix] | None = None

    @abstractmethod
    def sum(self, tree: Sum) -> Typed:
        """The meaning of a sum of products."""

    @abstractmethod
    def product(self, items: Sequence[Node]) -> Typed:
        """The meaning of a product."""

    @abstractmethod
    def unit(self, items: Sequence[Node], position: int) -> tuple[Typed, int]:
        """The next factor, with what it takes to its right; and where the next one starts."""

    def place(self, part: str) -> Ix | None:
        """The index variable of one part of a subscript; None for a whole axis."""
        if part == COLON:
            return None
        if part.isdigit():
            if not 0 < int(part) <= NUMBER_LIMIT:
                raise NotUnderstoodError(f"an entry numbered {part}")
            return self.sizes.fresh(part, fixed=int(part))
        return self.letter(part)

    def letter(self, name: str) -> Ix:
        """The index variable of a letter: the innermost dummy, else a free letter of the chain."""
        for scope in reversed(self.dummies):
            if name in scope:
                return scope[name]
        if name not in self.letters:
            self.letters[name] = self.sizes.fresh(name, fixed=FIRST if name in self.symbols.classes else 0)
        return self.letters[name]
