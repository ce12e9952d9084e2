r"""Chain rules between names of which no equation says what they are.

In ``\frac{\partial L}{\partial w} = \frac{\partial L}{\partial a} \frac{\partial a}{\partial w}`` an ``a`` without an
equation is a link: it may be any function of ``w``. So may one whose equation leads to nothing by which it is
differentiated, as where its entries have names. What holds for any functions holds; what does not may hold for the
author's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.differentials import has_further_arguments, slopes_here
from indexcalc.document.meaning.symbols import depends_on
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table


def introduce_links(table: Table) -> None:
    """Take the links of the statement's chain rules for functions, and arrays that are differentiated by them.

    It is tried where the rule does not hold by what is known of them. A rule that holds whatever its names are defined
    as holds without it.
    """
    slopes = table.page.slopes[table.number]
    if not table.defined or {above.name for above, _ in slopes}.isdisjoint(below.name for _, below in slopes):
        return
    found = slopes_here(table)
    links = {one.name for others in found.values() for one in others} & found.keys()
    heads = [name for name in found if name in links or any(one.name in links for one in found[name])]
    names = {one.name: one for pair in slopes for one in map(table.styled, pair)}
    unsaid = [name for name in heads if may_be_function(table, names[name], found[name], is_link=name in links)]
    if not unsaid:
        return
    question = choice(
        Kind.DERIVATIVE,
        f"the chain rule in statement {table.number}",
        Option("as known", 0.0, "of what a chain rule differentiates no more is known than is said"),
        Option("functions", 0.05, f"{' and '.join(unsaid)} may be any functions of what a chain rule says", free=True),
    )
    if table.asking(question).name == "functions":
        for name in heads:
            introduce(table, name, found, names, links=links, inside=())


def may_be_function(table: Table, found: Named, targets: Sequence[Named], *, is_link: bool) -> bool:
    """Whether no equation of a name leads to what it is differentiated by; a number without any is a loss."""
    if any(table.page.rests_on(found.name, one.name) for one in targets):
        return False
    return is_link or found.bold or found.parts is not None or found.name in table.page.defining


def introduce(
    table: Table,
    name: str,
    slopes: Mapping[str, Sequence[Named]],
    names: Mapping[str, Named],
    *,
    links: set[str],
    inside: tuple[str, ...],
) -> None:
    """Take a name for any function of what it is differentiated by, if nothing says what it is; its links first."""
    if name in table.supposed or name in inside:
        return
    for one in (names[name], *slopes[name]):
        if one.name not in table.known:
            table.meet(replace(one, transposed=False, powers=()))
    for one in slopes[name]:
        if one.name in links:
            introduce(table, one.name, slopes, names, links=links, inside=(*inside, name))
    targets = dict.fromkeys(one.name for one in slopes[name])
    if name in table.definitions:
        said = any(depends_on(table.definitions, name, one) for one in targets)
    else:  # a number that is differentiated, and by which nothing is, is a loss
        given = name in table.page.defining or name in table.page.functions
        said = given or (name not in links and not table.known[name])
    if said:
        return
    leads = {one: [other for other in targets if depends_on(table.definitions, other, one)] for one in (name, *targets)}
    if leads[name] or has_further_arguments(table, name, len(targets)):
        return
    arguments = [one for one in targets if leads[one] == [one]]  # what is on the way to another one is none
    table.suppose(name, arguments)
    table.open.setdefault(name, f"how {name} depends on {arguments[0]} is not known")
