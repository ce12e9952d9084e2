"""Random programs with expressions in their slots, against loops over numbers that PyTorch differentiates."""

from __future__ import annotations

import os
import types

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.fast.module import fast_module
from indexcalc.codegen.module import module_source
from indexcalc.codegen.outline import module_names, module_symbols

jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")

from tests.campaign.slots import gradients_of, program_of, sample_of  # noqa: E402

PROGRAMS = int(os.environ.get("SLOT_PROGRAMS", "24"))
"""How many programs are tried; a campaign sets more."""

FIRST = int(os.environ.get("SLOT_FIRST", "0"))


def module_of(source: str) -> types.ModuleType:
    module = types.ModuleType("generated")
    exec(compile(source, "generated", "exec"), module.__dict__)
    return module


def ran(module, names, symbols, problem, sample, weights, convert=np.asarray):
    """The results and gradients that a module gives."""
    inputs = [convert(sample.arrays.get(t.name, sample.ids.get(t.name))) for t in problem.program.inputs]
    known = {symbols[str(name)]: size for name, size in sample.sizes.items() if str(name) in symbols}
    taken = module.forward.__kwdefaults__, module.forward.__code__
    wanted = taken[1].co_varnames[taken[1].co_argcount : taken[1].co_argcount + taken[1].co_kwonlyargcount]
    values = module.forward(*inputs, **{name: known[name] for name in wanted if name in known})
    gradients = module.backward(values, *(convert(weights[up.of]) for up in problem.upstream))
    found = {name: np.asarray(getattr(values, names[name])) for name in weights}
    slopes = {
        target: np.asarray(getattr(gradients, names[problem.gradient_names[target]])) for target in problem.targets
    }
    return found, slopes


@pytest.mark.parametrize("seed", range(FIRST, FIRST + PROGRAMS))
def test_a_random_program_has_the_gradients_that_loops_give(seed):
    jax.config.update("jax_enable_x64", True)
    spec = program_of(seed)
    problem = ic.read_problem(spec.text())
    derivation = ic.derive(problem)
    styles = {"numpy": (module_source(derivation, NUMPY), module_names(derivation), module_symbols(derivation))}
    fast = fast_module(derivation)
    styles["fast"] = (fast.source, fast.names, fast.symbols)
    styles["torch"] = (
        module_source(derivation, TORCH), module_names(derivation, TORCH), module_symbols(derivation, TORCH)
    )  # fmt: skip
    if seed % 25 == 0:
        styles["jax"] = (module_source(derivation, JAX), module_names(derivation, JAX), module_symbols(derivation, JAX))
    convert = {"torch": torch.as_tensor, "jax": jax.numpy.asarray}
    modules = {style: module_of(source) for style, (source, _, _) in styles.items()}
    for draw in range(3):
        sample = sample_of(spec, 3 * seed + draw)
        weights, values, slopes = gradients_of(spec, sample, seed)
        for style, (_, names, symbols) in styles.items():
            found = ran(modules[style], names, symbols, problem, sample, weights, convert.get(style, np.asarray))
            for right, given in zip((values, slopes), found, strict=True):
                for name, array in right.items():
                    message = f"{style}: {name} at {sample.sizes}\n{spec.text()}"
                    scale = max(1.0, float(np.max(np.abs(array), initial=0.0)))
                    np.testing.assert_allclose(given[name] / scale, array / scale, atol=1e-10, rtol=0, err_msg=message)
