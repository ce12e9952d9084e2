"""Equations as one line of plain text, in the notation of a spec: ``O[i,p] = sum[j](A[i,j] * V[j,p])``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import sympy as sp

from indexcalc.algebra.brackets import chained
from indexcalc.algebra.build import in_front_of_sums, is_negative
from indexcalc.algebra.scalars import scalar_str
from indexcalc.algebra.slots import Slot, slot_text
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Iverson, MatrixFunction, Partial, Power, Term, Terms
from indexcalc.calculus.pointwise import call_text
from indexcalc.codegen.statements import Kind, Statement

Layouts = Mapping[str, Sequence[int]]
"""How many slots each axis of a stored tensor holds, for tensors with fused axes."""

UNFUSED: Layouts = {}

REDUCTIONS = {Kind.MAXIMUM: "max", Kind.MINIMUM: "min"}


def equation_text(lhs: Access, terms: Terms, layouts: Layouts = UNFUSED) -> str:
    """``lhs = terms``."""
    return f"{base_text(lhs, layouts)} = {terms_text(terms, layouts)}"


def terms_text(terms: Terms, layouts: Layouts = UNFUSED) -> str:
    """A sum of terms, with minus signs where a coefficient has one."""
    if not terms:
        return "0"
    text = ""
    for number, term in enumerate(terms):
        minus = is_negative(term.coeff)
        sign = ("-" if minus else "") if number == 0 else (" - " if minus else " + ")
        text += sign + term_text(Term(-term.coeff, term.powers, term.summed) if minus else term, layouts)
    return text


def term_text(term: Term, layouts: Layouts = UNFUSED) -> str:
    """``coefficient * sum[i](product)``: factors above the line, then those below it."""
    front = [power for power in in_front_of_sums(term)[0] if not stands_below(power[1])]
    inside = [power for power in term.powers if power not in front]
    above = [
        power_text(*power, layouts) if upper is None else chain_text(power[0], upper)
        for power, upper in chained([power for power in inside if not stands_below(power[1])])
    ]
    below = [power_text(base, -exponent, layouts) for base, exponent in inside if stands_below(exponent)]
    body = " * ".join(above) or ("1" if below else "")
    body = "".join([body, *(f" / {text}" for text in below)])
    if term.summed and body:
        body = f"sum[{','.join(index.name for index in term.summed)}]({body})"
    body = " * ".join([*(power_text(*power, layouts) for power in front), *([body] if body else [])])
    if term.coeff == 1:
        return body or "1"
    coeff = scalar_text(term.coeff)
    if isinstance(term.coeff, sp.Add):
        coeff = f"({coeff})"
    if body.startswith("1 / "):
        return coeff + body[1:]
    return f"{coeff} * {body}" if body else coeff


def chain_text(lower: Base, upper: Iverson) -> str:
    """Two bounds of one expression in one bracket."""
    assert isinstance(lower, Iverson)
    start = f"{slot_text(lower.left)} {lower.relation} {slot_text(lower.right)}"
    return f"[{start} {upper.relation} {slot_text(upper.right)}]"


def stands_below(exponent: sp.Expr) -> bool:
    """Whether a factor stands below the line."""
    return bool(exponent.could_extract_minus_sign())


def power_text(base: Base, exponent: sp.Expr, layouts: Layouts = UNFUSED) -> str:
    """``base^exponent``."""
    text = base_text(base, layouts)
    if exponent == 1:
        return text
    if exponent == sp.Rational(1, 2):
        inner = terms_text(base.terms, layouts) if isinstance(base, Add) else text
        return f"sqrt({inner})"
    written = scalar_text(exponent)
    return f"{text}^{written}" if exponent.is_Integer or exponent.is_Symbol else f"{text}^({written})"


def base_text(base: Base | Power, layouts: Layouts = UNFUSED) -> str:
    """One factor."""
    match base:
        case Access(tensor, slots):
            return f"{tensor}[{labels(slots, layouts.get(tensor))}]" if slots else tensor
        case Delta(left, right):
            return f"delta[{labels((left, right))}]"
        case Iverson(left, relation, right):
            return f"[{slot_text(left)} {relation} {slot_text(right)}]"
        case Fn(name, args):
            return call_text(name, [terms_text(arg, layouts) for arg in args])
        case Add(terms):
            return f"({terms_text(terms, layouts)})"
        case MatrixFunction(tensor, slots):
            found = f"{base.word}({base_text(Access(tensor, base.of_slots))})"
            return found if slots == base.of_slots else f"{found}[{labels(slots[-2:])}]"
        case Partial(of, wrt):
            return f"d{base_text(of, layouts)}/d{base_text(wrt, layouts)}"
    raise TypeError(f"not a factor: {base!r}")


def labels(slots: tuple[Slot, ...], layout: Sequence[int] | None = None) -> str:
    """Index names with commas, those of a fused axis in parentheses."""
    names = iter([slot_text(slot) for slot in slots])
    if layout is None or sum(layout) != len(slots):
        return ",".join(names)
    axes = [",".join(islice(names, size)) for size in layout]
    return ",".join(axis if size == 1 else f"({axis})" for axis, size in zip(axes, layout, strict=True))


def scalar_text(value: sp.Expr) -> str:
    """A scalar coefficient in plain text."""
    if isinstance(value, sp.Float):
        return f"{float(value):g}"
    if isinstance(value, sp.Rational) and sp.Rational(repr(float(value))) == value and not value.is_Integer:
        return repr(float(value))
    return scalar_str(value)


def formula(statement: Statement, layouts: Layouts) -> str:
    """The statement in the notation of a spec."""
    lhs = Access(statement.name, statement.axes)
    if statement.kind is Kind.SCATTER and statement.word:
        ((term,), over) = statement.terms, ",".join(index.name for index in statement.terms[0].summed)
        conditions = [f"{slot_text(m.left)} = {slot_text(m.right)}" for m in term.bases if isinstance(m, Delta)]
        value = base_text(term.bases[0], layouts)
        return (
            f"{equation_text(lhs, (), layouts)[:-1]}{statement.word}[{over}]({value} where {' and '.join(conditions)})"
        )
    if statement.kind is Kind.ASSIGN or statement.moves:
        return equation_text(lhs, statement.terms, layouts)
    left, value = equation_text(lhs, (), layouts)[:-1], terms_text(statement.terms, layouts)
    if statement.kind is Kind.HIDDEN:
        conditions = [f"{slot_text(m.left)} {relation(m)} {slot_text(m.right)}" for m in statement.masks]
        conditions += [f"{base_text(weight, layouts)} != 0" for weight in statement.weights]
        condition = " and ".join(conditions)
        return f"{left}{value} where {condition}, else -inf"
    if statement.kind is Kind.LARGEST:
        return f"{left}max({', '.join(terms_text((term,), layouts) for term in statement.terms)})"
    return f"{left}{REDUCTIONS[statement.kind]}[{','.join(index.name for index in statement.over)}]({value})"


def relation(mask: object) -> str:
    """The relation of a bracket; a delta is an equality."""
    return getattr(mask, "relation", "=")
