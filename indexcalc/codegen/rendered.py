"""A generated function, as text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """One generated function, as text; `checks` stand before the body."""

    head: str
    summary: str
    arguments: tuple[str, ...]
    body: tuple[str, ...]
    notes: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
