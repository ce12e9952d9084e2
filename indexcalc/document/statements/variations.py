"""What varies in a statement, as it is written: the names directly under a d, and the signs that stand alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeGuard

from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import name_nodes, products_of
from indexcalc.language.latex.tree import Atom, Fraction, Node, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL


@dataclass(frozen=True)
class Variations:
    """The differentials in a statement.

    Attributes:
        survey: how names are used.
        target: the tensor by which a short name, ``dX``, is a gradient; None for other names.
        trees: the members of the statement.
    """

    survey: Survey
    target: Callable[[str], str | None]
    trees: Sequence[Sum]

    @cached_property
    def members(self) -> tuple[tuple[Named, ...], ...]:
        """The names directly under a d in each member: short names, ``dX``, and names behind the sign."""
        return tuple((*self.short_in(tree), *behind_signs(self.survey, tree)) for tree in self.trees)

    @cached_property
    def short(self) -> tuple[Named, ...]:
        """The tensors whose short names stand in the statement."""
        return tuple(found for tree in self.trees for found in self.short_in(tree))

    @cached_property
    def signs(self) -> tuple[tuple[Sequence[Node], int], ...]:
        """The places of letters d before other factors, each with the factors, but for quotients of differentials."""
        return tuple(
            (items, place)
            for tree in self.trees
            for items in factors_in(tree)
            for place, item in enumerate(items[:-1])
            if is_letter_d(item)
        )

    def short_in(self, tree: Sum) -> Iterator[Named]:
        """The tensors whose short names stand in a member."""
        for node in name_nodes(tree):
            found = self.survey.name(node)
            target = self.target(found.name) if found is not None and found.name.startswith("d") else None
            if found is not None and target is not None:
                yield replace(found, name=target)


def is_letter_d(node: Node) -> TypeGuard[Atom]:
    """Whether a factor is a d without scripts."""
    return isinstance(node, Atom) and node.kind == "NAME" and node.text == "d"


def behind_signs(survey: Survey, tree: Sum) -> Iterator[Named]:
    """The names behind a d that stands alone, but for those in quotients of differentials."""
    for items in factors_in(tree):
        for sign, following in pairwise(items):
            if is_letter_d(sign):
                found = survey.name(following)
                if found is not None and found.name not in (*FUNCTIONS, *STRUCTURAL, "det"):
                    yield found


def factors_in(tree: Sum) -> Iterator[Sequence[Node]]:
    """The factors of each product, but for those in fractions, which may be quotients of differentials."""
    parts = [node for node in nodes_of(tree) if isinstance(node, Fraction)]
    rates = {id(term) for node in parts for side in (node.numerator, node.denominator) for _, term in side.terms}
    yield from (product.items for product in products_of(tree) if id(product) not in rates)
