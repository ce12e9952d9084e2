"""Products summed over shared indices, never in NumPy's slow path.

A product of two matrices or vectors is written ``A @ B``: a call of ``np.einsum`` that looks for a path
costs as much as a small product. ``np.einsum(..., optimize=True)`` calls BLAS where no index is both shared and
kept. Where one is (a batch of matrix products), older versions of NumPy fall back to a plain loop;
there ``@`` is written as well. Products along equal axes (no matrix product in them) are memory-bound
either way.
"""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_letters

from indexcalc.algebra.terms import Index
from indexcalc.codegen.operands import Axes, Operand, Scope, arranged, reduced, transposed
from indexcalc.codegen.scalars import product_of_extents, scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Method, Trailer, flat
from indexcalc.errors import LimitError

NOMINAL_SIZE = 10
"""The size that every extent is taken to have where the order of a long product is chosen."""


def contracted(operands: list[Operand], out: Axes, scope: Scope) -> Operand:
    """The product of `operands` summed over every index that `out` lacks; axes may come in any order."""
    operands = [presummed(number, operands, out) for number in range(len(operands))]
    if len(operands) == 1:
        return operands[0]
    if not is_batched(operands, out) and not is_matrix_product(operands, out):
        return einsum(operands, out)
    if len(operands) == 2:
        return pairwise(operands[0], operands[1], out, scope)
    left, right = cheapest_pair(operands, out)
    rest = [operand for number, operand in enumerate(operands) if number not in (left, right)]
    needed = {*out, *(axis for operand in rest for axis in operand.axes)}
    union = dict.fromkeys((*operands[left].axes, *operands[right].axes))
    kept = arranged([axis for axis in union if axis in needed], out)
    joined = contracted([operands[left], operands[right]], kept, scope)
    return contracted([joined, *rest], out, scope)


def presummed(number: int, operands: list[Operand], out: Axes) -> Operand:
    """One operand summed over the indices that neither another operand nor `out` has."""
    others = {axis for place, operand in enumerate(operands) if place != number for axis in operand.axes}
    own = [axis for axis in operands[number].axes if axis not in others and axis not in out]
    return reduced(operands[number], own)


def is_batched(operands: list[Operand], out: Axes) -> bool:
    """Whether some index occurs more than twice among the operands and the result."""
    places = [axis for operand in operands for axis in operand.axes] + list(out)
    return any(places.count(axis) > 2 for axis in dict.fromkeys(places))


def is_matrix_product(operands: list[Operand], out: Axes) -> bool:
    """Whether this is a product of two matrices, two vectors, or one of each."""
    ranks = sorted(len(operand.axes) for operand in operands)
    return (ranks, len(out)) in [([1, 1], 0), ([1, 2], 1), ([2, 2], 2)]


def einsum(operands: list[Operand], out: Axes) -> Operand:
    """One call of ``np.einsum``, with the indices' own names as letters where they are letters."""
    letters = subscripts([axis for operand in operands for axis in operand.axes])
    inputs = ",".join("".join(letters[axis] for axis in operand.axes) for operand in operands)
    formula = Atom(f'"{inputs}->{"".join(letters[axis] for axis in out)}"')
    nodes = (operand.node for operand in operands)
    # A product along equal axes that keeps one of them is no work for BLAS; looking for an order would only cost.
    plain = len(operands) <= 2 and len({frozenset(operand.axes) for operand in operands}) == 1 and bool(out)
    return Operand(Call("np.einsum", (formula, *nodes), () if plain else ("optimize=True",)), out)


def subscripts(axes: list[Index]) -> dict[Index, str]:
    """A letter for every index: its own name if that is one ASCII letter, else one that is free.

    Raises:
        LimitError: if there are more than 52 indices.
    """
    distinct = list(dict.fromkeys(axes))
    if len(distinct) > len(ascii_letters):
        raise LimitError(f"a product over {len(distinct)} indices; np.einsum takes {len(ascii_letters)}")
    own = {axis: axis.name for axis in distinct if len(axis.name) == 1 and axis.name in ascii_letters}
    free = (letter for letter in ascii_letters if letter not in own.values())
    return {axis: own.get(axis) or next(free) for axis in distinct}


def pairwise(left: Operand, right: Operand, out: Axes, scope: Scope, order: Collection[Index] = ()) -> Operand:
    """Two operands: a product of matrices, or of a matrix and a vector, or a batch of them, if it is one.

    Args:
        left: one of them.
        right: the other.
        out: the axes of the product.
        scope: the names that it may use.
        order: in which summed axes are put together; by default as they stand in `left`.
    """
    summed = [axis for axis in order or left.axes if axis in left.axes and axis in right.axes and axis not in out]
    rows = [axis for axis in out if axis not in right.axes]
    columns = [axis for axis in out if axis not in left.axes]
    batch = [axis for axis in out if axis in left.axes and axis in right.axes]
    if not summed and set(left.axes) == set(right.axes) == set(out):
        return Operand(Binary("*", transposed(left, out).node, transposed(right, out).node), out)
    if left.axes == right.axes == tuple(summed) and len(summed) == 1:
        return Operand(Binary("@", left.node, right.node), out)
    if len(summed) == 1 and not batch and {len(rows), len(columns)} == {0, 1}:
        matrix, vector = (left, right) if rows else (right, left)
        return Operand(Binary("@", transposed(matrix, (*out, *summed)).node, vector.node), out)
    if not (summed and rows and columns):
        return einsum([left, right], out)
    if out.index(rows[-1]) > out.index(columns[-1]):
        left, right, rows, columns = right, left, columns, rows
    first = matrices(left, batch, rows, summed, scope)
    second = matrices(right, batch, summed, columns, scope)
    product = Binary("@", first.node, second.node)
    axes = (*batch, *rows, *columns)
    if len(rows) == 1 and len(columns) == 1:
        return Operand(product, axes)
    sizes = ", ".join(flat(scalar_node(axis.extent, scope.scalars)) for axis in axes)
    return Operand(Trailer(product, f".reshape({sizes})"), axes)


def matrices(operand: Operand, batch: list[Index], rows: list[Index], columns: list[Index], scope: Scope) -> Operand:
    """The operand as a batch of matrices; several rows or columns are merged into one axis.

    Columns that lie in memory before the rows are merged there, and then the matrix is turned: neither is a copy.
    """
    if (len(rows) > 1 or len(columns) > 1) and operand.axes == (*batch, *columns, *rows):
        turned = matrices(operand, batch, columns, rows, scope).node
        node = Method(turned, "swapaxes", ("-1", "-2")) if batch else Trailer(turned, ".T")
        return Operand(node, (*batch, *rows, *columns))
    ordered = transposed(operand, (*batch, *rows, *columns))
    if len(rows) == 1 and len(columns) == 1:
        return ordered
    sizes = [scalar_node(axis.extent, scope.scalars) for axis in batch]
    merged = [product_of_extents([axis.extent for axis in group], scope.scalars) for group in (rows, columns)]
    text = ", ".join(flat(size) for size in [*sizes, *merged])
    return Operand(Trailer(ordered.node, f".reshape({text})"), ordered.axes)


def cheapest_pair(operands: list[Operand], out: Axes) -> tuple[int, int]:
    """The two operands whose product costs least, then leaves the smallest result, then stands first."""
    best: tuple[int, int, int, int] | None = None
    for left in range(len(operands)):
        for right in range(left + 1, len(operands)):
            rest = [op for number, op in enumerate(operands) if number not in (left, right)]
            needed = {*out, *(axis for operand in rest for axis in operand.axes)}
            union = {*operands[left].axes, *operands[right].axes}
            cost = (NOMINAL_SIZE ** len(union), NOMINAL_SIZE ** len(union & needed), left, right)
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best[2], best[3]
