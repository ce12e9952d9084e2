"""Adjoint systems that the forward pass has solved already.

The matrix of an adjoint system is that of the system, transposed. If the system's is symmetric, both have one matrix,
and where the right side of the adjoint system is a multiple of the system's, so is its solution: ``lambda_i = c x_i``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import expand, product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import substitute, times
from indexcalc.algebra.terms import Access, Delta, Iverson, Term, Terms, free_indices, tensors_of
from indexcalc.calculus.steps import Cited, Proof, Rule, Section, Step, Used
from indexcalc.errors import LimitError
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.inline import put_in
from indexcalc.rewrite.naming import extended
from indexcalc.rewrite.symmetry import Symmetries, find_symmetries
from indexcalc.rewrite.systems import MATRIX_LIMIT, Affine, affine_system

TRIALS = 4
"""How many terms of a right side are divided by one of the other's."""


def with_known_adjoints(sections: Sequence[Section], problem: Problem, known: Symmetries) -> tuple[Section, ...]:
    """The sections, with a formula for each adjoint variable that is a multiple of its unknown."""
    totals = {problem.stationary[unknown.name]: unknown for unknown in problem.program.unknowns}
    done = []
    for section in sections:
        unknown = totals.get(section.equation.name)
        found = None if unknown is None else known_adjoint(section, sections, unknown, problem, known)
        done.append(section if found is None else found)
    return tuple(done)


def known_adjoint(
    section: Section, sections: Sequence[Section], unknown: Unknown, problem: Problem, known: Symmetries
) -> Section | None:
    """The section of an adjoint variable that is a multiple of its unknown; None for any other."""
    program = problem.program
    system = affine_system(unknown, program.systems[unknown.name], program)
    if system is None or not system.columns or not is_symmetric(system, known):
        return None
    section = with_gradient(section, sections, problem.gradient_names[unknown.name])
    residual = program.definitions[unknown.residual]
    adjoint = Access(problem.gradient_names[residual.name], residual.slots)
    # Both systems under the slots of the unknown: equal places of rows and columns are one index.
    right = substitute(system.right, dict(zip(system.rows, system.columns, strict=True)))
    own = tuple(term for term in section.equation.terms if adjoint.tensor not in tensors_of((term,)))
    factor = multiple(own, right, system, known)
    if factor is None:
        return None
    value = times(factor, Term(sp.S.One, ((unknown.tensor.entry, sp.S.One),)))
    renaming = {slot: residual.slots[place] for slot, place in zip(unknown.tensor.slots, system.partners, strict=True)}
    terms = substitute((value,), renaming)
    before = (Term(sp.S.One, ((adjoint, sp.S.One),)),)
    step = Step(Rule.SAME_SYSTEM, adjoint, before, terms, Used((unknown.name,)))
    equation = Equation(adjoint, terms, f"adjoint variable of {unknown.name}")
    return replace(section, equation=equation, steps=(*section.steps, step))


def symmetric_inverses(program: Program) -> tuple[Access, ...]:
    """The entries of unknowns that are inverses of symmetric matrices, by their last two slots."""
    if not program.unknowns:
        return ()
    known, found = find_symmetries(program.explicit), []
    for unknown in program.unknowns:
        system = affine_system(unknown, program.systems[unknown.name], program)
        if system is None or len(system.columns) != 1 or len(system.shared) != 1 or not is_symmetric(system, known):
            continue
        identity = Term(sp.S.One, ((Delta(system.rows[0], system.shared[0]), sp.S.One),))
        if system.right == (identity,) and unknown.tensor.slots[-2:] == (*system.columns, *system.shared):
            found.append(unknown.tensor.entry)
    return tuple(found)


def inverse_proofs(steps: Iterable[Step], known: Symmetries, inverses: Collection[Access]) -> Iterator[Proof]:
    """The proofs of the symmetries of inverses that steps cite."""
    cited = {step.detail.identity for step in steps if isinstance(step.detail, Cited)}
    for entry in inverses:
        for order in known.orders.get(entry.tensor, ()):
            identity = known.identity(entry.tensor, order)
            if identity in cited:
                used = Used((entry.tensor,))
                yield Proof(identity, (Step(Rule.SYMMETRIC_INVERSE, identity, identity.left, identity.right, used),))


def with_gradient(section: Section, sections: Sequence[Section], name: str) -> Section:
    """The section with the gradient by the unknown put in, if it has a section and fits."""
    own = next((other.equation for other in sections if other.equation.name == name), None)
    after = put_in(section.equation.terms, own) if own is not None else None
    if after is None:
        return section
    return extended(section, Step(Rule.UNFOLD, section.equation.lhs, section.equation.terms, after, Used((name,))))


def is_symmetric(system: Affine, known: Symmetries) -> bool:
    """Whether the matrix stays the same with rows and columns exchanged."""
    if len(system.partners) < len(system.unknown.tensor.slots):
        return False
    pairs = tuple(zip(system.rows, system.columns, strict=True))
    exchange = {**dict(pairs), **{column: row for row, column in pairs}}
    try:
        return known.same(system.matrix, substitute(system.matrix, exchange))
    except LimitError:
        return False


def multiple(terms: Terms, right: Terms, system: Affine, known: Symmetries) -> Term | None:
    """The factor that makes one right side of another, the same in all equations of a system; None if none does."""
    try:
        terms, right = collect(expand(terms, MATRIX_LIMIT)), collect(expand(right, MATRIX_LIMIT))
        for factor in quotients(terms, right):
            varies = not set(system.columns).isdisjoint(free_indices(factor))
            if not varies and known.same(terms, tuple(times(factor, term) for term in right)):
                return factor
    except LimitError:
        return None
    return None


def quotients(terms: Terms, right: Terms) -> Iterator[Term]:
    """What some terms of a sum are, divided by the first of another: products without sums."""
    for divisor, term in ((right[0], term) for term in terms[:TRIALS] if right):
        # A delta or a bracket divides nothing: it is zero for some indices.
        divides = not any(isinstance(base, Delta | Iverson) for base in divisor.bases)
        if divides and divisor.summed == term.summed == ():
            inverse = ((base, -exponent) for base, exponent in divisor.powers)
            yield product(term.coeff / divisor.coeff, (*term.powers, *inverse))
