r"""The values of densities of letters: ``p(x|z) = \sum_y w_xyz / \sum_xy w_xyz`` with positive numbers w.

What the page says of them by an equation goes before that. What holds for all such numbers, Bayes' rule among it, holds
for all densities of finitely many values.
"""

from __future__ import annotations

from contextlib import suppress

from indexcalc.document.meaning.nodes import Applied, Meaning, Total, over, times
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import Definition
from indexcalc.document.statements.densities import Density
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.values import Mean
from indexcalc.document.table import Table
from indexcalc.document.values import UNREADABLE, known, read_known, smooth, words


def learn_density(table: Table, named: Named) -> bool:
    """Give a density of letters its formula; False if the name is none, or an equation of the page says what it is."""
    name, density = named.name, table.page.values.tables.get(named.name)
    known = density is not None and table.page.values.are_densities(table.number)
    if density is None or not known or not table.defined or name in table.inside or varies(table):
        return False
    if name in table.definitions:
        return True
    if name not in table.solved and is_given(table, named):
        return False
    letters = {letter: table.index(letter) for letter in density.letters if letter}
    with suppress(*UNREADABLE), table.within(name, frozenset(letters)):
        body = formula(table, density, letters)
        table.known[name] = tuple(letters.values())
        table.definitions[name] = Definition(table.known[name], body)
        return True
    return False


def is_given(table: Table, named: Named) -> bool:
    """Whether an equation of the page says what a density is: one of densities of the same name is a law, or wrong."""
    page, number, tables = table.page, table.view.definition_of(named), table.page.values.tables
    density = tables[named.name]
    if number is None:
        return density.drawn == len(density.kinds) and (density.head, density.drawn) in page.values.given
    names = {one.name for one in page.survey.names(page.statements[number].trees[1])}
    same = all(name in tables and tables[name].head == density.head for name in names)
    return named.name in names or not same


def varies(table: Table) -> bool:
    """Whether what is read stands in an expectation or an integral, whose outcomes it may depend on."""
    return any(isinstance(table.page.values.of(name), Mean) for name in table.inside)


def formula(table: Table, density: Density, letters: dict[str, Ix]) -> Meaning:
    """The share of the weights of what is drawn in all that fulfil the condition."""
    joint = table.page.values.joint(density) if density.told else ()
    kinds = joint or density.kinds
    told = bool(joint)
    key = f"weights of {words(density.head)} by {' '.join(kinds)}{'' if told else f' as {density.drawn}'}"
    named = [f"values of {kind}" if told else f"{key}: {n}" for n, kind in enumerate(kinds)]
    axes = [known(table, name, (None,))[0] for name in named]
    parameters = read_known(table, letters, density.scripts)

    def weights(fixed: dict[int, Ix]) -> Meaning:
        """The sum of all weights at some of the indices."""
        every = {n: fixed.get(n) or table.sizes.like(axis) for n, axis in enumerate(axes)}
        summed = tuple(index for n, index in every.items() if n not in fixed)
        weight = Applied("exp", smooth(table, key, parameters, tuple(every.values())))
        return Total(summed, weight) if summed else weight

    at: dict[int, Ix] = {}
    for number, (kind, letter) in enumerate(zip(density.kinds, density.letters, strict=True)):
        place = kinds.index(kind) if told else number
        at[place] = letters[letter] if letter else table.sizes.fresh(kind, fixed=1)
        table.sizes.unify(axes[place], at[place])
    given = {place: index for number, (place, index) in enumerate(at.items()) if number >= density.drawn}
    return times(weights(at), over(weights(given)))
