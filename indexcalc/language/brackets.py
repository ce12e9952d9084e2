"""Brackets of a spec text: which are open at a place, and which of these are never closed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexcalc.language.source import Source
from indexcalc.language.syntax import At

Open = tuple[str, At]
"""An opening bracket with its place."""

CLOSES = {")": "(", "]": "["}

SIGNS = re.compile(r'"(?:\\.|[^"\\])*"|#.*|[\[\]()]')
"""Brackets, and what hides them: texts and comments."""

STATEMENT = re.compile(
    r"[ \t]*(?:title|index|param|input|upstream|loss|derive|recompute|split|name|prove|assume|use"
    r'|jacobian|hessian|gauss_newton|product)[ \t]+["\w]'
)
"""How a line with a statement word begins."""

EQUATION = re.compile(r"[ \t]*[^\W\d]\w*[ \t]*(?:\[[\w ,()]*\])?[ \t]*=(?!=)")
"""How an equation begins, and a line of bindings."""


def brackets_of(line: str) -> Iterator[tuple[str, int]]:
    """Every bracket of a line outside texts and comments, with its column."""
    for match in SIGNS.finditer(line):
        if match.group() in "()[]":
            yield match.group(), match.start() + 1


def open_brackets(source: Source, until: At) -> list[Open]:
    """The brackets open just before a place, the outermost first."""
    stack: list[Open] = []
    for number, line in enumerate(source.lines[: until.line], start=1):
        for sign, column in brackets_of(line):
            if number == until.line and column >= until.column:
                break
            if sign not in CLOSES:
                stack.append((sign, At(number, column)))
            elif stack:
                stack.pop()
    return stack


def unclosed_bracket(source: Source, at: At) -> Open | None:
    """The innermost of the brackets open at a place that is never closed.

    It is never closed if a bracket of the other kind closes in its stead, if a statement starts, or if the
    text ends. What is opened behind the place is another matter.
    """
    before = open_brackets(source, at)
    binding = bool(before) and source.lines[before[0][1].line - 1].lstrip(" \t").startswith("use")
    stack = list(before)
    for number in range(at.line, len(source.lines) + 1):
        if not stack or not before:
            return None
        line = source.lines[number - 1]
        if before[0][1].line < number and (STATEMENT.match(line) or (not binding and EQUATION.match(line))):
            break
        for sign, column in brackets_of(line):
            if number == at.line and column < at.column:
                continue
            if sign not in CLOSES:
                stack.append((sign, At(number, column)))
            elif stack and (stack[-1][0] == CLOSES[sign] or len(stack) > len(before)):
                stack.pop()
            elif stack:
                return stack[-1]
            del before[len(stack) :]
    return before[-1] if before else None
