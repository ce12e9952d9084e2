r"""Vectors that a page writes as rows: ``x W``, a vector before a matrix with no transpose on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import products_of
from indexcalc.language.latex.tree import Sum


def writes_rows(survey: Survey, trees: Iterable[Sum], rank: Callable[[str], int | None]) -> bool:
    """Whether a vector without a transpose begins a product with a matrix.

    A vector is declared with one axis, a matrix with two; what is not declared is in bold, a vector in a small letter.

    Args:
        survey: of the page.
        trees: its formulas.
        rank: how many axes a name is declared with; None if it is not.
    """
    for product in (product for tree in trees for product in products_of(tree)):
        if len(product.items) < 2:
            continue
        left, right = (survey.name(item) for item in product.items[:2])
        if left is None or right is None or left.parts or right.parts or not left.is_plain:
            continue
        small = left.bold and left.name[-1].islower()
        capital = right.bold and right.name[-1].isupper()
        if (rank(left.name) or (1 if small else 0)) == 1 and (rank(right.name) or (2 if capital else 0)) == 2:
            return True
    return False
