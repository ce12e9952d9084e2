r"""Whether vectors are written as rows, ``x W``, with no transpose on them, or as columns, ``W x``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import products_of
from indexcalc.language.latex.tree import Sum


def orientations(survey: Survey, trees: Iterable[Sum], rank: Callable[[str], int | None]) -> Iterator[bool]:
    """For each product of a matrix and a vector, whether the vector is a row: it stands before, and the product begins.

    A vector is declared with one axis, a matrix with two; what is not declared is in bold, a vector in a small letter.
    As a column it stands behind the matrix, at the end of the product.

    Args:
        survey: of the page.
        trees: its formulas.
        rank: how many axes a name is declared with; None if it is not.
    """

    def axes(found: Named | None) -> int:
        if found is None or found.parts or not found.is_plain:
            return 0
        usual = (1 if found.name[-1].islower() else 2) if found.bold else 0
        return rank(found.name) or usual

    for product in (product for tree in trees for product in products_of(tree)):
        if len(product.items) < 2:
            continue
        first, second = (axes(survey.name(item)) for item in product.items[:2])
        if (first, second) == (1, 2):
            yield True
        before, last = (axes(survey.name(item)) for item in product.items[-2:])
        if (before, last) == (2, 1):
            yield False
