"""From a problem to its derivation: the reverse sweep, then the rewriting passes in order.

The order: sweep with immediate reuse and lemmas; gradients that cost more than they save inlined;
narrow parts named, each in its cheapest form; common factors taken out; identities proved; what no
output reads left out of the backward program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.algebra.factor import factor, factor_in_parts
from indexcalc.algebra.terms import free_indices
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.relabel import Nomenclature, relabel
from indexcalc.calculus.statistics import find_flow
from indexcalc.calculus.steps import Cited, Derivation, Proof, Rule, Section, Step
from indexcalc.consistency import check_program
from indexcalc.problem import Problem, check_problem
from indexcalc.rewrite.adjoints import inverse_proofs, symmetric_inverses, with_known_adjoints
from indexcalc.rewrite.backward import backward_program
from indexcalc.rewrite.bounds import check_bounds
from indexcalc.rewrite.inline import Inliner
from indexcalc.rewrite.mirror import cited_symmetries, with_symmetries
from indexcalc.rewrite.naming import PartNaming, extended
from indexcalc.rewrite.orders import with_orders
from indexcalc.rewrite.prove import Prover, found_identities
from indexcalc.rewrite.sharing import with_shared_gradients
from indexcalc.rewrite.support import with_needed_brackets
from indexcalc.rewrite.tidy import Simplifier


def derive(problem: Problem) -> Derivation:
    """The gradients asked for, each with the steps that lead to it, and the backward pass as a program.

    Raises:
        ProgramError: if the forward program is not well formed, or what is asked does not fit it.
        LimitError: if an equation is too large.
    """
    check_program(problem.program)
    check_problem(problem)
    check_bounds(problem.program)
    if problem.derivatives:
        return with_orders(with_claims_proved(derive(problem.first), problem), [*map(derive, problem.alone)], problem)
    inverses = symmetric_inverses(problem.program)
    simplifier = Simplifier(problem.program.explicit, inverses)
    outputs = tuple(problem.gradient_names[name] for name in problem.targets)
    sections = with_known_adjoints(derive_gradients(problem, simplifier), problem, simplifier.symmetries)
    sections, symmetries = with_symmetries(sections, simplifier.symmetries, simplifier)
    naming = PartNaming(problem, simplifier)
    kept = {problem.gradient_names[name] for name in (*problem.targets, *problem.names)}
    sections = with_shared_gradients(sections, kept, naming.sizes, problem.adjoint_systems)
    inliner = Inliner(problem, simplifier, naming.run, naming.sizes)
    sections = inliner.join(naming.run(inliner.run(sections)))
    sections, symmetries = with_symmetries(sections, simplifier.symmetries, simplifier)
    sections = with_needed_brackets(sections)
    sections = tuple(finished(section, naming.order) for section in sections)
    backward = backward_program(problem, sections)
    check_program(backward)
    prover = Prover(problem.program.explicit.definitions, sections, simplifier.rules, symmetries)
    gradients = {section.equation.name: section.equation for section in sections}
    steps = [step for section in sections for step in section.all_steps()]
    proofs = tuple(proof for claim in problem.claims if (proof := prover.prove(claim)) is not None)
    proved = {id(proof.identity) for proof in proofs}
    return Derivation(
        problem=problem,
        sections=sections,
        backward=backward,
        gradients={problem.gradient_names[s.target]: s.target for s in sections if s.target is not None},
        statistics=find_flow(problem).statistics,
        lemmas=(
            *simplifier.lemmas,
            *lemmas_on_the_way(sections, simplifier),
            *cited_symmetries(steps, symmetries, problem.program.definitions),
            *inverse_proofs(steps, symmetries, inverses),
        ),
        proofs=(
            *proofs,
            *found_identities(prover, outputs, problem.claims),
            *cited_symmetries(steps, symmetries, gradients),
        ),
        unproved=tuple(claim for claim in problem.claims if id(claim) not in proved),
    )


def with_claims_proved(first: Derivation, problem: Problem) -> Derivation:
    """The derivation of gradients that rests on fewer assumptions, with claims proved by all of them: these hold."""
    if not first.unproved or first.problem.program.assumptions == problem.program.assumptions:
        return first
    explicit = problem.program.explicit
    simplifier = Simplifier(explicit, symmetric_inverses(problem.program))
    prover = Prover(explicit.definitions, first.sections, simplifier.rules, simplifier.symmetries)
    found = {id(claim): prover.prove(claim) for claim in first.unproved}
    proofs = tuple(proof for proof in found.values() if proof is not None)
    unproved = tuple(claim for claim in first.unproved if found[id(claim)] is None)
    return replace(first, proofs=(*proofs, *first.proofs), unproved=unproved)


def finished(section: Section, order: Nomenclature) -> Section:
    """The section with authors' names for its dummies and common factors taken out."""
    lhs = section.equation.lhs
    section = extended(section, *relabel(lhs, section.equation.terms, order))
    terms = factor_in_parts(factor(section.equation.terms, symbolic=True), symbolic=True)
    if terms != section.equation.terms:
        section = extended(section, Step(Rule.FACTOR, lhs, section.equation.terms, terms))
    assert set(free_indices(section.equation.terms)) <= set(lhs.slots)
    return section


def lemmas_on_the_way(sections: Sequence[Section], simplifier: Simplifier) -> tuple[Proof, ...]:
    """The proofs of the identities that steps cite, beside those found beforehand and those assumed."""
    cited = {
        id(step.detail.identity)
        for section in sections
        for step in section.all_steps()
        if isinstance(step.detail, Cited)
    }
    return tuple(p for p in simplifier.memory.values() if p is not None and id(p.identity) in cited)
