"""What a JAX module over a mesh holds beside the usual: mesh, shardings, and both passes as one compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.codegen.differentiable import Passes, returned
from indexcalc.codegen.layout import WIDTH, call_or_wrap, head
from indexcalc.codegen.outline import Plan, gradient_variables
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.signatures import arguments_of
from indexcalc.codegen.statements import Statement
from indexcalc.cost.mesh import Mesh

MESH_TEMPLATE = "jax_mesh_module.py.jinja2"

COMPILED = "both_passes"
"""The name of the compiled function."""


@dataclass(frozen=True)
class MeshText:
    """The parts of a module over a mesh, as text.

    Attributes:
        devices: the assignment of the mesh.
        shardings: the entries of the table of shardings.
        function: both passes, compiled.
    """

    devices: str
    shardings: tuple[str, ...]
    function: Function

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines of code, for the imports that they need."""
        return (self.devices, *self.shardings, *self.function.decorators, *self.function.body)


def mesh_text(plan: Plan, mesh: Mesh, passes: Passes) -> MeshText:
    """The parts of a module over a mesh."""
    gradients = gradient_variables(plan)
    owners = {variable: name for name, variable in plan.stored.items()}
    names = {
        **{plan.stored[name]: name for name in plan.kept},
        **{plan.stored[up.name]: up.name for up in plan.derivation.problem.handed},
        **{field: owners[variable] for field, variable in gradients.items()},
    }
    written = {*names.values()}
    names |= {plan.stored[name]: name for name in plan.splits if name not in written and plan.stored[name] not in names}
    shardings = tuple(f'"{field}": {sharding(array_axes(plan, name))},' for field, name in names.items())
    return MeshText(devices_line(mesh), shardings, compiled_passes(passes, tuple(gradients)))


def devices_line(mesh: Mesh, *, alone: bool = False) -> str:
    """``MESH = jax.make_mesh(...)``; if `alone`, of the same axes with one device each."""
    sizes = tuple(1 if alone else axis.devices for axis in mesh.axes)
    names = tuple(axis.name for axis in mesh.axes)
    kinds = "(AxisType.Auto,)" if len(names) == 1 else f"(AxisType.Auto,) * {len(names)}"
    parts = [literal(sizes), literal(names), f"axis_types={kinds}"]
    line = f"MESH = jax.make_mesh({', '.join(parts)})"
    return (
        line if len(line) <= WIDTH else "\n".join(["MESH = jax.make_mesh(", *(f"    {part}," for part in parts), ")"])
    )


def literal(values: Sequence[object]) -> str:
    """A tuple in Python, with double quotes."""
    parts = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def sharding(axes: Sequence[Sequence[str]]) -> str:
    """``NamedSharding(MESH, PartitionSpec("i", None))``."""
    return f"NamedSharding(MESH, PartitionSpec({spec_text(axes)}))"


def spec_text(axes: Sequence[Sequence[str]]) -> str:
    """``"i", None, ("data", "model")``."""
    texts = ["None" if not names else f'"{names[0]}"' if len(names) == 1 else literal(names) for names in axes]
    return ", ".join(texts)


def array_axes(plan: Plan, name: str) -> tuple[tuple[str, ...], ...]:
    """For every axis of a stored array the axes of the mesh over which it is split: those of its first slot."""
    names, problem = plan.splits[name], plan.derivation.problem
    hoisted = {
        equation.name
        for program in (plan.program, plan.derivation.backward)
        for equation in program.equations
        if equation.hoisted
    }
    authored = {*plan.program.tensors, *plan.derivation.backward.tensors, *(up.name for up in problem.handed)}
    if name not in authored - hoisted:
        # What the engine adds has an axis for each slot; hoisted sums may have other slots in code than in formulas.
        return names
    found: list[tuple[str, ...]] = []
    start = 0
    for group in plan.axes(name):
        found.append(names[start] if group else ())
        start += len(group)
    return tuple(found)


def placing(variable: str, axes: Sequence[Sequence[str]], value: str = "") -> list[str]:
    """``X = _placed(X, "b", None)``."""
    parts = [value or variable, *([spec_text(axes)] if axes else [])]
    return call_or_wrap(f"{variable} = _placed", [", ".join(parts)])


def with_placing(code: Sequence[str], plan: Plan, statement: Statement) -> list[str]:
    """The lines that assign a tensor, and the line that says how it is split; a copy is one line.

    Behind a loop there is a line for each of its arrays.
    """
    name = statement.name
    if not code:
        return []
    if statement.loop is not None:
        names = [array for array, _, _ in statement.loop.arrays if array in plan.splits]
        return [*code, *(line for array in names for line in placing(plan.tensors[array], plan.splits[array]))]
    if name not in plan.splits:
        return list(code)
    variable = plan.tensors[name]
    left, equals, right = code[-1].partition(" = ")
    if left == variable and equals and right.isidentifier():
        return [*code[:-1], *placing(variable, plan.splits[name], right)]
    return [*code, *placing(variable, plan.splits[name])]


def stored_placing(plan: Plan, name: str) -> list[str]:
    """How an array with fused axes is split as it is stored."""
    return placing(plan.stored[name], array_axes(plan, name)) if name in plan.splits else []


def placed_arguments(plan: Plan, statements: Sequence[Statement]) -> list[str]:
    """How the arguments of the pass that these statements are of are split: inputs, or upstream gradients."""
    if not plan.splits:
        return []
    problem = plan.derivation.problem
    ahead = statements == plan.forward
    names = [tensor.name for tensor in plan.program.inputs] if ahead else [up.name for up in problem.handed]
    return [line for name in names for line in stored_placing(plan, name)]


def compiled_passes(passes: Passes, fields: Sequence[str]) -> Function:
    """Both passes as one function, compiled with the shardings of what it returns."""
    plan = passes.plan
    arguments, _ = arguments_of(plan, passes.scalars)
    upstream = [f"{name}: {passes.array}" for name in passes.upstream]
    inputs, keywords = arguments[: len(passes.inputs)], arguments[len(passes.inputs) :]
    texts = [f'SHARDINGS["{name}"]' for name in passes.results]
    results = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    outer = ["    out_shardings=(", f"        {results},", "        Gradients("]
    outer += [f'            {field}=SHARDINGS["{field}"],' for field in fields]
    outer += ["        ),", "    ),"]
    static = [f"    static_argnames={literal(passes.sizes)},"] if passes.sizes else []
    decorators = ("@partial(", "    jax.jit,", *static, *outer, ")")
    block = call_or_wrap("values = forward", passes.forward_arguments)
    block += call_or_wrap("gradients = backward", ["values", *passes.upstream])
    values = [f"values.{name}" for name in passes.results]
    block += returned([values[0] if len(values) == 1 else f"({', '.join(values)})", "gradients"])
    first = head(COMPILED, [*inputs, *upstream, *keywords], f"tuple[{passes.result_type}, Gradients]")
    return Function(first, "Both passes, compiled for `MESH`.", (), tuple(block), (), decorators)
