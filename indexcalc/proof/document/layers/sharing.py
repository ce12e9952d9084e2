"""Tensors that every step or head uses, such as the weights of a recurrent network.

A note that speaks of step t writes ``∂L/∂W`` for the part of the gradient that comes from this step, or for all
of it; and the steps that it names are not all that there are. Nothing is said of such a gradient.
"""

from __future__ import annotations

from indexcalc.proof.document.layers.labels import layers_of
from indexcalc.proof.document.meaning.symbols import Symbols


def shared_by_layers(symbols: Symbols) -> dict[str, str]:
    """The tensors without a layer that those of a layer's letter are made from, each with the letter."""
    unknown = symbols.losses | symbols.beyond
    found: dict[str, str] = {}
    for name, definition in symbols.definitions.items():
        letter = next((layer.text for layer in layers_of(name) if layer.text.islower()), "")
        for read in definition.reads if letter else ():
            if not layers_of(read) and read not in unknown and read not in symbols.definitions:
                found[read] = letter
    return found
