"""The sides of a comparison: one part of a program in each style of generated code, and in other systems.

A side takes arrays by name and gives arrays by name: the loss, the gradients of inputs, and second derivatives with all
their entries; where a spec has no loss, what it computes.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import module_names, module_symbols, numpy_module, target_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.errors import UnsupportedError
from indexcalc.generation import loaded
from indexcalc.problem import Problem

from .programs import Part, Sizes

Arrays = Mapping[str, np.ndarray]
Run = Callable[[], Mapping[str, Any]]
Side = Callable[[Arrays], Run]
STYLES = ("einsum", "fast", "torch", "jax")
"""Generated code."""
AUTOGRAD = "PyTorch"
"""What all others are compared with: eager autograd."""
SYSTEMS = (AUTOGRAD, "torch.compile", "JAX", "tensorgrad", "tensorgrad compiled")
"""The programs as users of other systems write them; the last one with PyTorch's compiler behind tensorgrad's."""


def wanted(problem: Problem) -> tuple[str, ...]:
    """The names of what both sides give."""
    if problem.loss is None:
        return problem.program.outputs
    inputs = {tensor.name for tensor in problem.program.inputs}
    gradients = (problem.gradient_names[name] for name in problem.targets if name in inputs)
    return (problem.loss, *gradients, *(result.name for result in problem.results))


def dense(found: Any) -> Any:
    """All entries of a derivative that is kept in parts."""
    return found.dense() if hasattr(found, "dense") else found


def generated(derivation: Derivation, style: str, sizes: Sizes, threads: int | None = None) -> Side | str:
    """Generated code in one of `STYLES`, or why there is none; `threads` are those of code for speed."""
    try:
        if style == "fast":
            written = fast_module(derivation)
            module, returned = loaded(written.source), written.outputs
        else:
            module = loaded(numpy_module(derivation) if style == "einsum" else target_module(derivation, style).source)
    except UnsupportedError as error:
        return str(error)
    problem = derivation.problem
    names, symbols = module_names(derivation), module_symbols(derivation)
    options: dict[str, int | None] = {**options_of(module.forward, symbols, sizes)}
    if style == "fast":
        options["threads"] = threads
    inputs = [tensor.name for tensor in problem.program.inputs]
    directions = [direction.name for direction in problem.directions]
    keys = {name: names.get(name, name) for name in wanted(problem)}

    def passes(*arrays: Any) -> dict[str, Any]:
        given, ways = arrays[: len(inputs)], arrays[len(inputs) :]
        if problem.loss is None:
            values = module.forward(*given, **options)
            return {name: getattr(values, key) for name, key in keys.items()}
        if style == "fast":
            values, gradients = module.value_and_grad(*given, *ways, **options)
            value = values if len(returned) == 1 else values[returned.index(problem.loss)]
        else:
            values = module.forward(*given, **options)
            value, gradients = getattr(values, keys[problem.loss]), module.backward(values, *ways)
        rest = {name: dense(getattr(gradients, key)) for name, key in keys.items() if name != problem.loss}
        return {problem.loss: value, **rest}

    def side(arrays: Arrays) -> Run:
        held, call = prepared(style, [arrays[name] for name in (*inputs, *directions)], passes)
        return lambda: call(*held)

    return side


def prepared(style: str, arrays: list[np.ndarray], passes: Callable[..., Any]) -> tuple[list[Any], Callable[..., Any]]:
    """The arrays as the library has them, and the passes, compiled where the library does that."""
    if style == "torch":
        import torch  # noqa: PLC0415

        return [torch.from_numpy(np.array(array)) for array in arrays], passes
    if style == "jax":
        import jax  # noqa: PLC0415

        compiled = jax.jit(passes)
        return [jax.numpy.asarray(array) for array in arrays], lambda *held: jax.block_until_ready(compiled(*held))
    return arrays, passes


def options_of(function: Callable[..., Any], symbols: Mapping[str, str], sizes: Sizes) -> dict[str, int]:
    """The extents that shapes don't show, as a generated function takes them."""
    parameters = inspect.signature(function).parameters
    return {symbols[name]: size for name, size in sizes.items() if symbols.get(name) in parameters}


def missing(system: str) -> str:
    """Why a system of `SYSTEMS` can't take part here; empty if it can."""
    library = {"torch.compile": "torch", AUTOGRAD: "torch", "JAX": "jax"}.get(system, "tensorgrad")
    if importlib.util.find_spec(library) is None:
        return f"{library} is not installed"
    if library == "tensorgrad":
        import torch  # noqa: PLC0415

        if not hasattr(torch.empty(0), "refine_names"):
            return f"tensorgrad needs a PyTorch with named tensors, and PyTorch {torch.__version__} has none"
    return ""


def other(problem: Problem, system: str, sizes: Sizes) -> Side | str:
    """A problem in a system of `SYSTEMS`, or why it can't take part here."""
    if reason := missing(system):
        return reason
    options = {**sizes, **{str(one.symbol): float(one.default) for one in problem.program.parameters}}
    if system.startswith("tensorgrad"):
        from .tensor_networks import tensor_network  # noqa: PLC0415

        return tensor_network(problem, sizes, compiled=system.endswith("compiled"))
    if system == "JAX":
        import jax  # noqa: PLC0415

        from . import jax_steps  # noqa: PLC0415

        traced = jax_steps.passes(problem, options)
        return lambda arrays: called(traced, {name: jax.numpy.asarray(array) for name, array in arrays.items()})
    import torch  # noqa: PLC0415

    from . import autograd  # noqa: PLC0415

    compiled = system == "torch.compile"
    if compiled:
        torch._dynamo.reset()  # it counts how often it compiles, whatever the program, and stops at a limit
    eager = autograd.passes(problem, options, compiled=compiled)
    return lambda arrays: called(eager, {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})


def called(passes: Callable[[Mapping[str, Any]], Mapping[str, Any]], arrays: Mapping[str, Any]) -> Run:
    """A run of passes on arrays."""
    return lambda: passes(arrays)


def sides_of(
    derivation: Derivation, sizes: Sizes, names: tuple[str, ...], threads: int | None = None
) -> dict[str, Side | str]:
    """Sides of a part by their names; PyTorch's autograd, which the others are compared with, is the last."""
    own = {name: generated(derivation, name, sizes, threads) for name in names if name in STYLES}
    others = {name: other(derivation.problem, name, sizes) for name in (*names, AUTOGRAD) if name in SYSTEMS}
    return {**own, **others}


def trained(part: Part, side: Side, arrays: Arrays, steps: int) -> tuple[list[float], dict[str, np.ndarray]]:
    """The losses of some steps of the update of a part, and the weights after them."""
    assert part.update is not None
    problem, update, losses = part.problem, part.update(), []
    state = {name: np.array(array) for name, array in arrays.items()}
    assert problem.loss is not None
    for _ in range(steps):
        found = {name: np.asarray(array) for name, array in side(state)().items()}
        losses.append(float(found[problem.loss]))
        gradients = {name: found[g] for name, g in problem.gradient_names.items() if name in state and g in found}
        hessians = {result.name: found[result.name] for result in problem.results}
        state |= update(state, gradients, hessians)
    return losses, {name: state[name] for name in problem.targets if name in state}
