"""Which expressions stand where they are read, without a name: short ones over one row, read once.

What an expression reads must still be there when its reader is written. Rows are never written over. So an
expression in rows may wait; one that takes a row from a larger array is written with the next node or not nested.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from indexcalc.codegen.fast.graph import Node, Operation
from indexcalc.codegen.fast.storage import Place, Storage, is_view

NESTED_WIDTH = 48
"""How long an expression may be that stands where it is read."""


def is_nested(
    number: int, nodes: Sequence[Node], storage: Storage, counts: Mapping[int, int], called: Collection[int]
) -> bool:
    """Whether a node may stand where it is read.

    Args:
        number: of the node.
        nodes: all nodes.
        storage: where they are kept.
        counts: how often each node that is computed is read.
        called: the nodes with names of their own.
    """
    node, place = nodes[number], storage.places.get(number, Place())
    is_fresh = place.space is None and not place.result and place.inherited is None
    is_free = counts[number] == 1 and number not in called
    if not (is_fresh and is_free and storage.is_row(node)) or is_view(node):
        return False
    if reads_rows(node, nodes):
        return True
    after = min((other for other in counts if other > number), default=number)
    is_next = any(use.node == number for use in nodes[after].uses)
    return is_next and not is_nested(after, nodes, storage, counts, called)


def reads_rows(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether a node reads rows in memory of their own, and no view of something larger."""
    simple = node.operation in (Operation.MAP, Operation.POSITIONS)
    return simple and not any(is_view(nodes[use.node]) for use in node.uses)
