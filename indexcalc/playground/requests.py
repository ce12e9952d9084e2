"""What a page may ask for, read from JSON: every field is known, of its type, and not too long."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from indexcalc.errors import IndexCalcError
from indexcalc.playground.limits import NAME_LIMIT

ANSWERING = "indexcalc.playground.answering"
"""The module that workers ask; the server itself imports no engine."""

TARGETS = ("fast", "checkpoints", "torch", "jax")
"""The code that can be asked for beside that for NumPy."""

DETAILS = ("full", "brief")
NOTE_FILES = ("md", "tex", "html")


class RequestError(IndexCalcError):
    """A request that no page of ours makes."""


@dataclass(frozen=True, slots=True)
class Derive:
    """A derivation with all that is said of it: the note first, then code, cost, worksheet and check.

    Attributes:
        text: the spec.
        targets: the code that is written beside that for NumPy.
        values: the numbers of the worksheet, in TOML; by default some are drawn.
    """

    text: str
    targets: tuple[str, ...] = ()
    values: str = ""


@dataclass(frozen=True, slots=True)
class NoteFile:
    """The note of a spec in one format, as a file."""

    text: str
    format: str = "md"
    detail: str = "full"


@dataclass(frozen=True, slots=True)
class Check:
    """The relations of a document, each with its verdict."""

    text: str
    name: str = "note.md"
    context: str = ""


Job = Derive | NoteFile | Check

KINDS: Mapping[str, type[Job]] = {"derive": Derive, "note": NoteFile, "check": Check}
"""The requests by the name that stands in their address."""

CHOICES = {"detail": DETAILS, "format": NOTE_FILES}


def job_of(kind: str, given: Mapping[str, Any]) -> Job:
    """The request of a kind.

    Raises:
        RequestError: for a field that is missing, unknown, of another type or too long.
    """
    wanted = KINDS[kind]
    known = {one.name for one in fields(wanted)}
    for name in given:
        if name not in known:
            raise RequestError(f"there is no field {name!r}; there are {', '.join(sorted(known))}")
    if "text" not in given:
        raise RequestError("the field 'text' is missing")
    checked: dict[str, Any] = {name: field_of(name, value) for name, value in given.items()}
    return wanted(**checked)


def field_of(name: str, value: object) -> str | tuple[str, ...]:
    """One field.

    Raises:
        RequestError: if it is not what it should be.
    """
    if name == "targets":
        if not isinstance(value, list | tuple) or any(one not in TARGETS for one in value):
            raise RequestError(f"the field 'targets' is a list of some of {', '.join(TARGETS)}")
        return tuple(dict.fromkeys(value))
    if not isinstance(value, str):
        raise RequestError(f"the field {name!r} is a text")
    if name == "name" and len(value) > NAME_LIMIT:
        raise RequestError(f"the field 'name' has more than {NAME_LIMIT} characters")
    if name in CHOICES and value not in CHOICES[name]:
        raise RequestError(f"the field {name!r} is one of {', '.join(CHOICES[name])}")
    return value


def read_body(kind: str, body: bytes) -> tuple[str, Job]:
    """The name of the page that asks, and what it asks for.

    Raises:
        RequestError: if this is not JSON, or not a request of this kind.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RequestError("the request is not JSON") from error
    if not isinstance(given, dict):
        raise RequestError("the request is no JSON object")
    page = given.pop("page", "")
    if not isinstance(page, str) or not 0 < len(page) <= NAME_LIMIT:
        raise RequestError(f"the field 'page' names the page in at most {NAME_LIMIT} characters")
    return page, job_of(kind, given)


def to_json(job: Job) -> dict[str, Any]:
    """A request for a worker."""
    kind = next(name for name, known in KINDS.items() if isinstance(job, known))
    return {"kind": kind, **asdict(job)}


def from_json(message: Mapping[str, Any]) -> Job:
    """The request that `to_json` wrote."""
    return job_of(message["kind"], {name: value for name, value in message.items() if name != "kind"})
