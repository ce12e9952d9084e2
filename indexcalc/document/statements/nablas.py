r"""How a page writes nablas: before functions and fields, or as short gradients, ``\nabla X``, ``\nabla_X``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexcalc.document.statements.field_signs import flowing, is_point
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.document.statements.trees import is_nabla, products_of
from indexcalc.language.latex.tree import Group, Node, Scripted, Sum


@dataclass(frozen=True)
class Nablas:
    r"""What the nablas of a page are.

    Attributes:
        alone: whether there is one without its variable.
        operate: whether such a one differentiates what stands behind it: a field, or a function with its arguments.
            Else ``\nabla X`` may be the gradient of the loss by X.
        named: whether one names its variable and no more, ``\nabla_X``, for the gradient of the loss.
    """

    alone: bool = False
    operate: bool = False
    named: bool = False

    @property
    def short(self) -> bool:
        """Whether those without a variable may be short gradients."""
        return self.alone and not self.operate

    def operands(self, member: Sum) -> Iterator[Node]:
        """What stands right behind short gradients: the variable itself, or another factor."""
        for item, node, _ in signs(member):
            if node is not None and (self.named if isinstance(item, Scripted) else not self.operate):
                yield node


def nablas_in(members: Iterable[Sum]) -> Nablas:
    """The nablas of a page."""
    members = tuple(members)
    alone = any(not isinstance(item, Scripted) for member in members for item, _, _ in signs(member))
    operate = any(map(operates, members)) or any(True for member in members for _ in flowing(member))
    return Nablas(alone, operate, any(map(names_variable, members)))


def signs(member: Sum) -> Iterator[tuple[Node, Node | None, Node | None]]:
    """Each nabla, alone or above its variable, and the two factors behind it."""
    for product in products_of(member):
        padded = (*product.items, None, None)
        for item, node, after in zip(product.items, padded[1:], padded[2:], strict=False):
            if is_nabla(item) or (isinstance(item, Scripted) and is_nabla(item.base) and item.below):
                yield item, node, after


def operates(member: Sum) -> bool:
    """Whether a nabla alone stands before more than a name: before a bracket, or a function with its arguments."""
    return any(
        grouped(node) is not None or (node is not None and is_point(node)) or has_names(after)
        for item, node, after in signs(member)
        if not isinstance(item, Scripted)
    )


def names_variable(member: Sum) -> bool:
    """Whether nothing stands behind a nabla above its variable, or it is transposed."""
    return any(
        node is None or any(map(is_transpose, item.above))
        for item, node, _ in signs(member)
        if isinstance(item, Scripted)
    )


def has_names(node: Node | None) -> bool:
    """Whether a node is a bracket around names alone, as the arguments of a function are."""
    group = grouped(node)
    return group is not None and all(part.lone is not None for part in group.members)


def grouped(node: Node | None) -> Group | None:
    """The bracket that a node is, with scripts or without."""
    bracket = node.base if isinstance(node, Scripted) else node
    return bracket if isinstance(bracket, Group) else None
