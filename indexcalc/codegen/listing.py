"""The lines of the code for reading by the equation that they compute."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.functions import pass_lines
from indexcalc.codegen.outline import backward_scope, forward_scope, make_plan


def code_by_equation(derivation: Derivation) -> Mapping[str, str]:
    """The lines of the NumPy module that lead from the equation before to each one, by the names of tensors.

    Lines of a loop over steps stand with the last of its equations. What the backward pass computes again stands with
    the forward pass alone.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written in NumPy.
    """
    plan = make_plan(derivation, NUMPY)
    taken = {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values()}
    passes = (
        (derivation.problem.program, plan.forward, forward_scope(plan), plan.kept),
        (derivation.backward, plan.backward, backward_scope(plan), derivation.backward.outputs),
    )
    found: dict[str, str] = {}
    for program, statements, scope, results in passes:
        own, waiting = {equation.name for equation in program.computed}, list[str]()
        for statement, lines in zip(statements, pass_lines(statements, scope, {*taken}, results=results), strict=True):
            waiting += lines
            if statement.name in own and lines:
                found.setdefault(statement.name, dedent("\n".join(waiting)))
                waiting = []
    return found
