"""Bounds of exponents: the largest exponent over some indices, and what its subtraction leaves.

A `Bound` ``m[i]`` of ``exp(S[i,l])`` over l is at least as large as each ``S[i,l]``, so ``exp(S[i,j]) * exp(m[i])^-1``
is ``exp(S[i,j] - m[i])``, which never overflows. A logarithm of a sum of exponentials is a bound too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.match import Binding, match_base
from indexcalc.algebra.renaming import fresh_indices, rename_base, rename_body, rename_powers
from indexcalc.algebra.slots import indices_of_slot, lookups_of_slot
from indexcalc.algebra.terms import (
    Access,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Slot,
    Term,
    Terms,
    free_indices,
    walk,
)
from indexcalc.codegen.stable.exponents import ONE, apart, argument_of, exponential, exponents_of, is_negative

Mask = Delta | Iverson

LOWEST = sp.Float(-1e30)
"""What stands for the largest of no exponents: finite in every format, and its exponential is zero."""


@dataclass(frozen=True, slots=True)
class Part:
    """The exponentials of one term of a sum, and where they count.

    Attributes:
        name: of their maximum; empty where nothing is summed over.
        over: the indices that the largest is taken over.
        exponents: the exponentials, taken apart; none for a term that has none.
        guards: the deltas, brackets and weights of the sum: where one is zero the exponent does not count, for it may
            be huge.
        hidden: the name of the exponent with minus infinity where a guard is zero; empty without guards.
        axes: the indices of the exponent and of its guards. They stay in this order when guards are written in another
            way, for entries of what is hidden are read by then.
    """

    name: str
    over: tuple[Index, ...]
    exponents: tuple[Power, ...]
    guards: tuple[Base, ...] = ()
    hidden: str = ""
    axes: tuple[Index, ...] = ()

    def __post_init__(self) -> None:
        if not self.axes:
            guards = Term(ONE, tuple((guard, ONE) for guard in self.guards))
            axes = dict.fromkeys((*free_indices(self.argument), *free_indices((guards,))))
            object.__setattr__(self, "axes", tuple(axes))

    @property
    def at_places(self) -> bool:
        """Whether guards say at which entry of the maximum an exponent counts, as in ``delta[s,seg[n]]``.

        Then it is compared there, and nothing is hidden: there is no array over exponents and all entries.
        """
        targets = [lookup_target(guard, self.over) for guard in self.guards]
        every = [base for base in walk(self.argument) if isinstance(base, Access)]
        return len(targets) == 1 and targets[0] in self.slots and all(base.is_plain for base in every)

    @property
    def argument(self) -> Terms:
        """The exponent."""
        return argument_of(self.exponents)

    @property
    def slots(self) -> tuple[Index, ...]:
        """The indices of the maximum."""
        return tuple(index for index in self.axes if index not in self.over)

    def renamed(self, outer: Mapping[Index, Slot], taken: Collection[str]) -> Part:
        """The part under other names of its slots; what it is taken over gets names that are not `taken`."""
        over = fresh_indices(
            self.over, {*taken, *(index.name for slot in outer.values() for index in indices_of_slot(slot))}
        )
        renaming = {**outer, **dict(zip(self.over, over, strict=True))}
        guards = tuple(rename_base(guard, renaming) for guard in self.guards)
        return Part(self.name, over, rename_powers(self.exponents, renaming), guards)

    def guards_under(self, binding: Mapping[Index, Slot]) -> list[Base]:
        """The guards under the names of a term."""
        return [rename_base(guard, binding) for guard in self.guards]

    @property
    def compared(self) -> Terms:
        """What the largest is taken of: the exponent, hidden where a guard is zero."""
        return (Term(ONE, ((Access(self.hidden, self.axes), ONE),)),) if self.hidden else self.argument


@dataclass(frozen=True, slots=True)
class Bound:
    """``name[slots]`` is the largest exponent of its parts.

    Attributes:
        name: the tensor.
        slots: its slots.
        parts: those with more exponentials first.
        implied: what it bounds because one of its parts rests on a bound of that.
        given: whether it is a tensor of the program, the logarithm of the sum of these exponentials.
        limited: whether it is never below `LOWEST`, for all of a sum may be hidden, and the sum is zero then.
        divided: whether its exponentials are over those of other bounds, so that products with them may cancel.
        depth: how many bounds deep its exponentials rest on others.
    """

    name: str
    slots: tuple[Index, ...]
    parts: tuple[Part, ...]
    implied: tuple[Part, ...] = ()
    given: bool = False
    limited: bool = False
    divided: bool = False
    depth: int = 0

    def with_guards(self, written: Mapping[Base, Base]) -> Bound:
        """The bound with its guards written in another way."""
        parts = tuple(
            replace(part, guards=tuple(written.get(guard, guard) for guard in part.guards)) for part in self.parts
        )
        return replace(self, parts=parts)

    @property
    def entry(self) -> Access:
        """The general entry."""
        return Access(self.name, self.slots)


def lookup_target(guard: Base, over: Collection[Index]) -> Index | None:
    """The index that a delta makes equal to what is looked up at some of the indices `over`; None of other guards."""
    if isinstance(guard, Delta):
        for side, other in ((guard.left, guard.right), (guard.right, guard.left)):
            inner = indices_of_slot(other)
            if isinstance(side, Index) and side not in over and lookups_of_slot(other) and set(inner) <= {*over}:
                return side
    return None


class Bounds(dict[str, Bound]):
    """Bounds by their names, in the order in which they were found; later ones may rest on earlier ones.

    Attributes:
        met: what terms are with their exponentials over these bounds, as far as it was asked for.
    """

    def __init__(self, known: Mapping[str, Bound] = MappingProxyType({})) -> None:
        super().__init__(known)
        self.met: dict[tuple[Term, bool], Term] = {}

    def __setitem__(self, name: str, bound: Bound) -> None:
        super().__setitem__(name, bound)
        self.met.clear()


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
    wanted = times * exponent
    for place, (candidate, there) in enumerate(powers):
        if is_enough(there, wanted):
            for extended in match_base(base, candidate, binding):
                yield from matched(pattern[1:], [*powers[:place], *powers[place + 1 :]], extended, times)


@lru_cache(maxsize=4096)
def is_enough(there: sp.Expr, wanted: sp.Expr) -> bool:
    """Whether a factor to the one power holds a factor to the other, of the same sign."""
    ratio = there / wanted
    return bool(ratio == 1 or (ratio.is_Rational and ratio >= 1))


def holds(term: Term, guards: Collection[Base]) -> bool:
    """Whether every guard is a factor of the term."""
    above = {base for base, exponent in term.powers if not is_negative(exponent)}
    return all(guard in above for guard in guards)


def find_bound(term: Term, bounds: Bounds, weights: Collection[Base] | None) -> Access | None:
    """The entry of a bound of the exponentials of a sum, if there is one already.

    Args:
        term: the sum, its exponentials taken apart.
        bounds: those that are known.
        weights: the factors that must guard it, as its only part; None for any part with any guards.
    """
    above = exponents_of(term.powers)
    for bound in reversed(tuple(bounds.values())):
        if bound.given or (weights is not None and len(bound.parts) > 1):
            continue
        for part in bound.parts:
            if above and len(part.exponents) == len(above):
                for binding in matched(part.exponents, above, {}, ONE):
                    if bounds_sum(part, binding, term, weights) and set(bound.slots) <= set(binding):
                        return Access(bound.name, tuple(binding[slot] for slot in bound.slots))
    return None


def bounds_sum(part: Part, binding: Mapping[Index, Slot], term: Term, weights: Collection[Base] | None) -> bool:
    """Whether a part, under the names of a sum, is the largest of its exponents over what it sums."""
    if any(index not in binding for index in part.axes):
        return False
    # What matches but for the order of what it adds up is not there under its own name.
    exact = all((rename_base(base, binding), exponent) in term.powers for base, exponent in part.exponents)
    outer = any(binding[index] in term.summed for index in part.slots)
    if not exact or outer or any(binding[index] not in term.summed for index in part.over):
        return False
    if len({binding[index] for index in part.over}) < len(part.over):
        return False  # on a diagonal alone the largest of all may be far away
    guards = set(part.guards_under(binding))
    masks = {base for base in term.bases if isinstance(base, Mask)}
    if not holds(term, guards) or not masks <= guards:
        return False
    return weights is None or guards == {*masks, *weights}


def depth_of(exponents: Collection[Power], bounds: Bounds) -> int:
    """How deep a bound of these exponentials rests on others."""
    entries = (bound_of(base) for base, _ in exponents)
    return 1 + max((bounds[e.tensor].depth for e in entries if e is not None and e.tensor in bounds), default=0)


def are_divided(powers: Collection[Power], bounds: Bounds) -> bool:
    """Whether a product of exponentials is over that of a bound, itself or through a bound among them."""
    for base, exponent in powers:
        entry = bound_of(base)
        if entry is not None and entry.tensor in bounds and (is_negative(exponent) or bounds[entry.tensor].divided):
            return True
    return False


def implied_parts(part: Part, bounds: Bounds) -> Iterator[Part]:
    """What a part bounds through the bounds among its exponentials, and where a delta in an exponent is 1."""
    yield from diagonal_parts(part)
    for place, (base, exponent) in enumerate(part.exponents):
        entry = bound_of(base)
        if entry is None or entry.tensor not in bounds or exponent != 1 or not entry.is_plain:
            continue
        bound = bounds[entry.tensor]
        rest = (*part.exponents[:place], *part.exponents[place + 1 :])
        taken = {index.name for index in (*part.axes, *entry.indices)}
        for inner in (*bound.parts, *bound.implied):
            below = inner.renamed(dict(zip(bound.slots, entry.indices, strict=True)), taken)
            # The exponent that was hidden for the inner maximum is that of the part, if nothing is added to it, and if
            # its axes are still apart.
            whole = not rest and not part.guards and len(below.axes) == len(inner.axes)
            hidden = inner.hidden if whole else ""
            yield Part("", (*part.over, *below.over), (*rest, *below.exponents), (*part.guards, *below.guards), hidden)


def diagonal_parts(part: Part) -> Iterator[Part]:
    """The part at those of its entries at which a delta in an exponent is 1: ``exp(delta_kq u_q)`` is ``exp(u_k)``."""
    deltas = dict.fromkeys(base for power, _ in part.exponents for base in walk(power) if isinstance(base, Delta))
    for delta in deltas:
        for index, other in ((delta.left, delta.right), (delta.right, delta.left)):
            if isinstance(index, Index) and index in part.over and isinstance(other, Index):
                (body,) = rename_body((Term(ONE, part.exponents),), {index: other})
                guards = tuple(rename_base(guard, {index: other}) for guard in part.guards)
                over = tuple(one for one in part.over if one != index)
                yield Part("", over, exponents_of(apart(body).powers), guards)
                break


def under_bound(term: Term, entry: Access) -> Term:
    """The term over the exponential of a bound."""
    return product(term.coeff, (*term.powers, (exponential(entry), -ONE)), term.summed)


def may_hide_all(part: Part) -> bool:
    """Whether guards may be zero for all of a row: one ``[j <= i]`` over j never is at j = i."""
    if not part.guards:
        return False
    guard = part.guards[0]
    if len(part.guards) > 1 or not isinstance(guard, Delta | Iverson):
        return True
    if (
        not (isinstance(guard.left, Index) and isinstance(guard.right, Index))
        or guard.left.extent != guard.right.extent
    ):
        return True
    summed = [index in part.over for index in (guard.left, guard.right)]
    return summed.count(True) != 1 or (isinstance(guard, Iverson) and guard.relation != "<=")
