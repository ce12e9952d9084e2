"""Derivatives that are no gradients at hostile inputs: both passes as one program, with results like any other.

That their formulas are derivatives is shown at mild inputs; here it counts whether code computes them well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from indexcalc.calculus.steps import Derivation
from indexcalc.problem import Problem
from indexcalc.program import Program, Tensor
from indexcalc.proof.hostile.styles import CodeStyle
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point


def both_passes(derivation: Derivation) -> Problem:
    """The problem itself; with other derivatives than gradients, both passes as one program."""
    problem, backward = derivation.problem, derivation.backward
    if not derivation.orders:
        return problem
    program = problem.program
    given = (Tensor(one.name, program.tensors[one.of].slots, one.doc) for one in problem.handed)
    made = set(program.definitions)
    equations = (*program.equations, *(eq for eq in derivation.put_together.equations if eq.name not in made))
    results = (*program.outputs, *derivation.put_together.outputs)
    whole = Program(
        title=program.title,
        inputs=(*program.inputs, *given),
        equations=equations,
        outputs=tuple(dict.fromkeys(results)),
        indices=program.indices,
        index_docs=program.index_docs,
        parameters=program.parameters,
        assumptions=program.assumptions,
        layouts=backward.layouts,
        unknowns=(*program.unknowns, *backward.unknowns),
    )
    return Problem(whole, (), (), slug=problem.slug)


def of_both_passes(style: CodeStyle, problem: Problem) -> CodeStyle:
    """A style of code that takes what the backward pass is given from a point of both passes."""

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        return style.candidate(point, {one.name: point.values[one.name] for one in problem.handed})

    return replace(style, candidate=candidate, gradients=())
