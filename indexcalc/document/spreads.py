r"""Variances and covariances, ``Var(x)`` and ``Cov[u, v]``: by expectations, ``E[u v^T] - E[u] E[v]^T``."""

from __future__ import annotations

from contextlib import suppress

from indexcalc.document.expectations import expectation
from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import negated
from indexcalc.document.meaning.symbols import Definition, NotUnderstoodError
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.statements.values import Spread
from indexcalc.document.table import Table
from indexcalc.document.values import UNREADABLE, read_all


def learn_spread(table: Table, name: str) -> bool:
    """Give a variance or a covariance its meaning; False if what it is taken of cannot be read."""
    value = table.page.values.of(name)
    if not isinstance(value, Spread) or name in table.inside:
        return False
    with suppress(*UNREADABLE):
        letters = {part: table.index(part) for part in value.letters}
        with table.within(name, frozenset(value.letters)):
            left, right = read_all(table, letters, (value.left, value.right))
        both = expectation(table, value.sign, times_transpose(table, left, right))
        means = (expectation(table, value.sign, one) for one in (left, right))
        apart = times_transpose(table, *means)
        found = typed.added([both, Typed(negated(apart.node), apart.axes)], table.sizes)
        slots = (*letters.values(), *found.axes)
        table.known[name] = slots
        table.definitions[name] = Definition(slots, found.node)
        return True
    return False


def times_transpose(table: Table, left: Typed, right: Typed) -> Typed:
    """The product of two numbers, or of a column and a row."""
    if len(left.axes) > 1 or len(left.axes) != len(right.axes):
        raise NotUnderstoodError("a covariance of what are not two numbers or two vectors")
    return typed.product(left, typed.transpose(right), table.sizes)
