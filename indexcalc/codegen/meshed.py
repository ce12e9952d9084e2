"""The plan of a module over a mesh: both passes placed, and how every tensor of theirs is split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.dialect import Dialect
from indexcalc.codegen.names import python_name
from indexcalc.codegen.outline import Plan, make_plan
from indexcalc.codegen.places import Placed, Places
from indexcalc.codegen.placing import placed_pass
from indexcalc.codegen.sending import Layout, axes_of
from indexcalc.cost.mesh import Mesh, check_mesh, with_blocks
from indexcalc.errors import UnsupportedError
from indexcalc.rewrite.cost import nominal_sizes


@dataclass(frozen=True)
class MeshPlan:
    """Both passes of a derivation over a mesh.

    Attributes:
        plan: the module, with copies of operands among its statements.
        mesh: the devices.
        forward: the statements of the forward pass.
        backward: the statements of the backward pass.
        layouts: how every tensor is split, slot by slot.
    """

    plan: Plan
    mesh: Mesh
    forward: tuple[Placed, ...]
    backward: tuple[Placed, ...]
    layouts: Mapping[str, Layout]

    @property
    def both(self) -> tuple[Placed, ...]:
        """The statements of both passes."""
        return (*self.forward, *self.backward)


def mesh_plan(derivation: Derivation, mesh: Mesh, dialect: Dialect) -> MeshPlan:
    """Place both passes of a derivation on a mesh; an operand that is gathered is not kept between the passes.

    Raises:
        MeshError: if the mesh doesn't fit the program.
        UnsupportedError: if a statement can't be done with blocks.
    """
    program, problem = derivation.problem.program, derivation.problem
    check_mesh(mesh, program)
    if derivation.orders:
        raise UnsupportedError("derivatives that are no gradients are not split over a mesh so far; leave out --mesh")
    plan = make_plan(derivation, dialect)
    named = named_layouts(derivation, mesh)
    sizes = with_blocks(nominal_sizes(program), mesh, program)
    taken = {*program.tensors, *plan.stored, *(s.name for s in (*plan.forward, *plan.backward))}
    given = {tensor.name: (tensor.slots, named[tensor.name]) for tensor in program.inputs}
    first = Places(mesh, sizes, named, given, plan.entries)
    forward = placed_pass(plan.forward, first, taken)
    upstream = {up.name: (program.tensors[up.of].slots, named[up.name]) for up in problem.handed}
    kept = {name: first.stored[name] for name in plan.kept if name in first.stored}
    second = Places(mesh, sizes, named, {**kept, **upstream}, plan.entries)
    backward = placed_pass(plan.backward, second, taken)
    layouts = {name: layout for name, (_, layout) in {**first.stored, **second.stored}.items()}
    added = [name for name in layouts if name not in plan.stored]
    stored, tensors = dict(plan.stored), dict(plan.tensors)
    for name in added:
        stored[name] = python_name(
            name, {*stored.values(), *tensors.values(), *plan.scalars.values(), *dialect.reserved}
        )
        tensors[name] = stored[name]
    changed = replace(
        plan,
        forward=tuple(written for one in forward for written in one.written),
        backward=tuple(written for one in backward for written in one.written),
        stored=stored,
        tensors=tensors,
        splits={name: names_of(layout) for name, layout in layouts.items()},
    )
    return MeshPlan(changed, mesh, tuple(forward), tuple(backward), layouts)


def named_layouts(derivation: Derivation, mesh: Mesh) -> Mapping[str, Layout]:
    """The layouts of the author's tensors, of what upstream gradients are given for, and of gradients."""
    program, problem = derivation.problem.program, derivation.problem
    hoisted = {equation.name for equation in program.equations if equation.hoisted}
    found = {name: mesh.split(program.axes(name)) for name in program.tensors if name not in hoisted}
    upstream = {up.name: mesh.split(program.axes(up.of)) for up in problem.handed}
    gradients = {name: found[of] for of, name in problem.gradient_names.items() if of in found}
    return {**gradients, **found, **upstream}


def names_of(layout: Layout) -> tuple[tuple[str, ...], ...]:
    """The axes over which each slot is split, by their names."""
    return tuple(tuple(axis.name for axis in axes_of(at)) for at in layout)
