"""The twelve programs: their parts, the sizes they are stated at and small ones, their inputs and their updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.slots import Index
from indexcalc.problem import Problem

from .updates import AdamW, Descent, Newton, Update

SPECS = Path(__file__).parent / "specs"
Sizes = Mapping[str, int]
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


@dataclass(frozen=True)
class Part:
    """One spec of a program.

    Attributes:
        name: of the spec, and of the forward pass in PyTorch.
        stated: the extents at which it is timed.
        small: the extents at which it is compared in double precision; all different.
        update: makes what changes the weights after a step; None where no update belongs to the program.
        draws: how inputs are drawn for which a standard normal entry would not do.
    """

    name: str
    stated: Sizes
    small: Sizes
    update: Callable[[], Update] | None = None
    draws: Mapping[str, Draw] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Where the spec is."""
        return SPECS / f"{self.name}.ixc"

    @cached_property
    def problem(self) -> Problem:
        """The spec, read."""
        return ic.load_problem(self.path)

    def inputs(self, sizes: Sizes, dtype: str) -> dict[str, np.ndarray]:
        """Every input, and every direction of a product, at given sizes: always the same entries.

        Weights of matrices are as large as keeps the size of what they are multiplied by; whole numbers are any that
        are allowed.
        """
        rng = np.random.default_rng(0)
        program, found = self.problem.program, {}
        for tensor in program.inputs:
            shape = shape_of(tensor.slots, program.layouts.get(tensor.name, ()), sizes)
            if tensor.values is not None:
                found[tensor.name] = rng.integers(0, size_of(tensor.values, sizes), shape)
                continue
            draw = self.draws.get(tensor.name)
            array = draw(rng, shape) if draw else rng.standard_normal(shape)
            if draw is None and tensor.name in self.problem.targets:
                array = array / np.sqrt(prod(shape[:-1])) if len(shape) > 1 else array / 10
            found[tensor.name] = np.asarray(array, dtype)
        for direction in self.problem.directions:
            found[direction.name] = rng.standard_normal(found[direction.of].shape).astype(dtype)
        return found


@dataclass(frozen=True)
class Program:
    """One program of the suite: a spec, or several that belong together."""

    name: str
    parts: tuple[Part, ...]


def size_of(extent: sp.Expr, sizes: Sizes) -> int:
    """An extent as a number."""
    return int(extent.xreplace({symbol: sp.Integer(sizes[symbol.name]) for symbol in extent.free_symbols}))


def shape_of(slots: tuple[Index, ...], layout: tuple[int, ...], sizes: Sizes) -> tuple[int, ...]:
    """The shape of an array as it is stored: the slots of a fused axis are one axis."""
    lengths = [size_of(slot.extent, sizes) for slot in slots]
    shape, start = [], 0
    for count in layout or (1,) * len(lengths):
        shape.append(prod(lengths[start : start + count]))
        start += count
    return tuple(shape)


def gain(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Near one."""
    return 1 + rng.standard_normal(shape) / 10


def tenth(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A tenth of standard normal."""
    return rng.standard_normal(shape) / 10


def sign(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """One or minus one."""
    return rng.choice([-1.0, 1.0], shape)


def bit(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Zero or one."""
    return rng.choice([0.0, 1.0], shape)


def schedule(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """What is left after linear steps of variance from 1e-4 to 0.02 (Ho, Jain and Abbeel, 2020, section 4)."""
    return np.cumprod(1 - np.linspace(1e-4, 0.02, *shape))


def distribution(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Rows that sum to one."""
    return rng.dirichlet(np.ones(shape[-1]), shape[:-1])


def places(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers in [-3, 3]."""
    return rng.uniform(-3, 3, shape)


def at(value: float) -> Draw:
    """A fixed number."""
    return lambda rng, shape: np.full(shape, value)


GAINS = {"g": gain, **{f"l{number}_{name}": gain for number in (1, 2, 3) for name in ("g1", "g2")}}
TABLES = {"E": tenth, "P": tenth}
QUADRATIC = Part("hessian_step", {"N": 64}, {"N": 4})

PROGRAMS = tuple(
    Program(name, parts)
    for name, parts in {
        "mlp_step": (Part("mlp_step", {"N": 256, "D": 128, "O": 1}, {"N": 5, "D": 4, "O": 3}, AdamW),),
        "conv_step": (
            Part(
                "conv_step",
                {"B": 64, "N": 28, "C": 8, "F": 16, "K": 5, "O": 10},
                {"B": 3, "N": 13, "C": 2, "F": 5, "K": 4, "O": 6},
                lambda: Descent(0.1),
            ),
        ),
        "embed_step": (
            Part(
                "embed_step",
                {"P": 4096, "A": 50_000, "B": 50_000, "D": 64},
                {"P": 9, "A": 5, "B": 4, "D": 3},
                lambda: Descent(0.1),
                {"U": tenth, "V": tenth, "y": sign},
            ),
        ),
        "rnn_step": (
            Part(
                "rnn_step",
                {"B": 64, "T": 16, "K": 64, "D": 64, "O": 1},
                {"B": 5, "T": 6, "K": 3, "D": 4, "O": 2},
                AdamW,
            ),
        ),
        "gpt_step": (
            Part(
                "gpt_step",
                {"B": 64, "T": 11, "D": 48, "H": 3, "d": 16, "F": 192, "N_V": 3},
                {"B": 2, "T": 8, "D": 6, "H": 3, "d": 4, "F": 7, "N_V": 5},
                AdamW,
                {**GAINS, **TABLES},
            ),
        ),
        "diffusion_step": (
            Part(
                "diffusion_step",
                {"N": 128, "D": 64, "T": 100},
                {"N": 5, "D": 4, "T": 7},
                AdamW,
                {"abar": schedule, "E": tenth},
            ),
        ),
        "vae_step": (
            Part("vae_sampled", {"N": 1024, "D": 16, "K": 2}, {"N": 7, "D": 5, "K": 2}, lambda: AdamW(decay=0.0)),
            Part(
                "vae_expected",
                {"N": 1024, "D": 16, "K": 2},
                {"N": 7, "D": 5, "K": 2},
                lambda: Newton({"A": "H", "W": "H_W"}, 1e-3),
            ),
        ),
        "gp_step": (
            Part(
                "gp_step",
                {"N": 128},
                {"N": 6},
                lambda: Descent(0.05),
                {"x": places, "a": at(0.0), "l": at(0.0), "s": at(-2.0)},
            ),
        ),
        "hessian_step": (Part("hessian_step", {"N": 2048}, {"N": 5}),),
        "newton_step": (
            Part("newton_step", {"N": 2048, "D": 256}, {"N": 9, "D": 4}, lambda: Newton({"w": "H"}, 1e-3), {"y": bit}),
        ),
        "second_order": (
            QUADRATIC,
            Part("logsumexp", {"N": 64}, {"N": 4}),
            Part("tanh_network", {"N": 64, "M": 64, "O": 64}, {"N": 4, "M": 3, "O": 2}),
            Part("cross_entropy_product", {"N": 64, "C": 64}, {"N": 3, "C": 4}, draws={"y": distribution}),
        ),
        "shampoo_kfac": (
            Part("shampoo", {"I": 32, "J": 32, "K": 32}, {"I": 2, "J": 3, "K": 4}),
            Part("kfac", {"N": 256, "K": 128, "I": 64}, {"N": 6, "K": 4, "I": 3}),
        ),
    }.items()
)
"""Sizes that were left open are chosen here: outputs of readouts, F of the GPT, tensor and layer of the last."""
