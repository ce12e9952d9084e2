r"""Shapes that a document says of expressions, as ``Q K^T \in \mathbb{R}^{n \times m}``: whether these have them."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.document.choices import Asking, Interpretation, Kind, alternatives
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import ROW, Typed
from indexcalc.document.page import Page
from indexcalc.document.reader import read
from indexcalc.document.report import Verdict
from indexcalc.document.search import UNLIKELY
from indexcalc.document.statements.shapes import sizes_of
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum


@dataclass(frozen=True)
class ShapeFinding:
    """What was found of a shape that is said of an expression, why, and the sizes that this has instead."""

    verdict: Verdict
    reason: str = ""
    sizes: tuple[str, ...] = ()


def shape_said(page: Page, number: int, member: int) -> ShapeFinding:
    """What is found of the shape that a member of a statement says of the one before it.

    Said of a name, it declares. It is wrong only if it is wrong however a likely choice is made.
    """
    statement = page.statements[number]
    tree, sizes = statement.sides[member - 1].tree, sizes_of(statement.sides[member].tokens)
    if tree is None or tree.lone is not None or not sizes:
        return ShapeFinding(Verdict.DECLARATION)
    asking = page.asking(Interpretation())
    found = compared(page, number, tree, sizes, asking)
    if found.verdict is Verdict.REFUTED:
        for question, option, cost in alternatives(asking):
            if cost >= UNLIKELY or question.kind is Kind.SECTION:  # without declarations any shape fits
                continue
            other = page.asking(Interpretation().but(question, option))
            if compared(page, number, tree, sizes, other).verdict is Verdict.CONFIRMED:
                return ShapeFinding(Verdict.UNCLEAR, f"it would hold if {option.phrase}")
    return found


def without_ones(value: Typed, sizes: tuple[str, ...]) -> tuple[str, ...]:
    """The sizes of a column ``n x 1``, a row ``1 x n`` or a number ``1 x 1``, without the ones."""
    if len(sizes) != 2 or len(value.axes) >= 2:
        return sizes
    if not value.axes:
        return () if sizes == ("1", "1") else sizes
    one = 0 if value.orientation == ROW else 1
    return (sizes[1 - one],) if sizes[one] == "1" else sizes


def compared(page: Page, number: int, tree: Sum, sizes: tuple[str, ...], asking: Asking) -> ShapeFinding:
    """What is found of a shape that is said of an expression, in one reading."""
    table = Table(page, asking, number, read)
    own: list[str] = []
    try:
        value = table.meaning(tree)
        sizes = without_ones(value, sizes)
        if len(value.axes) != len(sizes):
            return ShapeFinding(Verdict.UNCLEAR, f"an array with {len(value.axes)} axes")
        own = [table.sizes.name_of(axis) for axis in value.axes]
        for axis, size in zip(value.axes, sizes, strict=True):
            if size not in page.sizes_of_names and not size.isdigit():
                return ShapeFinding(Verdict.UNCLEAR, f"the size {size} is not known")
            table.sizes.unify(axis, table.sizes.named(size, declared=True))
    except ShapeError as error:
        if table.open or not own or "?" in own:
            return ShapeFinding(Verdict.UNCLEAR, str(error))
        return ShapeFinding(Verdict.REFUTED, f"the shape is {' x '.join(own)}, not {' x '.join(sizes)}", tuple(own))
    except (NotUnderstoodError, IndexCalcError, RecursionError) as error:
        return ShapeFinding(Verdict.UNCLEAR, str(error))
    return ShapeFinding(Verdict.CONFIRMED)
