r"""Fields: a nabla, ``div``, ``curl`` or ``\partial_i`` alone differentiates by the place, which no formula names.

All that is differentiated so and has no equation is any function of the place, unless it is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.derivatives import derivative
from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import (
    Derivative,
    Entry,
    Meaning,
    Number,
    Plus,
    Raised,
    Times,
    Total,
    names_of,
    renamed,
    times,
)
from indexcalc.document.meaning.sizes import Ix, SizeError
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError, all_read
from indexcalc.document.meaning.typed import ROW, Typed
from indexcalc.document.scope import Scope
from indexcalc.document.statements.field_signs import WORDS, is_directed, is_squared
from indexcalc.document.table import Table
from indexcalc.document.units import permutation_sign
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted, Sum

GRADIENT = choice(
    Kind.LAYOUT,
    "the gradient of a vector field",
    Option("columns", 0.0, "the gradient of a vector field has a row for each of its components", free=True),
    Option("rows", 0.05, "the gradient of a vector field has a column for each of its components", free=True),
)
"""Which axes come first in the gradient of an array."""

DIVERGENCE = choice(
    Kind.LAYOUT,
    "the divergence of a matrix",
    Option("rows", 0.0, "the divergence of a matrix is that of its rows", free=True),
    Option("columns", 0.05, "the divergence of a matrix is that of its columns", free=True),
)
"""Along which axis of a matrix its divergence is taken."""

HIGHEST = 2
"""How often a field may be differentiated."""


@dataclass(frozen=True)
class Sign:
    """A derivative of a field: its kind, by how many items it is written, the index below it, and how often it is."""

    kind: str
    length: int
    below: tuple[Token, ...] = ()
    times: int = 1


def sign_at(table: Table, items: Sequence[Node], position: int) -> Sign | None:
    """The derivative of a field that starts with a factor; None if none does."""
    item = items[position]
    base = item.base if isinstance(item, Scripted) else item
    below = tuple(item.below) if isinstance(item, Scripted) else ()
    above = item.above if isinstance(item, Scripted) else ()
    if not isinstance(base, Atom):
        return None
    if base.kind == "PARTIAL" and below and (not above or is_squared(item)):
        return Sign("partial", 1, below, 2 if above else 1)
    if base.kind == "NAME" and base.text in WORDS and item is base and base.text not in table.page.defining:
        return Sign(WORDS[base.text], 1) if position + 1 < len(items) else None
    if base.kind != "NABLA" or below:
        return None
    if above:
        return Sign("Laplacian", 1) if is_squared(item) else None
    following = items[position + 1] if position + 1 < len(items) else None
    operator = following.text if isinstance(following, Atom) and following.kind == "TIMES" else ""
    return Sign({"cdot": "divergence", "times": "curl"}.get(operator, "gradient"), 2 if operator else 1)


def directed(item: Node) -> Sequence[Node] | None:
    r"""The factors in ``(v \cdot \nabla)`` before the point; None for all else."""
    if not isinstance(item, Group) or item.bracket != "(" or len(item.members) != 1:
        return None
    only = item.members[0].only
    return only.items[:-2] if only is not None and is_directed(only.items) else None


def applied(table: Table, sign: Sign, value: Typed) -> Typed:
    """The derivative of a field.

    Raises:
        NotUnderstoodError: for what has no such derivative, and as long as nothing says what is meant.
    """
    settle(table)
    match sign.kind:
        case "gradient":
            return gradient(table, value)
        case "divergence":
            return divergence(table, value)
        case "curl":
            return curl(table, value)
        case "Laplacian":
            (axis,) = slots_of(table)
            return replace(value, node=summed(table, slope(table, slope(table, value.node, axis), axis), axis))
    raise NotUnderstoodError(f"the sign of a {sign.kind}")


def component(scope: Scope, below: Sum, target: Callable[[Sequence[Node]], Typed]) -> Typed:
    """What a sign of a derivative with a script differentiates by: a component of the place, or a name."""
    table, only = scope.table, below.only
    if only is None:
        raise NotUnderstoodError("a derivative by an expression")
    (slot,) = slots_of(table)
    letter = below.lone.text if isinstance(below.lone, Atom) else ""
    letters = table.page.index_letters | (table.head or frozenset())
    index = scope.place(letter) if letter.isdigit() or letter in letters else None
    if index is None:
        return target(only.items)
    table.sizes.unify(index, slot)
    return Typed(Entry(table.page.fields.place, (index,)))


def partial(table: Table, value: Typed, wrt: Typed) -> Typed:
    r"""The derivative by one component of the place, or by another variable, ``\partial_t``."""
    settle(table)
    if not isinstance(wrt.node, Entry) or wrt.axes:
        raise NotUnderstoodError("the sign of a derivative by what is no number")
    return replace(value, node=by(table, value.node, wrt.node))


ALONE = "a nabla alone"
"""The subject of the question what a nabla differentiates by that has nothing below it."""


def settle(table: Table) -> None:
    """Ask whether a nabla alone is taken by the place, as is usual on a page with a divergence or a curl."""
    usual = table.page.fields.flow
    question = choice(
        Kind.DERIVATIVE,
        ALONE,
        Option("none", 0.1 if usual else 0.0, "a nabla alone says nothing of what it is taken by"),
        Option("place", 0.0 if usual else 0.1, "a nabla alone is taken by the place", free=True),
    )
    if table.asking(question).name == "none":
        raise NotUnderstoodError(
            "a nabla without what it is taken by, as in \\nabla_w L, or in L(w) where L is defined"
        )


def slots_of(table: Table) -> tuple[Ix, ...]:
    """A new index for the components of the place."""
    name, sizes, count = table.page.fields.place, table.sizes, table.page.fields.dimension
    if name not in table.known:
        table.known[name] = (sizes.measured(count) if count else sizes.fresh(),)
    return tuple(table.sizes.like(slot) for slot in table.known[name])


def slope(table: Table, node: Meaning, axis: Ix) -> Meaning:
    """The derivative by a component of the place."""
    return by(table, node, Entry(table.page.fields.place, (axis,)))


def by(table: Table, node: Meaning, wrt: Entry) -> Meaning:
    """The derivative of an expression of fields."""
    vary(table, node)
    if depth(node) >= HIGHEST:
        raise NotUnderstoodError("a third derivative of a field")
    return derivative(table, node, wrt)


def depth(node: Meaning) -> int:
    """How many derivatives stand in one another."""
    inner = max((depth(part) for part in typed_children(node)), default=0)
    return inner + isinstance(node, Derivative)


def typed_children(node: Meaning) -> tuple[Meaning, ...]:
    """The parts of an expression that may hold derivatives."""
    match node:
        case Derivative(body=body) | Total(body=body):
            return (body,)
        case Times(factors=parts) | Plus(terms=parts):
            return parts
        case Raised(base=base):
            return (base,)
    return ()


def summed(table: Table, node: Meaning, axis: Ix) -> Meaning:
    """The sum over an index, under another one."""
    dummy = table.sizes.like(axis)
    return Total((dummy,), renamed(node, {axis: dummy}))


def vary(table: Table, node: Meaning) -> None:
    """All that an expression rests on and that has no equation is any function of the place, or constant."""
    slots_of(table)
    own = arguments(table)
    for name in sorted(all_read(table.definitions, node)):
        if name in table.definitions or name in own or name not in table.page.survey.usages:
            continue
        if is_field(table, name):
            table.suppose(name, own)


def arguments(table: Table) -> tuple[str, ...]:
    """What the fields of a statement are functions of: the place, and what is below other signs of a derivative."""
    others = [name for name in table.page.fields.variables[table.number] if name != table.page.fields.place]
    for name in others:
        if name not in table.known:
            table.known[name] = ()
    return (table.page.fields.place, *others)


def is_field(table: Table, name: str) -> bool:
    """Whether a name is a field; one that nothing differentiates alone may well be the same everywhere."""
    alone, said = name in table.page.fields.names, name in table.page.held[table.number]
    question = choice(
        Kind.DERIVATIVE,
        f"{name} as a field" + (f" in statement {table.number}" if said else ""),
        Option("field", 0.0, f"{name} is a field"),
        Option("constant", 0.3 if alone else 0.1, f"{name} is the same everywhere", free=not alone, stated=said),
    )
    return table.asking(question).name == "field"


def gradient(table: Table, value: Typed) -> Typed:
    """The derivatives of all components: of a number a column, of a vector a matrix."""
    (axis,) = slots_of(table)
    node = slope(table, value.node, axis)
    if not value.axes:
        return Typed(node, (axis,))
    rows = table.asking(GRADIENT).name == "rows"
    result = Typed(node, (axis, *value.axes) if rows else (*value.axes, axis))
    return typed.transpose(result) if value.orientation == ROW and len(value.axes) == 1 else result


def divergence(table: Table, value: Typed) -> Typed:
    """The sum over the components of a vector of each one's own derivative; of a matrix, that of its rows."""
    if not value.axes or len(value.axes) > 2:
        raise RankError("the divergence of what is no vector and no matrix")
    last = len(value.axes) == 1 or table.asking(DIVERGENCE).name == "rows"
    own = value.axes[-1] if last else value.axes[0]
    rest = tuple(axis for axis in value.axes if axis != own)
    (axis,) = slots_of(table)
    table.sizes.unify(own, axis)
    return Typed(summed(table, renamed(slope(table, value.node, axis), {own: axis}), axis), rest)


def curl(table: Table, value: Typed) -> Typed:
    """(curl u)_i = sum_jk epsilon_ijk du_k/dx_j, in space."""
    if len(value.axes) != 1:
        raise RankError("the curl of what is no vector")
    first, second, third = (table.sizes.measured(3) for _ in range(3))
    (axis,) = slots_of(table)
    try:
        table.sizes.unify(second, axis)
        table.sizes.unify(third, value.axes[0])
    except SizeError:
        raise NotUnderstoodError("a curl of vectors that have not three entries") from None
    sloped = renamed(slope(table, value.node, axis), {axis: second, value.axes[0]: third})
    return Typed(Total((second, third), times(permutation_sign(table.sizes, (first, second, third)), sloped)), (first,))


def along(table: Table, left: Typed, value: Typed) -> Typed:
    r"""sum_j v_j du/dx_j: the derivative along a vector field, ``v \cdot \nabla u``."""
    settle(table)
    if not left.axes:
        return typed.product(left, gradient(table, value), table.sizes)
    (axis,) = slots_of(table)
    table.sizes.unify(left.axes[-1], axis)
    sloped = slope(table, value.node, axis)
    body = times(renamed(left.node, {left.axes[-1]: axis}), sloped)
    return replace(value, node=summed(table, body, axis), axes=(*left.axes[:-1], *value.axes))


# Laws and identities


def may_be_law(table: Table, left: Meaning, right: Meaning) -> str:
    """Why an equation between fields may be a law for them, which holds for some alone; empty if it is an identity.

    An identity holds for all fields, so for those that are scaled, too: every term has the same factors, and as many
    derivatives.
    """
    if (Kind.DERIVATIVE, ALONE) not in table.asking.asked:
        return ""
    if table.page.fields.obey_laws:
        return "the page has laws for its fields"
    degrees = degrees_of(table, left), degrees_of(table, right)
    alike = degrees[0] == degrees[1] and degrees[0] is not None and len(degrees[0]) == 1
    return "" if alike else "it may be a law for the fields in it"


Degree = frozenset[tuple[str, int]]
"""How often each name is a factor, and how often a derivative is taken, counted down."""


def degrees_of(table: Table, node: Meaning) -> frozenset[Degree] | None:
    """The degrees of the terms of an expression; None if it is no sum of products."""
    match node:
        case Number(value) if value == 0:
            return frozenset()
        case Entry(name):
            definition = None if name in table.supposed else table.definitions.get(name)
            return degrees_of(table, definition.body) if definition is not None else frozenset({frozenset({(name, 1)})})
        case Derivative(body, wrt):
            return multiplied(degrees_of(table, body), frozenset({frozenset({(wrt.name, -1)})}))
        case Total(body=body):
            return degrees_of(table, body)
        case Plus(terms):
            parts = [degrees_of(table, term) for term in terms]
            return None if None in parts else frozenset[Degree]().union(*(part for part in parts if part is not None))
        case Times(factors):
            found: frozenset[Degree] | None = frozenset({frozenset()})
            for factor in factors:
                found = multiplied(found, degrees_of(table, factor))
            return found
        case Raised(base, Number(exponent)) if exponent.is_Integer and 0 < exponent <= HIGHEST:
            inner = degrees_of(table, base)
            return inner if exponent == 1 else multiplied(inner, inner)
        case _ if not names_of(node):
            return frozenset({frozenset()})
    return None


def multiplied(left: frozenset[Degree] | None, right: frozenset[Degree] | None) -> frozenset[Degree] | None:
    """The degrees of the products of terms."""
    if left is None or right is None:
        return None
    found = set[Degree]()
    for one in left:
        for other in right:
            counts = dict(one)
            for name, count in other:
                counts[name] = counts.get(name, 0) + count
            found.add(frozenset((name, count) for name, count in counts.items() if count))
    return frozenset(found)
