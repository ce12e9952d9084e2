"""Differentials, ``dY = dX W + X dW``: those of some tensors are free, the others follow from them.

Free are those on the tensors of which no other tensor in the statement rests; what the statement does not
vary is held.
"""

from __future__ import annotations

from dataclasses import replace

from indexcalc.language.latex.tree import Atom, Node
from indexcalc.proof.document.meaning.nodes import ZERO, Derivative, Entry, Meaning, Plus, Total, names_of, times
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError, Symbols, depends_on
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.derivatives import unfolded
from indexcalc.proof.document.reading.scope import Scope


def free_name(name: str) -> str:
    """The name of the free differential of a tensor."""
    return f"d {name}"


def target_of(symbols: Symbols, name: str) -> str | None:
    """The tensor, loss or function whose differential a name may be."""
    if not name.startswith("d") or len(name) == 1:
        return None
    rest = symbols.adjoints.get(name) or symbols.resolve(name[1:])
    return rest if rest in symbols.slots or rest in symbols.functions else None


def reaches(symbols: Symbols, name: str, other: str) -> bool:
    """Whether a tensor, a function or an unknown loss varies with another tensor."""
    if name == other:
        return False
    if symbols.is_loss(name):
        return not symbols.is_loss(other)
    return name in symbols.functions or depends_on(symbols.definitions, name, other)


def differential_of(reader: Scope, value: Typed) -> Typed:
    """The differential of an expression: over all free ones, its derivative times that."""
    assert reader.variation is not None
    symbols = reader.symbols
    node = unfolded(reader, value.node)
    parts: list[Meaning] = []
    for name in reader.variation.free:
        if not any(inner == name or reaches(symbols, inner, name) for inner in names_of(node)):
            continue
        if name not in symbols.slots or free_name(name) not in symbols.slots:
            raise NotUnderstoodError(f"the differential of {name}")
        own = tuple(reader.sizes.fresh(slot.name) for slot in symbols.slots[name])
        for index, slot in zip(own, symbols.slots[name], strict=True):
            reader.sizes.unify(index, slot)
        product = times(Derivative(node, Entry(name, own)), Entry(free_name(name), own))
        parts.append(Total(own, product) if own else product)
    for name in reader.variation.held:
        through = any(reaches(symbols, free, name) for free in reader.variation.free)
        if not through and any(inner == name or reaches(symbols, inner, name) for inner in names_of(node)):
            reader.notes.append(f"{name} is held")
    return replace(value, node=Plus(tuple(parts)) if parts else ZERO, jacobian=False)


def is_sign(item: Node) -> bool:
    """Whether a factor is a plain d."""
    return isinstance(item, Atom) and item.kind == "NAME" and item.text == "d"
