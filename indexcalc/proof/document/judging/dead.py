"""Derivatives by tensors on which what is differentiated is not known to depend: zero, as far as the document says.

If both sides of a relation are zero because of such a derivative, they are equal whatever else they say.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.proof.document.meaning.nodes import ZERO, Derivative, Entry, Meaning, walk
from indexcalc.proof.document.meaning.symbols import Symbols, all_reads, depends_on


def dead(symbols: Symbols, *members: Meaning) -> str | None:
    """Why members that are zero say nothing; None if they do, as where a gradient is said to be zero."""
    if ZERO in members:
        return None
    for member in members:
        for node in derivatives_in(symbols, member):
            name = node.body.name if isinstance(node.body, Entry) else ""
            sources = symbols.outputs if symbols.is_loss(name) else (name,)
            if name and not any(depends_on(symbols.definitions, source, node.wrt.name) for source in sources):
                return f"{name} is not known to depend on {node.wrt.name}"
    return None


def derivatives_in(symbols: Symbols, member: Meaning) -> Iterator[Derivative]:
    """The derivatives in a member, and in the definitions of its names."""
    names = {node.name for node in walk(member) if isinstance(node, Entry)}
    names |= {read for name in names for read in all_reads(symbols.definitions, name)}
    bodies = (symbols.definitions[name].body for name in sorted(names) if name in symbols.definitions)
    for body in (member, *bodies):
        yield from (node for node in walk(body) if isinstance(node, Derivative))
