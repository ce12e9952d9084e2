"""A bare ``a`` in an equation of scalars, although ``a_j`` is an array: any one entry, if entries are made alone.

``a_j = tanh(z_j)`` says that ``a = tanh(z)``, so that ``da/dz = 1 - a^2`` can be judged.
"""

from __future__ import annotations

from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, Relation, Total, rebuilt, walk
from indexcalc.proof.document.meaning.sizes import Ix
from indexcalc.proof.document.meaning.symbols import Definition
from indexcalc.proof.document.written.roles import Roles, head_of

SUFFIX = " as scalar"
"""How the name of any one entry ends."""


def define_bare(roles: Roles) -> None:
    """Give such scalars the definitions of the entries that they are, but where an equation of their own says more."""
    symbols = roles.symbols
    heads = (head_of(roles, statement) for statement in roles.statements if len(statement.sides) > 1)
    own = {head.name for head in heads if head is not None and head.parts is None}
    pending = [name.removesuffix(SUFFIX) for name in symbols.slots if name.endswith(SUFFIX)]
    while pending:
        name = pending.pop()
        definition = symbols.definitions.get(name)
        if name in own or name + SUFFIX in symbols.definitions or definition is None or not made_alone(definition):
            continue
        symbols.definitions[name + SUFFIX] = Definition((), any_one(definition.body), definition.line)
        inner = [entry.name for entry in walk(definition.body) if isinstance(entry, Entry) and entry.slots]
        symbols.slots.update(dict.fromkeys((one + SUFFIX for one in (name, *inner)), ()))
        symbols.given.update(one + SUFFIX for one in inner)
        pending.extend(inner)


def made_alone(definition: Definition) -> bool:
    """Whether every entry is made of the same entry of other tensors, and of scalars."""
    parts = tuple(walk(definition.body))
    if len(definition.slots) != 1 or any(isinstance(part, Total | Relation | Derivative) for part in parts):
        return False
    slots: set[tuple[Ix, ...]] = {part.slots for part in parts if isinstance(part, Entry)}
    return slots <= {(), definition.slots} and definition.slots in slots


def any_one(node: Meaning) -> Meaning:
    """The expression with the names of any one entry."""
    if isinstance(node, Entry):
        return Entry(node.name + SUFFIX) if node.slots else node
    return rebuilt(node, any_one)
