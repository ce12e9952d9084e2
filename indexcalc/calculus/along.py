"""Derivatives along a direction, forward through a program: ``R{Y} = sum_t dY/dX_t R{X_t}``, one path for each X.

With the gradients in the program, this is the product of the Hessian with the direction, at the cost of about two
gradients (Pearlmutter, Fast exact multiplication by the Hessian, 1994).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sympy as sp

from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import fresh_indices
from indexcalc.algebra.terms import Access, Partial, Term
from indexcalc.calculus.adjoint import Between, Sweep, nomenclature, statistics_derivatives
from indexcalc.calculus.contract import contract
from indexcalc.calculus.differentiate import Tidy, Wanted, insert, local_derivative
from indexcalc.calculus.statistics import find_flow, nearest_consumers
from indexcalc.calculus.steps import Path, Rule, Section, Step
from indexcalc.errors import placed
from indexcalc.problem import Problem
from indexcalc.program import Equation


def tangent_sections(
    problem: Problem, directions: Mapping[str, str], taken: Collection[str], tidy: Tidy
) -> tuple[tuple[Section, ...], frozenset[str]]:
    """The derivative of each tensor on the way along the directions, in program order; with the statistics.

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
    sections = [tangent_section(sweep, name, names, taken) for name in flow.needed if name not in directions]
    for name, called in asked.items():
        if name not in flow.needed:
            zero = Equation(Access(called, problem.program.tensors[name].slots), (), said_of(name))
            sections.append(Section(zero, None, (), ()))
    return tuple(sections), flow.statistics


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
    sources = [
        source
        for source in sweep.flow.needed
        if source != name and name in nearest_consumers(program, statistics, source)
    ]
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
            partials.append((Partial(tensor.entry, wrt), own.result))
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
