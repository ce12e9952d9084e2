"""The derivative of one expression by one tensor, total or local."""

from __future__ import annotations

from indexcalc.proof.document.nodes import (
    Derivative,
    Entry,
    Meaning,
    names_of,
)
from indexcalc.proof.document.scope import Scope
from indexcalc.proof.document.symbols import NotUnderstoodError
from indexcalc.proof.document.typed import Typed


def derivative(reader: Scope, body: Typed, wrt: Typed) -> Typed:
    """The derivative of an expression by a tensor."""
    assert isinstance(wrt.node, Entry)
    if (
        isinstance(body.node, Entry)
        and not body.axes
        and not body.node.slots
        and reader.symbols.is_loss(body.node.name)
    ):
        return Typed(Derivative(body.node, wrt.node), wrt.axes)
    if isinstance(body.node, Entry) and body.node.name != wrt.node.name:
        grounded(reader, body.node.name)
    node = body.node
    return Typed(
        Derivative(node, wrt.node, reader.local and may_be_local(reader, body.node, wrt.node)),
        (*body.axes, *wrt.axes),
        jacobian=bool(body.axes) and bool(wrt.axes),
    )


def may_be_local(reader: Scope, body: Meaning, wrt: Entry) -> bool:
    """Whether other tensors may be held: only where the definition itself names the target."""
    if not isinstance(body, Entry) or body.name == wrt.name:
        return True
    definition = reader.symbols.definitions.get(body.name)
    return definition is not None and wrt.name in names_of(definition.body)


def grounded(reader: Scope, name: str) -> None:
    """Reject the derivative of a tensor of which nothing is known."""
    if name not in reader.symbols.definitions:
        raise NotUnderstoodError(f"{name} is differentiated, but never defined")
