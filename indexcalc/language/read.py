"""Spec texts and spec files to problems."""

from __future__ import annotations

import re
from pathlib import Path

from indexcalc.errors import SpecError
from indexcalc.language.lower import lower
from indexcalc.language.reader import parse
from indexcalc.language.source import Source
from indexcalc.language.syntax import At
from indexcalc.problem import Problem

SIZE_LIMIT = 200_000
"""The longest spec, in bytes of a file or characters of a text."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that no text holds, and that neither Python, LaTeX nor a terminal takes for text; tabs are welcome."""


def read_problem(text: str, file: str = "<text>", slug: str = "derivation") -> Problem:
    """The problem that a spec text poses.

    Args:
        text: the spec.
        file: the name under which errors speak of it.
        slug: the short name of the derivation.

    Raises:
        SpecError: for the first mistake, with file, line, column, the line itself, and what would be right.
    """
    if len(text) > SIZE_LIMIT:
        raise SpecError(f"{file} is longer than {SIZE_LIMIT} characters; a spec is a short text")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    source = Source(file, tuple(lines))
    for number, line in enumerate(lines, start=1):
        if (found := CONTROL.search(line)) is not None:
            raise source.error(
                f"the character U+{ord(found.group()):04X} has no place in a spec: it is a control character",
                At(number, found.start() + 1),
            )
    return lower(parse(source), source, slug)


def load_problem(path: str | Path) -> Problem:
    """The problem in a spec file; its short name is the file's name without the ending.

    Raises:
        SpecError: also for a file that is missing, too long, or not a text in UTF-8.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SpecError(f"cannot read {path}: {error.strerror or error}; give the path of a spec (.ixc)") from error
    if len(content) > SIZE_LIMIT:
        raise SpecError(f"{path} is longer than {SIZE_LIMIT} bytes; a spec is a short text")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not a text in UTF-8 (byte {error.start}); a spec is plain text") from error
    return read_problem(text, str(path), path.stem)
