"""From a problem to its derivation: the reverse sweep, then the rewriting passes in order."""

from __future__ import annotations

from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.calculus.statistics import find_flow
from indexcalc.calculus.steps import Derivation
from indexcalc.problem import Problem
from indexcalc.program import check_program
from indexcalc.rewrite.backward import backward_program


def derive(problem: Problem) -> Derivation:
    """The gradients asked for, each with the steps that lead to it, and the backward pass as a program."""
    check_program(problem.program)
    sections = derive_gradients(problem)
    backward = backward_program(problem, sections)
    check_program(backward)
    gradients = {problem.gradient_names[s.target]: s.target for s in sections if s.target is not None}
    return Derivation(problem, sections, backward, gradients, find_flow(problem).statistics)
