"""Domains of inputs: ``in (-1, 1]``, ``positive``, ``probability over c``, ``symmetric``, ``spd over (i,j)``."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import scalar_value
from indexcalc.errors import SpecError
from indexcalc.language import syntax as ast
from indexcalc.language.checks import check_expression
from indexcalc.language.expressions import Lowering
from indexcalc.language.hoist import SumNames
from indexcalc.language.lines import ClaimLine, Domain
from indexcalc.language.scope import Scope

INFINITY = "inf"
"""The end of an interval that has none on this side; ``-inf`` on the left."""

ZERO, UNITY = ast.Scalar(sp.S.Zero), ast.Scalar(sp.S.One)

WORDS = {
    "positive": Domain(ZERO, None),
    "probability": Domain(ZERO, UNITY, open_low=False, open_high=False),
}
"""The domains that have a name."""

SYMMETRIC, DEFINITE = "symmetric", "spd"
"""What an input is called that is symmetric in two slots, and one whose matrices are positive definite too."""


def interval_of(domain: Domain, scope: Scope) -> sp.Interval:
    """The interval as SymPy has it.

    Raises:
        SpecError: if an end is no number, or if the interval holds no number, or one alone.
    """
    low = -sp.oo if domain.low is None else end(domain.low, scope, -1)
    high = sp.oo if domain.high is None else end(domain.high, scope, 1)
    if not low < high:
        what = "holds one number alone; write a param in its place" if low == high else "is empty"
        raise scope.source.error(f"this interval from {low} to {high} {what}", domain.at)
    return sp.Interval(low, high, domain.open_low, domain.open_high)


def end(node: ast.Expression, scope: Scope, sign: int) -> sp.Expr:
    """The number at one end; infinity only on its side."""
    inner = node.operand if isinstance(node, ast.Negate) else node
    if isinstance(inner, ast.Entry) and inner.name == INFINITY and inner.slots is None:
        if (inner is node) != (sign > 0):
            raise scope.source.error("an interval goes from the lower end to the upper one: (-inf, inf)", node.at)
        return sign * sp.oo
    check_expression(node, scope)
    value = scalar_value(Lowering(scope, SumNames(set(), frozen=True)).terms(node))
    if value is None or not value.is_number or not value.is_real:
        raise scope.source.error(f"an end of an interval is a number, {INFINITY} or -{INFINITY}", node.at)
    return value


def sums_to_one(entry: ast.Entry, over: tuple[ast.Slot, ...], at: ast.At | None) -> ClaimLine:
    """What ``probability over c`` assumes beside its interval."""
    left = ast.Reduce("sum", over, entry, at)
    return ClaimLine(left, UNITY, f"{entry.name} is a probability", True, at)


def symmetric_in(entry: ast.Entry, over: tuple[ast.Slot, ...], word: str, at: ast.At | None) -> ClaimLine | str:
    """What ``symmetric over (i,j)`` or ``spd over (i,j)`` assumes; of a matrix, the indices need not be said.

    Returns:
        The assumption, or what is wrong where the slots of the input are not two of these indices.
    """
    slots = entry.slots or ()
    ends = [slot.name for slot in (over or slots)]
    if len(ends) != 2 or ends[0] == ends[1] or not {slot.name for slot in slots}.issuperset(ends):
        return f"an input is {word} over two of its indices: {word} over (i,j), the rows and the columns"
    other = dict(zip(ends, reversed(ends), strict=True))
    turned = tuple(replace(slot, name=other.get(slot.name, slot.name)) for slot in slots)
    meaning = "symmetric and positive definite" if word == DEFINITE else word
    doc = f"{entry.name} is {meaning}"
    return ClaimLine(entry, replace(entry, slots=turned), doc, True, at, word == DEFINITE)


def domain_from_python(domain: sp.Set | str | None) -> Domain | None:
    """A domain in Python's words: a SymPy interval, or the word of a spec.

    Raises:
        SpecError: for anything else.
    """
    if domain is None or domain in (SYMMETRIC, DEFINITE):
        return None
    if isinstance(domain, str) and domain in WORDS:
        return WORDS[domain]
    if not isinstance(domain, sp.Interval):
        words = ", ".join(map(repr, (*WORDS, SYMMETRIC, DEFINITE)))
        raise SpecError(f"a domain is a SymPy interval with two different ends, or one of {words}, not {domain!r}")
    low = None if domain.start == -sp.oo else ast.Scalar(domain.start)
    high = None if domain.end == sp.oo else ast.Scalar(domain.end)
    return Domain(low, high, bool(domain.left_open), bool(domain.right_open))
