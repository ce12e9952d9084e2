"""Fast functions within a bound of memory: the bound holds at files larger than it, or is refused by name."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from indexcalc.codegen.fast.module import FastOptions, fast_module, fast_modules
from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.gradcheck import check_candidate, keywords
from indexcalc.rewrite.derive import derive
from tests.support.fast import SETTINGS, fast, in_all_settings
from tests.support.memory import arrays_in, least_bound, peak_of
from tests.support.programs import problems

MEGABYTE = 1 << 20
SPECS = {
    "products_alone": """
index n : N
index k, l, m : K
input X[n,k], U[k,l], W[l,m]
Y[n,l] = sum[k](X[n,k] * U[k,l])
Z[n,m] = sum[l](Y[n,l] * W[l,m])
derive X, U, W
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
    "awkward_names": """
index i : D
index n : room
input need[i,n], out[n], memory
room_1[i,n] = exp(need[i,n] * out[n]) * memory
threads = sum[i,n](room_1[i,n]^2)
loss threads
derive need, out, memory
""",
    "the_same_array": """
index i : N
index k : K
input x[i,k], w[k], c
y[i,k] = x[i,k]
z[k,i] = x[i,k]
v[i,k] = x[i,k] * w[k]
u[i,k] = v[i,k]
d = c
upstream E[i,k] = dL/dy[i,k]
upstream F[k,i] = dL/dz[k,i]
upstream G[i,k] = dL/dv[i,k]
upstream H[i,k] = dL/du[i,k]
upstream I = dL/dd
derive x, w, c
""",
    "nothing_given": """
index i, j : N
param eps = 0.5
input b, u[j]
y[i] = sum[j]([j <= i] * 1) + sum[j]([i < j] * u[j]) * b + sigmoid(eps)
derive b, u
""",
}
SHIPPED = (
    "attention", "attention_projected", "causal_attention", "conv1d", "cross_entropy_labels", "embedding", "layer_norm",
    "mha_block", "mlp_gelu", "multi_head_attention", "rms_norm", "softmax_cross_entropy",
)  # fmt: skip
LONG = {
    "attention": ({"T": 2048, "d": 64, "d_v": 64}, MEGABYTE),
    "causal_attention": ({"T": 2048, "d": 64, "d_v": 64}, MEGABYTE),
    "layer_norm": ({"N": 8192, "H": 64}, MEGABYTE),
    "rms_norm": ({"N": 8192, "H": 64}, MEGABYTE),
    "softmax_cross_entropy": ({"N": 4096, "C": 128}, MEGABYTE),
    "mlp_gelu": ({"N": 16384, "F": 64, "H": 48, "M": 64}, 3 * MEGABYTE),
}
"""Sizes at which what is given is several times as large as a bound."""


@cache
def derivation_of(name):
    if name in SPECS:
        return derive(read_problem(SPECS[name], slug=name))
    return derive(load_problem(shipped_paths()[name]))


@cache
def bounded(name):
    return fast(derivation_of(name), FastOptions(memory=1 << 30))


@cache
def unbounded(name):
    return fast(derivation_of(name))


def drawn(problem, sizes, seed=0):
    """Random arrays for all inputs and upstream gradients, in the order of arguments, as they are stored."""
    rng, program = np.random.default_rng(seed), problem.program

    def length(extent):
        return int(sp.sympify(extent).subs({symbol: sizes[symbol.name] for symbol in extent.free_symbols}))

    def draw(name):
        tensor = program.tensors[name]
        shape = [int(np.prod([length(slot.extent) for slot in axis])) for axis in program.axes(name)]
        if tensor.values is not None:
            return rng.integers(0, length(tensor.values), shape)
        return rng.standard_normal(shape) / 4 + 0.3

    names = (*(tensor.name for tensor in program.inputs), *(up.of for up in problem.upstream))
    return [draw(name) for name in names]


def scalars_of(made, function, sizes):
    """Keyword arguments: extents that no shape shows, and parameters."""
    named = dict(sizes)
    for parameter in made.problem.program.parameters:
        named[parameter.symbol.name] = 0.5 if parameter.default is None else float(parameter.default)
    return keywords(function, {made.written.symbols.get(name, name): value for name, value in named.items()})


def called(run, bound, threads=1, out=None):
    """The bound, the threads and the arrays to write to, as the function calls them."""
    names = list(inspect.signature(run).parameters)[-3:]
    return dict(zip(names, (bound, out, threads), strict=True))


def results_like(made, expected):
    """An array for every result that is one."""
    names = (*(made.written.names[output] for output in made.written.outputs), *expected[1]._fields)
    values = arrays_in(expected)
    return {name: np.empty_like(value) for name, value in zip(names, values, strict=True) if value.ndim}


def assert_same(found, expected, tolerance=1e-9):
    for array, other in zip(arrays_in(found), arrays_in(expected), strict=True):
        scale = max(np.abs(other).max(initial=0.0), 1e-3)
        np.testing.assert_allclose(array, other, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("name", [*SHIPPED, *SPECS])
def test_results_are_right_in_blocks_of_any_size(name):
    made = bounded(name)
    report = check_candidate(made.problem, in_all_settings(made, SETTINGS[:4]), seed=1)
    assert report.ok, "\n".join(map(str, report.comparisons))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LONG)
def test_files_larger_than_the_bound(name, threads, tmp_path):
    sizes, bound = LONG[name]
    made, run = bounded(name), bounded(name).module.value_and_grad
    arrays = []
    for number, array in enumerate(drawn(made.problem, sizes)):
        file = np.memmap(tmp_path / str(number), array.dtype, "w+", shape=array.shape)
        file[...] = array
        arrays.append(file)
    scalars = scalars_of(made, run, sizes)
    expected = unbounded(name).module.value_and_grad(*arrays, **scalars)
    names = (*made.written.outputs, *expected[1]._fields)
    out = {
        field: np.memmap(tmp_path / field, value.dtype, "w+", shape=value.shape)
        for field, value in zip(names, arrays_in(expected), strict=True)
        if value.ndim
    }
    assert sum(array.nbytes for array in arrays) > 3 * bound
    small = drawn(made.problem, dict.fromkeys(sizes, 3))
    run(*small, **scalars_of(made, run, dict.fromkeys(sizes, 3)))
    found, peak = peak_of(lambda: run(*arrays, **scalars, memory=bound, out=out, threads=threads))
    assert peak <= bound
    assert_same(found, expected)
    for field, value in zip(names, arrays_in(found), strict=True):
        assert field not in out or np.shares_memory(value, out[field])


SIZES = {
    "attention": {"T": 700, "d": 9, "d_v": 11},
    "attention_projected": {"T": 300, "D": 40, "d": 9, "d_v": 11},
    "causal_attention": {"T": 500, "d": 9, "d_v": 11},
    "conv1d": {"N": 3, "C": 2, "O": 4, "L": 2000, "K": 3},
    "cross_entropy_labels": {"N": 900, "C": 60},
    "embedding": {"V": 400, "N": 700, "D": 30},
    "layer_norm": {"N": 2000, "H": 30},
    "mha_block": {"B": 2, "S": 70, "D": 12, "N_H": 3, "D_h": 5},
    "mlp_gelu": {"N": 900, "F": 30, "H": 40, "M": 20},
    "multi_head_attention": {},
    "rms_norm": {"N": 2000, "H": 30},
    "softmax_cross_entropy": {"N": 700, "C": 60},
    "products_alone": {"N": 900, "K": 50},
    "masks": {"T": 150, "K": 40},
    "split_axes": {"N": 200, "H": 3, "D": 20, "M": 50},
    "awkward_names": {"D": 300, "room": 60},
    "nothing_given": {"N": 700},
    "the_same_array": {"N": 900, "K": 60},
}


def sizes_of(name):
    """Sizes at which arrays are larger than what Python needs for itself."""
    program = derivation_of(name).problem.program
    return {e.name: SIZES[name].get(e.name, 13 + 3 * n) for n, e in enumerate(program.extents)}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", [*SHIPPED, *SPECS])
def test_the_least_bound_holds_and_so_do_others(name, threads, monkeypatch):
    made, sizes = bounded(name), sizes_of(name)
    monkeypatch.setattr(made.module, "PIECE", 1 << 14)
    run, arrays = made.module.value_and_grad, drawn(made.problem, sizes_of(name))
    scalars = scalars_of(made, run, sizes)
    expected = unbounded(name).module.value_and_grad(*arrays, **scalars)
    least = least_bound(lambda bound: run(*arrays, **scalars, **called(run, bound)))
    for bound in (least, 2 * least, least + MEGABYTE):
        found, peak = peak_of(lambda bound=bound: run(*arrays, **scalars, **called(run, bound, threads)))
        assert peak <= bound
        assert_same(found, expected, 1e-8)
    out = results_like(made, expected)
    least_given = least_bound(lambda bound: run(*arrays, **scalars, **called(run, bound, out=out)))
    found, peak = peak_of(lambda: run(*arrays, **scalars, **called(run, least_given, threads, out)), [*out.values()])
    assert peak <= least_given
    assert_same(found, expected, 1e-8)
    with pytest.raises(ValueError, match=f"memory is {least - 1} bytes, {least} are needed"):
        run(*arrays, **scalars, **called(run, least - 1, threads))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), st.integers(40, 100), st.integers(1, 2), st.integers(0, 2**32 - 1))
def test_random_programs_keep_within_their_bound(problem, size, threads, seed):
    try:
        derivation = derive(problem)
    except LimitError:
        assume(False)
    made, plain = fast(derivation, FastOptions(memory=1 << 30)), fast(derivation)
    if hasattr(made.module, "PIECE"):
        made.module.PIECE, made.module.SPARE = 1 << 14, 1 << 17
    sizes = {extent.name: size + 7 * number for number, extent in enumerate(problem.program.extents)}
    arrays, run = drawn(made.problem, sizes, seed), made.module.value_and_grad
    scalars = scalars_of(made, run, sizes)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = plain.module.value_and_grad(*arrays, **scalars)
        assume(all(np.all(np.abs(array) < 1e6) for array in arrays_in(expected)))
        least = least_bound(lambda bound: run(*arrays, **scalars, **called(run, bound)))
        for bound in (least, 2 * least):
            found, peak = peak_of(lambda bound=bound: run(*arrays, **scalars, **called(run, bound, threads)))
            assert peak <= bound
            assert_same(found, expected, 1e-6)


def test_what_has_no_room_is_named_and_can_be_given():
    made, sizes = bounded("attention_projected"), {"T": 3000, "D": 40, "d": 40, "d_v": 40}
    run, arrays = made.module.value_and_grad, drawn(made.problem, sizes)
    with pytest.raises(ValueError, match="memory is 1048576 bytes") as refused:
        run(*arrays, memory=MEGABYTE)
    text = str(refused.value)
    assert "in full: K takes 960000, V takes 960000" in text
    assert re.search(r"bytes, (\d+) are needed; .*; give memory=\1, or arrays in out for ", text)
    assert "or arrays in out for K, V, dK, dV, dX_1" in text
    spare = {name: np.empty((3000, 40)) for name in ("K", "V", "dK", "dV", "dX_1")}
    run(*drawn(made.problem, dict.fromkeys(sizes, 3)))
    found, peak = peak_of(lambda: run(*arrays, memory=MEGABYTE, out=spare, threads=2))
    assert peak <= MEGABYTE
    assert_same(found, unbounded("attention_projected").module.value_and_grad(*arrays))


def test_what_is_read_twice_again_and_again_is_measured_once():
    """Each line reads the one before twice: 2^60 ways lead from the last to the first."""
    lines = "".join(f"x{n}[i] = x{n - 1}[i]^2 + sin(x{n - 1}[i])\n" for n in range(1, 61))
    problem = read_problem(f"index i : N\ninput x0[i]\n{lines}upstream G[i] = dL/dx60[i]\nderive x0\n")
    assert "_Room" in fast_module(derive(problem), FastOptions(memory=MEGABYTE)).source


def test_a_row_that_has_no_room_is_named():
    made = bounded("attention")
    arrays = drawn(made.problem, {"T": 3000, "d": 2, "d_v": 2})
    with pytest.raises(ValueError, match=r"in a block of 1: S takes 24016, D takes 24000, .*; give memory=\d+$"):
        made.module.value_and_grad(*arrays, memory=300_000)


def test_nothing_is_computed_before_a_bound_is_refused(monkeypatch):
    made = bounded("attention_projected")
    monkeypatch.setattr(made.module, "_run", lambda *arguments, **others: pytest.fail("a loop ran"))
    arrays = drawn(made.problem, {"T": 4000, "D": 2, "d": 2, "d_v": 2})
    with pytest.raises(ValueError, match="in a block of 1: S takes "):
        made.module.value_and_grad(*arrays, memory=750_000)


def test_forward_and_backward_write_to_given_arrays_too():
    made, sizes = bounded("attention"), {"T": 900, "d": 8, "d_v": 4}
    module, (*inputs, G) = made.module, drawn(made.problem, sizes)
    values = module.forward(*inputs, memory=MEGABYTE, out={"O": np.full((900, 4), np.nan), "S_max": np.empty(900)})
    out = {"dQ": np.full((900, 8), np.nan), "dV": np.full((900, 4), np.nan)}
    gradients = module.backward(values, G, memory=MEGABYTE, out=out)
    assert np.shares_memory(gradients.dQ, out["dQ"])
    assert_same((values.O, *gradients), unbounded("attention").module.value_and_grad(*inputs, G))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x.astype(np.float32), "Q holds float32, but K float64"),
        (lambda x: x.astype(np.float16), "Q holds float16, and would be copied"),
        (lambda x: np.ones(x.shape, int), "Q holds int64, and would be copied"),
        (np.asfortranarray, "Q would be copied: its entries do not lie one after another"),
        (lambda x: x.astype(x.dtype.newbyteorder()), "Q holds >f8, and would be copied"),
        (lambda x: x.tolist(), "Q is no NumPy array"),
    ],
)
def test_an_array_that_would_be_copied_is_refused(change, words):
    made = bounded("attention")
    Q, *rest = drawn(made.problem, {"T": 6, "d": 3, "d_v": 2})
    with pytest.raises(ValueError, match=words):
        made.module.value_and_grad(change(Q), *rest)


def test_values_of_another_dtype_are_refused():
    made = bounded("layer_norm")
    *inputs, G = drawn(made.problem, {"N": 5, "H": 3})
    values = made.module.forward(*(array.astype(np.float32) for array in inputs), eps=1e-3)
    with pytest.raises(ValueError, match="Y holds float32, but G float64"):
        made.module.backward(values, G)
    kept = values._replace(X=values.X.astype(float))
    with pytest.raises(ValueError, match="arrays of float32 and float64 are given"):
        made.module.backward(kept, G.astype(np.float32))


@pytest.mark.parametrize(
    ("given_for", "array", "words"),
    [
        ("dQ", lambda Q: np.empty((3, 6)), r"out\['dQ'\] has the shape \(3, 6\); expected: \(6, 3\)"),
        ("dQ", lambda Q: np.empty((6, 3), np.float32), "expected an array of float64"),
        ("dQ", lambda Q: np.empty((6, 6))[:, ::2], "its entries one after another"),
        ("dQ", lambda Q: [[0.0] * 3] * 6, "expected an array of float64"),
        ("dQ", lambda Q: Q, "shares memory with another array"),
        ("dX", lambda Q: np.empty((6, 3)), "out has 'dX'; expected: O, dV, dQ, dK"),
    ],
)
def test_an_array_that_cannot_be_written_to_is_refused(given_for, array, words):
    made = bounded("attention")
    Q, *rest = drawn(made.problem, {"T": 6, "d": 3, "d_v": 2})
    with pytest.raises(ValueError, match=words):
        made.module.value_and_grad(Q, *rest, out={given_for: array(Q)})


def test_an_array_that_is_only_read_from_is_refused():
    made = bounded("layer_norm")
    arrays, frozen = drawn(made.problem, {"N": 4, "H": 3}), np.zeros((4, 3))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"out\['dX'\] cannot be written to"):
        made.module.value_and_grad(*arrays, out={"dX": frozen})


def test_threads_are_fewer_before_blocks_are_short(monkeypatch):
    made, sizes = bounded("attention"), {"T": 2000, "d": 16, "d_v": 16}
    arrays, seen = drawn(made.problem, sizes), []
    shared = made.module._Room.shared

    def watched(*arguments):
        seen.append(shared(*arguments))
        return seen[-1]

    monkeypatch.setattr(made.module._Room, "shared", watched)
    monkeypatch.setattr(made.module, "CACHE", 1 << 22)
    monkeypatch.setattr(made.module, "LEAST", 64)
    for bound in (1 << 24, 3 << 20, 1 << 20):
        made.module.value_and_grad(*arrays, memory=bound, threads=3)
    (wide, three), (_, fewer), (short, one) = seen
    assert three == 3
    assert wide[0] >= made.module.LEAST
    assert fewer in (1, 2)
    assert (short[0] < made.module.LEAST, one) == (True, 1)


def test_steps_cannot_keep_within_a_bound_yet():
    with pytest.raises(UnsupportedError, match=r"is computed step by step.*leave the bound out"):
        fast_module(derivation_of("rnn"), FastOptions(memory=MEGABYTE))


def test_a_bound_of_memory_is_for_numpy_alone():
    derivation, options = derivation_of("attention"), FastOptions(memory=1 << 28)
    refused = r"PyTorch keeps within no bound of memory, that in NumPy does; leave memory out, or the target torch"
    with pytest.raises(UnsupportedError, match=refused):
        fast_module(derivation, options, "torch")
    with pytest.raises(UnsupportedError, match=refused):
        fast_modules(derivation, options, ["jax", "torch"])
    modules, unwritten = fast_modules(derivation, options, ["numpy", "jax"])
    assert ([module.target for module in modules], unwritten) == (["numpy"], {})


def test_modules_without_a_bound_have_nothing_of_it():
    source = unbounded("attention").written.source
    assert not any(word in source for word in ("_Room", "MEMORY", "_add_product", "need_1", "out:"))
    assert "memory" not in inspect.signature(unbounded("attention").module.forward).parameters


def test_ruff_has_nothing_to_say(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    for name in (*SHIPPED, *SPECS):
        (tmp_path / f"{name}.py").write_text(bounded(name).written.source, encoding="utf-8")
        first = next(index.name for index in derivation_of(name).problem.program.indices)
        in_rows = fast_module(derivation_of(name), FastOptions(block=(first, 2), memory=1 << 30))
        (tmp_path / f"{name}_in_rows.py").write_text(in_rows.source, encoding="utf-8")
    for arguments in (["check"], ["check", "--select", "E,F,W,I,UP"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
