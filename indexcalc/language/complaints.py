"""Syntax errors in the author's words: what was found, what would fit, and how the line is meant to look."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from indexcalc.errors import SpecError
from indexcalc.language.source import Source
from indexcalc.language.syntax import At

USAGE = {
    "title": 'title "Scaled dot-product attention"',
    "index": 'index i, j : T "token positions"',
    "param": 'param eps = 1e-5 "a small constant"',
    "input": 'input Q[i,k] "queries", K[j,k] "keys"',
    "upstream": "upstream G[i,p] = dL/dO[i,p]",
    "loss": "loss L",
    "derive": "derive Q, K",
    "recompute": "recompute S, A",
    "name": "name D = dL/dA",
    "prove": "prove sum[j](dL/dS[i,j]) = 0",
    "assume": "assume sum[c](y[n,c]) = 1",
    "use": "use layer_norm(X = H[(b,s),m], g = gain) as ln giving Y as X_norm",
}
"""An example of every statement that starts with a word of its own."""

WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": 'a text in "quotes"',
    "GRADIENT": "a gradient such as dL/dX",
    "OPERATOR": "an operator",
    "RELATION": "a relation such as <=",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "EQUAL": "=",
    "COMMA": ",",
    "COLON": ":",
    "_IN": "in",
    "POSITIVE": "positive",
    "PROBABILITY": "probability",
    "_OVER": "over",
    "_AS": "as",
    "_GIVING": "giving",
    "_NL": "the end of the line",
}
"""How a terminal of the grammar is named in a message, in the order in which they are listed."""

LOOK_ALIKES = {
    "−": "-",
    "–": "-",
    "—": "-",
    "·": "*",
    "×": "*",
    "⋅": "*",
    "∗": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "“": '"',
    "”": '"',
    "’": '"',
    "'": '"',
    "√": "sqrt(...)",
    "∑": "sum[k](...)",
    "{": "(",
    "}": ")",
    ";": ",",
    "@": "sum[k](... * ...)",
}
"""Characters that are written by mistake, and what to write."""


def unexpected_token(found: UnexpectedToken, source: Source) -> SpecError:
    """The error for a word or sign that does not fit where it stands."""
    token = found.token
    at = At(token.line or len(source.lines), token.column or 1)
    opened = open_bracket(source, at)
    if opened is not None and (opened[1].line < at.line or token.type == "$END"):
        sign, place = opened
        return source.error(f"this {sign} is never closed", place)
    what = "the line ends too early" if token.type in ("_NL", "$END") else f"unexpected {token}"
    expected = found.accepts or found.expected
    message = f"{what}; expected {listed(expected)}"
    return source.error(message + hint(source, at, token.type, expected), at)


def unexpected_character(found: UnexpectedCharacters, source: Source) -> SpecError:
    """The error for a character that starts nothing in the language."""
    at = At(found.line, found.column)
    line = source.lines[at.line - 1] if at.line <= len(source.lines) else ""
    character = line[at.column - 1 : at.column]
    if character == '"':
        return source.error('this text has no closing "', at)
    if character in LOOK_ALIKES:
        return source.error(f"unexpected {character}; write {LOOK_ALIKES[character]}", at)
    named = repr(character) if character.isprintable() else f"the character U+{ord(character):04X}"
    return source.error(f"unexpected {named}" + usage(line), at)


def listed(terminals: set[str]) -> str:
    """The terminals in words, in the order of the table."""
    words = [word for name, word in WORDS.items() if name in terminals]
    if len(words) < 2:
        return words[0] if words else "something else"
    return ", ".join(words[:-1]) + " or " + words[-1]


def hint(source: Source, at: At, kind: str, expected: set[str]) -> str:
    """The most likely cause, if there is one."""
    line = source.lines[at.line - 1] if at.line <= len(source.lines) else ""
    example = usage(line)
    if not example and "OPERATOR" in expected and kind in ("NAME", "NUMBER", "LPAR", "GRADIENT"):
        return "; a product is written with *"
    return example


def usage(line: str) -> str:
    """How a line that starts with a statement word, or nearly with one, is meant to look."""
    start = re.match(r"[ \t]*([^\W\d]\w*)[ \t]*(?![\[=\s]|$)", line) or re.match(r"[ \t]*(\w+)[ \t]*$", line)
    if start is None:
        return ""
    word = start.group(1)
    near = [word] if word in USAGE else get_close_matches(word, sorted(USAGE), n=1, cutoff=0.7)
    return f"; such a line reads: {USAGE[near[0]]}" if near else ""


def open_bracket(source: Source, until: At) -> tuple[str, At] | None:
    """The innermost bracket still open just before a place, with its own place."""
    stack: list[tuple[str, At]] = []
    for number, line in enumerate(source.lines[: until.line], start=1):
        for match in re.finditer(r'"(?:\\.|[^"\\])*"|#.*|[\[\]()]', line):
            column = match.start() + 1
            if number == until.line and column >= until.column:
                break
            sign = match.group()
            if sign in ("(", "["):
                stack.append((sign, At(number, column)))
            elif sign in (")", "]") and stack:
                stack.pop()
    return stack[-1] if stack else None
