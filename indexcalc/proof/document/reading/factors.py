"""One factor of a product: names, brackets, fractions, roots, and what scripts on them mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    ANGLE,
    NORM,
    Atom,
    Cases,
    Environment,
    Fraction,
    Group,
    Matrix,
    Node,
    Root,
    Scripted,
    Truth,
)
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import (
    ONE,
    ZERO,
    Applied,
    Number,
    Plus,
    Relation,
    negated,
    times,
)
from indexcalc.proof.document.meaning.sizes import Ix
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.proof.document.reading.bars import barred
from indexcalc.proof.document.reading.binders import RELATIONS, oriented
from indexcalc.proof.document.reading.branches import branched
from indexcalc.proof.document.reading.naming import named_value, power
from indexcalc.proof.document.reading.ones import constant_array
from indexcalc.proof.document.reading.rates import fraction
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.scripts import is_transpose, subscript

DIGIT_LIMIT = 60
"""The most digits of a number."""


def factor(reader: Scope, item: Node) -> Typed:
    """The meaning of one factor."""
    if (constant := constant_array(reader, item)) is not None:
        return with_scripts(reader, *constant)
    found = reader.survey.name(item)
    if found is not None:
        return named_value(reader, found)
    match item:
        case Atom(token):
            return atom(reader, token)
        case Group():
            return grouped(reader, item)
        case Fraction():
            return fraction(reader, item)
        case Root(body):
            return typed.raised(reader.sum(body), Number(sp.Rational(1, 2)))
        case Scripted():
            return scripted(reader, item)
        case Truth():
            return truth(reader, item)
        case Cases():
            return branched(reader, item)
        case Matrix():
            return written_out(reader, item)
        case Environment(name):
            raise NotUnderstoodError(f"a {name} written out is not read")
    raise NotUnderstoodError("a factor that is not read")


def grouped(reader: Scope, item: Group) -> Typed:
    """What stands in brackets: one expression, or the two factors of an inner product."""
    values = [reader.sum(member) for member in item.members]
    if item.bracket == ANGLE and len(values) == 2:
        return typed.inner(values[0], values[1], reader.sizes)
    if len(values) != 1:
        raise NotUnderstoodError("a list in brackets")
    return bracketed(reader, values[0], item.bracket)


def bracketed(reader: Scope, value: Typed, bracket: str) -> Typed:
    """An expression in brackets, which may be bars."""
    if bracket == NORM:
        if len(value.axes) == 2:
            reader.guesses.append("the norm of a matrix is that of Frobenius")
            return typed.norm(value, "F")
        return typed.norm(value)
    if bracket != "|":
        return value
    if len(value.axes) == 2 and reader.symbols.determinants:
        return typed.determinant(value, reader.sizes)
    if value.axes:
        raise NotUnderstoodError("bars around an array: magnitudes, a norm or a determinant?")
    return replace(value, node=Applied("abs", value.node))


def written_out(reader: Scope, item: Matrix) -> Typed:
    """A matrix by its entries; one with a single row or column is a vector."""
    axes = tuple(reader.sizes.measured(length) for length in (len(item.rows), len(item.rows[0])))
    terms = []
    for n, row in enumerate(item.rows, 1):
        for m, cell in enumerate(row, 1):
            value = reader.sum(cell)
            if value.axes:
                raise NotUnderstoodError("a matrix made of blocks")
            marks = [
                Relation(axis, "==", number(reader, axis, place))
                for axis, place, length in zip(axes, (n, m), (len(item.rows), len(item.rows[0])), strict=True)
                if length > 1
            ]
            terms.append(times(*marks, value.node))
    kept = tuple(axis for axis, length in zip(axes, (len(item.rows), len(item.rows[0])), strict=True) if length > 1)
    return Typed(Plus(tuple(terms)), kept, ROW if len(item.rows) == 1 and kept else COLUMN)


def number(reader: Scope, axis: Ix, place: int) -> Ix:
    """The one value of an index on an axis."""
    index = reader.sizes.fresh(str(place), fixed=place)
    reader.sizes.unify(index, axis)
    return index


def truth(reader: Scope, item: Truth) -> Typed:
    """An Iverson bracket of two index letters, or of what is larger and what is smaller, entry by entry."""
    letters = []
    for side in (item.left, item.right):
        only = side.only.items[0] if side.only is not None and len(side.only.items) == 1 else None
        found = reader.survey.name(only) if only is not None else None
        if found is None or found.parts is not None or len(found.name) != 1:
            return larger(reader, item)
        letters.append(reader.letter(found.name))
    left, right = letters
    reader.sizes.unify(left, right)
    relation = {"=": "==", **RELATIONS}.get(item.relation)
    if relation is None:
        raise NotUnderstoodError(f"the relation {item.relation} in a bracket")
    if left == right:
        return Typed(ONE if relation in ("==", "<=", ">=") else ZERO)
    return Typed(Relation(*oriented(left, relation, right)))


def larger(reader: Scope, item: Truth) -> Typed:
    """One where one number is larger than another, else zero; where they are equal, nothing is said."""
    if item.relation in ("=", "!="):
        raise NotUnderstoodError("a bracket with an equality that is not between two indices")
    above, below = (item.left, item.right) if item.relation in (">", ">=") else (item.right, item.left)
    taken = reader.sum(below)
    gap = typed.added([reader.sum(above), replace(taken, node=negated(taken.node))], reader.sizes)
    return replace(gap, node=Applied("step", gap.node))


def atom(reader: Scope, token: Token) -> Typed:
    """The meaning of one token."""
    if token.kind == "NUM":
        if len(token.text) > DIGIT_LIMIT:
            raise NotUnderstoodError(f"a number of more than {DIGIT_LIMIT} digits")
        return Typed(Number(sp.Rational(token.text)))
    reasons = {"DOTS": "an ellipsis", "TEXT": f"the words “{token.text}”", "REALS": "a set", "COLON": "a colon"}
    raise NotUnderstoodError(reasons.get(token.kind, f"“{token.text}” is not read"))


def scripted(reader: Scope, item: Scripted) -> Typed:
    """Scripts on a bracket, a fraction or a number: entries, transposes, powers."""
    if isinstance(item.base, Group) and item.base.bracket == NORM and item.below:
        value = typed.norm(reader.sum(item.base.members[0]), "".join(token.text for token in item.below))
        item = replace(item, below=())
    else:
        value = factor(reader, item.base)
        if isinstance(item.base, Group) and item.base.bracket == ANGLE and [t.text for t in item.below] == ["F"]:
            item = replace(item, below=())
    return with_scripts(reader, value, item)


def with_scripts(reader: Scope, value: Typed, item: Scripted) -> Typed:
    """The transposes, entries and powers of a value, as the scripts behind it say."""
    if item.along:
        return barred(reader, value, item.along)
    powers = []
    for tokens in item.above:
        if is_transpose(tokens):
            value = typed.transpose(value)
        else:
            powers.append(tokens)
    if [token.kind for token in item.below] == ["PLUS"]:
        value = replace(value, node=Applied("relu", value.node))
    elif item.below:
        value = entries(reader, value, item.below)
    for tokens in powers:
        value = power(reader, value, tokens)
    if item.primes:
        raise NotUnderstoodError("a prime on an expression")
    return value


def entries(reader: Scope, value: Typed, tokens: Sequence[Token]) -> Typed:
    """The entries of an expression in brackets."""
    found = index_parts(reader, tokens)
    return typed.at(value, tuple(reader.place(part) for part in found), reader.sizes)


def index_parts(reader: Scope, tokens: Sequence[Token]) -> tuple[str, ...]:
    """The parts of a subscript that must be an index."""
    found = subscript(tokens)
    if found.label or found.unreadable:
        raise NotUnderstoodError(f"the subscript {found.label or '?'} on an expression")
    return found.parts
