"""A checked document as it is read: its text as HTML, its formulas in MathML, each relation marked by its verdict.

Formulas are found by the checker, so they are taken out before the text is typeset, each leaving a sign of its own, and
put back afterwards: what Markdown makes of a bar or an underscore in a formula does not matter, and what is marked is
what was judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import PurePath
from typing import Any

from indexcalc.document.marked import apart, style
from indexcalc.document.report import CheckReport, Claim
from indexcalc.errors import LimitError
from indexcalc.language.document import Document, Span, read_document
from indexcalc.language.latex.macros import expanded
from indexcalc.playground.marks import Mark, with_edges, with_marks
from indexcalc.playground.typeset import Node, NotTypesetError, html_of, mathml_of, tree_of

READERS = {".tex": "latex", ".html": "html", ".htm": "html"}
"""What pandoc calls the format of a document, by the ending of its name."""

MARKDOWN = "gfm-raw_html"
"""What it calls all others: Markdown as GitHub has it, in which HTML is text."""

PRIVATE = re.compile("[\ue000-\uf8ff\ufffc]")
"""Signs that no document needs, and that stand for something here."""

FORMULA = re.compile("\ue000(\\d+)\ue001")
"""What stands for a formula."""

ADDRESSES = ("http://", "https://", "mailto:")
"""What a link may begin with."""


def rendered(report: CheckReport) -> str:
    """The document as HTML, in which each relation has its number in the report; empty if it can't be typeset."""
    source = PRIVATE.sub("\ufffd", report.source)
    document = read_document(source, report.file)
    reader = READERS.get(PurePath(report.file).suffix.lower(), MARKDOWN)
    try:
        html = html_of(harmless(titled(tree_of(without_formulas(document), reader))))
        formulas = dict(enumerate(marked_formulas(document, report.claims)))
    except (NotTypesetError, RecursionError):
        return ""
    # Once each: a document may write the same signs as entities, as often as it likes.
    return FORMULA.sub(lambda match: formulas.pop(int(match[1]), ""), html)


def typeset(formulas: Mapping[int, str]) -> Mapping[int, str]:
    """The MathML of formulas by their numbers, those that have one."""
    try:
        return mathml_of({number: (text, False) for number, text in formulas.items()})
    except (NotTypesetError, RecursionError):
        return {}


def without_formulas(document: Document) -> str:
    """The source with a sign for each formula, which takes the place of its delimiters too."""
    parts: list[str] = []
    done = 0
    for number, span in enumerate(document.spans):
        start, end = delimited(document.source, span)
        if start >= done:
            parts += [document.source[done:start], f"\ue000{number}\ue001"]
            done = end
    return "".join([*parts, document.source[done:]])


DELIMITERS = (("$$", "$$"), ("$`", "`$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
OPENING = re.compile(
    r"(?P<environment>\\begin\{(?P<name>[a-z]+\*?)\})$|(?P<script><script\b[^>]*>)$|(?P<fence>`{3,}|~{3,})[^`\n]*\n$"
)
BEFORE = 200
"""How many characters before a formula may belong to what opens it."""


def delimited(source: str, span: Span) -> tuple[int, int]:
    """Where a formula with its delimiters starts and ends."""
    for opened, closed in DELIMITERS:
        start = span.start - len(opened)
        if start >= 0 and source.startswith(opened, start) and source.startswith(closed, span.end):
            return start, span.end + len(closed)
    before = source[max(0, span.start - BEFORE) : span.start]
    opening = OPENING.search(before)
    if opening is None:
        return span.start, span.end
    closing = {
        "environment": rf"\\end\{{{re.escape(opening['name'] or '')}\}}",
        "script": r"</script\s*>",
        "fence": rf"[ \t>]*{re.escape(opening['fence'] or '')}[^\n]*",
    }[next(kind for kind in ("environment", "script", "fence") if opening[kind])]
    ending = re.compile(closing).match(source, span.end)
    if ending is None:
        return span.start, span.end
    return span.start - len(before) + opening.start(), ending.end()


def titled(tree: Node) -> Node:
    """A document that begins with its title."""
    title = tree["meta"].get("title", {})
    inlines = title["c"] if title.get("t") == "MetaInlines" else []
    head = [{"t": "Header", "c": [1, ["", [], []], inlines]}] if inlines else []
    return {**tree, "meta": {}, "blocks": [*head, *tree["blocks"]]}


def harmless(part: Any) -> Any:
    """A document without raw HTML and TeX, pictures, names of its own, and links to anything but addresses."""
    if isinstance(part, list):
        if is_attributes(part):
            return ["", [], []]
        return [new for child in part for new in (inside(child) if isinstance(child, dict) else [harmless(child)])]
    if isinstance(part, dict):
        return {key: harmless(value) for key, value in part.items()}
    return part


def is_attributes(part: Sequence[Any]) -> bool:
    """Whether a list says the name, the classes and the attributes of an element."""
    return len(part) == 3 and isinstance(part[0], str) and isinstance(part[1], list) and isinstance(part[2], list)


def inside(node: Node) -> list[Any]:
    """What stands in the place of one element."""
    kind: str = node.get("t", "")
    content: Any = node.get("c")
    if kind in ("Math", "Code", "RawInline") and FORMULA.search(content[-1]):
        return signs(content[-1])
    if kind in ("CodeBlock", "RawBlock") and FORMULA.search(content[-1]):
        return [{"t": "Para", "c": signs(content[-1])}]
    if kind in ("RawInline", "RawBlock"):
        return []
    if kind == "Image":
        return [{"t": "Emph", "c": harmless(content[1])}] if content[1] else []
    if kind == "Link":
        words, (address, _) = harmless(content[1]), content[2]
        if not address.lower().startswith(ADDRESSES):
            return list(words)
        elsewhere = ["", [], [["target", "_blank"], ["rel", "noopener noreferrer"]]]
        return [{"t": "Link", "c": [elsewhere, words, [address, ""]]}]
    return [harmless(node)]


def signs(text: str) -> list[Node]:
    """What stands for the formulas in a text."""
    return [{"t": "Str", "c": match.group()} for match in FORMULA.finditer(text)]


def marked_formulas(document: Document, claims: Sequence[Claim]) -> list[str]:
    """The HTML of each formula: in MathML, or as it is written if it has none."""
    marks = [marks_in(span, claims) for span in document.spans]
    texts: dict[int, tuple[str, bool]] = {}
    for number, (span, here) in enumerate(zip(document.spans, marks, strict=True)):
        with suppress(LimitError):
            within = [replace(mark, start=mark.start - span.start, end=mark.end - span.start) for mark in here]
            texts[number] = expanded(with_edges(span.text, within), document.macros), span.display
    mathml = mathml_of(texts)
    return [
        (with_marks(mathml[number], here) if number in mathml else "") or as_written(span, here)
        for number, (span, here) in enumerate(zip(document.spans, marks, strict=True))
    ]


def marks_in(span: Span, claims: Sequence[Claim]) -> list[Mark]:
    """The marks in a formula, in order, none of which overlap."""
    numbers = {claim.place: number for number, claim in reversed(list(enumerate(claims)))}
    return [
        Mark(numbers[place], style(claim.verdict), f"{claim.latex} ({claim.verdict})", *place)
        for place, claim in apart(claims).items()
        if span.start <= place[0] and place[1] <= span.end
    ]


def as_written(span: Span, marks: Sequence[Mark]) -> str:
    """A formula as it stands in the source, its relations marked."""
    parts: list[str] = []
    done = 0
    for mark in marks:
        start, end = mark.start - span.start, mark.end - span.start
        attributes = " ".join(f'{name}="{escape(value)}"' for name, value in mark.attributes.items())
        parts += [escape(span.text[done:start]), f"<span {attributes}>{escape(span.text[start:end])}</span>"]
        done = end
    return f"<code>{''.join(parts)}{escape(span.text[done:])}</code>"
