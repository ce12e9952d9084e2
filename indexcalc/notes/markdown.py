"""Blocks as Markdown that GitHub renders, mathematics included."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import (
    Assignments,
    Block,
    Code,
    Diagram,
    Display,
    Displays,
    Heading,
    Items,
    MatrixDisplays,
    Paragraph,
    Spans,
    Table,
)
from indexcalc.notes.familiar import Detail
from indexcalc.notes.mermaid import mermaid_text
from indexcalc.notes.names import Notation, notation_of
from indexcalc.notes.outline import outline
from indexcalc.notes.render import assignment_latex, display_latex, matrix_display_latex, spans_text
from indexcalc.program import BlockedLoop, CheckedRange

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~&])")


@cache
def environment() -> Environment:
    """The template loader of this format."""
    return Environment(
        loader=PackageLoader("indexcalc.notes"), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )


def markdown_note(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> str:
    """The note as Markdown; inline formulas are in GitHub's code-like form, which no underscore can break."""
    notation = notation_of(derivation)
    blocks = [block_text(block, notation) for block in outline(derivation, views, loops, checked, detail)]
    return environment().get_template("note.md.jinja2").render(blocks=blocks)


def plain(text: str) -> str:
    """Text between formulas: specials escaped, the blanks at its ends kept."""
    return SPECIAL.sub(r"\\\1", re.sub(r"\s+", " ", text))


def inline(formula: str) -> str:
    """A formula in running text."""
    return f"$`{formula}`$"


def text_of(spans: Spans, notation: Notation) -> str:
    """Running text."""
    parts = []
    for span in spans:
        if isinstance(span, Code):
            parts.append(f"`{span.text}`")
        else:
            parts.append(spans_text((span,), notation, plain, inline))
    return "".join(parts)


def cell_text(spans: Spans, notation: Notation) -> str:
    """A table's cell: a bar inside a formula would end it."""
    return text_of(spans, notation).replace(r"\right|", r"\right\vert ").replace(r"\left|", r"\left\vert ")


def fence(formula: str) -> str:
    """A formula on lines of its own."""
    return f"```math\n{formula}\n```"


def block_text(block: Block, notation: Notation) -> str:
    """One block."""
    match block:
        case Heading(level, spans):
            return f"{'#' * level} {text_of(spans, notation)}"
        case Paragraph(spans):
            return text_of(spans, notation)
        case Items(items):
            return "\n".join(f"- {text_of(item, notation)}" for item in items)
        case Display():
            return fence(display_latex(block, notation))
        case Displays(items):
            return "\n\n".join(fence(display_latex(item, notation)) for item in items)
        case MatrixDisplays(items):
            return "\n\n".join(fence(matrix_display_latex(item, notation)) for item in items)
        case Assignments(items):
            return "\n".join(f"{n}. {inline(assignment_latex(item, notation))}" for n, item in enumerate(items, 1))
        case Diagram(caption, _, _, title):
            heading = f"## {plain(title)}\n\n" if title else ""
            return f"{heading}{plain(caption)}\n\n```mermaid\n{mermaid_text(block)}\n```"
        case Table(header, rows):
            lines = [header, tuple("---" for _ in header)]
            lines.extend(tuple(cell_text(cell, notation) for cell in row) for row in rows)
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)
