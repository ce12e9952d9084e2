"""What the forward pass keeps for the backward pass, and what the backward pass computes again.

Kept are results, and what is small or costs sums: statistics of rows, products of matrices. Computed
again is what is too large to keep, and what is pointwise in arrays that are there anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from indexcalc.algebra.terms import Fn, tensors_of, walk
from indexcalc.codegen.fast.blocking import Blocking
from indexcalc.codegen.statements import Kind, Statement


def kept_tensors(problem: Blocking, forward: Collection[str], gradients: Collection[str]) -> tuple[str, ...]:
    """The tensors of the forward pass that are kept, in order.

    Args:
        problem: the statements of both passes.
        forward: the tensors that the forward pass makes.
        gradients: the results of the backward pass.
    """
    kept = {name for name in problem.wanted if name in forward}
    pending = [name for name in ancestors(problem.statements, gradients, forward) if name not in forward]
    fixed = compared_tensors(problem)
    seen: set[str] = set()
    needed: set[str] = set()
    queue = [read for name in pending for read in problem.by_name[name].reads]
    queue += [name for name in gradients if name in forward]
    while queue:
        name = queue.pop()
        if name in seen or name not in forward:
            continue
        seen.add(name)
        statement = problem.by_name[name]
        if name not in kept and name not in fixed and is_computed_again(problem, statement):
            queue += statement.reads
        else:
            needed.add(name)
    return tuple(s.name for s in problem.statements if s.name in needed)


def compared_tensors(problem: Blocking) -> frozenset[str]:
    """The tensors that are held against their own largest or smallest entry: computed again, they may round otherwise.

    Then no entry would be the largest one, and its gradient would be lost.
    """
    extremes = {s.name: s.reads for s in problem.statements if s.kind in (Kind.MAXIMUM, Kind.MINIMUM)}
    steps = (base for s in problem.statements for base in walk(s.terms) if isinstance(base, Fn) and base.name == "step")
    found: set[str] = set()
    for step in steps:
        read = tensors_of(step.arg)
        found.update(name for extreme in read for name in extremes.get(extreme, ()) if name in read)
    return frozenset(found)


def is_computed_again(problem: Blocking, statement: Statement) -> bool:
    """Whether a tensor is too large to keep, or pointwise over several indices."""
    if statement.name in problem.large:
        return True
    pointwise = statement.kind in (Kind.ASSIGN, Kind.HIDDEN, Kind.GATHER, Kind.NEAREST) and not any(
        term.summed for term in statement.terms
    )
    return pointwise and len(statement.axes) > 1


def ancestors(statements: Sequence[Statement], wanted: Collection[str], given: Collection[str] = ()) -> tuple[str, ...]:
    """The statements that `wanted` are made of, in order; those of `given` are there."""
    needed = set(wanted)
    found: list[str] = []
    for statement in reversed(statements):
        if statement.name in needed and statement.name not in given:
            found.append(statement.name)
            needed.update(statement.reads)
    return tuple(reversed(found))
