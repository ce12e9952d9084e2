"""Formulas in MathML, from the layout that the printer gave them: what MathML Core draws, and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import zip_longest

from indexcalc.notes.changes import with_changes
from indexcalc.notes.collapses import with_collapses
from indexcalc.notes.formula import (
    Aligned,
    Boxed,
    Bracketed,
    Fraction,
    Kind,
    Leaf,
    Marked,
    Node,
    Root,
    Row,
    Scripted,
)
from indexcalc.notes.formula_reader import read_formula

APPLY = "<mo>&#x2061;</mo>"
"""The invisible sign between a function and its argument, which readers speak."""

TIMES = '<mo lspace="0" rspace="0.17em">&#x2062;</mo>'
"""The invisible sign of a product, as wide as TeX's thin space."""

SIZES = {0: ' stretchy="false"', 1: ' minsize="1.2em" maxsize="1.2em"', 2: ' minsize="1.8em" maxsize="1.8em"', 3: ""}
"""The attributes of a delimiter by its size."""

TAGS = {
    Kind.LETTER: ("mi", ""),
    Kind.UPRIGHT: ("mi", ' mathvariant="normal"'),
    Kind.TYPEWRITER: ("mi", ' class="name"'),
    Kind.FUNCTION: ("mi", ' mathvariant="normal"'),
    Kind.NUMBER: ("mn", ""),
    Kind.SIGN: ("mo", ""),
    Kind.WORDS: ("mtext", ""),
}
"""The element of each kind of leaf."""

Attributes = Callable[[str], str]
"""What the tag of a symbol carries for its mark, such as ``class="i0"``."""


def mathml(latex: str, attributes: Attributes) -> str:
    """A formula in running text as one ``math`` element.

    Args:
        latex: the printed formula.
        attributes: what is written into the tag of a marked symbol.
    """
    return f"<math>{row_text(with_collapses(read_formula(latex)), attributes)}</math>"


def display_mathml(latex: str, attributes: Attributes, before: str = "") -> str:
    """A formula on lines of its own, with marks on what is new in each of its sides.

    Args:
        latex: the printed formula.
        attributes: what is written into the tag of a marked symbol.
        before: the printed formula from which it follows; empty if there is none.
    """
    row = with_changes(with_collapses(read_formula(latex)), read_formula(before) if before else None)
    return f'<math display="block">{row_text(row, attributes)}</math>'


def row_text(row: Row, attributes: Attributes) -> str:
    """Items side by side, without an element around them."""
    text = ""
    for item, behind in zip_longest(row.items, row.items[1:]):
        text += node_text(item, attributes)
        function = edge(item, -1)
        function = function.base if isinstance(function, Scripted) else function
        argument = edge(behind, 0) if behind is not None else None
        if isinstance(function, Leaf) and function.kind is Kind.FUNCTION and isinstance(argument, Bracketed | Row):
            text += APPLY
    return text


def edge(node: Node, place: int) -> Node:
    """The first or last item, 0 or -1, of what stands under a mark; another node itself."""
    return edge(node.body.items[place], place) if isinstance(node, Marked) and node.body.items else node


def one(row: Row, attributes: Attributes) -> str:
    """A row as exactly one element, as scripts and fractions need it."""
    text = row_text(row, attributes)
    (item,) = row.items if len(row.items) == 1 else (row,)
    return f"<mrow>{text}</mrow>" if isinstance(item, Row) else text


def node_text(node: Node, attributes: Attributes) -> str:
    """One node as one element."""
    match node:
        case Leaf():
            return leaf_text(node, "")
        case Row():
            return one(node, attributes)
        case Bracketed(left, body, right, size):
            ends = [f"<mo{SIZES[size]}>{escape(sign)}</mo>" if sign else "" for sign in (left, right)]
            return f"<mrow>{ends[0]}{row_text(body, attributes)}{ends[1]}</mrow>"
        case Scripted():
            return scripted_text(node, attributes)
        case Fraction(above, below):
            return f"<mfrac>{one(above, attributes)}{one(below, attributes)}</mfrac>"
        case Root(body, None):
            return f"<msqrt>{row_text(body, attributes)}</msqrt>"
        case Root(body, degree):
            assert degree is not None
            return f"<mroot>{one(body, attributes)}{one(degree, attributes)}</mroot>"
        case Boxed(body):
            return f'<mrow class="boxed">{row_text(body, attributes)}</mrow>'
        case Aligned(lines):
            rows = "".join(line_text(line, attributes) for line in lines)
            return f'<mtable class="aligned" columnalign="right left" displaystyle="true">{rows}</mtable>'
        case Marked(mark, body):
            return marked_text(body, attributes(mark), attributes)


def marked_text(body: Row, attribute: str, attributes: Attributes) -> str:
    """A symbol with the attributes of its mark."""
    (item,) = body.items if len(body.items) == 1 else (body,)
    if isinstance(item, Leaf) and not TAGS[item.kind][1]:
        return leaf_text(item, f" {attribute}")
    return f"<mrow {attribute}>{row_text(body, attributes)}</mrow>"


def leaf_text(leaf: Leaf, attribute: str) -> str:
    """A symbol, number, sign or word."""
    if leaf.kind is Kind.TIMES:
        return TIMES
    if leaf.kind is Kind.SPACE:
        return f'<mspace width="{leaf.text}"/>'
    if leaf == Leaf(Kind.SIGN, "/"):
        return '<mo lspace="0" rspace="0">/</mo>'
    tag, own = TAGS[leaf.kind]
    # An element that holds blanks at its ends would lose them.
    text = leaf.text.replace(" ", "\u00a0") if leaf.kind is Kind.WORDS else leaf.text
    return f"<{tag}{own}{attribute}>{escape(text)}</{tag}>"


def scripted_text(node: Scripted, attributes: Attributes) -> str:
    """A base with scripts; limits stand under a sum, where there is room."""
    base = node_text(node.base, attributes)
    scripts = "".join(one(script, attributes) for script in (node.below, node.above) if script is not None)
    limits = node.base == Leaf(Kind.SIGN, "∑")
    low, high, both = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
    tag = both if node.below is not None and node.above is not None else high if node.below is None else low
    return f"<{tag}>{base}{scripts}</{tag}>"


def line_text(cells: tuple[Row, ...], attributes: Attributes) -> str:
    """One line of an alignment."""
    return "<mtr>" + "".join(f"<mtd>{row_text(cell, attributes)}</mtd>" for cell in cells) + "</mtr>"
