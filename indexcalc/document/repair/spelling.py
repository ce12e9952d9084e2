r"""Syntax trees back to LaTeX, every name as the document itself spells it.

``\mathbf{Q}``, ``\boldsymbol Q`` and a macro of the author's are one name to the reader; what is written
for the author's eyes uses the author's own spelling, found in the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.labels import ABOVE, split_labels
from indexcalc.document.statements.layer_marks import BELOW, BRACKETS
from indexcalc.document.statements.outline import Statement
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    Atom,
    Cases,
    Environment,
    Fraction,
    Group,
    Matrix,
    Node,
    Product,
    Root,
    Scripted,
    Sum,
    Truth,
)
from indexcalc.language.latex.vocabulary import FUNCTIONS

Key = tuple[str, str, bool]
"""The kind and the text of a token, and whether it is bold."""

NOISE = re.compile(r"(?:\s|\\[,;:!> ]|\\(?:left|right|[bB]igg?[lrm]?|limits|nolimits|displaystyle)(?![A-Za-z])|&)+$")
"""What may stand between two tokens and belongs to neither."""

SIGNS = {
    "PARTIAL": r"\partial",
    "NABLA": r"\nabla",
    "TOP": r"\top",
    "ONE": r"\mathbf{1}",
    "FRAC": r"\frac",
    "SQRT": r"\sqrt",
    "REALS": r"\mathbb{R}",
    "DOTS": r"\dots",
    "QUAD": r"\quad",
    "SUP": "^",
    "SUB": "_",
    "PLUS": "+",
    "MINUS": "-",
    "COMMA": ",",
    "PRIME": "'",
}
"""Signs that the source does not show."""

WORDED = {"cdot": r"\cdot", "times": r"\times", "odot": r"\odot", "circ": r"\circ", "sum": r"\sum", "!=": r"\neq"}
RELATIONS = {"<=": r"\le", ">=": r"\ge", "!=": r"\neq", **WORDED}

TALL = ("\\frac", "\\sum")


class UnspelledError(Exception):
    """A formula with a part that cannot be written."""


@dataclass
class Spelling:
    """How the document writes each token, learnt from its source."""

    known: dict[Key, str] = field(default_factory=dict)

    def learn(self, source: str, tokens: Sequence[Token]) -> None:
        """The spellings of tokens that stand in the source; a macro that makes several tokens spells none."""
        starts = Counter(token.start for token in tokens)
        for token, following in pairwise(tokens):
            if token.last >= 0:
                base, text = split_labels(token.text)[0], re.split(r"\s*[\^_]", source[token.start : token.last])[0]
                if is_closed(text):
                    self.known.setdefault((token.kind, base, token.bold), text)
            elif starts[token.start] == 1:
                text = NOISE.sub("", source[token.start : following.start])
                if text and is_closed(text):
                    self.known.setdefault((token.kind, token.text, token.bold), text)

    def learn_all(self, source: str, statements: Iterable[Statement]) -> None:
        """The spellings of all tokens of statements that stand in the source."""
        for statement in statements:
            for side in statement.sides:
                self.learn(source, side.tokens)

    def token(self, token: Token) -> str:
        """The spelling of a token."""
        return self.known.get((token.kind, token.text, token.bold)) or default(token)

    # trees -----------------------------------------------------------------------------------------------------------

    def sum(self, tree: Sum) -> str:
        """A sum of products."""
        parts = []
        for n, (sign, term) in enumerate(tree.terms):
            mark = ("- " if n else "-") if sign < 0 else ("+ " if n else "")
            parts.append(mark + self.product(term))
        return " ".join(parts)

    def product(self, tree: Product) -> str:
        """Factors in a row."""
        return glued((self.node(item) for item in tree.items), " ")

    def node(self, node: Node) -> str:
        """One factor."""
        match node:
            case Atom(token):
                return self.labelled(token, ())
            case Scripted():
                return self.scripted(node)
            case Group(bracket, members):
                return enclosed(bracket, ", ".join(self.sum(member) for member in members))
            case Fraction(numerator, denominator):
                return rf"\frac{{{self.sum(numerator)}}}{{{self.sum(denominator)}}}"
            case Root(body):
                return rf"\sqrt{{{self.sum(body)}}}"
            case Truth(left, relation, right):
                return f"[{self.sum(left)} {RELATIONS.get(relation, relation)} {self.sum(right)}]"
            case Environment() | Cases() | Matrix():
                raise UnspelledError

    def scripted(self, node: Scripted) -> str:
        """A factor with its scripts."""
        if node.along:
            return rf"\left. {self.node(node.base)} \right|_{{{self.tokens(node.along)}}}"
        if isinstance(node.base, Atom):
            text = self.labelled(node.base.token, node.below)
        else:
            text = self.node(node.base) + (f"_{{{self.tokens(node.below)}}}" if node.below else "")
        text += "'" * node.primes
        for number, tokens in enumerate(node.above):
            # TeX takes one superscript; a second one stands on braces around the first.
            text = (f"{{{text}}}" if number else text) + f"^{{{self.tokens(tokens)}}}"
        return text

    def labelled(self, token: Token, below: Sequence[Token]) -> str:
        """A name with the letters of its layer and of indices above it where the document has them, and a subscript."""
        base, labels = split_labels(token.text) if token.kind == "NAME" else (token.text, ())
        if below and (below[0].kind == "[" or (below[0].kind == "(" and below[0].index)):
            return self.labelled(token, ()) + self.tokens(below)
        if not labels:
            return self.token(token) + (f"_{{{self.tokens(below)}}}" if below else "")
        indices = [part for part in below if part.kind not in ("{", "}")]
        above, lowered = [], []
        for style, inner in labels:
            text = self.token(indices.pop(0)) if inner == ABOVE and indices else inner
            if style == BELOW:
                lowered.append(text)
            else:
                above.append(f"{style}{text}{BRACKETS.get(style, '')}")
        lowered += [self.tokens(indices)] if indices else []
        text = self.token(replace(token, text=base))
        for mark, parts in (("^", above), ("_", lowered)):
            text += f"{mark}{{{','.join(parts)}}}" if parts else ""
        return text

    def tokens(self, tokens: Iterable[Token]) -> str:
        """Tokens in a row, as in a script."""
        return glued((self.token(token) for token in tokens), "")


def is_closed(text: str) -> bool:
    """Whether a piece of source is one closed token."""
    if text in ("{", "}"):
        return True
    return text.count("{") == text.count("}") and "\n" not in text and "$" not in text


def default(token: Token) -> str:
    """The usual spelling of a token that the source does not show."""
    if token.kind in SIGNS:
        return SIGNS[token.kind]
    text = token.text
    if token.kind == "TEXT":
        return rf"\text{{{text}}}"
    if token.kind != "NAME":
        return WORDED.get(text, text)
    first, space, rest = text.partition(" ")
    if space:
        return rf"\mathcal{{{rest}}}" if first == "mathcal" else rf"\{first}{{{default(Token('NAME', rest, 0))}}}"
    if text in GREEK or text.lower() in GREEK or text in ("infty", "ell") or (text in FUNCTIONS and text.islower()):
        word = text if FUNCTIONS.get(text, text) in ("exp", "log", "sin", "cos", "tanh", text) else ""
        return rf"\{word}" if word and word not in OPERATORS else rf"\operatorname{{{text}}}"
    if token.bold:
        return rf"\mathbf{{{text}}}"
    return rf"\mathrm{{{text}}}" if len(text) > 1 else text


OPERATORS = frozenset(FUNCTIONS) - {"exp", "log", "ln", "sin", "cos", "tanh"}
"""Functions that have no control sequence of their own."""


ENCLOSING = {
    "(": ("(", ")"),
    "[": ("[", "]"),
    "|": ("|", "|"),
    "‖": (r"\|", r"\|"),
    "⟨": (r"\langle ", r" \rangle"),
}
"""The signs of each bracket."""


def enclosed(bracket: str, text: str) -> str:
    """The text in brackets, sized where it is tall."""
    if bracket == "{":
        return f"{{{text}}}"
    opening, closing = ENCLOSING[bracket]
    if any(tall in text for tall in TALL):
        return rf"\left{opening} {text} \right{closing}"
    return f"{opening}{text}{closing}"


def glued(parts: Iterable[str], gap: str) -> str:
    """Pieces in a row, a control sequence kept apart from a letter after it."""
    text = ""
    for part in parts:
        if text and (gap or (re.search(r"\\[A-Za-z]+$", text) and part[:1].isalpha())):
            text += gap or " "
        text += part
    return text


def spelling_of(source: str, statements: Iterable[Statement]) -> Spelling:
    """How a document spells its tokens."""
    spelling = Spelling()
    spelling.learn_all(source, statements)
    return spelling
