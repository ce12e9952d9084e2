"""The words of the spec language, for highlighting and completion; read from the grammar and the tables."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from indexcalc.language.scope import FUNCTIONS, REDUCTIONS

KEYWORD = re.compile(r"^_?[A-Z_]+\.3: /\(?([a-z_|]+)\)?\(\?", re.MULTILINE)
"""A terminal of the grammar that is a word of the language."""


@cache
def words() -> dict[str, list[str]]:
    """Statement words, functions, and reductions such as ``sum``, each in alphabetical order."""
    grammar = files("indexcalc.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    statements = {word for found in KEYWORD.findall(grammar) for word in found.split("|")}
    return {
        "statements": sorted(statements),
        "functions": sorted(FUNCTIONS),
        "reductions": sorted(REDUCTIONS),
    }
