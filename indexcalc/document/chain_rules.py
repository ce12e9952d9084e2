r"""Chain rules between names of which no equation says what they are.

In ``\frac{\partial L}{\partial w} = \frac{\partial L}{\partial a} \frac{\partial a}{\partial w}`` an ``a`` without an
equation is a link: it may be any function of ``w``. So may one whose equation leads to nothing by which it is
differentiated, as where its entries have names. What holds for any functions holds; what does not may hold for the
author's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
    rule = ChainRule(table, slopes_here(table), {one.name: one for pair in slopes for one in map(table.styled, pair)})
    unsaid = [name for name in rule.above if rule.may_be_function(name)]
    if not unsaid:
        return
    question = choice(
        Kind.DERIVATIVE,
        f"the chain rule in statement {table.number}",
        Option("as known", 0.0, "of what a chain rule differentiates no more is known than is said"),
        Option("functions", 0.05, f"{' and '.join(unsaid)} may be any functions of what a chain rule says", free=True),
    )
    if table.asking(question).name == "functions":
        for name in rule.above:
            rule.take_for_function(name)


@dataclass(frozen=True)
class ChainRule:
    """What a statement differentiates.

    Attributes:
        table: the names.
        slopes: the names that are differentiated, each with those by which they are.
        names: all of these as they are written.
    """

    table: Table
    slopes: Mapping[str, Sequence[Named]]
    names: Mapping[str, Named]

    @cached_property
    def links(self) -> frozenset[str]:
        """The names that are differentiated, and by which others are."""
        return frozenset(one.name for others in self.slopes.values() for one in others).intersection(self.slopes)

    @cached_property
    def above(self) -> tuple[str, ...]:
        """The links, and what is differentiated by them."""
        return tuple(
            name
            for name, others in self.slopes.items()
            if name in self.links or any(one.name in self.links for one in others)
        )

    def may_be_function(self, name: str) -> bool:
        """Whether no equation of a name leads to what it is differentiated by; a number without any is a loss."""
        page, found = self.table.page, self.names[name]
        if any(page.definitions.rests_on(name, one.name) for one in self.slopes[name]):
            return False
        return name in self.links or found.bold or found.parts is not None or name in page.defining

    def take_for_function(self, name: str, inside: tuple[str, ...] = ()) -> None:
        """Take a name for any function of what it is differentiated by, if nothing says what it is; its links first."""
        table, targets = self.table, dict.fromkeys(one.name for one in self.slopes[name])
        if name in table.supposed or name in inside:
            return
        for one in (name, *targets):
            if one not in table.known:
                table.meet(replace(self.names[one], transposed=False, powers=()))
        for one in targets:
            if one in self.links:
                self.take_for_function(one, (*inside, name))
        if self.is_said(name, targets) or has_further_arguments(table, name, len(targets)):
            return
        leads = {one: [other for other in targets if depends_on(table.definitions, other, one)] for one in targets}
        if any(depends_on(table.definitions, one, name) for one in targets):
            return
        arguments = [one for one in targets if leads[one] == [one]]  # what is on the way to another one is none
        table.suppose(name, arguments)
        table.open.setdefault(name, f"how {name} depends on {arguments[0]} is not known")

    def is_said(self, name: str, targets: Collection[str]) -> bool:
        """Whether an equation leads from a name to what it is differentiated by, or it is a loss."""
        table, page = self.table, self.table.page
        if name in table.definitions:
            return any(depends_on(table.definitions, name, one) for one in targets)
        given = name in page.defining or name in page.functions
        return given or (name not in self.links and not table.known[name])
