"""Expressions from tokens: a recursive reader that takes as much as is an expression, and leaves the rest."""

from __future__ import annotations

from indexcalc.errors import LimitError
from indexcalc.figures.cursor import CLOSING, NotAnExpressionError
from indexcalc.figures.list_reader import ListReader
from indexcalc.figures.name_reader import NameReader
from indexcalc.figures.nodes import Call, Dots, Figure, Name, Node, Power, Product, Sum
from indexcalc.figures.tokens import Token

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


class Reader(NameReader, ListReader):
    """Reads expressions."""

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
