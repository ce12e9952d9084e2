"""One equation in one line of text for a terminal: ``dL/dV[j,p] = Σ_i G[i,p] A[i,j]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from indexcalc.algebra.brackets import chained
from indexcalc.algebra.build import in_front_of_sums, lone
from indexcalc.algebra.scalars import ScalarPrinter
from indexcalc.algebra.slots import slot_text
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Iverson, MatrixFunction, Partial, Power, Term, Terms
from indexcalc.calculus.pointwise import call_text
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.latex import split_sign
from indexcalc.notes.names import grouped
from indexcalc.program import Equation
from indexcalc.rewrite.systems import sides_of

RELATIONS = {"<": "<", "<=": "≤", "!=": "≠"}


@dataclass(frozen=True)
class Spelling:
    """How tensors read: another name for some of them, and which of their slots are fused."""

    names: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


PLAIN = Spelling()


def formula_text(equation: Equation, derivation: Derivation | None = None) -> str:
    """The equation in one line; with its derivation, gradients without an author's name read ``dL/dX``.

    A gradient that the author named is printed with both: ``D[i,j] = dL/dA[i,j] = ...``.
    """
    if derivation is None:
        return f"{access_text(equation.lhs, PLAIN)} = {terms_text(equation.terms, PLAIN)}"
    authored = authored_names(derivation)
    whole, spelling = gradient_spelling(derivation), spelling_of(derivation)
    if equation.name in derivation.backward.residuals.values():
        sides = sides_of(equation.terms)
        return " = ".join(terms_text(side, spelling) for side in sides)
    left = access_text(equation.lhs, whole)
    if equation.name in authored and equation.name in whole.names:
        left = f"{access_text(equation.lhs, spelling)} = {left}"
    return f"{left} = {terms_text(equation.terms, spelling)}"


def authored_names(derivation: Derivation) -> frozenset[str]:
    """The gradients that have a name of the author's."""
    return frozenset((*derivation.problem.names.values(), *derivation.problem.given.values()))


def gradient_spelling(derivation: Derivation) -> Spelling:
    """Every gradient reads ``dL/dX``."""
    problem = derivation.problem
    names = {name: f"d{problem.loss or 'L'}/d{tensor}" for name, tensor in problem.owners.items()}
    return Spelling(names, derivation.backward.layouts)


def spelling_of(derivation: Derivation) -> Spelling:
    """Gradients without an author's name read ``dL/dX``."""
    authored, whole = authored_names(derivation), gradient_spelling(derivation)
    return Spelling({name: text for name, text in whole.names.items() if name not in authored}, whole.layouts)


def terms_text(terms: Terms, spelling: Spelling) -> str:
    """A sum of terms; without parentheses around all of it."""
    whole = lone(terms)
    text = ""
    for term in whole.terms if isinstance(whole, Add) else terms:
        sign, part = term_text(term, spelling)
        if text:
            text += f" {'+' if sign == '+' else '−'} {part}"
        else:
            text = part if sign == "+" else f"−{part}"
    return text or "0"


def term_text(term: Term, spelling: Spelling) -> tuple[str, str]:
    """The sign of a term and what follows it."""
    sign, coeff = split_sign(term.coeff)
    parts = []
    if coeff != 1 or not term.powers:
        parts.append(scalar_text(coeff))
    front = [power for power in in_front_of_sums(term)[0] if not power[1].could_extract_minus_sign()]
    parts.extend(power_text(power, spelling) for power in front)
    if term.summed:
        parts.append(f"Σ_{','.join(index.name for index in term.summed)}")
    rest = [power for power in term.powers if power not in front]
    above = [(base, exp) for base, exp in rest if not exp.could_extract_minus_sign()]
    below = [(base, -exp) for base, exp in rest if exp.could_extract_minus_sign()]
    parts.extend(
        power_text(power, spelling) if upper is None else chain_text(power[0], upper) for power, upper in chained(above)
    )
    if below and not above:
        parts.append("1")
    text = " ".join(parts)
    if below:
        bottom = " ".join(power_text(power, spelling) for power in below)
        text += f" / ({bottom})" if len(below) > 1 else f" / {bottom}"
    return sign, text


def chain_text(lower: Base, upper: Iverson) -> str:
    """Two bounds of one expression in one bracket."""
    assert isinstance(lower, Iverson)
    start = f"{slot_text(lower.left)} {RELATIONS[lower.relation]} {slot_text(lower.right)}"
    return f"[{start} {RELATIONS[upper.relation]} {slot_text(upper.right)}]"


class WithoutE(ScalarPrinter):
    """``exp(1)`` for Euler's number, which would read as a tensor called E."""

    def _print_Exp1(self, expr: sp.Expr) -> str:  # noqa: N802 (SymPy looks for this name)
        return "exp(1)"


def scalar_text(value: sp.Expr) -> str:
    """A scalar expression; a sum or a quotient in parentheses."""
    text = WithoutE().doprint(value)
    return text if value.is_Symbol or value.is_Integer else f"({text})"


class WithSigns(WithoutE):
    """``√d`` for a root."""

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:  # noqa: N802 (SymPy looks for this name)
        if abs(expr.exp) != sp.S.Half:
            return str(super()._print_Pow(expr, rational))
        return f"{'1/' if expr.exp < 0 else ''}√{self.parenthesize(expr.base, PRECEDENCE['Func'])}"


def short_scalar(value: sp.Expr) -> str:
    """A scalar that stands alone, as in a picture: ``1/√d``; a sum in parentheses."""
    text = WithSigns().doprint(value)
    return f"({text})" if value.is_Add else text


def power_text(power: Power, spelling: Spelling) -> str:
    """A factor to a positive power."""
    base, exponent = power
    text = base_text(base, spelling)
    if exponent == 1:
        return text
    if exponent == sp.S.Half:
        return f"√{text}" if isinstance(base, Add) else f"√({text})"
    written = str(exponent) if exponent.is_Integer or exponent.is_Symbol else f"({exponent})"
    return f"{text}^{written}"


def access_text(base: Access, spelling: Spelling) -> str:
    """A tensor's entry."""
    name = spelling.names.get(base.tensor, base.tensor)
    return name + slots_text([slot_text(slot) for slot in base.slots], spelling.layouts.get(base.tensor))


def slots_text(slots: Sequence[str], layout: Sequence[int] | None = None) -> str:
    """Indices in brackets, those of a fused axis in parentheses; nothing for a scalar."""
    groups = grouped(slots, layout)
    axes = [group[0] if len(group) == 1 else f"({','.join(group)})" for group in groups]
    return f"[{','.join(axes)}]" if slots else ""


def base_text(base: Base, spelling: Spelling) -> str:
    """One factor."""
    match base:
        case Access():
            return access_text(base, spelling)
        case Delta(left, right):
            return f"δ[{slot_text(left)},{slot_text(right)}]"
        case Iverson(left, relation, right):
            return f"[{slot_text(left)} {RELATIONS[relation]} {slot_text(right)}]"
        case Fn(name, args):
            return call_text(name, [terms_text(arg, spelling) for arg in args])
        case Add(terms):
            return f"({terms_text(terms, spelling)})"
        case MatrixFunction(tensor, slots):
            found = f"{base.word}({access_text(Access(tensor, base.of_slots), spelling)})"
            return found if slots == base.of_slots else f"{found}[{','.join(map(slot_text, slots[-2:]))}]"
        case Partial(of, wrt):
            return f"∂{base_text(of, spelling)}/∂{access_text(wrt, spelling)}"
