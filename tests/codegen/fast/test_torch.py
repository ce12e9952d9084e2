"""Code for speed in PyTorch: functions of blocks that compute what the oracles do, hold nothing large, and compile."""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.fast.module import FastOptions, fast_modules
from indexcalc.errors import UnsupportedError
from indexcalc.generation import loaded
from indexcalc.proof.fast import check_fast
from tests.codegen.fast.test_programs import PROGRAMS

torch = pytest.importorskip("torch")

SHIPPED = (
    "attention", "causal_attention", "layer_norm", "softmax_cross_entropy", "cross_entropy_labels", "huber", "conv1d",
    "embedding", "batch_norm", "info_nce", "grouped_query_attention", "mlp_gelu",
)  # fmt: skip


@cache
def derivation_of(name):
    return ic.derive(ic.load_problem(ic.find_spec(name)))


@cache
def written_for(name):
    return ic.fast_module(derivation_of(name), target="torch")


def given(name, seed=0, dtype=torch.float64, **sizes):
    """Random inputs and upstream gradients, in the order of the arguments of `value_and_grad`."""
    rng, problem = np.random.default_rng(seed), derivation_of(name).problem
    slots = [tensor.slots for tensor in problem.program.inputs]
    slots += [problem.program.tensors[up.of].slots for up in problem.upstream]
    shapes = [[sizes[str(slot.extent)] for slot in own] for own in slots]
    return [torch.as_tensor(rng.standard_normal(shape), dtype=dtype) for shape in shapes]


def flat(results):
    """The tensors of what `value_and_grad` returned."""
    outputs, gradients = results
    return [*(outputs if isinstance(outputs, tuple) else (outputs,)), *gradients]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_module_computes_what_the_oracles_do(name):
    written = written_for(name)
    report = check_fast(derivation_of(name).problem, loaded(written.source), written)
    assert report.ok, report.failures
    assert {c.method.rpartition(", ")[2] for c in report.comparisons} >= {"torch fast", "torch fast value_and_grad"}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_so_does_a_module_of_a_program_that_nobody_tuned_for(text):
    derivation = ic.derive(ic.read_problem(text))
    written = ic.fast_module(derivation, target="torch")
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("attention", "(D - r[:, None])", "D"),
        ("attention", "dV += block[2]", "dV = block[2]"),
        ("layer_norm", "dX[n] = block[1]", "dX[n] = block[0]"),
    ],
)
def test_a_mistake_is_found(name, right, wrong):
    written = written_for(name)
    assert right in written.source
    assert not check_fast(derivation_of(name).problem, loaded(written.source.replace(right, wrong)), written).ok


@pytest.mark.parametrize("least", [1, 3, 7, 64])
def test_the_length_of_blocks_changes_nothing_but_rounding(least):
    module = loaded(written_for("causal_attention").source)
    arguments = given("causal_attention", T=23, d=5, d_v=4)
    whole = flat(module.value_and_grad(*arguments))
    module.CACHE, module.LEAST = 1, least
    for one, other in zip(whole, flat(module.value_and_grad(*arguments)), strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-12)


def test_no_tensor_that_is_said_to_be_absent_is_made():
    sizes = []

    class Recording(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            result = function(*arguments, **(keywords or {}))
            found = result if isinstance(result, tuple | list) else [result]
            sizes.extend(math.prod(one.shape) for one in found if isinstance(one, torch.Tensor))
            return result

    written = written_for("attention")
    assert set(written.never_whole) == {"S", "A", "D", "dS"}
    module = loaded(written.source)
    module.CACHE, module.LEAST = 1, 8
    arguments = given("attention", T=96, d=4, d_v=3)
    with Recording():
        module.value_and_grad(*arguments)
    assert max(sizes) == 8 * 96
    with Recording():
        loaded(ic.target_module(derivation_of("attention"), "torch").source).forward(*arguments[:3])
    assert max(sizes) == 96 * 96


@pytest.mark.parametrize("name", ["causal_attention", "layer_norm"])
def test_a_block_is_one_graph_for_the_compiler(name, monkeypatch):
    module = loaded(written_for(name).source)
    arguments = given(name, T=12, d=3, d_v=2, N=12, H=3)
    compiled = []

    def whole(function):
        compiled.append(function.__name__)
        return torch.compile(function, backend="eager", fullgraph=True)

    monkeypatch.setattr(module, "_compiled", whole)
    module.CACHE, module.LEAST = 1, 6
    plain, other = (flat(module.value_and_grad(*arguments, by=by)) for by in ("eager", "compile"))
    assert compiled == ["_both_1"]
    assert all(torch.allclose(one, two, rtol=0, atol=1e-12) for one, two in zip(plain, other, strict=True))


def test_a_way_to_run_that_there_is_not_is_named():
    module = loaded(written_for("layer_norm").source)
    with pytest.raises(ValueError, match="no way 'cuda' to run blocks; there are eager, compile, triton"):
        module.value_and_grad(*given("layer_norm", N=3, H=2), by="cuda")


def test_results_have_the_dtype_of_the_inputs_and_no_history():
    module = loaded(written_for("attention").source)
    arguments = [one.requires_grad_() for one in given("attention", dtype=torch.float32, T=5, d=3, d_v=2)]
    for one in flat(module.value_and_grad(*arguments)):
        assert one.dtype is torch.float32
        assert not one.requires_grad


def test_what_is_computed_step_by_step_is_refused_for_pytorch_alone():
    derivation = derivation_of("rnn")
    with pytest.raises(UnsupportedError, match="code for speed in PyTorch has no loops over steps yet"):
        ic.fast_module(derivation, target="torch")
    modules, unwritten = fast_modules(derivation, FastOptions(), ["numpy", "torch", "jax"])
    assert [module.target for module in modules] == ["numpy"]
    assert list(unwritten) == ["torch"]


def test_without_the_library_a_module_is_written_and_not_checked(monkeypatch):
    texts = ic.generation.render(derivation_of("huber"), (), ["torch"], FastOptions(), ())
    assert [module.target for module in texts.fast] == ["numpy", "torch"]
    monkeypatch.setattr("indexcalc.proof.fast.is_installed", lambda target: False)
    styles = {style.name for style in ic.generation.code_styles(derivation_of("huber"), texts)}
    assert {"fast", "torch"} <= styles
    assert "torch fast" not in styles


def test_the_file_stands_beside_the_others():
    texts = SimpleNamespace(targets=(), fast=(written_for("huber"),), notes={}, code="", checkpoints=None)
    assert "huber_torch_fast.py" in ic.generation.rendered_files("huber", texts)
