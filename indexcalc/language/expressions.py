"""Syntax tree of an expression to terms: binders are kept apart, sums in non-linear places get names.

The expression has passed `check_expression`; what can still go wrong here is a matter of values,
such as a division by zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import reduce

import sympy as sp

from indexcalc.algebra.build import EXPANSION_LIMIT, access, as_factor, is_one, power, product, scalar, scale, sum_over
from indexcalc.algebra.renaming import fresh_names, rename_bound, substitute
from indexcalc.algebra.terms import ONE, Access, Delta, Fn, Index, Iverson, Term, Terms, index_names
from indexcalc.errors import LimitError
from indexcalc.language.checks import is_delta
from indexcalc.language.hoist import SumNames, hoist, hoist_broadcast
from indexcalc.language.scope import Scope
from indexcalc.language.stems import ARGUMENT, DENOMINATOR, described, entry_of
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
from indexcalc.language.values import SCALAR_FUNCTIONS, applied, check_exponent, checked, raised

LOGARITHMS = frozenset({"log"})
"""Functions whose summed argument is named as a denominator is: the Z of a log-sum-exp."""


@dataclass
class Lowering:
    """The lowering of the expressions of one equation; equal subtrees are lowered once."""

    scope: Scope
    names: SumNames
    lowered: dict[int, tuple[Expression, Terms]] = field(default_factory=dict)

    def side(self, node: Expression) -> Terms:
        """A whole side of an equation or a claim: a composite that stands alone is written out."""
        if isinstance(node, Reduce) and node.operator in COMPOSITES:
            with self.scope.source.located(node.at):
                return self.written_out(node)
        return self.summands(node)

    def summands(self, node: Expression) -> Terms:
        """The value of what is only added up and summed over, where no sum needs a name unless it is read broadcast."""
        with self.scope.source.located(node.at):
            match node:
                case Plus(parts=parts):
                    return hoist_broadcast(joined([self.summands(part) for part in parts]), ARGUMENT, self.names)
                case Negate(operand=operand):
                    return scale(self.summands(operand), -sp.S.One)
                case Times(factors=factors):
                    return self.scaled(factors)
                case Reduce(operator="sum"):
                    return self.sum(node, self.summands(node.body))
                case Reduce(operator=operator) if operator in LINEAR:
                    return self.written_out(node)
        return self.terms(node)

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
                return self.power(self.terms(base), self.constant(exponent, "an exponent"), at)
            case Reduce(operator=operator) if operator in COMPOSITES:
                return self.composite(node)
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
            left, right = (self.scope.index(slot) for slot in node.slots)
            return (product(1, ((Delta(left, right), sp.S.One),)),)
        return (access(node.name, *(self.scope.index(slot) for slot in node.slots)),)

    def bracket(self, node: Bracket) -> Terms:
        """An Iverson bracket; ``==`` is a delta, and ``>`` is ``<`` read backwards."""
        left, right = self.scope.index(node.left), self.scope.index(node.right)
        if node.relation == "==":
            return (product(1, ((Delta(left, right), sp.S.One),)),)
        if left == right:
            return scalar(1 if node.relation in ("<=", ">=") else 0)
        if node.relation in (">", ">="):
            return (product(1, ((Iverson(right, node.relation.replace(">", "<"), left), sp.S.One),)),)
        return (product(1, ((Iverson(left, node.relation, right), sp.S.One),)),)

    def sum(self, node: Reduce, body: Terms) -> Terms:
        """The sum over new dummies of every term of the body."""
        bound = tuple(self.scope.index(slot) for slot in node.indices)
        names = {index.name for index in bound}
        return sum_over(tuple(self.apart(term, names) for term in body), bound)

    def composite(self, node: Reduce) -> Terms:
        """A composite inside a larger expression, under the name of an equation that it gets."""
        terms = self.written_out(node)
        if entry_of(terms) is not None or scalar_value(terms) is not None:
            return terms
        word = COMPOSITES[node.operator]
        stem = "" if node.operator in LINEAR else self.described(entry_of(self.terms(node.body)), word)
        entry = self.names.name(terms, word, stem)
        return terms if entry is None else (access(entry.tensor, *entry.slots),)

    def written_out(self, node: Reduce) -> Terms:
        """What the composite stands for."""
        if node.operator in EXTREMES:
            return self.extreme(node, EXTREMES[node.operator])
        return self.summands(expand_sugar(node))

    def extreme(self, node: Reduce, sign: int) -> Terms:
        """The largest entry along the indices, for the sign 1, or the smallest: see `EXTREMES`."""
        bound = tuple(self.scope.index(slot) for slot in node.indices)
        entries = self.one_entry(self.terms(node.body), node.at)
        others = self.twins(bound, {*index_names(entries), *(index.name for index in self.names.order)})
        above = scale((*substitute(entries, others), *scale(entries, -sp.S.One)), sp.Integer(sign))
        larger = Term(sp.S.One, ((Fn("step", above), sp.S.One),))
        rank = self.described(entry_of(entries), "rank")
        count = self.without_sums(sum_over((larger,), tuple(others.values())), rank, node.at)
        marks = (*ONE, *scale((Term(sp.S.One, ((Fn("step", count), sp.S.One),)),), -sp.S.One))
        total = sum_over(self.multiply(marks, entries), bound)
        ties = self.described(entry_of(entries), "ties")
        number = self.without_sums(sum_over((as_factor(marks),), bound), ties, node.at)
        return self.multiply(total, self.power(number, -sp.S.One, node.at))

    def described(self, body: Access | None, word: str) -> str:
        """``X_max``, for a generated name."""
        return described(body, word, self.names.generated)

    def call(self, node: Call) -> Terms:
        """A pointwise function: of a scalar, of an argument without sums, or of one whose sums get names."""
        argument, *constants = self.constant_last(node.args)
        terms = self.terms(argument)
        if node.function == "sqrt":
            return self.power(terms, sp.Rational(1, 2), node.at)
        params = tuple(self.constant(constant, f"the second argument of {node.function}") for constant in constants)
        value = scalar_value(terms)
        if value is not None and node.function in SCALAR_FUNCTIONS:
            return scalar(applied(node.function, value))
        place = DENOMINATOR if node.function in LOGARITHMS else ARGUMENT
        return (Term(sp.S.One, ((Fn(node.function, self.without_sums(terms, place, node.at), params), sp.S.One),)),)

    def constant_last(self, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """``max(0, x)`` is ``max(x, 0)``."""
        if (
            len(args) == 2
            and scalar_value(self.terms(args[0])) is not None
            and scalar_value(self.terms(args[1])) is None
        ):
            return (args[1], args[0])
        return args

    def power(self, terms: Terms, exponent: sp.Expr, at: At | None) -> Terms:
        """``terms ** exponent``."""
        value = scalar_value(terms)
        if value is not None:
            return scalar(raised(value, exponent))
        check_exponent(exponent)
        if exponent == 1:
            return terms
        if exponent == 0:
            return ONE
        bare = self.without_sums(terms, DENOMINATOR if exponent.is_negative else ARGUMENT, at)
        if len(bare) == 1:
            raised(bare[0].coeff, exponent)
        return (power(bare, exponent),)

    def without_sums(self, terms: Terms, place: str, at: At | None) -> Terms:
        """The terms with their sums named."""
        named = hoist(terms, place, self.names)
        if named is None:
            raise self.scope.source.error("this sum has no name here; give it one by an equation", at)
        return named

    def one_entry(self, terms: Terms, at: At | None) -> Terms:
        """The terms as one entry of a tensor: equal entries are equal to the last digit only if they have a name."""
        if len(terms) == 1 and terms[0].coeff == 1 and not terms[0].summed:
            powers = terms[0].powers
            if len(powers) == 1 and isinstance(powers[0][0], Access) and powers[0][1] == 1:
                return terms
        entry = self.names.name(terms, ARGUMENT)
        if entry is None:
            raise self.scope.source.error("these entries have no name here; give them one by an equation", at)
        return (access(entry.tensor, *entry.slots),)

    def constant(self, node: Expression, role: str) -> sp.Expr:
        """The value of a scalar expression."""
        value = scalar_value(self.terms(node))
        if value is None:
            raise self.scope.source.error(f"{role} is a scalar: a number, an extent or a parameter", node.at)
        return value

    def multiply(self, left: Terms, right: Terms) -> Terms:
        """The product, distributed only over terms that hold sums over indices themselves."""
        if is_one(left) or is_one(right):
            return right if is_one(left) else left
        lefts, rights = factors_of(left), factors_of(right)
        if len(lefts) * len(rights) > EXPANSION_LIMIT:
            raise LimitError(f"multiplying out gives more than {EXPANSION_LIMIT} terms")
        return tuple(self.times(one, other) for one in lefts for other in rights)

    def one_factor(self, terms: Terms) -> Terms:
        """A sum of several terms as one factor, its sums over indices named; as it is where they may get no name."""
        if len(terms) < 2 or not any(term.summed for term in terms):
            return terms
        named = hoist(terms, ARGUMENT, self.names)
        return terms if named is None else (as_factor(named),)

    def holds_tensor(self, node: Expression) -> bool:
        """Whether the expression is more than a scalar of extents and parameters."""
        match node:
            case Entry(slots=None):
                return not isinstance(self.scope.scalar(node), sp.Expr)
            case Scalar() | ExtentOf():
                return False
        return not children(node) or any(self.holds_tensor(child) for child in children(node))

    def times(self, left: Term, right: Term) -> Term:
        """The product of two closed terms, their dummies named apart as an author would."""
        bound = {index.name for index in right.summed}
        left = self.apart(left, index_names(right) - bound)
        right = self.apart(right, index_names(left))
        powers = left.powers + right.powers
        return product(checked(left.coeff * right.coeff), powers, left.summed + right.summed)

    def apart(self, term: Term, avoid: Collection[str]) -> Term:
        """The term with dummies renamed where they are in `avoid`: declared names first, then new ones."""
        clashing = [index for index in term.summed if index.name in avoid]
        if not clashing:
            return term
        return rename_bound(term, self.twins(clashing, {*avoid, *index_names(term)}))

    def twins(self, indices: Iterable[Index], avoid: Collection[str]) -> dict[Index, Index]:
        """For each index another of its extent, not in `avoid`: declared names first, then new ones."""
        used = set(avoid)
        fresh = fresh_names({*used, *self.scope.indices})
        renaming: dict[Index, Index] = {}
        for index in indices:
            declared = (i.name for i in self.scope.indices.values() if i.extent == index.extent and i.name not in used)
            name = next(declared, None) or next(fresh)
            used.add(name)
            renaming[index] = Index(name, index.extent)
        return renaming


def scalar_value(terms: Terms) -> sp.Expr | None:
    """The scalar that the terms are, if they hold no tensor."""
    if any(term.powers for term in terms):
        return None
    return sp.Add(*(term.coeff for term in terms))


def joined(parts: list[Terms]) -> Terms:
    """The sum of sums; scalars alone are added up."""
    terms = tuple(term for part in parts for term in part)
    value = scalar_value(terms)
    return terms if value is None else scalar(checked(value))


def factors_of(terms: Terms) -> Terms:
    """A sum without sums over indices is one factor; else its terms are multiplied one by one."""
    if len(terms) < 2 or any(term.summed for term in terms):
        return terms
    return (as_factor(terms),)
