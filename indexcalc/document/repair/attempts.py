"""Trying out what may stand in place of a wrong member, under the interpretation in which it is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from indexcalc.document.choices import Interpretation
from indexcalc.document.meaning.sizes import Ix, ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.names import Names
from indexcalc.document.outcomes import Comparison, Relation, Truth, brought_together, comparison, table_of, tested
from indexcalc.document.page import Page
from indexcalc.document.reader import Reader
from indexcalc.document.scope import Scope
from indexcalc.document.statements.brackets import with_brackets, with_entries
from indexcalc.document.statements.differentials import joined
from indexcalc.document.statements.layers import with_layers
from indexcalc.document.statements.outline import Statement
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize
from indexcalc.language.latex.tree import Sum

TRIALS = 8
"""How many formulas in place of one member are tried as they are printed."""

UNREADABLE = (NotUnderstoodError, ShapeError, IndexCalcError, RecursionError)
"""What is raised for a formula that has no meaning under the interpretation."""


@dataclass
class Attempts:
    """What may stand in place of the second member of a relation.

    Attributes:
        page: the page.
        relation: the relation that is wrong.
        interpretation: under which it is.
        tried: how many formulas have been tried.
        printed: how many of them as they are printed.
    """

    page: Page
    relation: Relation
    interpretation: Interpretation
    tried: int = 0
    printed: int = 0

    @property
    def statement(self) -> Statement:
        """The statement of the relation."""
        return self.page.statements[self.relation.number]

    @cached_property
    def written(self) -> Comparison | None:
        """The relation as it stands there; None if it has no meaning."""
        with suppress(*UNREADABLE):
            return comparison(table_of(self.page, self.relation, self.interpretation), self.relation)
        return None

    def agrees(self, tree: Sum) -> bool:
        """Whether a formula is equal to the first member at all points, and makes no sizes equal that are apart."""
        self.tried += 1
        with suppress(*UNREADABLE):
            table = table_of(self.page, self.relation, self.interpretation)
            scope = Scope(table)
            reader = Reader(Names(scope))
            head = reader.sum(self.relation.left)
            for found in self.page.survey.names(tree):
                with suppress(*UNREADABLE):
                    table.symbol(found)
            before = classes(table)
            found_together = brought_together(scope, head, reader.sum(tree), self.relation)
            joined_sizes = any_joined(before, classes(table))
            if found_together.extra is None and not joined_sizes and self.keeps_arguments(table):
                return tested(found_together, screen=True)[0] is Truth.TRUE
        return False

    def holds(self, latex: str) -> bool:
        """Whether a formula is equal to the first member as it is printed."""
        self.printed += 1
        if self.printed > TRIALS:
            return False
        with suppress(*UNREADABLE):
            printed = tokenize(latex, self.page.document.macros)
            (tokens,) = with_brackets([list(with_entries(printed, self.page.tables))])
            tokens = joined(tokens) if self.runs_together else tokens
            tree = parse(with_layers(tokens, self.statement.families))
            table = table_of(self.page, self.relation, self.interpretation)
            found = comparison(table, replace(self.relation, right=tree))
            return self.keeps_arguments(table) and tested(found, screen=False)[0] is Truth.TRUE
        return False

    def keeps_arguments(self, table: Table) -> bool:
        """Whether a loss is still a function of all by which the wrong member differentiates it.

        Without one of them fewer paths lead to it, and what is wrong would hold of another function.
        """
        return self.written is None or self.written.table.wanted.keys() <= table.wanted.keys()

    @property
    def runs_together(self) -> bool:
        """Whether the document writes the names of gradients letter by letter, as in ``dX``."""
        source = self.page.document.source
        tokens = (token for statement in self.page.statements for side in statement.sides for token in side.tokens)
        return any(
            self.page.gradient_target(token.text) is not None and source.startswith(token.text, token.start)
            for token in tokens
        )


def classes(table: Table) -> Mapping[tuple[str, int], Ix]:
    """The size of each slot of the names that a table knows."""
    return {(name, n): table.sizes.find(slot) for name, slots in table.known.items() for n, slot in enumerate(slots)}


def any_joined(before: Mapping[tuple[str, int], Ix], after: Mapping[tuple[str, int], Ix]) -> bool:
    """Whether two slots have become equal in size."""
    return len({after[key] for key in before}) < len(set(before.values()))
