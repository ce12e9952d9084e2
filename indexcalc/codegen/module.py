"""A derivation as a module: `Values`, `Gradients`, `forward` and `backward`, in NumPy or in another dialect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache

import sympy as sp
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.dialect import NUMPY, Dialect
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.differentiable import (
    RULE,
    Passes,
    aliases_in,
    differentiable_function,
    fields_read,
    jax_rules,
    torch_rules,
)
from indexcalc.codegen.formula import formula
from indexcalc.codegen.functions import pass_lines
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.mesh_module import MESH_TEMPLATE, mesh_text, placed_arguments, stored_placing, with_placing
from indexcalc.codegen.meshed import mesh_plan
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.outline import (
    Plan,
    backward_scope,
    forward_scope,
    gradient_fields,
    make_plan,
    result_fields,
)
from indexcalc.codegen.parts import axes_of, class_name, record_of, result_values
from indexcalc.codegen.prose import field, paragraph, plain, shape_text
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.shapes import check_function, shapes_of
from indexcalc.codegen.signatures import (
    backward_function,
    forward_function,
    forward_scalars,
    wanted_extents,
)
from indexcalc.codegen.special import needed_functions
from indexcalc.codegen.statements import Statement
from indexcalc.codegen.steps import WHOLE, LoopWriter
from indexcalc.codegen.storage import merge_line, split_line
from indexcalc.cost.mesh import Mesh

AMBIGUOUS = ("I", "O", "l")
"""Names that linters call ambiguous; where an author chose one, it stays."""


def numpy_module(derivation: Derivation) -> str:
    """The source of a module with the forward and backward pass of a derivation, in plain NumPy.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written in NumPy.
    """
    return module_source(derivation, NUMPY)


def module_source(derivation: Derivation, dialect: Dialect, mesh: Mesh | None = None) -> str:
    """The source of a module with the forward and backward pass of a derivation, for one array library.

    Args:
        derivation: what was derived.
        dialect: the library.
        mesh: for JAX, the devices over which arrays are split.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written with this library.
        MeshError: if the mesh doesn't fit the program.
    """
    plan = make_plan(derivation, dialect) if mesh is None else mesh_plan(derivation, mesh, dialect).plan
    forward_body = statement_block(plan, plan.forward, forward_scope(plan), plan.kept)
    backward_body = statement_block(plan, plan.backward, backward_scope(plan), derivation.backward.outputs)
    read = backward_reads(plan, [*backward_body, *result_values(plan).values()])
    functions = (forward_function(plan, forward_body, read), backward_function(plan, backward_body, read))
    scalars = forward_scalars(plan, forward_body, read)
    passes = Passes(plan, scalars, tuple(read), fields_read(functions[1].body), aliases_in(forward_body))
    rules = () if derivation.orders else RULES[dialect.name](passes)
    records = tuple(record_of(plan, order) for order in derivation.orders if not order.whole)
    code = [
        *forward_body,
        *backward_body,
        *(line for record in records for line in record.code),
        *(line for rule in rules for line in (*rule.decorators, *rule.body)),
    ]
    shapes = shapes_of(plan)
    check = [check_function(shapes)] if shapes is not None else []
    private = [*check, *(dialect.private[name].source for name in needed_functions([*code, *check], dialect.private))]
    meshed = None if mesh is None else mesh_text(plan, mesh, passes)
    ambiguous = [name for name in sorted({*plan.stored.values(), *plan.scalars.values()}) if name in AMBIGUOUS]
    layout = NUMPY.template if not rules else dialect.template if meshed is None else MESH_TEMPLATE
    return template(layout).render(
        ambiguous=", ".join(ambiguous),
        imports=import_blocks(dialect, [*code, *private, *(meshed.lines if meshed is not None else ())]),
        mesh=meshed,
        kept=kept_text(plan),
        summary="\n".join(paragraph(f"{title(plan)}: forward and backward pass.", hang="")),
        extents=extent_lines(plan),
        shapes=shapes,
        value_fields=[*value_fields(plan), *scalar_fields(plan, read)],
        gradient_fields=[*gradient_lines(plan), *result_lines(plan)],
        gradient_text=gradient_text(plan),
        records=records,
        functions=functions,
        rules=rules,
        private_functions=private,
    )


RULES: Mapping[str, Callable[[Passes], tuple[Function, ...]]] = {
    NUMPY.name: lambda passes: (),
    TORCH.name: lambda passes: (*torch_rules(passes), differentiable_function(passes, "_Function.apply", extra=True)),
    JAX.name: lambda passes: (*jax_rules(passes), differentiable_function(passes, RULE, "_constant")),
}
"""What a module for automatic differentiation holds besides the two passes, by its dialect."""


def import_blocks(dialect: Dialect, lines: Collection[str]) -> list[list[str]]:
    """The imports that lines need, and those that every module needs: the standard library, then the rest."""
    used = {*identifiers(lines), *identifiers([dialect.array]), "NamedTuple", "np", "torch", "jax"}
    return [list(dict.fromkeys(line for name, line in block.items() if name in used)) for block in dialect.imports]


@cache
def template(name: str) -> Template:
    """A template of a module."""
    loader = PackageLoader("indexcalc.codegen", "templates")
    environment = Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    return environment.get_template(name)


def title(plan: Plan) -> str:
    """The title without a full stop."""
    return plain(plan.program.title).rstrip(".") or plan.derivation.problem.slug


def statement_block(
    plan: Plan, statements: Sequence[Statement], scope: Scope, results: Collection[str], writer: LoopWriter = WHOLE
) -> list[str]:
    """All statements as lines; `results` are the tensors that the function returns."""
    given = [*plan.program.tensors, *(up.name for up in plan.derivation.problem.handed)]
    assigned = {statement.name for statement in statements}
    lines: list[str] = []
    names = {*plan.stored.values(), *plan.tensors.values(), *plan.scalars.values()}
    waiting: dict[str, None] = {}
    all_lines = pass_lines(statements, scope, names, results=results, writer=writer)
    for statement, code in zip(statements, all_lines, strict=True):
        lines += with_placing(code, plan, statement)
        if statement.name in results and plan.is_fused(statement.name):
            waiting[statement.name] = None
        if code:  # what a loop computes is there where its lines are
            for name in waiting:
                lines.append(merge_line(plan.tensors[name], plan.array(name), scope))
                lines += stored_placing(plan, name)
            waiting = {}
    used = identifiers(lines)
    fused = [name for name in given if name not in assigned and plan.is_fused(name) and plan.tensors[name] in used]
    return [
        *placed_arguments(plan, statements),
        *(split_line(plan.tensors[name], plan.array(name), scope) for name in fused),
        *lines,
    ]


def backward_reads(plan: Plan, body: list[str]) -> list[sp.Symbol]:
    """The scalars that the backward pass needs and no shape shows: `Values` carries them."""
    used, wanted = identifiers(body), wanted_extents(plan, body)
    parameters = [parameter.symbol for parameter in plan.program.parameters]
    return [
        *(extent for extent in plan.unread if extent in wanted),
        *(symbol for symbol in parameters if plan.scalars[symbol] in used),
    ]


def scalar_doc(plan: Plan, symbol: sp.Symbol) -> str:
    """What a scalar means."""
    doc = next((p.doc for p in plan.program.parameters if p.symbol == symbol), "extent")
    return doc or "parameter"


def extent_lines(plan: Plan) -> list[str]:
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


def kept_text(plan: Plan) -> str:
    """What `Values` holds."""
    again = [name for name in plan.derivation.problem.recompute if name not in plan.kept]
    if not again:
        return "Inputs, intermediates and outputs of the forward pass."
    names = [plan.stored[name] for name in again]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"What is kept of the forward pass: all but {listed}."


def scalar_fields(plan: Plan, read: Collection[sp.Symbol]) -> list[str]:
    """The fields of `Values` for scalars."""
    kinds = {symbol: "int" if symbol in plan.extents else "float" for symbol in read}
    return [
        line for symbol, kind in kinds.items() for line in field(plan.scalars[symbol], kind, scalar_doc(plan, symbol))
    ]


def gradient_lines(plan: Plan) -> list[str]:
    """The fields of `Gradients`."""
    return [
        line
        for target, name in gradient_fields(plan.derivation).items()
        for line in field(name, plan.dialect.array, f"{shape_text(plan.axes(target), plan.scalars)} dL/d{target}")
    ]


def result_lines(plan: Plan) -> list[str]:
    """The fields of `Gradients` for derivatives of other kinds."""
    lines = []
    for name, order in result_fields(plan.derivation).items():
        kind = plan.dialect.array if order.whole else class_name(plan, order)
        shape = shape_text(axes_of(plan, order), plan.scalars)
        lines += field(name, kind, f"{shape} {order.sections[-1].equation.doc}")
    return lines


def gradient_text(plan: Plan) -> str:
    """What `Gradients` holds."""
    if plan.derivation.orders:
        return "The derivatives that were asked for."
    return "Gradients of the loss, each in the shape of its tensor."


def value_fields(plan: Plan) -> list[str]:
    """The fields of `Values`."""
    return [
        line
        for name in plan.kept
        for line in field(
            plan.stored[name],
            plan.dialect.array,
            f"{shape_text(plan.axes(name), plan.scalars)} {field_doc(plan, name)}".rstrip(),
        )
    ]


def field_doc(plan: Plan, name: str) -> str:
    """What a tensor that is kept means; a maximum or a shifted sum has no meaning but its formula."""
    if name in plan.program.tensors:
        return plan.program.tensors[name].doc
    return next(formula(statement, plan.layouts) for statement in plan.forward if statement.name == name)
