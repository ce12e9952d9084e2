"""A document understood: its statements with their roles, and all of its symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.language.document import Document
from indexcalc.proof.document.layers.beyond import settle_beyond
from indexcalc.proof.document.layers.instances import instances
from indexcalc.proof.document.layers.sharing import shared_by_layers
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.names.assumptions import adopt_assumptions, find_assumptions
from indexcalc.proof.document.names.bare import define_bare
from indexcalc.proof.document.names.classes import find_classes
from indexcalc.proof.document.names.conventions import sigma_of_scalars, uses_einstein
from indexcalc.proof.document.names.declarations import (
    declare,
    extent_labels,
    find_redeclared,
    tie_letters,
    tie_ranges,
    tie_sizes,
)
from indexcalc.proof.document.names.definitions import define, find_differentials, find_functions
from indexcalc.proof.document.names.functions import find_entrywise, find_unknown
from indexcalc.proof.document.names.inner import inner_definitions
from indexcalc.proof.document.names.logarithms import find_logarithms
from indexcalc.proof.document.names.looks import LOSSES
from indexcalc.proof.document.names.loss import adopt_loss, find_outputs, may_be_loss
from indexcalc.proof.document.names.means import tie_means
from indexcalc.proof.document.names.orientation import orient
from indexcalc.proof.document.names.particular import find_cases
from indexcalc.proof.document.names.slots import make_slots, name_loss
from indexcalc.proof.document.names.special import find_bars, find_exchanges, find_special
from indexcalc.proof.document.names.stationary import find_stationary
from indexcalc.proof.document.names.varying import find_variations
from indexcalc.proof.document.names.words import find_chosen
from indexcalc.proof.document.written.context import Context
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.survey import survey_of

SETS = re.compile(r"\\sum(?:\\limits)?\s*_\s*\{\s*(\w+)\s*\\in\s*((?:[^{}]|\{[^{}]*\})+)\}")
"""A sum over a set: its letter, and the set."""

RANGES = re.compile(r"\\sum(?:\\limits)?\s*_\s*\{?\s*(\w+)(?!\s*\\in)\b")
"""A sum over anything else: its letter."""

COLUMNS = re.compile(r"\bcolumn vector", re.IGNORECASE)
"""Words that say what a vector is."""


@dataclass
class Understanding:
    """What statements of one document mean, read on their own.

    Attributes:
        document: the document.
        statements: its statements.
        given: those of the context, which come before all others.
        context: the rest of the context.
    """

    document: Document
    statements: Sequence[Statement]
    given: Sequence[Statement]
    context: Context
    whole: Roles | None = None

    def of(self, numbers: tuple[int, ...]) -> Roles:
        """The roles and symbols of these statements; those of all are found once."""
        every = len(numbers) == len(self.statements)
        if every and self.whole is not None:
            return self.whole
        chosen = [*self.given, *(self.statements[number] for number in numbers)]
        roles = roles_of(self.document, chosen, self.context)
        if every:
            self.whole = roles
        return roles


def roles_of(document: Document, statements: list[Statement], context: Context | None = None) -> Roles:
    """Find declarations, conditions and definitions, and from them the symbols."""
    statements = [*statements, *instances(statements)]
    statements = [*statements, *inner_definitions(statements)]
    roles = Roles(document, statements, survey_of((s.trees for s in statements), extent_labels(statements)), Symbols())
    context = context or Context()
    roles.symbols.aliases.update(context.aliases)
    roles.symbols.words.update(context.functions)
    roles.symbols.layout = context.layout
    roles.symbols.one_set = has_one_set(document.source)
    roles.symbols.columns = COLUMNS.search(document.source) is not None
    for size in context.sizes:
        roles.symbols.sizes.named(size.name)
    declare(roles)
    find_chosen(roles)
    tie_ranges(roles)
    find_unknown(roles)
    find_classes(roles)
    make_slots(roles, context)
    tie_sizes(roles, context)
    tie_means(roles)
    name_loss(roles.symbols)
    losses = may_be_loss(roles, LOSSES)
    orient(roles)
    find_functions(roles)
    find_entrywise(roles)
    roles.symbols.scalar_sigma = sigma_of_scalars(roles)
    roles.symbols.einstein = uses_einstein(roles) if context.einstein is None else context.einstein
    adopt_assumptions(roles, context)
    find_cases(roles)
    find_stationary(roles)
    find_bars(roles)
    find_exchanges(roles)
    define(roles)
    define_bare(roles)
    find_logarithms(roles)
    adopt_loss(roles, losses)
    settle_beyond(roles.symbols)
    roles.symbols.shared = shared_by_layers(roles.symbols)
    find_special(roles)
    find_redeclared(roles)
    find_differentials(roles)
    find_variations(roles)
    find_assumptions(roles)
    find_outputs(roles)
    tie_letters(roles)
    return roles


def has_one_set(source: str) -> bool:
    """Whether all sums over a set are over the same one, and no other sum has their letters: it is all there is."""
    found = SETS.findall(source)
    sets, letters = {"".join(over.split()) for _, over in found}, {letter for letter, _ in found}
    return len(sets) == 1 and letters.isdisjoint(RANGES.findall(source))
