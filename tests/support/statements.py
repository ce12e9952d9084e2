"""Statements evaluated one after another by the naive evaluator, and the statements of both passes of a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import sympy as sp

from indexcalc.algebra.terms import Index, Term
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.joining import both_passes
from indexcalc.codegen.fast.storing import ancestors
from indexcalc.codegen.outline import make_plan
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point


def run_statements(statements: Iterable[Statement], given: Mapping[str, Array], point: Point) -> dict[str, Array]:
    """Every tensor, by name."""
    values = dict(given)
    for statement in statements:
        values[statement.name] = value_of(statement, values, point.sizes, point.parameters)
    return values


def value_of(
    statement: Statement,
    values: Mapping[str, Array],
    sizes: Mapping[sp.Symbol, int],
    parameters: Mapping[sp.Symbol, float],
) -> Array:
    """What one statement computes."""
    axes: tuple[Index, ...] = (*statement.axes, *statement.over)
    array = evaluate(statement.terms, axes, values, sizes, parameters)
    last = tuple(range(len(statement.axes), len(axes)))
    if statement.kind is Kind.MAXIMUM:
        return array.max(axis=last)
    if statement.kind is Kind.MINIMUM:
        return array.min(axis=last)
    if statement.kind is Kind.HIDDEN:
        truth = evaluate(
            (Term(sp.S.One, tuple((mask, sp.S.One) for mask in statement.masks)),), axes, {}, sizes, parameters
        )
        return np.where(truth != 0, array, -np.inf)
    return array


def statements_of(derivation: Derivation) -> tuple[tuple[Statement, ...], tuple[str, ...], set[str]]:
    """The statements of both passes, the outputs and gradients of inputs, and the names in use."""
    plan, problem = make_plan(derivation), derivation.problem
    taken = {s.name for s in (*plan.forward, *plan.backward)} | {*plan.tensors, *plan.program.tensors}
    joined = both_passes(plan.forward, plan.backward, taken)
    inputs = {tensor.name for tensor in plan.program.inputs}
    gradients = [problem.gradient_names[target] for target in problem.targets if target in inputs]
    wanted = tuple(dict.fromkeys((*plan.program.outputs, *gradients)))
    needed = set(ancestors(joined, wanted))
    return tuple(statement for statement in joined if statement.name in needed), wanted, taken
