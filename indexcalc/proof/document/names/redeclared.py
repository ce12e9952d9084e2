r"""Sections that declare a name with another shape than before: what they say is read on its own.

``W \in \mathbb{R}^{d \times k}`` in one section and ``W \in \mathbb{R}^{m \times n}`` in another are two tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from indexcalc.proof.document.names.declarations import extents_of, names_in
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.survey import Survey

Shape = tuple[str, ...]
"""The extents of a declaration, as they are written."""


@dataclass
class Shapes:
    """What each statement declares.

    Attributes:
        statements: all statements of the document.
        survey: how names are used.
        declared: the shapes by statement and name; one of many, ``x_i``, counts as another name than ``x``.
    """

    statements: Sequence[Statement]
    survey: Survey
    declared: dict[int, dict[str, Shape]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, statement in enumerate(self.statements):
            if len(statement.sides) != 2 or statement.sides[1].relation != "in":
                continue
            extents = extents_of(statement.sides[1].tokens)
            names = names_in(statement.sides[0].tokens, self.survey) if extents else ()
            marked = (found.name if found.parts is None else f"{found.name}_" for found in names)
            self.declared[number] = dict.fromkeys(marked, tuple(extents or ()))

    def changed(self, before: Iterable[int], numbers: Iterable[int]) -> frozenset[str]:
        """The names to which the second statements give another shape than the first ones."""
        known: dict[str, Shape] = {}
        for number in sorted(before):
            known.update(self.declared.get(number, {}))
        own = (pair for number in numbers for pair in self.declared.get(number, {}).items())
        return frozenset(name for name, shape in own if known.get(name, shape) != shape)

    def without(self, numbers: Iterable[int], names: frozenset[str]) -> tuple[int, ...]:
        """The statements that declare none of these names."""
        return tuple(number for number in numbers if not names & self.declared.get(number, {}).keys())
