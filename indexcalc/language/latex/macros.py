"""Macros of a document: their bodies, and the arguments that follow a use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro of the document: how many arguments it takes, its body with ``#1``, ``#2``, ..., and an optional one."""

    arity: int
    body: str
    default: str | None = None


def filled(body: str, arguments: list[str]) -> str:
    """The body of a macro with its arguments put in."""
    return re.sub(r"#(\d)", lambda match: arguments[int(match[1]) - 1] if int(match[1]) <= len(arguments) else "", body)


OPTIONAL = re.compile(r"[ \t]*\[([^\[\]]*)\]")


def optional_argument(text: str, position: int, default: str) -> tuple[str, int]:
    """The argument in square brackets that may follow a macro, and where it ends."""
    match = OPTIONAL.match(text, position)
    return (match[1], match.end()) if match else (default, position)


BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def raw_argument(text: str, position: int) -> tuple[str, int]:
    """The next argument of a macro in a source text, and where it ends."""
    while position < len(text) and text[position].isspace():
        position += 1
    if position >= len(text):
        return "", position
    if text[position] == "\\":
        match = re.compile(r"\\[A-Za-z]+|\\.").match(text, position)
        return (match.group(), match.end()) if match else (text[position], position + 1)
    if text[position] != "{":
        return text[position], position + 1
    end = closing_braces(text).get(position)
    return (text[position + 1 :], len(text)) if end is None else (text[position + 1 : end], end + 1)


@lru_cache(maxsize=4)
def closing_braces(text: str) -> Mapping[int, int]:
    """The closing brace of every opening one that has one; found for the whole text at once, since braces nest."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in BRACE.finditer(text):
        if match.group() == "{":
            opened.append(match.start())
        elif match.group() == "}" and opened:
            ends[opened.pop()] = match.start()
    return ends
