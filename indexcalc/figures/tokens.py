r"""A worksheet's text as tokens: figures, names, operators, brackets; ``\times`` and ``×`` are the same."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

from indexcalc.errors import LimitError
from indexcalc.figures.nodes import Figure
from indexcalc.figures.text import Source
from indexcalc.notes.names import LOWER, UPPER, greek_name

TOKEN_LIMIT = 100_000
"""The most tokens of a document."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text.

    Attributes:
        kind: ``number``, ``name``, ``partial`` (the d of a derivative), ``relation``, ``line``, or the sign itself.
        text: the name in plain letters, or the text.
        start: where it starts.
        end: where it ends.
        math: whether it stands in mathematics.
        figure: the number.
    """

    kind: str
    text: str
    start: int
    end: int
    math: bool = False
    figure: Figure | None = None


SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

NUMBER = (
    r"(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+\-−]?\d+)?"
    r"(?P<ten>\s*(?:×|·|⋅|\*|\\times|\\cdot)\s*10\s*(?:(?:\^|\*\*)\s*(?:\{\s*(?P<braced>[-−]?\s*\d+)\s*\}|(?P<bare>[-−]?\d+)"
    r"|\(\s*(?P<paren>[-−]?\d+)\s*\))|(?P<raised>⁻?[" + RAISED + r"]+)))?(?P<percent>\s?\\?%)?)"
)
GRADIENT = r"(?P<gradient>(?:d|∂|\\partial\s*)(?:LOSS)\s*/\s*(?:d|∂|\\partial(?![a-zA-Z])\s*)(?=[^\W\d]|\\))"
FRACTION = (
    r"(?P<fraction>\\[dt]?frac\s*\{\s*(?:d|∂|\\partial\s*|\\mathrm\s*\{d\}\s*)(?:LOSS)"
    r"\s*\}\s*\{\s*(?:d|∂|\\partial(?![a-zA-Z])\s*|\\mathrm\s*\{d\}\s*)(?=[^\W\d]|\\))"
)
VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
NOT_LETTERS = r"\W_" + RAISED + "".join(VULGAR) + "ᵀ∂∇√"
LETTERS = rf"[^\dσΣ{NOT_LETTERS}](?:(?:\\?_)*[^{NOT_LETTERS}])*'?|σ"
STYLES = (
    r"text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mathtt|mathcal|mathbb|boldsymbol|bm|operatorname\*?|vec|bar"
)
ACCENTS = r"hat|tilde|widehat|widetilde"
RULES = "|".join(
    [
        r"(?P<space>[ \t\r]+|\\[,;:! ]|\\(?:left|right|big|Big|bigl|bigr|displaystyle|limits)(?![a-zA-Z])|~)",
        r"(?P<line>\n|\\\\(?:\[[^\]]*\])?)",
        FRACTION,
        GRADIENT,
        NUMBER,
        r"(?P<relation>:=|==|=|≈|≃|≅|≐|\\approx|\\simeq|\\doteq|\\coloneqq|\\equiv)",
        r"(?P<becomes>\bbecomes\b)",
        r"(?P<dots>\.\.\.|…|⋯|\\l?dots\b|\\cdots\b|\\vdots\b)",
        rf"(?P<styled>\\(?:{STYLES})\s*\{{(?P<inner>[^{{}}]*)\}}|\\(?:{STYLES})\s+(?P<single>[A-Za-z]))",
        rf"(?P<accented>\\(?P<accent>{ACCENTS})\s*\{{(?P<below>[^{{}}]*)\}}|\\(?:{ACCENTS})\s+(?P<under>[A-Za-z]))",
        r"(?P<open>\\begin\s*\{[bpvBV]?(?:small)?matrix\*?\}|\\begin\s*\{array\}\s*\{[^}]*\})",
        r"(?P<close>\\end\s*\{[bpvBV]?(?:small)?matrix\*?\}|\\end\s*\{array\})",
        r"(?P<environment>\\(?:begin|end)\s*\{[a-z]+\*?\})",
        r"(?P<quad>\\q?quad\b)",
        r"(?P<command>\\[A-Za-z]+)",
        r"(?P<transpose>\^\s*(?:T(?!\w)|\{\s*T\s*\}|⊤|\\top\b|\{\s*\\top\s*\}|\\intercal\b)|ᵀ|\.T\b)",
        r"(?P<grad>\.grad\b)",
        r"(?P<power>\^|\*\*)",
        rf"(?P<raised_power>⁻?[{RAISED}]+)",
        rf"(?P<name>{LETTERS})",
        r"(?P<other>.)",
    ]
)
LOSSES = ("L", "Loss", "loss", "J", "E", "C")
"""What the loss is called where the model has no other tensor of that name."""

LOSS_MARKS = r"\\mathcal\s*\{?\s*[LJE]\s*\}?|\\ell|ℒ|ℓ"


@cache
def pattern(losses: tuple[str, ...]) -> re.Pattern[str]:
    """The tokens of a sheet whose loss has one of these names."""
    names = "|".join((LOSS_MARKS, *map(re.escape, losses)))
    return re.compile(RULES.replace("LOSS", names))


SIGNS = {
    "−": "-", "–": "-", "·": "×", "⋅": "×", "*": "×", "∗": "×", "÷": "/", "∙": "×", "⊙": "×", "∘": "×",
}  # fmt: skip
COMMANDS = {
    "times": "×", "cdot": "×", "odot": "×", "circ": "×", "ast": "×", "div": "/",
    "frac": "frac", "dfrac": "frac", "tfrac": "frac",
    "sqrt": "sqrt", "partial": "∂", "nabla": "∇", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]",
    "sum": "Σ",
}  # fmt: skip
GREEK = frozenset((*LOWER, *UPPER))


def tokenize(source: Source, losses: tuple[str, ...] = LOSSES) -> list[Token]:
    """The tokens of a document.

    Args:
        source: the document.
        losses: what the loss is called.

    Raises:
        LimitError: if there are too many.
    """
    starts = [start for start, _ in sorted(source.math)]
    ends = [end for _, end in sorted(source.math)]
    tokens: list[Token] = []
    for match in pattern(losses).finditer(source.text):
        which = bisect_right(starts, match.start()) - 1
        found = token_of(match, which >= 0 and match.start() < ends[which])
        if found is not None:
            tokens.append(found)
        if len(tokens) > TOKEN_LIMIT:
            raise LimitError(f"{source.document.name} has more than {TOKEN_LIMIT} tokens")
    return tokens


def token_of(match: re.Match[str], math: bool) -> Token | None:
    """The token of a match; None for blanks."""
    kind, text = str(match.lastgroup), match.group()
    start, end = match.span()
    for group in ("number", "styled", "accented", "fraction", "gradient"):
        if match[group] is not None:
            kind = group
    if kind in ("space", "environment"):
        return None
    if kind == "number":
        return Token("number", text, start, end, math, figure_of(match))
    if kind in ("styled", "accented"):
        inner = match["inner"] or match["single"] or match["below"] or match["under"] or ""
        mark = "_hat" if kind == "accented" else ""
        # Spaces in upright text are prose between formulas, not a name.
        named = "word" if inner != inner.strip() or " " in inner else "name"
        return Token(named, "_".join(inner.replace("\\_", "_").split()) + mark, start, end, math)
    if kind == "command":
        word = text[1:]
        if word in COMMANDS:
            return Token(COMMANDS[word], text, start, end, math)
        return Token("name", word, start, end, math) if word in GREEK or word.isalpha() else None
    if kind == "name":
        return Token("name", plain_letters(text.replace("\\_", "_")), start, end, math)
    if kind == "raised_power":
        return Token("raised", text.translate(SUPERSCRIPTS), start, end, math)
    if kind == "other":
        if text in VULGAR:
            return Token("number", text, start, end, math, Figure(text, VULGAR[text], 0.0005, True, start))
        # A dash with a blank behind it is punctuation.
        dash = text == "–" and match.string[end : end + 1].isspace()
        return Token("word" if dash else SIGNS.get(text, text), text, start, end, math)
    return Token(kind, text, start, end, math)


def plain_letters(text: str) -> str:
    """A name with a lone Greek letter spelled out: ``η`` is ``eta``."""
    return (greek_name(text) or text) if len(text) == 1 and text.isalpha() else text


def figure_of(match: re.Match[str]) -> Figure:
    """A number with its precision."""
    text = match["number"]
    body = text[: match.start("ten") - match.start("number")] if match["ten"] else text.rstrip("%\\ ")
    digits, _, exponent = body.replace("−", "-").lower().partition("e")
    power = int(exponent or 0)
    if match["ten"]:
        raised = match["braced"] or match["bare"] or match["paren"] or match["raised"].translate(SUPERSCRIPTS)
        power += int(raised.replace("−", "-").replace(" ", ""))
    power -= 2 if match["percent"] else 0
    if abs(power) > 400 or len(digits) > 400:
        raise LimitError(f"a number too long or too large: {text[:40]}")
    decimals = len(digits.partition(".")[2])
    whole = decimals == 0 and not exponent and not match["ten"] and not match["percent"]
    return Figure(text.strip(), float(f"{digits}e{power}"), 0.5 * 10.0 ** (power - decimals), whole, match.start())
