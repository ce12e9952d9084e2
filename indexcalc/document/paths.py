"""Paths of a derivative that a document may have left out.

What depends on a tensor directly, and again through a name without an equation, has a derivative of two parts. A
member that is the derivative with that name held, and more, is no mistake as long as nothing says what the name is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from indexcalc.document.meaning.nodes import Derivative, Meaning, Plus, Times, Total, times, walk
from indexcalc.document.meaning.symbols import all_read, depends_on
from indexcalc.document.outcomes import Comparison, trial_of
from indexcalc.document.table import Table

TERMS = 6
"""The most terms of a member among which the derivative with a name held is looked for."""


def further_path(found: Comparison) -> tuple[str, str] | None:
    """A name without an equation, and the target on which it depends if a false relation holds.

    It does if some terms of one member, but not all, are the other member with the name held.
    """
    table = found.table
    for derived, claimed in ((found.left, found.right), (found.right, found.left)):
        held = next(held_names(table, derived), None)
        terms = terms_of(claimed) if held is not None else ()
        for some in parts(terms):
            if trial_of(table, derived, Plus(some), found.over, found.conditions, screen=True).equal:
                return held
    return None


def parts(terms: Sequence[Meaning]) -> Iterator[tuple[Meaning, ...]]:
    """Some of the terms, but not all; none if there are too many."""
    for count in range(1, len(terms)) if len(terms) <= TERMS else ():
        yield from combinations(terms, count)


def terms_of(node: Meaning) -> tuple[Meaning, ...]:
    """The terms of an expression with its brackets resolved, no more than are looked at."""
    match node:
        case Plus(terms):
            found = tuple(one for term in terms for one in terms_of(term))
        case Times(factors):
            every = [terms_of(factor) for factor in factors]
            found = tuple(times(*some) for some in product(*every))[: TERMS + 1]
        case Total(indices, body):
            found = tuple(Total(indices, one) for one in terms_of(body))
        case _:
            found = (node,)
    return found[: TERMS + 1]


def held_names(table: Table, node: Meaning) -> Iterator[tuple[str, str]]:
    """The names without an equation that derivatives in an expression take as constant, each with the target.

    A name is an input of its own where it is declared, or where the document differentiates by it.
    """
    for inner in walk(node):
        if not isinstance(inner, Derivative):
            continue
        target = inner.wrt.name
        read = all_read(table.definitions, inner.body)
        if not read & table.definitions.keys():  # a function without an equation, of all that is made from the target
            made = (name for name in table.definitions if depends_on(table.definitions, name, target))
            read = read.union(*(all_read(table.definitions, table.definitions[name].body) for name in made))
        for name in sorted(read - table.definitions.keys() - table.losses - table.wanted.keys() - {target}):
            usage = table.page.survey.usages.get(name)
            if usage is not None and not usage.below and name not in table.page.declared:
                yield name, target
