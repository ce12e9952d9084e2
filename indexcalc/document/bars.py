r"""What a bar behind a derivative says: ``|_{\text{via } Z}`` or ``|_{Z \text{ held}}``.

A bar with nothing but a name, ``|_{Z}``, is used both ways: it is the part that passes through the tensor, or the
derivative that holds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.derivatives import derivative, is_local
from indexcalc.document.meaning.nodes import Derivative, Entry, Meaning, Total, times, walk
from indexcalc.document.meaning.slopes import placed
from indexcalc.document.meaning.symbols import NotUnderstoodError, depends_on
from indexcalc.document.meaning.typed import Typed
from indexcalc.document.multipliers import multiplier, solved_by
from indexcalc.document.statements.labels import of_any_layer
from indexcalc.document.table import Table
from indexcalc.language.latex.tokens import Token, parted

VIA = frozenset({"via", "through"})
"""Words for the part of a gradient that passes through a tensor."""

HELD = frozenset({"held", "fixed", "const", "constant"})
"""Words for what does not vary."""


def names_at(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The names at the foot of a bar, between commas."""
    for part in parted(tokens, "COMMA"):
        yield [token for token in part if token.text not in VIA | HELD and token.kind != "REL"]


def barred(table: Table, value: Typed, tokens: Sequence[Token], named: Sequence[Typed]) -> Typed:
    """A derivative with a bar behind it, and the tensors that are named at its foot."""
    node = value.node
    words = {token.text for token in tokens}
    if not isinstance(node, Derivative) or not named:
        raise NotUnderstoodError("a bar behind what is no derivative")
    if words & HELD or (len(named) == 1 and not words & VIA and holds(table, named[0])):
        return holding(table, value, node, named)
    if len(named) > 1:
        raise NotUnderstoodError("a path through several tensors")
    return part_through(table, value, node, named[0])


def holds(table: Table, named: Typed) -> bool:
    """Whether a bar with nothing but a name holds the tensor."""
    assert isinstance(named.node, Entry)
    name = named.node.name
    question = choice(
        Kind.DERIVATIVE,
        f"the bar with {name} in statement {table.number}",
        Option("through", 0.0, f"a bar with {name} takes the part through it"),
        Option("held", 0.1, f"{name} is held", free=True),
    )
    return table.asking(question).name == "held"


def holding(table: Table, value: Typed, node: Derivative, named: Sequence[Typed]) -> Typed:
    """The derivative with tensors held, though they may depend on the target.

    Of what a recurrence gives, other entries may be held: each is a variable of its own.
    """
    names = tuple(one.node.name for one in named if isinstance(one.node, Entry))
    body, wrt = node.body, node.wrt.name
    if node.local and wrt in table.recurring:
        names = (*names, wrt)
    body = by_its_equation(table, body, names)
    own = [one.name for one in (node.wrt, body) if isinstance(one, Entry) and one.name not in table.recurring]
    # The tensor that is held may be read one for each step: y holds y_a, which is differentiated, at the other steps.
    if set(names) & {*own, *map(of_any_layer, own)}:
        raise NotUnderstoodError("a derivative that holds its own target")
    if any(isinstance(inner, Derivative) for inner in walk(body)):
        raise NotUnderstoodError("a derivative of a gradient that holds what the gradient is computed from")
    return replace(value, node=Derivative(body, node.wrt, held=names))


def by_its_equation(table: Table, body: Meaning, names: Collection[str]) -> Meaning:
    """What is differentiated; an entry of one of these recurrences, as its equation gives it by others."""
    if isinstance(body, Entry) and body.name in table.recurring.intersection(names):
        return placed(table.definitions[body.name], body.slots, table.sizes)
    return body


def direct(table: Table, inner: Meaning) -> Meaning:
    """The derivative of the tensor that a part passes through: it may be that by its own equation, all else held.

    What passes through others, which read the same, is then counted with the parts through these.
    """
    if not isinstance(inner, Derivative) or inner.local or not isinstance(inner.body, Entry):
        return inner
    name, wrt = inner.body.name, inner.wrt.name
    reads = table.definitions[name].reads if name in table.definitions else frozenset()
    if wrt not in reads or not any(one != wrt and depends_on(table.definitions, one, wrt) for one in reads):
        return inner
    question = choice(
        Kind.DERIVATIVE,
        f"the part through {name} of a derivative by {wrt}",
        Option("total", 0.0, f"the part through {name} takes all ways from {wrt} to {name}", free=True),
        Option("local", 0.05, f"the part through {name} holds what else {name} is computed from", free=True),
    )
    return replace(inner, local=table.asking(question).name == "local")


def part_through(table: Table, value: Typed, node: Derivative, through: Typed) -> Typed:
    """The part of a gradient that passes through one tensor: the chain rule over that tensor's entries.

    Where it is computed step by step, and the gradient is that by it, its equation says how a step leads to others.
    """
    if not isinstance(node.body, Entry) or node.body.slots:
        raise NotUnderstoodError("a bar behind what is no gradient")
    assert isinstance(through.node, Entry)
    name = through.node.name
    table.note_system(node.wrt.name)  # through what is left of its own equation, a part is what multiplies that
    if name == node.body.name:
        return replace(value, node=Derivative(node.body, node.wrt, True))
    inner: Meaning
    factor = multiplier(table, name, through.axes)
    if factor is not None:
        solved = solved_by(table, name)
        local = node.wrt.name == solved or is_local(table, through.node, node.wrt)
        inner = Derivative(through.node, node.wrt, local, () if local else (solved,))
        return replace(value, node=Total(through.axes, times(factor, inner)))
    if name == node.wrt.name and name in table.recurring:
        inner = Derivative(by_its_equation(table, through.node, (name,)), node.wrt, True)
    else:
        inner = direct(table, derivative(table, through.node, node.wrt))
    product = times(derivative(table, node.body, through.node), inner)
    return replace(value, node=Total(through.axes, product) if through.axes else product)
