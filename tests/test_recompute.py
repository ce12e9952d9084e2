"""What is not kept is computed again: whatever subset of the intermediates it is, the gradients stay the same."""

from __future__ import annotations

import random
import textwrap
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import module_names, module_symbols, numpy_module
from indexcalc.consistency import check_program
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.problem import check_problem
from indexcalc.proof.gradcheck import FLOOR, backward_candidate, check_module, module_candidate
from indexcalc.proof.oracles import relative_error
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.rewrite.backward import backward_program
from indexcalc.rewrite.derive import derive

PATHS = shipped_paths()
EXAMPLES = ("attention", "causal_attention", "flash_attention", "layer_norm", "softmax_cross_entropy", "rope")
SAMPLES = 5
BOUND = 1e-9


@cache
def derivation_of(name: str) -> Derivation:
    return derive(load_problem(PATHS[name]))


def intermediates(derivation: Derivation) -> list[str]:
    program = derivation.problem.program
    return [name for name in program.definitions if name not in program.outputs]


def without(derivation: Derivation, names: tuple[str, ...]) -> Derivation:
    """The derivation with these tensors recomputed: the sections are the same, the backward pass is another."""
    problem = replace(derivation.problem, recompute=names)
    check_problem(problem)
    arrays = tuple(name for order in derivation.orders for name in order.arrays)
    return replace(derivation, problem=problem, backward=backward_program(problem, derivation.sections, arrays))


def subsets(derivation: Derivation, seed: int) -> list[tuple[str, ...]]:
    """All intermediates, and some random subsets of them."""
    names = intermediates(derivation)
    chosen = random.Random(seed)
    found = [tuple(names)]
    found.extend(tuple(sorted(chosen.sample(names, chosen.randint(1, len(names))))) for _ in range(SAMPLES) if names)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("name", PATHS)
def test_any_subset_of_the_intermediates_may_be_recomputed(name):
    original = derivation_of(name)
    problem = original.problem
    rng = np.random.default_rng(3)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    upstream = {up.name: weights_for(problem, point, rng)[up.of] for up in problem.upstream}
    upstream |= {one.name: rng.normal(size=np.shape(point.values[one.of])) for one in problem.directions}
    expected = backward_candidate(original.put_together)(point, upstream)
    for names in subsets(original, seed=len(name)):
        derivation = without(original, names)
        check_program(derivation.backward)
        assert not {tensor.name for tensor in derivation.backward.inputs} & set(names)
        program = backward_candidate(derivation.put_together)(point, upstream)
        module = loaded(numpy_module(derivation))
        fields, symbols = module_names(derivation), module_symbols(derivation)
        assert not set(fields) & set(names)
        assert set(module.Values._fields) >= {fields[n] for n in problem.program.outputs}
        code = module_candidate(problem, module, fields, symbols)(point, upstream)
        results = [result.name for result in problem.results]
        for gradient in (*(problem.gradient_names[target] for target in problem.targets), *results):
            assert relative_error(program[gradient], expected[gradient], FLOOR) < BOUND, (names, gradient)
            assert relative_error(code[gradient], expected[gradient], FLOOR) < BOUND, (names, gradient)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_module_that_recomputes_everything_agrees_with_the_oracles(name):
    original = derivation_of(name)
    derivation = without(original, tuple(intermediates(original)))
    module = loaded(numpy_module(derivation))
    names, symbols = module_names(derivation), module_symbols(derivation)
    report = check_module(derivation.problem, module, names=names, symbols=symbols)
    assert report.ok, "\n".join(map(str, report.failures))


@pytest.mark.parametrize("name", ["index", "count"])
def test_a_tensor_may_have_the_name_of_a_method_of_tuples(name):
    text = f"""
        index i : N
        input x[i]
        {name}[i] = x[i]^2
        L = sum[i]({name}[i]^2)
        loss L
        derive x
        recompute {name}
    """
    derivation = derive(read_problem(textwrap.dedent(text)))
    module = loaded(numpy_module(derivation))
    names, symbols = module_names(derivation), module_symbols(derivation)
    report = check_module(derivation.problem, module, names=names, symbols=symbols)
    assert report.ok, "\n".join(map(str, report.failures))
