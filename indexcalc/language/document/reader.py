"""A document from its text: by its name Markdown, LaTeX or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexcalc.errors import LimitError
from indexcalc.language.document.masks import contexts_of, html_ranges, markdown_ranges, masked, tex_ranges
from indexcalc.language.document.model import Document, Row, Span
from indexcalc.language.document.scan import find_macros, find_spans
from indexcalc.language.document.sections import ROW, Section, find_sections
from indexcalc.language.latex.packages import PACKAGES

SOURCE_LIMIT = 4_000_000
"""The longest document that is read, in characters."""

BLANK_LIMIT = 2_000
"""The longest run of blanks and line ends."""

BLANKS = re.compile(rf"(?<!\s)\s{{{BLANK_LIMIT + 1}}}")


def read_document(source: str, name: str = "note.md") -> Document:
    """The document with its mathematics found.

    Args:
        source: the whole text.
        name: the file's name; ``.tex`` is LaTeX, ``.html`` and ``.htm`` are HTML, all else Markdown.

    Raises:
        LimitError: if the text is longer than `SOURCE_LIMIT`, or has more than `BLANK_LIMIT` blanks in a row.
    """
    if len(source) > SOURCE_LIMIT:
        raise LimitError(f"{name} has {len(source)} characters; the limit is {SOURCE_LIMIT}")
    check_blanks(source, name)
    lower = name.lower()
    fences: list[tuple[int, int]] = []
    code: list[tuple[int, int]] = []
    if lower.endswith(".tex"):
        silent = tex_ranges(source)
    elif lower.endswith((".html", ".htm")):
        silent = html_ranges(source)
    else:
        silent, fences, code = markdown_ranges(source)
    text = masked(source, silent)
    macros, definitions = find_macros(text)
    text = masked(text, definitions)
    spans = [*(Span(text[start:end], start, True) for start, end in fences)]
    spans.extend(find_spans(masked(text, fences), macros, escaped=not lower.endswith(".tex")))
    spans.sort(key=lambda span: span.start)
    sections = find_sections(text, name)
    contexts, rows = sorted_contexts(source, sections, contexts_of(source, code))
    return Document(name, source, tuple(spans), {**PACKAGES, **macros}, contexts, sections, rows)


def check_blanks(source: str, name: str) -> None:
    """Refuse what no one writes: rules about prose look over blanks from every one of them."""
    match = BLANKS.search(source)
    if match is not None:
        line = source.count("\n", 0, match.start()) + 1
        raise LimitError(f"{name}, line {line}: more than {BLANK_LIMIT} blanks or line ends in a row")


def sorted_contexts(
    source: str, sections: Iterable[Section], found: Iterable[tuple[int, str]]
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """What holds for the whole document, and what for the row of a table that it stands in."""
    starts = {section.start for section in sections if section.level == ROW}
    whole: list[str] = []
    rows: dict[int, list[str]] = {}
    for position, context in found:
        start = source.rfind("\n", 0, position) + 1
        if start in starts and "\n" not in context:
            rows.setdefault(start, []).append(context)
        else:
            whole.append(context)
    lines = {start: source.find("\n", start) for start in rows}
    ends = {start: end if end >= 0 else len(source) for start, end in lines.items()}
    return tuple(whole), tuple(Row(start, ends[start], "; ".join(said)) for start, said in rows.items())
