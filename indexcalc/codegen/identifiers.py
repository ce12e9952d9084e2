"""The variables in lines of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable


def identifiers(lines: Iterable[str]) -> frozenset[str]:
    """The variables that code lines read or assign: no attributes, keywords, strings or comments."""
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    text = re.sub(r'"[^"]*"', "", text)
    text = re.sub(r"\b[a-z]+=", "", text)
    return frozenset(re.findall(r"(?<![\w.])[^\W\d]\w*", text))
