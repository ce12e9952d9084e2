"""Sums and means along an axis, and the products entry by entry that stand beside them in code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from indexcalc.language.latex.reductions import Reduction, reduction_of
from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.meaning.nodes import Size, Total, over, times
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import COLUMN, Typed
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.roles import Roles, names_of_tree


def reduced(reader: Scope, reduction: Reduction, argument: Typed) -> Typed:
    """The sum, or the mean, along one axis; an axis that is kept has any length, for it is broadcast."""
    rank = len(argument.axes)
    if not -rank <= reduction.axis < rank:
        raise NotUnderstoodError(f"axis {reduction.axis} of an array with {rank} axes")
    place = reduction.axis % rank
    axis = argument.axes[place]
    node = Total((axis,), argument.node)
    kept = (reader.sizes.fresh(),) if reduction.kept else ()
    axes = (*argument.axes[:place], *kept, *argument.axes[place + 1 :])
    value = times(over(Size(axis)), node) if reduction.kind == "mean" else node
    return replace(argument, node=value, axes=axes, orientation=COLUMN)


def entry_by_entry(left: Typed, right: Typed, sizes: Sizes) -> bool:
    """Whether two matrices fit entry by entry, with different sizes along both axes or clashing inner ones."""
    if len(left.axes) != 2 or len(right.axes) != 2:
        return False
    a, b = ([sizes.find(axis) for axis in value.axes] for value in (left, right))
    if a == b:
        return a[0] != a[1]
    return fits(zip(left.axes, right.axes, strict=True), sizes) and not fits([(left.axes[1], right.axes[0])], sizes)


def fits(pairs: Iterable[tuple[Ix, Ix]], sizes: Sizes) -> bool:
    """Whether pairs of sizes may be equal."""
    tried = sizes.copy()
    try:
        for one, other in pairs:
            tried.unify(one, other)
    except ShapeError:
        return False
    return True


def is_codelike(roles: Roles, trees: Iterable[Sum]) -> bool:
    """Whether a chain has a sum along an axis."""
    return any(reduction_of(found.name) is not None for tree in trees for found in names_of_tree(roles, tree))


def ranks(roles: Roles, tree: Sum) -> set[int]:
    """The numbers of slots of the arrays in a member."""
    symbols = roles.symbols
    slots = (symbols.slots.get(symbols.resolve(found.name)) for found in names_of_tree(roles, tree))
    return {len(own) for own in slots if own}
