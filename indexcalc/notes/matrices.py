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
    Solved,
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
from indexcalc.notes.systems import has_equations_between
from indexcalc.program import Equation, Program
from indexcalc.rewrite.systems import sides_of

Form = tuple[Whole, Matrix]


def matrix_blocks(derivation: Derivation) -> Iterator[Block]:
    """The backward pass between whole arrays, where there is such a form; a long note has its list of assignments."""
    if shown_before(derivation).brief:
        return
    lines = matrix_lines(derivation.backward)
    found = [line for line in lines if is_whole(line)]
    missing: list[Span] = [line.lhs for line in lines if isinstance(line, Equation)]
    if not found:
        return
    yield Heading(2, ("Matrix form",))
    yield Paragraph(matrix_conventions(found, derivation.backward.layouts))
    yield MatrixDisplays(tuple(line for line in found if not isinstance(line, Equation)))
    if missing:
        yield Paragraph(say("matrix.none", entries=listed(missing)))


def implementation_blocks(derivation: Derivation) -> Iterator[Block]:
    """The backward pass as a numbered list of assignments, between whole arrays where that can be said."""
    lines = matrix_lines(derivation.backward)
    if not lines:
        return
    yield Heading(2, ("Implementation summary",))
    yield Paragraph(say("implementation.steps" if derivation.backward.is_recurrent else "implementation"))
    if derivation.backward.unknowns:
        between = has_equations_between(derivation.backward)
        yield Paragraph(say("implementation.systems.between" if between else "implementation.systems"))
    found = [line for line in lines if is_whole(line)]
    if found and shown_before(derivation).brief:
        key = "matrix.every" if len(found) == len(lines) else "matrix.some"
        yield Paragraph((*say(key), *matrix_conventions(found, derivation.backward.layouts)))
    yield Assignments(tuple(lines))


def matrix_lines(backward: Program) -> list[Form | Equation | Solved]:
    """Every equation of the backward pass, between whole arrays where there is such a form; residuals as systems."""
    solved = {residual: name for name, residual in backward.residuals.items()}
    return [
        solved_form(equation, solved[equation.name])
        if equation.name in solved
        else matrix_form(equation.lhs, equation.terms, MOST_SLICED) or equation
        for equation in backward.equations
    ]


def solved_form(residual: Equation, name: str) -> Solved:
    """The system that determines a tensor."""
    left, right = sides_of(residual.terms)
    forms = [matrix_form(residual.lhs, side) for side in (left, right)]
    if forms[0] is not None and forms[1] is not None and forms[0][0] == forms[1][0]:
        return Solved(name, forms[0][1], forms[1][1])
    return Solved(name, left, right)


def is_whole(line: Form | Equation | Solved) -> bool:
    """Whether a line is an equation between whole arrays."""
    return line.is_whole if isinstance(line, Solved) else not isinstance(line, Equation)


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


def matrix_conventions(lines: Sequence[Form | Equation | Solved], layouts: Mapping[str, tuple[int, ...]]) -> Spans:
    """What the signs mean that occur in some matrix expressions."""
    forms = [line for line in lines if isinstance(line, tuple)]
    sides = [side for line in lines if isinstance(line, Solved) for side in (line.left, line.right)]
    parts: list[Matrix] = [part for left, right in forms for part in (left, *parts_of(right))]
    parts += [part for side in sides if not isinstance(side, tuple) for part in parts_of(side)]
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
