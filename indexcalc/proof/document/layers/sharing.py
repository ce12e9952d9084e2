"""Tensors that every step uses, such as the weights of a recurrent network.

A note that speaks of step t writes ``∂L/∂W`` for the part of the gradient that comes from this step, or for all
of it; the steps that it names are not all that there are. Such a derivative supports no refutation.
"""

from __future__ import annotations

from indexcalc.proof.document.layers.labels import layers_of, of_any_layer
from indexcalc.proof.document.symbols import Symbols


def shared_by_layers(symbols: Symbols) -> set[str]:
    """The tensors without a layer that several layers read, or one that is made from another of its kind."""
    unknown = symbols.losses | symbols.beyond
    readers: dict[str, set[str]] = {}
    repeated: set[str] = set()
    for name, definition in symbols.definitions.items():
        if not layers_of(name):
            continue
        kind = of_any_layer(name)
        recurs = any(of_any_layer(read) == kind for read in definition.reads)
        for read in definition.reads:
            if not layers_of(read) and read not in unknown:
                repeated.update({read} if recurs or kind in readers.get(read, ()) else ())
                readers.setdefault(read, set()).add(kind)
    return repeated
