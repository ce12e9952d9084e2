"""Lists of figures from tokens: brackets with commas or without, rows below each other, matrices of LaTeX."""

from __future__ import annotations

from indexcalc.errors import LimitError
from indexcalc.figures.cursor import Cursor, NotAnExpressionError
from indexcalc.figures.nodes import Node, Rows

ITEMS_LIMIT = 3_000
"""The most items or rows of a list."""


class ListReader(Cursor):
    """Reads lists; their items are expressions."""

    def rows(self) -> Node:
        """A list in brackets; lines and commas separate, and blanks too where there are no commas."""
        opening = self.take("[")
        self.deeper()
        commas = self.has_commas()
        items: list[Node] = []
        gap: int | None = None
        stacked: list[Node] = []
        while self.peek() != "]":
            if self.peek() in (",", "line", ";"):
                if self.peek() == "line" and self.peek(1) == "line":
                    raise NotAnExpressionError
                if self.peek() == ";":
                    stacked.append(Rows(tuple(items), gap))
                    items, gap = [], None
                self.at += 1
            elif self.peek() == "dots":
                self.at += 1
                gap = len(items)
            else:
                items.append(self.expression() if commas else self.lone_item())
                if self.peek() == "." and self.touching():
                    self.at += 1
            if len(items) > ITEMS_LIMIT:
                raise LimitError(f"a list of more than {ITEMS_LIMIT} items at character {opening.start}")
        self.at += 1
        self.depth -= 1
        if stacked:
            return Rows((*stacked, Rows(tuple(items), gap)))
        return Rows(tuple(items), gap)

    def has_commas(self) -> bool:
        """Whether the list that was just opened has commas of its own."""
        depth = 0
        for token in self.tokens[self.at : min(self.end, self.at + ITEMS_LIMIT)]:
            if token.kind in ("[", "("):
                depth += 1
            elif token.kind in ("]", ")"):
                if depth == 0:
                    return False
                depth -= 1
            elif token.kind == "," and depth == 0:
                return True
        return False

    def lone_item(self) -> Node:
        """An item of a list without commas: a figure with its sign, or a list."""
        if self.peek() == "[":
            return self.rows()
        sign = self.sign()
        figure = self.take("number").figure
        assert figure is not None
        return figure if sign > 0 else figure.negated

    def matrix(self) -> Node:
        """A matrix of LaTeX; one row or one column is a list."""
        self.take("open")
        self.deeper()
        rows: list[list[Node]] = [[]]
        while self.peek() != "close":
            if self.peek() == "&":
                self.at += 1
            elif self.peek() == "line":
                if self.tokens[self.at].text != "\n":
                    rows.append([])
                self.at += 1
            else:
                rows[-1].append(self.expression())
            if len(rows) > ITEMS_LIMIT:
                raise LimitError(f"a matrix of more than {ITEMS_LIMIT} rows")
        self.at += 1
        self.depth -= 1
        filled = [row for row in rows if row]
        if len(filled) == 1:
            return Rows(tuple(filled[0]))
        if all(len(row) == 1 for row in filled):
            return Rows(tuple(row[0] for row in filled))
        return Rows(tuple(Rows(tuple(row)) for row in filled))
