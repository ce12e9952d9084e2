"""A place in a list of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from indexcalc.errors import LimitError
from indexcalc.figures.nodes import Node
from indexcalc.figures.tokens import Token

DEPTH_LIMIT = 60
"""The deepest nesting of brackets."""

CLOSING = {"(": ")", "[": "]", "{": "}"}


class NotAnExpressionError(Exception):
    """What stands here is no expression; caught where expressions are read."""


@dataclass
class Cursor(ABC):
    """A place in a list of tokens.

    Attributes:
        tokens: all tokens.
        at: the next one.
        end: where to stop.
        depth: how many brackets are open.
    """

    tokens: list[Token]
    at: int
    end: int
    depth: int = 0

    @abstractmethod
    def expression(self) -> Node:
        """The expression that stands here."""

    def sign(self) -> int:
        """The signs before a term."""
        sign = 1
        while self.peek() in ("+", "-"):
            sign = -sign if self.peek() == "-" else sign
            self.at += 1
        return sign

    def peek(self, ahead: int = 0) -> str:
        """The kind of a token to come; empty at the end."""
        return self.tokens[self.at + ahead].kind if self.at + ahead < self.end else ""

    def take(self, kind: str) -> Token:
        """The next token, if it is of this kind."""
        if self.peek() != kind:
            raise NotAnExpressionError
        self.at += 1
        return self.tokens[self.at - 1]

    def touching(self) -> bool:
        """Whether no blank stands before the next token."""
        return 0 < self.at < self.end and self.tokens[self.at - 1].end == self.tokens[self.at].start

    def skip_lines(self) -> None:
        """Step over line ends, but not over an empty line."""
        while self.peek() == "line" and self.peek(1) != "line":
            self.at += 1

    def deeper(self) -> None:
        """Count an opening bracket."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise LimitError(f"brackets are nested deeper than {DEPTH_LIMIT} levels")
