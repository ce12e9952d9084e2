r"""Normal densities: ``N(x; m, C)`` is ``exp(-1/2 (x-m)^T C^{-1} (x-m)) / sqrt((2 \pi)^n \det C)``.

The variance of a number is a number. What is false with the formula may hold: pages give deviations, too.
"""

from __future__ import annotations

from contextlib import suppress

import sympy as sp

from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import HALF, TWO, Applied, Meaning, Number, Raised, Size, negated, over, times
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.statements.calls import is_normal
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.values import Call
from indexcalc.document.table import Table
from indexcalc.document.values import UNREADABLE, given, read_all

CIRCLE = times(TWO, Number(sp.pi))


def learn_normal(table: Table, named: Named) -> bool:
    """Give a normal density its formula; False if the name is none, or an equation of the page says what it is."""
    name, value = named.name, table.page.values.of(named.name)
    density = isinstance(value, Call) and is_normal(name) and not value.own and value.first == 1
    if not isinstance(value, Call) or not density or len(value.arguments) != len(("x", "m", "C")) or not table.defined:
        return False
    if name in table.definitions:
        return True
    deviation = table.page.survey.lone(value.arguments[-1]) is not None and table.page.speaks_of_deviations
    if deviation or name in table.inside or name in table.known or table.view.definition_of(named) is not None:
        return False
    letters = {letter: table.index(letter) for letter in value.letters}
    with suppress(*UNREADABLE), table.within(name, frozenset(letters)):
        node = given(table, letters, value.letters, density_of(table, *read_all(table, letters, value.arguments)))
        table.known[name] = tuple(letters[one] for one in value.letters)
        table.definitions[name] = Definition(table.known[name], node)
        return True
    return False


def density_of(table: Table, value: Typed, mean: Typed, covariance: Typed) -> Meaning:
    """The density of a number, or of a vector with a matrix of covariances.

    Raises:
        ShapeError: if their shapes do not fit.
    """
    apart = typed.added([value, Typed(negated(mean.node), mean.axes, mean.orientation)], table.sizes)
    if not apart.axes:
        squared = times(Raised(apart.node, TWO), over(covariance.node))
        size: Meaning = HALF
        spread = covariance.node
    else:
        across = typed.product(typed.inverse(covariance, table.sizes), apart, table.sizes)
        squared = typed.inner(apart, across, table.sizes).node
        size = times(HALF, Size(apart.axes[0]))
        spread = typed.determinant(covariance, table.sizes).node
    scale = times(Raised(CIRCLE, negated(size)), Raised(spread, negated(HALF)))
    return times(scale, Applied("exp", negated(times(HALF, squared))))
