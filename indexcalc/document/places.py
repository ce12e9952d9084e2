"""Places: indices that are expressions, as numbers that are computed from the values of index variables.

``x_{i+k}`` is the entry of x at a place, and so is ``E_{tok_n, d}``, where ``tok_n`` is a whole number.
"""

from __future__ import annotations

from functools import lru_cache

import sympy as sp

from indexcalc.document.choices import NUMBERING
from indexcalc.document.meaning.nodes import Entry, Gathered, Meaning, Number, Plus, Relation, Size, Times, Value
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.scope import Scope
from indexcalc.document.statements.index_expressions import Expression, is_index_letter
from indexcalc.document.statements.scripts import COLON, Named
from indexcalc.document.statements.trees import is_operator
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tree import Atom, Node, Sum

EXPRESSIONS = 2000
"""How many syntax trees of expressions are remembered."""


@lru_cache(EXPRESSIONS)
def tree_of(part: Expression) -> Sum:
    """The syntax tree of an index."""
    try:
        return parse(part.tokens)
    except IndexCalcError as error:
        raise NotUnderstoodError(f"the index {part}: {error}") from None


def first_value(table: Table) -> Number:
    """What an index counts from; zero without a question where an entry has the number 0."""
    if table.page.counts_from_zero:
        return Number(sp.S.Zero)
    return Number(sp.Integer(table.asking(NUMBERING).name == "one"))


def place_of(scope: Scope, part: str, axis: Ix) -> Meaning:
    """The place along an axis that one part of a subscript says, counted from 0."""
    if isinstance(part, Expression):
        return counted(number_of(scope, tree_of(part), axis), -first_value(scope.table).value)
    if part == COLON:
        raise NotUnderstoodError("a slice beside an index that is an expression")
    index = scope.place(part)
    assert index is not None
    scope.table.sizes.unify(index, axis)
    return Value(index)


def number_of(scope: Scope, tree: Sum, axis: Ix | None = None) -> Meaning:
    """An expression of indices as a number, as the document counts; its lookups are places along an axis.

    Raises:
        NotUnderstoodError: for what is no sum of multiples of indices, sizes and entries of whole numbers.
    """
    terms = []
    for sign, term in tree.terms:
        factors = [factor_of(scope, item, axis) for item in term.items if not is_operator(item)]
        if sign < 0:
            factors.insert(0, Number(-sp.S.One))
        terms.append(factors[0] if len(factors) == 1 else Times(tuple(factors)))
    return terms[0] if len(terms) == 1 else Plus(tuple(terms))


def factor_of(scope: Scope, item: Node, axis: Ix | None) -> Meaning:
    """A whole number, a size, the value of an index, or the entry of an array of whole numbers."""
    table = scope.table
    if isinstance(item, Atom) and item.kind == "NUM" and item.text.isdigit():
        return Number(sp.Integer(item.text))
    found = table.page.survey.name(item)
    if found is None or not found.is_plain:
        raise NotUnderstoodError("what is no index in an index")
    if found.parts is not None:
        return counted(lookup(scope, found, axis), first_value(table).value)
    if table.view.is_size(found.name):
        return Size(table.sizes.named(found.name))
    if not isinstance(item, Atom) or not is_index_letter(item.token):
        raise NotUnderstoodError(f"{found.name} in an index: no statement says that it is a size")
    return counted(Value(scope.letter(found.name)), first_value(table).value)


def lookup(scope: Scope, found: Named, axis: Ix | None) -> Meaning:
    """The entry of an array whose entries are places along an axis, counted from 0."""
    table = scope.table
    name, slots = table.symbol(found)
    if name in table.definitions or len(slots) != len(found.parts or ()):
        raise NotUnderstoodError(f"{found.name} in an index, which is computed")
    if name in table.whole and axis is not None:
        table.sizes.unify(table.whole[name], axis)
    elif axis is None:
        raise NotUnderstoodError(f"{found.name} beside an index: no statement says what it is an index of")
    table.whole.setdefault(name, axis)
    return entry(scope, name, slots, found.parts or ())


def entry(scope: Scope, name: str, slots: tuple[Ix, ...], parts: tuple[str, ...]) -> Meaning:
    """The entry of an array at indices of which some are expressions."""
    sizes = scope.table.sizes
    own: list[Ix] = []
    axes: list[Ix] = []
    places: list[Meaning] = []
    for part, slot in zip(parts, slots, strict=True):
        if isinstance(part, Expression):
            axes.append(sizes.like(slot))
            places.append(place_of(scope, part, axes[-1]))
            own.append(axes[-1])
            continue
        index = scope.place(part)
        if index is not None and sizes.differ(index, slot):
            axes.append(sizes.like(slot))
            places.append(Value(index))
            own.append(axes[-1])
            continue
        own.append(sizes.like(slot) if index is None else index)
        sizes.unify(own[-1], slot)
    inner = Entry(name, tuple(own))
    return Gathered(inner, tuple(axes), tuple(places)) if axes else inner


def delta_of(scope: Scope, found: Named) -> Meaning:
    """Kronecker's delta of two indices of which one at least is an expression."""
    parts = found.parts or ()
    plain = [scope.place(part) for part in parts if not isinstance(part, Expression)]
    axis = plain[0] if plain else None
    start = first_value(scope.table).value
    sides = []
    for part in parts:
        if isinstance(part, Expression):
            sides.append(number_of(scope, tree_of(part), axis))
        elif axis is None:
            raise NotUnderstoodError("a slice of a delta")
        else:
            sides.append(counted(Value(axis), start))
    return Relation(sides[0], "==", sides[1])


def compared(scope: Scope, left: Sum, relation: str, right: Sum) -> Meaning | None:
    """One where a relation between expressions of indices holds, else zero; None if the sides are none."""
    if not any(has_letter(scope, side) for side in (left, right)):
        return None
    letters = [scope.lone(side) for side in (left, right)]
    axis = next((one for one in letters if one is not None), None)
    beside = relation in ("=", "!=") and axis is not None
    if not all(is_index(scope, side, beside=beside) for side in (left, right)):
        return None
    above = relation in (">", ">=")
    one, other = (number_of(scope, side, axis) for side in ((right, left) if above else (left, right)))
    return Relation(one, {"=": "==", ">": "<", ">=": "<="}.get(relation, relation), other)


def has_letter(scope: Scope, tree: Sum) -> bool:
    """Whether an index letter, or a lookup, stands in a sum."""
    names = (scope.table.page.survey.name(item) for _, term in tree.terms for item in term.items)
    return any(found is not None and not scope.table.view.is_size(found.name) for found in names)


def is_index(scope: Scope, tree: Sum, *, beside: bool = False) -> bool:
    """Whether a sum is made of index letters, sizes, whole numbers and lookups, or `beside` a letter of what may be."""
    table = scope.table

    def fits(item: Node) -> bool:
        found = table.page.survey.name(item)
        if found is None:
            return is_operator(item) or (isinstance(item, Atom) and item.kind == "NUM" and item.text.isdigit())
        if found.parts is not None:
            may_be = beside and table.view.definition_of(found) is None
            return (found.name in table.whole or may_be) and found.is_plain
        # A letter of the relation is an index, whatever the page says of it elsewhere, as in "only t = 0 is left".
        here = found.name in scope.letters or scope.binds(found.name)
        letter = here or (found.name in table.page.index_letters and found.name not in table.page.defining)
        return found.is_plain and (letter or table.view.is_size(found.name))

    return all(fits(item) for _, term in tree.terms for item in term.items)


def counted(value: Meaning, start: sp.Expr) -> Meaning:
    """A value that counts from 0 as one that counts from `start`."""
    return Plus((value, Number(start))) if start else value
