"""One entry of an equation with its sums written out: first with names, then with numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import sympy as sp

from indexcalc.algebra.scalars import scalar_str
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Lookup,
    MatrixFunction,
    Partial,
    Power,
    Slot,
    Term,
    Terms,
)
from indexcalc.calculus.pointwise import call_text
from indexcalc.notes.text import Spelling, slots_text
from indexcalc.proof.numeric import Array

TERM_LIMIT = 8
"""The most terms of a sum that are written out; of a longer one, the first few and the last."""

SHOWN = 3
"""How many terms of a long sum stand before the dots."""

Binding = Mapping[Index, int]
HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    "!=": lambda left, right: left != right,
}


@dataclass(frozen=True)
class Writer:
    """How entries and scalars are written.

    Attributes:
        values: the array of every tensor.
        scalars: the value of every extent and parameter.
        spelling: how tensors are called.
        digits: significant digits.
        numeric: numbers instead of names.
    """

    values: Mapping[str, Array]
    scalars: Mapping[sp.Symbol, float]
    spelling: Spelling
    digits: int
    numeric: bool = False

    def number(self, value: float) -> str:
        """A number with so many significant digits; no negative zero."""
        text = f"{value:.{self.digits}g}"
        return "0" if float(text) == 0 else text

    def place(self, slot: Slot, at: Binding) -> int:
        """The value of what a slot holds."""
        if isinstance(slot, Index):
            return at[slot]
        if isinstance(slot, Lookup):
            # What brackets hide may lie outside.
            ids = self.values[slot.tensor]
            held = (self.place(inner, at) for inner in slot.slots)
            return int(ids[tuple(min(max(n, 0), size - 1) for n, size in zip(held, ids.shape, strict=True))])
        parts = (round(float(coeff.xreplace(dict(self.scalars)))) * self.place(atom, at) for atom, coeff in slot.parts)
        return round(float(slot.const.xreplace(dict(self.scalars)))) + sum(parts)

    def entry(self, base: Access, at: Binding) -> str:
        """One entry: its name with numbers as indices, or its value."""
        place = tuple(self.place(slot, at) for slot in base.slots)
        sizes = self.values[base.tensor].shape
        if not all(0 <= number < size for number, size in zip(place, sizes, strict=True)):
            return "0"
        if self.numeric:
            text = self.number(float(self.values[base.tensor][place]))
            return f"({text})" if text.startswith("-") else text
        name = self.spelling.names.get(base.tensor, base.tensor)
        return name + slots_text([str(number) for number in place], self.spelling.layouts.get(base.tensor))

    def scalar(self, value: sp.Expr) -> str:
        """A positive scalar: with extents as numbers, or its value."""
        if self.numeric and not value.is_Integer:
            return self.number(float(value.subs(dict(self.scalars))))
        named = {s: sp.Symbol(self.number(self.scalars[s])) for s in value.free_symbols if s in self.scalars}
        text = scalar_str(value.xreplace(named))
        return text if text.isalnum() or ("/" not in text and "+" not in text and "-" not in text) else f"({text})"


def expanded(terms: Terms, at: Binding, sizes: Mapping[sp.Symbol, int], writer: Writer) -> str:
    """A sum of terms at some values of the free indices."""
    text = ""
    for term in terms:
        sign, body = expanded_term(term, at, sizes, writer)
        text += f" {sign} {body}" if text else (f"-{body}" if sign == "-" else body)
    return text or "0"


def expanded_term(term: Term, at: Binding, sizes: Mapping[sp.Symbol, int], writer: Writer) -> tuple[str, str]:
    """The sign of a term, and its sum written out, a scalar in front."""
    negative = bool(term.coeff.could_extract_minus_sign())
    coeff = -term.coeff if negative else term.coeff
    body = written_sum(term, at, sizes, writer) if term.powers else ""
    if body and term.summed and coeff != 1 and " + " in body:
        body = f"({body})"
    if not body or coeff != 1:
        scalar = writer.scalar(coeff)
        body = f"{scalar} × {body}" if body else scalar
    elif negative and term.summed and " + " in body:
        body = f"({body})"
    return "-" if negative else "+", body


def written_sum(term: Term, at: Binding, sizes: Mapping[sp.Symbol, int], writer: Writer) -> str:
    """The products of a sum, added up."""
    ranges = [range(int(index.extent.subs(dict(sizes)))) for index in term.summed]
    places = list(product(*ranges))
    if len(places) > TERM_LIMIT:
        front = [written_product(term.powers, bound(term, at, place), writer) for place in places[:SHOWN]]
        last = written_product(term.powers, bound(term, at, places[-1]), writer)
        return " + ".join([*front, "...", last])
    return " + ".join(written_product(term.powers, bound(term, at, place), writer) for place in places)


def bound(term: Term, at: Binding, place: Sequence[int]) -> Binding:
    """The values of the free and of the summed indices."""
    return {**at, **dict(zip(term.summed, place, strict=True))}


def written_product(powers: Sequence[Power], at: Binding, writer: Writer) -> str:
    """Factors, with what has a negative exponent behind a slash."""
    above = [written_power(base, exp, at, writer) for base, exp in powers if not exp.could_extract_minus_sign()]
    below = [written_power(base, -exp, at, writer) for base, exp in powers if exp.could_extract_minus_sign()]
    text = " × ".join(above) or "1"
    return " / ".join([text, *below])


def written_power(base: Base, exponent: sp.Expr, at: Binding, writer: Writer) -> str:
    """A factor to a positive power."""
    text = written_base(base, at, writer)
    if exponent == 1:
        return text
    if exponent == sp.S.Half:
        return f"sqrt{text}" if text.startswith("(") else f"sqrt({text})"
    return f"{text}^{writer.scalar(exponent)}"


def written_base(base: Base, at: Binding, writer: Writer) -> str:
    """One factor; brackets and deltas are the numbers that they are here."""
    match base:
        case Access():
            return writer.entry(base, at)
        case Delta(left, right):
            return str(int(writer.place(left, at) == writer.place(right, at)))
        case Iverson(left, relation, right):
            return str(int(HOLDS[relation](writer.place(left, at), writer.place(right, at))))
        case Fn(name, args):
            return call_text(name, [written_terms(arg, at, writer) for arg in args])
        case Add(terms):
            return f"({written_terms(terms, at, writer)})"
        case MatrixFunction(tensor, slots):
            places = [writer.place(slot, at) for slot in slots]
            matrix = f"{base.word}({tensor}{places[: len(base.of_slots)] or ''})"
            return f"{matrix}{places[len(base.of_slots) :] or ''}"
        case Partial():
            raise AssertionError("the equations of a program hold no unevaluated derivative")


def written_terms(terms: Terms, at: Binding, writer: Writer) -> str:
    """Sum-free terms."""
    return expanded(terms, at, {}, writer)
