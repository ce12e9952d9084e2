"""The parts of gradients that got names of their own: what they stood for, and where they are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.terms import Access, Partial, Terms, tensors_of
from indexcalc.calculus.steps import Derivation, Path, Rule, Section, Step, Used
from indexcalc.notes.blocks import Display


@dataclass(frozen=True)
class Part:
    """A named part of a gradient.

    Attributes:
        entry: its general entry.
        definition: what it stood for when it got its name.
        steps: how it is computed from less, where this is told just before it is put in.
    """

    entry: Access
    definition: Display
    steps: tuple[Step, ...] = ()


Parts = Mapping[str, Part]
"""Every named part, by its name."""


@lru_cache(maxsize=2)
def named_parts(derivation: Derivation) -> Parts:
    """The named parts of a derivation."""
    inside = parts_put_in(derivation)
    return {
        part.equation.name: Part(
            part.equation.lhs,
            Display(part.equation.lhs, (start_of(part),), defines=True),
            part.steps if part.equation.name in inside else (),
        )
        for part in derivation.sections
        if is_part(derivation, part)
    }


def is_part(derivation: Derivation, section: Section) -> bool:
    """Whether a section is about a part of gradients, and not about a gradient or an adjoint variable."""
    problem = derivation.problem
    adjoints = {problem.gradient_names[unknown.residual] for unknown in problem.program.unknowns}
    return section.target is None and section.equation.name not in adjoints | set(problem.stationary.values())


def start_of(part: Section) -> Terms:
    """The right side of a part before anything was done to it."""
    return part.steps[0].before if part.steps else part.equation.terms


@lru_cache(maxsize=2)
def names_on_the_way(derivation: Derivation) -> frozenset[str]:
    """The parts that a step gave a name to."""
    return frozenset(
        name
        for step in derivation.all_steps()
        if step.rule is Rule.NAME and isinstance(step.detail, Used)
        for name in step.detail.tensors
    )


@lru_cache(maxsize=2)
def parts_put_in(derivation: Derivation) -> frozenset[str]:
    """The parts that no result reads, because a step put in what they stand for."""
    parts = {section.equation.name for section in derivation.sections if is_part(derivation, section)}
    read = {name for section in derivation.sections for name in tensors_of(section.equation.terms)}
    put_in = {
        name
        for step in derivation.all_steps()
        if step.rule is Rule.UNFOLD and isinstance(step.detail, Used)
        for name in step.detail.tensors
    }
    return frozenset((parts & put_in) - read)


def is_direct(path: Path, target: Access) -> bool:
    """Whether the path is the loss's own equation, so that the chain rule has a single factor.

    Along a direction no path has a chain rule of its own: what it contributes is added up first.
    """
    alone = ((Partial(path.consumer, target), sp.S.One),)
    return not path.consumer.slots and [term.powers for step in path.steps[:1] for term in step.after] == [alone]
