"""What a notebook shows, as HTML: formulas in MathML, every index in its colour."""

from __future__ import annotations

from html import escape

from indexcalc.notebook.views import ROWS, Cell, Cells, Code, Formula, Line, Points, Strong, View, view_of
from indexcalc.notes.colours import colour_on_both
from indexcalc.notes.html import fragment

CLASS = "indexcalc"
"""The class of what is shown; its style says nothing of the rest of the notebook."""

STYLE = (
    f".{CLASS} math{{font-size:1.08em}} .{CLASS} .display{{overflow-x:auto;padding:.35em 0}} "
    f".{CLASS} mtable.aligned mtd{{text-align:left;padding:.25em .1em}} "
    f".{CLASS} mtable.aligned mtd:first-child{{text-align:right}} "
    f".{CLASS} td,.{CLASS} th{{text-align:left;vertical-align:top}}"
)


def html_of(result: object) -> str:
    """A result, as a notebook shows it; the colours can be read on light and on dark paper."""
    view = view_of(result)
    if not isinstance(view, View):
        return enclosed("\n".join(map(part_html, view)))
    body, count = fragment(view.blocks, view.of)
    colours = " ".join(f".{CLASS} .i{number}{{color:{colour_on_both(number)}}}" for number in range(count))
    title = f"<p><strong>{escape(view.title)}</strong></p>\n" if view.title else ""
    return enclosed(title + body, colours)


def enclosed(body: str, colours: str = "") -> str:
    """The element with its own style."""
    return f'<div class="{CLASS}">\n<style>{STYLE} {colours}</style>\n{body}\n</div>'


def part_html(part: Line | Cells | Points) -> str:
    """A line, a table or a list."""
    match part:
        case Cells():
            return table(part)
        case Points(lines):
            return f"<ul>{''.join(f'<li>{line_html(line)}</li>' for line in lines)}</ul>" if lines else ""
    return f"<p>{line_html(part)}</p>"


def line_html(line: Line) -> str:
    """Cells one after the other."""
    return "".join(map(cell_html, line))


def table(cells: Cells) -> str:
    """The columns in which something stands, and the rows up to the bound."""
    if not cells.rows:
        return ""
    head = "".join(f'<th scope="col">{escape(cells.header[place])}</th>' for place in cells.used)
    rows = ("".join(f"<td>{line_html(row[place])}</td>" for place in cells.used) for row in cells.rows[:ROWS])
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    more = len(cells.rows) - ROWS
    rest = f"\n<p>and {more} more</p>" if more > 0 else ""
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{rest}"


def cell_html(cell: Cell) -> str:
    """One cell; a notebook sets what stands between dollar signs."""
    match cell:
        case Code(text):
            return f"<code>{escape(text)}</code>"
        case Strong(text):
            return f"<strong>{escape(text)}</strong>"
        case Formula(text):
            return f"${escape(' '.join(text.split()))}$"
    return escape(cell)
