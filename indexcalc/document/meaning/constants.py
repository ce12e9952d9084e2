"""Expressions of numbers alone, such as the exponent 3/2, as one number."""

from __future__ import annotations

import sympy as sp

from indexcalc.document.meaning.nodes import Meaning, Number, Plus, Raised, Times, children


def simplified(node: Meaning) -> Meaning:
    """The expression; one number where it is made of rational numbers alone."""
    value = constant(node)
    return node if value is None else Number(value)


def constant(node: Meaning) -> sp.Rational | None:
    """The value of an expression of rational numbers; None for any other, for roots, and for a division by zero."""
    if isinstance(node, Number):
        return node.value if isinstance(node.value, sp.Rational) else None
    if not isinstance(node, Plus | Times | Raised):
        return None
    parts = [constant(child) for child in children(node)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if isinstance(node, Raised):
        return 1 / known[0] if known[1] == -1 and known[0] else None
    return sp.Add(*known) if isinstance(node, Plus) else sp.Mul(*known)
