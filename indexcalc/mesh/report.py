"""What each device of a mesh does in both passes of a derivation: operations, bytes, collectives, time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, log2

import sympy as sp

from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Access, Index, Term, occurring_indices
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.codegen.meshed import MeshPlan, mesh_plan
from indexcalc.codegen.placed_loops import loop_ranges
from indexcalc.codegen.places import Placed
from indexcalc.codegen.sending import Layout, Roles
from indexcalc.codegen.statements import Statement
from indexcalc.cost.counts import NOTHING, Count, span, total
from indexcalc.cost.memory import entries_read, largest, moments_of
from indexcalc.cost.mesh import Mesh, block, with_blocks
from indexcalc.cost.report import Peak
from indexcalc.cost.traffic import Collective, Traffic, traffic
from indexcalc.cost.work import equation_flops
from indexcalc.mesh.rates import Rates
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, nominal_sizes


@dataclass(frozen=True, slots=True)
class MeshRow:
    """One statement on one device.

    Attributes:
        placed: the statement, and how devices share it.
        flops: operations.
        held: entries of what it assigns.
        moved: entries between memory and arithmetic.
    """

    placed: Placed
    flops: Count
    held: Count
    moved: Count

    @property
    def statement(self) -> Statement:
        """What is computed."""
        return self.placed.statement

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """What is sent for it."""
        return self.placed.collectives

    @property
    def sent(self) -> Traffic:
        """The entries that one device sends."""
        return traffic(self.collectives)

    def seconds(self, sizes: Mapping[sp.Symbol, int], rates: Rates, width: int) -> float:
        """The time: of the slower of arithmetic and memory, then of every collective."""
        own = max(self.flops.at(sizes) / rates.flops, width * self.moved.at(sizes) / rates.memory)
        return own + sum(
            one.sent.at(sizes, width) / rates.link + rates.latency * ceil(log2(one.devices))
            for one in self.collectives
            if one.devices > 1
        )


@dataclass(frozen=True, slots=True)
class MeshPass:
    """The statements of one pass, or of both."""

    rows: tuple[MeshRow, ...]

    @property
    def flops(self) -> Count:
        """Operations of one device."""
        return total(row.flops for row in self.rows)

    @property
    def sent(self) -> Traffic:
        """Entries that one device sends."""
        return traffic(self.collectives)

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """All that is sent, in order."""
        return tuple(one for row in self.rows for one in row.collectives)

    def seconds(self, sizes: Mapping[sp.Symbol, int], rates: Rates, width: int) -> float:
        """The time of all, one after the other."""
        return sum(row.seconds(sizes, rates, width) for row in self.rows)


@dataclass(frozen=True, slots=True)
class MeshReport:
    """Both passes of a derivation over a mesh, for one device.

    Attributes:
        plan: which statement is shared how.
        forward: the forward pass.
        backward: the backward pass.
        ends: entries of inputs, upstream gradients, outputs and gradients on one device.
        peak: entries held over these while both passes run, one after the other.
    """

    plan: MeshPlan
    forward: MeshPass
    backward: MeshPass
    ends: Count
    peak: Peak

    @property
    def mesh(self) -> Mesh:
        """The devices."""
        return self.plan.mesh

    @property
    def both(self) -> MeshPass:
        """Both passes."""
        return MeshPass((*self.forward.rows, *self.backward.rows))

    def sizes(self, given: Mapping[sp.Symbol, int]) -> Sizes:
        """The sizes of extents, with those of blocks."""
        return with_blocks(given, self.mesh, self.plan.plan.program)


def mesh_report(derivation: Derivation, mesh: Mesh) -> MeshReport:
    """What each device of a mesh does.

    Raises:
        MeshError: if the mesh doesn't fit the program.
        UnsupportedError: if a statement can't be done with blocks.
    """
    plan = mesh_plan(derivation, mesh, JAX)
    program, backward = derivation.problem.program, derivation.backward
    sizes = with_blocks(nominal_sizes(program), mesh, program)
    rows = [tuple(row_of(one, sizes, plan.layouts) for one in placed) for placed in (plan.forward, plan.backward)]
    made = [local_equation(one, plan.layouts) for one in plan.both]
    results = {*program.outputs, *backward.outputs}
    return MeshReport(
        plan,
        MeshPass(rows[0]),
        MeshPass(rows[1]),
        total(span(local_slots(slots, plan.layouts[name])) for name, slots in ends_of(derivation, plan).items()),
        Peak(largest(moments_of(made, results, loop_ranges(plan.forward, plan.backward)))),
    )


def ends_of(derivation: Derivation, plan: MeshPlan) -> Mapping[str, tuple[Index, ...]]:
    """The slots of inputs, upstream gradients, outputs and gradients that are asked for."""
    forward, backward = derivation.problem.program, derivation.backward
    tensors = {**backward.tensors, **forward.tensors}
    given = [tensor.name for tensor in forward.inputs] + [up.name for up in derivation.problem.handed]
    slots = {up.name: forward.tensors[up.of].slots for up in derivation.problem.handed}
    names = dict.fromkeys((*given, *forward.outputs, *backward.outputs))
    return {name: slots.get(name) or tensors[name].slots for name in names if name in plan.layouts}


def local_slots(slots: Iterable[Index], layout: Layout) -> tuple[Index, ...]:
    """The slots of what one device holds."""
    return tuple(block(slot, at) for slot, at in zip(slots, layout, strict=True))


def local_term(term: Term, roles: Roles) -> Term:
    """A term as one device computes it."""
    every = dict.fromkeys((*occurring_indices(term), *term.summed))
    renaming = {index: block(index, roles.get(index)) for index in every}
    return Term(term.coeff, rename_powers(term.powers, renaming), tuple(renaming[index] for index in term.summed))


def local_equation(placed: Placed, layouts: Mapping[str, Layout]) -> Equation:
    """A statement as the equation that one device computes: it assigns what is stored, and reads blocks."""
    statement = placed.statement
    terms = tuple(
        local_term(term, roles) for term, roles in zip(statement.content, padded(placed), strict=True) if term.powers
    )
    return Equation(Access(statement.name, local_slots(statement.axes, placed.layout)), terms)


def padded(placed: Placed) -> tuple[Roles, ...]:
    """The roles for each term of the content; the guards, which come last, are shared as the first term is."""
    known = placed.roles
    count = len(placed.statement.content)
    return (*known, *((known[0] if known else {}) for _ in range(count - len(known))))


def row_of(placed: Placed, sizes: Sizes, layouts: Mapping[str, Layout]) -> MeshRow:
    """What one statement costs a device."""
    statement, equation = placed.statement, local_equation(placed, layouts)
    held = span(equation.slots)
    if placed.copy:
        # What arrives is written once; what is sent is read once.
        return MeshRow(placed, NOTHING, held, held * 2)
    roles = placed.roles[0] if placed.roles else {}
    computed = tuple(block(index, roles.get(index)) for index in statement.axes)
    terms = tuple(local_term(term, own) for term, own in zip(statement.terms, placed.roles, strict=False))
    flops = equation_flops(replace(equation, lhs=Access(statement.name, computed), terms=terms), sizes)
    if statement.over:
        flops += span((*computed, *(block(index, roles.get(index)) for index in statement.over)))
    return MeshRow(placed, flops, held, entries_read(equation, sizes) + held)
