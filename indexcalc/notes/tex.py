"""Blocks as a LaTeX document that plain pdflatex compiles with the AMS packages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache
from itertools import groupby

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
from indexcalc.notes.layout import fits
from indexcalc.notes.names import GREEK, Notation, greek_name, notation_of
from indexcalc.notes.outline import outline
from indexcalc.notes.render import assignment_latex, display_latex, matrix_display_latex, spans_text
from indexcalc.program import BlockedLoop, CheckedRange

BOX = r"\boxed"
"""How a result begins."""

ROW_WIDTH = 76.0
"""The widest row of results, in widths of an average letter: a page is wider than a line of one formula may be."""

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
}
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u ",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r ",
    "\u030b": "H ",
    "\u030c": "v ",
    "\u0327": "c ",
}
"""TeX's accents by the combining character: with them the document is plain ASCII, for any font encoding."""

LETTERS = {
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}

SHORT = 10
"""The most rows of a table that stands on one page."""
UNUSUAL = re.compile("[^A-Za-z0-9 ,.;:()]")
"""What may need another spelling in TeX; the rest of a text is left as it is."""

LEVELS = {2: "section", 3: "subsection", 4: "paragraph"}


@cache
def environment() -> Environment:
    """The template loader of this format; its marks differ from TeX's own braces."""
    return Environment(
        loader=PackageLoader("indexcalc.notes"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )


def latex_note(
    derivation: Derivation,
    views: Collection[str] = (),
    loops: Sequence[BlockedLoop] = (),
    checked: CheckedRange | None = None,
    detail: Detail = Detail.FULL,
) -> str:
    """The note as a standalone LaTeX document."""
    notation = notation_of(derivation)
    title, *rest = outline(derivation, views, loops, checked, detail)
    assert isinstance(title, Heading)
    body: list[str] = []
    announced = False
    # What a diagram shows stands in the table of symbols too, and TeX has no drawing of its own.
    blocks = (block for block in rest if not isinstance(block, Diagram))
    for are_formulas, run in groupby(blocks, key=lambda block: isinstance(block, Display | Displays | MatrixDisplays)):
        if are_formulas:
            # A blank line before a display would start a paragraph of its own.
            body.append("\n" + gathered([formula for block in run for formula in formulas_of(block, notation)]))
            announced = False
            continue
        for block in run:
            # A sentence that ends in a colon stays on the page of its table.
            keep = "\\nopagebreak\n" if announced and isinstance(block, Table) else ""
            text = block_text(block, notation)
            body.append(("\n\n" if body else "") + keep + text)
            announced = text.endswith(":")
    return (
        environment().get_template("note.tex.jinja2").render(title=text_of(title.spans, notation), body="".join(body))
    )


def plain(text: str) -> str:
    """Text with TeX's special characters made harmless; letters that no T1 font has are named by their code."""
    return UNUSUAL.sub(lambda found: character_text(found[0]), text)


def character_text(character: str) -> str:
    """One character of running text."""
    if character in SPECIAL:
        return SPECIAL[character]
    if character.isspace():
        return " "
    name = greek_name(character)
    if name is not None:
        return rf"\({GREEK.get(name, name)}\)"
    if character in LETTERS:
        return LETTERS[character]
    base, *marks = list(unicodedata.normalize("NFKD", character))
    if base.isascii() and base.isprintable() and all(mark in ACCENTS for mark in marks):
        for mark in marks:
            base = rf"\{ACCENTS[mark]}{{{base}}}"
        return base
    return f"[U+{ord(character):04X}]"


def inline(formula: str) -> str:
    """A formula in running text."""
    return rf"\({formula}\)"


def text_of(spans: Spans, notation: Notation) -> str:
    """Running text."""
    parts = []
    for span in spans:
        if isinstance(span, Code):
            parts.append(rf"\texttt{{{plain(span.text)}}}")
        else:
            parts.append(spans_text((span,), notation, plain, inline))
    return "".join(parts)


def heading_text(spans: Spans, notation: Notation) -> str:
    """A heading; its formulas carry a plain text for the outline of the PDF."""
    return re.sub(r"\s+", " ", text_of(spans, notation))


def formulas_of(block: Block, notation: Notation) -> list[str]:
    """The formulas that a block displays; none of other blocks."""
    match block:
        case Display():
            return [display_latex(block, notation)]
        case Displays(items):
            return [display_latex(item, notation) for item in items]
        case MatrixDisplays(items):
            return [matrix_display_latex(item, notation) for item in items]
    return []


def gathered(formulas: Sequence[str]) -> str:
    """Formulas on lines of their own, below each other; results that fit on one line stand side by side."""
    lines: list[str] = []
    for formula in formulas:
        row = rf"{lines[-1]} \quad {formula}" if lines else ""
        if row.startswith(BOX) and formula.startswith(BOX) and "aligned" not in row and fits(row, ROW_WIDTH):
            lines[-1] = row
        else:
            lines.append(formula)
    if len(lines) == 1:
        return f"\\[\n{lines[0]}\n\\]"
    body = " \\\\[4pt]\n".join(lines)
    return f"\\begin{{gather*}}\n{body}\n\\end{{gather*}}"


def table_text(source: Table, notation: Notation) -> str:
    """A table whose last column wraps; one that is long may go on on the next page."""
    if source.wrapping > 1 or len(source.rows) > SHORT:
        return long_table_text(source, notation)
    columns = "l" * (len(source.header) - 1) + "X"
    lines = [" & ".join(rf"\textbf{{{plain(title)}}}" for title in source.header) + r" \\ \hline"]
    lines.extend(" & ".join(text_of(cell, notation) for cell in row) + r" \\" for row in source.rows)
    body = "\n".join(lines)
    table = f"\\begin{{tabularx}}{{\\linewidth}}{{{columns}}}\n{body}\n\\end{{tabularx}}"
    return f"\\par\\medskip\\noindent\n{table}\\par\\medskip"


def long_table_text(source: Table, notation: Notation) -> str:
    """A table over several pages, in which the last columns wrap."""
    first = len(source.header) - source.wrapping
    share = 0.64 / source.wrapping if source.wrapping > 1 else 0.5
    wrapping = rf">{{\raggedright\arraybackslash}}p{{\dimexpr {share:.2f}\linewidth-2\tabcolsep}}"
    cells = ["l"] * first + [wrapping] * source.wrapping
    header = " & ".join(rf"\textbf{{{plain(title)}}}" for title in source.header) + r" \\ \hline \endhead"
    rows = [" & ".join(text_of(cell, notation) for cell in row) + r" \\" for row in source.rows]
    body = "\n".join([header, *rows])
    table = f"\\begin{{longtable}}[l]{{@{{}}{''.join(cells)}@{{}}}}\n{body}\n\\end{{longtable}}"
    return f"{{\\small\\renewcommand{{\\arraystretch}}{{1.2}}\n{table}}}"


def block_text(block: Block, notation: Notation) -> str:
    """One block."""
    match block:
        case Heading(level, spans):
            return rf"\{LEVELS[level]}{{{heading_text(spans, notation)}}}"
        case Paragraph(spans):
            return text_of(spans, notation)
        case Items(items):
            body = "\n".join(rf"\item {text_of(item, notation)}" for item in items)
            return f"\\begin{{itemize}}\n{body}\n\\end{{itemize}}"
        case Display() | Displays() | MatrixDisplays():
            return gathered(formulas_of(block, notation))
        case Table():
            return table_text(block, notation)
        case Assignments(items):
            body = "\n".join(rf"\item {inline(assignment_latex(item, notation))}" for item in items)
            return f"\\begin{{enumerate}}\\setlength{{\\itemsep}}{{0pt}}\n{body}\n\\end{{enumerate}}"
        case Diagram():
            return ""
