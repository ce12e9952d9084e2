"""What is marked as new in a formula: only what the formula before has not, and nothing but marks is added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from indexcalc.notes import Detail, html_note
from indexcalc.notes.blocks import Display
from indexcalc.notes.changes import CHANGED_MARK, bare, cells_of, is_visible, sides_of, with_changes
from indexcalc.notes.collapses import with_collapses
from indexcalc.notes.formula import Aligned, Boxed, Bracketed, Fraction, Kind, Leaf, Marked, Node, Root, Row, Scripted
from indexcalc.notes.formula_reader import read_formula
from indexcalc.notes.html import followed, page_of
from indexcalc.notes.levels import Level, parts_of
from indexcalc.notes.render import display_latex
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS


def unmarked(node: Node) -> tuple[Node, ...]:
    """A node without marks of changes, with the items of groups side by side."""

    def row(one: Row) -> Row:
        return Row(tuple(item for node in one.items for item in unmarked(node)))

    match node:
        case Marked(mark, body):
            return row(body).items if mark == CHANGED_MARK else (Marked(mark, row(body)),)
        case Row():
            return (row(node),)
        case Bracketed(body=body) | Boxed(body) | Root(body=body):
            return (replace(node, body=row(body)),)
        case Fraction(above, below):
            return (Fraction(row(above), row(below)),)
        case Scripted(base, below, above):
            (base,) = unmarked(base)
            return (Scripted(base, *(part if part is None else row(part) for part in (below, above))),)
        case Aligned(lines):
            return (Aligned(tuple(tuple(map(row, line)) for line in lines)),)
    return (node,)


def text_of(node: Node | None) -> str:
    """A node as text, with what is new in angle brackets."""
    match node:
        case None:
            return ""
        case Leaf(kind, text):
            return "" if kind is Kind.SPACE else text.strip()
        case Marked(mark, body):
            return f"<{text_of(body)}>" if mark == CHANGED_MARK else text_of(body)
        case Row(items):
            return "".join(map(text_of, items))
        case Bracketed(left, body, right):
            return f"{left}{text_of(body)}{right}"
        case Scripted(base, below, above):
            return f"{text_of(base)}{text_of(below)}{text_of(above)}"
        case Fraction(above, below):
            return f"{text_of(above)}/{text_of(below)}"
        case Boxed(body) | Root(body=body):
            return text_of(body)
        case Aligned(lines):
            return "".join(text_of(cell) for line in lines for cell in line)


def leaves_of(node: Node | None) -> Iterator[Leaf]:
    """The symbols of a node that can be seen and bear no mark as new, in the order in which they are read."""
    match node:
        case Leaf():
            yield from (node,) if is_visible(node) else ()
        case Marked(mark, body):
            yield from () if mark == CHANGED_MARK else leaves_of(body)
        case Row(items):
            yield from (leaf for item in items for leaf in leaves_of(item))
        case Bracketed(body=body) | Root(body=body) | Boxed(body):
            yield from leaves_of(body)
        case Scripted(base, below, above):
            yield from (leaf for part in (base, below, above) for leaf in leaves_of(part))
        case Fraction(above, below):
            yield from (*leaves_of(above), *leaves_of(below))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("y = A_{ac} d_{cj}", "y = A_{aj}", "y=Aa<j>"),
        ("y = a b", "y = a c", "y=a<c>"),
        ("y = a b", "y = a", "y=a"),
        ("y = a", "y = a + b + c", "y=a<+b+c>"),
        ("y = a (b + c)", "y = a (b + d)", "y=a(b+<d>)"),
        (r"y = \frac{a}{b}", r"y = \frac{a}{c}", "y=a/<c>"),
        (r"y = \sqrt{a + b}", r"y = \sqrt{a + c}", "y=a+<c>"),
        ("y = a", "z = a", "z=a"),
        ("y = a b", "y = c d", "y=cd"),
        ("y = u v", "y = a b = a c", "y=ab=a<c>"),
        ("y = a b = a c", "y = a d", "y=a<d>"),
        (r"y = \sum_{c} x_{c}", r"y = \sum_{k} x_{k}", "y=∑<k>x<k>"),
        (r"y = a \exp(b)", r"y = a \log(b)", "y=a<log>(b)"),
        ("y = a b", r"\boxed{y = a c}", "y=a<c>"),
        ("y = a b", "\\begin{aligned}\ny &= a c \\\\\n&\\qquad e f\n\\end{aligned}", "y=a<c><ef>"),
    ],
)
def test_what_is_new(before, after, found):
    assert text_of(with_changes(read_formula(after), read_formula(before))) == found


def test_a_formula_without_one_before_has_marks_in_later_sides_only():
    assert text_of(with_changes(read_formula("y = a b = a c"), None)) == "y=ab=a<c>"


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_marks_add_nothing_and_what_bears_none_was_there_before(name):
    derivation = derive(PROBLEMS[name]())
    parts = parts_of(derivation)
    page, follows = page_of(derivation, parts, Detail.FULL, {}), followed(parts, Level.FULL)
    assert follows
    marked = 0
    for number, before in follows.items():
        texts = [display_latex(display, page.notation) for display in (before, parts[number].block)]
        earlier, row = (with_collapses(read_formula(text)) for text in texts)
        found = with_changes(row, earlier)
        assert unmarked(found) == (row,)
        marked += CHANGED_MARK in repr(found)
        sides = [sides_of([bare(item) for item in cells_of(one)]) for one in (earlier, found)]
        if len(sides[1]) == 2 and CHANGED_MARK in repr(found):
            there = iter(leaves_of(Row(tuple(sides[0][-1]))))
            assert all(leaf in there for leaf in leaves_of(Row(tuple(sides[1][1]))))
    assert marked


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_a_formula_has_nothing_new_compared_with_itself(name):
    derivation = derive(PROBLEMS[name]())
    parts = parts_of(derivation)
    page = page_of(derivation, parts, Detail.FULL, {})
    rows = [read_formula(display_latex(part.block, page.notation)) for part in parts if isinstance(part.block, Display)]
    single = [row for row in rows if len(sides_of(list(cells_of(row)))) == 2]
    assert single
    assert all(with_changes(row, row) == row for row in single)


def test_the_page_says_what_its_marks_mean():
    derivation = derive(PROBLEMS["attention"]())
    text = html_note(derivation)
    assert '<p class="hint"' in text
    assert 'class="changed"' in text.partition("<section")[2]
