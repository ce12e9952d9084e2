r"""Parts of a symmetric matrix that is written out: ``A_{21}`` is the transpose of ``A_{12}``."""

from __future__ import annotations

from dataclasses import replace

from indexcalc.document.meaning.nodes import Entry
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table
from indexcalc.document.view import SYMMETRIC


def learn_mirror(table: Table, found: Named) -> None:
    """Give a part the transpose of its mirror image, where the whole is taken to be symmetric."""
    page, name = table.page, found.name
    whole, other = page.mirrored.get(name, ("", ""))
    if not whole or name in table.known or {name, other} & {*page.defining, *table.inside}:
        return
    if table.view.property_of(whole) != SYMMETRIC:
        return
    _, slots = table.symbol(replace(found, name=other, parts=None))
    if len(slots) != 2:
        return
    if other == name:
        table.sizes.unify(*slots)
        table.symmetric.add(name)
        return
    own = tuple(table.sizes.like(slot) for slot in slots)
    table.known[name] = own[::-1]
    table.definitions[name] = Definition(own[::-1], Entry(other, own))
