"""Smart constructors: every term is built here, so that the invariants of `Term` hold everywhere.

The invariants: bases are distinct (equal ones add their exponents); no exponent is zero; deltas and
Iverson brackets stand to the first power; no delta joins an index to itself; no bracket compares an
index with itself, or two that a delta joins; every summed index occurs in some factor; an `Add`
holds two terms or more, and its first coefficient has no minus sign.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import sympy as sp

from indexcalc.algebra.ranges import never_negative
from indexcalc.algebra.slots import Affine, difference, is_fixed, parts_of_slot, place
from indexcalc.algebra.terms import (
    GATES,
    ONE,
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Slot,
    Term,
    Terms,
    occurring_indices,
)
from indexcalc.errors import LimitError, ProgramError

EXPANSION_LIMIT = 2_000
"""The most terms that multiplying out one product may give."""


def product(coeff: sp.Expr | int, powers: Iterable[Power] = (), summed: Iterable[Index] = ()) -> Term:
    """A term ``sum[summed] coeff * prod(base**exponent)`` that keeps the invariants of `Term`.

    A summed index that occurs in no factor multiplies the coefficient by its extent; a factor that
    was an `Add` of one term (or a nested `Add` to the power one) is taken apart. A bracket that never
    holds, such as ``[i != i]``, makes the term zero; one that extents or a delta beside it make sure of is left out.
    """
    factor = sp.Integer(coeff) if isinstance(coeff, int) else coeff
    exponents: dict[Base, sp.Expr] = {}
    for base, exponent in powers:
        if isinstance(base, GATES) and not base.is_plain:
            settled = settle(base)
            if settled is None:
                return Term(sp.S.Zero)
            base = settled  # noqa: PLW2901 - one factor in its one form
        exponents[base] = exponents[base] + exponent if base in exponents else exponent
    kept = simplified(exponents)
    if kept is None:
        return Term(sp.S.Zero)
    bound = tuple(dict.fromkeys(summed))
    if bound:
        present = {index for base, _ in kept for index in occurring_indices(base)}
        for index in bound:
            if index not in present:
                factor = factor * index.extent
        bound = tuple(index for index in bound if index in present)
    return Term(factor, tuple(kept), bound)


STEPS = ("step", "reach")
"""The functions that are 0 or 1: each is its own square."""

HOLDS = Iverson(place(0), "<=", place(0))
"""A bracket that holds always."""


def simplified(exponents: Mapping[Base, sp.Expr]) -> list[Power] | None:
    """The factors that are not 1; None if a bracket among them never holds."""
    kept: list[Power] = []
    steps = [base for base in exponents if isinstance(base, Fn) and base.name in STEPS]
    if len(steps) > 1 and exclude(steps):
        return None
    for base, exponent in exponents.items():
        if exponent == 0:
            continue
        if not isinstance(base, GATES):
            once = base in steps and exponent.is_Integer and exponent.is_positive
            kept.append((base, sp.S.One if once else exponent))
            continue
        if isinstance(base, Iverson) and compares_equals(base, exponents):
            if base.relation == "<=":
                continue
            return None
        if not exponent.is_positive:
            raise ProgramError(f"division by {type(base).__name__.lower()}: it is zero for some indices")
        if not is_sure(base, exponents):
            kept.append((base, sp.S.One))
    return kept


def exclude(steps: Sequence[Fn]) -> bool:
    """Whether one of these functions is zero wherever another is not: ``step(u)`` and ``reach(-u)``."""
    above = {frozenset(base.arg) for base in steps if base.name == "step"}
    return any(base.name == "reach" and frozenset(scale(base.arg, -sp.S.One)) in above for base in steps)


def is_sure(base: Delta | Iverson, factors: Iterable[Base]) -> bool:
    """Whether a delta or bracket is 1 always, or wherever the deltas of expressions beside it are."""
    if isinstance(base, Delta):
        return base.left == base.right
    if base is HOLDS:
        return True
    if base.is_plain or base.relation == "!=":
        return False
    said = tuple(side for other in factors if isinstance(other, Delta) for side in sides_of(other))
    return bool(said) and never_negative(base.slack, said)


def settle(base: Delta | Iverson) -> Delta | Iverson | None:
    """A delta or bracket of expressions in a plain form; `HOLDS` if it always holds, None if it never does."""
    if isinstance(base, Delta):
        return settled_delta(base)
    slack = base.slack
    if base.relation == "!=":
        apart = never_negative(minus_one(slack)) or never_negative(minus_one(negative(slack)))
        return None if slack == place(0) else HOLDS if apart else base
    if never_negative(slack):
        return HOLDS
    return None if never_negative(minus_one(negative(slack))) else base


def settled_delta(base: Delta) -> Delta | Iverson | None:
    """A delta with its sides in lowest terms: what both have is taken away, and a difference of indices joins these."""
    gap = difference(base.left, base.right)
    if gap == place(0):
        return HOLDS
    if never_negative(minus_one(gap)) or never_negative(minus_one(negative(gap))):
        return None
    units = isinstance(gap, Affine) and gap.const == 0 and len(gap.parts) == 2
    if units and {coeff for _, coeff in parts_of_slot(gap)} == {sp.S.One, -sp.S.One}:
        (one, _), (other, _) = parts_of_slot(gap)
        return Delta(one, other) if {one, other} != {base.left, base.right} else base
    shared = {atom for atom, _ in parts_of_slot(base.left)} & {atom for atom, _ in parts_of_slot(base.right)}
    return Delta(gap, place(0)) if shared else base


def sides_of(delta: Delta) -> tuple[Slot, ...]:
    """What is not negative where a delta of expressions is 1: both differences of its sides."""
    if delta.is_plain:
        return ()
    return difference(delta.left, delta.right), difference(delta.right, delta.left)


def minus_one(slot: Slot) -> Slot:
    """``slot - 1``."""
    return difference(slot, place(1))


def negative(slot: Slot) -> Slot:
    """``-slot``."""
    return difference(place(0), slot)


def within(slot: Slot, extent: sp.Expr) -> tuple[Power, ...]:
    """The brackets ``[0 <= slot] [slot < extent]``; `product` drops those that hold always.

    Where the lower one alone is left, its number stands by itself, as authors write it: ``[5 <= t]``, not
    ``[0 <= t-5]``.
    """
    inside = never_negative(minus_one(difference(place(extent), slot)))
    if is_fixed(slot) and inside and never_negative(slot):
        return ()
    lower, upper = Iverson(place(0), "<=", slot), Iverson(slot, "<", place(extent))
    if not inside:
        return ((lower, sp.S.One), (upper, sp.S.One))
    if isinstance(slot, Affine) and slot.const.is_negative:
        lower = Iverson(place(-slot.const), "<=", difference(slot, place(slot.const)))
    return ((lower, sp.S.One),)


def compares_equals(bracket: Iverson, factors: Container[Base]) -> bool:
    """Whether a bracket compares an index with itself, or with one that a delta beside it makes equal."""
    one, other = bracket.left, bracket.right
    if not bracket.is_plain:
        return False
    return one == other or Delta(one, other) in factors or Delta(other, one) in factors


def access(tensor: str, *slots: Slot) -> Term:
    """The entry of a tensor, as a term."""
    return Term(sp.S.One, ((Access(tensor, slots), sp.S.One),))


def scalar(value: sp.Expr | int) -> Terms:
    """A scalar as a sum of terms: nothing for zero."""
    number = sp.Integer(value) if isinstance(value, int) else value
    return () if number == 0 else (Term(number),)


def scalar_value(terms: Terms) -> sp.Expr | None:
    """The scalar that the terms are, if they hold no tensor."""
    if any(term.powers for term in terms):
        return None
    return sp.Add(*(term.coeff for term in terms))


def scale(terms: Terms, coeff: sp.Expr) -> Terms:
    """Every term times a scalar."""
    return tuple(Term(coeff * term.coeff, term.powers, term.summed) for term in terms if coeff != 0)


def is_negative(coeff: sp.Expr) -> bool:
    """Whether the scalar has a minus sign in front: ``-2 a`` has, ``1 - a`` has not, whatever SymPy prefers."""
    if isinstance(coeff, sp.Add):
        return all(map(is_negative, coeff.args))
    return bool(coeff.as_coeff_Mul()[0].is_negative)


def is_divisor(coeff: sp.Expr) -> bool:
    """Whether a scalar is never zero, whatever extents and parameters are: ``2/N``, ``1/a``, not ``a`` or ``N - 1``."""
    return sp.fraction(sp.together(coeff))[0].is_zero is False


def power(terms: Terms, exponent: sp.Expr) -> Term:
    """The sum-free `terms` raised to `exponent`, as one term.

    A single term is taken apart where that is an identity for all real values: for an integer
    exponent always, else only where it is a bare factor to the power one (``(x^2)^(1/2)`` is
    ``|x|``, not ``x``). The sign of an `Add` goes into the coefficient for an integer exponent.
    """
    if any(term.summed for term in terms):
        raise ProgramError("a sum inside a power must be named first")
    if not terms:
        if exponent.is_positive:
            return Term(sp.S.Zero)
        raise ProgramError("division by zero: this denominator is zero")
    if len(terms) == 1:
        (only,) = terms
        if exponent.is_integer:
            return product(only.coeff**exponent, ((base, exp * exponent) for base, exp in only.powers))
        if not only.powers:
            return Term(only.coeff**exponent)
        if only.coeff.is_positive and len(only.powers) == 1 and only.powers[0][1] == 1:
            return product(only.coeff**exponent, ((only.powers[0][0], exponent),))
        return Term(sp.S.One, ((Add(terms), exponent),))
    if exponent.is_integer and is_negative(terms[0].coeff):
        return Term((-sp.S.One) ** exponent, ((Add(scale(terms, -sp.S.One)), exponent),))
    return Term(sp.S.One, ((Add(terms), exponent),))


def multiply_bodies(left: Term, right: Term) -> Term:
    """The product of two terms inside the sums of both; the caller has named the indices apart."""
    return product(left.coeff * right.coeff, left.powers + right.powers, left.summed + right.summed)


def multiplied(factors: Iterable[Term], coeff: sp.Expr = sp.S.One, summed: Iterable[Index] = ()) -> Term:
    """The product of sum-free terms with a scalar, summed; equal factors are put together once, not at each step."""
    powers: list[Power] = []
    for factor in factors:
        coeff = coeff * factor.coeff
        powers += factor.powers
    return product(coeff, powers, summed)


def replace_power(term: Term, position: int, by: Term) -> Term:
    """`term` with its factor at `position` replaced by the (suitably named) factors of `by`."""
    before, after = term.powers[:position], term.powers[position + 1 :]
    return product(term.coeff * by.coeff, before + by.powers + after, term.summed + by.summed)


def is_expandable(base: Base, exponent: sp.Expr) -> bool:
    """Whether ``base**exponent`` is a sum to a positive integer power."""
    return isinstance(base, Add) and bool(exponent.is_Integer) and bool(exponent.is_positive)


def expand_term(term: Term, chosen: Callable[[Add], bool] | None = None, limit: int = EXPANSION_LIMIT) -> Terms:
    """Products of sums multiplied out: every `Add` to a positive integer power, or every `chosen` one, is distributed.

    Raises:
        LimitError: if more terms would come out than `limit`.
    """
    done: list[Term] = []
    pending = [term]
    while pending:
        current = pending.pop()
        position = next(
            (
                number
                for number, (base, exponent) in enumerate(current.powers)
                if isinstance(base, Add) and is_expandable(base, exponent) and (chosen is None or chosen(base))
            ),
            None,
        )
        if position is None:
            done.append(current)
            continue
        base, exponent = current.powers[position]
        assert isinstance(base, Add)
        before, after = current.powers[:position], current.powers[position + 1 :]
        rest = ((base, exponent - 1),) if exponent > 1 else ()
        for part in reversed(base.terms):
            powers = before + part.powers + rest + after
            pending.append(product(current.coeff * part.coeff, powers, current.summed))
        if len(done) + len(pending) > limit:
            raise LimitError(f"multiplying out gives more than {limit} terms")
    return tuple(done)


def expand(terms: Terms, limit: int = EXPANSION_LIMIT) -> Terms:
    """Every term multiplied out; like terms are not combined.

    Raises:
        LimitError: if more terms would come out than `limit`.
    """
    expanded: list[Term] = []
    for term in terms:
        expanded.extend(expand_term(term, limit=limit))
        if len(expanded) > limit:
            raise LimitError(f"multiplying out gives more than {limit} terms")
    return tuple(expanded)


def as_factor(terms: Terms) -> Term:
    """A sum-free sum as one term: itself if it is one, else an `Add` to the power one."""
    return power(terms, sp.S.One)


def is_one(terms: Terms) -> bool:
    """Whether the terms are the scalar 1."""
    return terms == ONE


def lone(terms: Terms) -> Base | None:
    """The one factor that the terms are."""
    if len(terms) != 1 or terms[0].coeff != 1 or terms[0].summed or len(terms[0].powers) != 1:
        return None
    base, exponent = terms[0].powers[0]
    return base if exponent == 1 else None


def lone_entry(terms: Terms) -> Access | None:
    """The entry of a tensor that the terms are."""
    base = lone(terms)
    return base if isinstance(base, Access) else None


def in_front_of_sums(term: Term) -> tuple[tuple[Power, ...], tuple[Power, ...]]:
    """The factors without a summed index, which stand in front of the term's sums, and the others."""
    if not term.summed:
        return (), term.powers
    bound = frozenset(term.summed)
    free = tuple(power for power in term.powers if bound.isdisjoint(occurring_indices(power[0])))
    return free, tuple(power for power in term.powers if power not in free)


def sum_over(terms: Terms, indices: Sequence[Index]) -> Terms:
    """Every term summed over `indices` as well; the caller has named them apart from its own sums."""
    return tuple(product(term.coeff, term.powers, (*indices, *term.summed)) for term in terms)
