"""A loss that is defined by the last layer, differentiated by another one: what lies between is left open.

``C = f(a^L)`` and ``∂C/∂z^l`` are about the same loss, but the equations of the layers between ``l`` and ``L``
are not there to be put in. By the layers that its definition doesn't reach, the loss is an unknown function.
"""

from __future__ import annotations

from dataclasses import replace

from indexcalc.proof.document.layers.labels import layers_of
from indexcalc.proof.document.meaning.nodes import Derivative, Entry, Meaning, rebuilt
from indexcalc.proof.document.meaning.symbols import Symbols, all_reads, depends_on


def beyond(symbols: Symbols, loss: Entry, wrt: str) -> Entry:
    """The loss as an unknown function of the layers if its definition does not reach the target; else as it is."""
    definitions = symbols.definitions
    if loss.slots or loss.name not in definitions or not layers_of(wrt):
        return loss
    if depends_on(definitions, loss.name, wrt) or depends_on(definitions, wrt, loss.name):
        return loss
    if not any(layers_of(name) for name in all_reads(definitions, loss.name)):
        return loss
    name = f"{loss.name} beyond"
    symbols.slots[name] = ()
    symbols.beyond.add(name)
    return Entry(name)


def settle_beyond(symbols: Symbols) -> None:
    """The same in definitions, which were read before the loss was known to have one."""

    def change(node: Meaning) -> Meaning:
        changed = rebuilt(node, change)
        if isinstance(changed, Derivative) and isinstance(changed.body, Entry):
            return replace(changed, body=beyond(symbols, changed.body, changed.wrt.name))
        return changed

    for name, definition in symbols.definitions.items():
        if any(layers_of(read) for read in definition.reads):
            symbols.definitions[name] = replace(definition, body=change(definition.body))
