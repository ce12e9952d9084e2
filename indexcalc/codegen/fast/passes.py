"""The three functions of a fast module: `forward`, `backward`, and both at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.arguments import arguments, documented, setting_arguments, setting_lines
from indexcalc.codegen.fast.blocking import Blocking, Loop
from indexcalc.codegen.fast.body import stepping_body
from indexcalc.codegen.fast.bounded import put_lines, room_lines
from indexcalc.codegen.fast.library import Body
from indexcalc.codegen.fast.outline import (
    Fast,
    array_of,
    given_names,
    is_fused,
    scalars_of,
    stored_name,
)
from indexcalc.codegen.fast.storing import ancestors
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import call_or_wrap, head
from indexcalc.codegen.names import python_name
from indexcalc.codegen.parts import result_values, returned
from indexcalc.codegen.prose import paragraph, shape_text
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.shapes import input_check, upstream_check
from indexcalc.codegen.signatures import tensor_line, unpacking
from indexcalc.codegen.storage import Array, extent_lines, merge_line, sources_of, split_line, with_divisors
from indexcalc.program import BlockedLoop


def forward_function(fast: Fast) -> tuple[Function, Body]:
    """``forward(inputs) -> Values``."""
    plan = fast.plan
    results = tuple(dict.fromkeys((*fast.kept, *plan.program.outputs)))
    given = {tensor.name: tensor.slots for tensor in plan.program.inputs}
    if fast.passes is None:
        body = pass_body(fast, given, results, "forward")
    else:
        body = stepping_body(fast.passes[0], fast.problem, given, fast.names, fast.block)
    arrays = [plan.array(tensor.name) for tensor in plan.program.inputs]
    block = whole_block(fast, body, arrays, results)
    values = [plan.stored[t.name] for t in plan.program.inputs]
    values += [stored_name(fast, name) for name in fast.kept if name not in plan.program.outputs]
    values += [plan.stored[name] for name in plan.program.outputs if name not in {t.name for t in plan.program.inputs}]
    values += [plan.scalars[symbol] for symbol in scalars_of(fast)]
    block += call_or_wrap("return Values", values)
    summary = "Forward pass: the outputs, and what the backward pass reads."
    first = head("forward", arguments(fast, False), "Values")
    notes, checks = notes_on(body, fast), tuple(input_check(plan, plan.unread))
    return Function(first, summary, documented(fast, False), tuple(block), notes, checks=checks), body


def backward_function(fast: Fast) -> tuple[Function, Body]:
    """``backward(values, upstream gradients) -> Gradients``."""
    plan, problem = fast.plan, fast.problem
    kept = {name: problem.by_name[name].axes for name in fast.kept}
    outputs = {name: problem.by_name[name].axes for name in plan.program.outputs if name in problem.by_name}
    given = {**problem.given, **kept, **outputs}
    if fast.passes is None:
        body = pass_body(fast, given, fast.results, "backward")
    else:
        body = stepping_body(fast.passes[1], problem, given, fast.names, fast.block)
    upstream = [up.name for up in plan.derivation.problem.handed]
    ends = gradient_lines(fast, "return ")
    used = identifiers([*body.lines, *split_sources(fast, body), *result_values(plan).values()])
    there = [*(t.name for t in plan.program.inputs), *kept, *(n for n in outputs if n not in kept)]
    unpacked = [name for name in there if {stored_name(fast, name), fast.names.scope.tensors[name]} & used]
    arrays = [*(plan.array(name) for name in upstream), *(array_of(fast, name) for name in unpacked)]
    arrays += [
        Array(f"values.{plan.stored[t.name]}", plan.axes(t.name)) for t in plan.program.inputs if t.name not in unpacked
    ]
    block = [*whole_block(fast, body, arrays, fast.results, ends=ends, given=scalars_of(fast)), *ends]
    # An extent of a fused axis is computed from the others, which no formula need hold.
    scalars = [plan.scalars[symbol] for symbol in scalars_of(fast) if plan.scalars[symbol] in identifiers(block)]
    lines = [*unpacking([stored_name(fast, n) for n in unpacked] + scalars), *block]
    given_arrays = [f"{plan.stored[name]}: {plan.dialect.array}" for name in upstream]
    parameters = ["values: Values", *given_arrays, *setting_arguments(fast)]
    doc = ["values: what `forward` returned."]
    for up in plan.derivation.problem.handed:
        doc += tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    doc += setting_lines(fast)
    forward = ancestors(problem.statements, plan.program.outputs)
    again = "What is not kept is computed again." if made(body) & set(forward) else ""
    first = head("backward", parameters, "Gradients")
    notes = notes_on(body, fast, again)
    checks = tuple(upstream_check(plan, {*there, *plan.program.outputs}))
    return Function(first, "Backward pass.", tuple(doc), tuple(lines), notes, checks=checks), body


def whole_function(fast: Fast) -> tuple[Function, Body]:
    """``value_and_grad(inputs, upstream gradients) -> (outputs, Gradients)``."""
    plan = fast.plan
    outputs = plan.program.outputs
    if fast.passes is not None:
        return one_after_another(fast)
    body = pass_body(fast, fast.problem.given, fast.problem.wanted, "both")
    upstream = [up.name for up in plan.derivation.problem.handed]
    arrays = [plan.array(name) for name in (*(t.name for t in plan.program.inputs), *upstream)]
    named = [plan.stored[name] for name in outputs]
    ends = gradient_lines(fast, f"return {named[0] if len(named) == 1 else '(' + ', '.join(named) + ')'}, ")
    block = [*whole_block(fast, body, arrays, fast.problem.wanted, ends=ends), *ends]
    first, summary = whole_head(fast, named)
    notes, checks = notes_on(body, fast), tuple(input_check(plan, plan.unread, upstream))
    return Function(first, summary, documented(fast, True), tuple(block), notes, checks=checks), body


def one_after_another(fast: Fast) -> tuple[Function, Body]:
    """``value_and_grad`` as a call of `forward` and one of `backward`, which reads what the steps left."""
    plan = fast.plan
    named = [plan.stored[name] for name in plan.program.outputs]
    threads = fast.names.own["threads"]
    taken = {*plan.stored.values(), *plan.scalars.values(), threads}
    values = "values" if "values" not in taken else python_name("values", taken)
    scalars = [plan.scalars[symbol] for symbol in scalars_of(fast)]
    keywords = [f"{name}={name}" for name in (*scalars, threads)]
    inputs = [plan.stored[tensor.name] for tensor in plan.program.inputs]
    upstream = [plan.stored[up.name] for up in plan.derivation.problem.handed]
    block = call_or_wrap(f"{values} = forward", [*inputs, *keywords])
    results = ", ".join(f"{values}.{name}" for name in named)
    results = results if len(named) == 1 else f"({results})"
    block += call_or_wrap(f"return {results}, backward", [values, *upstream, f"{threads}={threads}"])
    first, summary = whole_head(fast, named)
    return Function(first, summary, documented(fast, True), tuple(block), checks=()), Body((), (), frozenset())


def whole_head(fast: Fast, named: Sequence[str]) -> tuple[str, str]:
    """The first line of `value_and_grad`, and what it does."""
    array = fast.plan.dialect.array
    arrays_of = ", ".join([array] * len(named)) if len(named) < 4 else f"{array}, ..."
    kinds = array if len(named) == 1 else f"tuple[{arrays_of}]"
    first = head("value_and_grad", arguments(fast, True), f"tuple[{kinds}, Gradients]")
    what = "The outputs" if len(named) > 1 else f"`{named[0]}`"
    return first, f"{what} and the gradients, in one go."


def notes_on(body: Body, fast: Fast, *notes: str) -> tuple[str, ...]:
    """Paragraphs of a docstring: what is there to be said, and the tensors that are never there in full."""
    plan = fast.plan
    names: dict[str, list[str]] = {}
    for loop in blocked_loops(body, fast):
        for name in loop.tensors:
            shape = shape_text(array_of(fast, name).axes, plan.scalars)
            names.setdefault(shape, []).append(stored_name(fast, name))
    absent = ", ".join(f"{', '.join(dict.fromkeys(found))} {shape}" for shape, found in names.items())
    text = [note for note in (*notes, f"Never there in full: {absent}." if absent else "") if note]
    return tuple(paragraph(" ".join(text), 1, "")) if text else ()


def blocked_loops(body: Body, fast: Fast) -> tuple[BlockedLoop, ...]:
    """The loops of a body, with the tensors that have more slots than the loop and of which it holds a block."""
    named = {*fast.plan.program.tensors, *fast.plan.derivation.backward.tensors} - body.whole
    found = []
    for loop in (item for item in body.schedule if isinstance(item, Loop)):
        local = [s for s in loop.statements if not s.moves and not loop.is_total(s)]
        large = [s.name for s in local if s.name in named and len(s.axes) > len(loop.extents)]
        root = min((s for s in loop.statements if not s.moves), key=loop.is_total)
        found.append(BlockedLoop(loop.indices[root.name], tuple(large)))
    return tuple(found)


def pass_body(fast: Fast, given: Mapping[str, tuple[Index, ...]], wanted: tuple[str, ...], stem: str) -> Body:
    """The statements that make `wanted` from `given`; functions of their own have names that begin with `stem`."""
    problem = fast.problem
    needed = ancestors(problem.statements, [name for name in wanted if name not in given], given)
    statements = tuple(problem.by_name[name] for name in needed)
    known = problem.sizes, problem.fused, problem.large, problem.windows, problem.bounded
    local = Blocking(statements, given, wanted, *known)
    return fast.library.body(local, fast.names, fast.block, stem)


def whole_block(
    fast: Fast,
    body: Body,
    arrays: Sequence[Array],
    results: Sequence[str],
    *,
    ends: Sequence[str] = (),
    given: Collection[sp.Symbol] = (),
) -> list[str]:
    """Extents, fused arrays split, the body, and fused results merged; `ends` are the lines that return them."""
    plan, names = fast.plan, fast.names
    used = identifiers([*body.lines, *split_sources(fast, body)])
    merged = [name for name in results if name in made(body) and is_fused(fast, name)]
    splits = [
        split_line(names.scope.tensors[array_name], array_of(fast, array_name), names.scope)
        for array_name in given_names(fast)
        if is_fused(fast, array_name) and names.scope.tensors[array_name] in used and array_name not in made(body)
    ]
    merges = [merge_line(names.scope.tensors[name], array_of(fast, name), names.scope) for name in merged]
    own = fast.library.like(names.own)
    wanted_names = identifiers([*body.lines, *splits, *merges, *ends])
    wanted = [extent for extent in plan.extents if plan.scalars[extent] in wanted_names]
    wanted = with_divisors(wanted, sources_of(arrays, plan.unread))
    lines = extent_lines([e for e in wanted if e not in given], arrays, (*plan.unread, *given), names.scope)
    if (own in wanted_names or names.bounded is not None) and arrays:
        whole = {stored_name(fast, tensor.name) for tensor in plan.program.inputs if tensor.values is not None}
        floats = [array for array in arrays if array.variable.removeprefix("values.") not in whole]
        lines += fast.library.like_lines(own, [array.variable for array in floats])
    totals = {s.name for item in body.schedule if isinstance(item, Loop) for s in item.statements}
    scalars = [names.scope.tensors[name] for name in results if name in totals and not fast.problem.by_name[name].axes]
    unwrapped = [line.format(name) for name in scalars for line in fast.library.ends]
    if names.bounded is not None:
        done = [name for name in dict.fromkeys(results) if name in made(body)]
        others = sorted(name for name in body.whole if name not in done)
        lines += room_lines(names, [array.variable for array in arrays], done, others)
        merges += put_lines([name for name in done if name not in totals], names)
    return [*lines, *splits, *body.lines, *unwrapped, *merges]


def made(body: Body) -> set[str]:
    """The tensors that a body computes."""
    return {
        statement.name
        for item in body.schedule
        for statement in (item.statements if isinstance(item, Loop) else (item,))
    }


def split_sources(fast: Fast, body: Body) -> list[str]:
    """The arrays whose fused axes the body reads split."""
    used = identifiers(body.lines)
    return [
        f"{stored_name(fast, name)}"
        for name in given_names(fast)
        if is_fused(fast, name) and fast.names.scope.tensors[name] in used
    ]


def gradient_lines(fast: Fast, start: str) -> list[str]:
    """``return Gradients(...)``."""
    gradients = {name: stored_name(fast, tensor) for name, tensor in fast.gradients.items()}
    return returned({**gradients, **result_values(fast.plan)}, start)
