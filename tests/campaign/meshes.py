"""JAX modules over a mesh, for the campaigns: at each point a mesh that fits its sizes, on virtual devices."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import indexcalc as ic
from indexcalc.cost.mesh import Mesh, MeshAxis, indices_of
from indexcalc.generation import loaded
from indexcalc.program import Program

DEVICES = 8
FLAG = f"--xla_force_host_platform_device_count={DEVICES}"
LENGTHS = (2, 3, 4, 5)
"""How many devices an axis may have."""

ATTEMPTS = 6
"""How many meshes are tried: steps of a recurrence are not split, nor what they add up over."""


def with_devices() -> None:
    """Have JAX see eight devices.

    Raises:
        RuntimeError: if it has been started with fewer.
    """
    if FLAG not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAG}".strip()
    found = len(import_module("jax").devices())
    if found < DEVICES:
        raise RuntimeError(f"JAX runs with {found} devices here; a mesh needs a process of its own, with {FLAG}")


def drawn_mesh(program: Program, sizes: Mapping[str, int], rng: random.Random) -> Mesh:
    """A mesh of up to three axes: over each one index or several, over which blocks of these sizes have one length."""
    lengths = {
        name: int(index.extent.subs({extent: sizes[extent.name] for extent in program.extents}))
        for name, index in indices_of(program).items()
    }
    axes: list[MeshAxis] = []
    left, split = DEVICES, dict.fromkeys(lengths, 1)
    for _ in range(rng.randint(1, 3)):
        devices = rng.choice(LENGTHS)
        fitting = [name for name, length in lengths.items() if length > 0 and length % (devices * split[name]) == 0]
        if not fitting or devices > left:
            continue
        indices = tuple(rng.sample(fitting, min(len(fitting), rng.randint(1, 2))))
        # Two axes over the same indices would be called alike.
        if any(axis.indices == indices for axis in axes):
            continue
        axes.append(MeshAxis(indices, devices, f"axis_{len(axes)}"))
        left //= devices
        split |= {name: devices * split[name] for name in indices}
    return Mesh(tuple(axes))


def module_that_fits(derivation: Any, sizes: Mapping[str, int], rng: random.Random) -> Any:
    """The module over the first of some random meshes over which the program can be split, imported.

    Raises:
        UnsupportedError: if it can be split over none of them.
    """
    for attempt in range(ATTEMPTS):
        mesh = drawn_mesh(derivation.problem.program, sizes, rng)
        try:
            return loaded(ic.target_module(derivation, "jax", mesh).source)
        except ic.UnsupportedError:
            if attempt + 1 == ATTEMPTS:
                raise
    raise AssertionError
