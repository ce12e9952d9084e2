"""Lemmas of a forward program: ``sum_j A_ij = 1``, ``sum_h xh_nh = 0``; found, not told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import sympy as sp

from indexcalc.algebra.build import sum_over
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Access, Index, Power, Term, Terms, free_indices, tensors_of, walk
from indexcalc.calculus.steps import Proof, Step
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Identity, Program
from indexcalc.rewrite.normal import Knowledge, Unfolded, folded, unfold_all
from indexcalc.rewrite.rules import SumRule, lemma_rule

Sums = frozenset[tuple[str, ...]]

DEFINITIONS = 4
"""How many definitions behind a sum a proof that it is constant may go.

A softmax and a deviation from a mean need two, and each may double what is to be multiplied out.
"""

TERM_LIMIT, FACTOR_LIMIT = 24, 120
"""The most terms and factors of a sum that is tried for being constant; the known lemmas need 4 and 7."""

SLOT_LIMIT = 4
"""The most slots that a lemma sums over at once."""


def assumed_rules(program: Program) -> tuple[SumRule, ...]:
    """The author's assumptions as rules."""
    rules = (lemma_rule(identity) for identity in program.assumptions)
    return tuple(rule for rule in rules if rule is not None)


def find_lemmas(program: Program) -> tuple[Proof, ...]:
    """Every equation summed over every slot, where the result is a constant, with its proof."""
    known = Knowledge(program.definitions, assumed_rules(program), terms=TERM_LIMIT, factors=FACTOR_LIMIT)
    sums = extents_summed_together(program)
    return tuple(proof for equation in program.equations for proof in lemmas_of(equation, program, known, sums))


def lemmas_of(equation: Equation, program: Program, known: Knowledge, sums: Sums) -> Iterator[Proof]:
    """The lemmas of one equation: one slot at a time, and slots that the program sums together.

    What is constant already when summed over some of the slots needs no lemma for more of them.
    """
    unfoldable = narrower_tensors(program, len(equation.slots), (equation.name,)) | {equation.name}
    entry = (Term(sp.S.One, ((equation.lhs, sp.S.One),)),)
    try:
        unfolded = unfold_all(entry, known, unfoldable)
    except LimitError:
        return
    single = tuple((slot,) for slot in equation.slots)
    found: list[frozenset[Index]] = []
    for summed in (*single, *slots_summed_together(equation, sums)):
        if any(fewer <= frozenset(summed) for fewer in found):
            continue
        proof = prove_constant(sum_over(entry, summed), unfolded.summed(summed), known, unfoldable)
        if proof is not None:
            found.append(frozenset(summed))
            yield proof


def extents_summed_together(program: Program) -> Sums:
    """The extents, in the order of their texts, over which some term of the program sums."""
    return frozenset(
        tuple(sorted(str(index.extent) for index in term.summed)) for eq in program.equations for term in eq.terms
    )


def slots_summed_together(equation: Equation, sums: Sums) -> Iterator[tuple[Index, ...]]:
    """Several slots over whose extents some equation of the program sums at once, as the mean of a group does."""
    for size in range(2, min(len(equation.slots), SLOT_LIMIT) + 1):
        for chosen in combinations(equation.slots, size):
            if tuple(sorted(str(index.extent) for index in chosen)) in sums:
                yield chosen


def narrower_tensors(program: Program, slots: int, start: Iterable[str]) -> frozenset[str]:
    """The tensors with fewer slots that stand a few definitions before some: unfolding these stays close to them."""
    narrow = program.narrower[slots] if slots in program.narrower else frozenset(program.definitions)
    near = reached = frozenset(start)
    for _ in range(DEFINITIONS):
        equations = (program.definitions[name] for name in reached if name in program.definitions)
        read = (name for equation in equations for name in tensors_of(equation.terms))
        reached = frozenset(read) - near
        near |= reached
    return narrow & near


def prove_constant(left: Terms, unfolded: Unfolded, known: Knowledge, unfoldable: frozenset[str]) -> Proof | None:
    """A proof that `left`, which is unfolded already, is a scalar that no tensor enters; None if there is none."""
    identity = Identity(left, ())
    try:
        steps = folded(identity, left, unfolded, known, unfoldable)
    except LimitError:
        return None
    if not steps or tensors_of(steps[-1].after) or any(term.powers for term in steps[-1].after):
        return None
    found = Identity(left, steps[-1].after)
    return Proof(found, tuple(Step(s.rule, found, s.before, s.after, s.detail) for s in steps))


def vanishing_lemma(powers: tuple[Power, ...], summed: tuple[Index, ...], program: Program) -> Proof | None:
    """A proof that a sum which came up on the way is constant, such as ``sum_h (x_nh - mu_n) = 0``."""
    known = Knowledge(program.definitions, assumed_rules(program), terms=TERM_LIMIT, factors=FACTOR_LIMIT)
    term = in_authored_names(Term(sp.S.One, powers, summed), program)
    width = len(free_indices(term)) + len(summed)
    unfoldable = narrower_tensors(program, width, tensors_of((term,)))
    try:
        unfolded = unfold_all((term,), known, unfoldable)
    except LimitError:
        return None
    return prove_constant((term,), unfolded, known, unfoldable)


def in_authored_names(term: Term, program: Program) -> Term:
    """The term with the indices that the author gave its widest tensor; as it is where these do not name them all."""
    accesses = [base for base in walk((term,)) if isinstance(base, Access) and base.tensor in program.tensors]
    widest = max(accesses, key=lambda access: len(access.slots), default=None)
    if widest is None:
        return term
    authored = program.tensors[widest.tensor].slots
    if not widest.is_plain:
        return term
    names = dict(zip(widest.indices, authored, strict=True))
    if any(one.extent != other.extent for one, other in names.items()):
        return term
    if len(set(names.values())) < len(names) or {*free_indices(term), *term.summed} - set(names):
        return term
    return Term(term.coeff, rename_powers(term.powers, names), tuple(names[index] for index in term.summed))
