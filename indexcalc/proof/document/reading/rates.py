"""Derivatives as they are written: fractions, operators that wait for an argument, and nablas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Product, Scripted, Sum, nodes_of
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import (
    Entry,
    Size,
)
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.derivatives import derivative, second_derivative
from indexcalc.proof.document.reading.naming import named_value
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.trees import is_differential


def fraction(reader: Scope, item: Fraction) -> Typed:
    """A quotient, or a derivative written as one."""
    above, below = item.numerator.only, item.denominator.only
    if above is not None and below is not None and is_rate(above, below):
        body, wrt = numerator(reader, above.items[1:]), target(reader, below.items[1:])
        return derivative(reader, body, wrt, straight=is_straight(above))
    if above is not None and below is not None and is_second(above.items[0]):
        return second_rate(reader, above, below)
    return typed.divided(reader.sum(item.numerator), reader.sum(item.denominator), reader.sizes)


def numerator(reader: Scope, items: Sequence[Node]) -> Typed:
    """What is differentiated; a loss whose letter is a size elsewhere is the loss here."""
    found = reader.survey.name(items[0]) if len(items) == 1 else None
    if found is not None and found.parts is None and not found.powers and reader.symbols.is_loss(found.name):
        return Typed(Entry(found.name))
    value = reader.product(items)
    if isinstance(value.node, Size):
        raise NotUnderstoodError("a derivative of a size")
    return value


def operator(reader: Scope, item: Fraction) -> Typed | None:
    """The target of a derivative operator that waits for its argument."""
    above, below = item.numerator.only, item.denominator.only
    if above is None or below is None or len(above.items) != 1 or not is_differential(above.items[0]):
        return None
    if len(below.items) == 1 and reader.survey.name(below.items[0]) is not None and is_curly(above.items[0]):
        return target(reader, below.items)  # the sign below is forgotten
    if len(below.items) < 2 or not is_differential(below.items[0]):
        return None
    return target(reader, below.items[1:])


def is_curly(item: Node) -> bool:
    """Whether a sign of a derivative is a curly d, which is nothing else."""
    return isinstance(item, Atom) and item.kind == "PARTIAL"


def target(reader: Scope, items: Sequence[Node]) -> Typed:
    """What a derivative is taken by: one tensor, whole or at an index."""
    while len(items) == 1 and isinstance(items[0], Group) and items[0].bracket == "{" and items[0].members:
        only = items[0].members[0].only
        if only is None:
            break
        items = only.items
    if len(items) != 1 or (found := reader.survey.name(items[0])) is None or (found.powers):
        raise NotUnderstoodError("a derivative by an expression")
    value = named_value(reader, found)
    if not isinstance(value.node, Entry):
        raise NotUnderstoodError(f"a derivative by {found.name}")
    return value


def inline_derivative(reader: Scope, items: Sequence[Node], position: int) -> tuple[Typed, int]:
    """``∂y/∂x`` written in a line."""
    slash = next((n for n in range(position, len(items)) if is_slash(items[n])), None)
    if slash is None or slash + 2 >= len(items) or not is_differential(items[slash + 1]) or slash == position + 1:
        raise NotUnderstoodError("a stray sign of a derivative")
    body = numerator(reader, items[position + 1 : slash])
    end = slash + 3
    following = items[end] if end < len(items) else None
    if isinstance(following, Group) and following.bracket == "[":
        end += 1
    return derivative(reader, body, target(reader, items[slash + 2 : end])), end


def second_rate(reader: Scope, above: Product, below: Product) -> Typed:
    r"""``\frac{\partial^2 f}{\partial x_i \partial x_j}``, and ``\frac{\partial^2 f}{\partial x^2}``."""
    starts = [n for n, item in enumerate(below.items) if is_differential(item)]
    if len(above.items) < 2 or not starts or starts[0] or len(starts) > 2:
        raise NotUnderstoodError("a second derivative of this form")
    body = numerator(reader, above.items[1:])
    if len(starts) == 1:
        last = below.items[-1]
        squared = isinstance(last, Scripted) and [t.text for part in last.above for t in part] == ["2"]
        if len(below.items) != 2 or not squared or not isinstance(last, Scripted):
            raise NotUnderstoodError("a second derivative by one variable")
        plain = replace(last, above=())
        first, second = target(reader, (plain,)), target(reader, (plain,))
    else:
        first = target(reader, below.items[1 : starts[1]])
        second = target(reader, below.items[starts[1] + 1 :])
    return second_derivative(reader, body, first, second)


def is_rate(above: Product, below: Product) -> bool:
    """Whether numerator and denominator are differentials."""
    longer = len(above.items) > 1 and len(below.items) > 1
    return longer and is_differential(above.items[0]) and is_differential(below.items[0])


def is_straight(above: Product) -> bool:
    """Whether a derivative is written with a d, as total ones are beside partial ones."""
    return not (isinstance(above.items[0], Atom) and above.items[0].kind == "PARTIAL")


def is_mixed(trees: Iterable[Sum]) -> bool:
    """Whether a chain has derivatives with a straight d and with a curly one."""
    fractions = [node for tree in trees for node in nodes_of(tree) if isinstance(node, Fraction)]
    rates = [(node.numerator.only, node.denominator.only) for node in fractions]
    return {is_straight(above) for above, below in rates if above and below and is_rate(above, below)} == {True, False}


def is_slash(item: Node) -> bool:
    """Whether a node is the sign of a division."""
    return isinstance(item, Atom) and item.kind == "SLASH"


def is_second(item: Node) -> bool:
    """Whether a factor is the sign of a second derivative."""
    return isinstance(item, Scripted) and is_differential(item.base)
