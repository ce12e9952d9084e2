"""Derivatives along a direction, forward through a program: ``R{Y} = sum_t dY/dX_t R{X_t}``, one path for each X.

With the gradients in the program, this is the product of the Hessian with the direction, at the cost of about two
gradients (Pearlmutter, Fast exact multiplication by the Hessian, 1994).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import fresh_indices
from indexcalc.algebra.terms import Access, Term
from indexcalc.calculus.adjoint import Between, Sweep, nomenclature, statistics_derivatives
from indexcalc.calculus.contract import contract
from indexcalc.calculus.differentiate import Tidy, Wanted, insert, local_derivative
from indexcalc.calculus.statistics import find_flow, nearest_consumers
from indexcalc.calculus.steps import Path, Rule, Section, Step
from indexcalc.errors import placed
from indexcalc.problem import Problem
from indexcalc.program import Equation, Tensor, Unknown


@dataclass(frozen=True, slots=True)
class Tangents:
    """Derivatives along directions.

    Attributes:
        sections: of every tensor on the way that an equation defines.
        statistics: the tensors that were differentiated through.
        unknowns: the derivatives of unknowns, each with the derivative of the residual, which is zero.
    """

    sections: tuple[Section, ...]
    statistics: frozenset[str]
    unknowns: tuple[Unknown, ...]


def tangent_sections(problem: Problem, directions: Mapping[str, str], taken: Collection[str], tidy: Tidy) -> Tangents:
    """The derivative of each tensor on the way along the directions, in program order.

    In a recurrence, that of a tensor reads itself at other steps, as the tensor does. That of an unknown is an unknown
    too: the residual stays zero, so its derivative along the directions is zero, which is a system.

    Args:
        problem: the program; its targets are what it is differentiated by, its upstream gradients have the names of
            the results, each of the tensor whose derivative is asked for.
        directions: the direction for each target.
        taken: names that are in use.
        tidy: value-keeping simplification.
    """
    flow = find_flow(problem)
    sweep = Sweep(problem, flow, nomenclature(problem), tidy)
    asked = {up.of: up.name for up in problem.upstream}
    names = dict(directions)
    for name in flow.needed:
        if name not in names:
            names[name] = asked.get(name) or tangent_name(name, {*taken, *names.values()})
    moved = [name for name in flow.needed if name not in directions and name in problem.program.definitions]
    sections = [tangent_section(sweep, name, names, taken) for name in moved]
    for name, called in asked.items():
        if name not in flow.needed:
            zero = Equation(Access(called, problem.program.tensors[name].slots), (), said_of(name))
            sections.append(Section(zero, None, (), ()))
    unknowns = tuple(
        Unknown(Tensor(names[one.name], one.tensor.slots, said_of(one.name)), names[one.residual])
        for one in problem.program.unknowns
        if one.residual in moved
    )
    return Tangents(tuple(sections), flow.statistics, unknowns)


def said_of(name: str) -> str:
    """What the derivative of a tensor along a direction is, in a few words."""
    return f"derivative of {name} along the direction"


def tangent_name(name: str, taken: Collection[str]) -> str:
    """``z_dot`` for ``z``, with more of it where that is in use."""
    found = f"{name}_dot"
    while found in taken:
        found += "_"
    return found


def tangent_section(sweep: Sweep, name: str, names: Mapping[str, str], taken: Collection[str]) -> Section:
    """The derivative of one tensor along a direction: what each tensor that it reads contributes."""
    program, statistics = sweep.problem.program, sweep.flow.statistics
    tensor = program.tensors[name]
    lhs = Access(names[name], tensor.slots)
    here = (Term(sp.S.One, ((lhs, sp.S.One),)),)
    sources = [source for source in sweep.flow.needed if name in nearest_consumers(program, statistics, source)]
    avoid = program.names | frozenset(taken)
    partials, terms, found = [], list[Term](), []
    with placed(program.definitions[name].place):
        for source in sources:
            slots = fresh_indices(program.tensors[source].slots, avoid | {slot.name for slot in tensor.slots})
            wrt = Access(source, slots)
            inside = avoid | {slot.name for slot in (*slots, *tensor.slots)}
            before = statistics_derivatives(sweep, Between(wrt, inside), name)
            known = {one.partial.base.tensor: one for one in before if isinstance(one.partial.base, Access)}
            own = local_derivative(program.definitions[name], tensor.entry, Wanted(wrt, known, inside), sweep.tidy)
            partials.append((own.partial, own.result))
            found.append(Path(wrt, (*before, own), (), own.result))
            tangent = Access(names[source], slots)
            terms.append(Term(sp.S.One, ((partials[-1][0], sp.S.One), (tangent, sp.S.One)), slots))
        chain = tuple(terms)
        steps = [Step(Rule.ALONG, lhs, here, chain)]
        after = chain
        for partial, value in partials:
            after = insert(after, partial, value)
        steps.append(Step(Rule.SUBSTITUTE, lhs, chain, after))
        steps.extend(contract(lhs, after))
        steps.extend(sweep.tidy(lhs, steps[-1].after))
        combined = collect(steps[-1].after)
        if combined != steps[-1].after:
            steps.append(Step(Rule.COLLECT, lhs, steps[-1].after, combined))
    return Section(Equation(lhs, steps[-1].after, said_of(name)), None, tuple(found), tuple(steps))
