"""What is wrong in a text, by offsets, with what would be right where that is known; apart from any protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from indexcalc.editors.positions import Positions

WORD = re.compile(r"dL/d[^\W\d]\w*|\w+|\S")
"""What is marked of a line from the place of a mistake on."""

NEAREST = re.compile(r"; did you mean ([^\W\d]\w*)\?")
"""What a message proposes instead of the name at its place."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake or a remark.

    Attributes:
        start: the offset where it starts.
        end: the offset where it ends.
        severity: `error`, `warning`, `information` or `hint`.
        message: what was found, and what would be right.
        instead: the text that would be right in its place; empty if none is known.
    """

    start: int
    end: int
    severity: str
    message: str
    instead: str = ""


def findings(answer: dict[str, Any], text: Positions, file: str) -> Iterator[Finding]:
    """What an answer of the engine says is wrong.

    Args:
        answer: of `indexcalc.editors.answering`, or of the workers.
        text: the document.
        file: its name.
    """
    match answer["kind"]:
        case "error":
            yield mistake(answer, text, file)
        case "judged":
            for claim in answer["claims"]:
                start = text.of_place(claim["line"], claim["column"])
                yield Finding(start, end_of_line(text, start), "error", claim["message"])
        case "claims":
            for claim in answer["claims"]:
                yield relation(claim, text)


def mistake(answer: dict[str, Any], text: Positions, file: str) -> Finding:
    """A mistake in a spec, or what stopped the work; in the first line if it has no place in this text."""
    place, message = answer.get("place"), answer["message"]
    if place is None or place["file"] != file:
        where = "" if place is None else f"{place['file']}:{place['line']}: "
        return Finding(0, end_of_line(text, 0), "error", f"{where}{message}")
    start = text.of_place(place["line"], place["column"])
    word = WORD.match(text.text, start)
    end = start if word is None else word.end()
    near = NEAREST.search(message)
    fits = near is not None and word is not None and word.group().isidentifier()
    return Finding(start, end, "error", message, near[1] if near is not None and fits else "")


def relation(claim: dict[str, Any], text: Positions) -> Finding:
    """A relation of a document of which something is to be said."""
    if claim["place"] is None:
        start = text.of_place(claim["line"], claim["column"])
        return Finding(start, end_of_line(text, start), claim["severity"], claim["message"])
    start, end = claim["place"]
    while end > start and text.text[end - 1].isspace():
        end -= 1
    return Finding(start, end, claim["severity"], claim["message"], claim["correction"])


def end_of_line(text: Positions, start: int) -> int:
    """Where the line of an offset ends."""
    end = text.text.find("\n", start)
    return len(text.text) if end < 0 else end
