"""Newton's method for a system that is not affine: the linear system of one step, from values of the unknown.

With the residual ``r(x)`` and its slopes ``J = dr/dx``, a root is near ``x - s``, where ``J s = r``. The slopes are a
Jacobian like any other, derived with its deltas: along the indices of these, a step has a system by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.renaming import with_tensors
from indexcalc.algebra.terms import Access, Term, tensors_of
from indexcalc.calculus.relabel import Nomenclature
from indexcalc.problem import Derivative, Kind, Problem
from indexcalc.program import Equation, Program, Tensor, Unknown
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.systems import Affine, in_batches


@dataclass(frozen=True)
class NewtonStep:
    """One step of Newton's method.

    Attributes:
        program: the residual, and parts of its slopes, from values of the unknown, which is an input here.
        system: what determines the step.
    """

    program: Program
    system: Affine


def newton_step(unknown: Unknown, block: Sequence[Equation], program: Program) -> NewtonStep:
    """One step of Newton's method for a system; its tensors have names that the program has not.

    Args:
        unknown: what the system determines.
        block: its equations, the residual last.
        program: of which it is a part.
    """
    own = {equation.name for equation in block}
    read = dict.fromkeys(name for equation in block for name in tensors_of(equation.terms) if name not in own)
    inputs = tuple(program.tensors[name] for name in read)
    inner = Program("", inputs, tuple(block), (unknown.residual,), program.indices, parameters=program.parameters)
    asked = Derivative(Kind.JACOBIAN, unknown.residual, (unknown.name,))
    derivation = derive(Problem(inner, (), (), derivatives=(asked,)))
    (order,) = derivation.orders
    parts = [equation for equation in derivation.backward.equations if equation.name != order.equation.name]
    names = {equation.name: fresh(f"{unknown.name}_{equation.name}", program) for equation in parts}
    rows, columns = order.equation.slots[: order.rows], order.equation.slots[order.rows :]
    step = Unknown(Tensor(fresh(f"{unknown.name}_step", program), columns), unknown.residual)
    right = (Term(sp.S.One, ((Access(unknown.residual, rows), sp.S.One),)),)
    slopes = with_tensors(order.equation.terms, names)
    system = in_batches(step, rows, slopes, right, Nomenclature({}, program.indices))
    return NewtonStep(replace(inner, equations=(*block, *(renamed(e, names) for e in parts))), system)


def fresh(name: str, program: Program) -> str:
    """The name, with underscores where the program has it."""
    while name in program.names:
        name += "_"
    return name


def renamed(equation: Equation, names: Mapping[str, str]) -> Equation:
    """The equation with other names for some tensors."""
    lhs = Access(names.get(equation.name, equation.name), equation.slots)
    return replace(equation, lhs=lhs, terms=with_tensors(equation.terms, names), hoisted=True)
