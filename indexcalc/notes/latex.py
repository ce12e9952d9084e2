r"""One printer from the algebra to LaTeX: authored order, fractions for negative exponents.

Where a long formula may be broken stands a `SOFT` mark (between terms) or a `WEAK` one (inside a
parenthesis, or between factors); `layout` turns marks into line breaks or removes them. Parentheses
are sized with ``\bigl`` and not with ``\left``, so that a line may end inside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.brackets import chained
from indexcalc.algebra.build import in_front_of_sums, is_negative
from indexcalc.algebra.scalars import as_fraction
from indexcalc.algebra.slots import Slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    walk,
)
from indexcalc.calculus.pointwise import row_of
from indexcalc.calculus.steps import Subject, ThroughConsumer
from indexcalc.notes.held import held_in
from indexcalc.notes.layout import BETWEEN_FACTORS, SOFT, TALL, WEAK, bracketed, fits, parenthesised, solid
from indexcalc.notes.names import Notation
from indexcalc.notes.scalars import ScalarLatex, WithoutE, scalar_in_latex
from indexcalc.program import Identity

RELATIONS = {"<": "<", "<=": r"\le", "!=": r"\neq"}
WIDE_FRACTION = 42.0
"""The widest numerator or denominator; a wider fraction is printed with negative exponents, which can be broken."""

WIDE_PARTIAL = 22.0
"""The widest numerator of a derivative; behind a wider one's operator the expression stands in brackets."""


@lru_cache(maxsize=4096)
def spelled_scalar(value: sp.Expr, spelling: tuple[tuple[str, str], ...], e_is_taken: bool) -> str:
    """A scalar expression with every symbol under its spelling."""
    symbols = {symbol: dict(spelling).get(str(symbol), str(symbol)) for symbol in value.free_symbols}
    return scalar_in_latex(value, symbols, WithoutE if e_is_taken else ScalarLatex)


def scalar_text(value: sp.Expr, notation: Notation) -> str:
    """A scalar expression in LaTeX."""
    if value.is_Integer:
        return str(value)
    return spelled_scalar(value, tuple(sorted(notation.scalars.items())), notation.e_is_taken)


def exponent_text(exponent: sp.Expr, notation: Notation) -> str:
    """An exponent: a fraction with a slash, so that it stays small."""
    if exponent.is_Rational:
        return str(exponent)
    return scalar_text(exponent, notation)


def fraction(above: str, below: str, notation: Notation) -> str:
    """A fraction, or a quotient with a slash in running text."""
    return f"{above}/{below}" if notation.slashed else rf"\frac{{{above}}}{{{below}}}"


def subscripted(tensor: str, slots: Sequence[Slot], notation: Notation) -> str:
    """The symbol of a tensor with its indices."""
    symbol = notation.tensor(tensor)
    return f"{symbol}_{{{notation.subscript(slots, tensor)}}}" if slots else symbol


def access_latex(base: Access, notation: Notation) -> str:
    """A tensor's entry; a gradient without a name of its own as a derivative of the loss."""
    if base.tensor in notation.tangents:
        inner = access_latex(Access(notation.tangents[base.tensor], base.slots), notation)
        return moving(inner)
    owner = notation.gradients.get(base.tensor)
    if owner is None:
        return subscripted(base.tensor, base.slots, notation)
    below = subscripted(owner, base.slots, notation)
    return fraction(rf"\partial {notation.loss}", rf"\partial {below}", notation)


SYMBOL = re.compile(r"\\?\w+(_\{[^{}]*(\{[^{}]*\}[^{}]*)*\})?")
"""A letter with what stands below it: what an exponent may follow at once."""


def moving(text: str) -> str:
    """The derivative along a direction."""
    size = r"\Bigl", r"\Bigr"
    left, right = size if any(tall in text for tall in TALL) else ("", "")
    return rf"\mathcal{{R}}{left}\{{{text}{right}\}}"


def function_latex(base: Fn, notation: Notation) -> str:
    """A pointwise function as its row says; prefix functions take parentheses always."""
    texts = [terms_latex(arg, notation) for arg in base.args]
    return applied_latex(base.name, texts, raised=not notation.e_is_taken)


def applied_latex(name: str, args: Sequence[str], *, raised: bool) -> str:
    """A function of the table in front of its arguments, or around them; only a `raised` one is an exponent of e."""
    latex = row_of(name).latex if name != "exp" or raised else r"\exp {x}"
    if latex.endswith(" {x}"):
        return latex.removesuffix(" {x}").format() + parenthesised(args[0])
    first, *rest = args
    if latex.startswith("{x}^") and not SYMBOL.fullmatch(first):
        first = parenthesised(first)
    return latex.format(**{letter: solid(text) for letter, text in zip("xyz", (first, *rest), strict=False)})


def partial_latex(base: Partial, notation: Notation) -> str:
    """An unevaluated derivative as a fraction; behind a bar the tensors that are held."""
    below = rf"\partial {access_latex(base.wrt, notation)}"
    held = held_in(base, notation.held)
    owner = notation.gradients.get(base.base.tensor) if isinstance(base.base, Access) else None
    if owner is not None and isinstance(base.base, Access):
        if (base.base.tensor, base.wrt.tensor) not in notation.second:
            return (
                with_held(fraction(r"\partial", below, notation), held, notation)
                + " "
                + base_latex(base.base, notation)
            )
        first = rf"\partial {subscripted(owner, base.base.slots, notation)}"
        return fraction(rf"\partial^{{2}} {notation.loss}", rf"{first} \, {below}", notation)
    text = base_latex(base.base, notation)
    if not isinstance(base.base, Access) and not fits(text, WIDE_PARTIAL):
        return with_held(fraction(r"\partial", below, notation), held, notation) + bracketed(text)
    return with_held(fraction(rf"\partial {solid(text)}", below, notation), held, notation)


def with_held(derivative: str, held: Sequence[str], notation: Notation) -> str:
    """A derivative, or its operator, with a bar and the tensors that are held; as it is if none are."""
    if not held:
        return derivative
    foot = ", ".join(tensor_latex(name, replace(notation, slashed=True)) for name in held)
    return rf"\left.{derivative}\right|_{{{foot} \text{{ held}}}}"


def tensor_latex(name: str, notation: Notation) -> str:
    """A whole tensor; a gradient without a name of its own as a derivative of the loss."""
    owner = notation.gradients.get(name)
    if owner is None:
        return notation.tensor(name)
    return fraction(rf"\partial {notation.loss}", rf"\partial {notation.tensor(owner)}", notation)


def base_latex(base: Base, notation: Notation) -> str:
    """One factor."""
    if not isinstance(base, Fn | Add):
        return written_latex(base, notation)
    if base not in notation.texts:
        notation.texts[base] = written_latex(base, notation)
    return notation.texts[base]


def written_latex(base: Base, notation: Notation) -> str:
    """One factor, written out."""
    match base:
        case Access():
            return access_latex(base, notation)
        case Delta(left, right):
            return rf"{notation.delta}_{{{notation.subscript((left, right))}}}"
        case Iverson(left, relation, right):
            return f"[{notation.slot(left)} {RELATIONS[relation]} {notation.slot(right)}]"
        case Fn():
            return function_latex(base, notation)
        case Add(terms):
            return parenthesised(terms_latex(terms, notation))
        case MatrixFunction(tensor, slots):
            name = r"\det" if base.word == "det" else rf"\operatorname{{{base.word}}}"
            found = name + parenthesised(access_latex(Access(tensor, base.of_slots), notation))
            return found if slots == base.of_slots else f"{found}_{{{notation.subscript(slots[-2:])}}}"
        case Partial():
            return partial_latex(base, notation)


def is_closed(base: Base, text: str) -> bool:
    """Whether a factor ends in a delimiter of its own, so that an exponent needs no more of them."""
    return isinstance(base, Add | MatrixFunction) or (isinstance(base, Fn) and text.endswith((")", "|")))


def power_latex(base: Base, exponent: sp.Expr, notation: Notation, *, alone: bool) -> str:
    """A factor to a positive power; an `alone` sum needs no parentheses."""
    if exponent == sp.S.Half or (alone and exponent == 1 and isinstance(base, Add)):
        inner = solid(terms_latex(base.terms, notation) if isinstance(base, Add) else base_latex(base, notation))
        return inner if exponent == 1 else rf"\sqrt{{{inner}}}"
    text = base_latex(base, notation)
    if exponent == 1:
        return text
    bare = is_closed(base, text) or (
        isinstance(base, Access) and base.tensor not in notation.gradients and "^" not in notation.tensor(base.tensor)
    )
    return f"{text if bare else parenthesised(text)}^{{{exponent_text(exponent, notation)}}}"


def factors_latex(powers: Sequence[Power], notation: Notation, *, alone: bool) -> str:
    """A product with thin spaces."""
    lonely = alone and len(powers) == 1
    texts = (
        power_latex(base, exp, notation, alone=lonely) if upper is None else chain_latex(base, upper, notation)
        for (base, exp), upper in chained(powers)
    )
    return f"{BETWEEN_FACTORS}{WEAK}".join(texts)


def chain_latex(lower: Base, upper: Iverson, notation: Notation) -> str:
    """Two bounds of one expression in one bracket."""
    assert isinstance(lower, Iverson)
    ends = (notation.slot(lower.left), notation.slot(lower.right), notation.slot(upper.right))
    return f"[{ends[0]} {RELATIONS[lower.relation]} {ends[1]} {RELATIONS[upper.relation]} {ends[2]}]"


def is_tall(base: Base, notation: Notation) -> bool:
    """Whether a factor is printed as a fraction of derivatives, which should not stand in another fraction."""
    return isinstance(base, Partial) or (isinstance(base, Access) and base.tensor in notation.gradients)


def negated(powers: Sequence[Power]) -> list[Power]:
    """Every exponent with the other sign."""
    return [(base, -exponent) for base, exponent in powers]


def body_latex(powers: Sequence[Power], notation: Notation, scale: sp.Expr = sp.S.One, *, lone: bool = True) -> str:
    """A product with what has a negative exponent below a fraction bar, times a scalar.

    The scalar goes into the fraction, and so it does where there is one factor, if that stands `lone`. Derivatives,
    deltas and brackets stand behind the fraction.
    """
    above = [(base, exp) for base, exp in powers if not exp.could_extract_minus_sign()]
    below = negated([(base, exp) for base, exp in powers if exp.could_extract_minus_sign()])
    if not below:
        over = lone_fraction(above, scale, notation) if lone else ""
        return over or scaled(scale, factors_latex(above, notation, alone=False), notation)
    tall = [(base, exp) for base, exp in above if isinstance(base, Delta | Iverson) or is_tall(base, notation)]
    flat = [power for power in above if power not in tall]
    over, under = (factors_latex(part, notation, alone=True) for part in (flat, below))
    if not (fits(over, WIDE_FRACTION) and fits(under, WIDE_FRACTION)):
        return scaled(scale, factors_latex([*flat, *tall, *negated(below)], notation, alone=False), notation)
    top, bottom = solid(over), solid(under)
    numerator, denominator = as_fraction(scale)
    if numerator != 1 or not flat:
        top = scaled(numerator, solid(factors_latex(flat, notation, alone=False)), notation)
    if denominator != 1:
        bottom = scaled(denominator, solid(factors_latex(below, notation, alone=False)), notation)
    behind = [factors_latex(tall, notation, alone=False)] if tall else []
    return f"{BETWEEN_FACTORS}{WEAK}".join([rf"\frac{{{top}}}{{{bottom}}}", *behind])


def lone_fraction(powers: Sequence[Power], scale: sp.Expr, notation: Notation) -> str:
    """A single factor over what a scalar divides it by, which in front of it might seem to divide both; else empty."""
    numerator, denominator = as_fraction(scale)
    if len(powers) != 1 or numerator != 1 or denominator == 1 or is_tall(powers[0][0], notation):
        return ""
    text = factors_latex(powers, notation, alone=True)
    return "" if not fits(text, WIDE_FRACTION) else rf"\frac{{{solid(text)}}}{{{scalar_text(denominator, notation)}}}"


def sum_sign(indices: Sequence[Index], notation: Notation) -> str:
    """The summation sign over some indices; empty for none."""
    return rf"\sum_{{{', '.join(map(notation.index, indices))}}} " if indices else ""


def split_sign(coeff: sp.Expr) -> tuple[str, sp.Expr]:
    """The sign to print and the scalar that is left; ``1 - a`` keeps its sign, ``-a - b`` does not."""
    return ("-", -coeff) if is_negative(coeff) else ("+", coeff)


def scaled(coeff: sp.Expr, body: str, notation: Notation) -> str:
    """A scalar in front of a product."""
    if coeff == 1 and body:
        return body
    number = scalar_text(coeff, notation)
    if not body:
        return number
    if isinstance(coeff, sp.Add):
        number = parenthesised(number)
    close = body.startswith(r"\sum") or coeff.is_Integer or isinstance(coeff, sp.Add)
    return f"{number} {body}" if close else rf"{number} \, {body}"


def term_latex(term: Term, notation: Notation) -> tuple[str, str]:
    """The sign of a term and what follows it."""
    known = notation.terms.get(term)
    if known is None:
        known = new_term_latex(term, notation)
        # A delta is equal to one with its sides exchanged, and is not printed as that one is.
        if not any(isinstance(base, Delta) for base in walk(term)):
            notation.terms[term] = known
    return known


def new_term_latex(term: Term, notation: Notation) -> tuple[str, str]:
    """The sign of a term and what follows it, written out."""
    sign, coeff = split_sign(term.coeff)
    if sign == "-" and isinstance(coeff, sp.Add) and not term.powers:
        return sign, parenthesised(scalar_text(coeff, notation))
    if not term.summed:
        return sign, body_latex(term.powers, notation, coeff)
    outer, inner = in_front_of_sums(term)
    return sign, summed_latex(coeff, outer, term.summed, body_latex(inner, notation), notation)


def summed_latex(
    coeff: sp.Expr, outer: Sequence[Power], indices: Sequence[Index], body: str, notation: Notation
) -> str:
    """A sum with what does not depend on its indices in front."""
    whole = sum_sign(indices, notation) + body
    return f"{body_latex(outer, notation, coeff, lone=False)} {whole}" if outer else scaled(coeff, whole, notation)


def joined(parts: Iterable[tuple[str, str]]) -> str:
    """Signed terms in a row."""
    text = ""
    for sign, part in parts:
        if not text:
            text = part if sign == "+" else f"-{part}"
        else:
            text += f" {SOFT}{sign} {part}"
    return text or "0"


def terms_latex(terms: Terms, notation: Notation) -> str:
    """A sum of terms; sums that all terms share are written once, in front."""
    first = terms[0].summed if terms else ()
    if len(terms) > 1 and first and all(term.summed == first for term in terms):
        outer = [power for power in in_front_of_sums(terms[0])[0] if all(power in term.powers for term in terms)]
        bodies = [Term(term.coeff, tuple(power for power in term.powers if power not in outer)) for term in terms]
        sign, coeff = split_sign(terms[0].coeff)
        if all(split_sign(term.coeff)[1] == coeff for term in terms):
            factor = coeff if sign == "+" else -coeff
            bodies = [Term(body.coeff / factor, body.powers) for body in bodies]
        else:
            sign, coeff = "+", sp.S.One
        inner = parenthesised(joined(term_latex(body, notation) for body in bodies))
        return joined([(sign, summed_latex(coeff, outer, first, inner, notation))])
    return joined(term_latex(term, notation) for term in terms)


def subject_latex(subject: Subject, notation: Notation) -> str:
    """What an equation is about: an entry, a derivative, or one consumer's share of a gradient."""
    match subject:
        case ThroughConsumer():
            return share_latex(subject, notation)
        case Identity(left):
            return terms_latex(left, notation)
    return base_latex(subject, notation)


def share_latex(share: ThroughConsumer, notation: Notation) -> str:
    """One consumer's share of a gradient: what passes through it, or the loss's own derivative with others held."""
    below = access_latex(share.wrt, notation)
    whole = fraction(rf"\partial {notation.loss}", rf"\partial {below}", notation)
    held = notation.held.get((share.consumer, share.wrt.tensor), ())
    if share.consumer == notation.computed_loss and held:
        return with_held(whole, held, notation)
    return rf"\left.{whole}\right|_{{\text{{via }} {notation.tensor(share.consumer)}}}"
