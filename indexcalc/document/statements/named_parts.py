r"""Parts of formulas that are named where they first stand: ``O = \sigma(A) V = D V`` says what D is.

Two members that follow one another are alike but for a factor or a term, which is a formula in one of them and a name
in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from indexcalc.document.statements.differentials import after_scripts
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.vocabulary import FUNCTIONS

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")

SCRIPTS = frozenset({"SUB", "SUP", "PRIME"})

LOOSE = frozenset({"PLUS", "MINUS", "REL", "COMMA", "SEMICOLON", "BAR", "SLASH", "ODOT", "DOTS"})
"""What binds less than a product, or not clearly more: a part with it is no factor."""

FAR = frozenset({"SUM", "PROD", "INT", "LIMIT"})
"""Signs that reach over all factors behind them."""


def named_part(one: Sequence[Token], other: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The formula and the name in which two members differ; None if they differ otherwise."""
    before = whole(common(one, other), one, other)
    after = whole_behind(common(one[before:][::-1], other[before:][::-1]), one, other)
    parts = [tokens[before : len(tokens) - after] for tokens in (one, other)]
    if not all(parts):
        return None
    formula, name = sorted(parts, key=is_name)
    rest = (one[:before], one[len(one) - after :])
    fits = is_name(name) and name[0].inside is None and not is_name(formula) and is_factor(formula, *rest)
    return (formula, name) if fits else None


def common(one: Sequence[Token], other: Sequence[Token]) -> int:
    """How many tokens two rows have in common from their beginning."""
    pairs = takewhile(lambda pair: pair[0].text == pair[1].text, zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def whole(count: int, *rows: Sequence[Token]) -> int:
    """The greatest number of tokens, up to one, that leave no bracket open and no scripts behind them."""
    fit = 0
    for end in range(1, count + 1):
        scripts = any(len(row) > end and row[end].kind in SCRIPTS for row in rows)
        if not scripts and rows[0][end - 1].kind not in SCRIPTS and depth(rows[0][:end]) == 0:
            fit = end
    return fit


def whole_behind(count: int, *rows: Sequence[Token]) -> int:
    """The same of tokens at the end."""
    row = rows[0]
    for start in range(len(row) - count, len(row)):
        scripts = any(token.kind in SCRIPTS for token in row[max(start - 1, 0) : start + 1])
        if not scripts and depth(row[start:]) == 0:
            return len(row) - start
    return 0


def depth(tokens: Sequence[Token]) -> int | None:
    """How many brackets are left open; None if one closes that is not open."""
    found = 0
    for token in tokens:
        found += (token.kind in OPENING) - (token.kind in CLOSING)
        if found < 0:
            return None
    return found


def is_factor(formula: Sequence[Token], before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether a formula between tokens stands for a factor, or a term, of its own."""
    if depth(formula) != 0 or not any(token.kind == "NAME" for token in (*before, *after)):
        return False
    levels = [depth(formula[:place]) or 0 for place in range(len(formula))]
    top = [token for token, level in zip(formula, levels, strict=True) if level == 0]
    ends_term = not after or after[0].kind in ("PLUS", "MINUS")
    loose = any(token.kind in LOOSE for token in top) or (not ends_term and any(token.kind in FAR for token in top))
    ends = [tokens[-1] for tokens in (before, formula) if tokens]
    bound = any(is_word(token) or token.kind in ("SLASH", "ODOT") for token in ends)
    apart = formula[0].kind != "TIMES" and formula[-1].kind != "TIMES" and not (after and after[0].kind in OPENING)
    return apart and not bound and not loose


def is_word(token: Token) -> bool:
    """Whether a name is that of a function, which what is behind it belongs to."""
    return token.kind == "NAME" and (token.text in FUNCTIONS or (len(token.text) > 1 and token.text not in GREEK))


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
