"""The grammar of a mathematical expression: LALR over the tokens, products as flat lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from lark import Lark, Transformer, UnexpectedInput
from lark import Token as LarkToken
from lark.lexer import Lexer

from indexcalc.errors import SpecError
from indexcalc.language.latex.environments import structured
from indexcalc.language.latex.reductions import with_reductions
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    ANGLE,
    NORM,
    Atom,
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

GRAMMAR = r"""
start: sum
sum: [sign] product (sign product)*
sign: PLUS | MINUS
product: (scripted | TIMES | ODOT | SLASH | DOT)+
scripted: atom script*
script: SUB arg -> below
      | SUP arg -> above
      | PRIME   -> prime
      | AT SUB arg -> along
arg: LBRACE raw* RBRACE | NAME | NUM | TOP | ONE | PRIME | TIMES | PLUS | MINUS | ODD | TEXT
raw: NAME | NUM | TOP | ONE | PRIME | TIMES | ODOT | PLUS | MINUS | SLASH | COMMA | COLON | DOT | DOTS | REL | LPAR
   | RPAR | LBRACK | RBRACK | SUB | SUP | TEXT | ODD | PARTIAL | QUAD | BAR | SEMICOLON | NEWLINE | FRAC | SQRT
   | SUM | REALS | LBAR | RBAR | LNORM | RNORM | braced
braced: LBRACE raw* RBRACE
atom: (NAME | NUM | ONE | PARTIAL | NABLA | SUM | TEXT | DOTS | REALS | COLON | TOP) -> leaf
    | LPAR listing RPAR     -> round
    | LBRACK listing RBRACK -> square
    | LBRACK sum REL sum RBRACK -> truth
    | LBRACK sum REL sum REL sum RBRACK -> range
    | LBRACE sum RBRACE  -> curly
    | LBRACE RBRACE      -> nothing
    | LBAR sum RBAR      -> bars
    | LNORM sum RNORM    -> norm
    | FRAC farg farg     -> fraction
    | SQRT farg          -> root
    | SQRT LBRACK raw* RBRACK farg -> odd_root
    | ENVIRONMENT        -> environment
listing: sum ((COMMA | SEMICOLON) sum)*
farg: LBRACE sum RBRACE | NAME | NUM | ONE
%declare PLUS MINUS TIMES ODOT SLASH SUB SUP PRIME NAME NUM ONE TOP PARTIAL NABLA SUM TEXT DOTS REALS COLON LPAR RPAR
%declare LBRACK RBRACK LBRACE RBRACE LBAR RBAR FRAC SQRT ENVIRONMENT COMMA SEMICOLON DOT REL ODD QUAD BAR NEWLINE
%declare NORM LNORM RNORM AMP AT
"""

BRACKETS = {"(": "LPAR", ")": "RPAR", "[": "LBRACK", "]": "RBRACK", "{": "LBRACE", "}": "RBRACE"}

BEFORE_OPENING = frozenset(
    ["PLUS", "MINUS", "TIMES", "ODOT", "SLASH", "(", "{", "[", "LBAR", "LNORM", "COMMA", "SUM", "FRAC", "SQRT"]
)
"""What a bar that closes cannot follow."""

READABLE = {
    "REL": "a relation",
    "ODD": "a sign that is not read",
    "NORM": "a norm",
    "RBRACE": "}",
    "RPAR": ")",
    "RBRACK": "]",
    "$END": "the end",
    "AMP": "&",
    "NEWLINE": "a line break",
    "DOT": "a full stop",
    "QUAD": "a wide space",
}


class TokenStream(Lexer):
    """Hands the tokens to the parser; environments are one token each."""

    def __init__(self, lexer_conf: Any) -> None:
        del lexer_conf

    def lex(self, data: Sequence[Any]) -> Iterator[LarkToken]:  # type: ignore[override]
        """One token of the parser for each token or environment."""
        for token in data:
            kind = "ENVIRONMENT" if isinstance(token, Environment) else BRACKETS.get(token.kind, token.kind)
            yield LarkToken(kind, token, token.start)


class Builder(Transformer[LarkToken, Any]):
    """From the parser's tree to ours."""

    def start(self, children: list[Any]) -> Sum:
        """The whole expression."""
        (tree,) = children
        return tree  # type: ignore[no-any-return]

    def sum(self, children: list[Any]) -> Sum:
        """Products with their signs; behind the sign of a product, a sign is that of the next factor."""
        signs = [1 if child is None or child == "PLUS" else -1 for child in children[0::2]]
        terms: list[tuple[int, Product]] = []
        for sign, product in zip(signs, children[1::2], strict=True):
            last = terms[-1][1].items[-1] if terms else None
            if isinstance(last, Atom) and last.kind in ("TIMES", "ODOT", "SLASH"):
                before, left = terms.pop()
                terms.append((before * sign, Product((*left.items, *product.items))))
            else:
                terms.append((sign, product))
        return Sum(tuple(terms))

    def sign(self, children: list[LarkToken]) -> str:
        """Plus or minus."""
        return str(children[0].type)

    def product(self, children: list[Any]) -> Product:
        """Factors and operators in a row."""
        return Product(tuple(Atom(child.value) if isinstance(child, LarkToken) else child for child in children))

    def scripted(self, children: list[Any]) -> Node:
        """A factor with its scripts."""
        base, *scripts = children
        if not scripts:
            return base  # type: ignore[no-any-return]
        below = tuple(token for kind, tokens in scripts if kind == "below" for token in tokens)
        above = tuple(tokens for kind, tokens in scripts if kind == "above")
        along = tuple(token for kind, tokens in scripts if kind == "along" for token in tokens)
        return Scripted(base, below, above, sum(1 for kind, _ in scripts if kind == "prime"), along)

    def below(self, children: list[Any]) -> tuple[str, tuple[Token, ...]]:
        """A subscript."""
        return ("below", children[-1])

    def above(self, children: list[Any]) -> tuple[str, tuple[Token, ...]]:
        """A superscript; primes written as one are primes."""
        tokens = children[-1]
        return ("prime", ()) if tokens and all(token.kind == "PRIME" for token in tokens) else ("above", tokens)

    def along(self, children: list[Any]) -> tuple[str, tuple[Token, ...]]:
        """What a derivative is taken along."""
        return ("along", children[-1])

    def prime(self, children: list[Any]) -> tuple[str, tuple[Token, ...]]:
        """A prime."""
        return ("prime", ())

    def arg(self, children: list[Any]) -> tuple[Token, ...]:
        """The tokens of a script."""
        inner = children[1:-1] if children[0].type == "LBRACE" else [(children[0].value,)]
        return tuple(token for part in inner for token in part)

    def raw(self, children: list[Any]) -> tuple[Token, ...]:
        """Tokens that are not parsed."""
        (child,) = children
        return (child.value,) if isinstance(child, LarkToken) else child

    def braced(self, children: list[Any]) -> tuple[Token, ...]:
        """Unparsed tokens in braces."""
        inner = tuple(token for part in children[1:-1] for token in part)
        return (children[0].value, *inner, children[-1].value)

    def leaf(self, children: list[LarkToken]) -> Atom:
        """One token."""
        return Atom(children[0].value)

    def round(self, children: list[Any]) -> Group:
        """Round brackets, or those of an inner product."""
        sign = children[0].value.text
        return Group(ANGLE if sign == ANGLE else "(", sum(children[1], ()), children[0].value.start)

    def square(self, children: list[Any]) -> Group | Matrix:
        """Square brackets; with semicolons between its rows a matrix."""
        rows, start = children[1], children[0].value.start
        return Group("[", rows[0], start) if len(rows) == 1 else Matrix(rows, start)

    def truth(self, children: list[Any]) -> Truth:
        """An Iverson bracket."""
        return Truth(children[1], children[2].value.text, children[3], children[0].value.start)

    def range(self, children: list[Any]) -> Group:
        """An Iverson bracket with two relations: the product of two brackets."""
        _, left, below, middle, above, right, _ = children
        start = children[0].value.start
        both = (Truth(left, below.value.text, middle, start), Truth(middle, above.value.text, right, start))
        return Group("(", (Sum(((1, Product(both)),)),), start)

    def curly(self, children: list[Any]) -> Group:
        """Braces."""
        inner = children[1].lone
        if isinstance(inner, Group) and inner.bracket in ("(", "["):  # {(x)}: the braces say nothing
            return inner
        return Group("{", (children[1],), children[0].value.start)

    def nothing(self, children: list[Any]) -> Group:
        """Empty braces."""
        return Group("{", (), children[0].value.start)

    def bars(self, children: list[Any]) -> Group:
        """An absolute value."""
        return Group("|", (children[1],), children[0].value.start)

    def norm(self, children: list[Any]) -> Group:
        """A norm."""
        return Group(NORM, (children[1],), children[0].value.start)

    def fraction(self, children: list[Any]) -> Fraction:
        """A fraction."""
        return Fraction(children[1], children[2], children[0].value.start)

    def root(self, children: list[Any]) -> Root:
        """A square root."""
        return Root(children[1], children[0].value.start)

    def odd_root(self, children: list[Any]) -> Node:
        """A root of another degree, which is not read."""
        return Atom(replace(children[0].value, kind="ODD", text="a root of higher degree"))

    def environment(self, children: list[LarkToken]) -> Node:
        """A matrix, cases or the like."""
        environment = children[0].value
        assert isinstance(environment, Environment)
        return structured(environment, parse)

    def listing(self, children: list[Any]) -> tuple[tuple[Sum, ...], ...]:
        """Members between commas, in rows between semicolons."""
        rows: list[tuple[Sum, ...]] = [()]
        for child in children:
            if isinstance(child, Sum):
                rows[-1] = (*rows[-1], child)
            elif child.type == "SEMICOLON":
                rows.append(())
        return tuple(rows)

    def farg(self, children: list[Any]) -> Sum:
        """The argument of a fraction or a root."""
        if len(children) == 1:
            return Sum(((1, Product((Atom(children[0].value),))),))
        return children[1]  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser, built once."""
    return Lark(GRAMMAR, parser="lalr", lexer=TokenStream, maybe_placeholders=True)


def parse(tokens: Sequence[Token]) -> Sum:
    """The syntax tree of one expression.

    Raises:
        SpecError: if the tokens are no expression; the message names what was found.
    """
    tokens = close_bars(with_reductions(tokens))
    if not tokens:
        raise SpecError("there is no formula on one side")
    try:
        tree = parser().parse(fold_environments(tokens))
    except UnexpectedInput as error:
        raise SpecError(complaint(error)) from None
    result = Builder().transform(tree)
    assert isinstance(result, Sum)
    return result


def complaint(error: UnexpectedInput) -> str:
    """What was found where something else must stand."""
    token = getattr(error, "token", None)
    kind = getattr(token, "type", "$END")
    if kind == "$END":
        return "the formula stops too early"
    text = getattr(getattr(token, "value", None), "text", "")
    return f"cannot read {READABLE.get(kind, text or kind)}" + (f" ({text})" if kind in READABLE and text else "")


def fold_environments(tokens: Sequence[Token]) -> list[Token | Environment]:
    r"""Every ``\begin{...} ... \end{...}`` as one item."""
    folded: list[Token | Environment] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind != "BEGIN":
            folded.append(token)
            position += 1
            continue
        depth, end = 0, position
        while end < len(tokens):
            depth += (tokens[end].kind == "BEGIN") - (tokens[end].kind == "END")
            if depth == 0:
                break
            end += 1
        folded.append(Environment(token.text, rows_of(tokens[position + 1 : end]), token.start))
        position = end + 1
    return folded


def rows_of(tokens: Sequence[Token]) -> tuple[tuple[tuple[Token, ...], ...], ...]:
    """Tokens split at line breaks, and each line at ``&``, outside inner environments and braces."""
    rows: list[list[list[Token]]] = [[[]]]
    depth = 0
    for token in tokens:
        depth += (token.kind in ("BEGIN", "{")) - (token.kind in ("END", "}"))
        if depth == 0 and token.kind == "NEWLINE":
            rows.append([[]])
        elif depth == 0 and token.kind == "AMP":
            rows[-1].append([])
        else:
            rows[-1][-1].append(token)
    return tuple(tuple(tuple(cell) for cell in row) for row in rows if any(row))


def close_bars(tokens: Sequence[Token]) -> list[Token]:
    """Bars and double bars told apart: one closes the bar that is open, unless it stands where a factor begins."""
    result: list[Token] = []
    open_bars: list[str] = []
    for token in joined_bars(tokens):
        if token.kind not in ("BAR", "NORM"):
            if token.kind in ("(", "{", "["):
                open_bars.append(token.kind)
            elif token.kind in (")", "}", "]") and open_bars:
                del open_bars[last_bracket(open_bars) :]
            result.append(token)
            continue
        begins = not result or result[-1].kind in BEFORE_OPENING
        if token.text == "||" and not begins and open_bars[-1:] == ["BAR"]:  # |a||b|: one ends, and one begins
            result.append(replace(token, kind="RBAR", text="|"))
            result.append(replace(token, kind="LBAR", text="|", start=token.start + 1))
            continue
        closes = not begins and bool(open_bars) and open_bars[-1] == token.kind
        if closes:
            open_bars.pop()
        else:
            open_bars.append(token.kind)
        result.append(replace(token, kind=f"{'R' if closes else 'L'}{token.kind}"))
    return result


def last_bracket(open_bars: list[str]) -> int:
    """The place of the last bracket that is no bar; the end if there is none."""
    return next((n for n in range(len(open_bars) - 1, -1, -1) if open_bars[n] not in ("BAR", "NORM")), len(open_bars))


def joined_bars(tokens: Sequence[Token]) -> list[Token]:
    """Two bars side by side as one double bar."""
    result: list[Token] = []
    for token in tokens:
        beside = result and result[-1].kind == "BAR" and token.kind == "BAR" and token.start == result[-1].start + 1
        if beside and result[-1].text == token.text == "|":
            result[-1] = replace(result[-1], kind="NORM", text="||")
        else:
            result.append(token)
    return result
