"""The engine on one program: what it writes in every style, and all ways to run what it wrote."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import indexcalc as ic
from indexcalc.codegen import gradient_fields, module_names, module_symbols
from indexcalc.codegen.checkpoints.module import NoStepsError
from indexcalc.codegen.fast.module import FastOptions
from indexcalc.generation import loaded
from indexcalc.proof.fast import KERNELS, kernels_missing
from tests.campaign.meshes import module_that_fits, with_devices
from tests.campaign.oracle import Point
from tests.support.memory import least_bound

CHECKPOINTS = "checkpoints"
"""Code that keeps few steps of recurrences."""

MEMORY = "memory"
"""Code for speed that keeps within a bound of memory."""

MESH = "mesh"
"""Code for JAX over a mesh of devices."""

STYLES = ("note", "numpy", "fast", MEMORY, CHECKPOINTS, "torch", "torch fast", "jax", MESH, "check")
"""The note, code for reading and for speed, both in PyTorch, code for JAX, and the engine's own check of the first."""

FAST = ("fast", MEMORY, "torch fast")
"""The styles whose modules have `value_and_grad`, and gradients of inputs alone."""


@dataclass(frozen=True)
class Results:
    """What code gave at a point: tensors, and gradients by the tensor that they belong to."""

    values: Mapping[str, Any]
    gradients: Mapping[str, Any]


Way = Callable[[Point], Results]


@dataclass(frozen=True)
class Module:
    """A generated module, and the names in it.

    Attributes:
        style: one of `STYLES`.
        derivation: what it was generated from.
        loaded: the module, imported.
        names: the field of `Values` for each tensor.
        symbols: the keyword of each extent.
        fields: the field of `Gradients` by tensor.
        written: what else is known of it, by style.
    """

    style: str
    derivation: Any
    loaded: ModuleType
    names: Mapping[str, str]
    symbols: Mapping[str, str]
    fields: Mapping[str, str]
    written: Any = None

    @property
    def ways(self) -> Iterator[tuple[str, Way]]:
        """All ways to run the module, by what is said of them."""
        if self.style == CHECKPOINTS:
            yield self.style, self.at_once
            yield f"{self.style}, segments of 1", partial(self.at_once, every=1)
            yield f"{self.style}, segments of 2", partial(self.at_once, every=2)
            return
        if self.style == MESH:
            yield self.style, self.on_devices
            return
        if self.style == MEMORY:
            yield f"{self.style} value_and_grad", self.at_once
            yield f"{self.style}, the least", self.in_least_memory
            return
        yield self.style, self.two_passes
        if self.style in FAST:
            yield f"{self.style} value_and_grad", self.at_once
            if hasattr(self.loaded, "CACHE"):
                yield f"{self.style} in blocks", self.in_blocks
            if getattr(self.written, "kernels", 0) and not kernels_missing():
                yield f"{self.style} {KERNELS}", self.in_kernels
        if self.style == "torch":
            yield "torch autograd", self.through_autograd

    def inputs(self, point: Point) -> list[np.ndarray]:
        """Copies of the inputs in the order in which the engine wants them."""
        return [np.array(point.inputs[tensor.name]) for tensor in self.derivation.problem.program.inputs]

    def upstream(self, point: Point) -> list[np.ndarray]:
        """Copies of the given gradients."""
        return [np.array(point.upstream[up.of]) for up in self.derivation.problem.upstream]

    def keywords(self, function: Callable[..., Any], point: Point) -> dict[str, Any]:
        """The extents that a function takes by name; parameters keep their defaults."""
        wanted = {p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY}
        scalars = {self.symbols.get(name, name): size for name, size in point.sizes.items()}
        return {name: size for name, size in scalars.items() if name in wanted}

    def two_passes(self, point: Point) -> Results:
        """The forward pass, then the backward pass; neither may change what it was given."""
        module, array = self.loaded, converter(self.style)
        with double_precision(self.style):
            inputs = [array(one) for one in self.inputs(point)]
            values = module.forward(*inputs, **self.keywords(module.forward, point))
            before = [np.array(one) for one in (*inputs, *values)]
            upstream = [array(one) for one in self.upstream(point)]
            gradients = module.backward(values, *upstream, **self.keywords(module.backward, point))
            for was, one in zip(before, (*inputs, *values), strict=True):
                assert np.array_equal(was, np.asarray(one), equal_nan=True), "backward changed what it read"
        return Results(
            {name: np.asarray(getattr(values, own)) for name, own in self.names.items() if hasattr(values, own)},
            {of: np.asarray(getattr(gradients, own)) for of, own in self.fields.items()},
        )

    def at_once(self, point: Point, **settings: Any) -> Results:
        """``value_and_grad``."""
        function, array = self.loaded.value_and_grad, converter(self.style)
        scalars = {**self.keywords(function, point), **settings}
        given = [array(one) for one in (*self.inputs(point), *self.upstream(point))]
        outputs, gradients = function(*given, **scalars)
        outputs = (outputs,) if len(self.written.outputs) == 1 else outputs
        return Results(
            {name: np.asarray(one) for name, one in zip(self.written.outputs, outputs, strict=True)},
            {of: np.asarray(getattr(gradients, own)) for of, own in self.fields.items()},
        )

    def in_blocks(self, point: Point) -> Results:
        """``value_and_grad`` in blocks of one or two entries, NumPy's in two threads."""
        module = self.loaded
        *_, setting = inspect.signature(module.value_and_grad).parameters
        settings = {setting: 2} if self.style == "fast" else {}
        least = {"CACHE": 1, "LEAST": 2, "PART": 0}
        saved = {name: value for name, value in vars(module).items() if name in least}
        vars(module).update({name: least[name] for name in saved})
        try:
            return self.at_once(point, **settings)
        finally:
            vars(module).update(saved)

    def in_least_memory(self, point: Point) -> Results:
        """``value_and_grad`` within the least bound that it accepts."""
        *_, bound, _, _ = inspect.signature(self.loaded.value_and_grad).parameters
        least = least_bound(lambda tried: self.at_once(point, **{bound: tried}))
        return self.at_once(point, **{bound: least})

    def on_devices(self, point: Point) -> Results:
        """Both passes, compiled for a mesh that fits the sizes of the point; another one at each."""
        problem = self.derivation.problem
        rng = Random(repr((problem.slug, sorted(point.sizes.items()))))
        module, array = module_that_fits(self.derivation, point.sizes, rng), converter(self.style)
        with double_precision(self.style):
            given = [array(one) for one in (*self.inputs(point), *self.upstream(point))]
            outputs, gradients = module.both_passes(*given, **self.keywords(module.both_passes, point))
        names = [up.of for up in problem.upstream] or [problem.loss]
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return Results(
            {name: np.asarray(one) for name, one in zip(names, outputs, strict=True)},
            {of: np.asarray(getattr(gradients, own)) for of, own in self.fields.items()},
        )

    def in_kernels(self, point: Point) -> Results:
        """``value_and_grad`` with kernels; what their tiles hold outside of tensors may be anything."""
        *_, setting = inspect.signature(self.loaded.value_and_grad).parameters
        with np.errstate(all="ignore"):
            return self.at_once(point, **{setting: KERNELS})

    def through_autograd(self, point: Point) -> Results:
        """The function for training, differentiated by PyTorch."""
        torch, problem = import_module("torch"), self.derivation.problem
        names = [tensor.name for tensor in problem.program.inputs]
        tensors = [torch.tensor(array) for array in self.inputs(point)]
        for tensor, derived in zip(tensors, self.written.derived, strict=True):
            tensor.requires_grad_(derived)
        function = getattr(self.loaded, self.written.function)
        found = function(*tensors, **self.keywords(function, point))
        outputs = found if isinstance(found, tuple) else (found,)
        given = [torch.tensor(array) for array in self.upstream(point)] or [torch.tensor(1.0, dtype=torch.float64)]
        of_outputs = [up.of for up in problem.upstream] or [problem.loss]
        values = {name: output.detach().numpy() for name, output in zip(of_outputs, outputs, strict=True)}
        derived = {name: tensor for name, tensor in zip(names, tensors, strict=True) if tensor.requires_grad}
        if not derived:
            return Results(values, {})
        slopes = torch.autograd.grad(outputs, list(derived.values()), given, allow_unused=True)
        found = zip(derived, slopes, strict=True)
        return Results(values, {name: slope.numpy() for name, slope in found if slope is not None})


def double_precision(style: str) -> Any:
    """JAX computes in double precision only when told to."""
    return import_module("jax").enable_x64(True) if style in ("jax", MESH) else nullcontext()


def converter(style: str) -> Callable[[np.ndarray], Any]:
    """NumPy's arrays to those of a style."""
    if style.startswith("torch"):
        return import_module("torch").as_tensor
    return import_module("jax.numpy").asarray if style in ("jax", MESH) else np.asarray


def writers(derivation: Any, styles: Sequence[str]) -> Iterator[tuple[str, Callable[[], Module | None]]]:
    """A function for each style that writes and imports its module, if there is one and it is installed."""

    def numpy() -> Module:
        names, symbols = module_names(derivation), module_symbols(derivation)
        module = loaded(ic.numpy_module(derivation))
        return Module("numpy", derivation, module, names, symbols, gradient_fields(derivation))

    def fast(style: str, target: str) -> Callable[[], Module]:
        def write() -> Module:
            written = ic.fast_module(derivation, target=target)
            fields = {of: written.names[derivation.problem.gradient_names[of]] for of in written.targets}
            return Module(style, derivation, loaded(written.source), written.names, written.symbols, fields, written)

        return write

    def library(style: str) -> Callable[[], Module]:
        def write() -> Module:
            written = ic.target_module(derivation, style)
            module = loaded(written.source)
            fields = gradient_fields(derivation)
            return Module(style, derivation, module, written.names, written.symbols, fields, written)

        return write

    def memory() -> Module:
        written = ic.fast_module(derivation, FastOptions(memory=1 << 30))
        fields = {of: written.names[derivation.problem.gradient_names[of]] for of in written.targets}
        return Module(MEMORY, derivation, loaded(written.source), written.names, written.symbols, fields, written)

    def mesh() -> Module:
        with_devices()
        written = ic.target_module(derivation, "jax")
        # At each point there is a module of its own.
        fields = gradient_fields(derivation)
        return Module(MESH, derivation, loaded(written.source), written.names, written.symbols, fields, written)

    def checkpoints() -> Module | None:
        try:
            written = ic.checkpoints_module(derivation)
        except NoStepsError:
            return None
        fields = {of: written.names[derivation.problem.gradient_names[of]] for of in written.targets}
        return Module(CHECKPOINTS, derivation, loaded(written.source), written.names, written.symbols, fields, written)

    known = {"numpy": numpy, "fast": fast("fast", "numpy"), "torch": library("torch"), "jax": library("jax")}
    known |= {"torch fast": fast("torch fast", "torch"), MEMORY: memory, MESH: mesh}
    if derivation.problem.program.is_recurrent:
        known[CHECKPOINTS] = checkpoints
    for style in styles:
        library_of = "jax" if style == MESH else style.split()[0]
        if style in known and (style in ("numpy", "fast", MEMORY, CHECKPOINTS) or find_spec(library_of)):
            yield style, known[style]
