"""The backward pass as a program, from the sections of a derivation."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Section
from indexcalc.problem import Problem
from indexcalc.program import Program, Tensor


def backward_program(problem: Problem, sections: Sequence[Section]) -> Program:
    """The equations of the sections as a program: what they read and do not define are its inputs.

    The inputs are forward tensors in program order, then upstream gradients; the outputs are the
    gradients in the order asked for.
    """
    defined = {section.equation.name for section in sections}
    read = {name for section in sections for name in tensors_of(section.equation.terms)} - defined
    forward = problem.program
    inputs = [tensor for name, tensor in forward.tensors.items() if name in read]
    for up in problem.upstream:
        if up.name in read:
            inputs.append(Tensor(up.name, forward.tensors[up.of].slots, up.doc or f"upstream gradient of {up.of}"))
    return Program(
        title=f"{forward.title}: backward pass",
        inputs=tuple(inputs),
        equations=tuple(section.equation for section in sections),
        outputs=tuple(problem.gradient_names[name] for name in problem.targets),
        indices=forward.indices,
        index_docs=forward.index_docs,
        parameters=forward.parameters,
        assumptions=forward.assumptions,
    )
