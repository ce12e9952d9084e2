"""Macros of a document: their bodies, and the arguments that follow a use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from indexcalc.errors import LimitError

MACRO_DEPTH = 20
"""The deepest nesting of macros that use macros."""

EXPANSION_LIMIT = 5_000
"""The most uses of macros in one equation, those inside macros counted."""

LENGTH_LIMIT = 1_000_000
"""The most characters that a text may have when its macros are expanded."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: how many arguments it takes, its body with ``#1``, ``#2``, ..., and an optional one.

    Some macros of packages have `longer` bodies, for each argument in braces more, or may have a star behind their name
    that changes no more than looks.
    """

    arity: int
    body: str
    default: str | None = None
    longer: tuple[str, ...] = ()
    starred: bool = False


def filled(body: str, arguments: list[str]) -> str:
    """The body of a macro with its arguments put in."""
    return re.sub(r"#(\d)", lambda match: arguments[int(match[1]) - 1] if int(match[1]) <= len(arguments) else "", body)


def used(text: str, position: int, macro: Macro) -> tuple[str, int]:
    """What a use of a macro comes to, whose name ends at a position, and where its arguments end."""
    arguments = []
    position += macro.starred and text.startswith("*", position)
    if macro.default is not None:
        argument, position = optional_argument(text, position, macro.default)
        arguments.append(argument)
    for _ in range(macro.arity - len(arguments)):
        argument, position = raw_argument(text, position)
        arguments.append(argument)
    body = macro.body
    for longer in macro.longer:
        if not text.startswith("{", position):
            break
        argument, position = raw_argument(text, position)
        arguments.append(argument)
        body = longer
    return filled(body, arguments).replace("^{}", ""), position


COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)", re.DOTALL)
NAME_AT_END = re.compile(r"\\[A-Za-z]+$")


def expanded(text: str, macros: Mapping[str, Macro]) -> str:
    """A text in which each use of a macro is what it comes to.

    Raises:
        LimitError: if macros nest deeper than `MACRO_DEPTH`, there are more than `EXPANSION_LIMIT` uses, or what they
            come to is longer than `LENGTH_LIMIT`.
    """
    pieces: list[str] = []
    # Texts that are still to be read, the next one last: from where on, and in how many macros they stand.
    waiting = [(text, 0, 0)]
    uses = length = 0
    while waiting:
        here, start, depth = waiting.pop()
        end, after = len(here), len(here)
        for match in COMMAND.finditer(here, start):
            macro = macros.get(match[1]) if match[1] else None
            if macro is not None:
                uses += 1
                body, after = used(here, match.end(), macro)
                end = match.start()
                # What ends with the name of a command keeps apart from a letter behind it.
                gap = " " if NAME_AT_END.search(body) and here[after : after + 1].isalpha() else ""
                waiting += [(here, after, depth), (body + gap, 0, depth + 1)]
                break
        pieces.append(here[start:end])
        length += end - start
        if uses > EXPANSION_LIMIT or depth > MACRO_DEPTH or length > LENGTH_LIMIT:
            raise LimitError("macros that come to more than a formula can be")
    return "".join(pieces)


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
