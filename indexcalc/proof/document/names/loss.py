"""The loss that is not given: the tensors on which it depends, as the derivatives of the document show."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Atom, Fraction, Product, Scripted, Sum, nodes_of
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, Total, free, rebuilt, walk
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError, Symbols, depends_on
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.written.roles import CONDITION, DECLARATION, Roles, head_of


def find_outputs(roles: Roles) -> None:
    """The tensors by which the loss is differentiated and on which no other such tensor depends."""
    symbols, sizes = roles.symbols, roles.symbols.sizes
    wanted: dict[str, None] = {}
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) in (DECLARATION, CONDITION):
            continue
        reader = Reader(symbols, roles.survey, sizes.copy())
        head: Meaning | None = None
        for tree in statement.trees:
            for value in readable(reader, tree) or [
                one for part in parts_of(tree) for one in readable(Reader(symbols, roles.survey, sizes.copy()), part)
            ]:
                wanted.update(dict.fromkeys(differentiated_by(value.node, symbols)))
                symbols.marks_held |= any(isinstance(node, Derivative) and node.held for node in walk(value.node))
                head = head or value.node
                symbols.writes_chain_sums |= sums_a_chain(value.node) or sums_a_gradient(head, value.node)
    definitions = symbols.definitions
    last = tuple(
        name for name in wanted if not any(other != name and depends_on(definitions, other, name) for other in wanted)
    )
    symbols.outputs = tuple(name for name in last if name in definitions) or last


UNNAMED = "loss"
"""The loss of a document that has only short names of gradients, ``dX``."""


CALLED_LOSS = re.compile(r"\bloss(?:\s+function)?\s+(?:\$`?|\\\()\s*\\?([A-Za-z]+)\s*(?:`?\$|\\\))", re.IGNORECASE)
"""Words that say that a name is the loss: ``the loss $F$``."""


def may_be_loss(roles: Roles, names: Collection[str]) -> dict[str, tuple[Ix, ...] | None]:
    """The names of losses that such a document defines by an equation, made scalars; with the slots they had."""
    symbols = roles.symbols
    if symbols.losses != {UNNAMED}:
        return {}
    names = {*names, *CALLED_LOSS.findall(roles.document.source)}
    found: dict[str, tuple[Ix, ...] | None] = {}
    for statement in roles.statements:
        head = head_of(roles, statement) if len(statement.sides) > 1 else None
        if head is None or head.parts is not None or head.name in symbols.adjoints.values():
            continue
        if (head.name in names or UNNAMED in head.name.lower()) and roles.survey.rank(head.name) is None:
            found.setdefault(head.name, symbols.slots.get(head.name))
            symbols.slots[head.name] = ()
    return found


def adopt_loss(roles: Roles, candidates: Mapping[str, tuple[Ix, ...] | None]) -> None:
    """The one scalar among them that has a definition is the loss; the others are what they were."""
    symbols = roles.symbols
    for name, slots in candidates.items():
        if name not in symbols.definitions and slots is not None:
            symbols.slots[name] = slots
    scalars = [name for name in candidates if name in symbols.definitions and not symbols.definitions[name].slots]
    last = [name for name in scalars if not any(name in one.reads for one in symbols.definitions.values())]
    if len(last) == 1:
        symbols.losses = {*last}
        for name, one in symbols.definitions.items():
            if UNNAMED in one.reads:
                symbols.definitions[name] = replace(one, body=with_loss(one.body, last[0]))


def with_loss(node: Meaning, name: str) -> Meaning:
    """The expression with the gradients of the loss without a name as those of this one."""
    return Entry(name) if node == Entry(UNNAMED) else rebuilt(node, lambda inner: with_loss(inner, name))


def readable(reader: Reader, tree: Sum) -> list[Typed]:
    """The meaning of a member, if it has one."""
    with suppress(NotUnderstoodError, ShapeError, IndexCalcError):
        return [reader.sum(tree)]
    return []


def parts_of(tree: Sum) -> Iterator[Sum]:
    """Each derivative and each name on its own: what can be read although the whole cannot."""
    for node in nodes_of(tree):
        if isinstance(node, Fraction | Atom | Scripted):
            yield Sum(((1, Product((node,))),))


def sums_a_chain(node: Meaning) -> bool:
    """Whether a written sum joins ``∂·/∂y_i`` and ``∂y_i/∂·``."""
    for total in walk(node):
        if isinstance(total, Total) and any(index.name for index in total.indices):
            inner = [part for part in walk(total.body) if isinstance(part, Derivative)]
            below = {slot for part in inner for slot in part.wrt.slots}
            above = {slot for part in inner for slot in free(part.body)}
            if set(total.indices) & below & above:
                return True
    return False


def sums_a_gradient(head: Meaning, node: Meaning) -> bool:
    """Whether a gradient is a written sum over all entries of another: a chain rule, its other factor worked out."""
    if not isinstance(head, Derivative):
        return False
    for total in walk(node):
        written = {index for index in total.indices if index.name} if isinstance(total, Total) else set()
        for part in walk(node) if written else ():
            if not isinstance(part, Derivative) or part.wrt.name == head.wrt.name or not same_body(part, head):
                continue
            if part.wrt.slots and set(part.wrt.slots) <= written:
                return True
    return False


def same_body(one: Derivative, other: Derivative) -> bool:
    """Whether two derivatives are of one tensor."""
    return isinstance(one.body, Entry) and isinstance(other.body, Entry) and one.body.name == other.body.name


def differentiated_by(node: Meaning, symbols: Symbols) -> Iterator[str]:
    """The tensors by which an expression differentiates the unknown loss."""
    for inner in walk(node):
        if isinstance(inner, Derivative) and isinstance(inner.body, Entry) and symbols.is_loss(inner.body.name):
            yield inner.wrt.name
