"""The backward pass between whole arrays: as equations, and as a numbered list of assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import (
    Assignments,
    Block,
    Heading,
    MatrixDisplays,
    Paragraph,
    Sign,
    Span,
    Spans,
)
from indexcalc.notes.familiar import shown_before
from indexcalc.notes.matrix import (
    Diagonal,
    DiagonalOf,
    EntryFunction,
    EntryPower,
    Hadamard,
    Identity,
    Matrix,
    Ones,
    Slices,
    Whole,
    parts_of,
)
from indexcalc.notes.matrix_form import MOST_SLICED, matrix_form
from indexcalc.notes.prose import listed, say
from indexcalc.program import Equation, Program

Form = tuple[Whole, Matrix]


def matrix_blocks(derivation: Derivation) -> Iterator[Block]:
    """The backward pass between whole arrays, where there is such a form; a long note has its list of assignments."""
    if shown_before(derivation).brief:
        return
    lines = matrix_lines(derivation.backward)
    found = [line for line in lines if not isinstance(line, Equation)]
    missing: list[Span] = [line.lhs for line in lines if isinstance(line, Equation)]
    if not found:
        return
    yield Heading(2, ("Matrix form",))
    yield Paragraph(matrix_conventions(found, derivation.backward.layouts))
    yield MatrixDisplays(tuple(found))
    if missing:
        yield Paragraph(say("matrix.none", entries=listed(missing)))


def implementation_blocks(derivation: Derivation) -> Iterator[Block]:
    """The backward pass as a numbered list of assignments, between whole arrays where that can be said."""
    lines = matrix_lines(derivation.backward)
    if not lines:
        return
    yield Heading(2, ("Implementation summary",))
    yield Paragraph(say("implementation.steps" if derivation.backward.is_recurrent else "implementation"))
    found = [line for line in lines if not isinstance(line, Equation)]
    if found and shown_before(derivation).brief:
        key = "matrix.every" if len(found) == len(lines) else "matrix.some"
        yield Paragraph((*say(key), *matrix_conventions(found, derivation.backward.layouts)))
    yield Assignments(tuple(lines))


def matrix_lines(backward: Program) -> list[Form | Equation]:
    """Every equation of the backward pass, between whole arrays where there is such a form."""
    return [matrix_form(equation.lhs, equation.terms, MOST_SLICED) or equation for equation in backward.equations]


MATRIX_NOTES: tuple[tuple[type, Spans], ...] = (
    (Hadamard, (Sign(r"\odot"), " multiplies entry by entry")),
    (EntryPower, (Sign(r"X^{\circ p}"), " is the power of every entry")),
    (EntryFunction, ("functions act on every entry",)),
    (Ones, (Sign(r"\mathbf{1}"), " is a column of ones")),
    (Diagonal, (Sign(r"\operatorname{diag}(v)"), " is the diagonal matrix of a vector")),
    (DiagonalOf, (Sign(r"\operatorname{diag}(M)"), " is the diagonal of a matrix, as a column")),
    (Identity, (Sign(r"\mathbf{I}"), " is the identity matrix")),
)
"""The notation that each kind of matrix expression needs to have explained."""


def matrix_conventions(forms: Sequence[Form], layouts: Mapping[str, tuple[int, ...]]) -> Spans:
    """What the signs mean that occur in some matrix expressions."""
    parts = [part for left, right in forms for part in (left, *parts_of(right))]
    kinds = {type(part) for part in parts}
    spans: list[Span] = ["A tensor with one index is a column vector"]
    for kind, note in MATRIX_NOTES:
        if kind in kinds:
            spans.extend(["; ", *note])
    if any(left.fixed for left, _ in forms):
        spans.append("; an index below a symbol is fixed, and the equation holds for each of its values")
    if Slices in kinds:
        spans.append("; a sum adds up products of slices, whose index it fixes")
    if any(isinstance(part, Whole) and has_dots(part, layouts) for part in parts):
        spans.extend(["; a dot ", Sign(r"\cdot"), " stands for an index that runs"])
    return (*spans, ".")


def has_dots(whole: Whole, layouts: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a slice is written with dots: before a fixed index, and for all that run where axes are fused."""
    layout = layouts.get(whole.tensor, ())
    fused = max(layout, default=1) > 1 and len(whole.fixed) < sum(layout)
    return bool(whole.fixed) and (None in whole.fixed or fused)
