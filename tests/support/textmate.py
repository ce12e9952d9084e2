"""The TextMate grammar of specs, made from the language's own tables, and a reader of such grammars."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from indexcalc.language.complaints import USAGE
from indexcalc.language.vocabulary import words

Json = dict[str, Any]

DERIVATIVES = ("jacobian", "hessian", "gauss_newton")
INNER = {
    "input": ("in", "positive", "probability", "symmetric", "spd", "over"),
    "derivative": ("by", "through", "with", *DERIVATIVES),
    "use": ("as", "giving"),
    "split": ("over",),
}
"""The words inside statements, by where they stand; elsewhere they are names. ``for`` and ``in`` have a rule."""


def grammar_text() -> str:
    """The grammar as JSON."""
    statements = sorted(USAGE)
    plain = [word for word in statements if word not in (*DERIVATIVES, "product", *INNER)]
    known = {*statements, "for", *(word for inner in INNER.values() for word in inner)}
    assert known == set(words()["statements"]), "a word of the language has no place in the grammar for editors"
    formula = ["#comment", "#string", "#steps", "#gradient", "#function", "#number", "#tensor", "#operator"]
    grammar = {
        "name": "indexcalc",
        "scopeName": "source.ixc",
        "fileTypes": ["ixc"],
        "patterns": [
            statement("input", ["input"], INNER["input"], formula),
            statement("use", ["use"], INNER["use"], formula),
            statement("split", ["split"], INNER["split"], formula),
            statement("derivative", [*DERIVATIVES, "product"], INNER["derivative"], formula),
            {"match": rf"^\s*({'|'.join(plain)})(?=[ \t]+[\"\w\[(-])", "captures": keyword("control")},
            *includes(formula),
        ],
        "repository": {
            "comment": {"match": "#.*$", "name": "comment.line.number-sign.ixc"},
            "string": {
                "begin": '"',
                "end": '"|$',
                "name": "string.quoted.double.ixc",
                "patterns": [{"match": r"\\.", "name": "constant.character.escape.ixc"}],
            },
            "steps": {
                "match": r"(?<!\w)(for)[ \t]+(\w+)[ \t]+(in)(?!\w)",
                "captures": {**keyword("other"), "3": {"name": "keyword.other.ixc"}},
            },
            "gradient": {"match": r"dL/d[^\W\d]\w*", "name": "variable.other.gradient.ixc"},
            "function": {
                "match": rf"(?<!\w)(?:(?:{either('functions')})(?=[ \t]*\()|(?:{either('reductions')})"
                r"(?=[ \t]*\[[^\]]*\][ \t]*\())",
                "name": "support.function.ixc",
            },
            "number": {
                "match": r"(?<![\w.])(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
                "name": "constant.numeric.ixc",
            },
            "tensor": {"match": r"(?<!\w)[^\W\d]\w*(?=\[)", "name": "variable.other.tensor.ixc"},
            "operator": {"match": r"\*\*|//|<=|>=|==|!=|\.\.|[-+*/^=<>]", "name": "keyword.operator.ixc"},
            "brackets": {"begin": r"[(\[]", "end": r"[)\]]", "patterns": includes(["#brackets", *formula])},
        },
    }
    return json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def keyword(kind: str) -> Json:
    """The scope of the first group."""
    return {"1": {"name": f"keyword.{kind}.ixc"}}


def includes(names: list[str]) -> list[Json]:
    """References to rules of the repository."""
    return [{"include": name} for name in names]


def either(table: str) -> str:
    """The words of a table, the longest first."""
    return "|".join(sorted(words()[table], key=lambda word: (-len(word), word)))


def statement(name: str, starts: list[str], inner: tuple[str, ...], formula: list[str]) -> Json:
    """A statement with words inside, to the end of its line; brackets may hold more lines."""
    return {
        "begin": rf"^\s*({'|'.join(starts)})(?=[ \t]+[\"\w])",
        "end": "$",
        "beginCaptures": keyword("control"),
        "name": f"meta.{name}.ixc",
        "patterns": [
            {"match": rf"(?<![\w\]\[(,=])(?:{'|'.join(inner)})(?=[ \t(\[\",]|$)", "name": "keyword.other.ixc"},
            *includes(["#brackets", *formula]),
        ],
    }


class Grammar:
    """A grammar, read as an editor reads it: the rule that matches first wins, and of several the first listed.

    It knows what the grammar here uses: `match`, `begin` with `end`, captures, and rules of the repository.
    """

    def __init__(self, text: str) -> None:
        self.rules: Json = json.loads(text)

    def tokens(self, text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Where each scope is: start, end and the scopes, outermost first."""
        stack: list[Json] = [self.rules]
        start = 0
        for line in text.split("\n"):
            yield from self.line(line, start, stack)
            start += len(line) + 1

    def line(self, line: str, start: int, stack: list[Json]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """The scopes of one line; the stack goes on to the next one."""
        here = 0
        for _ in range(10 * len(line) + 10):
            rule, found, ends = self.next(line, here, stack)
            last = len(line) if found is None else found.start()
            yield start + here, start + last, scopes(stack)
            if found is None:
                return
            here = found.end()
            if ends:
                yield start + found.start(), start + found.end(), scopes(stack)
                stack.pop()
                continue
            if "begin" in rule:
                stack.append(rule)
            own = (rule["name"],) if "name" in rule and "begin" not in rule else ()
            yield start + found.start(), start + found.end(), (*scopes(stack), *own)
            for number, capture in rule.get("captures", rule.get("beginCaptures", {})).items():
                first, last = found.span(int(number))
                yield start + first, start + last, (*scopes(stack), *own, capture["name"])

    def next(self, line: str, here: int, stack: list[Json]) -> tuple[Json, re.Match[str] | None, bool]:
        """The rule that matches next, its match, and whether it is the end of the innermost rule."""
        best: tuple[Json, re.Match[str] | None, bool] = ({}, None, False)
        top = stack[-1]
        tried = [(top, top["end"], True)] if "end" in top else []
        tried += [(rule, rule.get("match") or rule["begin"], False) for rule in self.patterns(top)]
        for rule, pattern, ends in tried:
            found = re.compile(pattern).search(line, here)
            if found is not None and (best[1] is None or found.start() < best[1].start()):
                best = (rule, found, ends)
        return best

    def patterns(self, rule: Json) -> Iterator[Json]:
        """The rules inside a rule."""
        for one in rule.get("patterns", ()):
            yield self.rules["repository"][one["include"].removeprefix("#")] if "include" in one else one


def scopes(stack: list[Json]) -> tuple[str, ...]:
    """The names of the open rules."""
    return tuple(rule["name"] for rule in stack[1:] if "name" in rule)
