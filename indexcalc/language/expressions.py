"""Syntax tree of an expression to terms: where a formula is linear, where a composite needs a name.

The expression has passed `check_expression`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

import sympy as sp

from indexcalc.algebra.build import access, as_factor, product, scalar, scalar_value, scale, sum_over
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import ONE, Delta, Fn, Iverson, MatrixFunction, Term, Terms, free_indices, index_names
from indexcalc.calculus import pointwise
from indexcalc.language.arithmetic import Arithmetic, joined
from indexcalc.language.checks import is_delta
from indexcalc.language.hoist import hoist_broadcast
from indexcalc.language.stems import ARGUMENT, DENOMINATOR, alone, entry_of
from indexcalc.language.sugar import COMPOSITES, EXTREMES, LINEAR, expand_sugar
from indexcalc.language.syntax import (
    At,
    Bracket,
    Call,
    Entry,
    Expression,
    ExtentOf,
    Gradient,
    Negate,
    Over,
    Plus,
    Raise,
    Reduce,
    Scalar,
    Times,
    children,
)
from indexcalc.language.values import SCALAR_FUNCTIONS, applied, checked

LOGARITHMS = frozenset({"log"})
"""Functions whose summed argument is named as a denominator is: the Z of a log-sum-exp."""


@dataclass
class Lowering(Arithmetic):
    """The lowering of the expressions of one equation; equal subtrees are lowered once."""

    lowered: dict[int, tuple[Expression, Terms]] = field(default_factory=dict)

    def side(self, node: Expression) -> Terms:
        """A whole side of an equation or a claim: a composite that stands alone is written out."""
        if isinstance(node, Reduce) and node.operator in COMPOSITES:
            with self.scope.source.located(node.at):
                return self.written_out(node)
        if isinstance(node, Reduce) and node.operator == "det":
            return self.of_matrix(node)
        return self.summands(node)

    def summands(self, node: Expression) -> Terms:
        """The value of what is only added up and summed over, where no sum needs a name unless it is read broadcast."""
        with self.scope.source.located(node.at):
            match node:
                case Plus(parts=parts):
                    return joined(hoist_broadcast(self.added(addends(parts)), ARGUMENT, self.names))
                case Negate(operand=operand):
                    return scale(self.summands(operand), -sp.S.One)
                case Times(factors=factors):
                    return self.scaled(factors)
                case Reduce(operator="sum"):
                    return self.sum(node, self.summands(node.body))
                case Reduce(operator=operator) if operator in LINEAR:
                    terms = self.written_out(node)
                    held = self.names.find(terms)
                    return terms if held is None else (access(held.tensor, *held.slots),)
        return self.terms(node)

    def added(self, parts: Sequence[Expression]) -> list[Terms]:
        """The parts of a sum in a linear place; a mean or the like that is read broadcast has its name."""
        found = [self.summands(part) for part in parts]
        free = set(free_indices(tuple(term for terms in found for term in terms)))
        return [
            self.terms(part) if set(free_indices(terms)) != free and self.is_statistic(part) else terms
            for part, terms in zip(parts, found, strict=True)
        ]

    def is_statistic(self, node: Expression) -> bool:
        """Whether the expression is a composite that is a plain sum, with a sign or a scalar in front of it."""
        match node:
            case Negate(operand=operand):
                return self.is_statistic(operand)
            case Times(factors=factors):
                tensors = [factor for factor in factors if self.holds_tensor(factor)]
                return len(tensors) == 1 and self.is_statistic(tensors[0])
        return isinstance(node, Reduce) and node.operator in LINEAR

    def scaled(self, factors: tuple[Expression, ...]) -> Terms:
        """A product in a linear place: all factors but one may be scalars, which need no name for what they scale."""
        tensors = [factor for factor in factors if self.holds_tensor(factor)]
        alone = len(tensors) == 1
        parts = [self.summands(factor) if alone and factor is tensors[0] else self.terms(factor) for factor in factors]
        return reduce(self.multiply, parts if alone else map(self.one_factor, parts))

    def terms(self, node: Expression) -> Terms:
        """The value of the expression, as a sum of terms in authored order."""
        known = self.lowered.get(id(node))
        if known is None:
            with self.scope.source.located(node.at):
                known = (node, self.lower(node))
            self.lowered[id(node)] = known
        return known[1]

    def lower(self, node: Expression) -> Terms:
        """An operation on other expressions, by its kind."""
        match node:
            case Plus(parts=parts):
                return joined([self.terms(part) for part in parts])
            case Negate(operand=operand):
                return scale(self.terms(operand), -sp.S.One)
            case Times(factors=factors):
                return reduce(self.multiply, [self.one_factor(self.terms(factor)) for factor in factors])
            case Over(operand=operand, at=at):
                return self.power(self.terms(operand), -sp.S.One, at)
            case Raise(base=base, exponent=exponent, at=at):
                return self.raised(base, exponent, at)
            case Reduce(operator=operator) if operator in COMPOSITES:
                return self.composite(node)
            case Reduce(operator="det"):
                return self.named_determinant(node)
            case Reduce(operator="logdet" | "cholesky"):
                return self.of_matrix(node)
            case Reduce():
                return self.sum(node, self.terms(node.body))
            case Call():
                return self.call(node)
            case _:
                return self.leaf(node)

    def leaf(self, node: Scalar | ExtentOf | Entry | Gradient | Bracket) -> Terms:
        """What holds no other expression."""
        match node:
            case Scalar(value=value, at=at):
                return scalar(checked(self.scope.own_symbols(value, at)))
            case ExtentOf(index=index):
                return scalar(self.scope.index(index).extent)
            case Entry():
                return self.entry(node)
            case Gradient():
                entry = self.scope.gradient(node)
                return (access(entry.tensor, *entry.slots),)
            case Bracket():
                return self.bracket(node)

    def entry(self, node: Entry) -> Terms:
        """A tensor's entry, Kronecker's delta, or a bare name."""
        if node.slots is None:
            found = self.scope.scalar(node)
            return scalar(found) if isinstance(found, sp.Expr) else (access(found.tensor),)
        if is_delta(node, self.scope):
            left, right = (self.scope.slot(slot) for slot in node.slots)
            return self.nonzero(Delta(left, right))
        return (access(node.name, *(self.scope.slot(slot) for slot in node.slots)),)

    def bracket(self, node: Bracket) -> Terms:
        """An Iverson bracket; ``==`` is a delta, and ``>`` is ``<`` read backwards."""
        left, right = self.scope.slot(node.left), self.scope.slot(node.right)
        if node.relation == "==":
            return self.nonzero(Delta(left, right))
        if left == right:
            return scalar(1 if node.relation in ("<=", ">=") else 0)
        if node.relation in (">", ">="):
            return self.nonzero(Iverson(right, node.relation.replace(">", "<"), left))
        return self.nonzero(Iverson(left, node.relation, right))

    def nonzero(self, base: Delta | Iverson) -> Terms:
        """A delta or bracket; nothing where it is zero for all indices."""
        found = product(1, ((base, sp.S.One),))
        return () if found.coeff == 0 else (found,)

    def sum(self, node: Reduce, body: Terms) -> Terms:
        """The sum over new dummies of every term of the body."""
        bound = tuple(self.scope.index(slot) for slot in node.indices)
        names = {index.name for index in bound}
        return sum_over(tuple(self.apart(term, names) for term in body), bound)

    def of_matrix(self, node: Reduce) -> Terms:
        """``det[i,j](A[n,i,j])``, ``logdet`` or ``cholesky``, of a tensor whose last two slots are these."""
        assert isinstance(node.body, Entry)
        slots = tuple(self.scope.slot(slot) for slot in node.body.slots or ())
        extent = self.scope.index(node.indices[0]).extent
        match node.operator:
            case "cholesky" as word:
                found = MatrixFunction(node.body.name, slots, node.inverse, extent, word)
            case "det" | "logdet" as word:
                found = MatrixFunction(node.body.name, slots[:-2], node.inverse, extent, word)
            case _:
                raise AssertionError(f"{node.operator} is written out")
        return (Term(sp.S.One, ((found, sp.S.One),)),)

    def named_determinant(self, node: Reduce) -> Terms:
        """A determinant inside a larger expression, under the name of an equation that it gets.

        Its derivative reads it again. Under a name, it is computed once.
        """
        terms = self.of_matrix(node)
        entry = self.names.name(terms, "det", self.described(entry_of(self.terms(node.body)), "det"))
        return terms if entry is None else (access(entry.tensor, *entry.slots),)

    def composite(self, node: Reduce) -> Terms:
        """A composite inside a larger expression, under the name of an equation that it gets."""
        terms = self.written_out(node)
        if entry_of(terms) is not None or scalar_value(terms) is not None:
            return terms
        word = COMPOSITES[node.operator]
        stem = "" if node.operator in LINEAR else self.described(entry_of(self.terms(node.body)), word)
        entry = self.names.name(terms, alone(word), stem)
        return terms if entry is None else (access(entry.tensor, *entry.slots),)

    def written_out(self, node: Reduce) -> Terms:
        """What the composite stands for, as a side of an equation: it may become one under a name."""
        if node.operator in EXTREMES:
            return self.extreme(node, EXTREMES[node.operator])
        return self.summands(expand_sugar(node))

    def extreme(self, node: Reduce, sign: int) -> Terms:
        """The largest entry along the indices, for the sign 1, or the smallest: see `EXTREMES`."""
        bound = tuple(self.scope.index(slot) for slot in node.indices)
        # A side of an equation: there a sum over an index that other terms have as well has a name.
        entries = self.one_entry(self.summands(node.body), node.at)
        others = self.twins(bound, {*index_names(entries), *(index.name for index in self.names.order)})
        above = scale((*substitute(entries, others), *scale(entries, -sp.S.One)), sp.Integer(sign))
        larger = Term(sp.S.One, ((Fn("step", (above,)), sp.S.One),))
        rank = self.described(entry_of(entries), "rank")
        count = self.without_sums(sum_over((larger,), tuple(others.values())), rank, node.at)
        marks = (*ONE, *scale((Term(sp.S.One, ((Fn("step", (count,)), sp.S.One),)),), -sp.S.One))
        total = sum_over(self.multiply(marks, entries), bound)
        ties = self.described(entry_of(entries), "ties")
        number = self.without_sums(sum_over((as_factor(marks),), bound), ties, node.at)
        return self.multiply(total, self.power(number, -sp.S.One, node.at))

    def call(self, node: Call) -> Terms:
        """A pointwise function; a larger or smaller one of several is one of two, and one of two, and so on."""
        args = [self.terms(argument) for argument in node.args]
        match node.function:
            case "sqrt":
                return self.power(args[0], sp.Rational(1, 2), node.at)
            case "pow":
                base, exponent = node.args
                return self.raised(base, exponent, node.at)
            case "clip":
                value, low, high = args
                return self.function("min", [self.function("max", [value, low], node.at), high], node.at)
            case "where" if (one := scalar_value(args[1])) is not None and (other := scalar_value(args[2])) is not None:
                # Two numbers to choose from say nothing of the dtype of arrays.
                return joined([args[2], scale(self.function("step", args[:1], node.at), one - other)])
            case "where" if scalar_value(args[0]) is not None:
                # A number decides for all entries.
                sides = (
                    self.function("step", args[:1], node.at),
                    self.function("reach", [scale(args[0], -sp.S.One)], node.at),
                )
                parts = [self.multiply(holds, self.one_factor(arg)) for holds, arg in zip(sides, args[1:], strict=True)]
                return joined(parts)
            case "max" | "min":
                # max(0, x) is max(x, 0): where both are equal, the number is the larger one.
                first, *rest = sorted(args, key=lambda arg: scalar_value(arg) is not None)
                return reduce(lambda one, other: self.function(node.function, [one, other], node.at), rest, first)
        return self.function(node.function, args, node.at)

    def function(self, name: str, args: Sequence[Terms], at: At | None) -> Terms:
        """A function of the table: of a scalar, of arguments without sums, or of some whose sums get names."""
        value = scalar_value(args[0])
        if value is not None and name in SCALAR_FUNCTIONS:
            return scalar(applied(name, value))
        place = DENOMINATOR if name in LOGARITHMS else ARGUMENT
        return pointwise.applied(name, tuple(self.without_sums(arg, place, at) for arg in args))

    def raised(self, base: Expression, exponent: Expression, at: At | None) -> Terms:
        """A power: of the algebra under a scalar exponent, an exponential over a scalar base, else a function."""
        below, above = self.terms(base), self.terms(exponent)
        value = scalar_value(above)
        if value is not None:
            return self.power(below, value, at)
        number = scalar_value(below)
        if number is not None and number.is_positive:
            return self.function("exp", [scale(above, applied("log", number))], at)
        return self.function("pow", [below, above], at)

    def holds_tensor(self, node: Expression) -> bool:
        """Whether the expression is more than a scalar of extents and parameters."""
        match node:
            case Entry(slots=None):
                return not isinstance(self.scope.scalar(node), sp.Expr)
            case Scalar() | ExtentOf():
                return False
        return not children(node) or any(self.holds_tensor(child) for child in children(node))


def addends(parts: Iterable[Expression]) -> tuple[Expression, ...]:
    """What a sum adds up, sums inside it taken apart."""
    found: list[Expression] = []
    for part in parts:
        match part:
            case Plus(parts=inner):
                found.extend(addends(inner))
            case Negate(operand=Plus(parts=inner), at=at):
                found.extend(addends(Negate(one, at) for one in inner))
            case Negate(operand=Negate(operand=operand)):
                found.extend(addends((operand,)))
            case _:
                found.append(part)
    return tuple(found)
