r"""Values of which no equation says what they are, by what they are made of: functions, expectations and integrals.

``f(x, y)`` is any smooth function of what is written in it: ``sum_h v_h g(sum_k W_hk x_k + sum_l U_hl y_l + b_h)``
with arrays v, W, U and b of which nothing is known. ``E_{x ~ p}[f(x)]`` is ``sum_o m_o p_o f(x_o)`` and ``\int f(x)
dx`` is ``sum_o m_o f(x_o)`` over a few outcomes o, with positive weights m, and densities with ``sum_o m_o p_o = 1``
that depend on what is written below and above them. What holds for all such sums holds for all measures that live on
finitely many points; what does not may still hold of the distribution that the page has in mind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from indexcalc.document.choices import Interpretation
from indexcalc.document.meaning.nodes import (
    Applied,
    Derivative,
    Entry,
    Meaning,
    Plus,
    Total,
    free,
    names_of,
    over,
    rebuilt,
    renamed,
    times,
)
from indexcalc.document.meaning.sizes import Ix, ShapeError
from indexcalc.document.meaning.slopes import placed, refreshed
from indexcalc.document.meaning.symbols import Definition, NotUnderstoodError, all_read
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.meaning.unknown import unknown
from indexcalc.document.statements.brackets import OPERATORS
from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.values import Call, Mean
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Sum

UNREADABLE = (NotUnderstoodError, ShapeError, IndexCalcError)
"""What is raised where a part of a value cannot be read; then it stays a value of its own."""


def is_readable(table: Table, name: str, learn: Callable[[Table, str], bool]) -> bool:
    """Whether a name can be given what it is written as, read as is usual; this leaves no trace."""
    weighed, page = table.page.weighed, table.page
    if name not in weighed:
        weighed[name] = False  # while it is looked at
        usual = page.asking(Interpretation())
        weighed[name] = learn(Table(page, usual, table.number, table.read), name)
    return weighed[name]


def learn_mean(table: Table, name: str) -> bool:
    """Give an expectation or an integral its weighted sum; False if something that it is made of cannot be read."""
    value = table.page.values.of(name)
    if not isinstance(value, Mean) or name in table.inside:
        return False
    with suppress(*UNREADABLE):
        slots, body = weighted(table, name, value)
        table.known[name] = slots
        table.definitions[name] = Definition(slots, body)
        return True
    return False


def learn_function(table: Table, name: str) -> bool:
    """Give a value ``f(x, y)`` what any smooth function of its arguments is; False if these cannot be read."""
    value = table.page.values.of(name)
    if not isinstance(value, Call) or (value.head[0] in OPERATORS and not value.own) or name in table.inside:
        return False
    slots = table.known[name]
    letters = dict(zip(value.letters, slots, strict=False))
    with suppress(*UNREADABLE), table.within(name, frozenset(value.letters)):
        scripts = read_known(table, letters, (*value.scripts, *value.labels))
        arguments = [*read_all(table, letters, value.arguments), *scripts]
        key = f"{words(value.head)} of {' '.join(str(len(one.axes)) for one in arguments)} axes"
        key = f"{key}, as in {words(name)}" if value.own else key
        body = smooth(table, key, arguments, (*(letters[one] for one in value.own), *slots[len(value.letters) :]))
        table.definitions[name] = Definition(slots, given(table, letters, value.letters, body))
        return True
    return False


def given(table: Table, letters: Mapping[str, Ix], own: Sequence[str], body: Meaning) -> Meaning:
    """A formula with one given entry for each letter in it that is none of its own: a part of the value's name."""
    first = {index: table.sizes.fresh(letter, fixed=1) for letter, index in letters.items() if letter not in own}
    for index, fixed in first.items():
        table.sizes.unify(index, fixed)
    return renamed(body, first) if first else body


BRACKETS = frozenset("()[]{}")

# Functions


def read_all(table: Table, letters: dict[str, Ix], trees: Sequence[Sum]) -> list[Typed]:
    """The meanings of some formulas."""
    return [table.read(table, letters, tree, {}) for tree in trees]


def read_known(table: Table, letters: dict[str, Ix], trees: Sequence[Sum]) -> list[Typed]:
    """The meanings of those names among some that are letters, or that the page writes elsewhere; others are labels."""
    return read_all(table, letters, [tree for tree in trees if is_parameter(table, tree)])


def is_parameter(table: Table, tree: Sum) -> bool:
    """Whether what stands below or above the name of a function is a name, and no label."""
    found = table.page.survey.lone(tree)
    return found is not None and (len(found.name) == 1 or found.name in GREEK or found.name in table.page.survey.usages)


def smooth(table: Table, key: str, arguments: Sequence[Typed], beside: tuple[Ix, ...]) -> Meaning:
    """Any smooth function of some arguments, at an entry: an array of its own if there are none."""
    if not arguments:
        return opaque(table, key, beside)
    unit = table.sizes.like(known(table, f"{key}: shift", (None,))[0])
    terms: list[Meaning] = [opaque(table, f"{key}: shift", (unit,))]
    for number, argument in enumerate(arguments, 1):
        axes = tuple(table.sizes.like(axis) for axis in argument.axes)
        node = refreshed(renamed(argument.node, dict(zip(argument.axes, axes, strict=True))), table.sizes)
        part = times(opaque(table, f"{key}: argument {number}", (unit, *axes)), node)
        terms.append(Total(axes, part) if axes else part)
    inner = Applied(unknown(key), Plus(tuple(terms)))
    return Total((unit,), times(opaque(table, f"{key}: values", (unit, *beside)), inner))


def opaque(table: Table, name: str, slots: tuple[Ix, ...]) -> Entry:
    """An entry of an array of which nothing is known."""
    own = known(table, name, slots)
    if len(own) != len(slots):
        raise NotUnderstoodError(f"{name} with another number of axes")
    for one, other in zip(own, slots, strict=True):
        table.sizes.unify(one, other)
    return Entry(name, slots)


def words(text: Iterable[str]) -> str:
    """A part of the name of such an array: no bracket stands in it, as in the name of a value."""
    return " ".join(part for part in text if part not in BRACKETS)


def known(table: Table, name: str, slots: Sequence[Ix | None]) -> tuple[Ix, ...]:
    """The slots of such an array, which are as long as these when it is first met."""
    if name not in table.known:
        fresh, like = table.sizes.fresh, table.sizes.like
        table.known[name] = tuple(fresh() if slot is None else like(slot) for slot in slots)
    return table.known[name]


# Expectations and integrals


@dataclass(frozen=True)
class Outcomes:
    """What is drawn: the names, each with the index variable of its outcomes."""

    table: Table
    indices: Mapping[str, Ix]

    def drawn(self, node: Meaning) -> Meaning:
        """An expression with what the names are in each outcome, and with formulas for what depends on them.

        Raises:
            NotUnderstoodError: for a derivative by a name that is drawn.
        """
        match node:
            case Entry(name, slots) if name in self.indices:
                return opaque(self.table, f"{name} drawn", (*slots, self.indices[name]))
            case Entry(name, slots) if self.depends(name):
                density = self.density(name, slots)
                return density if density is not None else self.drawn(self.formula(name, slots))
            case Derivative(_, wrt) if wrt.name in self.indices or self.depends(wrt.name):
                raise NotUnderstoodError(f"a derivative by {wrt.name}, which is drawn")
            case Derivative(body):
                return replace(node, body=self.drawn(body))
            case _:
                return rebuilt(node, self.drawn)

    def depends(self, name: str) -> bool:
        """Whether a value is made of a name that is drawn."""
        table = self.table
        if is_call(name) and name not in table.definitions:
            learn_function(table, name)
        definition = table.definitions.get(name)
        return definition is not None and not self.indices.keys().isdisjoint(
            all_read(table.definitions, definition.body)
        )

    def formula(self, name: str, slots: tuple[Ix, ...]) -> Meaning:
        """The formula of a name."""
        return placed(self.table.definitions[name], slots, self.table.sizes)

    def density(self, name: str, slots: tuple[Ix, ...]) -> Meaning | None:
        """The density that a call is of the names before its condition; None if it is none, or they are not drawn."""
        table, value = self.table, self.table.page.values.of(name)
        if not isinstance(value, Call) or value.text not in table.page.values.densities:
            return None
        found = [table.page.survey.lone(tree) for tree in value.arguments[: value.first]]
        names = tuple(one.name for one in found if one is not None)
        if len(names) < len(found) or not set(names) <= self.indices.keys():
            return None
        letters = dict(zip(value.letters, slots, strict=False))
        with table.within(name, frozenset(value.letters)):
            scripts = read_known(table, letters, value.scripts)
            parameters = [*scripts, *read_all(table, letters, value.arguments[value.first :])]
        return self.drawn(density_of(table, value.text, {one: self.indices[one] for one in names}, parameters))


def weighted(table: Table, name: str, value: Mean) -> tuple[tuple[Ix, ...], Meaning]:
    """The slots of an expectation or an integral, and its sum over outcomes.

    Raises:
        NotUnderstoodError: if it cannot be read.
    """
    letters = {part: table.index(part) for part in value.letters}
    with table.within(name, frozenset(value.letters)):
        names = [drawn_name(table, tree) for tree in value.drawn]
        parameters = read_known(table, letters, value.given)
        body = table.read(table, letters, value.body, {})
        body = replace(body, node=given(table, letters, value.letters, body.node))
    if not value.measure:
        refuse_hidden(table, names, body.node)
    indices = {one: table.sizes.like(known(table, f"outcomes of {one}", (None,))[0]) for one in names}
    if value.measure:
        density = density_of(table, value.measure, indices, parameters)
        weight = times(base_of(table, indices), density)
    elif value.domain:
        key = f"measure of {' '.join(names)} over {words(value.domain)}"
        weight = Applied("exp", smooth(table, key, parameters, tuple(indices.values())))
    else:
        weight = base_of(table, indices)
    node = Total(tuple(indices.values()), times(weight, Outcomes(table, indices).drawn(body.node)))
    slots = (*(letters[part] for part in value.letters), *body.axes)
    if not set(free(node)) <= set(slots):
        raise NotUnderstoodError(f"a letter in {name} that is none of its indices")
    return slots, node


def refuse_hidden(table: Table, names: Sequence[str], body: Meaning) -> None:
    r"""Refuse an integral over a name that does not stand in what is integrated: that may vary with it unwritten.

    Raises:
        NotUnderstoodError: for ``\int_V x dV``.
    """
    for name in names:
        if not any(one == name or Outcomes(table, {name: table.sizes.fresh()}).depends(one) for one in names_of(body)):
            raise NotUnderstoodError(f"an integral over {name} of what does not hold it")


def drawn_name(table: Table, tree: Sum) -> str:
    """A name that is drawn, whatever an equation says of it elsewhere.

    Raises:
        NotUnderstoodError: for anything else, and for a name that was met with its equation.
    """
    found = table.page.survey.lone(tree)
    if found is None or found.parts is not None or not found.is_plain:
        raise NotUnderstoodError("an expectation over what is no name")
    if found.name not in table.known:
        rank = table.view.rank(found, defined=False)
        table.known[found.name] = tuple(table.sizes.fresh(found.name) for _ in range(rank))
        table.measure(found.name, table.known[found.name])
    if found.name in table.definitions:
        raise NotUnderstoodError(f"an expectation over {found.name}, which an equation gives")
    return found.name


def base_of(table: Table, indices: Mapping[str, Ix]) -> Meaning:
    """The weights of outcomes: positive numbers."""
    return times(*(Applied("exp", opaque(table, f"outcomes of {name}", (index,))) for name, index in indices.items()))


def density_of(table: Table, text: tuple[str, ...], indices: Mapping[str, Ix], arguments: Sequence[Typed]) -> Meaning:
    """``exp(s_o) / sum_o m_o exp(s_o)``: positive, and with the weights of all outcomes it sums to one."""
    own = {name: table.sizes.like(index) for name, index in indices.items()}
    above, below = (
        Applied("exp", smooth(table, f"density {words(text)}", arguments, tuple(some.values())))
        for some in (indices, own)
    )
    return times(above, over(Total(tuple(own.values()), times(base_of(table, own), below))))
