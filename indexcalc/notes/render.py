"""Blocks and spans as LaTeX mathematics, the part that all formats share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from indexcalc.algebra.build import in_front_of_sums
from indexcalc.algebra.terms import Access, Affine, Index, Lookup, Term
from indexcalc.cost import Count
from indexcalc.cost.counts import powers_of
from indexcalc.notes.blocks import (
    Display,
    Equality,
    Gradient,
    Left,
    Loss,
    Match,
    Order,
    Polynomial,
    Renaming,
    Scalar,
    Shape,
    Sign,
    Solved,
    Span,
    Spans,
    Symbol,
    Within,
)
from indexcalc.notes.latex import (
    access_latex,
    body_latex,
    fraction,
    joined,
    scalar_text,
    split_sign,
    subject_latex,
    subscripted,
    summed_latex,
    term_latex,
    terms_latex,
    with_held,
)
from indexcalc.notes.layout import bracketed, chain_latex, reasoned_latex, solid
from indexcalc.notes.matrix import Matrix, Whole
from indexcalc.notes.matrix_latex import matrix_latex, whole_latex
from indexcalc.notes.names import Notation
from indexcalc.notes.sides import Inside, Nested, Quotient, Side, Spelled, Split
from indexcalc.program import Equation


def span_latex(span: Span, notation: Notation) -> str:
    """A piece of running text that is mathematics."""
    assert not isinstance(span, str)
    inline = notation.inline
    match span:
        case tuple():
            return solid(terms_latex(span, inline))
        case Index() | Affine() | Lookup():
            return notation.slot(span)
        case Symbol(tensor):
            return whole_latex(Whole(tensor), inline)
        case Loss():
            return notation.loss
        case Gradient(Access(tensor, slots)):
            below = subscripted(tensor, slots, notation)
            return fraction(rf"\partial {notation.loss}", rf"\partial {below}", inline)
        case Match(left, right) | Renaming(left, right):
            sign = "=" if isinstance(span, Match) else r"\to"
            return f"{notation.slot(left)} {sign} {notation.slot(right)}"
        case Within(entry, domain):
            return f"{access_latex(entry, notation)} {domain_latex(domain, notation)}"
        case Equality(left, right):
            return f"{solid(terms_latex(left, inline))} = {solid(terms_latex(right, inline))}"
        case Order(count):
            return f"O({scalar_text(count, notation)})"
        case Sign(latex):
            return latex
        case Scalar(value) | Polynomial(value):
            return count_latex(value, notation) if isinstance(value, Count) else scalar_text(value, notation)
        case Shape(axes, numbers, bare):
            sizes = sizes_latex(axes, notation)
            return sizes if bare else rf"\mathbb{{{numbers}}}^{{{sizes}}}"
    return solid(subject_latex(span, inline))  # type: ignore[arg-type]


def domain_latex(domain: sp.Interval, notation: Notation) -> str:
    """What stands behind an entry of an input: ``> 0``, or the interval that it lies in."""
    low, high = (scalar_text(end, notation) if end.is_finite else "" for end in (domain.start, domain.end))
    if not high:
        return f"> {low}" if domain.left_open else rf"\ge {low}"
    if not low:
        return f"< {high}" if domain.right_open else rf"\le {high}"
    return rf"\in {'(' if domain.left_open else '['}{low}, {high}{')' if domain.right_open else ']'}"


def count_latex(count: Count, notation: Notation) -> str:
    """A polynomial in the extents, such as ``2 T^{2} d + 3 T^{2}``."""
    parts = []
    for monomial, number in count.terms:
        powers = powers_of(monomial)
        alone = number == 1 and list(powers.values()) == [1]
        factors = [
            extent_latex(extent, notation, alone) + (f"^{{{exponent}}}" if exponent > 1 else "")
            for extent, exponent in powers.items()
        ]
        parts.append(" ".join([*([str(number)] if number > 1 or not factors else []), *factors]))
    return " + ".join(parts) or "0"


def extent_latex(extent: sp.Expr, notation: Notation, alone: bool) -> str:
    """An extent as a factor: what adds up, such as ``N - K + 1``, in brackets unless it stands alone."""
    text = scalar_text(extent, notation)
    return f"({text})" if isinstance(extent, sp.Add) and not alone else text


def sizes_latex(axes: Sequence[Sequence[sp.Expr]], notation: Notation) -> str:
    """The lengths of axes; that of a fused one is a product, with a dot where a number follows."""
    lengths = []
    for axis in axes:
        dot = r" \cdot " if any(extent.is_number for extent in axis[1:]) else r" \, "
        alone = len(axes) == len(axis) == 1
        lengths.append(dot.join(extent_latex(extent, notation, alone) for extent in axis))
    return r" \times ".join(lengths)


def spans_text(spans: Spans, notation: Notation, plain: Callable[[str], str], maths: Callable[[str], str]) -> str:
    """Running text, with a format's way to write plain text and mathematics."""
    return "".join(plain(span) if isinstance(span, str) else maths(span_latex(span, notation)) for span in spans)


def side_latex(side: Side, notation: Notation) -> str:
    """One side of a displayed equation."""
    match side:
        case Inside(wrt, terms, tensor):
            operator = rf"\frac{{\partial}}{{\partial {access_latex(wrt, notation)}}}"
            held = notation.held.get((tensor, wrt.tensor), ())
            return with_held(operator, held, notation) + bracketed(terms_latex(terms, notation))
        case Spelled(terms):
            return terms_latex(terms, notation.spelled)
        case Split(terms):
            return joined(term_latex(term, notation) for term in terms)
        case Quotient(above, below):
            top, bottom = terms_latex(above, notation), terms_latex(below, notation)
            return rf"\frac{{{solid(top)}}}{{{solid(bottom)}}}"
        case Nested(outer, inner):
            return nested_latex(outer, inner, notation)
    return terms_latex(side, notation)


def left_latex(left: Left, notation: Notation) -> str:
    """The left side of a displayed equation."""
    return terms_latex(left, notation) if isinstance(left, tuple) else subject_latex(left, notation)


def display_latex(display: Display, notation: Notation) -> str:
    """A displayed equation, printed once for all formats."""
    known = notation.formulas.get(display)
    if known is None:
        known = notation.formulas[display] = new_display_latex(display, notation)
    return known


def new_display_latex(display: Display, notation: Notation) -> str:
    """A displayed equation; sides that read alike are written once."""
    relation = ":=" if display.defines else "="
    sides = list(dict.fromkeys(side_latex(side, notation) for side in display.sides))
    left = left_latex(display.left, notation.spelled)
    if isinstance(display.left, Access) and display.left.tensor in notation.named:
        name = left_latex(display.left, notation)
        if display.spelled:
            left = rf"{name} := {left}"
        elif display.defines:
            left = name
    reasons = [reason_latex(reason, notation) for reason in display.reasons]
    text = reasoned_latex(left, sides, reasons) if len(reasons) == len(sides) else chain_latex(left, relation, sides)
    return rf"\boxed{{{text}}}" if display.boxed else text


def reason_latex(reason: Spans, notation: Notation) -> str:
    """Words beside a line of a formula."""
    parts = [
        (rf"\text{{{span}}}" if isinstance(span, str) else span_latex(span, notation)) for span in reason if span != ""
    ]
    return "".join(f"{part} " for part in parts).rstrip()


def nested_latex(outer: Term, inner: Term, notation: Notation) -> str:
    """A sum within a sum, each sign in front of the factors that it is about."""
    fixed, varying = in_front_of_sums(outer)
    (_, within), (sign, coeff) = term_latex(inner, notation), split_sign(outer.coeff)
    body = f"{body_latex(varying, notation)} {within}" if varying else within
    return joined([(sign, summed_latex(coeff, fixed, outer.summed, body, notation))])


def matrix_display_latex(item: tuple[Whole, Matrix] | Solved, notation: Notation) -> str:
    """An equation between whole arrays."""
    if isinstance(item, Solved):
        return solved_latex(item, notation)
    whole, matrix = item
    left = whole_latex(whole, notation)
    if whole.tensor in notation.named:
        left += " = " + whole_latex(whole, notation.spelled)
    return chain_latex(left, "=", [matrix_latex(matrix, notation)])


def solved_latex(item: Solved, notation: Notation) -> str:
    """``left = right``."""
    left, right = (
        terms_latex(side, notation) if isinstance(side, tuple) else matrix_latex(side, notation)
        for side in (item.left, item.right)
    )
    return chain_latex(left, "=", [right])


def assignment_latex(item: tuple[Whole, Matrix] | Equation | Solved, notation: Notation) -> str:
    """``left <- right`` on one line of LaTeX source, gradients under their short names; a system as it is."""
    short = notation.short
    if isinstance(item, Solved):
        text = solved_latex(item, short) + rf" \quad \text{{for }} {access_latex(Access(item.unknown), short)}"
        return text.replace(r"\begin{aligned}", r"\begin{aligned}[t]").replace("\n", " ")
    if isinstance(item, Equation):
        left, right = left_latex(item.lhs, short), terms_latex(item.terms, short)
    else:
        left, right = whole_latex(item[0], short), matrix_latex(item[1], short)
    text = chain_latex(left, r"\gets", [right])
    return text.replace(r"\begin{aligned}", r"\begin{aligned}[t]").replace("\n", " ")
