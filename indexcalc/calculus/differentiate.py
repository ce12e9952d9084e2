"""The derivative of one tensor's entry by another's: product rule inside, deltas at the leaves.

For ``Y[a,b] = sum_c ...`` and an entry ``X[t]`` the result is a sum of products with one delta for
each slot of ``X``, contracted as far as the sums of the equation allow. Tensors between ``X`` and
``Y`` that are statistics count as functions of ``X``; all other tensors are held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import multiply_bodies, power, product
from indexcalc.algebra.factor import factor
from indexcalc.algebra.renaming import fresh_indices, put_in_place, rename_bound, substitute
from indexcalc.algebra.slots import Slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    own_indices,
    tensors_of,
    walk,
)
from indexcalc.calculus.contract import contract
from indexcalc.calculus.pointwise import derivatives_of
from indexcalc.calculus.steps import (
    Constant,
    Differentiated,
    Entry,
    LocalDerivative,
    Rule,
    Step,
    Subject,
    Used,
)
from indexcalc.program import Equation

Tidy = Callable[[Subject, Terms], tuple[Step, ...]]
"""Value-keeping simplification of what a derivative gave: ``(subject, terms) -> steps``."""


RULES = {"det": Rule.DETERMINANT, "logdet": Rule.JACOBI, "cholesky": Rule.CHOLESKY}
"""The rule of a function of a matrix, by its word."""


@dataclass(frozen=True)
class Wanted:
    """What is differentiated by: the entry `wrt`, and the derivatives of the statistics found so far.

    Attributes:
        wrt: the entry ``X[t]``; its indices are free.
        known: by name of a statistic ``s``, the general entry ``s[u]`` and ``d s[u] / d X[t]``.
        avoid: index names that fresh dummies must not take.
    """

    wrt: Access
    known: Mapping[str, LocalDerivative]
    avoid: frozenset[str]

    def depends(self, expression: Base | Terms) -> bool:
        """Whether the expression reads the target, or a statistic that depends on it."""
        return any(name == self.wrt.tensor or name in self.known for name in tensors_of(expression))


def no_tidying(subject: Subject, terms: Terms) -> tuple[Step, ...]:
    """Leave every expression as it is."""
    return ()


def local_derivative(equation: Equation, entry: Access, wanted: Wanted, tidy: Tidy) -> LocalDerivative:
    """``d entry / d wrt`` through the equation of `entry`, with every step.

    Args:
        equation: the defining equation of the tensor of `entry`.
        entry: the entry under the indices that the caller chose (dummies of the chain rule).
        wanted: the entry to differentiate by, and the statistics' derivatives.
        tidy: simplification of the result after the deltas have done their work.
    """
    subject = Partial(entry, wanted.wrt, entry.tensor == wanted.wrt.tensor)
    here = (Term(sp.S.One, ((entry, sp.S.One),)),)
    avoid = wanted.avoid | {slot.name for slot in (*entry.indices, *wanted.wrt.indices)}
    forward = instantiate(equation, entry.indices, avoid)
    steps = [Step(Rule.FORWARD, entry, here, forward, Used((entry.tensor,)))]
    start = (Term(sp.S.One, ((subject, sp.S.One),)),)
    inside = product_rule(forward, wanted)
    steps.append(Step(rule_of(forward, wanted), subject, start, inside, constants(forward, wanted)))
    steps.extend(resolve(subject, inside, wanted))
    steps.extend(contract(subject, steps[-1].after, entry.indices))
    steps.extend(tidy(subject, steps[-1].after))
    factored = factor(steps[-1].after)
    if factored != steps[-1].after:
        steps.append(Step(Rule.FACTOR, subject, steps[-1].after, factored))
    return LocalDerivative(subject, tuple(steps), steps[-1].after)


def instantiate(equation: Equation, slots: Sequence[Index], avoid: Iterable[str]) -> Terms:
    """The right side of an equation at the entry `slots`, its sums under fresh names shared by all terms."""
    taken = frozenset(avoid)
    bound = tuple(dict.fromkeys(index for term in equation.terms for index in term.summed))
    fresh = dict(zip(bound, fresh_indices(bound, taken | {slot.name for slot in equation.slots}), strict=True))
    renamed = tuple(rename_bound(term, fresh) for term in equation.terms)
    return substitute(renamed, dict(zip(equation.slots, slots, strict=True)))


def product_rule(terms: Terms, wanted: Wanted) -> Terms:
    """The derivative of a sum of products: one term for each factor that depends on the target."""
    result: list[Term] = []
    for term in terms:
        for position, (base, exponent) in enumerate(term.powers):
            if wanted.depends(base):
                before, after = term.powers[:position], term.powers[position + 1 :]
                rest = ((base, exponent - 1),) if exponent != 1 else ()
                derivative = ((Partial(base, wanted.wrt), sp.S.One),)
                result.append(product(term.coeff * exponent, (*before, *rest, *derivative, *after), term.summed))
    return tuple(result)


def rule_of(terms: Terms, wanted: Wanted) -> Rule:
    """How a mathematician would call the product rule here."""
    dependent = [[e for b, e in term.powers if wanted.depends(b)] for term in terms]
    if not any(dependent):
        return Rule.CONSTANT
    if any(any(e.is_negative for e in es) and any(not e.is_negative for e in es) for es in dependent):
        return Rule.QUOTIENT
    if any(e != 1 for es in dependent for e in es):
        return Rule.POINTWISE
    return Rule.PRODUCT


def constants(terms: Terms, wanted: Wanted) -> Constant:
    """The tensors beside the ones that depend on the target."""
    entries = {base.tensor for base in walk(terms) if isinstance(base, Access)}
    held = (name for name in tensors_of(terms) if name in entries)
    return Constant(tuple(name for name in held if name != wanted.wrt.tensor and name not in wanted.known))


def resolve(subject: Subject, terms: Terms, wanted: Wanted) -> list[Step]:
    """Steps that evaluate each derivative of a factor, and one that puts all of them in."""
    open_partials = tuple(dict.fromkeys(base for term in terms for base in term.bases if isinstance(base, Partial)))
    steps: list[Step] = []
    values: dict[Partial, Terms] = {}
    for partial in open_partials:
        found, values[partial] = factor_derivative(partial, wanted)
        steps.extend(found)
    after = terms
    for partial in open_partials:
        after = insert(after, partial, values[partial])
    used = tuple(dict.fromkeys(name for partial in open_partials for name in tensors_of(partial.base)))
    if after != terms or not steps:
        steps.append(Step(Rule.INSERT, subject, terms, after, Used(used)))
    return steps


def insert(terms: Terms, partial: Partial, value: Terms) -> Terms:
    """`value` in the place of the derivative `partial`, distributed."""
    result: list[Term] = []
    for term in terms:
        position = next((n for n, base in enumerate(term.bases) if base == partial), None)
        result.extend((term,) if position is None else put_in_place(term, position, value))
    return tuple(result)


def factor_derivative(partial: Partial, wanted: Wanted) -> tuple[list[Step], Terms]:
    """The derivative of one factor: an entry, a statistic, a pointwise function or a sum."""
    base = partial.base
    start = (Term(sp.S.One, ((partial, sp.S.One),)),)
    if isinstance(base, Access) and base.tensor == wanted.wrt.tensor:
        return entry_against_entry(partial, base)
    if isinstance(base, Access):
        known = wanted.known[base.tensor]
        assert isinstance(known.partial.base, Access)
        return [], substitute(known.result, dict(zip(known.partial.base.indices, base.slots, strict=True)))
    if isinstance(base, Fn):
        by_argument = zip(derivatives_of(base), base.args, strict=True)
        inner = tuple(term for outer, arg in by_argument for term in chained(outer, product_rule(arg, wanted)))
        rule = Rule.POINTWISE
    elif isinstance(base, Add):
        inner = product_rule(base.terms, wanted)
        rule = Rule.PRODUCT
    elif isinstance(base, MatrixFunction):
        inner = of_factor(base, wanted) if base.word == "cholesky" else jacobi(base, wanted)
        rule = RULES[base.word]
    else:
        raise AssertionError(f"{base} does not depend on a tensor")
    steps = [Step(rule, partial, start, inner, Differentiated((base,)))]
    steps.extend(resolve(partial, inner, wanted))
    return steps, steps[-1].after


def jacobi(base: MatrixFunction, wanted: Wanted) -> Terms:
    """``d log |det A| = sum_ij (A^-1)_ji dA_ij``, and ``d det A`` is ``det A`` times that.

    This is Jacobi's formula, from the expansion by cofactors.
    """
    like = (Index("", base.extent),) * 2
    taken = wanted.avoid | {index.name for index in (*wanted.wrt.indices, *own_indices(base))}
    row, column = fresh_indices(like, taken)
    inverse = Access(base.inverse, (*base.slots, column, row))
    entry = Access(base.tensor, (*base.slots, row, column))
    powers: tuple[Power, ...] = ((inverse, sp.S.One), (Partial(entry, wanted.wrt), sp.S.One))
    if base.word == "det":
        powers = ((base, sp.S.One), *powers)
    return (Term(sp.S.One, powers, (row, column)),)


def of_factor(base: MatrixFunction, wanted: Wanted) -> Terms:
    """``dL_ab = 1/2 sum_c L_ac ([b <= c] M_cb + [b < c] M_bc)`` with ``M = L^-1 dA L^-T``.

    From ``dA = dL L^T + L dL^T`` follows ``M = L^-1 dL + (L^-1 dL)^T``, a lower triangle and its transpose (Murray,
    *Differentiation of the Cholesky decomposition*, 2016, section 2). So ``L^-1 dL`` is the lower triangle of a
    symmetric M, with half of its diagonal. Where the entries of A are moved one by one, the factor is that of its
    symmetric part, and half of M and of its transpose take the place of M.
    """
    like = (Index("", base.extent),) * 3
    taken = wanted.avoid | {index.name for index in (*wanted.wrt.indices, *own_indices(base))}
    row, column, inner = fresh_indices(like, taken)
    *outer, own_row, own_column = base.slots

    def factor(to: Slot) -> Power:
        return replace(base, slots=(*outer, own_row, to)), sp.S.One

    def inverse(of: Slot, to: Slot) -> Power:
        return Access(base.inverse, (*outer, of, to)), sp.S.One

    def change(one: Slot, other: Slot) -> Power:
        return Partial(Access(base.tensor, (*outer, one, other)), wanted.wrt), sp.S.One

    def below(relation: str) -> Power:
        return Iverson(own_column, relation, inner), sp.S.One

    half, summed = sp.Rational(1, 2), (inner, row, column)
    between = (inverse(inner, row), inverse(own_column, column))
    return (
        Term(half, (factor(inner), below("<="), *between, change(row, column)), summed),
        Term(half, (factor(inner), below("<"), *between, change(column, row)), summed),
    )


def chained(outer: Terms, inner: Terms) -> Terms:
    """``f'(u) * du``: the outer derivative as one factor of every term of the inner one."""
    if not outer:
        return ()
    factor = power(outer, sp.S.One)
    return tuple(
        multiply_bodies(Term(factor.coeff * term.coeff, factor.powers), Term(sp.S.One, term.powers, term.summed))
        for term in inner
    )


def entry_against_entry(partial: Partial, entry: Access) -> tuple[list[Step], Terms]:
    """Entries of one tensor are independent: ``d V_cb / d V_jp = delta_cj delta_bp``."""
    wrt = partial.wrt
    deltas = tuple(Delta(left, right) for left, right in zip(entry.slots, wrt.slots, strict=True))
    value = (product(sp.S.One, ((delta, sp.S.One) for delta in deltas)),)
    start = (Term(sp.S.One, ((partial, sp.S.One),)),)
    return [Step(Rule.ENTRY, partial, start, value, Entry(entry, wrt, deltas))], value
