"""Vectors known by what stands beside them: ``w^T x``, ``W x + b``, ``X^T (p - y)``, ``softmax(z)``, ``||x||``.

Authors who neither index nor mark their vectors still multiply them as matrices are multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from indexcalc.language.latex.tree import NORM, Group, Node, Product, Scripted, Sum, nodes_of
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.scripts import GREEK, Named, inverse_mark, is_transpose
from indexcalc.proof.document.written.trees import products_of, sums_of

SCALARS = frozenset({"alpha", "epsilon", "eta", "lambda", "tau", "rho", "pi", "e", "d"})
"""Names that are no vectors although they stand behind a matrix."""

CAPITALS = frozenset({"Gamma", "Theta", "Lambda", "Xi", "Phi", "Psi", "Omega", "Sigma"})
"""Greek capitals, which stand for matrices too."""


def vectors_beside(roles: Roles) -> frozenset[str]:
    """The names that stand where only a vector fits."""
    found: set[str] = set()
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                found.update(multiplied(roles, product))
                found.update(normalised(roles, product))
            for inner in sums_of(tree):
                found.update(added(roles, inner))
            for node in nodes_of(tree):
                found.update(measured(roles, node))
    return frozenset(found)


def rows_beside(roles: Roles) -> frozenset[str]:
    """The names with one index that stand for vectors in a transposed bracket: ``(x_i - m)^T``."""
    found: set[str] = set()
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                for group in transposed_brackets(product):
                    names = [roles.survey.name(term.items[0]) for _, term in group.terms if len(term.items) == 1]
                    if len(names) == len(group.terms):
                        found.update(n.name for n in names if n is not None and n.parts is not None and not n.powers)
    return frozenset(found)


def transposed_brackets(product: Product) -> Iterator[Sum]:
    """What stands in the transposed brackets of a product."""
    for item in product.items:
        group = item.base if isinstance(item, Scripted) else None
        if not isinstance(group, Group) or group.bracket not in ("(", "[") or len(group.members) != 1:
            continue
        if isinstance(item, Scripted) and any(is_transpose(tokens) for tokens in item.above):
            yield group.members[0]


def multiplied(roles: Roles, product: Product) -> Iterator[str]:
    """The names right behind a matrix, or behind the transpose of a vector."""
    for bracket in transposed_brackets(product):
        for _, term in bracket.terms:
            yield from plain(roles, term.items)
    for left, right in pairwise(product.items):
        name = roles.survey.name(left)
        if name is None or not (is_matrix(roles, name) or (name.transposed and len(name.parts or ()) < 2)):
            continue
        if isinstance(right, Group) and right.bracket in ("(", "[") and len(right.members) == 1:
            if name.transposed or name.powers:
                for _, term in right.members[0].terms:
                    yield from plain(roles, term.items)
        else:
            yield from plain(roles, (right,))


def normalised(roles: Roles, product: Product) -> Iterator[str]:
    """The names to which a softmax is applied, for one number has none."""
    for left, right in pairwise(product.items):
        name = roles.survey.name(left)
        word = roles.symbols.words.get(name.name, name.name) if name is not None else ""
        if word in ("softmax", "Softmax", "rowsoftmax", "smx") and isinstance(right, Group) and len(right.members) == 1:
            for _, term in right.members[0].terms:
                yield from plain(roles, term.items)


def measured(roles: Roles, node: Node) -> Iterator[str]:
    r"""The names in a norm; a bar with a backslash in a row of a table may be that of a magnitude."""
    if not isinstance(node, Group) or node.bracket != NORM:
        return
    source, start = roles.document.source, node.start
    line = source[source.rfind("\n", 0, start) + 1 : start].lstrip()
    if not (line.startswith("|") and source.startswith(r"\|", start)):
        for _, term in node.members[0].terms:
            yield from plain(roles, term.items)


def added(roles: Roles, tree: Sum) -> Iterator[str]:
    """The names that are added to a matrix times a vector."""
    terms = [term.items for _, term in tree.terms]
    if any(len(items) == 2 and is_image(roles, *items) for items in terms):
        for items in terms:
            yield from plain(roles, items)


def is_image(roles: Roles, left: Node, right: Node) -> bool:
    """Whether two factors are a matrix and a vector."""
    name = roles.survey.name(left)
    # Where the matrix has entries elsewhere, what is added to them there without an index is a scalar.
    if name is None or not is_matrix(roles, name) or roles.survey.usages[name.name].indexed:
        return False
    other = roles.survey.name(right)
    usage = roles.survey.usages.get(other.name) if other is not None else None
    marked = usage is not None and other is not None and other.parts is None and (usage.bold or usage.transposed)
    return marked or any(True for _ in plain(roles, (right,)))


def is_matrix(roles: Roles, name: Named) -> bool:
    """Whether a name without an index is that of a matrix: a capital that nothing is divided by."""
    usage = roles.survey.usages.get(name.name)
    base = name.name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    # No function is transposed: the bracket in ``A^T (A x - b)`` is a factor.
    fine = usage is not None and not usage.scalar and not usage.numerator and (usage.transposed or not usage.called)
    capital = (len(base) == 1 and base.isupper()) or base in CAPITALS
    return name.parts is None and all(inverse_mark(power) for power in name.powers) and capital and fine


def plain(roles: Roles, items: tuple[Node, ...]) -> Iterator[str]:
    """The small name that one factor consists of, if it is never indexed and nothing is divided by it."""
    name = roles.survey.name(items[0]) if len(items) == 1 else None
    usage = roles.survey.usages.get(name.name) if name is not None else None
    if name is None or usage is None or usage.indexed or usage.scalar or usage.called or name.powers:
        return
    base = name.name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    small = (len(base) == 1 and base.islower()) or base in GREEK
    if small and base not in SCALARS and name.name not in roles.symbols.sizes.owners:
        yield name.name
