"""Bounds of exponents: the largest exponent over some indices, and what its subtraction leaves.

A `Bound` ``m[i]`` of ``exp(S[i,l])`` over l is at least as large as each ``S[i,l]``, so ``exp(S[i,j]) * exp(m[i])^-1``
is ``exp(S[i,j] - m[i])``, which never overflows. A logarithm of a sum of exponentials is a bound too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.match import Binding, match_base
from indexcalc.algebra.renaming import rename_base, rename_body
from indexcalc.algebra.terms import Access, Base, Delta, Fn, Index, Iverson, Power, Term, Terms, free_indices
from indexcalc.codegen.stable.exponents import ONE, argument_of, exponential, exponents_of, is_negative, is_open

Mask = Delta | Iverson


@dataclass(frozen=True, slots=True)
class Bound:
    """``name[slots] = max[over](exponent)`` where no guard is zero.

    Attributes:
        name: the tensor.
        slots: its slots.
        over: the indices that the largest is taken over.
        exponents: the exponentials, taken apart.
        guards: the deltas, brackets and weights of the sum that it is taken for: where one is zero the exponent
            does not count, for it may be huge.
        hidden: the name of the exponent with minus infinity where a guard is zero; empty without guards.
        given: whether it is a tensor of the program, the logarithm of the sum of these exponentials.
        depth: how many bounds deep its exponentials rest on others.
    """

    name: str
    slots: tuple[Index, ...]
    over: tuple[Index, ...]
    exponents: tuple[Power, ...]
    guards: tuple[Base, ...] = ()
    hidden: str = ""
    given: bool = False
    depth: int = 0

    @property
    def entry(self) -> Access:
        """The general entry."""
        return Access(self.name, self.slots)

    @property
    def argument(self) -> Terms:
        """The exponent."""
        return argument_of(self.exponents)

    @property
    def axes(self) -> tuple[Index, ...]:
        """The indices of the exponent and of its guards."""
        guards = Term(ONE, tuple((guard, ONE) for guard in self.guards))
        return tuple(dict.fromkeys((*free_indices(self.argument), *free_indices((guards,)))))

    @property
    def compared(self) -> Terms:
        """What the largest is taken of: the exponent, hidden where a guard is zero."""
        return (Term(ONE, ((Access(self.hidden, self.axes), ONE),)),) if self.hidden else self.argument


Bounds = Mapping[str, Bound]


@dataclass(frozen=True, slots=True)
class Pair:
    """A bound met in a product: `times` its exponentials over as many of its own."""

    bound: Bound
    binding: Mapping[Index, Index]
    times: sp.Expr
    factor: Base


def paired(term: Term, bounds: Bounds) -> Term:
    """The term with every exponential over its bound as one exponential of a difference."""
    while (found := next(pairs(term, bounds), None)) is not None:
        term = with_difference(term, found)
    return term


def pairs(term: Term, bounds: Bounds) -> Iterator[Pair]:
    """The bounds that divide exponentials that they bound; those that rest on others first."""
    below = [(bound_of(base), base, -e) for base, e in term.powers if is_open((base, e)) and is_negative(e)]
    known = [(entry, base, times) for entry, base, times in below if entry is not None and entry.tensor in bounds]
    for entry, base, times in sorted(known, key=lambda found: -bounds[found[0].tensor].depth):
        bound = bounds[entry.tensor]
        start = dict(zip(bound.slots, entry.slots, strict=True))
        above = [power for power in exponents_of(term.powers) if power[0] != base]
        for count in dict.fromkeys((times, ONE) if times.is_Integer else (times,)):
            for binding in matched(bound.exponents, above, start, count):
                if all(index in binding for index in bound.over):
                    yield Pair(bound, binding, count, base)


def bound_of(base: Base) -> Access | None:
    """The tensor of ``exp(tensor)``."""
    assert isinstance(base, Fn)
    powers = base.arg[0].powers
    entry = powers[0][0] if len(powers) == 1 and powers[0][1] == 1 else None
    return entry if isinstance(entry, Access) else None


def matched(pattern: Sequence[Power], powers: Sequence[Power], binding: Binding, times: sp.Expr) -> Iterator[Binding]:
    """Every way in which the powers hold the pattern `times` times."""
    if not pattern:
        yield binding
        return
    base, exponent = pattern[0]
    for place, (candidate, there) in enumerate(powers):
        ratio = there / (times * exponent)
        if ratio == 1 or (ratio.is_Rational and ratio >= 1):
            for extended in match_base(base, candidate, binding):
                yield from matched(pattern[1:], [*powers[:place], *powers[place + 1 :]], extended, times)


def with_difference(term: Term, pair: Pair) -> Term:
    """The exponentials of a pair as ``exp(argument - bound)``; masks that hide in the argument are gone."""
    bound, binding = pair.bound, pair.binding
    entry = rename_base(bound.entry, binding)
    guards = [rename_base(guard, binding) for guard in bound.guards]
    hides = bool(bound.hidden) and holds(term, guards)
    argument = rename_body(bound.compared if hides else bound.argument, binding)
    closed = Fn("exp", (*argument, Term(-ONE, ((entry, ONE),))))
    gone = [(rename_base(base, binding), -exponent * pair.times) for base, exponent in bound.exponents]
    masks = {guard for guard in guards if isinstance(guard, Mask)} if hides else set()
    first = next(n for n, (base, _) in enumerate(term.powers) if base in {base for base, _ in gone} or base == pair.factor)
    kept = [power for power in term.powers if power[0] not in masks]
    place = first - sum(1 for power in term.powers[:first] if power[0] in masks)
    powers = (*kept[:place], (closed, pair.times), *kept[place:], *gone, (pair.factor, pair.times))
    return product(term.coeff, powers, term.summed)


def holds(term: Term, guards: Collection[Base]) -> bool:
    """Whether every guard is a factor of the term."""
    above = {base for base, exponent in term.powers if not is_negative(exponent)}
    return all(guard in above for guard in guards)


def is_tight(term: Term, bounds: Bounds) -> bool:
    """Whether the largest exponential of a sum is exactly 1: its own sums are those that its bound was taken over."""
    found = next(pairs(term, bounds), None)
    return found is not None and all(found.binding[index] in term.summed for index in found.bound.over)


def find_bound(term: Term, bounds: Bounds, weights: Collection[Base] | None) -> Access | None:
    """The entry of a bound of the exponentials of a sum, if there is one already.

    Args:
        term: the sum, its exponentials taken apart.
        bounds: those that are known.
        weights: the factors that must guard it; None if the guards of the bound need only be among the factors.
    """
    above = exponents_of(term.powers)
    for bound in reversed(tuple(bounds.values())):
        if bound.given or len(bound.exponents) != len(above):
            continue
        for binding in matched(bound.exponents, above, {}, ONE):
            entry = entry_under(bound, binding, term, weights)
            if entry is not None:
                return entry
    return None


def entry_under(bound: Bound, binding: Mapping[Index, Index], term: Term, weights: Collection[Base] | None) -> Access | None:
    """The bound under the names of a sum; None if it is the largest of something else."""
    if any(index not in binding for index in (*bound.over, *bound.slots)):
        return None
    exact = all(dict(term.powers)[rename_base(base, binding)] == exponent for base, exponent in bound.exponents)
    images = [binding[index] for index in bound.over]
    others = [binding[index] for index in bound.slots]
    if not exact or any(image not in term.summed for image in images) or any(other in term.summed for other in others):
        return None
    guards = [rename_base(guard, binding) for guard in bound.guards]
    masks = [base for base in term.bases if isinstance(base, Mask)]
    expected = None if weights is None else {*masks, *weights}
    if not holds(term, guards) or (expected is not None and expected != set(guards)):
        return None
    if any(mask not in guards for mask in masks):
        return None
    return Access(bound.name, tuple(binding[slot] for slot in bound.slots))


def depth_of(exponents: Collection[Power], bounds: Bounds) -> int:
    """How deep a bound of these exponentials rests on others."""
    entries = (bound_of(base) for base, _ in exponents)
    return 1 + max((bounds[e.tensor].depth for e in entries if e is not None and e.tensor in bounds), default=0)


def under_bound(term: Term, entry: Access) -> Term:
    """The term over the exponential of a bound."""
    return product(term.coeff, (*term.powers, (exponential(entry), -ONE)), term.summed)
