"""What a notebook shows, as Markdown with formulas between dollar signs."""

from __future__ import annotations

from indexcalc.calculus.steps import Derivation
from indexcalc.notebook.texts import displayed, for_notebooks
from indexcalc.notebook.views import (
    ROWS,
    Cell,
    Cells,
    Code,
    Formula,
    Line,
    Points,
    Strong,
    View,
    equation_view,
    view_of,
)
from indexcalc.notes.blocks import Display
from indexcalc.notes.markdown import block_text, plain
from indexcalc.notes.names import notation_of
from indexcalc.notes.render import display_latex
from indexcalc.program import Equation


def markdown_of(result: object) -> str:
    """A result, as a notebook reads it."""
    view = view_of(result)
    if isinstance(view, View):
        return view_markdown(view)
    return "\n\n".join(part for one in view if (part := part_markdown(one))) + "\n"


def equation_latex(equation: Equation) -> str:
    """One equation, displayed."""
    view = equation_view(equation)
    (display,) = view.blocks
    assert isinstance(display, Display)
    return displayed(display_latex(display, notation_of(view.of)))


def derivation_markdown(derivation: Derivation) -> str:
    """The results of a derivation."""
    return markdown_of(derivation)


def view_markdown(view: View) -> str:
    """Blocks below a title; no heading, since it is no part of the notebook's outline."""
    notation = notation_of(view.of)
    blocks = for_notebooks("\n\n".join(block_text(block, notation) for block in view.blocks)) + "\n"
    return f"**{plain(view.title)}**\n\n{blocks}" if view.title else blocks


def part_markdown(part: Line | Cells | Points) -> str:
    """A line, a table or a list."""
    match part:
        case Cells():
            return table(part)
        case Points(lines):
            return "\n".join(f"- {line_markdown(line)}" for line in lines)
    return line_markdown(part)


def line_markdown(line: Line) -> str:
    """Cells one after the other; those that stand out together do so in one piece."""
    return "".join(map(cell_markdown, line)).replace("****", "")


def table(cells: Cells) -> str:
    """The columns in which something stands, and the rows up to the bound."""
    if not cells.rows:
        return ""
    rows = [cells.header, ["---"] * len(cells.header), *(list(map(line_markdown, row)) for row in cells.rows[:ROWS])]
    lines = [f"| {' | '.join(row[place] for place in cells.used)} |" for row in rows]
    more = len(cells.rows) - ROWS
    return "\n".join([*lines, "", f"and {more} more"] if more > 0 else lines)


def cell_markdown(cell: Cell) -> str:
    """One cell."""
    match cell:
        case Code(text):
            return f"`{text.replace('`', chr(39)).replace('|', ' ')}`"
        case Strong(text):
            return f"**{plain(text)}**"
        case Formula(text):
            # What would end the formula or the cell is written otherwise.
            written = " ".join(text.split()).replace("|", r"\vert ").replace("$", r"\$")
            return f"${written}$"
    return plain(cell)
