"""The backward pass as a program, from the sections of a derivation."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Section
from indexcalc.problem import Problem
from indexcalc.program import Program, Tensor
from indexcalc.rewrite.cost import live_equations


def backward_program(problem: Problem, sections: Sequence[Section]) -> Program:
    """The equations that the gradients asked for depend on, as a program.

    The inputs are forward tensors in program order, then upstream gradients; the outputs are the
    gradients in the order asked for.
    """
    forward = problem.program
    outputs = tuple(problem.gradient_names[name] for name in problem.targets)
    equations = live_equations([section.equation for section in sections], outputs)
    read = {name for equation in equations for name in tensors_of(equation.terms)}
    inputs = [tensor for name, tensor in forward.tensors.items() if name in read]
    for up in problem.upstream:
        if up.name in read:
            inputs.append(Tensor(up.name, forward.tensors[up.of].slots, up.doc or f"upstream gradient of {up.of}"))
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
    )


def backward_layouts(problem: Problem) -> dict[str, tuple[int, ...]]:
    """The layouts of the forward tensors, and of their gradients, which have the same shapes."""
    layouts = dict(problem.program.layouts)
    for name, groups in problem.program.layouts.items():
        layouts[problem.gradient_names[name]] = groups
        layouts.update({up.name: groups for up in problem.upstream if up.of == name})
    return layouts
