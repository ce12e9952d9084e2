"""The reverse sweep: every gradient in terms of the nearest named gradients above it.

Each needed tensor gets one section. A tensor with several consumers has one path for each, derived
on its own, and their contributions are summed. Statistics are differentiated through.

Where a system determines a tensor x by ``r(x, A) = 0``, the gradient by the residual r is an unknown of the backward
pass, the adjoint variable ``lambda``: that for which ``dL/dx + sum_i lambda_i dr_i/dx`` is zero. Then the loss does not
change with x to first order, and r is a consumer of A like any other, with the gradient ``lambda``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import fresh_indices
from indexcalc.algebra.terms import Access, Delta, Index, Partial, Slot, Term, Terms
from indexcalc.calculus.contract import contract
from indexcalc.calculus.differentiate import Tidy, Wanted, insert, local_derivative, no_tidying
from indexcalc.calculus.relabel import Nomenclature, relabel
from indexcalc.calculus.statistics import Flow, find_flow, nearest_consumers, statistics_between
from indexcalc.calculus.steps import LocalDerivative, Path, Rule, Section, Step, Subject, ThroughConsumer, Used
from indexcalc.errors import placed
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program, Unknown


@dataclass(frozen=True)
class Sweep:
    """One reverse sweep: what stays the same, and the gradients that were found, by name."""

    problem: Problem
    flow: Flow
    names: Nomenclature
    tidy: Tidy
    found: dict[str, Equation] = field(default_factory=dict)

    def gradient(self, tensor: str, slots: tuple[Slot, ...]) -> Access:
        """The entry of the gradient by `tensor`."""
        return Access(self.problem.gradient_names[tensor], slots)

    def incoming(self, entry: Access) -> Terms:
        """What L gets from an entry of a consumer: its gradient, or 1 for the loss itself."""
        if entry.tensor == self.problem.loss:
            return (Term(sp.S.One),)
        return (Term(sp.S.One, ((self.gradient(entry.tensor, entry.slots), sp.S.One),)),)

    def diagonal(self, entry: Access) -> tuple[Delta, ...]:
        """The deltas between slots of a consumer that its whole gradient has: it is zero off that diagonal."""
        equation = self.found.get(self.problem.gradient_names[entry.tensor])
        if equation is None or not equation.terms:
            return ()
        names = dict(zip(equation.slots, entry.indices, strict=True))
        shared = set.intersection(*(set(term.bases) for term in equation.terms))
        deltas = (base for base in equation.terms[0].bases if isinstance(base, Delta) and base in shared)
        return tuple(
            Delta(names[delta.left], names[delta.right])
            for delta in deltas
            if delta.left in names and delta.right in names
        )


@dataclass(frozen=True)
class Between:
    """The derivatives by one entry of the statistics between it and its consumers, each found once for all of them.

    Attributes:
        wrt: the entry.
        avoid: the names of dummies that stand beside these derivatives.
        found: by name of the statistic.
    """

    wrt: Access
    avoid: frozenset[str]
    found: dict[str, LocalDerivative] = field(default_factory=dict)


def derive_gradients(problem: Problem, tidy: Tidy = no_tidying) -> tuple[Section, ...]:
    """One section for each gradient that is asked for or needed on the way, in an order that works.

    Args:
        problem: the program, its targets and its upstream gradients.
        tidy: value-keeping simplification, applied after each round of contractions.
    """
    flow = find_flow(problem)
    sweep = Sweep(problem, flow, nomenclature(problem), tidy)
    sections: list[Section] = []
    for name in sweep_order(problem, flow):
        sections.append(derive_section(sweep, name))
        sweep.found[sections[-1].equation.name] = sections[-1].equation
    return tuple(sections)


def nomenclature(problem: Problem) -> Nomenclature:
    """The declared names of forward tensors, gradients and upstream gradients."""
    slots: dict[str, tuple[Index, ...]] = {}
    for name, tensor in problem.program.tensors.items():
        slots[name] = tensor.slots
        slots[problem.gradient_names[name]] = tensor.slots
        if name in problem.stationary:
            slots[problem.stationary[name]] = tensor.slots
    for up in problem.upstream:
        slots[up.name] = problem.program.tensors[up.of].slots
    return Nomenclature(slots, problem.program.indices)


def sweep_order(problem: Problem, flow: Flow) -> Iterator[str]:
    """Needed tensors, each after its consumers: targets in the order asked for, others when they must."""
    program = problem.program
    given = frozenset(problem.given) | ({problem.loss} if problem.loss else frozenset())
    within = {unknown.name for unknown in program.unknowns if not is_read_outside(problem, flow, unknown.name)}
    waiting = [name for name in flow.needed if name not in given | within or name in problem.targets]
    waiting.extend(name for name in problem.targets if name not in waiting)
    places = {name: place for place, name in enumerate(waiting)}
    ranks = {name: rank for rank, name in enumerate(problem.targets)}
    feeding: dict[str, list[str]] = {name: [] for name in waiting}
    missing = dict.fromkeys(waiting, 0)
    for name in waiting:
        for consumer in consumers_before(program, flow, name):
            if consumer in places:
                feeding[consumer].append(name)
                missing[name] += 1

    # Two heaps of what is ready: targets as they are asked for, others from the end of the program.
    asked: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []

    def release(name: str) -> None:
        if name in ranks:
            heappush(asked, (ranks[name], name))
        else:
            heappush(others, (-places[name], name))

    for name in waiting:
        if not missing[name]:
            release(name)
    for _ in waiting:
        _, chosen = heappop(asked or others)
        yield chosen
        for name in feeding[chosen]:
            missing[name] -= 1
            if not missing[name]:
                release(name)


def consumers_before(program: Program, flow: Flow, name: str) -> tuple[str, ...]:
    """The tensors whose gradients come before that of `name`, since it reads them.

    In a recurrence the gradients at one step read one another from the last tensor to the first, and those of later
    steps are there; what feeds a recurrence comes after all of it.
    """
    own, found = program.recurrence_by_name.get(name), dict[str, None]()
    consumers = outer_consumers(program, flow, name)
    for block in program.systems.values():
        names, residuals = ([equation.name for equation in some] for some in (block, program.residuals_in(block)))
        if name in residuals:
            unknowns = (unknown.name for unknown in program.determined_by(block))
            return (*unknowns, *(other for other in names if other not in residuals))
        if name in names:
            # The adjoint variable is no gradient that consumers give.
            consumers = tuple(n for n in nearest_consumers(program, flow.statistics, name) if n not in residuals)
    for consumer in consumers:
        other = program.recurrence_by_name.get(consumer)
        if other is None:
            found[consumer] = None
        elif other is not own:
            found.update(dict.fromkeys(member for member in other.axes))
        elif program.positions[consumer] > program.positions[name]:
            found[consumer] = None
    return tuple(found)


def outer_consumers(program: Program, flow: Flow, name: str) -> tuple[str, ...]:
    """The nearest consumers; of an unknown, those outside of its system."""
    inside = {equation.name for equation in program.systems.get(name, ())}
    return tuple(one for one in nearest_consumers(program, flow.statistics, name) if one not in inside)


def is_read_outside(problem: Problem, flow: Flow, unknown: str) -> bool:
    """Whether the loss depends on an unknown by more than what its own system computes from it.

    Where all steps of a recurrence are one system, what reads an inverse may be a part of it. Then there is no gradient
    by the unknown with the system left aside: its adjoint variable carries all of it.
    """
    consumers = set(outer_consumers(problem.program, flow, unknown))
    return not consumers.isdisjoint(flow.needed) or bool(direct_part(problem, unknown, ()))


def derive_section(sweep: Sweep, name: str) -> Section:
    """The derivation of one gradient: its paths, their sum, and the author's names for dummies."""
    problem = sweep.problem
    program = problem.program
    unknown = next((one for one in program.unknowns if one.residual == name), None)
    if unknown is not None:
        return derive_stationary(sweep, unknown)
    tensor = program.tensors[name]
    lhs = sweep.gradient(name, tensor.slots)
    consumers = [one for one in outer_consumers(program, sweep.flow, name) if one in sweep.flow.needed]
    direct = direct_part(problem, name, tensor.slots)
    found = added_up(sweep, tensor.entry, lhs, consumers, direct)
    return Section(Equation(lhs, found[-1], f"gradient of the loss by {name}"), name, *found[:2])


def derive_stationary(sweep: Sweep, unknown: Unknown) -> Section:
    """What the adjoint variable of an unknown makes zero: its gradient, and the paths through its own system."""
    program = sweep.problem.program
    name = unknown.name
    lhs = Access(sweep.problem.stationary[name], unknown.tensor.slots)
    inside = {equation.name for equation in program.systems[name]}
    consumers = [one for one in nearest_consumers(program, sweep.flow.statistics, name) if one in inside]
    outer: Terms = ()
    if name in sweep.problem.targets or is_read_outside(sweep.problem, sweep.flow, name):
        outer = (Term(sp.S.One, ((sweep.gradient(name, unknown.tensor.slots), sp.S.One),)),)
    found = added_up(sweep, unknown.tensor.entry, lhs, consumers, outer)
    return Section(Equation(lhs, found[-1], f"what the adjoint variable of {name} makes zero"), None, *found[:2])


def added_up(
    sweep: Sweep, wrt: Access, lhs: Access, consumers: Sequence[str], direct: Terms
) -> tuple[tuple[Path, ...], tuple[Step, ...], Terms]:
    """The paths through some consumers, the steps that add them to the direct part, and what they end in."""
    alone = len(consumers) == 1 and not direct
    paths: list[Path] = []
    entries = {name: entry_of(sweep, name) for name in consumers}
    between = Between(wrt, frozenset(slot.name for entry in entries.values() for slot in entry.indices))
    for consumer, entry in entries.items():
        with placed(sweep.problem.program.definitions[consumer].place):
            paths.append(derive_path(sweep, between, entry, lhs, alone))
    total = (*direct, *(term for path in paths for term in path.result))
    steps: list[Step] = []
    if not alone:
        here = (Term(sp.S.One, ((lhs, sp.S.One),)),)
        steps.append(Step(Rule.PATHS, lhs, here, total))
    combined = collect(total)
    if combined != total:
        steps.append(Step(Rule.COLLECT, lhs, total, combined))
    steps.extend(relabel(lhs, combined, sweep.names))
    return tuple(paths), tuple(steps), steps[-1].after if steps else combined


def direct_part(problem: Problem, name: str, slots: tuple[Index, ...]) -> Terms:
    """What L gets from the tensor itself: 1 for the loss, the upstream gradient for an output."""
    if name == problem.loss:
        return (Term(sp.S.One),)
    return tuple(Term(sp.S.One, ((Access(up.name, slots), sp.S.One),)) for up in problem.upstream if up.of == name)


def entry_of(sweep: Sweep, consumer: str) -> Access:
    """A consumer under the dummies that the chain rule sums over."""
    declared = sweep.problem.program.tensors[consumer].slots
    return Access(consumer, fresh_indices(declared, names_to_avoid(sweep.problem)))


def derive_path(sweep: Sweep, between: Between, entry: Access, lhs: Access, alone: bool) -> Path:
    """The contribution of one consumer: ``sum_ab dL/dY_ab dY_ab/dX_t``, contracted."""
    consumer, wrt = entry.tensor, between.wrt
    taken = names_to_avoid(sweep.problem) | {slot.name for slot in entry.indices}
    local_steps = statistics_derivatives(sweep, between, consumer)
    known = {found.partial.base.tensor: found for found in local_steps if isinstance(found.partial.base, Access)}
    equation = sweep.problem.program.definitions[consumer]
    own = local_derivative(equation, entry, Wanted(wrt, known, taken), sweep.tidy)
    subject: Subject = lhs if alone else ThroughConsumer(lhs, wrt, consumer)
    partial = Partial(entry, wrt, consumer == wrt.tensor)
    chain = tuple(
        Term(term.coeff, (*term.powers, (partial, sp.S.One)), entry.indices) for term in sweep.incoming(entry)
    )
    before = (Term(sp.S.One, ((lhs, sp.S.One),)),) if alone else chain
    steps = [Step(Rule.CHAIN, subject, before, chain)]
    steps.append(Step(Rule.SUBSTITUTE, subject, chain, insert(chain, partial, own.result)))
    deltas = sweep.diagonal(entry)
    if deltas and steps[-1].after:
        before = steps[-1].after
        after = tuple(product(t.coeff, (*((d, sp.S.One) for d in deltas), *t.powers), t.summed) for t in before)
        name = sweep.problem.gradient_names[consumer]
        steps.append(Step(Rule.DIAGONAL, subject, before, after, Used((name,))))
    steps.extend(contract(subject, steps[-1].after))
    steps.extend(sweep.tidy(subject, steps[-1].after))
    return Path(entry, (*local_steps, own), tuple(steps), steps[-1].after)


def names_to_avoid(problem: Problem) -> frozenset[str]:
    """The names that no dummy may have: everything that a formula of the derivation may show beside it."""
    given = {up.name for up in problem.upstream} | set(problem.names.values())
    return problem.program.names | given


def statistics_derivatives(sweep: Sweep, between: Between, consumer: str) -> tuple[LocalDerivative, ...]:
    """The derivatives of the statistics that stand between the target and the consumer, in order."""
    program, wrt, found = sweep.problem.program, between.wrt, between.found
    own = names_to_avoid(sweep.problem) | {slot.name for slot in wrt.indices}
    names = feeding(sweep, consumer, statistics_between(program, sweep.flow.statistics, wrt.tensor))
    for name in names:
        if name not in found:
            entry = Access(name, fresh_indices(program.tensors[name].slots, own))
            wanted = Wanted(wrt, found, own | between.avoid | {slot.name for slot in entry.indices})
            found[name] = local_derivative(program.definitions[name], entry, wanted, sweep.tidy)
    return tuple(found[name] for name in names)


def feeding(sweep: Sweep, consumer: str, between: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the statistics that the consumer reads, directly or through other statistics."""
    definitions = sweep.problem.program.definitions
    readers = {consumer}
    chosen: list[str] = []
    for name in reversed(between):
        if any(reader in readers for reader in sweep.problem.program.consumers[name] if reader in definitions):
            readers.add(name)
            chosen.append(name)
    return tuple(reversed(chosen))
