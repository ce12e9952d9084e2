"""Spec texts by lines, under the name by which errors speak of them."""

from __future__ import annotations

import re

from indexcalc.errors import SpecError
from indexcalc.language.paths import SIZE_LIMIT
from indexcalc.language.source import Source
from indexcalc.language.syntax import At

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that no text holds, and that neither Python, LaTeX nor a terminal takes for text; tabs are welcome."""


def source_of(text: str, file: str) -> Source:
    """The text by lines, under the name by which errors speak of it.

    Raises:
        SpecError: for a text that is too long or holds control characters.
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
    return source
