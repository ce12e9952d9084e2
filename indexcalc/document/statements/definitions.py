"""The definitions of a page as a graph: which names each of them reads, and where they lead back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import differentiated


@dataclass(frozen=True)
class Definitions:
    """The definitions of a page.

    Attributes:
        survey: how its names are used.
        statements: in order.
        defining: the numbers of the statements that define each name.
    """

    survey: Survey
    statements: Sequence[Statement]
    defining: Mapping[str, tuple[int, ...]]

    @cached_property
    def reads(self) -> Mapping[str, frozenset[str]]:
        """The names in the equations that define each name."""
        return {
            name: frozenset(
                found.name
                for number in numbers
                for tree in self.statements[number].trees[1:]
                for found in self.survey.names(tree)
            )
            for name, numbers in self.defining.items()
        }

    @cached_property
    def read_as_values(self) -> Counter[str]:
        """How often definitions read each name, and don't differentiate it."""
        read = Counter[str]()
        for tree in (t for numbers in self.defining.values() for n in numbers for t in self.statements[n].trees[1:]):
            read.update(found.name for found in self.survey.names(tree))
            read.subtract(found.name for node in differentiated(tree) if (found := self.survey.name(node)) is not None)
        return read

    def rests_on(self, name: str, other: str) -> bool:
        """Whether the equations of a name lead to another one."""
        return other in self.behind(self.reads.get(name, ()))

    @cached_property
    def reached(self) -> tuple[frozenset[str], ...]:
        """The names on which each statement rests: those in it, and those that their equations lead to."""
        return tuple(
            self.behind({found.name for tree in statement.trees for found in self.survey.names(tree)})
            for statement in self.statements
        )

    def behind(self, names: Iterable[str]) -> frozenset[str]:
        """Names, and those that their equations lead to."""
        seen = set(names)
        pending = list(seen)
        while pending:
            further = self.reads.get(pending.pop(), frozenset()) - seen
            seen |= further
            pending.extend(further)
        return frozenset(seen)

    @cached_property
    def circles(self) -> frozenset[int]:
        """The statements that define a name by others whose equations lead back to it."""
        return frozenset(
            number
            for name, numbers in self.defining.items()
            for number in numbers
            for tree in self.statements[number].trees[1:]
            if any(self.rests_on(found.name, name) for found in self.survey.names(tree))
        )
