r"""Matrix expressions in LaTeX: ``A^{\top} G``, ``A \odot (D - r \mathbf{1}^{\top})``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.notes.latex import (
    applied_latex,
    exponent_text,
    fraction,
    joined,
    moving,
    scalar_text,
    scaled,
    split_sign,
    sum_sign,
)
from indexcalc.notes.layout import parenthesised
from indexcalc.notes.matrix import (
    Diagonal,
    DiagonalOf,
    EntryFunction,
    EntryPower,
    Hadamard,
    Identity,
    Matrix,
    NumberPower,
    Ones,
    Product,
    Scaled,
    Slices,
    Sum,
    Times,
    Transpose,
    Whole,
)
from indexcalc.notes.names import Notation, grouped

ATOM, POWER, PRODUCT, HADAMARD, SUM = range(5)
"""How tightly an expression holds together, tightest first."""

LEVELS: dict[type, int] = {
    Transpose: POWER,
    EntryPower: POWER,
    Product: PRODUCT,
    Scaled: PRODUCT,
    Times: PRODUCT,
    Hadamard: HADAMARD,
    Slices: HADAMARD,
    Sum: SUM,
}


def whole_latex(whole: Whole, notation: Notation) -> str:
    """A whole tensor or a slice; a gradient without a name as a derivative of the loss."""
    if whole.tensor in notation.tangents:
        inner = whole_latex(replace(whole, tensor=notation.tangents[whole.tensor]), notation)
        return moving(inner)
    owner = notation.gradients.get(whole.tensor)
    if owner is None:
        return sliced(whole.tensor, whole, notation)
    below = sliced(owner, whole, notation)
    return fraction(rf"\partial {notation.loss}", rf"\partial {below}", notation)


def sliced(tensor: str, whole: Whole, notation: Notation) -> str:
    """A tensor's symbol with its fixed indices; a dot stands for a slot that runs before a fixed one."""
    symbol = notation.tensor(tensor)
    marks = [r"\cdot" if slot is None else notation.index(slot) for slot in whole.fixed]
    layout = notation.layouts.get(tensor, ())
    if not marks or max(layout, default=1) == 1:
        return f"{symbol}_{{{' '.join(marks)}}}" if marks else symbol
    marks.extend([r"\cdot"] * (sum(layout) - len(marks)))
    groups = grouped(marks, layout)
    below = " ".join(group[0] if len(group) == 1 else f"({' '.join(group)})" for group in groups)
    return f"{symbol}_{{{below}}}"


def power_latex(power: EntryPower | NumberPower, notation: Notation) -> str:
    """A power of every entry, or of a number; a tensor stands below a line where the exponent is negative."""
    if isinstance(power, EntryPower):
        return rf"{powered(power.of, notation)}^{{\circ {exponent_text(power.exponent, notation)}}}"
    # What is longer may have to be broken, which what is below a line can't be.
    below = isinstance(power.of, Whole) and power.exponent.is_negative
    exponent = -power.exponent if below else power.exponent
    if exponent == 1:
        text = matrix_latex(power.of, notation)
    else:
        text = rf"{powered(power.of, notation)}^{{{exponent_text(exponent, notation)}}}"
    return fraction("1", text, notation) if below else text


def within(matrix: Matrix, level: int, notation: Notation) -> str:
    """The expression, in parentheses if it holds together less tightly than `level`."""
    text = matrix_latex(matrix, notation)
    return parenthesised(text) if LEVELS.get(type(matrix), ATOM) > level else text


def powered(matrix: Matrix, notation: Notation) -> str:
    """The expression as the base of a superscript."""
    text = within(matrix, ATOM, notation)
    clash = "^" in text or (isinstance(matrix, Whole) and matrix.tensor in notation.gradients)
    return parenthesised(text) if clash and not text.endswith(")") else text


def matrix_latex(matrix: Matrix, notation: Notation) -> str:
    """A matrix expression."""
    match matrix:
        case Whole():
            return whole_latex(matrix, notation)
        case Ones():
            return r"\mathbf{1}"
        case Identity():
            return r"\mathbf{I}"
        case Transpose(of):
            return rf"{powered(of, notation)}^{{\top}}"
        case EntryPower() | NumberPower():
            return power_latex(matrix, notation)
        case EntryFunction(name, args):
            # A matrix in the exponent of e would be read as its matrix exponential.
            texts = [
                scalar_text(arg, notation) if isinstance(arg, sp.Expr) else matrix_latex(arg, notation) for arg in args
            ]
            return applied_latex(name, texts, raised=False)
        case Diagonal(of) | DiagonalOf(of):
            return r"\operatorname{diag}" + parenthesised(matrix_latex(of, notation))
        case Product(factors):
            return r" \, ".join(within(factor, POWER, notation) for factor in factors)
        case Hadamard(factors):
            return r" \odot ".join(within(factor, PRODUCT, notation) for factor in factors)
        case Times(scalar, of):
            text = matrix_latex(scalar, notation)
            front = text if isinstance(scalar, Whole | NumberPower) else parenthesised(text)
            return rf"{front} \, {within(of, PRODUCT, notation)}"
        case Slices(indices, of):
            return sum_sign(indices, notation) + within(of, HADAMARD, notation)
        case Scaled() | Sum():
            return joined(signed(part, notation) for part in summands(matrix))


def summands(matrix: Scaled | Sum) -> Sequence[Matrix]:
    """The parts of a sum; a scaled array is a sum of one."""
    return matrix.parts if isinstance(matrix, Sum) else (matrix,)


def signed(matrix: Matrix, notation: Notation) -> tuple[str, str]:
    """An expression with its sign taken out."""
    if not isinstance(matrix, Scaled):
        return "+", within(matrix, HADAMARD, notation)
    sign, coeff = split_sign(matrix.coeff)
    level = HADAMARD if coeff == 1 or isinstance(matrix.of, Slices) else PRODUCT
    return sign, scaled(coeff, within(matrix.of, level, notation), notation)
