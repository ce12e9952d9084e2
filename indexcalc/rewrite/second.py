"""Second derivatives: the forward and the backward pass as one program, whose results are the gradients."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from indexcalc.calculus.steps import Derivation
from indexcalc.errors import ProgramError
from indexcalc.problem import Problem, Upstream
from indexcalc.rewrite.backward import joined
from indexcalc.rewrite.derive import derive


def second_order(derivation: Derivation, targets: Collection[str] = ()) -> Problem:
    """The gradients of ``sum_X <V_dX, dL/dX>`` over the gradients dL/dX of a derivation, as a problem of its own.

    For a loss and one gradient this is the product of the Hessian with V. Upstream gradients of the first
    problem are inputs of the second, so that their gradients may be asked for too. Gradients that rest on what is
    assumed of a tensor that varies are derived once more without it: of their slopes it says nothing.

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
    targets = tuple(targets) or first.targets
    apart = first.program.without_assumptions_on(name for name in targets if name in first.program.tensors)
    if apart is not first.program:
        derivation = derive(replace(first, program=apart))
    program = replace(joined(derivation), assumptions=first.program.assumptions)
    taken = set(program.tensors)
    given = []
    for name in backward.outputs:
        direction = f"V_{name}"
        while direction in taken:
            direction = f"V{direction}"
        taken.add(direction)
        given.append(Upstream(direction, name, f"the direction in which {name} is differentiated"))
    return Problem(program, tuple(given), targets, slug=f"{first.slug}_second")
