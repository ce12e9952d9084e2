"""Matrix notation written out in indices: every expression with its axes, and the products that join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from indexcalc.document.meaning.constants import simplified
from indexcalc.document.meaning.nodes import (
    HALF,
    TWO,
    ZERO,
    Applied,
    Cholesky,
    Derivative,
    Determinant,
    Entry,
    Exponential,
    Inverse,
    Meaning,
    Plus,
    Raised,
    Total,
    between,
    over,
    renamed,
    times,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, SizeError, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError

COLUMN, ROW = "column", "row"

TOO_MANY_AXES = "a product of arrays with more than two axes"
"""The reason for not reading a product that has no fixed layout."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression and its axes: none for a scalar or an entry, one for a vector, two for a matrix.

    Attributes:
        node: the expression, over its axes and the free letters of the equation.
        axes: the axes in order.
        orientation: of a vector: a column until it is transposed.
        jacobian: whether it is the derivative of an array by an array.
        groups: of how many axes each side is made, where one is made of several; else empty.
    """

    node: Meaning
    axes: tuple[Ix, ...] = ()
    orientation: str = COLUMN
    jacobian: bool = False
    groups: tuple[int, ...] = ()


Side = tuple[Ix, ...]
"""The axes of which one side of an array is made: one, but for Kronecker products and columns one below the other."""


def sides(value: Typed) -> tuple[Side, ...]:
    """The sides of an array: one for a vector, two for a matrix."""
    axes = iter(value.axes)
    return tuple(tuple(islice(axes, count)) for count in value.groups or (1,) * len(value.axes))


def meet(left: Side, right: Side, sizes: Sizes) -> None:
    """Say that two sides are as long, axis by axis.

    Raises:
        NotUnderstoodError: if they are not made of as many axes, or are as long, but axis by axis they are not.
        SizeError: if they are not as long.
    """
    if len(left) != len(right):
        raise NotUnderstoodError("a Kronecker product beside an array of which no blocks are known")
    if len(left) > 1:
        names = [[sizes.name_of(axis) for axis in side] for side in (left, right)]
        if names[0] != names[1] and sorted(names[0]) == sorted(names[1]) and "?" not in names[0]:
            raise NotUnderstoodError("sides of Kronecker products that are as long, in blocks of other sizes")
    for one, other in zip(left, right, strict=True):
        sizes.unify(one, other)


def scalar(node: Meaning) -> Typed:
    """An expression without axes."""
    return Typed(node)


def transpose(value: Typed) -> Typed:
    """The transpose; of a vector a row, of an entry the entry itself."""
    own = sides(value)
    if len(own) > 2:
        raise RankError("the transpose of an array with more than two axes")
    orientation = ROW if len(own) == 1 and value.orientation == COLUMN else COLUMN
    axes = tuple(chain(*reversed(own)))
    return replace(value, axes=axes, orientation=orientation, groups=tuple(reversed(value.groups)))


def at(value: Typed, indices: tuple[Ix | None, ...], sizes: Sizes) -> Typed:
    """The entries at the given indices; None keeps an axis."""
    if value.groups:  # elsewhere four indices below such a sign are those of all products, A_{ij} B_{kl}
        raise NotUnderstoodError("indices of a Kronecker product")
    if len(indices) != len(value.axes):
        raise RankError(f"{len(indices)} indices on an expression with {len(value.axes)} axes")
    names: dict[Ix, Ix] = {}
    kept = []
    for axis, index in zip(value.axes, indices, strict=True):
        if index is None:
            kept.append(axis)
        else:
            sizes.unify(axis, index)
            names[axis] = index
    return Typed(renamed(value.node, names), tuple(kept), jacobian=value.jacobian)


def product(left: Typed, right: Typed, sizes: Sizes) -> Typed:
    """The product by juxtaposition: of matrices, of vectors as they are oriented, or with a scalar."""
    jacobian = left.jacobian or right.jacobian
    if not left.axes or not right.axes:
        rest = left if left.axes else right
        return replace(rest, node=times(left.node, right.node), jacobian=jacobian)
    if (chain := chained(left, right, sizes)) is not None:
        return chain
    if len(left.axes) == 1 and len(right.axes) == 3 and right.jacobian:  # the derivative of such a vector by a matrix
        return replace(contracted(left, right, sizes, jacobian), orientation=COLUMN)
    counts = len(sides(left)), len(sides(right))
    if max(counts) > 2:
        raise NotUnderstoodError(TOO_MANY_AXES)
    if counts == (1, 1):
        if left.orientation == ROW and right.orientation == COLUMN:
            return contracted(left, right, sizes, jacobian)
        if left.orientation == COLUMN and right.orientation == ROW:
            groups = grouped(*sides(left), *sides(right))
            return Typed(times(left.node, right.node), (*left.axes, *right.axes), COLUMN, jacobian, groups)
        raise RankError("a product of two vectors without a transpose")
    if counts == (2, 1) and right.orientation == ROW:
        raise RankError("a matrix times a row vector")
    return contracted(left, right, sizes, jacobian)


def chained(left: Typed, right: Typed, sizes: Sizes) -> Typed | None:
    """The chain rule, ``dL/dy dy/dx``, over all entries of y; None if the factors are none of its kind.

    The left factor is a gradient by y, or, before the derivative by a matrix or an entry, any vector like y.
    """
    inner = right.node.body if isinstance(right.node, Derivative) else None
    if not isinstance(right.node, Derivative) or not isinstance(inner, Entry) or not inner.slots:
        return None
    gradient = isinstance(left.node, Derivative) and left.node.wrt.name == inner.name
    gradient = gradient and not free_of_axes(left)
    if len(left.axes) != len(inner.slots) or not set(inner.slots) <= set(right.axes):
        return None
    if not gradient and (len(left.axes) != 1 or len(right.axes) == 2):
        return None
    above = left.node.wrt.slots if gradient and isinstance(left.node, Derivative) else left.axes
    dummies = []
    for one, other in zip(above, inner.slots, strict=True):
        sizes.unify(one, other)
        dummies.append(sizes.fresh(""))
        sizes.unify(dummies[-1], one)
    factors = (
        renamed(left.node, dict(zip(above, dummies, strict=True))),
        renamed(right.node, dict(zip(inner.slots, dummies, strict=True))),
    )
    axes = tuple(axis for axis in right.axes if axis not in inner.slots)
    return Typed(Total(tuple(dummies), times(*factors)), axes, left.orientation, True)


def free_of_axes(value: Typed) -> bool:
    """Whether a derivative has indices that are no axes: then its target is not whole."""
    return not isinstance(value.node, Derivative) or set(value.node.wrt.slots) != set(value.axes)


def contracted(left: Typed, right: Typed, sizes: Sizes, jacobian: bool) -> Typed:
    """The sum over the last side of the left and the first of the right."""
    (*above, a), (b, *below) = sides(left), sides(right)
    meet(a, b, sizes)
    dummies = unnamed(a, sizes)
    factors = (
        renamed(left.node, dict(zip(a, dummies, strict=True))),
        renamed(right.node, dict(zip(b, dummies, strict=True))),
    )
    rest = (*above, *below)
    row = len(rest) == 1 and not above
    return Typed(Total(dummies, times(*factors)), tuple(chain(*rest)), ROW if row else COLUMN, jacobian, grouped(*rest))


def unnamed(side: Side, sizes: Sizes) -> Side:
    """New index variables without a letter, as long as the axes of a side."""
    dummies = tuple(sizes.fresh("") for _ in side)
    meet(dummies, side, sizes)
    return dummies


def grouped(*own: Side) -> tuple[int, ...]:
    """Of how many axes each side is made; empty where none is made of several."""
    return tuple(map(len, own)) if any(len(side) != 1 for side in own) else ()


def aligned(values: list[Typed], sizes: Sizes) -> tuple[list[Meaning], tuple[Ix, ...]]:
    """Expressions brought to common axes: equal ranks axis by axis, scalars and rows broadcast."""
    rank = max(len(value.axes) for value in values)
    fullest = min((v for v in values if len(v.axes) == rank), key=lambda v: sum(map(sizes.is_one, v.axes)))
    axes, groups = fullest.axes, fullest.groups
    nodes = []
    for value in values:
        if not value.axes:
            nodes.append(value.node)
            continue
        if len(value.axes) == rank:
            if value.groups != groups:
                raise NotUnderstoodError("a Kronecker product beside an array of which no blocks are known")
            target = axes
        elif len(value.axes) == 1 and rank == 2:
            target = broadcast_axis(value, axes, sizes)
        else:
            raise RankError("a sum of arrays with different numbers of axes")
        node, names = value.node, dict(zip(value.axes, target, strict=True))
        for own, axis in zip(value.axes, target, strict=True):
            if sizes.is_one(own) and not (sizes.is_one(axis) or sizes.is_unknown(axis)):
                del names[own]
                node = Total((own,), node)  # its only entry along this axis stands beside each
            else:
                sizes.unify(own, axis)
        nodes.append(renamed(node, names))
    return nodes, axes


def broadcast_axis(value: Typed, axes: tuple[Ix, ...], sizes: Sizes) -> tuple[Ix, ...]:
    """The one axis along which a vector fits a matrix."""
    (own,) = value.axes
    fitting = [axis for axis in axes if sizes.find(axis) == sizes.find(own)]
    if len(fitting) == 1:
        return (fitting[0],)
    if sizes.find(axes[0]) == sizes.find(axes[1]):
        raise RankError("a vector is added to a square matrix; its axis is not clear")
    return (axes[1],)


def added(values: list[Typed], sizes: Sizes) -> Typed:
    """The sum; a zero has the shape of the other terms."""
    values = [value for value in values if value.axes or value.node != ZERO] or values[:1]
    if len(values) == 1:
        return values[0]
    nodes, axes = aligned(values, sizes)
    kept = tuple(node for node in nodes if node != ZERO)
    orientation = next((value.orientation for value in values if len(value.axes) == 1), COLUMN)
    jacobian = any(value.jacobian for value in values)
    return Typed(Plus(kept) if kept else ZERO, axes, orientation, jacobian, grouping(values))


def entrywise(left: Typed, right: Typed, sizes: Sizes) -> Typed:
    """The product entry by entry."""
    nodes, axes = aligned([left, right], sizes)
    jacobian = left.jacobian or right.jacobian
    return Typed(times(*nodes), axes, left.orientation, jacobian, grouping((left, right)))


def grouping(values: Sequence[Typed]) -> tuple[int, ...]:
    """The groups of the largest of several arrays, with which the others go together."""
    return max(values, key=lambda value: len(value.axes)).groups


def divided(left: Typed, right: Typed, sizes: Sizes) -> Typed:
    """The quotient; by an array, entry by entry where both have its axes."""
    if not right.axes:
        return replace(left, node=times(left.node, over(right.node)))
    return entrywise(left, replace(right, node=over(right.node)), sizes)


def inverse(value: Typed, sizes: Sizes) -> Typed:
    """The inverse of a matrix."""
    row, column = square(value, sizes, "inverse")
    slots = (sizes.fresh(row.name), sizes.fresh(column.name))
    for slot in slots:
        sizes.unify(slot, row)
    return Typed(Inverse(value.node, (row, column), slots), slots)


def exponential(value: Typed, sizes: Sizes) -> Typed:
    """The exponential of a square matrix, ``I + M + M^2 / 2 + ...``."""
    row, column = square(value, sizes, "exponential")
    slots = (sizes.fresh(row.name), sizes.fresh(column.name))
    for slot in slots:
        sizes.unify(slot, row)
    return Typed(Exponential(value.node, (row, column), slots), slots)


def cholesky(value: Typed, sizes: Sizes) -> Typed:
    """The Cholesky factor of a matrix: the lower triangle L with ``L L^T`` equal to it, and a positive diagonal."""
    row, column = square(value, sizes, "Cholesky factor")
    slots = (sizes.fresh(row.name), sizes.fresh(column.name))
    for slot in slots:
        sizes.unify(slot, row)
    return Typed(Cholesky(value.node, (row, column), slots), slots)


def determinant(value: Typed, sizes: Sizes) -> Typed:
    """The determinant of a matrix."""
    return Typed(Determinant(value.node, square(value, sizes, "determinant")))


def square(value: Typed, sizes: Sizes, what: str) -> tuple[Ix, Ix]:
    """The axes of a square matrix.

    Raises:
        NotUnderstoodError: for what is declared otherwise: a page of identities declares a letter once.
    """
    if len(value.axes) != 2 or value.jacobian:
        raise RankError(f"the {what} of what is no matrix")
    row, column = value.axes
    try:
        sizes.unify(row, column)
    except SizeError as error:
        raise NotUnderstoodError(f"the {what} of a matrix that is not square: {error}") from None
    return row, column


def trace(value: Typed, sizes: Sizes) -> Typed:
    """The trace of a matrix; a number that is no name is its own."""
    if not value.axes and not isinstance(value.node, Entry):
        return value
    if len(sides(value)) != 2:
        raise RankError("the trace of what is no matrix")
    rows, columns = sides(value)
    meet(rows, columns, sizes)
    dummies = unnamed(rows, sizes)
    names = dict(zip((*rows, *columns), (*dummies, *dummies), strict=True))
    return Typed(Total(dummies, renamed(value.node, names)))


def inner(left: Typed, right: Typed, sizes: Sizes) -> Typed:
    """The sum of the products of the entries of two arrays."""
    if len(left.axes) != len(right.axes):
        raise RankError("an inner product of arrays with different numbers of axes")
    dummies = tuple(sizes.fresh("") for _ in left.axes)
    for dummy, one, other in zip(dummies, left.axes, right.axes, strict=True):
        sizes.unify(dummy, one)
        sizes.unify(dummy, other)
    factors = (renamed(value.node, dict(zip(value.axes, dummies, strict=True))) for value in (left, right))
    node = times(*factors)
    return Typed(Total(dummies, node) if dummies else node)


NORMS = ("1", "2", "F")
"""The marks below norms that say of what kind they are."""


def norm(value: Typed, kind: str = "") -> Typed:
    """The Euclidean norm of a vector, the Frobenius norm of a matrix; with the mark 1 the sum of magnitudes.

    That of a number is its magnitude.
    """
    if not value.axes:
        if any(isinstance(node, Entry) and node.slots for node in walk(value.node)):
            raise NotUnderstoodError("the norm of one entry")
        return replace(value, node=Applied("abs", value.node))
    rank = len(sides(value))
    if kind == "1" and rank == 1:
        return Typed(Total(value.axes, Applied("abs", value.node)))
    if kind not in ("", "2", "F") or (kind == "2" and rank != 1) or (kind == "" and rank > 1):
        raise RankError(f"a norm with the mark {kind or 'of no kind'} of an array with {rank} axes")
    squares = Total(value.axes, Raised(value.node, TWO))
    return Typed(Raised(squares, HALF))


def diagonal(value: Typed, sizes: Sizes) -> Typed:
    """The diagonal matrix of a vector; of a matrix, the vector of its diagonal."""
    if len(value.axes) == 2:
        index = sizes.fresh("")
        for axis in value.axes:
            sizes.unify(index, axis)
        return Typed(renamed(value.node, dict.fromkeys(value.axes, index)), (index,))
    if len(value.axes) != 1:
        raise RankError("diag of what is no vector")
    (axis,) = value.axes
    other = sizes.fresh("")
    sizes.unify(axis, other)
    return Typed(times(value.node, between(axis, "==", other)), (axis, other))


def softmax(value: Typed, sizes: Sizes) -> Typed:
    """The softmax along the last axis: of each row of a matrix."""
    if not value.axes:
        raise RankError("a softmax of one entry: its row is not named")
    axis = value.axes[-1]
    dummy = sizes.fresh("")
    sizes.unify(dummy, axis)
    total = Total((dummy,), Applied("exp", renamed(value.node, {axis: dummy})))
    return replace(value, node=times(Applied("exp", value.node), over(total)))


def raised(value: Typed, exponent: Meaning) -> Typed:
    """A power of a scalar or an entry, or entry by entry; the square of a root of squares is what stands below it."""
    node = value.node
    exponent = simplified(exponent)
    if exponent == TWO and isinstance(node, Raised) and node.exponent == HALF:
        return replace(value, node=node.base)
    return replace(value, node=Raised(value.node, exponent))
