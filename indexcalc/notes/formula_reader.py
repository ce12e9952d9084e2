r"""The layout of a printed formula, read from the LaTeX that the printer wrote.

What a formula says is decided once, by the printer, whose LaTeX is a small closed language. It is read here
into the tree that a writer of another format needs, so that two formats cannot disagree on a bracket or a sign.
A command that no printer writes is an error, not a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexcalc.errors import LimitError
from indexcalc.notes.formula import Aligned, Boxed, Bracketed, Fraction, Kind, Leaf, Marked, Node, Root, Row, Scripted
from indexcalc.notes.glyphs import (
    ALPHABETS,
    CLOSING,
    DELIMITERS,
    ENDS,
    FUNCTIONS,
    LETTERS,
    OPENING,
    SIGNS,
    SIZES,
    SPACES,
    STYLES,
)
from indexcalc.notes.layout import MARK, TOKEN

DEPTH = 200
"""The most groups inside each other."""


class FormulaError(ValueError):
    """A formula that no printer writes: a mistake of this package, not of the user."""


def read_formula(latex: str) -> Row:
    """The tree of a formula.

    Raises:
        FormulaError: for what no printer writes.
        LimitError: if groups are nested more than `DEPTH` deep.
    """
    reader = Reader(MARK.sub("", latex))
    row = reader.row()
    if reader.token is not None:
        raise FormulaError(f"{reader.token!r} stands alone in {latex!r}")
    return row


class Reader:
    """The tokens of one formula and a place among them."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens: Sequence[str] = TOKEN.findall(latex)
        self.place = 0
        self.depth = 0

    @property
    def token(self) -> str | None:
        """The next token; None at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> str:
        """The next token, which is passed."""
        token = self.token
        if token is None:
            raise FormulaError(f"{self.latex!r} ends too early")
        self.place += 1
        return token

    def expect(self, expected: str) -> None:
        """Pass a token that has to be there."""
        token = self.take()
        if token != expected:
            raise FormulaError(f"{token!r} in the place of {expected!r} in {self.latex!r}")

    def row(self) -> Row:
        """Items up to what ends them."""
        self.depth += 1
        if self.depth > DEPTH:
            raise LimitError(f"a formula has more than {DEPTH} groups inside each other; give parts of it names")
        items: list[Node] = []
        while (token := self.token) is not None and token not in ENDS:
            if token in ("_", "^"):
                base = items.pop() if items else Row(())
                items.append(self.scripted(base))
            elif token.isspace():
                self.take()
            else:
                items.extend(self.items())
        self.depth -= 1
        return Row(tuple(items))

    def group(self) -> Row:
        """What stands in braces."""
        self.skip_spaces()
        self.expect("{")
        row = self.row()
        self.expect("}")
        return row

    def skip_spaces(self) -> None:
        """Pass blanks."""
        while self.token is not None and self.token.isspace():
            self.take()

    def scripted(self, base: Node) -> Scripted:
        """The scripts of what was read last."""
        found: dict[str, Row] = {}
        while self.token in ("_", "^"):
            sign = self.take()
            if sign in found:
                raise FormulaError(f"two scripts in one place in {self.latex!r}")
            found[sign] = self.group()
        return Scripted(base, found.get("_"), found.get("^"))

    def items(self) -> Iterable[Node]:
        """The next item; several where a delimiter is not closed on its line."""
        token = self.token
        if token in OPENING or token in SIZES:
            return self.bracketed()
        return (self.item(self.take()),)

    def item(self, token: str) -> Node:
        """One item that begins with a token that is passed."""
        match token:
            case "{":
                self.place -= 1
                return self.group()
            case r"\frac":
                return Fraction(self.group(), self.group())
            case r"\sqrt":
                return self.root()
            case r"\boxed":
                return Boxed(self.group())
            case r"\mark":
                return Marked(self.letters(), self.group())
            case r"\begin":
                return self.aligned()
            case ":" if self.token == "=":
                return Leaf(Kind.SIGN, token + self.take())
        if token in STYLES:
            return Leaf(STYLES[token], self.letters())
        if token in ALPHABETS:
            letter = self.letters()
            if letter not in ALPHABETS[token]:
                raise FormulaError(f"{letter!r} is not in the alphabet of {token!r}")
            return Leaf(Kind.UPRIGHT, ALPHABETS[token][letter])
        return self.leaf(token)

    def leaf(self, token: str) -> Leaf:
        """A single symbol, or a number."""
        if token == r"\,":
            return Leaf(Kind.TIMES, "")
        if token in SPACES:
            return Leaf(Kind.SPACE, SPACES[token])
        if token in FUNCTIONS:
            return Leaf(Kind.FUNCTION, token[1:])
        if token in LETTERS:
            return Leaf(Kind.LETTER, LETTERS[token])
        if token in SIGNS:
            return Leaf(Kind.SIGN, SIGNS[token])
        if token.isdigit():
            return Leaf(Kind.NUMBER, token + self.digits())
        if token.isalpha():
            return Leaf(Kind.LETTER, token)
        raise FormulaError(f"no printer writes {token!r}, which stands in {self.latex!r}")

    def digits(self) -> str:
        """The rest of a number."""
        found = ""
        while self.token is not None and (self.token.isdigit() or self.starts_decimals()):
            found += self.take()
        return found

    def starts_decimals(self) -> bool:
        """Whether a point comes next, and a digit behind it."""
        behind = self.tokens[self.place + 1 : self.place + 2]
        return self.token == "." and bool(behind) and behind[0].isdigit()

    def letters(self) -> str:
        """The characters of a group that holds a name or words."""
        self.expect("{")
        depth, found = 1, ""
        while depth:
            token = self.take()
            depth += (token == "{") - (token == "}")
            if token in ("{", "}"):
                continue
            text = LETTERS.get(token, "_" if token == r"\_" else token)
            if text.startswith("\\"):
                raise FormulaError(f"{token!r} is no letter of a name in {self.latex!r}")
            found += text
        return found

    def root(self) -> Root:
        """A root with its degree."""
        degree = None
        if self.token == "[":
            self.take()
            degree = self.row()
            self.expect("]")
        return Root(self.group(), degree)

    def bracketed(self) -> Iterable[Node]:
        """A row in brackets; a bracket that a later line closes stands alone in front of the rest."""
        token = self.take()
        size = SIZES.get(token, 0)
        left = self.delimiter() if size else OPENING[token]
        body = self.row()
        if self.token in (r"\right", r"\bigr", r"\Bigr"):
            self.take()
            return (Bracketed(left, body, self.delimiter(), size),)
        if self.token in CLOSING:
            return (Bracketed(left, body, CLOSING[self.take()], size),)
        return (Bracketed(left, Row(()), "", size), *body.items)

    def delimiter(self) -> str:
        """The delimiter behind a size."""
        self.skip_spaces()
        token = self.take()
        if token not in DELIMITERS:
            raise FormulaError(f"{token!r} is no delimiter in {self.latex!r}")
        return DELIMITERS[token]

    def aligned(self) -> Aligned:
        """Lines of cells."""
        name = self.letters()
        if name != "aligned":
            raise FormulaError(f"no printer writes {name!r}")
        if self.token == "[":
            while self.take() != "]":
                pass
        lines: list[list[Row]] = [[]]
        while True:
            lines[-1].append(self.cell())
            token = self.take()
            if token == r"\end":
                self.letters()
                return Aligned(tuple(map(tuple, lines)))
            if token == r"\\":
                lines.append([])
            elif token != "&":
                raise FormulaError(f"{token!r} ends a cell in {self.latex!r}")

    def cell(self) -> Row:
        """One cell; brackets that an earlier line opened are closed in it."""
        items: list[Node] = list(self.row().items)
        while self.token in CLOSING or self.token in (r"\bigr", r"\Bigr"):
            token = self.take()
            size = SIZES.get(token.replace("r", "l") if token.startswith("\\") else token, 0)
            right = self.delimiter() if size else CLOSING[token]
            closing: Node = Bracketed("", Row(()), right, size)
            items.append(self.scripted(closing) if self.token in ("_", "^") else closing)
            items.extend(self.row().items)
        return Row(tuple(items))
