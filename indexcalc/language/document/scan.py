"""The delimiters of mathematics in a text whose code and comments are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from indexcalc.language.document.closings import Closings
from indexcalc.language.document.masks import PARAGRAPH_END
from indexcalc.language.document.model import Span
from indexcalc.language.latex.chains import ALIGNED
from indexcalc.language.latex.macros import Macro, raw_argument

SPAN_LIMIT = 200_000
"""Mathematics with an empty line in it is no longer than this, in characters: its end is that of another piece."""

INLINE_LIMIT = 2_000
"""The longest inline mathematics between single dollars; beyond it a dollar is money."""

OPENINGS = re.compile(
    r"(?P<wide>\\\\\[)|(?P<narrow>\\\\\()|(?P<display>\$\$)|(?P<script><script\b[^>]{0,500}math/tex[^>]{0,500}>)|(?P<coded>\$`)|(?P<inline>\$)|(?P<bracket>\\\[)|(?P<paren>\\\()"
    r"|\\begin\{(?P<environment>[a-z]+)\*?\}|\\(?P<macro>[A-Za-z]+)"
)

ENDS = {
    "display": re.compile(r"\$\$"),
    "coded": re.compile(r"`\$"),
    "bracket": re.compile(r"(?<!\\)\\\]"),
    "paren": re.compile(r"(?<!\\)\\\)"),
    "script": re.compile(r"</script"),
    "wide": re.compile(r"\\\\\]"),
    "narrow": re.compile(r"\\\\\)"),
}
"""What ends mathematics, by what starts it."""

ESCAPED = frozenset({"wide", "narrow"})
r"""``\\\\[`` and ``\\\\(``: in Markdown, which takes the first backslash, they are the signs of mathematics."""

DOLLAR = re.compile(r"(?<!\\)\$")
EMPTY_LINE = re.compile(r"\n\n")


def find_spans(text: str, macros: Mapping[str, Macro], *, escaped: bool) -> Iterator[Span]:
    """Every piece of mathematics, in order; its signs may have their backslash twice where one is escaped."""
    closings = Closings(text)
    wrappers = {name for name, macro in macros.items() if is_wrapper(macro)}
    position = 0
    while match := OPENINGS.search(text, position):
        start = match.end()
        if match.start() and text[match.start() - 1] == "\\" and match.lastgroup != "environment":
            position = start
            continue
        kind = str(match.lastgroup)
        if kind in ESCAPED and not escaped:
            position = start
            continue
        if kind == "macro":
            position = start
            if match["macro"] in wrappers:
                body, position = raw_argument(text, start)
                at = text.find(body, start)
                yield Span(body, at, True)
            continue
        if kind == "environment":
            name = match["environment"]
            position = start
            end = closings.after(re.compile(r"\\end\{" + name + r"\*?\}"), start) if name in ALIGNED else None
            if end is not None:
                yield Span(text[start : end.start()], start, True)
                position = end.end()
            continue
        end_at, after = closing(closings, kind, start)
        if end_at < 0 or (end_at - start > SPAN_LIMIT and has_empty_line(closings, start, end_at)):
            position = start
            continue
        body = text[start:end_at]
        if body.strip():
            shown = kind in ("display", "bracket", "wide") or (kind == "script" and "mode=display" in match.group())
            yield Span(body, start, shown)
        position = after


def closing(closings: Closings, kind: str, start: int) -> tuple[int, int]:
    """Where the mathematics that starts here ends, and where the text goes on; (-1, -1) if nowhere."""
    if kind in ENDS:
        end = closings.after(ENDS[kind], start)
        return (-1, -1) if end is None else end.span()
    end = closings.after(DOLLAR, start)
    if end is None or end.start() == start or end.start() >= start + INLINE_LIMIT:
        return -1, -1
    return (-1, -1) if PARAGRAPH_END.search(closings.text, start, end.start()) else end.span()


def has_empty_line(closings: Closings, start: int, end: int) -> bool:
    """Whether an empty line stands between two places."""
    found = closings.after(EMPTY_LINE, start)
    return found is not None and found.end() <= end


def is_wrapper(macro: Macro) -> bool:
    """Whether a macro puts its argument into a display."""
    body = macro.body.strip()
    opening = re.match(r"\\begin\{([a-z]+)\*?\}|\\\[|\$\$", body)
    return macro.arity == 1 and "#1" in body and opening is not None and (opening[1] or "align") in ALIGNED


DEFINITION = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand|DeclareMathOperator)\*?\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*(?:\[(?P<arity>\d)\])?"
    r"(?:\[(?P<default>[^\]]{0,500})\])?\s*(?=\{)|\\def\s*\\(?P<plain>[A-Za-z]+)(?P<parameters>(?:#\d)*)\s*(?=\{)"
)


def find_macros(text: str) -> tuple[dict[str, Macro], list[tuple[int, int]]]:
    """The macros that a text defines, and the ranges of their definitions."""
    macros: dict[str, Macro] = {}
    ranges: list[tuple[int, int]] = []
    for match in DEFINITION.finditer(text):
        body, end = raw_argument(text, match.end())
        name = match["name"] or match["plain"]
        arity = int(match["arity"] or 0) if match["name"] else (match["parameters"] or "").count("#")
        if "DeclareMathOperator" in match.group():
            body = rf"\operatorname{{{body}}}"
        macros[name] = Macro(arity, body, match["default"] if arity else None)
        ranges.append((match.start(), end))
    return macros, ranges
