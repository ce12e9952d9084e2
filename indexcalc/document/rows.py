r"""Rows that no equation gives: a capital, ``X``, may hold the ``x_i`` as rows, or the ``x_{ij}`` as its entries."""

from __future__ import annotations

from dataclasses import replace

from indexcalc.document.choices import Choice, Kind, Option, choice
from indexcalc.document.meaning.nodes import Entry
from indexcalc.document.meaning.symbols import Definition, depends_on
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table


def rows_choice(capital: str, small: str, *, entries: bool) -> Choice:
    """Whether a capital holds what a small letter numbers, or the entries that it bears."""
    apart = Option("apart", 0.0, f"{capital} has nothing to do with {small}", free=True, general=True)
    if entries:
        own = Option("rows", 0.05, f"the entries of {capital} are those of {small}", free=True)
        return choice(Kind.TIE, f"{capital} and {small}", apart, own)
    rows = Option("rows", 0.05, f"the rows of {capital} are those that {small} numbers", free=True)
    columns = Option("columns", 0.1, f"the columns of {capital} are those that {small} numbers", free=True)
    return choice(Kind.TIE, f"{capital} and {small}", apart, rows, columns)


def learn_rows(table: Table, found: Named) -> None:
    """Tie an array in a capital to what its small letter numbers, where a relation rests on both, if that is meant."""
    page, name = table.page, found.name
    other = page.capitals.get(name)
    if other is None or name in table.known or name in table.inside or {name, other} <= page.defining.keys():
        return
    graph = page.definitions
    if other not in graph.reached[table.number] or graph.rests_on(name, other) or graph.rests_on(other, name):
        return
    capital, small = (name, other) if name[-1].isupper() else (other, name)
    entries = 2 in page.survey.usages[small].indexed
    taken = table.asking(rows_choice(capital, small, entries=entries)).name
    if taken == "apart":
        return
    source = source_of(table, capital, small)
    derived = small if source == capital else capital
    _, slots = table.symbol(replace(found, name=source, parts=None))
    shape = table.view.shape(derived)
    fits = len(slots) == 2 or (len(slots) == 1 and not entries)
    if not fits or derived in table.known or (shape is not None and len(shape) != len(slots)):
        return
    if depends_on(table.definitions, source, derived):
        return
    own = tuple(table.sizes.like(slot) for slot in slots)
    table.known[derived] = own if taken == "rows" else own[::-1]
    table.measure(derived, table.known[derived])
    table.definitions[derived] = Definition(table.known[derived], Entry(source, own))


def source_of(table: Table, capital: str, small: str) -> str:
    """Which of the two gives the other: the one with an equation, by which is differentiated, or with a shape."""
    targets = {below.name for _, below in table.page.slopes[table.number]}
    for likely in (table.page.defining, targets):
        if (capital in likely) != (small in likely):
            return capital if capital in likely else small
    return small if table.view.shape(capital) is None else capital
