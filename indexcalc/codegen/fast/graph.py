"""What one block computes, as a graph of array operations in which equal values are one node.

A node is an array; its axes are numbered, and an argument says on which axis of the result each of its
own axes lies. Nothing here knows the names of indices, so that ``exp(S[i,l])`` and ``exp(S[i,j])`` are
the same node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import sympy as sp

from indexcalc.codegen import source


class Operation(Enum):
    """What makes an array."""

    LEAF = "a tensor that is there before"
    POSITIONS = "0, 1, 2, ... along one axis"
    DIAGONAL = "the entries of a tensor whose equal indices agree"
    MAP = "a function of aligned entries"
    REDUCE = "the sum, the largest or the smallest value over axes"
    PRODUCT = "a product of two arrays, summed"
    EXPRESSION = "an expression of whole arrays: the last argument, with a number in braces for each other one"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    Attributes:
        extent: its length.
        dimension: the dimension of the loop that cuts it into blocks, if one does.
        since, until: the dimension with whose block it begins or ends, where nothing is read beyond that.
    """

    extent: sp.Expr
    dimension: int | None = None
    since: int | None = None
    until: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether a block reads all of it."""
        return self.dimension is None and self.since is None and self.until is None


@dataclass(frozen=True, slots=True)
class Use:
    """An argument: axis number ``n`` of the node lies on axis ``places[n]`` of the result.

    For a product the axes of the result are followed by the summed ones.
    """

    node: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """One array.

    Attributes:
        operation: what makes it.
        name: the tensor, the function, or the reduction.
        arguments: arrays, or Python source.
        axes: its own.
        summed: the axes that a product sums over, or that a reduction takes away.
    """

    operation: Operation
    name: str
    arguments: tuple[Use | source.Node, ...]
    axes: tuple[Axis, ...]
    summed: tuple[Axis, ...] = ()

    @property
    def uses(self) -> tuple[Use, ...]:
        """The arguments that are arrays."""
        return tuple(argument for argument in self.arguments if isinstance(argument, Use))


@dataclass
class Graph:
    """Nodes in the order in which they were asked for; each reads earlier ones."""

    nodes: list[Node] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)

    def add(self, node: Node) -> int:
        """The number of the node, which is added if there is none like it."""
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]
