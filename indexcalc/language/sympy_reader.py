"""SymPy expressions to the syntax tree: `Indexed`, `Sum`, `KroneckerDelta` and functions of them.

Only expressions that exist are read, never text. SymPy has ordered the factors its own way by then;
formulas built with the tensors of a program keep the author's order.
"""

from __future__ import annotations

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from indexcalc.errors import SpecError
from indexcalc.language.syntax import Bracket, Call, Entry, Expression, Plus, Raise, Reduce, Scalar, Slot, Times

FUNCTIONS: dict[type[sp.Expr], str] = {
    sp.exp: "exp",
    sp.log: "log",
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tanh: "tanh",
    sp.erf: "erf",
    sp.atan: "atan",
    sp.atan2: "atan2",
    sp.Abs: "abs",
    sp.sign: "sign",
}
"""SymPy's functions, under the names of the pointwise table."""


def read_sympy(expression: sp.Expr) -> Expression:
    """The syntax tree of a SymPy expression; one without tensors is a scalar, a lone symbol a bare name.

    Raises:
        SpecError: for a part that has no counterpart, such as a derivative or ``x[i + 1]``.
    """
    if isinstance(expression, sp.Symbol):
        return Entry(expression.name)
    if not expression.has(sp.Indexed, sp.KroneckerDelta, sp.Sum, sp.Piecewise, AppliedUndef):
        return Scalar(expression)
    if isinstance(expression, sp.Indexed):
        return Entry(str(expression.base.label), tuple(slot(index) for index in expression.indices))
    if isinstance(expression, sp.KroneckerDelta):
        return Bracket(slot(expression.args[0]), "==", slot(expression.args[1]))
    if isinstance(expression, sp.Sum):
        return read_sum(expression)
    if isinstance(expression, sp.Add):
        return Plus(tuple(read_sympy(part) for part in expression.args))
    if isinstance(expression, sp.Mul):
        return Times(tuple(read_sympy(factor) for factor in expression.args))
    if isinstance(expression, sp.Pow):
        return Raise(read_sympy(expression.base), read_sympy(expression.exp))
    if isinstance(expression, sp.Piecewise):
        return read_cases(expression)
    return read_function(expression)


def read_cases(expression: sp.Piecewise) -> Expression:
    """``Piecewise((f, i <= j), (0, True))`` is ``[i <= j] * f``."""
    (value, holds), *rest = expression.args
    if len(rest) != 1 or rest[0].args != (0, True):
        raise SpecError(f"a case distinction is zero outside its one condition, unlike {expression}")
    relations = holds.args if isinstance(holds, sp.And) else (holds,)
    if not all(isinstance(relation, Relational) for relation in relations):
        raise SpecError(f"a bracket holds one relation of indices, not {holds}")
    brackets = [Bracket(slot(relation.lhs), relation.rel_op, slot(relation.rhs)) for relation in relations]
    return Times((*brackets, read_sympy(value)))


def read_function(expression: sp.Expr) -> Expression:
    """A function of the table; an undefined SymPy function is read by its name."""
    args = tuple(read_sympy(arg) for arg in expression.args)
    if type(expression) in FUNCTIONS:
        return Call(FUNCTIONS[type(expression)], args)
    if isinstance(expression, AppliedUndef):
        return Call(expression.func.__name__, args)
    if isinstance(expression, sp.Max | sp.Min):
        return Call("max" if isinstance(expression, sp.Max) else "min", args)
    raise SpecError(f"SymPy's {type(expression).__name__} has no counterpart here: {expression}")


def read_sum(expression: sp.Sum) -> Expression:
    """A sum over whole indices: from 0 to the extent less one, which the program's index knows."""
    for limits in expression.limits:
        if len(limits) != 3 or limits[1] != 0:
            raise SpecError(f"a sum starts at 0 and runs over a whole index, unlike {expression}")
    bound = tuple(slot(limits[0]) for limits in expression.limits)
    extents = tuple(limits[2] + 1 for limits in expression.limits)
    return Reduce("sum", bound, read_sympy(expression.function), extents=extents)


def slot(index: sp.Expr) -> Slot:
    """An index by its name."""
    if isinstance(index, sp.Idx):
        index = index.label
    if not isinstance(index, sp.Symbol):
        raise SpecError(f"a slot holds one index, not {index}")
    return Slot(index.name)
