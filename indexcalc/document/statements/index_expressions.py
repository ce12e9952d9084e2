"""Indices that are expressions, ``x_{i+k}``, ``w_{K-1-k}`` and ``E_{tok_n, d}``, as they stand in subscripts.

An expression is a sum of whole numbers, sizes, index letters and entries of arrays of whole numbers, each with a
whole factor. What else has signs in it, such as ``i-1/2`` or ``-i``, is none, and neither is ``ij+1``, in which it is
not clear how far the expression reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from indexcalc.document.statements.nesting import outside
from indexcalc.language.latex.tokens import Token, parted

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "phi",
        "chi",
        "psi",
        "omega",
    ]
)

SIGNS = ("PLUS", "MINUS")

BRACES = ("{", "}")


class Expression(str):
    """One index of a subscript as text without spaces, which tells it from others, and its tokens."""

    __slots__ = ("tokens",)

    tokens: tuple[Token, ...]

    def __new__(cls, tokens: Sequence[Token]) -> Expression:
        """The expression that tokens are."""
        made = super().__new__(cls, "".join(token.text for token in tokens))
        made.tokens = tuple(tokens)
        return made


def segments(tokens: Sequence[Token]) -> list[Sequence[Token] | Expression]:
    """A subscript in its parts between commas, those that are expressions as such; one part if none is."""
    parts = list(parted(without_grouping(tokens), "COMMA"))
    alone = len(parts) == 1
    found: list[Sequence[Token] | Expression] = [
        Expression(part) if is_expression(part, alone=alone) else part for part in parts
    ]
    return found if any(isinstance(part, Expression) for part in found) else [tokens]


def without_grouping(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the brackets that group indices, ``b,(g,c)``: those beside commas."""
    kept: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].kind if place else "COMMA"
        after = tokens[place + 1].kind if place + 1 < len(tokens) else "COMMA"
        groups = (token.kind == "(" and before == "COMMA") or (token.kind == ")" and after == "COMMA")
        if not groups:
            kept.append(token)
    return kept


def is_expression(tokens: Sequence[Token], *, alone: bool) -> bool:
    """Whether one part of a subscript is an expression; a lone name with a subscript of its own is often a label."""
    terms = list(terms_of(tokens))
    if not all(is_term(term) for term in terms):
        return False
    signs = sum(token.kind in SIGNS for token in outside(tokens))
    if not signs:
        (term,) = terms
        return is_lookup(term) and (not alone or term[0].index or not is_index_letter(term[0]))
    return len(terms) > 1


def terms_of(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The terms between signs; a sign in front is no term."""
    term: list[Token] = []
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.kind == "{") - (token.kind == "}")
        if depth == 0 and token.kind in SIGNS:
            if place:
                yield term
            term = []
        else:
            term.append(token)
    yield term


def is_term(term: Sequence[Token]) -> bool:
    """Whether tokens are a whole number, a letter or a lookup, with whole numbers and sizes before it; or a size."""
    plain = [token for token in term if token.kind != "TIMES"]
    if not plain:
        return False
    if is_lookup(plain) or is_labelled_size(plain):
        return True
    *factors, last = plain
    sizes = all(is_number(one) or is_size(one) for one in factors)
    return sizes and (is_number(last) or last.kind == "NAME")


def is_number(token: Token) -> bool:
    """Whether a token is a whole number."""
    return token.kind == "NUM" and token.text.isdigit()


def is_size(token: Token) -> bool:
    """Whether a token may be the name of a size."""
    return token.kind == "NAME" and token.text[:1].isupper()


def is_lookup(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a name with a subscript of letters and numbers."""
    if len(tokens) < 3 or tokens[0].kind != "NAME" or tokens[1].kind != "SUB":
        return False
    inner = [token for token in tokens[2:] if token.kind not in BRACES]
    braced = tokens[2].kind == "{" and tokens[-1].kind == "}"
    whole = len(tokens) == 3 or (braced and all(token.kind not in BRACES for token in tokens[3:-1]))
    indices = any(is_number(token) or (token.kind == "NAME" and token.text[:1].islower()) for token in inner)
    return whole and indices and all(token.kind in ("NAME", "COMMA", "NUM", *SIGNS) for token in inner)


def is_labelled_size(tokens: Sequence[Token]) -> bool:
    """Whether tokens are the name of a size with one sign below it that is no index letter, ``N_L``."""
    if len(tokens) < 3 or not is_size(tokens[0]) or tokens[1].kind != "SUB":
        return False
    inner = [token for token in tokens[2:] if token.kind not in BRACES]
    return len(inner) == 1 and inner[0].kind in ("NAME", "NUM", "TEXT") and not is_index_letter(inner[0])


ROWS = frozenset("ijk")
"""Letters that are those of indices wherever they stand below a name."""


def is_index_letter(token: Token) -> bool:
    """Whether a token is a letter that may be an index, or a name that a sum binds."""
    letter = (len(token.text) == 1 and token.text.islower()) or token.text == "ell"
    return token.kind == "NAME" and (letter or token.text in GREEK or token.index)


def letters_of(part: str) -> tuple[str, ...]:
    """The letters in one part of a subscript: those of an expression, with repetition; another part is its own."""
    if not isinstance(part, Expression):
        return (part,)
    behind = (*part.tokens[1:], None)
    return tuple(
        token.text
        for token, after in zip(part.tokens, behind, strict=True)
        if is_index_letter(token) and (after is None or after.kind != "SUB")
    )


def letters_among(parts: Iterable[str]) -> Iterator[str]:
    """The letters in the parts of a subscript."""
    return (letter for part in parts for letter in letters_of(part))


def lookups_of(part: Expression) -> Iterator[tuple[str, str]]:
    """The arrays that are looked up in an expression, each with the letters of its indices."""
    base = ""
    for token, after in zip(part.tokens, (*part.tokens[1:], None), strict=True):
        if token.kind == "NAME" and after is not None and after.kind == "SUB":
            base = token.text
        elif base and is_index_letter(token):
            yield base, token.text
        elif token.kind in ("}", *SIGNS):
            base = ""
