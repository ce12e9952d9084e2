"""Syntax errors in the author's words: what was found, what would fit, and how the line is meant to look."""

from __future__ import annotations

import re
from difflib import get_close_matches

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from indexcalc.errors import SpecError
from indexcalc.language.brackets import Open, open_brackets, unclosed_bracket
from indexcalc.language.scope import REDUCTIONS
from indexcalc.language.source import Source
from indexcalc.language.syntax import At
from indexcalc.language.unsupported import WORDS as WORDS_ELSEWHERE
from indexcalc.language.unsupported import character_instead, instead

USAGE = {
    "title": 'title "Scaled dot-product attention"',
    "index": 'index i, j : T "token positions"',
    "param": 'param eps = 1e-5 "a small constant"',
    "input": 'input Q[i,k] "queries", K[j,k] "keys"',
    "solve": "solve x[j] : sum[j](A[i,j]*x[j]) = b[i]",
    "upstream": "upstream G[i,p] = dL/dO[i,p]",
    "loss": "loss L",
    "derive": "derive Q, K",
    "recompute": "recompute S, A",
    "split": "split h over model",
    "jacobian": "jacobian p by z",
    "hessian": "hessian L by (u, v)",
    "gauss_newton": "gauss_newton L by w through z",
    "product": "product hessian L by w with s",
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
    "SEMICOLON": ";",
    "_IN": "in",
    "POSITIVE": "positive",
    "PROBABILITY": "probability",
    "SYMMETRIC": "symmetric",
    "DEFINITE": "spd",
    "_OVER": "over",
    "_AS": "as",
    "_GIVING": "giving",
    "_BY": "by",
    "_WITH": "with",
    "_THROUGH": "through",
    "DERIVATIVE": "a derivative such as hessian L by w",
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
}
"""Characters that are written by mistake, and what to write."""


def unexpected_token(found: UnexpectedToken, source: Source) -> SpecError:
    """The error for a word or sign that does not fit where it stands."""
    token = found.token
    at = At(token.line or len(source.lines), token.column or 1)
    opened = open_brackets(source, at)
    if token.type in ("RPAR", "RSQB") and not opened:
        return source.error(f"this {token} closes nothing; no bracket is open here", at)
    unclosed = unclosed_bracket(source, at)
    if unclosed is not None:
        sign, place = unclosed
        return source.error(f"this {sign} is never closed", place)
    word = first_word(source, at)
    if word is not None and not opened and word[0] not in USAGE and token.type in ("NAME", "STRING", "NUMBER"):
        return source.error(no_statement(word[0]), word[1])
    better = instead(token.type, str(token), surrounding(source, opened))
    if better:
        return source.error(f"unexpected {token}; {better}", at)
    what = "the line ends too early" if token.type in ("_NL", "$END") else f"unexpected {token}"
    expected = found.accepts or found.expected
    message = f"{what}; expected {listed(expected)}"
    return source.error(message + hint(source, at, token, expected), at)


def unexpected_character(found: UnexpectedCharacters, source: Source) -> SpecError:
    """The error for a character that starts nothing in the language."""
    at = At(found.line, found.column)
    line = source.lines[at.line - 1] if at.line <= len(source.lines) else ""
    character = line[at.column - 1 : at.column]
    if character == '"':
        return source.error('this text has no closing "', at)
    better = character_instead(line[: at.column - 1], character, line[at.column :])
    if better:
        return source.error(f"unexpected {character}; {better}", at)
    if character in LOOK_ALIKES:
        return source.error(f"unexpected {character}; write {LOOK_ALIKES[character]}", at)
    named = repr(character) if character.isprintable() else f"the character U+{ord(character):04X}"
    return source.error(f"unexpected {named}" + usage(line), at)


def first_word(source: Source, at: At) -> tuple[str, At] | None:
    """The word before a place if nothing else stands before it on its line, with its own place."""
    line = source.lines[at.line - 1] if at.line <= len(source.lines) else ""
    match = re.fullmatch(r"[ \t]*([^\W\d]\w*)[ \t]+", line[: at.column - 1])
    return None if match is None else (match[1], At(at.line, match.start(1) + 1))


def no_statement(word: str) -> str:
    """A line that starts with a word and goes on as no equation does."""
    near = get_close_matches(word, sorted(USAGE), n=1, cutoff=0.6)
    if near:
        return f"no statement starts with {word}; did you mean {near[0]}? such a line reads: {USAGE[near[0]]}"
    known = f"a line is an equation, Y[i] = exp(X[i]), or starts with {', '.join(USAGE)}"
    return f"no statement starts with {word}; {WORDS_ELSEWHERE.get(word, known)}"


def surrounding(source: Source, opened: list[Open]) -> str:
    """What the innermost open bracket holds: see `instead`."""
    if not opened:
        return ""
    sign, at = opened[-1]
    if sign == "(":
        return "parentheses"
    name = re.search(r"([^\W\d]\w*)[ \t]*$", source.lines[at.line - 1][: at.column - 1])
    if name is None:
        return "relation"
    return "reduction" if name[1] in REDUCTIONS else "slots"


def listed(terminals: set[str]) -> str:
    """The terminals in words, in the order of the table."""
    words = [word for name, word in WORDS.items() if name in terminals]
    if len(words) < 2:
        return words[0] if words else "something else"
    return ", ".join(words[:-1]) + " or " + words[-1]


def hint(source: Source, at: At, token: Token, expected: set[str]) -> str:
    """The most likely cause, if there is one."""
    line = source.lines[at.line - 1] if at.line <= len(source.lines) else ""
    joints = [WORDS[kind] for kind in ("_AS", "_GIVING") if kind in expected]
    near = get_close_matches(str(token), joints, n=1, cutoff=0.5) if token.type == "NAME" else []
    if near:
        return f"; did you mean {near[0]}?"
    example = usage(line)
    if not example and "OPERATOR" in expected and token.type in ("NAME", "NUMBER", "LPAR", "GRADIENT"):
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
