"""The backward pass as a program, from the sections of a derivation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.consistency import check_program
from indexcalc.problem import Problem
from indexcalc.program import Equation, Program, Tensor, Unknown
from indexcalc.recurrence import NO_SYSTEMS, Recurrence, groups_of, is_recurrent, recurrence_of
from indexcalc.rewrite.cost import live_equations


def backward_program(
    problem: Problem, sections: Sequence[Section], others: Sequence[str] = (), determined: Sequence[Unknown] = ()
) -> Program:
    """The equations that the gradients asked for depend on, as a program.

    The inputs are forward tensors in program order, then upstream gradients; the outputs are the
    gradients in the order asked for, then `others` that sections define. Forward tensors that are not kept
    are computed first, again. What is `determined` besides adjoint variables has its residuals among the sections.
    """
    forward = problem.program
    defined = {section.equation.name for section in sections}
    asked = (problem.gradient_names[name] for name in problem.targets)
    outputs = tuple(dict.fromkeys((*asked, *(name for name in others if name in defined))))
    systems = {**problem.adjoint_systems, **{unknown.name: unknown.residual for unknown in determined}}
    derived = in_steps(live_equations([section.equation for section in sections], outputs, systems), systems)
    equations = in_steps((*recomputed_equations(problem, derived, others), *derived), systems)
    read = {name for equation in equations for name in tensors_of(equation.terms)} | set(others)
    unknowns = tuple(adjoint_unknown(problem, unknown) for unknown in reversed(forward.unknowns))
    unknowns = (*unknowns, *determined)
    made = {equation.name for equation in equations}
    inputs = [tensor for name, tensor in forward.tensors.items() if name in read and name not in made]
    for up in problem.upstream:
        if up.name in read:
            inputs.append(Tensor(up.name, forward.tensors[up.of].slots, up.doc or f"upstream gradient of {up.of}"))
    for one in problem.directions:
        if one.name in read:
            inputs.append(Tensor(one.name, forward.tensors[one.of].slots, one.doc or f"direction for {one.of}"))
    return Program(
        title=f"{forward.title}: backward pass",
        inputs=tuple(inputs),
        equations=equations,
        outputs=outputs,
        indices=forward.indices,
        index_docs=forward.index_docs,
        parameters=forward.parameters,
        assumptions=forward.assumptions,
        layouts=backward_layouts(problem),
        held=held_values(forward, [tensor.name for tensor in inputs]),
        unknowns=tuple(unknown for unknown in unknowns if unknown.residual in made),
    )


def adjoint_unknown(problem: Problem, unknown: Unknown) -> Unknown:
    """The adjoint variable of an unknown: one entry for each equation of its system."""
    slots = problem.program.tensors[unknown.residual].slots
    tensor = Tensor(problem.gradient_names[unknown.residual], slots, f"adjoint variable of {unknown.name}")
    return Unknown(tensor, problem.stationary[unknown.name])


def in_steps(equations: tuple[Equation, ...], residuals: Mapping[str, str] = NO_SYSTEMS) -> tuple[Equation, ...]:
    """The equations in their order, those of a recurrence together, each after what it reads at its own step.

    Those of a system stand together as well, the residual at the end.
    """
    groups = groups_of(equations, residuals)
    if not residuals and not any(map(is_recurrent, groups)):
        return equations
    by_name = {equation.name: equation for equation in equations}
    order: list[str] = []
    for group in groups:
        is_system = any(equation.name in residuals.values() for equation in group)
        for part in groups_of(group) if is_system else (group,):
            found = recurrence_of(part) if is_recurrent(part) else None
            order += found.axes if isinstance(found, Recurrence) else [equation.name for equation in part]
    return tuple(by_name[name] for name in order)


def recomputed_equations(
    problem: Problem, derived: Sequence[Equation], others: Sequence[str] = ()
) -> tuple[Equation, ...]:
    """The forward equations, in order, of what is read and not kept, and of what these read and is not kept.

    `others` are read besides: they are part of a result.

    A sum that the reader named is part of the formula it stands in, so it is computed again with it.
    """
    read = {*others, *(name for equation in derived for name in tensors_of(equation.terms))}
    wanted = read & set(problem.recompute)
    definitions, pending = problem.program.definitions, list(wanted)
    while pending:
        name = pending.pop()
        fresh = {other for other in tensors_of(definitions[name].terms) if is_remade(problem, other)} - wanted
        wanted |= fresh
        pending += fresh
    return tuple(equation for equation in problem.program.equations if equation.name in wanted)


def is_remade(problem: Problem, name: str) -> bool:
    """Whether a tensor is computed again where an equation that is computed again reads it."""
    definition = problem.program.definitions.get(name)
    return name in problem.recompute or (definition is not None and definition.hoisted)


def backward_layouts(problem: Problem) -> dict[str, tuple[int, ...]]:
    """The layouts of the forward tensors, and of their gradients, which have the same shapes."""
    layouts = dict(problem.program.layouts)
    for name, groups in problem.program.layouts.items():
        layouts[problem.gradient_names[name]] = groups
        layouts.update({given.name: groups for given in problem.handed if given.of == name})
    for result in problem.results:
        names = (result.of,) if result.along else (result.of, *result.by)
        if any(name in problem.program.layouts for name in names):
            axes = [len(axis) for name in names for axis in problem.program.axes(name)]
            layouts[result.name] = tuple(axes)
    return layouts


def held_values(program: Program, inputs: Collection[str]) -> dict[str, tuple[str, ...]]:
    """For each of `inputs` that a program computes, the others of them that it computes it from."""
    sources: dict[str, frozenset[str]] = {}
    for block in program.blocks:
        read = frozenset(name for equation in block for name in tensors_of(equation.terms))
        every = read.union(*(sources.get(name, frozenset()) for name in read))
        sources.update({equation.name: every for equation in block})
    return {name: tuple(other for other in inputs if other in sources[name]) for name in inputs if name in sources}


def joined(derivation: Derivation) -> Program:
    """The forward and the backward pass as one program; upstream gradients are inputs of it.

    Raises:
        ProgramError: if the two passes don't fit together as one program.
    """
    first, forward, backward = derivation.problem, derivation.problem.program, derivation.backward
    upstream = tuple(Tensor(up.name, forward.tensors[up.of].slots, up.doc) for up in first.upstream)
    program = Program(
        title=f"{forward.title}: gradients of gradients",
        inputs=(*forward.inputs, *upstream),
        equations=(*forward.equations, *derivation.derived),
        outputs=backward.outputs,
        indices=forward.indices,
        index_docs=forward.index_docs,
        parameters=forward.parameters,
        assumptions=forward.assumptions,
        layouts=backward.layouts,
        unknowns=(*forward.unknowns, *backward.unknowns),
    )
    check_program(program)
    return program
