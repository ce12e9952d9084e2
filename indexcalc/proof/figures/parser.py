"""Expressions from tokens: a recursive reader that takes as much as is an expression, and leaves the rest."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.errors import LimitError
from indexcalc.proof.figures.nodes import Call, Dots, Figure, Name, Node, Power, Product, Rows, Sum
from indexcalc.proof.figures.tokens import LOSSES, Token

DEPTH_LIMIT = 60
"""The deepest nesting of brackets."""

LENGTH_LIMIT = 3_000
"""The most terms, factors or items in a row."""

EXPONENT_DIGITS = 6
"""The most digits of an exponent that is written above the line."""

FUNCTIONS = {
    "exp": "exp", "log": "log", "ln": "log", "sqrt": "sqrt", "tanh": "tanh", "sigmoid": "sigmoid", "sigma": "sigmoid",
    "σ": "sigmoid", "relu": "relu", "ReLU": "relu", "sin": "sin", "cos": "cos", "abs": "abs", "gelu": "gelu",
    "GELU": "gelu", "silu": "silu", "SiLU": "silu", "softplus": "softplus", "erf": "erf", "max": "max", "min": "min",
    "step": "step", "sign": "sign",
}  # fmt: skip
"""Names that are functions where an argument follows."""

CLOSING = {"(": ")", "[": "]", "{": "}"}


class NotAnExpressionError(Exception):
    """What stands here is no expression; only this module sees it."""


@dataclass
class Reader:
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

    def expression(self) -> Node:
        """Terms with signs between them."""
        terms = [(self.sign(), self.term())]
        while self.peek() in ("+", "-") and len(terms) < LENGTH_LIMIT:
            before = self.at
            try:
                terms.append((self.sign(), self.term()))
            except NotAnExpressionError:
                self.at = before
                break
        if len(terms) == 1:
            sign, term = terms[0]
            if sign > 0:
                return term
            return term.negated if isinstance(term, Figure) else Sum(((-1, term),))
        return Sum(tuple(terms))

    def sign(self) -> int:
        """The signs before a term."""
        sign = 1
        while self.peek() in ("+", "-"):
            sign = -sign if self.peek() == "-" else sign
            self.at += 1
        return sign

    def term(self) -> Node:
        """Factors with signs between them, or side by side."""
        if self.peek() == "dots":
            self.at += 1
            return Dots()
        factors = [(1, self.factor())]
        matrix = False
        while len(factors) < LENGTH_LIMIT:
            before = self.at
            try:
                if self.peek() in ("×", "/", "@"):
                    matrix = matrix or self.peek() == "@"
                    side = -1 if self.take(self.peek()).kind == "/" else 1
                    factors.append((side, self.signed_factor()))
                elif self.side_by_side():
                    factors.append((1, self.factor()))
                else:
                    break
            except NotAnExpressionError:
                self.at = before
                break
        return factors[0][1] if len(factors) == 1 else Product(tuple(factors), matrix)

    def side_by_side(self) -> bool:
        """Whether a factor follows without a sign: anywhere in mathematics, else only a bracket with an arithmetic."""
        kind = self.peek()
        if not kind:
            return False
        token = self.tokens[self.at]
        if token.math and self.tokens[self.at - 1].math:
            return kind in ("name", "(", "frac", "sqrt", "fraction", "gradient") or (kind == "open")
        if kind == "(":
            closing = next((n for n in range(self.at, self.end) if self.tokens[n].kind in (")", "line")), self.end)
            inside = {inner.kind for inner in self.tokens[self.at : closing]}
            # A bracket with words behind a number is a remark, one with an arithmetic is a factor.
            return "number" in inside and (self.touching() or bool(inside & {"+", "-", "×", "/"}))
        # X[0,0] WQ[0,0]: names with their indices side by side are a product too.
        previous = self.tokens[self.at - 1].kind
        return kind in ("name", "gradient") and previous in ("]", ")") and self.bracketed_name()

    def bracketed_name(self) -> bool:
        """Whether a name with an index in brackets follows."""
        ahead = 1 if self.peek() == "gradient" else 0
        at = self.at + ahead
        return (
            at + 1 < self.end
            and self.tokens[at].kind == "name"
            and self.tokens[at + 1].kind == "["
            and self.tokens[at].end == self.tokens[at + 1].start
        )

    def signed_factor(self) -> Node:
        """A factor behind a multiplication sign may have a sign of its own."""
        sign = self.sign()
        factor = self.factor()
        if sign > 0:
            return factor
        return factor.negated if isinstance(factor, Figure) else Sum(((-1, factor),))

    def factor(self) -> Node:
        """An atom with its exponent."""
        self.deeper()
        node = self.raised()
        self.depth -= 1
        return node

    def raised(self) -> Node:
        """An atom and what stands above it."""
        base = self.atom()
        if self.peek() == "raised":
            text = self.take("raised").text
            if len(text) > EXPONENT_DIGITS:
                raise LimitError(f"an exponent of {len(text)} digits; the limit is {EXPONENT_DIGITS}")
            exponent = int(text)
            return Power(base, Figure(str(exponent), float(exponent), 0.5, True))
        if self.peek() == "power":
            self.at += 1
            exponent_node = self.braced() if self.peek() == "{" else self.signed_factor()
            if base == Name("e", text="e"):
                return Call("exp", (exponent_node,))
            return Power(base, exponent_node)
        return base

    def braced(self) -> Node:
        """What stands in braces."""
        return self.inside("{")

    def inside(self, opening: str) -> Node:
        """The expression in a pair of brackets."""
        self.take(opening)
        self.deeper()
        self.skip_lines()
        node = self.expression()
        self.skip_lines()
        self.take(CLOSING[opening])
        self.depth -= 1
        return node

    def deeper(self) -> None:
        """Count an opening bracket."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise LimitError(f"brackets are nested deeper than {DEPTH_LIMIT} levels")

    def atom(self) -> Node:
        """A figure, a name, a call, a bracket, a root, a fraction or a list."""
        match self.peek():
            case "number":
                figure = self.take("number").figure
                assert figure is not None
                return figure
            case "(" | "{":
                return self.inside(self.peek())
            case "[":
                return self.rows()
            case "open":
                return self.matrix()
            case "√":
                self.at += 1
                return Call("sqrt", (self.factor(),))
            case "sqrt":
                self.at += 1
                return Call("sqrt", (self.braced() if self.peek() == "{" else self.atom(),))
            case "frac":
                self.at += 1
                return Product(((1, self.braced()), (-1, self.braced())))
            case "name" if self.tokens[self.at].text in FUNCTIONS and self.argument_follows():
                return self.call()
            case "name" | "gradient" | "fraction" | "∇":
                return self.name()
        raise NotAnExpressionError

    def argument_follows(self) -> bool:
        """Whether a known function has its argument right behind it."""
        after = self.at + 1
        if after >= self.end:
            return False
        token = self.tokens[after]
        return (
            token.kind in ("number",) or (token.kind in ("(", "{")) or (token.math and token.kind in ("name", "frac"))
        )

    def call(self) -> Node:
        """A known function of what follows it."""
        name = FUNCTIONS[self.take("name").text]
        if self.peek() != "(":
            return Call(name, (self.factor(),))
        self.take("(")
        self.deeper()
        arguments = [self.expression()]
        while self.peek() == ",":
            self.at += 1
            arguments.append(self.expression())
        self.take(")")
        self.depth -= 1
        return Call(name, tuple(arguments))

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
            if len(items) > LENGTH_LIMIT:
                raise LimitError(f"a list of more than {LENGTH_LIMIT} items at character {opening.start}")
        self.at += 1
        self.depth -= 1
        if stacked:
            return Rows((*stacked, Rows(tuple(items), gap)))
        return Rows(tuple(items), gap)

    def has_commas(self) -> bool:
        """Whether the list that was just opened has commas of its own."""
        depth = 0
        for token in self.tokens[self.at : min(self.end, self.at + LENGTH_LIMIT)]:
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
            if len(rows) > LENGTH_LIMIT:
                raise LimitError(f"a matrix of more than {LENGTH_LIMIT} rows")
        self.at += 1
        self.depth -= 1
        filled = [row for row in rows if row]
        if len(filled) == 1:
            return Rows(tuple(filled[0]))
        if all(len(row) == 1 for row in filled):
            return Rows(tuple(row[0] for row in filled))
        return Rows(tuple(Rows(tuple(row)) for row in filled))


def written(tokens: list[Token]) -> str:
    """Tokens as they stand in the text, without the blanks between them."""
    return "".join(token.text for token in tokens)


def read_expression(tokens: list[Token], start: int, end: int) -> tuple[Node, int] | None:
    """The longest expression that starts here, and where it ends; None if none does.

    Raises:
        LimitError: if it is nested too deeply or has too many parts.
    """
    reader = Reader(tokens, start, end)
    try:
        return reader.expression(), reader.at
    except NotAnExpressionError:
        return None
