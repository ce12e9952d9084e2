"""Reuse of what the forward pass computed: ``exp(S_ij) / Z_i`` is ``A_ij``, at any depth.

A tensor defined by a product (or by one sum-free sum) is recognised wherever its powers divide a
product: exponents do the bookkeeping, so ``exp(S)^2 Z^-2`` is ``A^2``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property

import sympy as sp

from indexcalc.algebra.build import is_divisor, power, product
from indexcalc.algebra.guards import Given, exclude, follow, guards_of, said_by
from indexcalc.algebra.match import Match, find_products
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Iverson,
    Power,
    Term,
    Terms,
    inner_terms,
    occurring_indices,
    tensors_of,
    walk,
    with_inner_terms,
)
from indexcalc.calculus.steps import Rule, Step, Subject, Used
from indexcalc.program import Equation, Program

REUSE_LIMIT = 200
"""The most replacements in one term."""


@dataclass(frozen=True, slots=True)
class Reusable:
    """The tensor entry `lhs`, or a `rest` made of it, holds ``coeff * product(powers)`` where `guards` hold.

    Both read the tensors `reads`.
    """

    lhs: Access
    coeff: sp.Expr
    powers: tuple[Power, ...]
    reads: frozenset[str]
    guards: tuple[Delta | Iverson, ...] = ()
    rest: Terms = ()

    def value(self, match: Match) -> Base:
        """What stands for the product under the indices of a match."""
        if self.rest:
            return Add(substitute(self.rest, {slot: match.binding[slot] for slot in self.lhs.indices}))
        return Access(self.lhs.tensor, tuple(match.binding[slot] for slot in self.lhs.indices))


@dataclass(frozen=True)
class Held:
    """What tensors hold, found by what it reads, so that a long program does not slow down each step."""

    every: tuple[Reusable, ...]

    @cached_property
    def by_tensor(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of the expressions under the first tensor of each; under "" those that read none."""
        found: dict[str, list[int]] = {}
        for position, held in enumerate(self.every):
            found.setdefault(min(held.reads, default=""), []).append(position)
        return {name: tuple(positions) for name, positions in found.items()}

    def near(self, present: frozenset[str]) -> Iterator[Reusable]:
        """The expressions that read only tensors among `present`, in their order."""
        positions = sorted(n for name in ("", *present) for n in self.by_tensor.get(name, ()))
        return (self.every[n] for n in positions if self.every[n].reads <= present)


def reusable_tensors(program: Program) -> Held:
    """The tensors that are defined without sums and worth recognising, later ones first."""
    found: list[Reusable] = []
    for equation in reversed(program.equations):
        if not equation.terms or any(term.summed for term in equation.terms):
            continue
        found.extend(forms(equation, program.definitions))
        for guards, terms in cases(equation):
            found.extend(forms(replaced(equation, terms=terms), program.definitions, guards))
    return Held(tuple(found))


def cases(equation: Equation) -> Iterator[tuple[tuple[Delta | Iverson, ...], Terms]]:
    """What a tensor is where its brackets hold, if nothing else counts there: ``h = tanh(a)`` for ``1 <= t``."""
    if not any(guards_of(term) for term in equation.terms):
        return
    for guards in dict.fromkeys(guards_of(term) for term in equation.terms):
        own = [term for term in equation.terms if guards_of(term) == guards]
        others = [guards_of(term) for term in equation.terms if term not in own]
        if guards and all(exclude(other, said_by(guards)) for other in others):
            yield guards, tuple(without_guards(term, guards) for term in own)


def without_guards(term: Term, guards: tuple[Delta | Iverson, ...]) -> Term:
    """The term where its guards are 1."""
    return product(term.coeff, (power for power in term.powers if power[0] not in guards), term.summed)


def forms(
    equation: Equation, definitions: Mapping[str, Equation], guards: tuple[Delta | Iverson, ...] = ()
) -> Iterator[Reusable]:
    """The definition as it stands, and with its exponentials taken apart: ``exp(S - log Z) = exp(S) / Z``.

    Before them what it leaves: where ``p = 1 / (1 + E)``, ``E / (1 + E)`` is ``1 - p``.
    """
    body = power(equation.terms, sp.S.One)
    apart = take_apart(body, definitions)
    left = complement(equation, body, guards)
    if left is not None:
        yield left
    for form in (body,) if apart == body else (body, apart):
        trivial = len(form.powers) == 1 and is_entry(*form.powers[0])
        bound = set(equation.slots) <= set(occurring_indices(form))
        if form.powers and bound and not trivial and divides_safely(form):
            yield Reusable(equation.lhs, form.coeff, form.powers, frozenset(tensors_of(form)), guards)


def is_entry(base: Base, exponent: sp.Expr) -> bool:
    """Whether a factor is an entry of a tensor at plain indices; one that is looked up is worth a name."""
    return isinstance(base, Access) and exponent == 1 and base.is_plain


def complement(equation: Equation, body: Term, guards: tuple[Delta | Iverson, ...]) -> Reusable | None:
    """``E / (c + E)``, which is ``1 - c p / a`` where ``p = a / (c + E)``, for an exponential E; else None.

    In another E, as in ``x / (k + x)``, a reader would rather see the quotient.
    """
    ((base, exponent), *others) = body.powers or ((None, sp.S.One),)
    if others or exponent != -1 or not isinstance(base, Add) or len(base.terms) != 2 or not is_divisor(body.coeff):
        return None
    constant, varied = sorted(base.terms, key=lambda term: bool(term.powers))
    exponential = any(isinstance(factor, Fn) and factor.name == "exp" for factor in varied.bases)
    if constant.powers or not exponential or not is_divisor(varied.coeff):
        return None
    if not set(equation.slots) <= set(occurring_indices(varied)):
        return None
    rest = (Term(sp.S.One), Term(-constant.coeff / body.coeff, ((equation.lhs, sp.S.One),)))
    return Reusable(
        equation.lhs, varied.coeff, (*varied.powers, (base, -sp.S.One)), frozenset(tensors_of(body)), guards, rest
    )


def divides_safely(body: Term) -> bool:
    """Whether the coefficient is not zero wherever the product has a value: ``c tanh(x / c)`` has none at c = 0."""
    if is_divisor(body.coeff):
        return True
    scalars = [term.coeff for base in walk(body) for term in inner_terms(base)]
    poles = {
        part.as_base_exp()[0] for scalar in scalars for part in sp.fraction(sp.together(scalar))[1].as_ordered_factors()
    }
    above = sp.fraction(sp.together(body.coeff))[0]
    return all(part.is_zero is False or part.as_base_exp()[0] in poles for part in above.as_ordered_factors())


def take_apart(body: Term, definitions: Mapping[str, Equation]) -> Term:
    """Logarithms in the argument of an exponential become powers: ``exp(a + c log u) = exp(a) u^c``."""
    result = Term(body.coeff)
    for base, exponent in body.powers:
        if isinstance(base, Fn) and base.name == "exp":
            kept: list[Term] = []
            for term in base.arg:
                inner = logarithm_of(term, definitions)
                if inner is None:
                    kept.append(term)
                else:
                    factor = power(inner, term.coeff * exponent)
                    result = product(result.coeff * factor.coeff, result.powers + factor.powers)
            powers: tuple[Power, ...] = ((Fn("exp", (tuple(kept),)), exponent),) if kept else ()
        else:
            powers = ((base, exponent),)
        result = product(result.coeff, result.powers + powers)
    return result


def logarithm_of(term: Term, definitions: Mapping[str, Equation]) -> Terms | None:
    """``u`` if the term is a multiple of ``log u``, written out or under the name of a tensor."""
    if len(term.powers) != 1 or term.powers[0][1] != 1:
        return None
    base = term.powers[0][0]
    if isinstance(base, Access) and base.tensor in definitions:
        equation = definitions[base.tensor]
        if len(equation.terms) != 1 or equation.terms[0].coeff != 1 or equation.terms[0].summed:
            return None
        if not equation.holds_at(base):
            return None
        named = substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))
        base = named[0].powers[0][0] if len(named[0].powers) == 1 and named[0].powers[0][1] == 1 else base
    return base.arg if isinstance(base, Fn) and base.name == "log" else None


def reuse(subject: Subject, terms: Terms, known: Held) -> tuple[Step, ...]:
    """One step that replaces expressions by the tensors that hold them; none if nothing is held."""
    used: dict[str, None] = {}
    after = tuple(reuse_in_term(term, known, used) for term in terms)
    if not used:
        return ()
    return (Step(Rule.REUSE, subject, terms, after, Used(tuple(used))),)


def reuse_in_term(term: Term, known: Held, used: dict[str, None], given: Given = ()) -> Term:
    """The term with every held product replaced, innermost first; `used` collects the names.

    `given` is what the brackets around the term say.
    """
    if next(known.near(frozenset(tensors_of(term))), None) is None:
        return term
    given = (*given, *said_by(term.bases))
    current = product(term.coeff, ((reuse_in_base(b, known, used, given), e) for b, e in term.powers), term.summed)
    for _ in range(REUSE_LIMIT):
        present = frozenset(tensors_of(current))
        near = known.near(present)
        found = next(
            (
                (held, match)
                for held in near
                for match in find_products(held.powers, (), current)
                if applies(held, match, given)
            ),
            None,
        )
        if found is None:
            break
        current = replace(current, *found)
        used[found[0].lhs.tensor] = None
    return current


def applies(held: Reusable, match: Match, given: Given) -> bool:
    """Whether a tensor holds its expression where it stands: beside brackets that say so, if it needs any.

    Nothing is divided by such a tensor: where the brackets are zero it may be zero as well.
    """
    if not held.guards:
        return True
    return match.count > 0 and follow(tuple(rename_guard(guard, match) for guard in held.guards), given)


def rename_guard(guard: Delta | Iverson, match: Match) -> Delta | Iverson:
    """A guard under the indices of a match."""
    renamed = rename_base(guard, match.binding)
    assert isinstance(renamed, Delta | Iverson)
    return renamed


def reuse_in_base(base: Base, known: Held, used: dict[str, None], given: Given) -> Base:
    """The factor with held products replaced in the terms inside it."""
    return with_inner_terms(base, lambda terms: tuple(reuse_in_term(term, known, used, given) for term in terms))


def replace(term: Term, held: Reusable, match: Match) -> Term:
    """The matched powers taken out, the tensor put in: its count of times, its coefficient undone."""
    taken = dict(zip(match.positions, (exponent for _, exponent in held.powers), strict=True))
    first = min(match.positions)
    powers: list[Power] = []
    for position, (base, exponent) in enumerate(term.powers):
        if position == first:
            powers.append((held.value(match), sp.Integer(match.count)))
        rest = exponent - match.count * taken[position] if position in taken else exponent
        if rest != 0:
            powers.append((base, rest))
    return product(term.coeff * held.coeff ** (-match.count), powers, term.summed)
