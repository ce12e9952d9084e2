"""The letters of one formula: each is an index variable, of the relation or of a sum around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.statements.index_expressions import Expression
from indexcalc.document.statements.scripts import COLON
from indexcalc.document.table import Table
from indexcalc.language.latex.tree import Sum


@dataclass(frozen=True)
class Scope:
    """The index variables of letters.

    Attributes:
        table: the names of the relation.
        letters: the free index letters of the relation, as far as they were met.
        dummies: the letters that sums bind here, the innermost last.
        firsts: what each of them counts from, zero or one, where that is written.
    """

    table: Table
    letters: dict[str, Ix] = field(default_factory=dict)
    dummies: tuple[Mapping[str, Ix], ...] = ()
    firsts: Mapping[str, int] = field(default_factory=dict)

    def within(self, dummies: Mapping[str, Ix], firsts: Mapping[str, int]) -> Scope:
        """The scope behind the sign of a sum."""
        around = {name: first for name, first in self.firsts.items() if name not in dummies}
        return replace(self, dummies=(*self.dummies, dummies), firsts={**around, **firsts})

    def binds(self, name: str) -> bool:
        """Whether a sum binds a letter here."""
        return any(name in dummies for dummies in self.dummies)

    def letter(self, name: str) -> Ix:
        """The index variable of a letter: the innermost dummy, else a free letter of the relation."""
        for dummies in reversed(self.dummies):
            if name in dummies:
                return dummies[name]
        if name in self.table.page.given_letters:
            return self.table.sizes.fresh(name, fixed=1)  # which entry it is makes no difference
        if name not in self.letters:
            self.letters[name] = self.table.index(name)
        return self.letters[name]

    def place(self, part: str) -> Ix | None:
        """The index variable of one part of a subscript; None for a whole axis."""
        if part == COLON:
            return None
        if isinstance(part, Expression):
            raise NotUnderstoodError(f"the index {part}")
        if part.isdigit():
            number = int(part) + self.table.page.counts_from_zero
            if not 0 < number <= 9:
                raise NotUnderstoodError(f"an entry numbered {part}")
            return self.table.sizes.fresh(part, fixed=number)
        return self.letter(part)

    def places(self, parts: Sequence[str]) -> tuple[Ix | None, ...]:
        """The index variables of the parts of a subscript."""
        return tuple(self.place(part) for part in parts)

    def lone(self, side: Sum) -> Ix | None:
        """The index that a side of a relation is; None if it is none."""
        found = self.table.page.survey.lone(side)
        if found is None or found.parts is not None or len(found.name) != 1 or not found.is_plain:
            return None
        known = found.name in self.letters or self.binds(found.name) or found.name in self.table.page.index_letters
        return self.letter(found.name) if known else None
