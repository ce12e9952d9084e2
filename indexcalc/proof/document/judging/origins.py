"""What names and expressions are made from: the inputs behind them, and the gradients in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, names_of, walk
from indexcalc.proof.document.meaning.sizes import Ix
from indexcalc.proof.document.meaning.symbols import Symbols, depends_on
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.scripts import GREEK


def loss_without(symbols: Symbols, nodes: Iterable[Meaning]) -> str:
    """A tensor by which the unknown loss is differentiated although nothing says that it depends on it; or none.

    Such a gradient would be zero, and a claim about it empty.
    """
    for node in nodes:
        for inner in gradients_in(node, symbols):
            name = inner.wrt.name
            if not any(output == name or depends_on(symbols.definitions, output, name) for output in symbols.outputs):
                return name
    return ""


def gradients_in(node: Meaning, symbols: Symbols) -> Iterator[Derivative]:
    """The derivatives of an unknown loss in an expression."""
    for inner in walk(node):
        if isinstance(inner, Derivative) and isinstance(inner.body, Entry) and symbols.is_loss(inner.body.name):
            yield inner


def all_names(symbols: Symbols, node: Meaning) -> set[str]:
    """The tensors that an expression names, and those from which they are made."""
    found: set[str] = set()
    pending = list(names_of(node))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            if name in symbols.definitions:
                pending.extend(names_of(symbols.definitions[name].body))
            elif symbols.is_loss(name):
                pending.extend(symbols.outputs)
    return found


def name_is_constant(slots: dict[str, tuple[Ix, ...]], name: str, roles: Roles) -> bool:
    """Whether a name is a plain scalar, such as a temperature, that needs no definition: a letter, or a Greek one."""
    base = name.split("_", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    given = name in roles.symbols.given
    return given and slots.get(name) == () and name in roles.survey.usages and (len(base) == 1 or base in GREEK)


def unrelated(symbols: Symbols, head: Entry, body: Meaning) -> bool:
    """Whether a name's definition and a restatement come from two sets of inputs without a common member."""
    if head.name not in symbols.definitions:
        return False
    old = inputs_of(symbols, names_of(symbols.definitions[head.name].body))
    new = inputs_of(symbols, names_of(body))
    return bool(old) and bool(new) and not old & new


def strangers(symbols: Symbols, head: Typed | None, value: Typed | None) -> list[str]:
    """Where a gradient of the unknown loss is claimed: inputs of the right side that may be upstream gradients."""
    if head is None or value is None or next(gradients_in(head.node, symbols), None) is None:
        return []
    known = inputs_of(symbols, (*symbols.outputs, *names_of(head.node)))
    return sorted(inputs_of(symbols, names_of(value.node)) - known)


def inputs_of(symbols: Symbols, names: Sequence[str]) -> set[str]:
    """The tensors without a definition from which names are made."""
    every = {inner for name in names for inner in all_names(symbols, Entry(name))}
    return {name for name in every if name not in symbols.definitions and symbols.slots.get(name)}
