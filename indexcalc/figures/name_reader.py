"""Names from tokens: the derivative by a tensor, its indices, its transposition."""

from __future__ import annotations

from indexcalc.figures.cursor import CLOSING, Cursor, NotAnExpressionError
from indexcalc.figures.nodes import Name, Node
from indexcalc.figures.tokens import LOSSES, Token


class NameReader(Cursor):
    """Reads names."""

    def name(self) -> Node:
        """A name with its marks: the derivative by it, indices, a transposition."""
        first = self.at
        fraction, gradient = self.peek() == "fraction", self.peek() in ("gradient", "fraction")
        nabla = self.peek() == "∇"
        if gradient or nabla:
            self.at += 1
        if nabla and self.peek() == "_":
            self.at += 1
        braced = nabla and self.peek() == "{"
        self.at += braced
        base = self.take("name").text
        base, places, symbolic = self.marks(base)
        if fraction or braced:
            self.take("}")
        if nabla and self.peek() == "name" and self.tokens[self.at].text in LOSSES:
            self.at += 1
        if self.peek() == "grad":
            self.at += 1
            gradient = True
        transposed = self.peek() == "transpose"
        self.at += transposed
        base, more, also = self.marks(base) if fraction or transposed or nabla else (base, (), False)
        if self.peek() == "transpose" and not transposed:
            self.at += 1
            transposed = True
        text = written(self.tokens[first : self.at])
        places = (*places, *more)
        return Name(base, gradient or nabla, places, transposed, text, symbolic or also)

    def marks(self, base: str) -> tuple[str, tuple[int | None, ...], bool]:
        """The name, longer by what a subscript adds, with its indices; whether an index is a letter."""
        places: list[int | None] = []
        symbolic = False
        while True:
            if self.peek() == "[" and self.touching():
                found, letters = self.index("[")
            elif self.peek() == "_" and self.touching() and self.peek(1) in ("{", "number", "name"):
                self.at += 1
                if self.peek() == "name":
                    base += "_" + self.take("name").text
                    continue
                if self.peek() == "number":
                    found, letters = [int(digit) for digit in self.take("number").text if digit.isdigit()], False
                elif self.peek(1) == "name" and self.peek(2) == "}":
                    self.at += 1
                    base += "_" + self.take("name").text
                    self.take("}")
                    continue
                else:
                    found, letters = self.index("{")
            elif self.peek() == "power" and self.peek(1) == "{" and self.peek(2) == "name" and self.peek(3) == "}":
                if not self.tokens[self.at].math:
                    return base, tuple(places), symbolic
                self.at += 2
                base += "_" + self.take("name").text
                self.take("}")
                continue
            else:
                return base, tuple(places), symbolic
            places += found
            symbolic = symbolic or letters

    def index(self, opening: str) -> tuple[list[int | None], bool]:
        """Indices in brackets: numbers, ``:`` for all, or letters."""
        before = self.at
        self.take(opening)
        places: list[int | None] = []
        letters = False
        while self.peek() != CLOSING[opening]:
            kind = self.peek()
            if kind == "number" and (figure := self.tokens[self.at].figure) is not None and figure.whole:
                digits = self.tokens[self.at].text.strip()
                if opening == "{" and len(digits) > 1 and self.peek(1) == "}" and not places:
                    places += [int(digit) for digit in digits]
                else:
                    places.append(int(digits))
            elif kind == ":":
                places.append(None)
            elif kind == "name":
                letters = True
            elif kind not in (",", "(", ")", "+", "-", "number"):
                self.at = before
                raise NotAnExpressionError
            self.at += 1
        self.at += 1
        return places, letters


def written(tokens: list[Token]) -> str:
    """Tokens as they stand in the text, without the blanks between them."""
    return "".join(token.text for token in tokens)
