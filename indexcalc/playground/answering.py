"""What is said to the requests of a page; the workers call it."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.language.paths import shipped_text
from indexcalc.playground.checks import judged
from indexcalc.playground.deriving import derived, note_file
from indexcalc.playground.requests import Check, Derive, NoteFile, from_json
from indexcalc.workers.frames import Message

WARM = "attention"
"""The derivation that is worked out once before any request: its tables and caches are then there for all."""


def answers(message: Message) -> Iterator[Message]:
    """What is said to a request."""
    match from_json(message):
        case Derive() as job:
            return derived(job)
        case NoteFile() as job:
            return note_file(job)
        case Check() as job:
            return judged(job)


def rehearsals() -> Iterator[Message]:
    """Requests that are worked out once before any other; no request is then the first of anything."""
    yield {"kind": "derive", "text": shipped_text(WARM)}
    relation = (
        r"$$y_i = \sum_j W_{ij} x_j, \quad \frac{\partial L}{\partial x_j} = "
        r"\sum_i W_{ij} \frac{\partial L}{\partial y_i}$$"
    )
    yield {"kind": "check", "text": relation}
