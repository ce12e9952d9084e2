r"""Means that no equation gives: ``\bar x`` beside ``x_i`` may be the mean of x, and so ``\bar x_n`` of n values."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import Entry, Number, Raised, Size, Total, times
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table

BAR = "bar "
"""How the name of what a bar stands on begins."""


BARS = choice(
    Kind.WORD,
    "a bar over a name",
    Option("own", 0.0, "a bar makes a name of its own"),
    Option("mean", 0.05, "a bar says the mean", free=True),
)
"""What a bar says over a name with indices that no equation gives."""


def learn_average(table: Table, found: Named) -> None:
    """Give a name with a bar the mean of the entries, or of the rows, of what the bar stands on, if that is meant."""
    name = found.name
    bare, _, count = name.removeprefix(BAR).partition("_")
    usage, own = table.page.survey.usages.get(bare), table.page.survey.usages.get(name)
    if not name.startswith(BAR) or (count and count not in table.page.sizes):
        return
    if usage is None or not any(usage.indexed) or (own is not None and any(own.indexed)):
        return
    if name in table.known or {name, bare} & {*table.page.defining, *table.inside}:
        return
    if table.asking(BARS).name != "mean":
        return
    _, slots = table.symbol(replace(found, name=bare))
    if slots:
        over, *rest = (table.sizes.like(slot) for slot in slots)
        body = times(Raised(Size(over), Number(-sp.S.One)), Total((over,), Entry(bare, (over, *rest))))
        table.known[name] = tuple(rest)
        table.definitions[name] = Definition(tuple(rest), body)
