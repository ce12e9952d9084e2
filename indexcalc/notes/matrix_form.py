r"""Equations between whole arrays: ``sum_j A_ij V_jp`` read as the product of two matrices.

A term of at most two free indices is a graph: an index is a node, a factor with two indices an edge,
a factor with one index a weight on its node. A summed node with two edges is a matrix product, with
one edge a matrix times a vector, with none a sum of entries; what is left at the end is one edge and
two weights. Further free indices are fixed. A summed node with three edges, or one in the way of a
tensor with three slots, is fixed too, and the sum over it is one of products of slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import sympy as sp

from indexcalc.algebra.build import scalar_value
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Index, Iverson, Term, Terms, free_indices, inner_terms
from indexcalc.notes.matrix import (
    Diagonal,
    DiagonalOf,
    EntryFunction,
    EntryPower,
    Hadamard,
    Identity,
    Matrix,
    NumberPower,
    Ones,
    Product,
    Scaled,
    Slices,
    Sum,
    Times,
    Transpose,
    Whole,
    parts_of,
    slice_of,
)

Pair = tuple[Index, Index]
Fixed = frozenset[Index]

MOST_SLICED = 2
"""The most sums of a term that are over slices: with more of them the formula with indices reads better."""


class NoMatrixFormError(Exception):
    """Raised inside this module where the translation ends; callers see None."""


@dataclass
class Graph:
    """The factors of one term: edges by (row, column), weights by node, scalars; merged entry by entry."""

    edges: dict[Pair, list[Matrix]]
    weights: dict[Index, list[Matrix]]
    scalars: list[Matrix]

    def add(self, indices: Sequence[Index], matrix: Matrix) -> None:
        """One more factor over none, one or two indices."""
        if not indices:
            self.scalars.append(matrix)
        elif len(indices) == 1:
            self.weights.setdefault(indices[0], []).append(matrix)
        else:
            row, column = indices
            if (column, row) in self.edges:
                self.edges[column, row].append(transposed(matrix))
            else:
                self.edges.setdefault((row, column), []).append(matrix)

    def neighbours(self, node: Index) -> list[Index]:
        """The nodes that share an edge with `node`."""
        return [row if column == node else column for row, column in self.edges if node in (row, column)]

    def take_edge(self, row: Index, column: Index) -> Matrix:
        """The merged edge, with `row` as its rows, removed from the graph."""
        if (row, column) in self.edges:
            return hadamard(self.edges.pop((row, column)))
        if (column, row) not in self.edges:
            raise NoMatrixFormError
        return transposed(hadamard(self.edges.pop((column, row))))

    def take_weight(self, node: Index) -> Matrix | None:
        """The merged weight of a node, removed from the graph; None for no weight."""
        found = self.weights.pop(node, None)
        return hadamard(found) if found else None


def matrix_form(lhs: Access, terms: Terms, most: int = 0) -> tuple[Whole, Matrix] | None:
    """An equation between whole arrays, or between their slices; None where there is no such form.

    As few sums as possible are over slices, and as few indices of `lhs` as possible are fixed, outer ones first,
    so that a batch of matrix products is found: ``O_b = A_b V_b`` for each ``b``.

    Args:
        lhs: its slots that are not fixed are the rows and the columns (one slot: a column vector).
        terms: what it equals; their free indices are among the slots of `lhs`.
        most: how many sums over slices each term may have.
    """
    for sliced in range(most + 1):
        for count in range(max(1, len(lhs.slots))):
            for fixed in combinations(lhs.indices, count):
                slots = [slot for slot in lhs.indices if slot not in fixed]
                if len(slots) > 2:
                    continue
                try:
                    matrix = convert(terms, slots, frozenset(fixed), sliced)
                except NoMatrixFormError:
                    continue
                return slice_of(lhs.tensor, lhs.indices, fixed), matrix
    return None


def convert(terms: Terms, slots: Sequence[Index], fixed: Fixed, sliced: int = 0) -> Matrix:
    """A sum of terms over the slots, with at most so many sums over slices in each."""
    if not terms:
        raise NoMatrixFormError
    parts = [convert_with_slices(term, slots, fixed, sliced) for term in terms]
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def convert_with_slices(term: Term, slots: Sequence[Index], fixed: Fixed, most: int) -> Matrix:
    """One term over the slots, with as few sums over slices as it needs, up to the most allowed."""
    for count in range(most + 1):
        for sliced in combinations(term.summed, count):
            rest = Term(sp.S.One, term.powers, tuple(index for index in term.summed if index not in sliced))
            try:
                body = convert_term(rest, slots, fixed | frozenset(sliced))
            except NoMatrixFormError:
                continue
            body = Slices(sliced, body) if sliced else body
            return body if term.coeff == 1 else Scaled(term.coeff, body)
    raise NoMatrixFormError


def convert_term(term: Term, slots: Sequence[Index], fixed: Fixed) -> Matrix:
    """The product of a term over the slots, all its sums done."""
    graph = Graph({}, {}, [])
    for base, exponent in term.powers:
        indices, matrix = convert_factor(base, fixed)
        power = EntryPower if indices else NumberPower
        graph.add(indices, matrix if exponent == 1 else power(matrix, exponent))
    waiting = list(term.summed)
    while waiting:
        # Fewest edges first, so that vectors form before matrices.
        node = min(waiting, key=lambda index: len(graph.neighbours(index)))
        waiting.remove(node)
        eliminate(graph, node)
    return assemble(graph, slots)


def eliminate(graph: Graph, node: Index) -> None:
    """The sum over one node done."""
    neighbours = graph.neighbours(node)
    if len(neighbours) > 2:
        raise NoMatrixFormError
    weight = graph.take_weight(node)
    if len(neighbours) == 2:
        left, right = neighbours
        middle = () if weight is None else (Diagonal(weight),)
        graph.add((left, right), matrix_product(graph.take_edge(left, node), *middle, graph.take_edge(node, right)))
    elif neighbours:
        (left,) = neighbours
        vector = Ones(node.extent) if weight is None else weight
        graph.add((left,), matrix_product(graph.take_edge(left, node), vector))
    else:
        assert weight is not None
        graph.add((), summed_entries(weight, node))


def summed_entries(weight: Matrix, node: Index) -> Matrix:
    """The sum of a vector's entries: an inner product where the vector is a product.

    A number is its own transpose, so it is written with as few transposes as may be.
    """
    if isinstance(weight, Hadamard):
        first, *rest = weight.factors
        found = matrix_product(transposed(first), hadamard(rest))
    else:
        found = matrix_product(Transpose(Ones(node.extent)), weight)
    return min(found, transposed(found), key=lambda one: sum(isinstance(part, Transpose) for part in parts_of(one)))


def assemble(graph: Graph, slots: Sequence[Index]) -> Matrix:
    """What is left after all sums: one edge, weights on the slots, scalars."""
    weights = [graph.take_weight(slot) for slot in slots]
    if len(slots) == 2:
        row, column = slots
        if graph.neighbours(row):
            left = [Diagonal(weights[0])] if weights[0] is not None else []
            right = [Diagonal(weights[1])] if weights[1] is not None else []
            body = matrix_product(*left, graph.take_edge(row, column), *right)
        else:
            column_vector = weights[0] or Ones(row.extent)
            body = matrix_product(column_vector, transposed(weights[1] or Ones(column.extent)))
    elif slots:
        body = weights[0] or Ones(slots[0].extent)
    elif graph.scalars:
        body = graph.scalars.pop(0)
    else:
        raise NoMatrixFormError
    assert not graph.edges
    assert not graph.weights
    for scalar in reversed(graph.scalars):
        body = Times(scalar, body)
    return body


def convert_factor(base: Base, fixed: Fixed) -> tuple[tuple[Index, ...], Matrix]:
    """A factor with its distinct indices: rows first, then columns."""
    match base:
        case Access(tensor):
            if not base.is_plain:
                raise NoMatrixFormError
            running = [slot for slot in base.indices if slot not in fixed]
            if len(running) > 2:
                raise NoMatrixFormError
            whole = slice_of(tensor, base.indices, fixed)
            distinct = tuple(dict.fromkeys(running))
            return distinct, DiagonalOf(whole) if len(running) > len(distinct) else whole
        case Delta(Index() as left, Index() as right) if left not in fixed and right not in fixed:
            return (left, right), Identity(left.extent)
        case Iverson(Index() as left, "!=", Index() as right) if left not in fixed and right not in fixed:
            every = Product((Ones(left.extent), Transpose(Ones(right.extent))))
            return (left, right), Sum((every, Scaled(-sp.S.One, Identity(left.extent))))
        case Fn(name, args):
            indices = broadcast_slots(inner_terms(base), fixed)
            numbers = [scalar_value(arg) for arg in args]
            found = zip(args, numbers, strict=True)
            return indices, EntryFunction(
                name, tuple(convert(arg, indices, fixed) if value is None else value for arg, value in found)
            )
        case Add(terms):
            indices = broadcast_slots(terms, fixed)
            return indices, convert(terms, indices, fixed)
        case _:
            raise NoMatrixFormError


def broadcast_slots(terms: Terms, fixed: Fixed) -> tuple[Index, ...]:
    """The running free indices of a sum-free sum, in the order of its widest term."""
    widest = max(terms, key=lambda term: len(free_indices(term)), default=())
    every = dict.fromkeys((*free_indices(widest), *free_indices(terms)))
    running = tuple(index for index in every if index not in fixed)
    if len(running) > 2:
        raise NoMatrixFormError
    return running


def transposed(matrix: Matrix) -> Matrix:
    """The transpose, moved inwards to the tensors."""
    match matrix:
        case Transpose(of):
            return of
        case Identity() | Diagonal():
            return matrix
        case Product(factors):
            return Product(tuple(transposed(factor) for factor in reversed(factors)))
        case Scaled(coeff, of):
            return Scaled(coeff, transposed(of))
        case Times(scalar, of):
            return Times(scalar, transposed(of))
        case _:
            return Transpose(matrix)


def hadamard(factors: Sequence[Matrix]) -> Matrix:
    """The product entry by entry; a single factor is itself."""
    return factors[0] if len(factors) == 1 else Hadamard(tuple(factors))


def matrix_product(*factors: Matrix) -> Matrix:
    """The matrix product, flat; a single factor is itself."""
    flat: list[Matrix] = []
    for factor in factors:
        flat.extend(factor.factors if isinstance(factor, Product) else (factor,))
    if any(isinstance(factor, Diagonal) for factor in flat):
        flat = [factor for factor in flat if not isinstance(factor, Identity)]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))
