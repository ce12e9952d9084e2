"""The Python names of a fast function, its own variables among them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from indexcalc.codegen.operands import Scope

LOCALS = ("dtype", "threads", "totals", "loop", "blocks", "steps", "space", "size", "part")
"""What a fast function calls its own variables, or the stems of such names."""


@dataclass(frozen=True)
class Names:
    """The Python names of a function.

    Attributes:
        scope: of tensors and scalars.
        own: of the function's own variables, by their name or stem in `LOCALS`.
    """

    scope: Scope
    own: Mapping[str, str]

    @property
    def taken(self) -> frozenset[str]:
        """All names in use."""
        return frozenset((*self.scope.tensors.values(), *self.scope.scalars.values(), *self.own.values()))


def own_names(taken: Collection[str]) -> Mapping[str, str]:
    """Names for the function's own variables with which no other name begins."""
    found = {}
    for name in LOCALS:
        stem = name
        while any(other == stem or other.startswith(f"{stem}_") for other in taken):
            stem += "_"
        found[name] = stem
    return found


def with_names(names: Names, local: Mapping[str, str]) -> Names:
    """The names with other variables for some tensors."""
    return replace(names, scope=replace(names.scope, tensors={**names.scope.tensors, **local}))
