"""A pass with loops over steps: statements on whole arrays, loops, statements again, each part in normal form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.conditions import Group, Stack, Step, Steps, needed_parts, steps_of
from indexcalc.codegen.fast.normal import Normaliser, normal_form
from indexcalc.codegen.fast.shown import shown
from indexcalc.codegen.fast.stacks import Stacks
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.outline import Plan
from indexcalc.codegen.statements import Kind, Statement

Segment = tuple[Statement, ...] | Steps
"""Statements on whole arrays in normal form, or a loop."""


@dataclass(frozen=True)
class Segments:
    """One pass.

    Attributes:
        parts: in order.
        wanted: what it is to compute.
        axes: of every tensor that it computes as a whole.
        entries: the arrays at a step, by their names.
        stacks: those of inputs.
        variables: what the steps are called.
    """

    parts: tuple[Segment, ...]
    wanted: tuple[str, ...]
    axes: Mapping[str, tuple[Index, ...]]
    entries: Mapping[str, EntryAt]
    stacks: tuple[Stack, ...]
    variables: Mapping[sp.Symbol, str]

    def read_behind(self, number: int) -> set[str]:
        """The tensors that are read behind a segment."""
        behind = replace(self, parts=self.parts[number + 1 :]).statements
        return {source_of(name, self.entries) for statement in behind for name in statement.reads}

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements of it, those of a step among them."""
        found: list[Statement] = []
        for part in self.parts:
            found += [s for group in part.groups for s in group.statements] if isinstance(part, Steps) else part
        return tuple(found)


def segments_of(
    statements: Sequence[Statement],
    plan: Plan,
    wanted: Sequence[str],
    taken: set[str],
    named: dict[tuple[str, ...], str],
) -> Segments:
    """A pass as segments, without what nobody needs.

    Args:
        statements: of the pass, in order.
        plan: the names of what they read.
        wanted: the tensors to compute.
        taken: the names in use; new ones join.
        named: the names of the stacks of inputs, which both passes make alike.
    """
    inputs = {tensor.name: tensor.slots for tensor in plan.program.inputs if tensor.values is None}
    letters = {index.name for program in (plan.program, plan.derivation.backward) for index in program.indices}
    stacks = Stacks(inputs, dict(plan.entries), taken, letters, named)
    needed = needed_parts(statements, plan.entries, wanted)
    left = [statement for statement in statements if statement.name in needed]
    runs = [tuple(run) for _, run in groupby(left, key=lambda statement: statement.loop)]
    parts: list[Segment] = []
    axes: dict[str, tuple[Index, ...]] = {}
    for number, run in enumerate(runs):
        behind = [statement for other in runs[number + 1 :] for statement in other]
        read = {source_of(name, plan.entries) for statement in behind for name in statement.reads}
        later = {*read, *wanted}
        loop = run[0].loop
        if loop is None:
            normal = normal_run(run, stacks, later, plan)
            parts.append(normal)
            axes.update({statement.name: statement.axes for statement in normal})
        else:
            step = Step(loop, plan.steps[loop.symbol], plan.entries)
            steps = steps_of(run, step, later, taken)
            stacks.learn(steps)
            groups = tuple(normal_group(group, stacks, step) for group in steps.groups)
            steps = with_stacks(replace(steps, groups=groups), stacks.allocated)
            parts.append(with_formulas(steps, step.variable, stacks.entries, plan.layouts))
            axes.update({name: slots for name, slots, _ in steps.arrays})
    axes.update({stack.name: stack.axes for stack in (*stacks.given, *(stack for stack, _ in stacks.allocated))})
    parts = [with_stacks(part, stacks.allocated) if isinstance(part, Steps) else part for part in parts]
    return Segments(tuple(parts), tuple(wanted), axes, stacks.entries, tuple(stacks.given), plan.steps)


def normal_run(run: Sequence[Statement], stacks: Stacks, later: Collection[str], plan: Plan) -> tuple[Statement, ...]:
    """Statements on whole arrays in normal form, equal ones as one."""
    made = {statement.name: "" for statement in run if statement.name in later}
    stacks.enter(run)
    normal = normal_form([stacks.with_joint_sums(one) for one in run], made, stacks.taken)
    stacks.enter(normal)
    return tuple(
        replace(one, note=shown(one, stacks.entries, plan.layouts)) if one.kind is Kind.LAYER else one
        for one in stacks.joined(normal, made, ())
    )


def with_stacks(steps: Steps, allocated: Sequence[tuple[Stack, int]]) -> Steps:
    """A loop with the stacks of its own arrays."""
    own = {name for name, _, _ in steps.arrays}
    return replace(steps, stacks=tuple((stack, axis) for stack, axis in allocated if set(stack.members) <= own))


def source_of(name: str, entries: Mapping[str, EntryAt]) -> str:
    """The tensor that a name stands for, whole or at a place."""
    return entries[name].tensor if name in entries else name


def normal_group(group: Group, stacks: Stacks, step: Step) -> Group:
    """The statements of a group in normal form, equal ones as one."""
    stacks.enter(group.statements, step)
    normaliser = Normaliser(stacks.taken, frozenset(group.targets))
    for statement in group.statements:
        normaliser.add(stacks.with_joint_sums(replace(statement, loop=None, conditions=(), adds=False)))
    stacks.enter(normaliser.done, step)
    targets = dict(group.targets)
    statements = stacks.joined(normaliser.done, targets, group.added)
    return replace(group, statements=tuple(statements), targets=targets)


def with_formulas(
    steps: Steps, variable: str, entries: Mapping[str, EntryAt], layouts: Mapping[str, Sequence[int]]
) -> Steps:
    """A loop with a formula for every statement that has none of its own."""
    places = steps.places

    def noted(group: Group, one: Statement) -> Statement:
        array = group.targets.get(one.name, "") if one.name not in group.added else ""
        step = (variable, places[array]) if array else None
        plain = one.note and one.kind is not Kind.LAYER
        return one if plain else replace(one, note=shown(one, entries, layouts, step))

    groups = (replace(g, statements=tuple(noted(g, one) for one in g.statements)) for g in steps.groups)
    return replace(steps, groups=tuple(groups))
