r"""What a bar behind a derivative says: ``|_{\text{via } Z}`` or ``|_{Z \text{ held}}``.

A bar with nothing but a name, ``|_{Z}``, is used both ways: it is the part that passes through the tensor, and in a
local reading of the statement a derivative that holds it, if what is differentiated is defined in terms of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Total, names_of, times
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.derivatives import grounded
from indexcalc.proof.document.reading.rates import target
from indexcalc.proof.document.reading.scope import Scope

VIA = frozenset({"via", "through"})
HELD = frozenset({"held", "fixed", "const", "constant"})


def barred(reader: Scope, value: Typed, tokens: Sequence[Token]) -> Typed:
    """A derivative with a bar behind it and `tokens` at the foot of the bar."""
    words = [token.text for token in tokens]
    names = [token for token in tokens if token.text not in VIA | HELD and token.kind != "REL"]
    if not HELD.isdisjoint(words):
        return holding(reader, value, [part.name for part in entries_named(reader, names)])
    through = named(reader, names)
    assert isinstance(through.node, Entry)
    if VIA.isdisjoint(words) and reader.local and names_both(reader, value, through.node):
        return holding(reader, value, [through.node.name])
    return part_through(reader, value, through)


def holding(reader: Scope, value: Typed, names: Sequence[str]) -> Typed:
    """The derivative with tensors held, though they may depend on the target."""
    node = value.node
    if not isinstance(node, Derivative):
        raise NotUnderstoodError("a bar after what is no derivative")
    if isinstance(node.body, Entry):
        grounded(reader, node.body.name)
    body = node.body.name if isinstance(node.body, Entry) else ""
    if node.wrt.name in names or body in names:
        raise NotUnderstoodError("a derivative that holds its own target")
    return replace(value, node=Derivative(node.body, node.wrt, held=tuple(names)))


def part_through(reader: Scope, value: Typed, through: Typed) -> Typed:
    """The part of a gradient that passes through one tensor: the chain rule over that tensor's entries."""
    node = value.node
    if not isinstance(node, Derivative) or not isinstance(node.body, Entry) or node.body.slots:
        raise NotUnderstoodError("a bar after what is no gradient")
    assert isinstance(through.node, Entry)
    grounded(reader, through.node.name)
    if through.node.name == node.body.name:
        return replace(value, node=Derivative(node.body, node.wrt, True))
    up = Derivative(node.body, through.node)
    down = Derivative(through.node, node.wrt, reader.local)
    return replace(value, node=Total(through.axes, times(up, down)) if through.axes else times(up, down))


def names_both(reader: Scope, value: Typed, through: Entry) -> bool:
    """Whether what is differentiated is defined in terms of the target and of another tensor."""
    node = value.node
    if not isinstance(node, Derivative) or not isinstance(node.body, Entry):
        return False
    definition = reader.symbols.definitions.get(node.body.name)
    return definition is not None and {node.wrt.name, through.name} <= set(names_of(definition.body))


def entries_named(reader: Scope, tokens: Sequence[Token]) -> list[Entry]:
    """The tensors that are named between commas."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "COMMA":
            parts.append([])
        else:
            parts[-1].append(token)
    found = [named(reader, part).node for part in parts]
    return [node for node in found if isinstance(node, Entry)]


def named(reader: Scope, tokens: Sequence[Token]) -> Typed:
    """The tensor that the tokens name."""
    try:
        tree = parse(tokens).only
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None
    if tree is None:
        raise NotUnderstoodError("a derivative along an expression")
    return target(reader, tree.items)
