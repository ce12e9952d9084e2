"""Fast modules: right in blocks of any size and over threads, of the inputs' kind, formatted, the same every time."""

from __future__ import annotations

import ast
import inspect
import os
import platform
import shutil
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl

from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.codegen.module import module_source
from indexcalc.errors import ProgramError
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.proof.gradcheck import check_candidate, keywords
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.targets import is_installed
from indexcalc.rewrite.derive import derive
from tests.support.fast import SETTINGS, Setting, fast, in_all_settings, set_to
from tests.support.gradients import at_once

SPECS = {
    "awkward_names": """
title "Awkward \\"names\\" \\\\ and functions"
index i, j : D
index dtype : n
index part : m
param threads = 0.25 "not how many threads"
input loop_1[i,dtype], μ[dtype], np[i,dtype], space[i,part], blocks[i], totals
E[i,dtype] = exp(loop_1[i,dtype] + μ[dtype])
Z[i] = sum[dtype](E[i,dtype])
P[i,dtype] = E[i,dtype] / Z[i]
steps[i,j] = sum[dtype](P[i,dtype] * gelu(np[j,dtype])) * blocks[i] + delta[i,j] * log(Z[i])
R = sum[i,j](steps[i,j]^2) * threads + 1/n * sum[i,part](space[i,part]^3) * totals
loss R
derive loop_1, μ, np, space, blocks, totals
""",
    "beyond_a_tensor": """
index i : N
index j : K
index k : M
index l : N
index p : N+1
input x[p]
Y[j,i] = sum[k,l]([0 <= 2*k-2 < N+1] * [0 <= 2*i-l-1 < N+1] * delta[j,3*k-l+1] * x[i] * exp(x[2*k-2]) * exp(x[2*i-l-1]))
upstream G[j,i] = dL/dY[j,i]
derive x
""",
    "masks": """
index i, j : T
index k : K
input S[i,j], V[j,k], R[i,k]
A[i,j] = [j <= i] * exp(S[i,j]) / sum[j]([j <= i] * exp(S[i,j]))
B[i,j] = [i < j] * S[i,j] + 3 * delta[i,j] + [i != j] * S[j,i]
O[i,k] = sum[j](A[i,j] * V[j,k]) + sum[j](B[i,j] * V[j,k]) + sum[j]([j < i] * V[j,k] * R[i,k]) + S[i,i]
upstream G[i,k] = dL/dO[i,k]
derive S, V, R
""",
    "split_axes": """
index n : N
index h : H
index k : D
index m : M
input X[n,(h,k)], W[m,(h,k)], mask[(n,m)]
Y[n,h,m] = sum[k](X[n,(h,k)] * W[m,(h,k)]) * mask[(n,m)]
Z[n,(h,m)] = exp(Y[n,h,m]) / sum[m](exp(Y[n,h,m]))
derive X, W
""",
    "extents_that_no_formula_holds": """
index i : N
index c : C
input a, x[(i,c)]
y[(i,c)] = a * x[(i,c)]
b = a^2 + a
derive a
""",
    "not_kept": """
index n : N
index c, e : C
input z[n,c], w[c]
p[n,c] = softmax[c](z[n,c])
q[n,c] = p[n,c] * w[c]
H[n] = sum[c](q[n,c]^2)
derive z, w
recompute p
""",
    "the_same_array": """
index i, j : N
index k : K
input x[i,k], w[k], c
y[i,k] = x[i,k]
z[k,i] = x[i,k]
v[i,k] = x[i,k] * w[k]
u[i,k] = v[i,k]
s[i] = sum[k](v[i,k]) + 1
d = c
upstream E[i,k] = dL/dy[i,k]
upstream F[k,i] = dL/dz[k,i]
upstream G[i,k] = dL/dv[i,k]
upstream H[i,k] = dL/du[i,k]
upstream J[i] = dL/ds[i]
upstream I = dL/dd
derive x, w, c
""",
    "nothing_to_read": """
index i, j : N
param eps = 0.5
input x[i], b, u[j], v[j]
c = exp(eps) + sigmoid(eps)
s = sum[i](x[i]) * c * sqrt(pi) * sin(eps)
y[i] = s + sum[j]([j <= i] * 1) + sum[j]([i < j] * u[j]) + sigmoid(eps) * exp(-eps) + max(x[i], eps)
derive x, b, u, v
""",
    "views_of_one_array": """
index i, j : N
input x[i,j], w[i], b
v[i] = w[i]^2
u[i] = v[i]
d[i] = x[i,i]
t = b + sum[i](w[i])
upstream G[i] = dL/dv[i]
upstream H[i] = dL/du[i]
upstream J[i] = dL/dd[i]
upstream E = dL/dt
derive w, b, x
""",
    "only_intermediates": """
index i, j : N
index k : K
input x[i,k], w[j,k]
s[i,j] = sum[k](x[i,k] * w[j,k])
t[i,j] = tanh(s[i,j])
L = sum[i,j](t[i,j] * s[j,i])
loss L
derive s, t
""",
    "two_losses_of_scores": """
index i, j, l : N
index k : K
input x[i,k], y[j,k]
s[i,j] = sum[k](x[i,k] * y[j,k])
a[i,j] = softmax[j](s[i,j])
b[i,j] = softmax[i](s[i,j])
u[i,k] = sum[j](a[i,j] * y[j,k])
v[j,k] = sum[i](b[i,j] * x[i,k])
derive x, y
""",
}
SHIPPED = at_once()
OWN = {path.stem: path for path in sorted((Path(__file__).parents[2] / "specs").glob("*.ixc"))}
NAMES = (*SPECS, *SHIPPED, *OWN)
FEW = ("attention", "layer_norm", "softmax_cross_entropy", "multi_head_attention", "mlp_gelu", "info_nce", *SPECS)


@cache
def derivation_of(name):
    if name in SPECS:
        return derive(read_problem(SPECS[name], slug=name))
    return derive(load_problem({**SHIPPED, **OWN}[name]))


@cache
def fast_of(name):
    return fast(derivation_of(name))


def point_of(name, seed=0, least=2):
    """Random inputs at sizes that are all different, upstream gradients, and both in the order of arguments."""
    made, rng = fast_of(name), np.random.default_rng(seed)
    sizes = {extent: size + least - 2 for extent, size in size_sets(made.problem.program, rng)[0].items()}
    point = sample_point(made.problem.program, sizes, rng)
    weights = weights_for(made.problem, point, rng)
    upstream = {up.name: weights[up.of] for up in made.problem.upstream}
    return point, [*made.inputs(point.values), *made.upstream(upstream)]


def results(name, functions, arrays, point):
    """All that the three functions return, flat: outputs and gradients, values, gradients again."""
    made = fast_of(name)
    inputs, upstream = arrays[: len(made.problem.program.inputs)], arrays[len(made.problem.program.inputs) :]
    outputs, gradients = made.both(functions, arrays, point)
    values = functions.forward(*inputs, **keywords(functions.forward, made.scalars(point)))
    scalars = keywords(functions.backward, made.scalars(point))
    return outputs, gradients, values, functions.backward(values, *upstream, **scalars)


@pytest.mark.parametrize("name", NAMES)
def test_all_settings_agree_with_the_oracles(name):
    made = fast_of(name)
    sets = size_sets(made.problem.program, np.random.default_rng(1))
    some = [sizes for place, sizes in enumerate(sets) if place in (0, 3, len(sets) - 1)]
    report = check_candidate(made.problem, in_all_settings(made), seed=1, sizes=some)
    assert report.comparisons
    assert report.ok, "\n".join(map(str, report.comparisons))


WIDE = ("grouped_query_attention",)
"""Derivations with blocks of five axes, whose parts are longer than a line: they are not split yet."""


def test_ruff_has_nothing_to_say(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    for name in (one for one in NAMES if one not in WIDE):
        (tmp_path / f"{name}.py").write_text(fast_of(name).written.source, encoding="utf-8")
        in_rows = fast_module(derivation_of(name), FastOptions(block=block_of(name)))
        (tmp_path / f"{name}_in_rows.py").write_text(in_rows.source, encoding="utf-8")
    for arguments in (["check"], ["check", "--select", "E,F,W,I,UP"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


def block_of(name):
    """Blocks of two over the last index of the first tensor with slots."""
    tensors = derivation_of(name).problem.program.tensors.values()
    return next(((tensor.slots[-1].name, 2) for tensor in tensors if tensor.slots), None)


@pytest.mark.parametrize("name", FEW)
def test_an_index_asked_for_gives_the_same(name):
    made = fast(derivation_of(name), FastOptions(block=block_of(name)))
    report = check_candidate(made.problem, in_all_settings(made, (Setting(2, 1, 2),)), seed=3)
    assert report.ok, "\n".join(map(str, report.comparisons))


@pytest.mark.parametrize("name", FEW)
def test_known_sizes_give_the_same(name):
    program = derivation_of(name).problem.program
    sizes = {extent.name: 40 + 7 * number for number, extent in enumerate(program.extents)}
    made = fast(derivation_of(name), FastOptions(sizes=sizes))
    report = check_candidate(made.problem, in_all_settings(made, SETTINGS[1:3]), seed=4)
    assert report.ok, "\n".join(map(str, report.comparisons))


def test_an_index_that_is_not_there_is_refused():
    with pytest.raises(ProgramError, match="no index 'nowhere'"):
        fast_module(derivation_of("attention"), FastOptions(block=("nowhere", 2)))


@pytest.mark.parametrize("name", FEW)
def test_the_source_is_the_same_every_time(name):
    problem = read_problem(SPECS[name], slug=name) if name in SPECS else load_problem(SHIPPED[name])
    assert fast_module(derive(problem)).source == fast_of(name).written.source


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("setting", [SETTINGS[0], Setting(2, 64, 3)], ids=["one block", "threads"])
def test_results_are_the_same_bit_by_bit_every_time(name, setting):
    point, arrays = point_of(name, least=5)
    functions = set_to(fast_of(name).module, setting)
    runs = [flat(results(name, functions, arrays, point)) for _ in range(4)]
    for run in runs[1:]:
        for first, other in zip(runs[0], run, strict=True):
            np.testing.assert_array_equal(first, other)


def flat(everything):
    return [np.asarray(array) for group in everything for array in group]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_is_given_changes_or_comes_back(name):
    point, arrays = point_of(name)
    before = [array.copy() for array in arrays]
    count = len(fast_of(name).problem.program.inputs)
    for setting in (SETTINGS[0], Setting(2, 1, 2)):
        functions = set_to(fast_of(name).module, setting)
        outputs, gradients, values, again = results(name, functions, arrays, point)
        kept = [np.copy(array) for array in values]
        for array, same in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(array, same)
        fresh = [*outputs, *gradients, *again, *values[count:]]
        for number, array in enumerate(fresh):
            assert not any(np.may_share_memory(array, other) for other in arrays), number
        for group in ((*outputs, *gradients), (*values[count:], *again)):
            owned = [array for array in group if isinstance(array, np.ndarray)]
            assert all(array.flags.writeable for array in owned)
            assert not any(np.shares_memory(*pair) for pair in combinations(owned, 2))
        for array in (*gradients, *again):
            np.multiply(array, 0.0, out=array) if isinstance(array, np.ndarray) else None
        for array, same in zip(values, kept, strict=True):
            np.testing.assert_array_equal(array, same)


# A product in OpenBLAS may raise a flag for what lies behind a small array; what is wrong in the result is seen below.
@pytest.mark.filterwarnings("ignore:invalid value encountered in matmul:RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_float32_stays_float32_and_near_float64(name):
    point, arrays = point_of(name, seed=2)
    single = [array if array.dtype.kind == "i" else array.astype(np.float32) for array in arrays]
    for setting in (SETTINGS[0], Setting(2, 64, 2)):
        functions = set_to(fast_of(name).module, setting)
        exact = flat(results(name, functions, arrays, point))
        found = [array for group in results(name, functions, single, point) for array in group]
        for array, expected in zip(found, exact, strict=True):
            if not isinstance(array, float | int) and array.dtype.kind != "i":
                assert array.dtype == np.float32
            scale = max(np.abs(expected).max(initial=0.0), 1.0)
            assert np.abs(array - expected).max(initial=0.0) < 1e-5 * scale


@pytest.mark.parametrize("name", FEW)
def test_arrays_may_be_views_of_others(name):
    point, arrays = point_of(name, seed=5)
    views = [np.repeat(array[..., None], 3, axis=-1)[..., 1].T.copy().T if array.ndim else array for array in arrays]
    backwards = [array[::-1].copy()[::-1] if array.ndim else array for array in arrays]
    for setting in (SETTINGS[0], Setting(2, 64, 2)):
        functions = set_to(fast_of(name).module, setting)
        expected = flat(results(name, functions, arrays, point))
        for given in (views, backwards):
            for array, same in zip(flat(results(name, functions, given, point)), expected, strict=True):
                np.testing.assert_allclose(array, same, rtol=1e-10, atol=1e-10)


def test_integers_are_no_reason_for_results_that_are_integers():
    name = "softmax_cross_entropy"
    made = fast_of(name)
    z = np.random.default_rng(0).standard_normal((6, 4))
    labels = np.eye(4, dtype=int)[[0, 3, 1, 1, 2, 0]]
    (loss,), gradients = made.both(made.module, (z, labels), point_of(name)[0])
    (same,), others = made.both(made.module, (z, labels.astype(float)), point_of(name)[0])
    assert loss == same
    np.testing.assert_array_equal(gradients.dz, others.dz)


@pytest.mark.parametrize("name", ["attention", "softmax", "softmax_cross_entropy", "causal_attention", "masks"])
def test_scores_of_ten_thousand_give_finite_results(name):
    made = fast_of(name)
    point, arrays = point_of(name, seed=6)
    large = [np.sign(array) * 1e4 for array in arrays]
    if name == "softmax_cross_entropy":
        large[1] = np.eye(*arrays[1].shape)
    for setting in (SETTINGS[0], Setting(1, 1, 2)):
        for array in flat(results(name, set_to(made.module, setting), large, point)):
            assert np.all(np.isfinite(array))


def test_what_is_never_there_in_full_takes_no_memory():
    made, (rows, width) = fast_of("attention"), (1500, 4)
    arrays = [np.random.default_rng(0).standard_normal((rows, width)) for _ in range(4)]
    functions = set_to(made.module, Setting(8, 1 << 16, 1))
    functions.value_and_grad(*arrays)
    tracemalloc.start()
    try:
        functions.value_and_grad(*arrays)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < rows * rows * 8 / 10


def test_no_entries_at_all():
    made = fast_of("layer_norm")
    rows, features = np.zeros((0, 3)), np.ones(3)
    outputs, gradients = made.module.value_and_grad(rows, features, features, rows)
    assert outputs.shape == gradients.dX.shape == (0, 3)
    np.testing.assert_array_equal(gradients.dg, 0.0)


def test_an_error_in_a_thread_arrives():
    module = fast_of("attention").module
    set_to(module, Setting(1, 1, 2))

    def task(blocks, steps):
        raise ArithmeticError(f"at {next(blocks)} in steps of {steps}")

    with pytest.raises(ArithmeticError, match="in steps of"):
        module._run(task, (4,), 1, [], 2)


def test_several_python_threads_leave_blas_as_it_was():
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        if set(threads_of_blas()) != {2}:
            pytest.skip("this BLAS has no two threads")
        check_several_python_threads()


def threads_of_blas():
    return [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]


def check_several_python_threads():
    before = threads_of_blas()
    names = ("attention", "layer_norm")
    runs = [(set_to(fast_of(name).module, Setting(1, 64, 2)), point_of(name)[1]) for name in names for _ in range(4)]
    expected = [functions.value_and_grad(*arrays) for functions, arrays in runs]
    found = []
    for _ in range(6):
        with ThreadPoolExecutor(len(runs)) as pool:
            found.append(list(pool.map(lambda run: run[0].value_and_grad(*run[1]), runs)))
    assert threads_of_blas() == before
    for (outputs, gradients), (output, others) in zip(found[-1], expected, strict=True):
        for one, other in zip((outputs, *gradients), (output, *others), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def in_a_process(script, *arguments):
    """What a script prints in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def attention_file(tmp_path):
    path = tmp_path / "attention_fast.py"
    path.write_text(fast_of("attention").written.source, encoding="utf-8")
    return path


START = """
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import numpy as np
import attention_fast as module
arrays = np.random.default_rng(0).standard_normal((4, 512, 64), dtype=np.float32)
output, _ = module.value_and_grad(*arrays, threads=2)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked off here")
def test_a_process_that_is_forked_off_has_threads_of_its_own(attention_file):
    script = """
child = os.fork()
if child == 0:
    again, _ = module.value_and_grad(*arrays, threads=2)
    os._exit(0 if np.array_equal(again, output) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert in_a_process(START + script, attention_file) == ["0"]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_what_a_call_gives_back_is_kept_for_the_next(attention_file):
    script = """
import resource
for _ in range(5):
    module.value_and_grad(*arrays, threads=2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    module.value_and_grad(*arrays, threads=2)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 20)
"""
    # The blocks alone take over two hundred pages.
    (faults,) = in_a_process(START + script, attention_file)
    assert int(faults) < 50


def test_an_error_in_one_share_is_raised_when_the_others_are_done():
    run, done = fast_of("attention").module._run, []

    def task(blocks, steps):
        for block in blocks:
            if block[0].start == 0:
                message = "the first block"
                raise ValueError(message)
            done.append(block)

    for _ in range(2):
        done.clear()
        with pytest.raises(ValueError, match="the first block"):
            run(task, (64,), 1 << 22, [], 2, least=1)
        assert len(done) == 32


def test_modules_share_their_threads(attention_file):
    script = """
import threading, types
source = open(sys.argv[1]).read()
for _ in range(5):
    other = types.ModuleType("other")
    exec(compile(source, "other", "exec"), other.__dict__)
    other.value_and_grad(*arrays, threads=3)
print(threading.active_count())
"""
    assert int(in_a_process(START + script, attention_file)[0]) <= 3


def test_most_of_a_dimension_is_all_of_it():
    steps = fast_of("attention").module._steps
    assert steps((32, 32), 26, 1) == (1, 32)
    assert steps((32, 32), 20, 1) == (1, 16)
    assert steps((32, 32), 60, 1) == (1, 32)
    assert steps((4, 100), 350, 1) == (4, 100)


def test_fast_code_needs_no_extra(monkeypatch):
    _, arrays = point_of("attention")
    expected = fast_of("attention").module.value_and_grad(*arrays)
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    module = loaded(fast_of("attention").written.source)
    set_to(module, Setting(1, 64, 2))
    assert module.BLAS is None
    outputs, gradients = module.value_and_grad(*arrays)
    for one, other in zip((outputs, *gradients), (expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_shape_of_the_attention_module():
    module = fast_of("attention").module
    assert list(inspect.signature(module.forward).parameters) == ["Q", "K", "V", "threads"]
    assert list(inspect.signature(module.backward).parameters) == ["values", "G", "threads"]
    assert list(inspect.signature(module.value_and_grad).parameters) == ["Q", "K", "V", "G", "threads"]
    assert module.Gradients._fields == ("dV", "dQ", "dK")
    assert not {"S", "A"} & set(module.Values._fields)


def test_parameters_are_keywords_with_defaults_and_travel_in_values():
    module = fast_of("layer_norm").module
    eps = inspect.signature(module.value_and_grad).parameters["eps"]
    assert eps.kind is eps.KEYWORD_ONLY
    assert eps.default == 1e-5
    assert "eps" in module.Values._fields


def test_without_loops_nothing_of_threads_is_written():
    problem = read_problem("index i : N\nindex k : K\ninput x[i], w[k]\ny = sum[i](x[i])\nderive x")
    source = fast_module(derive(replace(problem, slug="sum"))).source
    assert "threadpoolctl" not in source
    assert "_run" not in source


def test_blocks_take_so_many_entries_from_the_last_dimension_on():
    steps = fast_of("multi_head_attention").module._steps
    assert steps((1000, 100), 130_000, 64) == (1000, 100)
    assert steps((10_000, 1000), 130_000, 64) == (130, 1000)
    assert steps((8, 4096), 64, 64) == (1, 64)
    assert steps((8, 4096), 8, 1) == (1, 8)
    assert steps((8, 4096), 0, 1) == (1, 1)
    assert steps((0, 4), 130_000, 64) == (1, 4)


def test_a_length_that_is_asked_for_leaves_the_room_to_the_others():
    made = fast(derivation_of("softmax_cross_entropy"), FastOptions(block=("n", 16)))
    assert made.module._steps((8000, 4096), 1 << 18) == (8000, 16)
    assert made.module._steps((8, 4096), 1) == (1, 16)


@pytest.mark.parametrize(
    ("total", "expected"), [((4,), (1, 16)), ((64, 32), (1, 16)), ((64, 512), (1, 50)), ((64, 4096), (1, 200))]
)
def test_a_block_is_not_far_smaller_than_the_totals_that_it_adds_to(total, expected):
    """The total lacks the last of two dimensions; it moves once for each block."""
    module, seen = fast_of("multi_head_attention").module, []
    array = np.zeros((3, *total), np.float32)
    module.CACHE, module.LEAST, module.PART = 1 << 14, 2, 0.5
    module._run(lambda _, steps, *__: seen.append(steps), (3, 200), 1 << 10, [(array, (True, False))], 1)
    assert seen == [expected]
    seen.clear()
    module._run(lambda _, steps, *__: seen.append(steps), (3, 200), 1 << 10, [(array, (True, True))], 1)
    assert seen == [(1, 16)]


def refused(name):
    raise ValueError(name)


@pytest.mark.parametrize(
    ("answer", "stored", "expected"),
    [
        (lambda name: 1 << 21, "512K\n", 1 << 21),
        (lambda name: 0, "512K\n", 1 << 19),
        (lambda name: -1, "half a megabyte", 1 << 20),
        (lambda name: 0, None, 1 << 20),
        (refused, "512K\n", 1 << 20),
    ],
)
def test_the_length_of_blocks_is_that_of_the_cache_that_the_system_tells(monkeypatch, answer, stored, expected):
    def read_text(path):
        if stored is None:
            raise FileNotFoundError(path)
        return stored

    source = fast_module(derivation_of("layer_norm")).source
    monkeypatch.setattr(os, "sysconf", answer, raising=False)
    monkeypatch.setattr(Path, "read_text", read_text)
    space: dict[str, object] = {"__name__": "generated"}
    exec(compile(source, "generated", "exec"), space)
    assert space["CACHE"] == expected


def test_a_cache_that_is_asked_for_is_not_asked_of_the_system():
    made = fast(derivation_of("layer_norm"), FastOptions(cache=12345))
    assert made.module.CACHE == 12345
    assert "sysconf" not in made.written.source


@pytest.mark.parametrize("cache", [1, 1 << 10, 1 << 14, 1 << 30])
def test_the_cache_decides_on_rounding_alone(cache):
    module, rng = loaded(fast_module(derivation_of("attention")).source), np.random.default_rng(0)
    arguments = rng.standard_normal((4, 150, 8))
    output, gradients = module.value_and_grad(*arguments)
    module.CACHE = cache
    again, others = module.value_and_grad(*arguments)
    for one, two in zip((output, *gradients), (again, *others), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-13)


def test_blocks_of_a_transposed_tensor_are_negated_right():
    text = """
index g, h, w : H
index k : D
input I[k,w,h,g]
P[h,w,g,k] = cos(I[k,w,g,h])
L = sum[h,w,g,k](P[h,w,g,k])
loss L
derive I
"""
    source = fast_module(derive(read_problem(text))).source
    assert "np.negative" not in source
    module = loaded(source)
    module.CACHE, module.LEAST, module.PART = 1, 2, 0
    entries = np.random.default_rng(0).normal(size=(5, 2, 2, 2))
    for threads in (1, 2):
        _, gradients = module.value_and_grad(entries, threads=threads)
        np.testing.assert_allclose(gradients.dI, -np.sin(entries), rtol=1e-12)


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_bracket_on_extents_alone_hides_everything_or_nothing(length):
    problem = read_problem(
        "index i : N\nindex j : K\ninput x[i], w[j]\ny[i] = [2 < K] * x[i]^2 + sum[j](w[j]) * [2 < K] * exp(x[i])\n"
        "upstream G[i] = dL/dy[i]\nderive x\n"
    )
    derivation = derive(problem)
    module = loaded(fast_module(derivation).source)
    x, w, G = np.array([0.5, -1.0, 2.0]), np.arange(1.0, length + 1.0), np.ones(3)
    held = float(length > 2)
    y, gradients = module.value_and_grad(x, w, G)
    found = [(y, gradients.dx)]
    if is_installed("torch"):
        import torch  # noqa: PLC0415

        module = loaded(module_source(derivation, TORCH))
        values = module.forward(torch.from_numpy(x), torch.from_numpy(w))
        found.append((values.y.numpy(), module.backward(values, torch.from_numpy(G)).dx.numpy()))
    for y, dx in found:
        np.testing.assert_allclose(y, held * (x**2 + w.sum() * np.exp(x)))
        np.testing.assert_allclose(dx, held * (2 * x + w.sum() * np.exp(x)))


@pytest.mark.parametrize(
    "options", [{}, {"target": "torch"}, {"options": FastOptions(memory=1 << 22)}], ids=["NumPy", "PyTorch", "bounded"]
)
@pytest.mark.parametrize("name", ["layer_norm", "causal_attention", "softmax_cross_entropy"])
def test_every_function_is_written_once(name, options):
    source = fast_module(derive(load_problem(find_spec(name))), **options).source
    defined = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert len(defined) == len(set(defined)), defined
