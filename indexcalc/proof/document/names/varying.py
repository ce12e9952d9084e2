"""Which statements speak of differentials, and of which tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from indexcalc.language.latex.tree import Fraction, Product, Sum
from indexcalc.proof.document.meaning.symbols import Variation
from indexcalc.proof.document.reading.variations import free_name, is_sign, reaches, target_of
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import DEFINITION, EQUATION, Roles, head_of, names_of_tree
from indexcalc.proof.document.written.trees import is_differential, name_nodes


def find_variations(roles: Roles) -> None:
    """Free differentials get slots; what was taken for a definition of a differential is none."""
    symbols = roles.symbols
    every: dict[str, None] = {}
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) not in (EQUATION, DEFINITION):
            continue
        every.update(dict.fromkeys(targets_of(roles, statement.trees)))
        if varied_by_head(roles, statement) is None:
            continue
        symbols.differentials = True
        if roles.kinds[number] == DEFINITION and (head := head_of(roles, statement)) is not None:
            symbols.definitions.pop(symbols.resolve(head.name), None)
            roles.defining.pop(number, None)
            roles.kinds[number] = EQUATION
    if symbols.differentials:
        symbols.varied = frozenset(every)
        for name in every:
            if name in symbols.slots:
                symbols.slots[free_name(name)] = symbols.slots[name]
                symbols.given.add(free_name(name))


def variation_of(roles: Roles, statement: Statement) -> Variation | None:
    """The differentials of a statement; None if it has none, or if what looks like them are gradients."""
    symbols = roles.symbols
    if not symbols.differentials:
        return None
    found = varied_by_head(roles, statement)
    head, sure = head_of(roles, statement), found is not None
    if found is None and (head is None or target_of(symbols, head.name) is None):
        found = set(targets_of(roles, statement.trees))
    if not found:
        return None
    free = tuple(name for name in sorted(found) if not any(reaches(symbols, name, other) for other in found))
    inputs = (name for name in sorted(symbols.varied - set(free)) if name not in symbols.definitions)
    sure = sure and not says_gradients(roles)
    return Variation(free, tuple(name for name in inputs if not symbols.is_loss(name)), sure)


def says_gradients(roles: Roles) -> bool:
    """Whether the document says of a short name that it is the gradient, ``dY = ∂L/∂Y``: then others may be, too."""
    for statement in roles.statements:
        alone = [tree.only.items[0] for tree in statement.trees if tree.only is not None and len(tree.only.items) == 1]
        found = (roles.survey.name(node) for node in alone)
        named = any(one is not None and target_of(roles.symbols, one.name) for one in found)
        if named and any(isinstance(node, Fraction) and is_rate(node) for node in alone):
            return True
    return False


def is_rate(node: Fraction) -> bool:
    """Whether a fraction is a derivative, of anything."""
    above, below = node.numerator.only, node.denominator.only
    return bool(above and below and is_differential(above.items[0]) and is_differential(below.items[0]))


def varied_by_head(roles: Roles, statement: Statement) -> set[str] | None:
    """The tensors whose differentials make up the one on the left side; None if they do not."""
    symbols, head, tree = roles.symbols, head_of(roles, statement), statement.sides[0].tree
    if len(statement.sides) < 2 or tree is None:
        return None
    found = set(targets_of(roles, statement.trees[1:]))
    target = target_of(symbols, head.name) if head is not None else None
    found.discard(target or "")
    inner: Collection[str] = (target,) if target is not None else differentiated(roles, tree)
    if not inner or not found:
        return None
    varies = all(any(name == other or reaches(symbols, name, other) for name in inner) for other in found)
    return found if varies else None


def differentiated(roles: Roles, tree: Sum) -> Collection[str]:
    """The names in what stands behind a d that is a factor of its own, ``d(X W)``."""
    only = tree.only
    if only is None or len(only.items) < 2 or not is_sign(only.items[0]):
        return ()
    found = (roles.survey.name(node) for node in name_nodes(Product(only.items[1:])))
    return [roles.symbols.resolve(name.name) for name in found if name is not None]


def targets_of(roles: Roles, trees: Iterable[Sum]) -> list[str]:
    """The tensors whose differentials, or gradients, short names stand for, in order."""
    found = (target_of(roles.symbols, name.name) for tree in trees for name in names_of_tree(roles, tree))
    return list(dict.fromkeys(target for target in found if target is not None))
