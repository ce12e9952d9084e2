"""The cost of a derivation: each equation of both passes, all of them, and the backward pass before simplification.

"Before" is the reverse sweep alone: chain rule, product rule, every delta collapsed, but nothing of the
forward pass recognised, no identity applied, no part named. It computes the same gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from itertools import product as cartesian

import sympy as sp

from indexcalc.algebra.terms import Access
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.steps import Derivation
from indexcalc.cost.blocks import InBlocks, in_blocks
from indexcalc.cost.counts import Count, less, span, total
from indexcalc.cost.memory import Moment, entries_read, entries_written, largest, moments
from indexcalc.cost.work import equation_flops
from indexcalc.errors import LimitError
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.backward import backward_program
from indexcalc.rewrite.cost import Sizes, nominal_sizes
from indexcalc.rewrite.joint import joint_system
from indexcalc.rewrite.newton import newton_step
from indexcalc.rewrite.stepping import solved_systems

PATHS_LIMIT = 200
"""The most paths of a derivation whose cost is compared with that before simplification."""


@dataclass(frozen=True, slots=True)
class EquationCost:
    """One equation: operations, and entries that it reads and writes."""

    equation: Equation
    flops: Count
    read: Count
    written: Count

    @property
    def moved(self) -> Count:
        """Entries read and written."""
        return self.read + self.written


@dataclass(frozen=True, slots=True)
class PassCost:
    """The equations of one pass, in order."""

    equations: tuple[EquationCost, ...]

    @property
    def flops(self) -> Count:
        """Operations of all equations."""
        return total(row.flops for row in self.equations)

    @property
    def moved(self) -> Count:
        """Entries that all equations read and write."""
        return total(row.moved for row in self.equations)


@dataclass(frozen=True, slots=True)
class Peak:
    """When most is held over inputs and results: one of these moments, which one depends on the sizes."""

    moments: tuple[Moment, ...]

    def at(self, sizes: Mapping[sp.Symbol, int]) -> int:
        """The most entries for given sizes of all extents."""
        return max((moment.entries.at(sizes) for moment in self.moments), default=0)

    def moment(self, sizes: Mapping[sp.Symbol, int]) -> Moment | None:
        """When that is; None if there are no equations."""
        return max(self.moments, key=lambda moment: moment.entries.at(sizes), default=None)

    def __str__(self) -> str:
        """``2 T^2 + T``, or ``max(..., ...)``."""
        listed = [str(moment.entries) for moment in self.moments] or ["0"]
        return listed[0] if len(listed) == 1 else f"max({', '.join(listed)})"


@dataclass(frozen=True, slots=True)
class Before:
    """The backward pass as the reverse sweep gives it, and what is held when it runs after the forward pass."""

    cost: PassCost
    peak: Peak


@dataclass(frozen=True, slots=True)
class CostReport:
    """What a derivation costs.

    Attributes:
        title: of the forward program.
        extents: every extent that a count may hold.
        forward: the forward pass.
        backward: the backward pass, with what it computes again.
        ends: entries of inputs, upstream gradients, outputs and gradients, which the caller holds.
        peak: entries held over these while forward and backward pass run, one after the other.
        blocks: both passes at once in blocks; None where no tensor that is large is only on the way, and for
            derivatives that are no gradients.
        before: the backward pass before simplification; None where writing it out would take or grow too long,
            and for derivatives that are no gradients.
    """

    title: str
    extents: tuple[sp.Symbol, ...]
    forward: PassCost
    backward: PassCost
    ends: Count
    peak: Peak
    blocks: InBlocks | None
    before: Before | None

    @property
    def both(self) -> PassCost:
        """Forward and backward pass."""
        return PassCost((*self.forward.equations, *self.backward.equations))


def cost_report(derivation: Derivation) -> CostReport:
    """The cost of a derivation in its extents."""
    forward, backward = derivation.problem.program, derivation.backward
    sizes, ends = nominal_sizes(forward), ends_of(forward, backward)
    return CostReport(
        title=forward.title,
        extents=forward.extents,
        forward=pass_cost(forward, sizes),
        backward=pass_cost(backward, sizes),
        ends=ends,
        peak=peak_of(forward, backward),
        blocks=in_blocks(forward, backward, ends, sizes) if not derivation.orders else None,
        before=before_of(derivation, sizes),
    )


def before_of(derivation: Derivation, sizes: Sizes) -> Before | None:
    """The cost before simplification; None if multiplying out meets a bound that simplification avoids.

    None too where there are derivatives that are no gradients, or so many paths that their derivation, which this is
    again, takes long.
    """
    problem = derivation.problem
    if derivation.orders or sum(len(section.paths) for section in derivation.sections) > PATHS_LIMIT:
        return None
    try:
        program = unsimplified(problem)
    except LimitError:
        return None
    return Before(pass_cost(program, sizes), peak_of(problem.program, program))


def unsimplified(problem: Problem) -> Program:
    """The backward pass as the reverse sweep alone gives it: right, but nothing made shorter.

    Raises:
        LimitError: if multiplying out gives too many terms.
    """
    return backward_program(problem, derive_gradients(problem))


def peak_of(forward: Program, backward: Program) -> Peak:
    """When most is held while both passes run, one after the other."""
    return Peak(largest(moments((forward, backward), {*forward.outputs, *backward.outputs})))


def pass_cost(program: Program, sizes: Sizes) -> PassCost:
    """The cost of every equation of a program."""
    unknowns = {unknown.name: unknown for unknown in program.unknowns}
    rows = []
    for equation in program.computed:
        unknown = unknowns.get(equation.name)
        flops = equation_flops(equation, sizes) if unknown is None else system_flops(unknown, program, sizes)
        read = entries_read(equation, sizes, program.tensors)
        if unknown is not None:
            read = less(read, entries_written(equation))
        rows.append(EquationCost(equation, flops, read, entries_written(equation)))
    return PassCost(tuple(rows))


def system_flops(unknown: Unknown, program: Program, sizes: Sizes) -> Count:
    """Operations to make the matrix and the right side of a system, and to solve it: n^3, and 2 n^2 a right side.

    Of a system that is not affine, those of its residual and of one round of Newton's method.
    """
    block, slots = program.systems[unknown.name], unknown.tensor.slots
    together = program.determined_by(block)
    systems = solved_systems(together, block, program)
    if not systems and len(together) > 1:
        return joint_flops(unknown, together, program, sizes)
    found = next((system for system in systems if system.unknown == unknown), None)
    parts: tuple[Count, ...] = ()
    if found is None:
        step = newton_step(unknown, block, program)
        found, parts = step.system, tuple(equation_flops(equation, sizes) for equation in step.program.equations)
    matrix = Equation(Access("", (*found.batch, *found.rows, *found.columns)), found.matrix)
    right = Equation(Access("", (*found.batch, *found.rows, *found.shared)), found.right)
    made = (*parts, equation_flops(matrix, sizes), equation_flops(right, sizes))
    if not found.columns:
        return total((*made, span(slots)))
    once = (*found.batch, *found.columns * 2)
    return total((*made, span((*once, *found.columns)), span((*once, *found.shared), 2)))


def joint_flops(unknown: Unknown, together: tuple[Unknown, ...], program: Program, sizes: Sizes) -> Count:
    """Operations for the matrices and the right side of one of several unknowns; of the first, those that solve too."""
    system = joint_system(together, program.systems[unknown.name], program)
    if system is None:
        return total([equation_flops(equation, sizes) for equation in program.systems[unknown.name]])
    own = together.index(unknown)
    matrices = (
        Equation(Access("", (*system.batch[b], *system.rows[own], *system.columns[b])), system.matrices[own, b])
        for b in range(len(together))
    )
    right = Equation(Access("", (*system.batch[0], *system.rows[own])), system.rights[own])
    made = [equation_flops(equation, sizes) for equation in (*matrices, right) if equation.terms]
    if own:
        return total(made)
    # n^3 and 2 n^2, where n is the number of all entries.
    triples = (span((*system.batch[0], *chain(*three))) for three in cartesian(system.columns, repeat=3))
    pairs = (span((*system.batch[0], *chain(*two)), 2) for two in cartesian(system.columns, repeat=2))
    return total((*made, *triples, *pairs))


def ends_of(forward: Program, backward: Program) -> Count:
    """The entries of all inputs and results of both passes."""
    tensors = {**forward.tensors, **backward.tensors}
    made = {equation.name for program in (forward, backward) for equation in program.computed}
    given = (tensor.name for program in (forward, backward) for tensor in program.inputs if tensor.name not in made)
    names = dict.fromkeys((*given, *forward.outputs, *backward.outputs))
    return total(span(tensors[name].slots) for name in names)
