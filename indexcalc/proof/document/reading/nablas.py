r"""Gradients and Hessians by nabla: ``\nabla_X L``, ``\nabla f(x)``, ``\nabla^2 f(x)``."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Group, Node, Scripted
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import Entry, names_of
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError, depends_on
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.derivatives import derivative, second_derivative
from indexcalc.proof.document.reading.naming import named_value
from indexcalc.proof.document.reading.rates import target
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.scripts import Named, is_transpose


def nabla(reader: Scope, items: Sequence[Node], position: int) -> tuple[Typed, int]:
    """What a nabla and the factor after it mean, and where the next factor starts."""
    item = items[position]
    below = item.below if isinstance(item, Scripted) else ()
    above = item.above if isinstance(item, Scripted) else ()
    if position + 1 == len(items):
        raise NotUnderstoodError("a gradient of nothing")
    body, end = reader.unit(items, position + 1)
    wrt = named_target(reader, below) if below else implied_target(reader, items[position + 1 : end])
    turned = not body.axes and is_turned(items[end - 1])
    if below and end < len(items) and not turned and waits(reader, body, wrt):
        rest = reader.product(items[position + 1 :])
        body, end = (rest, len(items)) if not rest.axes else (body, end)
    if not above:
        value = derivative(reader, body, wrt)
        return typed.transpose(value) if turned else value, end
    if [token.text for tokens in above for token in tokens] != ["2"]:
        raise NotUnderstoodError("a nabla with a superscript that is not 2")
    if body.axes:
        raise NotUnderstoodError("the Hessian of an array")
    other = named_target(reader, below) if below else implied_target(reader, items[position + 1 : end])
    return second_derivative(reader, body, wrt, other), end


def is_turned(item: Node) -> bool:
    r"""Whether a factor bears the sign of a transpose: of a scalar in ``\nabla f(x)^\top d``, it is the gradient's."""
    return isinstance(item, Scripted) and any(is_transpose(tokens) for tokens in item.above)


def waits(reader: Scope, body: Typed, wrt: Typed) -> bool:
    r"""Whether a nabla reaches beyond the factor behind it, a constant or an array: ``\nabla_x x^\top A x``."""
    if body.axes:
        return True
    symbols = reader.symbols
    assert isinstance(wrt.node, Entry)
    return not any(
        symbols.is_loss(name) or depends_on(symbols.definitions, name, wrt.node.name) for name in names_of(body.node)
    )


def named_target(reader: Scope, tokens: Sequence[Token]) -> Typed:
    """The tensor at the foot of a nabla."""
    try:
        product = parse(tokens).only
    except IndexCalcError as error:
        raise NotUnderstoodError(str(error)) from None
    if product is None:
        raise NotUnderstoodError("a gradient by an expression")
    return target(reader, product.items)


def implied_target(reader: Scope, items: Sequence[Node]) -> Typed:
    """The argument of the function behind a nabla, or the variable for which the document defines it."""
    found = reader.survey.name(items[0]) if items else None
    function = reader.symbols.functions.get(found.name) if found is not None else None
    if function is None or found is None or found.parts is not None:
        raise NotUnderstoodError("a gradient by something that is not named")
    value = named_value(reader, Named(function.parameter, None, (), False, 0, False, 0))
    if len(items) == 2 and isinstance(items[1], Group) and len(items[1].members) == 1:
        value = reader.sum(items[1].members[0])
    if not isinstance(value.node, Entry):
        raise NotUnderstoodError(f"the gradient of {found.name} at an expression")
    return value
