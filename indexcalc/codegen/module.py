"""A derivation as a NumPy module: `Values`, `Gradients`, `forward` and `backward`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.functions import call_or_wrap, extent_lines, identifiers, statement_lines
from indexcalc.codegen.layout import WIDTH
from indexcalc.codegen.names import python_name, python_names
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.prose import default_text, field, paragraph, plain, shape_text
from indexcalc.codegen.shared import share_functions
from indexcalc.codegen.special import SPECIAL, needed_functions
from indexcalc.codegen.stable import stable_passes
from indexcalc.codegen.statements import Statement
from indexcalc.program import Program, Tensor

AMBIGUOUS = ("I", "O", "l")
"""Names that linters call ambiguous; where an author chose one, it stays."""


@dataclass(frozen=True)
class Plan:
    """Everything that the template needs, before it is text.

    Attributes:
        forward: the statements of the forward pass.
        backward: the statements of the backward pass.
        kept: the tensors of `Values`, in order.
        tensors: Python names of all tensors.
        scalars: Python names of all extents and parameters.
    """

    derivation: Derivation
    forward: tuple[Statement, ...]
    backward: tuple[Statement, ...]
    kept: tuple[str, ...]
    tensors: Mapping[str, str]
    scalars: Mapping[sp.Symbol, str]

    @property
    def program(self) -> Program:
        """The forward program."""
        return self.derivation.problem.program

    @property
    def unread(self) -> tuple[sp.Symbol, ...]:
        """The extents that no input's shape shows."""
        seen = {slot.extent for tensor in self.program.inputs for slot in tensor.slots}
        every = dict.fromkeys((*self.program.extents, *self.derivation.backward.extents))
        return tuple(extent for extent in every if extent not in seen)


@dataclass(frozen=True, slots=True)
class Function:
    """One generated function, as text."""

    head: str
    summary: str
    arguments: tuple[str, ...]
    body: tuple[str, ...]


def numpy_module(derivation: Derivation) -> str:
    """The source of a module with the forward and backward pass of a derivation, in plain NumPy.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written in NumPy.
    """
    plan = make_plan(derivation)
    forward_body = statement_block(plan, plan.forward, forward_scope(plan))
    backward_body = statement_block(plan, plan.backward, backward_scope(plan))
    read = backward_reads(plan, backward_body)
    functions = (forward_function(plan, forward_body, read), backward_function(plan, backward_body, read))
    fields = [
        *value_fields(plan),
        *(
            line
            for symbol in read
            for line in field(plan.scalars[symbol], "float", f"scalar: {scalar_doc(plan, symbol)}")
        ),
    ]
    gradients = gradient_fields(derivation)
    tensors = derivation.problem.program.tensors
    ambiguous = [name for name in sorted({*plan.tensors.values(), *plan.scalars.values()}) if name in AMBIGUOUS]
    return template().render(
        ambiguous=", ".join(ambiguous),
        summary="\n".join(paragraph(f"{title(plan)}: forward and backward pass.", hang="")),
        shapes=shape_lines(plan),
        value_fields=fields,
        gradient_fields=[
            line
            for target, name in gradients.items()
            for line in field(name, "np.ndarray", f"{shape_text(tensors[target].slots, plan.scalars)} dL/d{target}")
        ],
        functions=functions,
        private_functions=[SPECIAL[name].source for name in needed_functions([*forward_body, *backward_body])],
    )


def module_names(derivation: Derivation) -> Mapping[str, str]:
    """The field of `Values` for every tensor that is kept, the field of `Gradients` for every gradient asked for."""
    plan, problem = make_plan(derivation), derivation.problem
    gradients = {problem.gradient_names[target]: name for target, name in gradient_fields(derivation).items()}
    return {**{name: plan.tensors[name] for name in plan.kept}, **gradients}


def module_symbols(derivation: Derivation) -> Mapping[str, str]:
    """The Python name of every parameter and extent, by its name."""
    return {symbol.name: name for symbol, name in make_plan(derivation).scalars.items()}


@cache
def template() -> Template:
    """The template of a module."""
    loader = PackageLoader("indexcalc.codegen", "templates")
    environment = Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    return environment.get_template("numpy_module.py.jinja2")


def make_plan(derivation: Derivation) -> Plan:
    """Statements and names, before they are text."""
    program, backward = derivation.problem.program, derivation.backward
    passes = stable_passes(program, backward)
    taken = {*program.tensors, *backward.tensors, *(s.name for s in (*passes.forward, *passes.backward))}
    forward = tuple(share_functions(passes.forward, taken))
    reverse = tuple(share_functions(passes.backward, taken))
    added = [statement.name for statement in (*forward, *reverse)]
    tensors = python_names([*program.tensors, *backward.tensors, *added])
    parameters = dict.fromkeys(p.symbol for p in (*program.parameters, *backward.parameters))
    symbols = [*parameters, *dict.fromkeys((*program.extents, *backward.extents))]
    scalars: dict[sp.Symbol, str] = {}
    for symbol in symbols:
        if symbol not in scalars:
            taken = {*tensors.values(), *scalars.values()}
            name = python_name(symbol.name)
            scalars[symbol] = python_name(f"{symbol.name}_size" if name in taken else symbol.name, taken)
    return Plan(derivation, forward, reverse, passes.kept, tensors, scalars)


def title(plan: Plan) -> str:
    """The title without a full stop."""
    return plain(plan.program.title).rstrip(".") or plan.derivation.problem.slug


def forward_scope(plan: Plan) -> Scope:
    """Names as they are; arrays made from nothing take the dtype of the first input."""
    inputs = plan.program.inputs
    return Scope(plan.tensors, plan.scalars, f"{plan.tensors[inputs[0].name]}.dtype" if inputs else "float")


def backward_scope(plan: Plan) -> Scope:
    """Names as they are; arrays made from nothing take the dtype of the upstream gradient or the first input."""
    upstream = plan.derivation.problem.upstream
    inputs = plan.program.inputs
    if upstream:
        return Scope(plan.tensors, plan.scalars, f"{plan.tensors[upstream[0].name]}.dtype")
    return Scope(plan.tensors, plan.scalars, f"values.{plan.tensors[inputs[0].name]}.dtype" if inputs else "float")


def part_stem(plan: Plan) -> str:
    """The stem of the names for parts of long expressions; no other name begins with it."""
    taken = {*plan.tensors.values(), *plan.scalars.values()}
    stem = "part"
    while any(name.startswith(stem) for name in taken):
        stem += "_"
    return stem


def statement_block(plan: Plan, statements: tuple[Statement, ...], scope: Scope) -> list[str]:
    """All statements as lines."""
    part = part_stem(plan)
    return [line for statement in statements for line in statement_lines(statement, scope, part)]


def wanted_extents(plan: Plan, lines: list[str]) -> list[sp.Symbol]:
    """The extents that the lines read."""
    used = identifiers(lines)
    extents = dict.fromkeys((*plan.program.extents, *plan.derivation.backward.extents))
    return [extent for extent in extents if plan.scalars[extent] in used]


def backward_reads(plan: Plan, body: list[str]) -> list[sp.Symbol]:
    """The scalars that the backward pass needs and no shape shows: `Values` carries them."""
    used = identifiers(body)
    parameters = [parameter.symbol for parameter in plan.program.parameters]
    return [symbol for symbol in (*plan.unread, *parameters) if plan.scalars[symbol] in used]


def forward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``forward(inputs, *, parameters) -> Values``."""
    program = plan.program
    scope = forward_scope(plan)
    arrays = [(plan.tensors[tensor.name], tensor) for tensor in program.inputs]
    extents = [extent for extent in wanted_extents(plan, body) if extent not in plan.unread]
    used = identifiers(body)
    unread = [extent for extent in plan.unread if plan.scalars[extent] in used or extent in read]
    arguments = [f"{name}: np.ndarray" for name, _ in arrays]
    lines = [line for name, tensor in arrays for line in tensor_line(plan, name, tensor)]
    keywords = [f"{plan.scalars[extent]}: int" for extent in unread]
    lines += [line for extent in unread for line in paragraph(f"{plan.scalars[extent]}: extent, no input shows it.", 2)]
    for parameter in sorted(program.parameters, key=lambda p: p.default is not None):
        name = plan.scalars[parameter.symbol]
        default = "" if parameter.default is None else f" = {default_text(parameter.default)}"
        keywords.append(f"{name}: float{default}")
        lines += paragraph(f"{name}: {sentence(parameter.doc or 'a constant')}", 2)
    results = [plan.tensors[name] for name in plan.kept] + [plan.scalars[symbol] for symbol in read]
    block = [*extent_lines(extents, arrays, scope), *body, *call_or_wrap("return Values", results)]
    return Function(
        head("forward", [*arguments, *(["*", *keywords] if keywords else [])], "Values"),
        "Forward pass.",
        tuple(lines),
        tuple(block),
    )


def backward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``backward(values, upstream gradients) -> Gradients``."""
    derivation = plan.derivation
    upstream = [
        (
            plan.tensors[up.name],
            derivation.backward.tensors.get(up.name) or Tensor(up.name, plan.program.tensors[up.of].slots, up.doc),
            up,
        )
        for up in derivation.problem.upstream
    ]
    results = gradient_variables(plan)
    used = identifiers([*body, *results.values()])
    assigned = {plan.tensors[s.name] for s in plan.backward}
    given = {name for name, _, _ in upstream}
    unpacked = [name for name in plan.kept if plan.tensors[name] in used - assigned - given]
    arrays = [(name, tensor) for name, tensor, _ in upstream]
    arrays += [(plan.tensors[name], plan.program.tensors[name]) for name in unpacked]
    arrays += [(f"values.{plan.tensors[t.name]}", t) for t in plan.program.inputs if t.name not in unpacked]
    extents = [extent for extent in wanted_extents(plan, body) if extent not in plan.unread]
    block = unpacking([plan.tensors[name] for name in unpacked] + [plan.scalars[symbol] for symbol in read])
    block += [*extent_lines(extents, arrays, backward_scope(plan)), *body]
    if all(variable == name for name, variable in results.items()):
        block += call_or_wrap("return Gradients", list(results))
    else:
        block += call_or_wrap("return Gradients", [f"{name}={variable}" for name, variable in results.items()])
    lines = paragraph("values: what `forward` returned.", 2)
    for name, tensor, up in upstream:
        lines += paragraph(
            f"{name}: {shape_text(tensor.slots, plan.scalars)} {sentence(up.doc or f'the upstream gradient dL/d{up.of}')}",
            2,
        )
    arguments = ["values: Values", *(f"{name}: np.ndarray" for name, _, _ in upstream)]
    return Function(head("backward", arguments, "Gradients"), "Backward pass.", tuple(lines), tuple(block))


def head(name: str, arguments: list[str], result: str) -> str:
    """``def name(arguments) -> result:``, over several lines if need be."""
    line = f"def {name}({', '.join(arguments)}) -> {result}:"
    if len(line) <= WIDTH:
        return line
    joined = ", ".join(arguments)
    inner = [f"    {joined}"] if len(joined) + 4 <= WIDTH else [f"    {argument}," for argument in arguments]
    return "\n".join([f"def {name}(", *inner, f") -> {result}:"])


def unpacking(names: list[str]) -> list[str]:
    """Fields of `values` as local variables."""
    if not names:
        return []
    line = f"{', '.join(names)} = {', '.join(f'values.{name}' for name in names)}"
    return [line] if len(line) + 4 <= WIDTH else [f"{name} = values.{name}" for name in names]


def tensor_line(plan: Plan, name: str, tensor: Tensor) -> list[str]:
    """One argument of a docstring."""
    return paragraph(f"{name}: {shape_text(tensor.slots, plan.scalars)} {sentence(tensor.doc)}".rstrip(), 2)


def sentence(text: str) -> str:
    """The text with a full stop, if there is a text."""
    text = plain(text)
    return text if not text or text.endswith(".") else text + "."


def scalar_doc(plan: Plan, symbol: sp.Symbol) -> str:
    """What a scalar means."""
    return next((p.doc for p in plan.program.parameters if p.symbol == symbol), "extent")


def shape_lines(plan: Plan) -> list[str]:
    """One line for each extent: the indices that run over it, and what they mean."""
    program = plan.program
    lines = []
    for extent in program.extents:
        members = [index for index in program.indices if index.extent == extent]
        docs = dict.fromkeys(program.index_docs.get(index.name, "") for index in members)
        meaning = ", ".join(doc for doc in docs if doc) or "extent"
        names = ", ".join(index.name for index in members)
        lines += paragraph(f"{plan.scalars[extent]}: {meaning}" + (f" (indices {names})" if names else ""))
    return ["Extents:", *(f"    {line}" for line in lines)] if lines else ["All tensors are scalars."]


def value_fields(plan: Plan) -> list[str]:
    """The fields of `Values`."""
    tensors = plan.program.tensors
    return [
        line
        for name in plan.kept
        for line in field(
            plan.tensors[name],
            "np.ndarray",
            f"{shape_text(tensors[name].slots, plan.scalars)} {tensors[name].doc}".rstrip(),
        )
    ]


def gradient_fields(derivation: Derivation) -> Mapping[str, str]:
    """The field of `Gradients` that holds dL/dX, for every target X, in the order asked for."""
    targets = derivation.problem.targets
    names = python_names(["d" + target for target in targets])
    return {target: names["d" + target] for target in targets}


def gradient_variables(plan: Plan) -> Mapping[str, str]:
    """For every field of `Gradients`, the variable with its value."""
    problem = plan.derivation.problem
    return {
        name: plan.tensors[problem.gradient_names[target]] for target, name in gradient_fields(plan.derivation).items()
    }
