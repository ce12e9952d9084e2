"""Brackets that stand in the definition of a factor, beside the exponentials that they hide.

``dlse[t] = [1 <= t] * da[t]`` is zero in step 0, so a product with it may read ``a[t-1]`` without the bracket. But what
is read there instead, the nearest entry or one that the step has not made yet, is in an exponential that may overflow,
and zero times infinity is no number. So the bracket is written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.algebra.build import product
from indexcalc.algebra.guards import Given, guarded_entries, guards_of, indices_of_guard, said_by
from indexcalc.algebra.ranges import reads_inside
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Access, Iverson, Term
from indexcalc.codegen.stable.exponents import ONE, has_exponentials, is_negative
from indexcalc.program import Equation


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets that tensors are zero without.

    Attributes:
        definitions: the equations of the tensors.
        known: the brackets of a tensor, under the indices of its equation.
    """

    definitions: Mapping[str, Equation] = field(default_factory=dict)
    known: dict[str, tuple[Iverson, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, equations: Sequence[Equation]) -> Brackets:
        """Those of all tensors that equations define, each after what it reads at its own step."""
        found = cls({equation.name: equation for equation in equations})
        for equation in equations:
            every = [found.of_term(term) for term in equation.terms]
            own = {*equation.slots}
            shared = (one for one in every[0] if all(one in other for other in every)) if every else ()
            found.known[equation.name] = tuple(one for one in shared if {*indices_of_guard(one)} <= own)
        return found

    def of_term(self, term: Term) -> tuple[Iverson, ...]:
        """The brackets that a term is zero without: its own, and those of its factors."""
        own = (guard for guard in guards_of(term) if isinstance(guard, Iverson))
        return tuple(dict.fromkeys((*own, *self.of_factors(term))))

    def of_factors(self, term: Term) -> Iterator[Iverson]:
        """The brackets that the factors of a term are zero without."""
        for base, exponent in term.powers:
            if isinstance(base, Access) and not is_negative(exponent) and self.known.get(base.tensor):
                slots = self.definitions[base.tensor].slots
                if reads_inside(base.slots, slots, said_by(term.bases)):
                    names = dict(zip(slots, base.slots, strict=True))
                    renamed = (rename_base(guard, names) for guard in self.known[base.tensor])
                    yield from (guard for guard in renamed if isinstance(guard, Iverson))

    def beside(self, term: Term) -> Term:
        """The term with those of its factors' brackets with which its exponentials read less outside of tensors."""
        if not has_exponentials((term,)):
            return term
        for guard in self.of_factors(term):
            given = said_by(term.bases)
            if self.outside(term, given) > self.outside(term, (*given, *said_by((guard,)))):
                term = product(term.coeff, (*term.powers, (guard, ONE)), term.summed)
        return term

    def outside(self, term: Term, given: Given) -> int:
        """How many entries of what equations define may lie outside, as far as `given` says."""
        return sum(
            not reads_inside(entry.slots, self.definitions[entry.tensor].slots, (*given, *said))
            for entry, said in guarded_entries((term,))
            if entry.tensor in self.definitions
        )

    def written(self, equations: Sequence[Equation]) -> list[Equation]:
        """The equations with the brackets that they need."""
        return [replace(equation, terms=tuple(map(self.beside, equation.terms))) for equation in equations]
