r"""LaTeX mathematics to tokens: fonts, accents and decoration resolved, positions kept.

Fonts only mark a name (bold does not make another symbol); accents belong to the name they stand
on; ``\left``, spacing, labels and colours are dropped; ``\boxed`` and its kin are transparent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.errors import LimitError
from indexcalc.language.latex.macros import EXPANSION_LIMIT, MACRO_DEPTH, Macro, used
from indexcalc.language.latex.vocabulary import (
    ACCENTS,
    CLOSERS,
    CONNECTIVES,
    DENIED,
    DIFFERENTIALS,
    DROPPED,
    DROPPED_WITH_ARGUMENTS,
    FONTS,
    FRACTIONS,
    LABELS,
    NEGATIONS,
    OPENERS,
    REASONS,
    RELATIONS,
    SCRIPT_SIGNS,
    SIMPLE,
    SWITCHES,
    TEXT_FONTS,
    TRANSPARENT,
    UNICODE,
    WORDS,
)

TOKEN_LIMIT = 6_000
"""The most tokens of one equation, after macros are expanded."""


DEPTH_LIMIT = 60
"""The deepest nesting of brackets of one equation."""


LETTERS = 3
"""Up to so many letters in a row may be factors or indices although they make a word such as "or"."""


PROSE_FONTS = frozenset({"text", "textrm", "textit", "textbf", "mbox"})
"""Fonts in which words stand that are no names."""


LEADING = frozenset(
    [
        "compute",
        "recompute",
        "calculate",
        "evaluate",
        "update",
        "initialize",
        "initialise",
        "load",
        "store",
        "write",
        "read",
        "return",
        "output",
        "define",
        "denote",
        "choose",
        "solve",
        "minimize",
        "maximize",
        "accumulate",
        "therefore",
        "consequently",
        "similarly",
        "finally",
        "likewise",
    ]
)
"""Words that lead to a formula at the start of a line, as in an algorithm."""


ANGLES = {"<": "langle", ">": "rangle"}
"""Brackets, behind a sign that says that one follows."""


STACKED = frozenset({"overset", "underset", "stackrel"})


ABOVE_EQUALS = {
    **dict.fromkeys(("def", "def.", "delta", "triangle", "definition"), ":="),
    **dict.fromkeys(("d", "dist", "dist.", "law"), "~"),
}
"""What an equals sign says with this above it: that it defines, or that two distributions are equal, and no values."""


WITH_COLUMNS = frozenset({"array", "alignat", "alignedat"})
"""Environments that begin with what says how their columns are set."""

POSITIONS = ("[t]", "[c]", "[b]")
"""What says right behind the name of an environment how high it stands on its line."""

INDICES = frozenset({"if", "ln"})
"""Words that are two indices below a name, ``X_{if}`` and ``K_{ln}``."""

RUN_ON = frozenset({"log", "ln", "exp"})
"""Functions that authors write right behind a letter, as in ``y_ilog(p_i)``."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind, its text, where it starts in the source, and whether a bold or upright font marks it.

    Where several are read as one, `last` is where the last of them starts. A name that is an index says so. One that
    stands for a value of which the page may give no equation keeps what it is made of.
    """

    kind: str
    text: str
    start: int
    bold: bool = False
    last: int = -1
    upright: bool = False
    index: bool = False
    inside: Inside | None = None


@dataclass(frozen=True, slots=True)
class Inside:
    """What a value is made of that is read as one name: its tokens, and the letters in them that are its indices."""

    tokens: tuple[Token, ...]
    letters: tuple[str, ...] = ()


PIECES = re.compile(
    r"(?P<space>\s+|%[^\n]*)|(?P<command>\\[A-Za-z]+\*?|\\\\(?:\[-?[\d.]+\s*[a-z]{2}\]|\[\\[a-z]+\])?|\\.)|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?|\.\d+)"
    r"|(?P<dots>\.{2,})|(?P<word>[A-Za-z]+)|(?P<other><?=>|[<>]=|.)",
    re.DOTALL,
)


class Tokenizer:
    """The tokens of one piece of mathematics."""

    def __init__(self, text: str, macros: Mapping[str, Macro], offset: int = 0) -> None:
        self.macros = macros
        self.expansions = 0
        self.pieces = self.scan(text, offset, 0)
        self.at = 0
        self.lefts: list[str] = []

    def scan(self, text: str, offset: int, depth: int, fixed: int | None = None) -> list[tuple[str, str, int]]:
        """The pieces of a text with macros expanded; what comes out of a macro stands where the macro stands."""
        if depth > MACRO_DEPTH:
            raise LimitError(f"macros nested deeper than {MACRO_DEPTH}")
        pieces: list[tuple[str, str, int]] = []
        position = 0
        while position < len(text):
            match = PIECES.match(text, position)
            assert match is not None
            kind, value = str(match.lastgroup), match.group()
            start = offset + position if fixed is None else fixed
            position = match.end()
            macro = self.macros.get(value.removeprefix("\\").removesuffix("*")) if kind == "command" else None
            if macro is not None:
                self.expansions += 1
                if self.expansions > EXPANSION_LIMIT:
                    raise LimitError(f"more than {EXPANSION_LIMIT} uses of macros in one equation")
                body, position = used(text, position, macro)
                pieces.extend(self.scan(body, 0, depth + 1, start))
            elif kind == "space":
                if "\n" not in value and pieces and pieces[-1][0] == "word":
                    pieces.append(("gap", " ", start))
            elif kind == "number" and pieces and after_short_fraction(pieces):
                pieces.extend(("number", digit, start + n) for n, digit in enumerate(value))
            else:
                pieces.append((kind, value, start))
            if len(pieces) > TOKEN_LIMIT:
                raise LimitError(f"an equation of more than {TOKEN_LIMIT} tokens")
        return pieces

    def run(self) -> list[Token]:
        """All tokens.

        Raises:
            LimitError: if there are more than `TOKEN_LIMIT`, or brackets nest deeper than `DEPTH_LIMIT`.
        """
        tokens: list[Token] = []
        while self.at < len(self.pieces):
            tokens.extend(self.next(False))
            if len(tokens) > TOKEN_LIMIT:
                raise LimitError(f"an equation of more than {TOKEN_LIMIT} tokens")
        depth = 0
        for token in tokens:
            depth += (token.kind in OPENERS) - (token.kind in CLOSERS)
            if depth > DEPTH_LIMIT:
                raise LimitError(f"brackets nested deeper than {DEPTH_LIMIT}")
        if len(tokens) > TOKEN_LIMIT:
            raise LimitError(f"an equation of more than {TOKEN_LIMIT} tokens")
        return tokens

    def next(self, bold: bool) -> list[Token]:
        """The tokens of the next piece."""
        kind, value, start = self.pieces[self.at]
        self.at += 1
        if kind == "gap":
            return []
        if (label := SCRIPT_SIGNS.get(value.removeprefix("\\"))) is not None and self.fills_script():
            return [Token("NAME", label, start)]
        if kind == "number":
            return [Token("NUM", value, start)]
        if kind == "dots":
            return [Token("DOTS", "...", start)]
        if kind == "word":
            before = [piece[1] for piece in self.pieces[max(0, self.at - 3) : self.at - 1]]
            labels = value in LABELS and before in (["_", "{"], ["^", "{"]) and self.peek() == "}"
            if value in CONNECTIVES - WORDS and len(value) > LETTERS and before != ["_", "{"]:
                return [Token("TEXT", value, start)]
            if labels or (value in WORDS and not (value in INDICES and before == ["_", "{"])):
                return [Token("NAME", value, start, bold)]
            if value[1:] in RUN_ON and value not in WORDS:
                return [Token("NAME", value[0], start, bold), Token("NAME", value[1:], start + 1)]
            return [Token("NAME", letter, start + n, bold) for n, letter in enumerate(value)]
        if value == ":" and self.at < len(self.pieces) and self.pieces[self.at][1:] == ("=", start + 1):
            self.at += 1
            return [Token("REL", ":=", start)]
        if kind == "other":
            return (
                [Token(UNICODE[value][0], UNICODE[value][1] or value, start)]
                if value in UNICODE
                else [Token("NAME" if value.isalpha() else "ODD", value, start, bold)]
            )
        return self.command(value, start, bold)

    def fills_script(self) -> bool:
        """Whether the last piece is all of a script."""
        before = [piece[1] for piece in self.pieces[max(0, self.at - 3) : self.at - 1] if piece[0] != "gap"]
        return before[-1:] in (["_"], ["^"]) or (before in (["_", "{"], ["^", "{"]) and self.peek() == "}")

    def command(self, value: str, start: int, bold: bool) -> list[Token]:
        """The tokens of a control sequence, its arguments included."""
        name = value[1:2] if value.startswith("\\\\") else value[1:]
        if name in ("left", "right"):
            return self.fence(name, start)
        if name == "_":
            return self.escaped(start)
        if name in SWITCHES and self.peek() == "{":
            return self.font(SWITCHES[name], start, bold)
        if name in DROPPED:
            return [Token("TEXT", name, start)] if name in REASONS else []
        if name in DROPPED_WITH_ARGUMENTS:
            for _ in range(DROPPED_WITH_ARGUMENTS[name]):
                self.argument(bold)
            return []
        if name in TRANSPARENT:
            return self.transparent(name, start, bold)
        if name in ("begin", "end"):
            environment = "".join(token.text for token in self.argument(False))
            if name == "begin":
                self.setting(environment)
            return [Token("BEGIN" if name == "begin" else "END", environment.rstrip("*"), start)]
        if name in FONTS:
            return self.font(name, start, bold)
        if name in ACCENTS:
            return self.accented(ACCENTS[name], start, bold)
        if name in STACKED and (stacked := self.stacked(start)) is not None:
            return stacked
        return [sign(name, start, bold)]

    def escaped(self, start: int) -> list[Token]:
        r"""The sign of a subscript that Markdown escapes, ``x\_t``; a word behind it is all of the subscript."""
        kind, value, place = self.pieces[self.at] if self.at < len(self.pieces) else ("gap", "", start)
        if kind != "word" or len(value) == 1:
            return [Token("SUB", "_", start)]
        self.at += 1
        return [Token("SUB", "_", start), Token("{", "{", place), Token("NAME", value, place), Token("}", "}", place)]

    def setting(self, environment: str) -> None:
        """Skip what says how high an environment stands on its line, and how its columns are set."""
        if "".join(piece[1] for piece in self.pieces[self.at : self.at + len("[t]")]) in POSITIONS:
            self.at += len("[t]")
        if environment in WITH_COLUMNS and self.peek() == "{":
            self.argument(False)

    def transparent(self, name: str, start: int, bold: bool) -> list[Token]:
        r"""What a decoration such as ``\boxed`` or ``\underbrace`` stands around."""
        for _ in range(TRANSPARENT[name] - 1):
            self.argument(bold)
        body = self.argument(bold)
        if name in ("underbrace", "overbrace") and self.peek() in ("_", "^", r"\_"):
            self.at += 1
            self.argument(bold)
        if [token.kind for token in body] == ["NABLA"]:  # it has scripts, and what stands behind it is its own
            return [replace(body[0], start=start)]
        return [Token("{", "{", start), *body, Token("}", "}", start)]

    def fence(self, name: str, start: int) -> list[Token]:
        r"""Nothing, but for ``\left< ... \right>``, and ``\left. ... \right|``: along what a derivative is taken."""
        following = self.peek()
        opened = self.lefts.pop() if name == "right" and self.lefts else ""
        if name == "left":
            self.lefts.append(following)
        if following == ".":
            self.at += 1
        if following in ANGLES:
            self.at += 1
            return [Token("ODD", ANGLES[following], start)]
        if opened == "." and following == "|":
            self.at += 1
            return [Token("AT", "|", start)]
        return []

    def peek(self) -> str:
        """The text of the next piece; empty at the end."""
        return self.pieces[self.at][1] if self.at < len(self.pieces) else ""

    def argument(self, bold: bool) -> list[Token]:
        """The tokens of the next argument, without its braces."""
        while self.at < len(self.pieces) and self.pieces[self.at][0] == "gap":
            self.at += 1
        if self.at >= len(self.pieces):
            return []
        if self.pieces[self.at][1] != "{":
            if self.pieces[self.at][0] == "word" and len(self.pieces[self.at][1]) > 1:
                kind, value, start = self.pieces[self.at]
                self.pieces[self.at] = (kind, value[1:], start + 1)
                return [Token("NAME", value[0], start, bold)]
            return self.next(bold)
        self.at += 1
        tokens: list[Token] = []
        while self.at < len(self.pieces) and self.pieces[self.at][1] != "}":
            if self.pieces[self.at][1] == "{":
                start = self.pieces[self.at][2]
                tokens.extend([Token("{", "{", start), *self.argument(bold), Token("}", "}", start)])
            else:
                tokens.extend(self.next(bold))
        self.at += 1
        return tokens

    def stacked(self, start: int) -> list[Token] | None:
        r"""A relation with something above it, ``\overset{\text{def}}{=}``; None, and nothing read, for all else."""
        before = self.at
        mark, tokens = self.argument(False), self.argument(False)
        inner = [token for token in tokens if token.kind not in ("{", "}")]
        if len(inner) != 1 or inner[0].kind != "REL":
            self.at = before
            return None
        marks = (token.text.lower() for token in mark if inner[0].text == "=")
        relation = next((ABOVE_EQUALS[text] for text in marks if text in ABOVE_EQUALS), inner[0].text)
        return [Token("REL", relation, start)]

    def raw(self) -> str:
        """The text of the next argument in braces, spaces lost but one between words."""
        if self.peek() != "{":
            return "".join(token.text for token in self.argument(False))
        self.at += 1
        depth = 1
        parts: list[str] = []
        while self.at < len(self.pieces):
            text = self.pieces[self.at][1]
            depth += (text == "{") - (text == "}")
            self.at += 1
            if depth == 0:
                break
            parts.append(f" {text}" if parts and text[:1].isalpha() and parts[-1].startswith("\\") else text)
        return "".join(parts)

    def begins(self, place: int) -> bool:
        """Whether a piece is the first one of a line of formulas."""
        before = [value for kind, value, _ in self.pieces[max(0, place - 4) : place] if kind != "gap"]
        return not before or before[-1] in {"&", "\\\\", "\\quad", "\\qquad"} or before[:1] == ["\\begin"]

    def formula_follows(self) -> bool:
        """Whether a name or a command stands behind the spaces that follow, and no relation, script or bracket."""
        behind = (value for kind, value, _ in self.pieces[self.at : self.at + 4] if kind != "gap")
        spaces = {*DROPPED, "quad", "qquad", "~"}
        first = next((one for one in behind if one.removeprefix("\\") not in spaces), "")
        command = first.removeprefix("\\")
        return command[:1].isalpha() and command not in RELATIONS

    def font(self, name: str, start: int, bold: bool) -> list[Token]:
        r"""A name in a font: letters are one name, in ``\mathcal`` another name; else the font only marks."""
        if self.peek() == "{" and name in TEXT_FONTS:
            begins = name in PROSE_FONTS and self.begins(self.at - 1)
            text = self.raw().strip()
            leads = begins and text in LEADING and self.formula_follows()
            applied = name.startswith("operatorname") and self.peek() in ("(", r"\left", r"\bigl", r"\Bigl")
            prose = text.lower() in CONNECTIVES and not applied
            one = re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", text.replace(r"\_", "")) and not prose
            if one and not leads:
                return [Token("NAME", text, start, upright=True)]
            return [Token("TEXT", text, start)]
        marked = bold or name in ("mathbf", "bm", "bold", "boldsymbol", "bf", "pmb", "vec", "vect", "mathbb")
        tokens = self.argument(marked)
        if not tokens:
            return []
        whole = "".join(token.text for token in tokens)
        if whole == "1":
            return [Token("ONE", "1", start)]
        if marked and tokens[0].text == "1" and tokens[1].kind in ("SUB", "SUP"):
            return [Token("ONE", "1", start), *tokens[1:]]
        if name == "mathbb" and whole == "R":
            return [Token("REALS", "R", start)]
        letters = all(token.kind == "NAME" and (len(token.text) == 1 or token.text in RUN_ON) for token in tokens)
        letters = letters and len(tokens[0].text) == 1
        if letters or is_upright_gradient(name, tokens):
            text = f"mathcal {whole}" if name in ("mathcal", "mathscr", "mathfrak") else whole
            return [Token("NAME", text, start, marked, upright=name == "mathrm")]
        return [replace(tokens[0], start=start), *tokens[1:]]

    def accented(self, accent: str, start: int, bold: bool) -> list[Token]:
        r"""An accent joins the first name below it; the rest of the argument follows: ``\hat{h_{kl}}``."""
        tokens = self.argument(bold)
        while tokens and tokens[0].kind == "{" and tokens[-1].kind == "}":
            tokens = tokens[1:-1]
        if tokens and tokens[0].kind == "NAME":
            return [replace(tokens[0], text=f"{accent} {tokens[0].text}", start=start), *tokens[1:]]
        if tokens and tokens[0].kind == "NABLA" and accent == "vec":
            return [replace(tokens[0], start=start), *tokens[1:]]
        return [Token("ODD", accent, start), *tokens]


def sign(name: str, start: int, bold: bool) -> Token:
    """The token of a control sequence without arguments of its own: a sign, or else a name."""
    if name in FRACTIONS:
        return Token("FRAC", "frac", start)
    if name in RELATIONS:
        return Token("REL", RELATIONS[name], start)
    if name in SIMPLE:
        kind, text = SIMPLE[name]
        return Token(kind, text, start)
    if name in DIFFERENTIALS:
        return Token("NAME", "d", start, upright=True)
    return Token("NAME", name, start, bold)


def is_upright_gradient(font: str, tokens: list[Token]) -> bool:
    r"""Whether tokens in a font are the name of a gradient by a Greek letter, ``\mathrm{d\mu}``."""
    return font == "mathrm" and [token.kind for token in tokens] == ["NAME", "NAME"] and tokens[0].text == "d"


def after_short_fraction(pieces: list[tuple[str, str, int]]) -> bool:
    r"""Whether the next number is an argument of ``\frac12``, digit by digit."""
    last = pieces[-1][1].removeprefix("\\")
    return last in FRACTIONS or (len(pieces) > 1 and pieces[-2][1].removeprefix("\\") in FRACTIONS and last.isdigit())


def tokenize(text: str, macros: Mapping[str, Macro] | None = None, offset: int = 0) -> list[Token]:
    """The tokens of a piece of LaTeX mathematics.

    Args:
        text: the mathematics, without its delimiters.
        macros: the document's own macros, by name.
        offset: where `text` starts in its source; positions count from there.

    Raises:
        LimitError: if the text is too long or too deep.
    """
    return with_sets(with_negations(Tokenizer(text, macros or {}, offset).run()))


def with_negations(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with a relation behind ``\not`` as the one that holds instead."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "REL" and found and (found[-1].kind, found[-1].text) == ("NAME", "not"):
            found[-1] = Token("REL", NEGATIONS.get(token.text, DENIED), found[-1].start)
        else:
            found.append(token)
    return found


def with_sets(tokens: list[Token]) -> list[Token]:
    r"""The tokens with a plain R behind the sign of membership read as the real numbers: ``x \in R^{n}``."""
    found = list(tokens)
    for place, token in enumerate(tokens):
        if token.kind == "REL" and token.text == "in":
            at = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].kind == "{")
            if at < len(tokens) and (tokens[at].kind, tokens[at].text) == ("NAME", "R"):
                found[at] = replace(tokens[at], kind="REALS")
    return found


def parted(tokens: Sequence[Token], kind: str) -> Iterator[list[Token]]:
    """The tokens between those of a kind that stand in no braces."""
    part: list[Token] = []
    depth = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token.kind, 0)
        if token.kind == kind and not depth:
            yield part
            part = []
        else:
            part.append(token)
    yield part
