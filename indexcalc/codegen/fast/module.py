"""A derivation as a NumPy module made for speed: `value_and_grad` beside `forward` and `backward`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from indexcalc.algebra.terms import Index
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.blocking import Blocking, Loop
from indexcalc.codegen.fast.body import Body, function_body
from indexcalc.codegen.fast.names import Names, own_names
from indexcalc.codegen.fast.normal import normal_form
from indexcalc.codegen.fast.storing import ancestors, kept_tensors
from indexcalc.codegen.functions import call_or_wrap, formula, identifiers
from indexcalc.codegen.module import AMBIGUOUS, scalar_doc, shape_lines, title
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.outline import Plan, gradient_fields, make_plan
from indexcalc.codegen.prose import default_text, field, paragraph, shape_text
from indexcalc.codegen.signatures import Function, head, sentence, tensor_line, unpacking
from indexcalc.codegen.special import SPECIAL, needed_functions
from indexcalc.codegen.statements import Statement
from indexcalc.codegen.storage import Array, extent_lines, merge_line, sources_of, split_line, with_divisors

CACHE = 1 << 20
"""The bytes that the arrays of one block may take: the second-level cache of a core."""

THREADS = "threads: how many threads work on blocks; by default one for each core."


@dataclass(frozen=True)
class FastModule:
    """A module made for speed, and what is to be known about it.

    Attributes:
        source: the text of the module.
        names: the field of `Values` or `Gradients` for every tensor and gradient that is returned.
        symbols: the Python name of every parameter and extent.
        targets: the tensors whose gradients are returned.
        outputs: the tensors that `value_and_grad` returns besides, in order.
        never_whole: the tensors of which `value_and_grad` only ever holds a block.
    """

    source: str
    names: Mapping[str, str]
    symbols: Mapping[str, str]
    targets: tuple[str, ...]
    outputs: tuple[str, ...]
    never_whole: tuple[str, ...]


@dataclass(frozen=True)
class Fast:
    """Everything about the module, before it is text.

    Attributes:
        plan: the statements as they are for reading, and the names of everything.
        problem: the statements of both passes in normal form.
        names: the Python names.
        gradients: the tensor of every gradient that is returned, by its field.
        kept: the tensors that the forward pass keeps, besides inputs and outputs.
        block: the index to cut into blocks, if one is asked for.
    """

    plan: Plan
    problem: Blocking
    names: Names
    gradients: Mapping[str, str]
    kept: tuple[str, ...]
    block: str | None


def fast_module(
    derivation: Derivation,
    *,
    sizes: Mapping[str, int] | None = None,
    block: tuple[str, int] | None = None,
    cache: int = CACHE,
) -> FastModule:
    """A module whose passes run in blocks that stay in cache, over threads.

    `Gradients` holds the gradients of inputs; if none is asked for, those that are.

    Args:
        derivation: what to write.
        sizes: the extents, where they are known, by name: they decide what is too large to keep.
        block: the name of an index to cut into blocks, and their length.
        cache: how many bytes the arrays of one block may take.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written in NumPy.
    """
    fast = outlined(derivation, sizes or {}, block[0] if block else None)
    passes = (forward_function(fast), backward_function(fast), whole_function(fast))
    bodies = [line for function, _ in passes for line in function.body]
    plan, problem = fast.plan, derivation.problem
    ambiguous = [name for name in sorted({*plan.stored.values(), *plan.scalars.values()}) if name in AMBIGUOUS]
    source = template().render(
        ambiguous=", ".join(ambiguous),
        summary="\n".join(paragraph(f"{title(plan)}: forward and backward pass, in blocks.", hang="")),
        shapes=shape_lines(plan),
        value_fields=value_fields(fast),
        gradient_fields=[
            line
            for name, tensor in fast.gradients.items()
            for line in field(
                name, "np.ndarray", f"{shape_text(plan.axes(tensor), plan.scalars)} {meaning(fast, tensor)}"
            )
        ],
        functions=[function for function, _ in passes],
        private_functions=[SPECIAL[name].source for name in needed_functions(bodies)],
        loops=any("_run(" in line for line in bodies),
        cache=cache,
        least=block[1] if block else 64,
        fixed=block is not None,
    )
    fields = gradient_fields(derivation)
    targets = tuple(target for target, name in fields.items() if name in fast.gradients)
    names = {problem.gradient_names[target]: fields[target] for target in targets}
    kept = [name for name in fast.kept if name in plan.program.tensors]
    fields_of_values = {name: stored_name(fast, name) for name in (*inputs_of(plan), *kept, *plan.program.outputs)}
    symbols = {symbol.name: name for symbol, name in plan.scalars.items()}
    never = never_whole(passes[-1][1], fast)
    return FastModule(source, {**fields_of_values, **names}, symbols, targets, plan.program.outputs, never)


def inputs_of(plan: Plan) -> list[str]:
    """The inputs."""
    return [tensor.name for tensor in plan.program.inputs]


def never_whole(body: Body, fast: Fast) -> tuple[str, ...]:
    """The tensors of the derivation that have more slots than the loop, and of which a body holds a block at a time."""
    named = {*fast.plan.program.tensors, *fast.plan.derivation.backward.tensors}
    loops = [item for item in body.schedule if isinstance(item, Loop)]
    return tuple(
        statement.name
        for loop in loops
        for statement in loop.statements
        if statement.name in named - body.whole
        and not loop.is_total(statement)
        and len(statement.axes) > len(loop.extents)
    )


@cache
def template() -> Template:
    """The template of a module."""
    loader = PackageLoader("indexcalc.codegen", "templates")
    environment = Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    return environment.get_template("fast_module.py.jinja2")


def outlined(derivation: Derivation, sizes: Mapping[str, int], block: str | None) -> Fast:
    """The statements of both passes in normal form, and the names of everything."""
    plan, problem = make_plan(derivation), derivation.problem
    every: dict[str, Statement] = {}
    for statement in (*plan.forward, *plan.backward):
        every.setdefault(statement.name, statement)
    inputs = {tensor.name: tensor.slots for tensor in plan.program.inputs}
    fields = {name: problem.gradient_names[target] for target, name in gradient_fields(derivation).items()}
    own = {
        name: problem.gradient_names[target] for target, name in gradient_fields(derivation).items() if target in inputs
    }
    gradients = own or fields
    wanted = tuple(dict.fromkeys((*plan.program.outputs, *gradients.values())))
    needed = ancestors(tuple(every.values()), wanted)
    taken = {*every, *plan.program.tensors}
    aliases = shifted_names(plan, [every[name] for name in needed], taken)
    statements = normal_form([every[name] for name in needed], wanted, taken, aliases)
    given = {**inputs, **{up.name: plan.program.tensors[up.of].slots for up in problem.upstream}}
    blocking = Blocking(statements, given, wanted, known_sizes(plan, sizes), fused_extents(plan))
    names = all_names(plan, statements)
    forward = ancestors(statements, plan.program.outputs)
    kept = kept_tensors(blocking, forward, tuple(gradients.values()))
    return Fast(plan, blocking, names, gradients, kept, block)


def shifted_names(plan: Plan, statements: Sequence[Statement], taken: set[str]) -> dict[str, str]:
    """Other names for tensors that stand for something else in the stable form: sums of shifted exponentials."""
    found = {}
    for statement in statements:
        definition = plan.program.definitions.get(statement.name)
        if definition is not None and statement.name not in plan.kept and statement.terms != definition.terms:
            found[statement.name] = python_name(f"{statement.name}_shifted", taken)
            taken.add(found[statement.name])
    return found


def known_sizes(plan: Plan, sizes: Mapping[str, int]) -> Mapping[sp.Symbol, int]:
    """The extents by their symbols, if all are known."""
    found = {extent: sizes[extent.name] for extent in plan.extents if extent.name in sizes}
    return found if len(found) == len(plan.extents) else {}


def fused_extents(plan: Plan) -> tuple[frozenset[sp.Expr], ...]:
    """The extents that share an axis of some array."""
    groups = (axis for tensor in plan.program.tensors for axis in plan.program.axes(tensor) if len(axis) > 1)
    return tuple(dict.fromkeys(frozenset(slot.extent for slot in axis) for axis in groups))


def all_names(plan: Plan, statements: Sequence[Statement]) -> Names:
    """The Python names of all tensors, those that the normal form added among them."""
    taken = {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values()}
    added = python_names([s.name for s in statements if s.name not in plan.tensors], taken)
    tensors = {**plan.tensors, **added}
    own = own_names({*tensors.values(), *plan.stored.values(), *plan.scalars.values()})
    return Names(Scope(tensors, plan.scalars, own["dtype"], plan.layouts), own)


def forward_function(fast: Fast) -> tuple[Function, Body]:
    """``forward(inputs) -> Values``."""
    plan = fast.plan
    results = tuple(dict.fromkeys((*fast.kept, *plan.program.outputs)))
    body = pass_body(fast, {tensor.name: tensor.slots for tensor in plan.program.inputs}, results)
    arrays = [plan.array(tensor.name) for tensor in plan.program.inputs]
    block = whole_block(fast, body, arrays, results)
    values = [plan.stored[t.name] for t in plan.program.inputs]
    values += [stored_name(fast, name) for name in fast.kept if name not in plan.program.outputs]
    values += [plan.stored[name] for name in plan.program.outputs if name not in {t.name for t in plan.program.inputs}]
    values += [plan.scalars[symbol] for symbol in scalars_of(fast)]
    block += call_or_wrap("return Values", values)
    summary = "Forward pass: the outputs, and what the backward pass reads."
    return Function(
        head("forward", arguments(fast, False), "Values"), summary, documented(fast, False), tuple(block)
    ), body


def backward_function(fast: Fast) -> tuple[Function, Body]:
    """``backward(values, upstream gradients) -> Gradients``."""
    plan, problem = fast.plan, fast.problem
    kept = {name: problem.by_name[name].axes for name in fast.kept}
    outputs = {name: problem.by_name[name].axes for name in plan.program.outputs if name in problem.by_name}
    body = pass_body(fast, {**problem.given, **kept, **outputs}, tuple(fast.gradients.values()))
    upstream = [up.name for up in plan.derivation.problem.upstream]
    used = identifiers([*body.lines, *split_sources(fast, body)])
    there = [*(t.name for t in plan.program.inputs), *kept, *(n for n in outputs if n not in kept)]
    unpacked = [name for name in there if {stored_name(fast, name), fast.names.scope.tensors[name]} & used]
    scalars = [plan.scalars[symbol] for symbol in scalars_of(fast)]
    lines = unpacking([stored_name(fast, n) for n in unpacked] + [name for name in scalars if name in used])
    arrays = [*(plan.array(name) for name in upstream), *(array_of(fast, name) for name in unpacked)]
    arrays += [
        Array(f"values.{plan.stored[t.name]}", plan.axes(t.name)) for t in plan.program.inputs if t.name not in unpacked
    ]
    lines += whole_block(fast, body, arrays, tuple(fast.gradients.values()), given=scalars_of(fast))
    lines += gradient_lines(fast, "return ")
    parameters = ["values: Values", *(f"{plan.stored[name]}: np.ndarray" for name in upstream), *thread_arguments(fast)]
    doc = ["values: what `forward` returned."]
    for up in plan.derivation.problem.upstream:
        doc += tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    doc += paragraph(THREADS, 2)
    summary = "Backward pass; what is not kept is computed again, block by block."
    return Function(head("backward", parameters, "Gradients"), summary, tuple(doc), tuple(lines)), body


def whole_function(fast: Fast) -> tuple[Function, Body]:
    """``value_and_grad(inputs, upstream gradients) -> (outputs, Gradients)``."""
    plan = fast.plan
    outputs = plan.program.outputs
    body = pass_body(fast, fast.problem.given, fast.problem.wanted)
    upstream = [up.name for up in plan.derivation.problem.upstream]
    arrays = [plan.array(name) for name in (*(t.name for t in plan.program.inputs), *upstream)]
    block = whole_block(fast, body, arrays, fast.problem.wanted)
    named = [plan.stored[name] for name in outputs]
    block += gradient_lines(fast, f"return {named[0] if len(named) == 1 else '(' + ', '.join(named) + ')'}, ")
    kinds = "np.ndarray" if len(named) == 1 else f"tuple[{', '.join(['np.ndarray'] * len(named))}]"
    result = f"tuple[{kinds}, Gradients]"
    summary = f"{' and '.join(plain_names(outputs))} and the gradients in one pass over the blocks."
    return Function(
        head("value_and_grad", arguments(fast, True), result), summary, documented(fast, True), tuple(block)
    ), body


def plain_names(names: Sequence[str]) -> list[str]:
    """The outputs as they are called."""
    return [f"`{name}`" for name in names]


def pass_body(fast: Fast, given: Mapping[str, tuple[Index, ...]], wanted: tuple[str, ...]) -> Body:
    """The statements that make `wanted` from `given`."""
    problem = fast.problem
    needed = ancestors(problem.statements, [name for name in wanted if name not in given], given)
    statements = tuple(problem.by_name[name] for name in needed)
    local = Blocking(statements, given, wanted, problem.sizes, problem.fused, problem.large)
    return function_body(local, fast.names, fast.block)


def whole_block(
    fast: Fast, body: Body, arrays: Sequence[Array], results: Sequence[str], given: Collection[sp.Symbol] = ()
) -> list[str]:
    """Extents, fused arrays split, the body, and fused results merged."""
    plan, names = fast.plan, fast.names
    used = identifiers([*body.lines, *split_sources(fast, body)])
    merged = [name for name in results if name in fast.problem.by_name and is_fused(fast, name)]
    splits = [
        split_line(names.scope.tensors[array_name], array_of(fast, array_name), names.scope)
        for array_name in given_names(fast)
        if is_fused(fast, array_name) and names.scope.tensors[array_name] in used and array_name not in made(body)
    ]
    merges = [merge_line(names.scope.tensors[name], array_of(fast, name), names.scope) for name in merged]
    own = names.own["dtype"]
    wanted_names = identifiers([*body.lines, *splits, *merges])
    wanted = [extent for extent in plan.extents if plan.scalars[extent] in wanted_names]
    wanted = with_divisors(wanted, sources_of(arrays, plan.unread))
    lines = extent_lines([e for e in wanted if e not in given], arrays, (*plan.unread, *given), names.scope)
    if own in wanted_names and arrays:
        lines.append(f"{own} = {arrays[0].variable}.dtype")
    scalars = [
        names.scope.tensors[name] for name in results if name in made(body) and not fast.problem.by_name[name].axes
    ]
    ends = [f"{name} = {name}[()]" for name in scalars]
    return [*lines, *splits, *body.lines, *ends, *merges]


def made(body: Body) -> set[str]:
    """The tensors that a body computes."""
    return {
        statement.name
        for item in body.schedule
        for statement in (item.statements if hasattr(item, "statements") else (item,))
    }


def given_names(fast: Fast) -> list[str]:
    """The tensors that a function may be given."""
    return list(dict.fromkeys((*fast.problem.given, *fast.kept, *fast.plan.program.outputs)))


def split_sources(fast: Fast, body: Body) -> list[str]:
    """The arrays whose fused axes the body reads split."""
    used = identifiers(body.lines)
    return [
        f"{stored_name(fast, name)}"
        for name in given_names(fast)
        if is_fused(fast, name) and fast.names.scope.tensors[name] in used
    ]


def is_fused(fast: Fast, name: str) -> bool:
    """Whether the stored array has an axis for several slots."""
    return name in fast.plan.stored and fast.plan.is_fused(name)


def stored_name(fast: Fast, name: str) -> str:
    """The variable of a tensor as it is given and returned."""
    return fast.plan.stored.get(name, fast.names.scope.tensors[name])


def array_of(fast: Fast, name: str) -> Array:
    """The stored array of a tensor; what the normal form added has one axis for each slot."""
    try:
        axes = fast.plan.axes(name)
    except StopIteration:
        axes = tuple((slot,) for slot in fast.problem.by_name[name].axes)
    return Array(stored_name(fast, name), axes)


def scalars_of(fast: Fast) -> list[sp.Symbol]:
    """The parameters, and the extents that no input's shape shows: `Values` carries them."""
    return [*fast.plan.unread, *(parameter.symbol for parameter in fast.plan.program.parameters)]


def thread_arguments(fast: Fast) -> list[str]:
    """The keyword arguments of every function."""
    return ["*", f"{fast.names.own['threads']}: int | None = None"]


def arguments(fast: Fast, with_upstream: bool) -> list[str]:
    """The arguments of a function that takes the inputs."""
    plan = fast.plan
    given = [plan.array(tensor.name).variable for tensor in plan.program.inputs]
    if with_upstream:
        given += [plan.stored[up.name] for up in plan.derivation.problem.upstream]
    keywords = [f"{plan.scalars[extent]}: int" for extent in plan.unread]
    for parameter in sorted(plan.program.parameters, key=lambda p: p.default is not None):
        default = "" if parameter.default is None else f" = {default_text(parameter.default)}"
        keywords.append(f"{plan.scalars[parameter.symbol]}: float{default}")
    star, threads = thread_arguments(fast)
    return [*(f"{name}: np.ndarray" for name in given), star, *keywords, threads]


def documented(fast: Fast, with_upstream: bool) -> tuple[str, ...]:
    """What the arguments mean."""
    plan = fast.plan
    lines = [line for tensor in plan.program.inputs for line in tensor_line(plan, tensor.name, tensor.doc)]
    if with_upstream:
        for up in plan.derivation.problem.upstream:
            lines += tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    lines += [line for e in plan.unread for line in paragraph(f"{plan.scalars[e]}: extent, no input shows it.", 2)]
    for parameter in sorted(plan.program.parameters, key=lambda p: p.default is not None):
        lines += paragraph(f"{plan.scalars[parameter.symbol]}: {sentence(parameter.doc or 'a constant')}", 2)
    return (*lines, *paragraph(THREADS, 2))


def value_fields(fast: Fast) -> list[str]:
    """The fields of `Values`: inputs, what is kept, outputs, scalars."""
    plan = fast.plan
    inputs = [tensor.name for tensor in plan.program.inputs]
    kept = [name for name in fast.kept if name not in plan.program.outputs]
    outputs = [name for name in plan.program.outputs if name not in inputs]
    lines = []
    for name in (*inputs, *kept, *outputs):
        doc = plan.program.tensors[name].doc if name in plan.program.tensors else made_from(fast, name)
        array = array_of(fast, name)
        lines += field(array.variable, "np.ndarray", f"{shape_text(array.axes, plan.scalars)} {doc}".rstrip())
    for symbol in scalars_of(fast):
        kind = "int" if symbol in plan.extents else "float"
        lines += field(plan.scalars[symbol], kind, scalar_doc(plan, symbol))
    return lines


def made_from(fast: Fast, name: str) -> str:
    """The formula of a tensor that no spec names."""
    return formula(fast.problem.by_name[name], fast.plan.layouts)


def meaning(fast: Fast, tensor: str) -> str:
    """``dL/dX`` for the tensor of a gradient."""
    names = fast.plan.derivation.problem.gradient_names
    return next((f"dL/d{target}" for target, name in names.items() if name == tensor), "")


def gradient_lines(fast: Fast, start: str) -> list[str]:
    """``return Gradients(...)``."""
    pairs = [(name, stored_name(fast, tensor)) for name, tensor in fast.gradients.items()]
    values = [name for name, _ in pairs] if all(n == v for n, v in pairs) else [f"{n}={v}" for n, v in pairs]
    return call_or_wrap(f"{start}Gradients", values)
