"""Systems that are not linear, in code: Newton's method, with a function that computes one step of it.

A step is a program like any other: it is put into stable form, and solves its system, as a pass does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access
from indexcalc.codegen.formula import terms_text
from indexcalc.codegen.largest import live
from indexcalc.codegen.shared import share_functions
from indexcalc.codegen.stable.passes import stable_passes
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.systems import Lowered, Lowering, system_text, with_plain_operands
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.newton import NewtonStep, newton_step
from indexcalc.rewrite.systems import Affine

NOTHING = Program("", (), (), ())


def root_statement(unknown: Unknown, program: Program, taken: set[str]) -> Statement:
    """The statement that computes an unknown by Newton's method, with those of a step inside.

    Args:
        unknown: what a system determines.
        program: of which the system is a part.
        taken: the names in use; new ones join.
    """
    block = program.systems[unknown.name]
    step = newton_step(unknown, block, program)
    lowered = lowered_step(step, block, taken)
    passes = stable_passes(lowered.program, NOTHING, (), (lowered.solves, ()))
    # A function of its own has names of its own.
    statements = tuple(share_functions(with_plain_operands(passes.forward), set(taken), passes.maxima))
    results, spare = {step.system.unknown.name, unknown.residual}, {statement.name for statement in statements}
    inside = live(statements, frozenset(results), frozenset(spare))
    note = system_text(unknown, program.definitions[unknown.residual], program.layouts)
    found = Statement(unknown.name, unknown.tensor.slots, (), Kind.ROOT, note=note)
    return replace(found, inside=inside, residual=unknown.residual)


def lowered_step(step: NewtonStep, block: Sequence[Equation], taken: set[str]) -> Lowered:
    """The program of a step, with its system taken apart.

    Args:
        step: how it is found.
        block: the equations of the system that it is a step for.
        taken: the names in use; new ones join.
    """
    lowering = Lowering(step.program, taken)
    lowering.equations += step.program.equations
    lowering.take_apart(step.system, "", block[0].place)
    solves = [replace(solve, note=step_text(solve, step.system)) for solve in lowering.solves]
    return replace(lowering.lowered, solves=tuple(solves))


def step_text(solve: Statement, system: Affine) -> str:
    """``solve s[j]: sum[j](M[i,j]*s[j]) = r[i]``."""
    (matrix, _) = solve.terms[0].powers[0]
    step = product(sp.S.One, ((Access(solve.name, solve.axes), sp.S.One),))
    left = product(sp.S.One, ((matrix, sp.S.One), *step.powers), system.columns)
    return f"solve {terms_text((step,))}: {terms_text((left,))} = {terms_text(system.right)}"
