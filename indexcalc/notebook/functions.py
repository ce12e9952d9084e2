"""Derivations as functions: the generated code, loaded as the check of generated code loads it.

NumPy has no automatic differentiation, so a function for it gives outputs and gradients at once. PyTorch and JAX
differentiate the function for them by the derived gradients.
"""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable
from types import ModuleType
from typing import Any

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import TARGETS, gradient_fields, module_names, numpy_module, python_name, target_module
from indexcalc.codegen.checkpoints.module import checkpoints_module
from indexcalc.codegen.fast import fast_module
from indexcalc.errors import UnsupportedError
from indexcalc.generation import loaded
from indexcalc.problem import Problem
from indexcalc.proof.targets import is_installed

FAST = "fast"
"""NumPy code made for speed."""

CHECKPOINTS = "checkpoints"
"""NumPy code that keeps few steps of recurrences."""

KNOWN = ("numpy", FAST, CHECKPOINTS, *(target for target in TARGETS if target != "numpy"))

WITH_GRADIENTS = """{title}: {results} of the forward pass, and the gradients.

Returns:
    A pair: {results}, and the gradients in the fields {fields}.

{arguments}"""

Function = Callable[..., Any]


@functools.lru_cache(maxsize=16)
def function_of(derivation: Derivation, target: str) -> Function:
    """The generated code of a derivation as a function; the same one for the same derivation.

    Its attributes `module` and `source` are the generated module and its text. The code is not checked here:
    `generate` compares it with the oracles.

    Args:
        derivation: what was derived.
        target: `numpy`, `fast` or `checkpoints` for a function that returns outputs and gradients, `torch` or `jax`
            for one that the library differentiates.

    Raises:
        UnsupportedError: if there is no such code, or its library is not installed.
    """
    if target not in KNOWN:
        raise UnsupportedError(f"there is no code for {target!r}; there is for {', '.join(KNOWN)}")
    if target == "numpy":
        module, source = imported(numpy_module(derivation))
        return with_attributes(joined_passes(derivation, module), module, source)
    if target == FAST:
        module, source = imported(fast_module(derivation).source)
        return with_attributes(module.value_and_grad, module, source)
    if target == CHECKPOINTS:
        module, source = imported(checkpoints_module(derivation).source)
        return with_attributes(module.value_and_grad, module, source)
    check_inputs_derived(derivation, target)
    if not is_installed(target):
        raise UnsupportedError(f"{target} is not installed: pip install 'indexcalc[{target}]'")
    written = target_module(derivation, target)
    module, source = imported(written.source)
    if not hasattr(module, written.function):
        raise UnsupportedError(
            f"there is no function for {target} to differentiate: its backward pass is given more than upstream "
            "gradients. `numpy` gives the derivatives that were asked for"
        )
    return with_attributes(getattr(module, written.function), module, source)


def check_inputs_derived(derivation: Derivation, target: str) -> None:
    """Reject a function by none of whose arguments a gradient was derived.

    Raises:
        UnsupportedError: if no input is among the targets.
    """
    inputs = [tensor.name for tensor in derivation.problem.program.inputs if tensor.values is None]
    if not set(inputs) & set(gradient_fields(derivation)):
        raise UnsupportedError(
            f"{target} differentiates a function by its arguments, and no gradient by one was derived; "
            f"derive {', '.join(inputs)}"
        )


def imported(source: str) -> tuple[ModuleType, str]:
    """A generated module, with its text where tracebacks and `inspect` look for it."""
    module = loaded(source)
    file = str(module.__file__)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return module, source


def with_attributes(function: Function, module: ModuleType, source: str) -> Function:
    """The function, with the module that it is from."""
    function.module, function.source = module, source  # type: ignore[attr-defined]
    return function


def joined_passes(derivation: Derivation, module: ModuleType) -> Function:
    """Both passes as one function of inputs, upstream gradients and parameters."""
    problem = derivation.problem
    forward, backward = inspect.signature(module.forward), inspect.signature(module.backward)
    inputs = [p for p in forward.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    scalars = [p for p in forward.parameters.values() if p.kind is p.KEYWORD_ONLY]
    _, *given = backward.parameters.values()
    joined = inspect.Signature([*inputs, *given, *scalars])
    names = module_names(derivation)
    fields = tuple(names[name] for name in results_of(problem))

    def function(*arguments: Any, **keywords: Any) -> Any:
        bound = joined.bind(*arguments, **keywords)
        bound.apply_defaults()
        values = module.forward(
            *(bound.arguments[p.name] for p in inputs), **{p.name: bound.arguments[p.name] for p in scalars}
        )
        gradients = module.backward(values, *(bound.arguments[p.name] for p in given))
        found = tuple(getattr(values, name) for name in fields)
        return (found[0] if len(found) == 1 else found), gradients

    function.__name__ = function.__qualname__ = python_name(problem.slug)
    function.__signature__ = joined  # type: ignore[attr-defined]
    function.__module__ = module.__name__
    function.__doc__ = WITH_GRADIENTS.format(
        title=problem.program.title,
        results=", ".join(fields),
        fields=", ".join(module.Gradients._fields),
        arguments=arguments_of(module),
    )
    return function


def results_of(problem: Problem) -> tuple[str, ...]:
    """The loss, or the tensors that upstream gradients are given for; else the outputs."""
    if problem.loss is not None:
        return (problem.loss,)
    return tuple(up.of for up in problem.upstream) or problem.program.outputs


def arguments_of(module: ModuleType) -> str:
    """What the docstrings of both passes say of their arguments, without the values in between."""
    parts = [(inspect.getdoc(function) or "").partition("Args:\n")[2] for function in (module.forward, module.backward)]
    forward, backward = (argument_lines(part) for part in parts)
    backward.pop("values", None)
    return "\n".join(["Args:", *(line for lines in {**forward, **backward}.values() for line in lines)])


def argument_lines(text: str) -> dict[str, list[str]]:
    """The lines of each argument in the part of a docstring."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if not line.startswith("    "):
            break
        if line[4] != " ":
            name = line.strip().partition(":")[0]
        found.setdefault(name, []).append(line)
    return found
