"""The two passes as one function that a library's automatic differentiation can call.

It returns what upstream gradients are given for (or the loss), and gives back the gradients of inputs.
A gradient that was not derived is refused, where a zero would look like one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap, head
from indexcalc.codegen.names import python_name
from indexcalc.codegen.outline import Plan, function_name, gradient_fields
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.signatures import arguments_of

RULE = "_function"
"""The name of what the library differentiates, and the stem of the names of its rules."""


@dataclass(frozen=True)
class Passes:
    """What the rules of both libraries are written from.

    Attributes:
        plan: names, and what is asked.
        scalars: the keyword arguments of the forward pass.
        carried: the scalars that `Values` holds, after the tensors.
        read: the fields of `Values` that the backward pass reads.
        aliases: the fields that are another array as it is.
    """

    plan: Plan
    scalars: tuple[sp.Symbol, ...]
    carried: tuple[sp.Symbol, ...]
    read: frozenset[str]
    aliases: frozenset[str]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The variables of the inputs."""
        return tuple(self.plan.stored[tensor.name] for tensor in self.plan.program.inputs)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of all arguments."""
        return (*self.inputs, *(self.plan.scalars[symbol] for symbol in self.scalars))

    @property
    def whole(self) -> frozenset[str]:
        """The variables of the inputs of whole numbers, by which nothing is differentiated."""
        inputs = self.plan.program.inputs
        return frozenset(self.plan.stored[tensor.name] for tensor in inputs if tensor.values is not None)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The scalars that are extents."""
        return tuple(self.plan.scalars[symbol] for symbol in self.scalars if symbol in self.plan.extents)

    @property
    def upstream(self) -> tuple[str, ...]:
        """The variables of the upstream gradients; a loss has none."""
        return tuple(self.plan.stored[up.name] for up in self.plan.derivation.problem.upstream)

    @property
    def results(self) -> tuple[str, ...]:
        """The fields of `Values` that the function returns."""
        problem = self.plan.derivation.problem
        names = (problem.loss,) if problem.loss is not None else tuple(up.of for up in problem.upstream)
        return tuple(self.plan.stored[name] for name in names)

    @property
    def gradients(self) -> tuple[str, ...]:
        """For every argument its gradient; None if it was not derived."""
        fields = gradient_fields(self.plan.derivation)
        factor = "" if self.upstream else f"{self.given} * "
        derived = (fields.get(tensor.name) for tensor in self.plan.program.inputs)
        found = [f"{factor}gradients.{field}" if field else "None" for field in derived]
        return (*found, *("None" for _ in self.scalars))

    @property
    def constant(self) -> dict[str, int]:
        """The arguments whose gradients were not derived, with their places; extents have none to derive."""
        places = zip(self.names, self.gradients, strict=True)
        return {n: place for place, (n, g) in enumerate(places) if g == "None" and n not in {*self.sizes, *self.whole}}

    @property
    def given(self) -> str:
        """A variable for what the rule of the backward pass is given."""
        return python_name("upstream", self.sizes)

    @property
    def forgotten(self) -> tuple[str, ...]:
        """The fields of `Values` that need not be kept between the passes."""
        return tuple(self.plan.stored[name] for name in self.plan.kept if self.plan.stored[name] not in self.read)

    @property
    def extra(self) -> tuple[str, ...]:
        """The fields of `Values` that the backward pass reads, inputs and results aside."""
        fields = (self.plan.stored[name] for name in self.plan.kept)
        return tuple(f for f in fields if f not in {*self.inputs, *self.results, *self.forgotten})

    @property
    def made(self) -> tuple[str, ...]:
        """What the forward pass makes: the results, and what the backward pass reads besides."""
        return (*self.results, *self.extra)

    @property
    def saved(self) -> tuple[str, ...]:
        """What of it is kept: nothing, all, or what the backward pass reads besides the results."""
        several = bool(self.extra) and len(self.results) > 1
        if several or any(name not in self.forgotten for name in self.results):
            return self.made
        return self.extra

    @property
    def array(self) -> str:
        """The type of one array."""
        return self.plan.dialect.array

    @property
    def result_type(self) -> str:
        """The type of what the function returns."""
        return self.array if len(self.results) == 1 else f"tuple[{', '.join([self.array] * len(self.results))}]"

    @property
    def typed(self) -> list[str]:
        """All arguments with their types, none of them a keyword."""
        kinds = ["int" if name in self.sizes else "float" for name in self.names[len(self.inputs) :]]
        pairs = zip(self.names, [self.array] * len(self.inputs) + kinds, strict=True)
        return [f"{name}: {kind}" for name, kind in pairs]

    @property
    def forward_arguments(self) -> list[str]:
        """The arguments of a call of `forward`."""
        return [*self.inputs, *(f"{name}={name}" for name in self.names[len(self.inputs) :])]


def fields_read(body: Sequence[str]) -> frozenset[str]:
    """The fields of `values` that lines read."""
    return frozenset(re.findall(r"\bvalues\.(\w+)", "\n".join(body)))


def aliases_in(body: Sequence[str]) -> frozenset[str]:
    """The names that lines bind to another name as it is."""
    found = (re.fullmatch(r"\s*(\w+) = [A-Za-z_]\w*", line) for line in body)
    return frozenset(match[1] for match in found if match)


def differentiable_function(passes: Passes, call: str, constant: str = "", *, extra: bool = False) -> Function:
    """The function that users call: one floating dtype for all, then `call`.

    Args:
        passes: names and arguments.
        call: what the library differentiates.
        constant: the function that an argument goes through if its gradient was not derived.
        extra: whether the call returns what the backward pass reads behind the results.
    """
    plan = passes.plan
    arguments, lines = arguments_of(plan, passes.scalars)
    given = python_name("given", passes.names)

    def guarded(name: str) -> str:
        return f'{constant}({name}, "{name}")' if constant and name in passes.constant else name

    block = call_or_wrap(f"{given} = _promoted", [guarded(name) for name in passes.inputs]) if passes.inputs else []
    first = [f"*{given}"] if passes.inputs else []
    if passes.whole:
        floats = [name for name in passes.inputs if name not in passes.whole]
        target = ", ".join(floats) if len(floats) > 1 else f"({', '.join(floats)},)"
        block = call_or_wrap(f"{target} = _promoted", [guarded(name) for name in floats]) if floats else []
        first = list(passes.inputs)
    every = [*first, *(guarded(name) for name in passes.names[len(passes.inputs) :])]
    if extra and passes.extra:
        made = python_name("made", passes.names)
        count = len(passes.results)
        block += call_or_wrap(f"{made} = {call}", every)
        block.append(f"return {made}[{'0' if count == 1 else f':{count}'}]")
    else:
        block += call_or_wrap(f"return {call}", every)
    text = f"{', '.join(passes.results)} of the forward pass; {plan.dialect.library} differentiates it by `backward`."
    summary = text if len(text) + INDENT + 6 <= WIDTH else f"What {plan.dialect.library} differentiates by `backward`."
    return Function(head(function_name(plan), arguments, passes.result_type), summary, tuple(lines), tuple(block))


def torch_rules(passes: Passes) -> tuple[Function, Function, Function, Function]:
    """The methods ``forward``, ``setup_context``, ``backward`` and ``jvp`` of a ``torch.autograd.Function``.

    `torch.func` asks that what is kept is an input or an output, so `forward` returns both what the user asked for and
    what `backward` reads; the latter has no gradient. Where gradients are differentiated again, the backward pass
    first runs the forward pass once more, from the inputs: PyTorch sees all they are computed from.
    """
    return torch_forward(passes), torch_context(passes), torch_backward(passes), torch_jvp()


def torch_forward(passes: Passes) -> Function:
    """``forward(...)``: what the user asked for, and what the backward pass reads besides."""
    block = call_or_wrap("values = forward", passes.forward_arguments, depth=2)
    # What is an input as it is would be taken for it: PyTorch refuses to keep that.
    views = [f"values.{name}" + (f".view_as(values.{name})" if name in passes.aliases else "") for name in passes.made]
    block += returned(views, 2)
    kind = passes.result_type if passes.made == passes.results else f"tuple[{passes.array}, ...]"
    return Function(head("forward", passes.typed, kind, 1), "", (), tuple(block), (), ("@staticmethod",))


def torch_context(passes: Passes) -> Function:
    """``setup_context(ctx, inputs, output)``: what is kept for the backward pass."""
    ctx, inputs, output = (python_name(name, (*passes.names, *passes.made)) for name in ("ctx", "inputs", "output"))
    count, keywords = len(passes.inputs), passes.names[len(passes.inputs) :]
    block: list[str] = []
    if passes.constant:
        places = [f"{name}={place}" for name, place in passes.constant.items()]
        block += call_or_wrap("_only_derived", [f"{ctx}.needs_input_grad", *places], depth=2)
    behind = f"*{output}[{len(passes.results)}:]"
    if passes.extra:
        block += [f"{ctx}.mark_non_differentiable({behind})", f"{ctx}.set_materialize_grads(False)"]
    given = f"*{inputs}[:{count}]" if keywords else f"*{inputs}"
    whole = f"*{output}" if len(passes.made) > 1 else output
    saved = [whole] if passes.saved == passes.made else [behind] if passes.saved else []
    block.append(f"{ctx}.save_for_backward({', '.join([given, *saved])})")
    if keywords:
        block += unpacked(keywords, f"{inputs}[{count}:]")
        block += literal(f"{ctx}.keywords", keywords, 2)
    typed = [f"{inputs}: tuple", f"{output}: {'tuple' if len(passes.made) > 1 else passes.array}"]
    return Function(head("setup_context", [ctx, *typed], "None", 1), "", (), tuple(block), (), ("@staticmethod",))


def torch_backward(passes: Passes) -> Function:
    """``backward(ctx, ...)``: the gradients of all arguments."""
    ctx = python_name("ctx", (*passes.names, *passes.made, *passes.upstream))
    plan, given = passes.plan, passes.upstream or (passes.given,)
    keywords = passes.names[len(passes.inputs) :]
    nothing = f"(None,) * {len(passes.names)}"
    block = unpacked((*passes.inputs, *passes.saved), f"{ctx}.saved_tensors")
    # So that no zeros are made for what is kept, nothing is given for a result that is not read either.
    several = bool(passes.extra) and len(given) > 1
    if passes.extra and not several:
        block = [f"if {given[0]} is None:", f"    return {nothing}", *block]
    pairs = zip(passes.upstream, passes.results, strict=False)
    upstream = [f"_given({name}, {result})" for name, result in pairs] if several else passes.upstream
    again = [*passes.inputs, *([f"**{ctx}.keywords"] if keywords else [])]
    held = {*passes.inputs, *passes.saved}
    fields = [plan.stored[name] for name in plan.kept]
    parts = [f"{field}={field if field in held else None}" for field in fields]
    parts += [f'{name}={ctx}.keywords["{name}"]' for name in (plan.scalars[symbol] for symbol in passes.carried)]
    block.append("if torch.is_grad_enabled():")
    block += [f"    {line}" for line in call_or_wrap("values = forward", again, depth=3)]
    block.append("else:")
    block += [f"    {line}" for line in call_or_wrap("values = Values", parts, depth=3)]
    block += call_or_wrap("gradients = backward", ["values", *upstream], depth=2)
    block += returned(passes.gradients, 2, always=True)
    typed = [*(f"{name}: {passes.array}" for name in given), *(["*_: None"] if passes.extra else [])]
    first = head("backward", [ctx, *typed], f"tuple[{passes.array} | None, ...]", 1)
    return Function(first, "", (), tuple(block), (), ("@staticmethod",))


def torch_jvp() -> Function:
    """``jvp(ctx, ...)``: an error that says what to call instead.

    A rule would be wrong without a word where forward mode is nested: PyTorch 2 does not differentiate what a rule of a
    custom function computes once more, so that ``jacfwd(jacfwd(f))`` of it is zero.
    """
    lines = (
        "raise NotImplementedError(",
        '    "what was derived is the backward pass, and forward mode (jvp, jacfwd, hessian) "',
        '    "has no rule; call jacrev(jacrev(f)) for a Hessian, and "',
        '    "torch.autograd.functional.jvp for a product with a direction"',
        ")",
    )
    first = head("jvp", ["ctx", "*tangents: torch.Tensor | None"], "None", 1)
    return Function(first, "", (), lines, (), ("@staticmethod",))


def unpacked(names: Sequence[str], source: str) -> list[str]:
    """``a, b = source``, one name a line if they are too long."""
    text = f"{', '.join(names)} = {source}" if len(names) > 1 else f"({names[0]},) = {source}"
    if len(text) + 2 * INDENT <= WIDTH:
        return [text]
    return ["(", *(f"    {name}," for name in names), f") = {source}"]


def jax_rules(passes: Passes) -> tuple[Function, Function, Function]:
    """The function of a ``jax.custom_vjp``, and its rules for the forward and the backward pass."""
    places = tuple(place for place, name in enumerate(passes.names) if name in passes.sizes)
    decorator = f"@partial(jax.custom_vjp, nondiff_argnums={places})" if places else "@jax.custom_vjp"
    run = call_or_wrap("values = forward", passes.forward_arguments)
    results = [f"values.{name}" for name in passes.results]
    summary = "The results of `forward`, with rules of their own for gradients."
    primal = Function(
        head(RULE, passes.typed, passes.result_type), summary, (), (*run, *returned(results)), (), (decorator,)
    )
    forgotten = [f"{name}=None" for name in (*passes.forgotten, *carried_sizes(passes))]
    keep = call_or_wrap("kept = values._replace", forgotten) if forgotten else ["kept = values"]
    output = results[0] if len(results) == 1 else f"({', '.join(results)})"
    forward = Function(
        head(f"{RULE}_forward", passes.typed, f"tuple[{passes.result_type}, Values]"),
        "",
        (),
        (*run, *keep, f"return {output}, kept"),
    )
    return primal, forward, jax_backward(passes)


def jax_backward(passes: Passes) -> Function:
    """The rule for gradients: extents, what was kept, upstream gradients."""
    block: list[str] = []
    given = passes.given
    if len(passes.upstream) == 1:
        (given,) = passes.upstream
    elif passes.upstream:
        block.append(f"{', '.join(passes.upstream)} = {given}")
    sizes = carried_sizes(passes)
    if sizes:
        block += call_or_wrap("values = values._replace", [f"{name}={name}" for name in sizes])
    block += call_or_wrap("gradients = backward", ["values", *passes.upstream])
    pairs = zip(passes.names, passes.gradients, strict=True)
    block += returned([gradient for name, gradient in pairs if name not in passes.sizes], always=True)
    typed = [*(f"{name}: int" for name in passes.sizes), "values: Values", f"{given}: {passes.result_type}"]
    return Function(head(f"{RULE}_backward", typed, f"tuple[{passes.array} | None, ...]"), "", (), tuple(block))


def carried_sizes(passes: Passes) -> list[str]:
    """The extents among the scalars that `Values` carries: numbers, never traced."""
    return [passes.plan.scalars[symbol] for symbol in passes.carried if symbol in passes.plan.extents]


def literal(name: str, keys: Sequence[str], depth: int) -> list[str]:
    """``name = {"a": a, "b": b}``, one a line if they are too long."""
    pairs = [f'"{key}": {key}' for key in keys]
    text = f"{name} = {{{', '.join(pairs)}}}"
    if len(text) + depth * INDENT <= WIDTH:
        return [text]
    return [f"{name} = {{", *(f"    {pair}," for pair in pairs), "}"]


def returned(values: Sequence[str], depth: int = 1, *, always: bool = False) -> list[str]:
    """``return a, b``, one a line if they are too long; a tuple even of one if `always`."""
    text = f"return {', '.join(values)}" if len(values) > 1 or not always else f"return ({values[0]},)"
    if len(text) + depth * INDENT <= WIDTH:
        return [text]
    return ["return (", *(f"    {value}," for value in values), ")"]
