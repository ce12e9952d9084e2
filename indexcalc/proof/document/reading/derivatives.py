"""The derivative of one expression by one tensor, total or local."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from indexcalc.proof.document.layers.beyond import beyond
from indexcalc.proof.document.meaning.nodes import (
    Derivative,
    Entry,
    Meaning,
    names_of,
    renamed,
)
from indexcalc.proof.document.meaning.slopes import refreshed
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError, depends_on
from indexcalc.proof.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.proof.document.numerics.numbers import is_backward
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.context import JACOBIAN


def derivative(reader: Scope, body: Typed, wrt: Typed, *, straight: bool = False) -> Typed:
    """The derivative of an expression by a tensor; total if its d is straight beside curly ones."""
    assert isinstance(wrt.node, Entry)
    if isinstance(body.node, Entry):
        body = replace(body, node=beyond(reader.symbols, body.node, wrt.node.name))
    shared = reader.symbols.shared.get(wrt.node.name)
    if shared and isinstance(body.node, Entry) and reader.symbols.is_loss(body.node.name):
        raise NotUnderstoodError(f"every {shared} has a part in the gradient by {wrt.node.name}; is this one of them?")
    if shared:
        reader.guesses.append(f"{wrt.node.name} counts at every {shared}")
    if (
        isinstance(body.node, Entry)
        and not body.axes
        and not body.node.slots
        and reader.symbols.is_loss(body.node.name)
    ):
        return laid_out(reader, Derivative(body.node, wrt.node), body, wrt)
    if isinstance(body.node, Entry) and body.node.name != wrt.node.name:
        grounded(reader, body.node.name, wrt.node.name)
    elif not isinstance(body.node, Entry):
        reader.guesses.extend(constant_guesses(reader, body.node, wrt.node.name))
    node = unfolded(reader, body.node)
    local = False
    if not (straight and reader.mixed) and may_be_local(reader, body.node, wrt.node):
        held = held_apart(reader, body.node, wrt.node.name)
        local = reader.settled.get((held, wrt.node.name), reader.local)
        if held:
            reader.pairs[held, wrt.node.name] = None
    return laid_out(reader, Derivative(node, wrt.node, local), body, wrt)


def second_derivative(reader: Scope, body: Typed, first: Typed, second: Typed) -> Typed:
    """The derivative of a scalar by two tensors, one after the other; of a matrix only by one vector twice."""
    assert isinstance(first.node, Entry)
    assert isinstance(second.node, Entry)
    if body.axes:
        raise NotUnderstoodError("a second derivative of an array")
    axes = (*first.axes, *second.axes)
    if len(axes) > 2 or (len(axes) == 2 and first.node.name != second.node.name):
        raise NotUnderstoodError("a second derivative without a fixed layout")
    if isinstance(body.node, Entry) and not reader.symbols.is_loss(body.node.name):
        grounded(reader, body.node.name)
    return Typed(Derivative(Derivative(body.node, first.node), second.node), axes)


def unfolded(reader: Scope, node: Meaning) -> Meaning:
    """The definition of a tensor that is itself a gradient, so that it can be differentiated again."""
    definitions = reader.symbols.definitions
    while isinstance(node, Entry) and node.name in definitions and is_backward(reader.symbols, node.name):
        definition = definitions[node.name]
        node = renamed(refreshed(definition.body, reader.sizes), dict(zip(definition.slots, node.slots, strict=True)))
    return node


def laid_out(reader: Scope, node: Derivative, body: Typed, wrt: Typed) -> Typed:
    """A derivative with its axes as the document's layout has them.

    Without a word about it, the gradient of a scalar has the shape of what it is taken by, and that of an
    array is not judged. In the layout of gradients the entries of the target come first, in that of
    Jacobians last, and the gradient of a scalar is then a row, or the transpose.
    """
    layout = reader.symbols.layout
    if layout and max(len(body.axes), len(wrt.axes)) == 1:
        if body.axes and wrt.axes:
            return Typed(node, (*body.axes, *wrt.axes) if layout == JACOBIAN else (*wrt.axes, *body.axes))
        return Typed(node, (*body.axes, *wrt.axes), ROW if bool(wrt.axes) == (layout == JACOBIAN) else COLUMN)
    if layout == JACOBIAN and not body.axes:
        return Typed(node, wrt.axes[::-1])
    orientation = wrt.orientation if wrt.axes else body.orientation
    return Typed(node, (*body.axes, *wrt.axes), orientation, jacobian=bool(body.axes) and bool(wrt.axes))


def may_be_local(reader: Scope, body: Meaning, wrt: Entry) -> bool:
    """Whether other tensors may be held: only where the definition itself names the target.

    A loss has total derivatives, unless a straight d beside a curly one says that the curly one is local.
    """
    if not isinstance(body, Entry) or body.name == wrt.name:
        return True
    definition = reader.symbols.definitions.get(body.name)
    if definition is None or wrt.name not in names_of(definition.body):
        return False
    return reader.mixed or bool(definition.slots) or is_read(reader, body.name)


def held_apart(reader: Scope, body: Meaning, wrt: str) -> tuple[str, ...]:
    """The tensors that a local derivative holds and a total one does not: read directly, and made from the target."""
    definitions = reader.symbols.definitions
    if isinstance(body, Entry):
        body = definitions[body.name].body if body.name in definitions else body
    return tuple(sorted(name for name in names_of(body) if name != wrt and depends_on(definitions, name, wrt)))


def is_read(reader: Scope, name: str) -> bool:
    """Whether another tensor of the forward pass reads a tensor; if none reads a scalar, it is the loss."""
    symbols = reader.symbols
    return any(
        name in names_of(definition.body) and not is_backward(symbols, other)
        for other, definition in symbols.definitions.items()
    )


def constant_guesses(reader: Scope, node: Meaning, wrt: str) -> Iterator[str]:
    """That an expression does not depend on a tensor, if nothing is known of an input in it that says so."""
    definitions = reader.symbols.definitions
    names = names_of(node)
    if not any(depends_on(definitions, name, wrt) for name in names):
        unknown = (name for name in names if name not in definitions and not reader.apart(name, wrt))
        yield from (f"{name} does not depend on {wrt}" for name in unknown)


def grounded(reader: Scope, name: str, wrt: str = "") -> None:
    """Reject the derivative of a tensor of which nothing is known; that of an independent input is zero."""
    if name not in reader.symbols.definitions and not reader.apart(name, wrt):
        raise NotUnderstoodError(f"{name} is differentiated, but never defined")
