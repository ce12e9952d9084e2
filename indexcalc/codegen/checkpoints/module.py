"""A derivation as a module that keeps few steps: `value_and_grad`, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.checkpoints.holding import Held, Holding
from indexcalc.codegen.checkpoints.loops import SegmentsWriter
from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.layout import head
from indexcalc.codegen.module import (
    AMBIGUOUS,
    extent_lines,
    gradient_lines,
    gradient_text,
    import_blocks,
    result_lines,
    statement_block,
    template,
    title,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.outline import (
    Plan,
    forward_scope,
    gradient_variables,
    make_plan,
    module_names,
    module_symbols,
    passes_of,
)
from indexcalc.codegen.parts import record_of, result_values, returned
from indexcalc.codegen.prose import paragraph
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.shapes import check_function, input_check, shapes_of
from indexcalc.codegen.signatures import arguments_of, empty_row_lines, tensor_line, wanted_extents
from indexcalc.codegen.special import Special, needed_functions
from indexcalc.codegen.steps import LoopWriter
from indexcalc.codegen.storage import extent_lines as lengths_of
from indexcalc.errors import UnsupportedError
from indexcalc.rewrite.derive import derive

SEGMENTS = '''\
def _segments(steps: int, every: int | None) -> list[tuple[int, int]]:
    """Where segments begin and end; about as many as each has steps, unless told."""
    length = max(round(steps**0.5), 1) if every is None else int(every)
    if length < 1 or length != (every or length):
        raise ValueError(f"every is {every}; a segment has 1 step at least")
    return [(n, min(n + length, steps)) for n in range(0, steps, length)]'''

FORGET = '''\
def _forget(held: tuple[dict, ...], first: int, stop: int) -> None:
    """Let go of what is held of the steps from first on, up to stop."""
    for steps in held:
        for step in range(first, stop):
            steps.pop(step, None)'''

CHECKPOINTS = replace(
    NUMPY,
    template="checkpoints_module.py.jinja2",
    along=True,
    private={**NUMPY.private, "_segments": Special(SEGMENTS), "_forget": Special(FORGET)},
)
"""NumPy, with loops that compute all that they can on their way."""

EVERY = "how many steps a segment has, about the root of the number of steps by default."


class NoStepsError(UnsupportedError):
    """There are no steps that could be left out."""


@dataclass(frozen=True)
class CheckpointsModule:
    """A module that keeps few steps, and the names in it.

    Attributes:
        source: the text of the module.
        names: the field of `Gradients` for every gradient, and the name of every tensor.
        symbols: the Python name of every parameter and extent.
        targets: the tensors whose gradients it returns.
        outputs: the tensors that it returns, in order.
        whole: the tensors with a part for each step that are there in full.
        lengths: how many steps the loops have.
    """

    source: str
    names: Mapping[str, str]
    symbols: Mapping[str, str]
    targets: tuple[str, ...]
    outputs: tuple[str, ...]
    whole: tuple[str, ...]
    lengths: tuple[sp.Expr, ...]


def checkpoints_module(derivation: Derivation) -> CheckpointsModule:
    """A NumPy module that keeps what recurrences compute at some steps alone, and computes the others again.

    With N steps and segments of about the root of N it holds some 2 sqrt(N) of them, and the first pass is done
    twice. What an author wants to be recomputed makes no difference here.

    Args:
        derivation: what to write.

    Raises:
        NoStepsError: if nothing is computed step by step, or all of it is returned.
        UnsupportedError: if a scalar or factor cannot be written in NumPy.
    """
    problem = derivation.problem
    if problem.recompute:
        derivation = derive(replace(problem, recompute=()))
    plan = make_plan(derivation, CHECKPOINTS)
    backward = derivation.backward
    arrays = (name for order in derivation.orders for name in order.arrays)
    results = tuple(dict.fromkeys((*plan.program.outputs, *backward.outputs, *arrays)))
    statements = (*plan.forward, *plan.backward)
    held = Held(statements, passes_of(derivation, along=True)[1], frozenset(results))
    if not held.loops:
        raise NoStepsError(
            "nothing here is computed step by step, so there are no steps to keep a few of; `recompute` in the spec "
            "says what is not kept for the backward pass"
        )
    if all(how in (Holding.ARRAY, Holding.TOTAL) for how in held.holding.values()):
        raise NoStepsError(
            "all that is computed step by step here is returned, or read as a whole, so no step can be left out; "
            "code for reading and code for speed keep them too"
        )
    taken = {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values(), *plan.steps.values()}
    every = unused("every", taken)
    writer = SegmentsWriter(held, every, unused("begin", taken), unused("end", taken))
    body = statement_block(plan, statements, forward_scope(plan), results, LoopWriter(writer.scopes, writer.lines))
    function = whole_function(plan, body, every, notes_on(held, plan))
    records = tuple(record_of(plan, order) for order in derivation.orders if not order.whole)
    shapes = shapes_of(plan)
    check = [check_function(shapes)] if shapes is not None else []
    code = [*body, *(line for record in records for line in record.code)]
    private = [
        *check,
        *(CHECKPOINTS.private[name].source for name in needed_functions([*code, *check], CHECKPOINTS.private)),
    ]
    ambiguous = [name for name in sorted({*plan.stored.values(), *plan.scalars.values()}) if name in AMBIGUOUS]
    source = template(CHECKPOINTS.template).render(
        ambiguous=", ".join(ambiguous),
        imports=import_blocks(CHECKPOINTS, [*code, *private]),
        summary="\n".join(paragraph(f"{title(plan)}: both passes, with few steps kept.", hang="", opening='"""')),
        extents=extent_lines(plan),
        shapes=shapes,
        gradient_fields=[*gradient_lines(plan), *result_lines(plan)],
        gradient_text=gradient_text(plan),
        records=records,
        functions=[function],
        private_functions=private,
    )
    return CheckpointsModule(
        source,
        module_names(derivation, CHECKPOINTS),
        module_symbols(derivation, CHECKPOINTS),
        problem.targets,
        plan.program.outputs,
        tuple(name for name, how in held.holding.items() if how is Holding.ARRAY),
        tuple(dict.fromkeys(loop.extent for loop in held.loops)),
    )


def whole_function(plan: Plan, body: list[str], every: str, notes: tuple[str, ...]) -> Function:
    """``value_and_grad(inputs, upstream gradients, *, every) -> (outputs, Gradients)``."""
    upstream = plan.derivation.problem.handed
    named = [plan.stored[name] for name in plan.program.outputs]
    given, lines = arguments_of(plan, keywords_of(plan))
    place = given.index("*") if "*" in given else len(given)
    arrays = [f"{plan.stored[up.name]}: {plan.dialect.array}" for up in upstream]
    of_upstream = [
        line for up in upstream for line in tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    ]
    inputs = [line for tensor in plan.program.inputs for line in tensor_line(plan, tensor.name, tensor.doc)]
    arguments = [*given[:place], *arrays, "*", *given[place + 1 :], f"{every}: int | None = None"]
    documented = (*inputs, *of_upstream, *lines[len(inputs) :], *paragraph(f"{every}: {EVERY}", 2))
    array = plan.dialect.array
    several = ", ".join([array] * len(named)) if len(named) < 4 else f"{array}, ..."
    kinds = array if len(named) == 1 else f"tuple[{several}]"
    first = head("value_and_grad", arguments, f"tuple[{kinds}, Gradients]")
    outputs = named[0] if len(named) == 1 else f"({', '.join(named)})"
    ends = returned({**gradient_variables(plan), **result_values(plan)}, f"return {outputs}, ")
    sources = [plan.array(tensor.name) for tensor in plan.program.inputs]
    sources += [plan.array(up.name) for up in upstream]
    extents = lengths_of(wanted_extents(plan, body), sources, plan.unread, forward_scope(plan))
    what = "The outputs" if len(named) > 1 else f"`{named[0]}`"
    return Function(
        first,
        f"{what} and the gradients, with few steps kept.",
        documented,
        (*extents, *body, *ends),
        notes,
        checks=tuple(input_check(plan, plan.unread, [up.name for up in upstream])),
    )


def keywords_of(plan: Plan) -> tuple[sp.Symbol, ...]:
    """The scalars that are given: extents that no shape shows, then parameters, those with a default last."""
    parameters = sorted(plan.program.parameters, key=lambda p: p.default is not None)
    return (*plan.unread, *(parameter.symbol for parameter in parameters))


def notes_on(held: Held, plan: Plan) -> tuple[str, ...]:
    """What is held of steps, and what a softmax of nothing gives."""

    def those(how: Holding) -> str:
        names = (name for name, own in held.holding.items() if own is how and name not in held.results)
        return ", ".join(f"`{plan.stored[name]}`" for name in names if name in plan.stored)

    few, all_steps = those(Holding.STEPS), those(Holding.ARRAY)
    said = [f"Of {few} only some steps are there at a time."] if few else []
    said += [f"Of {all_steps} all are, for they are read as a whole."] if all_steps else []
    return (*(paragraph(" ".join(said), 2, hang="") if said else ()), *empty_row_lines(plan))
