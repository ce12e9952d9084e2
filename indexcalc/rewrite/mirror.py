"""Symmetries across a backward pass: a gradient whose equation is symmetric is read in one order of its slots.

``sum_j (dD_ij + dD_ji) (y_i - y_j) = 2 sum_j dD_ij (y_i - y_j)`` if ``dD_ij = w_ij (p_ij - q_ij)`` and all three
are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from indexcalc.algebra.terms import Terms
from indexcalc.calculus.steps import Cited, Proof, Section, Step, Subject
from indexcalc.program import Equation
from indexcalc.rewrite.naming import extended
from indexcalc.rewrite.orientation import oriented
from indexcalc.rewrite.symmetry import Symmetries, orders_of, symmetry_proof

Simplify = Callable[[Subject, Terms], tuple[Step, ...]]


def with_symmetries(
    sections: Sequence[Section], known: Symmetries, simplify: Simplify
) -> tuple[tuple[Section, ...], Symmetries]:
    """The sections with symmetric gradients read in one order, and the symmetries of gradients as well."""
    done: list[Section] = []
    for original in sections:
        section = original
        steps = oriented(section.equation.lhs, section.equation.terms, known) if known else ()
        if steps:
            simplified = simplify(section.equation.lhs, steps[-1].after)
            section = extended(section, *steps, *simplified)
        known = known.extended(section.equation.lhs, orders_of(section.equation, known))
        done.append(section)
    return tuple(done), known


def cited_symmetries(steps: Iterable[Step], known: Symmetries, definitions: Mapping[str, Equation]) -> Iterator[Proof]:
    """The proofs of the symmetries that steps cite, with those that these rest on, in the order of the definitions."""
    cited = {step.detail.identity for step in steps if isinstance(step.detail, Cited)}
    for name, equation in definitions.items():
        for order in known.orders.get(name, ()):
            identity = known.identity(name, order)
            if identity in cited:
                yield symmetry_proof(equation, identity)
