"""Vectors known by the equations of a step: what is added to a vector, or multiplied by one entry by entry, is one too.

``c_t = f_t ⊙ c_{t-1} + i_t ⊙ g_t`` and ``f_t = σ(W h_{t-1} + b)`` make vectors of all but the matrix; of the
capital ``C_t``, which nothing is multiplied by as by a matrix, as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document.layers.labels import layers_of, of_any_layer
from indexcalc.proof.document.names.beside import is_matrix, plain
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.trees import products_of

VECTOR = "a vector"
"""The class of all vectors."""

OPERATORS = frozenset({"ODOT", "TIMES"})
"""Signs between factors that may be multiplied entry by entry."""


def vectors_along(roles: Roles, known: Iterable[str]) -> frozenset[str]:
    """The names of steps or layers, without these, that have the shape of a known vector."""
    if not any(layers_of(name) for name in roles.survey.usages):
        return frozenset()
    shapes = Shapes(roles, frozenset(matrices(roles)))
    for name in known:
        shapes.join((of_any_layer(name), VECTOR))
    for statement in roles.statements:
        sides = [side for side in statement.sides if side.tree is not None and side.relation in ("", "=", ":=")]
        shapes.join(shapes.of_sum(side.tree) for side in sides if side.tree is not None)
    vector = shapes.find(VECTOR)
    return frozenset(name for name in shapes.parents if name != VECTOR and shapes.find(name) == vector)


def matrices(roles: Roles) -> Iterator[str]:
    """The names that stand right beside another factor, as matrices do."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                names = [roles.survey.name(item) for item in product.items]
                for place, name in enumerate(names):
                    beside = product.items[place + 1 : place + 2] + product.items[max(0, place - 1) : place]
                    if name is not None and any(is_factor(item) for item in beside):
                        yield of_any_layer(name.name)


def is_factor(item: Node) -> bool:
    """Whether an item is no operator and no number."""
    return not isinstance(item, Atom) or item.kind == "NAME"


@dataclass
class Shapes:
    """Names that have one shape, as classes.

    Attributes:
        roles: the document's roles.
        matrices: names that are multiplied as matrices are.
        parents: another member of the class for each name.
    """

    roles: Roles
    matrices: frozenset[str]
    parents: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> str:
        """The representative of a class."""
        while self.parents.setdefault(name, name) != name:
            name = self.parents[name]
        return name

    def join(self, names: Iterable[str | None]) -> str | None:
        """One class for all that have a shape; its representative."""
        found = [self.find(name) for name in names if name is not None]
        for name in found:
            self.parents[self.find(name)] = self.find(found[0])
        return self.find(found[0]) if found else None

    def of_sum(self, tree: Sum) -> str | None:
        """The shape of a sum."""
        return self.join(self.of_product(term) for _, term in tree.terms)

    def of_product(self, product: Product) -> str | None:
        """The shape of a product: that of its factors, if they are multiplied entry by entry."""
        items = product.items
        if len(items) == 2 and self.is_image(*items):
            return VECTOR
        signs = {n: item.kind for n, item in enumerate(items) if isinstance(item, Atom) and item.kind in OPERATORS}
        if signs and "ODOT" not in signs.values():
            return None
        starts, ends = [0, *(n + 1 for n in signs)], [*signs, len(items)]
        return self.join(self.of_factor(items[start:end]) for start, end in zip(starts, ends, strict=True))

    def of_factor(self, items: tuple[Node, ...]) -> str | None:
        """The shape of a name, a bracket, or a function of one."""
        if len(items) == 1:
            group = items[0].base if isinstance(items[0], Scripted) else items[0]
            if isinstance(group, Group) and len(group.members) == 1:
                return self.of_sum(group.members[0])
            name = self.roles.survey.name(items[0])
            return self.of_name(name.name) if name is not None and name.parts is None and not name.transposed else None
        if len(items) == 2 and isinstance(items[1], Group) and len(items[1].members) == 1:
            name = self.roles.survey.name(items[0])
            entrywise = name is not None and (name.name in FUNCTIONS or name.name == "sigma")
            return self.of_sum(items[1].members[0]) if entrywise else None
        return None

    def of_name(self, name: str) -> str | None:
        """The class of a name that may be a vector."""
        usage = self.roles.survey.usages.get(name)
        if usage is None or usage.indexed or usage.scalar or usage.called or not layers_of(name):
            return None
        known = of_any_layer(name)
        base = name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
        return None if base.isupper() and known in self.matrices else known

    def is_image(self, left: Node, right: Node) -> bool:
        """Whether two factors are a matrix and a vector."""
        name = self.roles.survey.name(left)
        return name is not None and is_matrix(self.roles, name) and any(True for _ in plain(self.roles, (right,)))
