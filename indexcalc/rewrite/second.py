"""Second derivatives: the forward and the backward pass as one program, whose results are the gradients."""

from __future__ import annotations

from collections.abc import Collection

from indexcalc.calculus.steps import Derivation
from indexcalc.consistency import check_program
from indexcalc.errors import ProgramError
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Program, Tensor


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


def second_order(derivation: Derivation, targets: Collection[str] = ()) -> Problem:
    """The gradients of ``sum_X <V_dX, dL/dX>`` over the gradients dL/dX of a derivation, as a problem of its own.

    For a loss and one gradient this is the product of the Hessian with V. Upstream gradients of the first
    problem are inputs of the second, so that their gradients may be asked for too.

    Args:
        derivation: of the first gradients.
        targets: by which tensors to differentiate; by default those of the first problem.

    Raises:
        ProgramError: if the two passes don't fit together as one program.
    """
    first, backward = derivation.problem, derivation.backward
    if derivation.orders:
        names = ", ".join(order.result.name for order in derivation.orders)
        raise ProgramError(f"{names} is a second derivative or a Jacobian already; differentiate a gradient")
    program = joined(derivation)
    taken = set(program.tensors)
    given = []
    for name in backward.outputs:
        direction = f"V_{name}"
        while direction in taken:
            direction = f"V{direction}"
        taken.add(direction)
        given.append(Upstream(direction, name, f"the direction in which {name} is differentiated"))
    return Problem(program, tuple(given), tuple(targets) or first.targets, slug=f"{first.slug}_second")
