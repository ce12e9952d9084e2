r"""Parts of formulas that are named where they first stand: ``O = \sigma(A) V = D V`` says what D is.

Two members that follow one another are alike but for a factor, which is the value of a function in one of them, or a
bracket behind all others, and a name in the other. No other product of arrays is taken for what a name is: ``X^T X v =
\lambda v`` holds for this v, and ``X^T X w = X^T y`` says nothing of y alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from indexcalc.document.statements.calls import closing
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.document.statements.systems import CONSTANTS
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

SCRIPTS = frozenset({"SUB", "SUP", "PRIME"})

SIGNS = frozenset({"SUM", "PROD", "INT"})
"""Signs that bind the letters below them."""

APPLIED = frozenset({*FUNCTIONS, "sigma", "softmax"})
"""The names of functions whose values may be factors."""


def named_part(one: Sequence[Token], other: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The formula and the name in which two members differ; None if they differ otherwise."""
    before = whole(common(one, other), one, other)
    after = whole_behind(common(one[before:][::-1], other[before:][::-1]), one)
    parts = [tokens[before : len(tokens) - after] for tokens in (one, other)]
    if not all(parts):
        return None
    formula, name = sorted(parts, key=is_name)
    fits = may_name(name, formula) and is_factor(formula, one[:before], one[len(one) - after :])
    return (formula, name) if fits else None


def common(one: Sequence[Token], other: Sequence[Token]) -> int:
    """How many tokens two rows have in common from their beginning."""
    pairs = takewhile(lambda pair: pair[0].text == pair[1].text, zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def whole(count: int, *rows: Sequence[Token]) -> int:
    """How many of the first tokens, which rows have in common, cut off no bracket and no script."""
    fit, level = 0, 0
    for end, token in enumerate(rows[0][:count], 1):
        level += nesting(token)
        cut = token.kind in SCRIPTS or any(len(row) > end and row[end].kind in SCRIPTS for row in rows)
        if level < 0:
            break
        if level == 0 and not cut:
            fit = end
    return fit


def whole_behind(count: int, row: Sequence[Token]) -> int:
    """The same of the last tokens."""
    fit, level = 0, 0
    for start in range(len(row) - 1, len(row) - count - 1, -1):
        level -= nesting(row[start])
        if level < 0:
            break
        if level == 0 and all(token.kind not in SCRIPTS for token in row[max(start - 1, 0) : start + 1]):
            fit = len(row) - start
    return fit


def nesting(token: Token) -> int:
    """By how much a token changes the number of open brackets."""
    return (token.kind in OPENING) - (token.kind in CLOSING)


def is_factor(formula: Sequence[Token], before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether a formula is the value of a function beside other factors, or a bracket behind them."""
    value = formula[0].text in APPLIED
    bracket = formula[value:]
    if not bracket or bracket[0].kind != "(" or closing(bracket, 0) != len(bracket):
        return False
    beside = any(token.kind == "NAME" for token in (*before, *after))
    applied = (bool(before) and before[-1].text in APPLIED) or (bool(after) and after[0].kind in OPENING)
    several = any(token.kind in ("COMMA", "BAR", "SEMICOLON") for token in bracket)
    return beside and not applied and not several and (value or not after)


def may_name(name: Sequence[Token], formula: Sequence[Token]) -> bool:
    """Whether a name may be that of a formula: it has the same indices, and is in a capital if an array there is."""
    if not is_name(name) or name[0].inside is not None or name[0].text in CONSTANTS or is_name(formula):
        return False
    capitals = any(token.kind == "NAME" and token.text[0].isupper() for token in formula)
    fits = name[0].text[0].isupper() or not capitals or formula[0].kind == "("
    powers = any(token.kind == "SUP" for token in name)
    return fits and not powers and letters_below(formula) == letters_below(name)


def letters_below(tokens: Sequence[Token]) -> set[str]:
    """The letters of indices, without those that signs bind."""
    found, bound = set[str](), set[str]()
    for place, token in enumerate(tokens):
        if token.kind == "SUB":
            below = tokens[place + 1 : after_scripts(tokens, place)]
            letters = {one.text for one in below if one.kind == "NAME"}
            (bound if tokens[place - 1].kind in SIGNS else found).update(letters)
    return found - bound


def is_name(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a name, with scripts or without."""
    return bool(tokens) and tokens[0].kind == "NAME" and after_scripts(tokens, 1) == len(tokens)


def stands_among(name: Sequence[Token], rows: Sequence[Sequence[Token]]) -> bool:
    """Whether a name stands among tokens, whatever its labels and scripts are."""
    own = letter_of(name[0])
    return any(token.kind == "NAME" and letter_of(token) == own for row in rows for token in row)


def letter_of(token: Token) -> str:
    """A name without its labels."""
    return token.text.partition("_")[0].partition("^")[0]
