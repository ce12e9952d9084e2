"""Which intermediates are statistics, and which tensors a gradient passes through.

A statistic is a tensor whose gradient nobody asked for and that its consumers read broadcast: all
of its indices are free where it is read, and its consumer has more. The normaliser of a softmax and
the mean and variance of a LayerNorm are found so, by structure. A gradient of a statistic is never
named; its consumers are differentiated through it, which is how a textbook does it, and what leads
to closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.algebra.terms import Index, MatrixFunction, accesses_of, occurring_indices, tensors_of, walk
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program

CHAIN_LIMIT = 5
"""The longest chain of statistics that read one another; longer ones multiply terms, so their start is named."""


@dataclass(frozen=True, slots=True)
class Flow:
    """How gradients flow through a program.

    Attributes:
        statistics: the tensors that are differentiated through.
        needed: the tensors whose gradient gets an equation, in program order.
    """

    statistics: frozenset[str]
    needed: tuple[str, ...]


def find_flow(problem: Problem) -> Flow:
    """The statistics of a problem, and the tensors between its targets and its outputs."""
    program = problem.program
    ends = {up.of for up in problem.upstream} | ({problem.loss} if problem.loss else set())
    active = reachable(program, set(problem.targets)) & reaching(program, ends)
    statistics = find_statistics(problem, ends)
    needed = tuple(name for name in program.tensors if name in active and name not in statistics)
    return Flow(frozenset(statistics), needed)


def find_statistics(problem: Problem, ends: set[str]) -> set[str]:
    """The unrequested tensors that are read broadcast, closed under "feeds only statistics", in short chains."""
    program = problem.program
    # What stands between an unknown and its residual has a gradient of its own, which holds the adjoint variable.
    inside = {equation.name for block in program.systems.values() for equation in block}
    kept = ends | set(problem.targets) | set(problem.names) | inside
    found: dict[str, int] = {}
    for equation in reversed(program.equations):
        name = equation.name
        readers = [program.definitions[reader] for reader in program.consumers[name]]
        if name in kept or not readers:
            continue
        length = 1 + max(found.get(reader.name, 0) for reader in readers)
        if (
            length <= CHAIN_LIMIT
            and all(is_read_pointwise(name, reader) for reader in readers)
            and any(is_wider(reader, equation) or reader.name in found for reader in readers)
        ):
            found[name] = length
    return set(found)


def is_read_pointwise(name: str, reader: Equation) -> bool:
    """Whether no index of any access of `name` is summed over in its reader."""
    if any(isinstance(base, MatrixFunction) and base.tensor == name for base in walk(reader.terms)):
        return False
    return not any(
        slot in term.summed or not isinstance(slot, Index)
        for term in reader.terms
        for entry in accesses_of(term, name)
        for slot in entry.slots
    )


def is_wider(reader: Equation, equation: Equation) -> bool:
    """Whether the reader ranges over more indices than the tensor it reads, in itself or in sums of what reads it.

    In ``r[i] * sum[j](U[i,j] * h[j])`` r is outside of the sum; what divides a sum normalises it.
    """
    within = [
        len({*reader.slots, *(term.summed if exponent.is_negative else {*term.summed} & {*occurring_indices(base)})})
        for term in reader.terms
        for base, exponent in term.powers
        if accesses_of(base, equation.name)
    ]
    return max(within, default=0) > len(equation.slots)


def reachable(program: Program, start: set[str]) -> set[str]:
    """The tensors that depend on any of `start`, with `start` itself."""
    found = set(start)
    for block in program.blocks:
        # Of a recurrence each tensor depends on each, and an unknown on all that its system reads.
        own = {unknown.name for unknown in program.determined_by(block)}
        read = {name for equation in block for name in tensors_of(equation.terms)}
        if not found.isdisjoint(read - own):
            found.update(own, (equation.name for equation in block))
    return found


def is_reachable(program: Program, start: str, name: str) -> bool:
    """Whether a tensor depends on `start`, or is it."""
    return bool(program.ancestors[name] >> program.places[start] & 1)


def reaching(program: Program, ends: set[str]) -> set[str]:
    """The tensors that any of `ends` depends on, with `ends` themselves."""
    found = set(ends)
    for block in reversed(program.blocks):
        unknowns = {unknown.name for unknown in program.determined_by(block)}
        members = {equation.name for equation in block}
        if unknowns and not found.isdisjoint(unknowns | members):
            found.update(members)
        if not found.isdisjoint(members):
            for equation in block:
                found.update(tensors_of(equation.terms))
    return found


def statistics_between(program: Program, statistics: frozenset[str], target: str) -> tuple[str, ...]:
    """The statistics that depend on `target` directly or through other statistics, in program order."""
    found: set[str] = set()
    pending = [target]
    while pending:
        fresh = {name for name in program.consumers[pending.pop()] if name in statistics and name not in found}
        found |= fresh
        pending.extend(sorted(fresh))
    return tuple(sorted(found, key=program.positions.__getitem__))


def nearest_consumers(program: Program, statistics: frozenset[str], target: str) -> tuple[str, ...]:
    """The tensors, no statistics, that read `target` directly or through statistics, in program order."""
    sources = (target, *statistics_between(program, statistics, target))
    found = {name for source in sources for name in program.consumers[source] if name not in statistics}
    return tuple(sorted(found, key=program.positions.__getitem__))
