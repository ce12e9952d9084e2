"""Arithmetic of lowered formulas: dummies are kept apart, sums in non-linear places get names.

What can go wrong here is a matter of values, such as a division by zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import EXPANSION_LIMIT, access, as_factor, is_one, power, product, scalar, scalar_value
from indexcalc.algebra.renaming import fresh_names, rename_bound
from indexcalc.algebra.terms import ONE, Access, Index, Term, Terms, index_names
from indexcalc.errors import LimitError
from indexcalc.language.hoist import SumNames, hoist
from indexcalc.language.scope import Scope
from indexcalc.language.stems import ARGUMENT, DENOMINATOR, described, entry_of
from indexcalc.language.syntax import At
from indexcalc.language.values import check_exponent, checked, raised


@dataclass
class Arithmetic:
    """Products and powers in one equation, with the names that are in use there."""

    scope: Scope
    names: SumNames

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

    def times(self, left: Term, right: Term) -> Term:
        """The product of two closed terms, their dummies named apart as an author would."""
        bound = {index.name for index in right.summed}
        left = self.apart(left, index_names(right) - bound)
        right = self.apart(right, index_names(left))
        powers = left.powers + right.powers
        return product(checked(left.coeff * right.coeff), powers, left.summed + right.summed)

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
        if entry_of(terms) is not None:
            return terms
        entry = self.names.name(terms, ARGUMENT)
        if entry is None:
            raise self.scope.source.error("these entries have no name here; give them one by an equation", at)
        return (access(entry.tensor, *entry.slots),)

    def described(self, body: Access | None, word: str) -> str:
        """``X_max``, for a generated name."""
        return described(body, word, self.names.generated)

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


def joined(parts: Sequence[Terms]) -> Terms:
    """The sum of sums; scalars alone are added up."""
    terms = tuple(term for part in parts for term in part)
    value = scalar_value(terms)
    return terms if value is None else scalar(checked(value))


def factors_of(terms: Terms) -> Terms:
    """A sum without sums over indices is one factor; else its terms are multiplied one by one."""
    if len(terms) < 2 or any(term.summed for term in terms):
        return terms
    return (as_factor(terms),)
