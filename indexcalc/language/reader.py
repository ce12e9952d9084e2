"""Spec text to syntax tree: the grammar, and the tree built from what it finds."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any, ClassVar

import sympy as sp
from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError
from lark.visitors import Transformer_NonRecursive

from indexcalc.errors import SpecError
from indexcalc.language import lines
from indexcalc.language import syntax as ast
from indexcalc.language.complaints import unexpected_character, unexpected_token
from indexcalc.language.domains import WORDS, sums_to_one, symmetric_in
from indexcalc.language.extents import Extent, as_extent, extent_symbol
from indexcalc.language.paths import unquoted
from indexcalc.language.source import Source

DIGIT_LIMIT = 60
"""The longest number, in characters."""

EXPONENT_LIMIT = 300
"""The largest decimal exponent of a number such as ``1e-5``."""

Ranged = tuple[lines.Domain, tuple[ast.Slot, ...]]
"""The domain of an input, and the indices over which it sums to one."""

Matrix = tuple[Token, tuple[ast.Slot, ...]]
"""The word for a symmetric input, and the indices of its rows and columns where they are said."""

Written = tuple[tuple[ast.Slot, ...], ast.Layout]
"""Slots between square brackets, and how they are grouped into axes."""


class NewlinesInBrackets:
    """Drops the end of a line while a bracket is open, and behind the colon and the semicolons of a system."""

    always_accept: ClassVar[tuple[str, ...]] = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens without line ends inside brackets; the name is the one that Lark calls."""
        depth, before, solving = 0, "", False
        for token in stream:
            if token.type in ("LPAR", "LSQB"):
                depth += 1
            elif token.type in ("RPAR", "RSQB"):
                depth = max(0, depth - 1)
            ends = token.type == "_NL" and depth == 0 and not (solving and before in ("SEMICOLON", "COLON"))
            solving = token.type == "_SOLVE" or (solving and not ends)
            if ends or token.type != "_NL":
                yield token
                before = token.type


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser, built once."""
    grammar = files("indexcalc.language").joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", postlex=NewlinesInBrackets(), maybe_placeholders=True)


def parse(source: Source) -> tuple[lines.Statement, ...]:
    """The statements of a spec text, in order.

    Raises:
        SpecError: with the place of the first thing that does not fit, and what would.
    """
    try:
        tree = parser().parse("\n".join(source.lines) + "\n")
        groups = TreeBuilder(source).transform(tree)
    except UnexpectedToken as found:
        raise unexpected_token(found, source) from None
    except UnexpectedCharacters as found:
        raise unexpected_character(found, source) from None
    except VisitError as wrapped:
        if isinstance(wrapped.orig_exc, SpecError):
            raise wrapped.orig_exc from None
        raise
    assert isinstance(groups, list)
    return tuple(statement for group in groups for statement in group)


def at(token: Token) -> ast.At:
    """The place of a token."""
    return ast.At(token.line or 1, token.column or 1)


def prose(token: Token | None) -> str:
    """The text of a quoted string; only the quote and the backslash are ever escaped."""
    return "" if token is None else unquoted(token)


@v_args(inline=True)
class TreeBuilder(Transformer_NonRecursive[Token, Any]):
    """One method a rule of the grammar; statements come as tuples, since a line may hold several."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source

    def start(self, *groups: tuple[lines.Statement, ...]) -> list[tuple[lines.Statement, ...]]:
        """The statements of all lines."""
        return list(groups)

    def title(self, text: Token) -> tuple[lines.Statement, ...]:
        """``title "..."``."""
        return (lines.TitleLine(prose(text), at(text)),)

    def index(self, names: tuple[ast.Slot, ...], extent: Extent, doc: Token | None) -> tuple[lines.Statement, ...]:
        """``index i, j : T``."""
        return (lines.IndexLine(names, extent, prose(doc), names[0].at),)

    def extent(self, value: sp.Expr) -> Extent:
        """``N_H*D_h``, ``N - K + 1``, ``(N - K)//2 + 1``."""
        return as_extent(value)

    def length_sum(self, first: sp.Expr, *rest: Any) -> sp.Expr:
        """``N - K + 1``."""
        pairs = zip(rest[::2], rest[1::2], strict=True)
        return sp.Add(first, *(-part if sign == "-" else part for sign, part in pairs))

    def length_product(self, first: sp.Expr, *rest: Any) -> sp.Expr:
        """``N_H*D_h``, or a quotient rounded down."""
        total = first
        for operator, factor in zip(rest[::2], rest[1::2], strict=True):
            if operator == "//":
                if not factor.is_Integer:
                    raise self.source.error("an extent is divided by a whole number", at(operator))
                total = sp.floor(total / factor)
            elif operator == "*":
                total = sp.expand(total * factor)
            else:
                raise self.source.error(
                    f"an extent is a name, a whole number, a product or a sum, with no {operator}; "
                    "a quotient rounded down is written //",
                    at(operator),
                )
        return total

    def size(self, token: Token) -> sp.Expr:
        """A name, or a whole number."""
        if token.type == "NAME":
            return extent_symbol(self.identifier(token))
        if not token.isdecimal() or int(token[:DIGIT_LIMIT]) < 1 or len(token) > 9:
            raise self.source.error(f"an extent is a name or a whole number from 1 on, not {token}", at(token))
        return sp.Integer(int(token))

    def param(self, *parameters: lines.Statement) -> tuple[lines.Statement, ...]:
        """One statement a parameter."""
        return parameters

    def parameter(self, name: Token, default: ast.Expression | None, doc: Token | None) -> lines.Statement:
        """``eps = 1e-5 "doc"``."""
        return lines.ParameterLine(self.identifier(name), default, prose(doc), at(name))

    def default(self, value: ast.Expression) -> ast.Expression:
        """The value after the equals sign of a parameter."""
        return value

    def input(self, *declared: tuple[lines.Statement, ...]) -> tuple[lines.Statement, ...]:
        """One statement an input, and one for what is assumed of it."""
        return tuple(statement for statements in declared for statement in statements)

    def declared(
        self, entry: ast.Entry, domain: Ranged | Matrix | ast.Slot | None, doc: Token | None
    ) -> tuple[lines.Statement, ...]:
        """``Q[i,k] in (-1,1) "doc"``."""
        if isinstance(domain, ast.Slot):
            return (lines.InputLine(entry, prose(doc), entry.at, values=domain),)
        interval, over = domain or (None, ())
        if isinstance(interval, Token):
            claim = symmetric_in(entry, over, str(interval), at(interval))
            if isinstance(claim, str):
                raise self.source.error(claim, at(interval))
            return lines.InputLine(entry, prose(doc), entry.at), claim
        line = lines.InputLine(entry, prose(doc), entry.at, interval)
        return (line, sums_to_one(entry, over, over[0].at)) if over else (line,)

    def interval(self, start: Token, low: ast.Expression, high: ast.Expression, stop: Token) -> Ranged:
        """``in (-1, 1]``."""
        return lines.Domain(low, high, start == "(", stop == ")", at(start)), ()

    def whole(self, token: Token) -> ast.Slot:
        """``in V``: whole numbers from 0 on and below an extent."""
        self.size(token)
        return ast.Slot(str(token), at(token))

    def positive(self, word: Token) -> Ranged:
        """``positive``."""
        return replace(WORDS[str(word)], at=at(word)), ()

    def probability(self, word: Token, over: Token | tuple[ast.Slot, ...] | None) -> Ranged:
        """``probability over c``, or over several indices in round brackets."""
        slots = (self.slot(over),) if isinstance(over, Token) else over or ()
        return replace(WORDS[str(word)], at=at(word)), slots

    def symmetric(self, word: Token, over: tuple[ast.Slot, ...] | None) -> Matrix:
        """``symmetric``, ``spd over (i,j)``."""
        return word, over or ()

    def equation(
        self, left: ast.Entry, right: ast.Expression, steps: lines.Steps | None, doc: Token | None
    ) -> tuple[lines.Statement, ...]:
        """``S[i,j] = ...``."""
        return (lines.EquationLine(left, right, prose(doc), left.at, steps),)

    def sought(self, unknown: ast.Entry, doc: Token | None) -> tuple[ast.Entry, Token | None]:
        """``x[j] "doc"``."""
        return unknown, doc

    def unknowns(self, *found: tuple[ast.Entry, Token | None]) -> tuple[tuple[ast.Entry, Token | None], ...]:
        """``x[j], y[k]``."""
        return found

    def system(self, left: ast.Expression, right: ast.Expression) -> tuple[ast.Expression, ast.Expression]:
        """``left = right``."""
        return left, right

    def systems(self, *found: Any) -> tuple[tuple[ast.Expression, ast.Expression], ...]:
        """``left = right ; left = right``."""
        return tuple(one for one in found if isinstance(one, tuple))

    def solve(
        self,
        unknowns: tuple[tuple[ast.Entry, Token | None], ...],
        systems: tuple[tuple[ast.Expression, ast.Expression], ...],
        doc: Token | None,
    ) -> tuple[lines.Statement, ...]:
        """``solve x[j], y[k] : left = right ; left = right``."""
        first = unknowns[0][0]
        if len(unknowns) != len(systems):
            names = " and ".join(unknown.name for unknown, _ in unknowns)
            raise self.source.error(
                f"{names}: {len(unknowns)} to be determined, by {len(systems)} written with ; between them; a system "
                "has one equation for each tensor, and each may hold for many values of its indices",
                first.at,
            )
        made = [
            lines.SolveLine(unknown, left, right, prose(own), unknown.at)
            for (unknown, own), (left, right) in zip(unknowns, systems, strict=True)
        ]
        return (replace(made[0], doc=made[0].doc or prose(doc), others=tuple(made[1:])),)

    def steps(self, index: Token, first: ast.Expression, last: ast.Expression) -> lines.Steps:
        """``for t in 1 .. T-1``."""
        return lines.Steps(self.slot(index), ast.slot_of(first), ast.slot_of(last))

    def upstream(self, given: ast.Entry, of: ast.Gradient, doc: Token | None) -> tuple[lines.Statement, ...]:
        """``upstream G[i,p] = dL/dO[i,p]``."""
        return (lines.UpstreamLine(given, of, prose(doc), given.at),)

    def loss(self, name: Token) -> tuple[lines.Statement, ...]:
        """``loss L``."""
        return (lines.LossLine(self.identifier(name), at(name)),)

    def derive(self, names: tuple[ast.Slot, ...]) -> tuple[lines.Statement, ...]:
        """``derive V, A``."""
        return (lines.DeriveLine(names, names[0].at),)

    def recompute(self, names: tuple[ast.Slot, ...]) -> tuple[lines.Statement, ...]:
        """``recompute S, A``."""
        return (lines.RecomputeLine(names, names[0].at),)

    def split(self, names: tuple[ast.Slot, ...], axis: Token) -> tuple[lines.Statement, ...]:
        """``split h over model``."""
        return (lines.SplitLine(names, self.identifier(axis), at(axis)),)

    def derivative(
        self, word: Token, of: Token, by: tuple[ast.Slot, ...], through: Token | None, doc: Token | None
    ) -> tuple[lines.Statement, ...]:
        """``hessian L by (u, v)``, ``gauss_newton L by w through z``."""
        middle = None if through is None else self.slot(through)
        line = lines.DerivativeLine(str(word), self.slot(of), by, through=middle, doc=prose(doc), at=at(word))
        return (line,)

    def product(self, first: Token, *rest: Any) -> tuple[lines.Statement, ...]:
        """``product jacobian p by z with s``, or ``product s with jacobian p by z``."""
        if first.type == "DERIVATIVE":
            of, by, along, doc = rest
            return (lines.DerivativeLine(str(first), self.slot(of), by, along, doc=prose(doc), at=at(first)),)
        word, of, by, doc = rest
        given, place = (self.slot(first),), at(word)
        return (lines.DerivativeLine(str(word), self.slot(of), by, given, True, doc=prose(doc), at=place),)

    def several(self, found: Token | tuple[ast.Slot, ...]) -> tuple[ast.Slot, ...]:
        """``u``, or ``(u, v)``."""
        return found if isinstance(found, tuple) else (self.slot(found),)

    def name(self, name: Token, of: ast.Gradient) -> tuple[lines.Statement, ...]:
        """``name D = dL/dA``."""
        return (lines.NameLine(self.identifier(name), of, at(name)),)

    def prove(self, left: ast.Expression, right: ast.Expression, doc: Token | None) -> tuple[lines.Statement, ...]:
        """``prove left = right``."""
        return (lines.ClaimLine(left, right, prose(doc), False, left.at),)

    def assume(self, left: ast.Expression, right: ast.Expression, doc: Token | None) -> tuple[lines.Statement, ...]:
        """``assume left = right``."""
        return (lines.ClaimLine(left, right, prose(doc), True, left.at),)

    def use(
        self,
        spec: Token,
        bindings: tuple[lines.Binding, ...] | None,
        prefix: Token,
        giving: tuple[lines.Giving, ...] | None,
    ) -> tuple[lines.Statement, ...]:
        """``use layer_norm(X = H) as ln giving Y as X_norm``."""
        is_path = spec.type == "STRING"
        name = prose(spec) if is_path else self.identifier(spec)
        return (lines.UseLine(name, bindings or (), self.identifier(prefix), giving or (), is_path, at(spec)),)

    def bindings(self, *found: lines.Binding) -> tuple[lines.Binding, ...]:
        """All that is bound."""
        return found

    def binding(self, name: Token, value: ast.Expression) -> lines.Binding:
        """``X = H[(b,s),m]``."""
        return lines.Binding(self.identifier(name), value, at(name))

    def renamings(self, *found: lines.Giving) -> tuple[lines.Giving, ...]:
        """All that gets another name."""
        return found

    def renaming(self, name: Token, given: Token | None, doc: Token | None) -> lines.Giving:
        """``Y as X_norm "doc"``; a bare name stays as it is."""
        own = self.identifier(name)
        return lines.Giving(own, own if given is None else self.identifier(given), prose(doc), at(name))

    def names(self, *tokens: Token) -> tuple[ast.Slot, ...]:
        """Names between commas."""
        return tuple(self.slot(token) for token in tokens)

    def fused(self, *tokens: Token) -> tuple[ast.Slot, ...]:
        """``(h,k)``: the slots of one axis."""
        return self.names(*tokens)

    def slots(self, *axes: ast.Expression | tuple[ast.Slot, ...]) -> Written:
        """``i,(h,k)``: the slots of all axes."""
        found = [axis if isinstance(axis, tuple) else (ast.slot_of(axis),) for axis in axes]
        return tuple(slot for axis in found for slot in axis), ast.plain_or_fused(tuple(len(axis) for axis in found))

    def slot_sum(self, first: ast.Expression, *rest: Any) -> ast.Expression:
        """``i + k - 1``."""
        return self.plus(first, *rest)

    def slot_product(self, first: ast.Expression, *rest: Any) -> ast.Expression:
        """``2*i``."""
        return self.times(first, *rest)

    def slot_negative(self, sign: Token, operand: ast.Expression) -> ast.Expression:
        """``-i``."""
        return self.negate(sign, operand)

    def slot_entry(self, name: Token, written: Written | None) -> ast.Expression:
        """``i``, or ``tok[n]``."""
        return self.entry(name, written)

    def slot_number(self, token: Token) -> ast.Expression:
        """``0``."""
        return self.number(token)

    def entry(self, name: Token, written: Written | None) -> ast.Entry:
        """``A[i,j]``, or a bare name."""
        slots, layout = written or (None, ())
        return ast.Entry(self.identifier(name), slots, at(name), layout)

    def gradient(self, token: Token, written: Written | None) -> ast.Gradient:
        """``dL/dA[i,j]``: the name comes after ``dL/d``."""
        slots, layout = written or (None, ())
        return ast.Gradient(self.identifier(token, token[4:]), slots, at(token), layout)

    def plus(self, first: ast.Expression, *rest: Any) -> ast.Expression:
        """``a + b - c``, flat."""
        parts = [first]
        for sign, part in zip(rest[::2], rest[1::2], strict=True):
            parts.append(ast.Negate(part, at(sign)) if sign == "-" else part)
        return ast.Plus(tuple(parts), first.at)

    def times(self, first: ast.Expression, *rest: Any) -> ast.Expression:
        """``a * b / c``, flat, from left to right."""
        factors = [first]
        for operator, factor in zip(rest[::2], rest[1::2], strict=True):
            factors.append(ast.Over(factor, at(operator)) if operator == "/" else factor)
        return ast.Times(tuple(factors), first.at)

    def negate(self, sign: Token, operand: ast.Expression) -> ast.Expression:
        """``-a``, or ``+a``, which is a."""
        return ast.Negate(operand, at(sign)) if sign == "-" else operand

    def exponential(self, base: ast.Expression, operator: Token, exponent: ast.Expression) -> ast.Expression:
        """``a ^ b``."""
        return ast.Raise(base, exponent, at(operator))

    def number(self, token: Token) -> ast.Expression:
        """An exact number."""
        return ast.Scalar(self.exact(token), at(token))

    def reduce(self, operator: Token, written: Written, body: ast.Expression) -> ast.Expression:
        """``sum[k](...)``."""
        indices, layout = written
        if layout:
            raise self.source.error(f"{operator} lists its indices one by one: {operator}[h,k](...)", at(operator))
        return ast.Reduce(str(operator), indices, body, at(operator))

    def call(self, function: Token, *args: ast.Expression) -> ast.Expression:
        """``exp(...)``."""
        return ast.Call(str(function), args, at(function))

    def bracket(self, relation: ast.Expression) -> ast.Expression:
        """``[i <= j]``: the relation."""
        return relation

    def relation(self, left: ast.Expression, relation: Token, right: ast.Expression, *more: Any) -> ast.Expression:
        """``i <= j``, or ``0 <= i + k < N``, which is two of them."""
        start = left.at or at(relation)
        first = ast.Bracket(ast.slot_of(left), str(relation), ast.slot_of(right), start)
        if len(more) < 2:
            return first
        then, last = more
        return ast.Times((first, ast.Bracket(ast.slot_of(right), str(then), ast.slot_of(last), start)), start)

    def slot(self, token: Token) -> ast.Slot:
        """An index name in its place."""
        return ast.Slot(self.identifier(token), at(token))

    def identifier(self, token: Token, text: str | None = None) -> str:
        """A name in the normal form that Python, too, gives to identifiers."""
        name = str(token) if text is None else text
        if not name.isidentifier():
            raise self.source.error(f"{name} is not a name: use letters, digits and _ (x_1, not x₁ or x²)", at(token))
        return unicodedata.normalize("NFKC", name)

    def exact(self, token: Token) -> sp.Rational:
        """A number as it stands: 0.1 is one tenth."""
        exponent = token.lower().partition("e")[2]
        if len(token) > DIGIT_LIMIT or (exponent and abs(int(exponent)) > EXPONENT_LIMIT):
            raise self.source.error(
                f"this number is too long: at most {DIGIT_LIMIT} characters and exponents to {EXPONENT_LIMIT}",
                at(token),
            )
        return sp.Rational(str(token))
