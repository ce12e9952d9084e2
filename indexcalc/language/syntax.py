"""The syntax tree of a formula in a spec: what the author wrote, with places, before any meaning is given to it.

The reader of spec texts and the Python API both build this tree, and one lowering reads it; the statements
of a spec, made of such formulas, stand in `lines`.
Sums and products are flat, so that a long line is not a deep tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import sympy as sp

DEPTH_LIMIT = 40
"""The deepest nesting of operations in one expression."""

WIDTH_LIMIT = 2_000
"""The most terms of one sum, or factors of one product."""


@dataclass(frozen=True, slots=True)
class At:
    """A place in the spec text: 1-based line and column."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The name of an index, where it stands between square brackets; or an expression, whose text is then the name."""

    name: str
    at: At | None = None
    expression: Expression | None = None


Layout = tuple[int, ...]
"""The number of slots of each axis, as in ``W[m,(h,k)]``: (1, 2); empty where every axis has one slot."""


def plain_or_fused(groups: tuple[int, ...]) -> Layout:
    """The layout of axes with these numbers of slots."""
    return groups if any(size != 1 for size in groups) else ()


def written(name: str, slots: Iterable[str], layout: Layout = ()) -> str:
    """``W[m,(h,k)]`` as an author writes it; a bare name without slots."""
    names = iter(slots)
    axes = [[*islice(names, size)] for size in layout] if layout else [[name] for name in names]
    texts = [axis[0] if len(axis) == 1 else f"({','.join(axis)})" for axis in axes]
    return f"{name}[{','.join(texts)}]" if texts else name


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, or a scalar expression in extents and parameters."""

    value: sp.Expr
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """``A[i,j]``, or a bare name where `slots` is None."""

    name: str
    slots: tuple[Slot, ...] | None = None
    at: At | None = None
    layout: Layout = ()


@dataclass(frozen=True, slots=True)
class Gradient:
    """``dL/dA[i,j]``; the slots may be left out where a line only names the tensor."""

    of: str
    slots: tuple[Slot, ...] | None = None
    at: At | None = None
    layout: Layout = ()


@dataclass(frozen=True, slots=True)
class Bracket:
    """``[i <= j]``: 1 where the relation holds, else 0."""

    left: Slot
    relation: str
    right: Slot
    at: At | None = None


@dataclass(frozen=True, slots=True)
class ExtentOf:
    """The extent of an index, as a scalar; only written by sugar such as ``mean``."""

    index: Slot
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A pointwise function of its argument, with scalar constants after it."""

    function: str
    args: tuple[Expression, ...]
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Reduce:
    """``sum[k](body)``, or sugar such as ``mean[k](body)`` and ``softmax[k](body)``.

    `extents` are those that the author wrote at the sum itself, as SymPy's sums have them; one for
    each index, or none at all. `inverse` is the tensor of inverse matrices, for ``logdet[i,j](A[i,j])``.
    """

    operator: str
    indices: tuple[Slot, ...]
    body: Expression
    at: At | None = None
    extents: tuple[sp.Expr, ...] = ()
    inverse: str = ""


@dataclass(frozen=True, slots=True)
class Plus:
    """``a + b + ...``; a difference is the sum with a `Negate`."""

    parts: tuple[Expression, ...]
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """``a * b * ...``; a quotient is the product with an `Over`."""

    factors: tuple[Expression, ...]
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Negate:
    """``-a``."""

    operand: Expression
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """``1 / a``, the divisor of a product; `at` is the place of the division sign."""

    operand: Expression
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Raise:
    """``a ^ b``."""

    base: Expression
    exponent: Expression
    at: At | None = None


def axes_of(node: Entry | Gradient) -> tuple[tuple[Slot, ...], ...]:
    """The slots as they are written, grouped into axes."""
    slots = iter(node.slots or ())
    sizes = node.layout or (1,) * len(node.slots or ())
    return tuple(tuple(islice(slots, size)) for size in sizes)


Expression = Scalar | Entry | Gradient | Bracket | ExtentOf | Call | Reduce | Plus | Times | Negate | Over | Raise


def names_in_slot(slot: Slot) -> Iterator[Slot]:
    """The bare names that a slot holds, as slots: indices and extents."""
    if slot.expression is None:
        yield slot
        return
    for node in nodes_in(slot.expression):
        if isinstance(node, Entry):
            if node.slots is None:
                yield Slot(node.name, node.at)
            else:
                for inner in node.slots:
                    yield from names_in_slot(inner)


def slot_of(expression: Expression) -> Slot:
    """A slot that holds an expression; a bare name is an index."""
    if isinstance(expression, Entry) and expression.slots is None:
        return Slot(expression.name, expression.at)
    return Slot(expression_text(expression), expression.at, expression)


def expression_text(node: Expression) -> str:
    """What a slot holds in plain text."""
    match node:
        case Scalar(value=value):
            return str(value)
        case Entry(name=name, slots=slots, layout=layout):
            return written(name, (slot.name for slot in slots or ()), layout)
        case Negate(operand=operand):
            return f"-{expression_text(operand)}"
        case Plus(parts=parts):
            text = expression_text(parts[0])
            return text + "".join(part if part[0] == "-" else f"+{part}" for part in map(expression_text, parts[1:]))
        case Times(factors=factors):
            return "*".join(map(expression_text, factors))
        case Over(operand=operand):
            return f"/{expression_text(operand)}"
    return "..."


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions right below this one, in authored order."""
    match node:
        case Call(args=args):
            return args
        case Reduce(body=body):
            return (body,)
        case Plus(parts=parts):
            return parts
        case Times(factors=factors):
            return factors
        case Negate(operand=operand) | Over(operand=operand):
            return (operand,)
        case Raise(base=base, exponent=exponent):
            return (base, exponent)
        case _:
            return ()


def with_children(node: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The node with a change made to each expression right below it."""
    match node:
        case Call(args=args):
            return replace(node, args=tuple(map(change, args)))
        case Reduce(body=body):
            return replace(node, body=change(body))
        case Plus(parts=parts):
            return replace(node, parts=tuple(map(change, parts)))
        case Times(factors=factors):
            return replace(node, factors=tuple(map(change, factors)))
        case Negate(operand=operand) | Over(operand=operand):
            return replace(node, operand=change(operand))
        case Raise(base=base, exponent=exponent):
            return replace(node, base=change(base), exponent=change(exponent))
        case _:
            return node


def nodes_in(expression: Expression) -> Iterator[Expression]:
    """Every node of the tree once, also where Python shares it between places."""
    pending, seen = [expression], set()
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            pending.extend(reversed(children(node)))


def beyond_limits(node: Expression) -> tuple[Expression, str] | None:
    """The first node that is nested too deep or has too many parts, and what is wrong; never recursive."""
    pending = [(node, 0)]
    while pending:
        current, depth = pending.pop()
        below = children(current)
        if depth > DEPTH_LIMIT:
            return current, f"the expression is nested more than {DEPTH_LIMIT} levels deep"
        if len(below) > WIDTH_LIMIT:
            return current, f"a sum or product with more than {WIDTH_LIMIT} parts"
        pending.extend((child, depth + 1) for child in reversed(below))
    return None
