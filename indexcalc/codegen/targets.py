"""The array libraries that code can be written for, by the name that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.dialect import NUMPY, Dialect
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.mesh_module import devices_line
from indexcalc.codegen.module import module_source
from indexcalc.codegen.outline import function_name, gradient_fields, make_plan, module_names, module_symbols
from indexcalc.cost.mesh import Mesh, check_named

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (NUMPY, TORCH, JAX)}
TARGETS = tuple(DIALECTS)


@dataclass(frozen=True)
class TargetModule:
    """A module for one array library, and the names in it.

    Attributes:
        target: the library.
        source: the text of the module.
        function: the function that automatic differentiation calls; NumPy's module has none.
        names: the field of `Values` or `Gradients` for every tensor and gradient.
        symbols: the Python name of every parameter and extent.
        derived: for every input, whether its gradient was derived.
        mesh: the devices over which its arrays are split, if they are.
    """

    target: str
    source: str
    function: str
    names: Mapping[str, str]
    symbols: Mapping[str, str]
    derived: tuple[bool, ...]
    mesh: Mesh | None = None

    @property
    def checked_source(self) -> str:
        """What is run to check the module: over a mesh the same statements, with one device on each axis."""
        if self.mesh is None:
            return self.source
        return self.source.replace(devices_line(self.mesh), devices_line(self.mesh, alone=True), 1)


def target_module(derivation: Derivation, target: str, mesh: Mesh | None = None) -> TargetModule:
    """The module of a derivation for one of `TARGETS`.

    Args:
        derivation: what was derived.
        target: the library.
        mesh: the devices over which arrays are split; JAX alone knows meshes.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written with this library.
        MeshError: if the mesh doesn't fit the program, or lacks an axis over which the spec splits indices.
    """
    dialect = DIALECTS[target]
    mesh = mesh if dialect is JAX else None
    if dialect is JAX:
        check_named(mesh.axes if mesh is not None else (), derivation.problem.splits)
    derived = gradient_fields(derivation)
    return TargetModule(
        target,
        module_source(derivation, dialect, mesh),
        function_name(make_plan(derivation, dialect)),
        module_names(derivation, dialect),
        module_symbols(derivation, dialect),
        tuple(tensor.name in derived for tensor in derivation.problem.program.inputs),
        mesh,
    )


def fast_file(slug: str, target: str) -> str:
    """The name of the file with a derivation's code for speed."""
    return f"{slug}_fast.py" if target == NUMPY.name else f"{slug}_{target}_fast.py"
