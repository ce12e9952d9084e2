"""A derivation as a module made for speed: `value_and_grad` beside `forward` and `backward`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import prose
from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.fast.body import IN_NUMPY
from indexcalc.codegen.fast.library import Library
from indexcalc.codegen.fast.outline import (
    Fast,
    array_of,
    inputs_of,
    outlined,
    scalars_of,
    stored_name,
)
from indexcalc.codegen.fast.passes import (
    backward_function,
    blocked_loops,
    forward_function,
    whole_function,
)
from indexcalc.codegen.fast.torch_body import IN_TORCH
from indexcalc.codegen.formula import formula
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.module import (
    AMBIGUOUS,
    extent_lines,
    gradient_text,
    import_blocks,
    result_lines,
    scalar_doc,
    title,
)
from indexcalc.codegen.outline import gradient_fields, result_fields
from indexcalc.codegen.parts import record_of
from indexcalc.codegen.prose import paragraph, shape_text
from indexcalc.codegen.shapes import check_function, shapes_of
from indexcalc.codegen.special import needed_functions
from indexcalc.codegen.statements import Kind
from indexcalc.cost.blocks import CACHE, LEAST
from indexcalc.errors import ProgramError, UnsupportedError
from indexcalc.program import BlockedLoop

LIBRARIES: Mapping[str, Library] = {library.dialect.name: library for library in (IN_NUMPY, IN_TORCH)}
FAST_TARGETS = tuple(LIBRARIES)
"""The array libraries that code for speed can be written for."""


@dataclass(frozen=True)
class FastOptions:
    """What decides how a module cuts its work into blocks.

    Attributes:
        sizes: the extents by name, where they are known: they decide what is too large to keep.
        block: the name of an index to cut into blocks wherever a loop may run over it, and their length.
        cache: how many bytes the arrays of one block may take; None for what the second-level cache of a core holds
            where NumPy's code runs, and for `CACHE` in other libraries.
        memory: how many bytes a call may take beside given arrays and results, where its caller says nothing else;
            None for functions without such a bound. Only NumPy's code can keep within one.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    block: tuple[str, int] | None = None
    cache: int | None = None
    memory: int | None = None


@dataclass(frozen=True)
class FastModule:
    """A module made for speed, and what is to be known about it.

    Attributes:
        source: the text of the module.
        names: the field of `Values` or `Gradients` for every tensor and gradient that is returned.
        symbols: the Python name of every parameter and extent.
        targets: the tensors whose gradients are returned.
        outputs: the tensors that `value_and_grad` returns besides, in order.
        loops: those of `value_and_grad`, with the tensors of which it only ever holds a block.
        target: the array library.
        kernels: how many loops there are Triton kernels for.
    """

    source: str
    names: Mapping[str, str]
    symbols: Mapping[str, str]
    targets: tuple[str, ...]
    outputs: tuple[str, ...]
    loops: tuple[BlockedLoop, ...]
    target: str = NUMPY.name
    kernels: int = 0

    @property
    def never_whole(self) -> tuple[str, ...]:
        """The tensors of which `value_and_grad` only ever holds a block."""
        return tuple(dict.fromkeys(tensor for loop in self.loops for tensor in loop.tensors))


def fast_module(derivation: Derivation, options: FastOptions | None = None, target: str = NUMPY.name) -> FastModule:
    """A module whose passes run in blocks that stay in cache, over threads.

    `Gradients` holds the gradients of inputs; if none is asked for, those that are. Derivatives of other kinds stand
    beside them, those that are kept in parts as records of these.

    Args:
        derivation: what to write.
        options: how its work is cut into blocks.
        target: one of `FAST_TARGETS`.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written with this library, or a bound of memory not be kept.
        ProgramError: if there is no index of the name that is to be cut into blocks.
    """
    options = options or FastOptions()
    checked_options(derivation, options)
    library, is_bounded = LIBRARIES[target], options.memory is not None
    check_bound(options, library)
    block = options.block[0] if options.block else None
    fast = outlined(derivation, options.sizes, block, library, is_bounded=is_bounded)
    passes = (forward_function(fast), backward_function(fast), whole_function(fast))
    blocks = [function for _, body in passes for function in body.functions]
    kernels = [kernel for _, body in passes for kernel in body.kernels]
    plan, problem = fast.plan, derivation.problem
    records = tuple(record_of(plan, order) for order in derivation.orders if not order.whole)
    bodies = [*(line for function, _ in passes for line in function.body), *blocks]
    bodies += [line for record in records for line in record.code]
    # The variables of a block have the names of indices.
    variables = {*plan.stored.values(), *plan.scalars.values(), *identifiers(bodies)}
    ambiguous = [name for name in sorted(variables) if name in AMBIGUOUS]
    shapes = shapes_of(plan)
    shapes = replace(shapes, bounded=is_bounded) if shapes is not None else None
    check = [check_function(shapes)] if shapes is not None else []
    private = [*check, *(library.private[name].source for name in needed_functions([*bodies, *check], library.private))]
    source = template(library.template).render(
        ambiguous=", ".join(ambiguous),
        summary="\n".join(paragraph(f"{title(plan)}: forward and backward pass, in blocks.", hang="", opening='"""')),
        extents=extent_lines(plan),
        shapes=shapes,
        value_fields=value_fields(fast),
        gradient_fields=[
            line
            for name, tensor in fast.gradients.items()
            for line in prose.field(
                name, plan.dialect.array, f"{shape_text(plan.axes(tensor), plan.scalars)} {meaning(fast, tensor)}"
            )
        ]
        + result_lines(plan),
        gradient_text=gradient_text(plan),
        records=records,
        functions=[function for function, _ in passes],
        private_functions=private,
        blocks=blocks,
        kernels=kernels,
        decorators=library.decorators,
        imports=import_blocks(plan.dialect, [*bodies, *private]),
        loops=any("_run(" in line or "_blocks(" in line for line in bodies),
        roots=any("_root(" in line for line in bodies),
        cache=options.cache,
        usual_cache=CACHE,
        least=options.block[1] if options.block else LEAST,
        fixed=options.block is not None,
        memory=options.memory,
    )
    fields = gradient_fields(derivation)
    targets = tuple(target for target, name in fields.items() if name in fast.gradients)
    names = {problem.gradient_names[target]: fields[target] for target in targets}
    names |= {order.result.name: name for name, order in result_fields(derivation).items()}
    kept = [name for name in fast.kept if name in plan.program.tensors]
    fields_of_values = {name: stored_name(fast, name) for name in (*inputs_of(plan), *kept, *plan.program.outputs)}
    symbols = {symbol.name: name for symbol, name in plan.scalars.items()}
    loops = blocked_loops(passes[-1][1], fast)
    return FastModule(
        source, {**fields_of_values, **names}, symbols, targets, plan.program.outputs, loops, target, len(kernels)
    )


def fast_modules(
    derivation: Derivation, options: FastOptions, targets: Iterable[str] = ()
) -> tuple[tuple[FastModule, ...], Mapping[str, str]]:
    """NumPy's module for speed, then those of other libraries; and for each library that has none, why.

    Args:
        derivation: what to write.
        options: how its work is cut into blocks.
        targets: libraries; those that are not in `FAST_TARGETS` have no code for speed, and none is missed.

    Raises:
        UnsupportedError: if there is no code for speed in NumPy, or a bound of memory is asked of another library.
        ProgramError: if there is no index of the name that is to be cut into blocks.
    """
    others = [target for target in targets if target in FAST_TARGETS and target != NUMPY.name]
    for target in others:
        check_bound(options, LIBRARIES[target])
    found, unwritten = [fast_module(derivation, options)], {}
    for target in others:
        try:
            found.append(fast_module(derivation, options, target))
        except UnsupportedError as error:
            unwritten[target] = error.message
    return tuple(found), unwritten


def checked_options(derivation: Derivation, options: FastOptions) -> None:
    """Refuse a block along an index that there is not.

    Raises:
        ProgramError: if there is no such index.
    """
    names = [index.name for index in derivation.problem.program.indices]
    if options.block and options.block[0] not in names:
        raise ProgramError(f"there is no index {options.block[0]!r} to cut into blocks; there are {', '.join(names)}")


def check_bound(options: FastOptions, library: Library) -> None:
    """Refuse a bound of memory where the code of a library keeps none.

    Raises:
        UnsupportedError: if one is asked for.
    """
    if options.memory is not None and not library.has_bounds:
        able = ", ".join(other.dialect.library for other in LIBRARIES.values() if other.has_bounds)
        raise UnsupportedError(
            f"code for speed in {library.dialect.library} keeps within no bound of memory, that in {able} does; "
            f"leave memory out, or the target {library.dialect.name}"
        )


@cache
def template(name: str) -> Template:
    """The template of a module."""
    loader = PackageLoader("indexcalc.codegen", "templates")
    environment = Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    return environment.get_template(name)


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
        lines += prose.field(
            array.variable, plan.dialect.array, f"{shape_text(array.axes, plan.scalars)} {doc}".rstrip()
        )
    for symbol in scalars_of(fast):
        kind = "int" if symbol in plan.extents else "float"
        lines += prose.field(plan.scalars[symbol], kind, scalar_doc(plan, symbol))
    return lines


def made_from(fast: Fast, name: str) -> str:
    """The formula of a tensor that no spec names, or the system that it is the solution of."""
    statement = fast.problem.by_name[name]
    if statement.kind is Kind.JOINT:
        return statement.note
    text = statement.note if statement.kind is Kind.MATRIX else formula(statement, fast.plan.layouts)
    return text.partition(" = ")[2]


def meaning(fast: Fast, tensor: str) -> str:
    """``dL/dX`` for the tensor of a gradient."""
    names = fast.plan.derivation.problem.gradient_names
    return next((f"dL/d{target}" for target, name in names.items() if name == tensor), "")
