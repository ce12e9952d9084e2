"""What one request may take: time, memory, a place. Whoever meets a bound is told which one."""

from __future__ import annotations

from dataclasses import dataclass

EVENT_LIMIT = 64_000_000
"""The most bytes of one answer of a worker."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of work.

    Attributes:
        seconds: how long a request may run, once it has begun.
        memory: bytes that a worker may take over what it starts with.
        running: how many requests run at once; others wait.
        waiting: how many may wait; more are refused.
    """

    seconds: float = 120.0
    memory: int = 2 << 30
    running: int = 2
    waiting: int = 16
