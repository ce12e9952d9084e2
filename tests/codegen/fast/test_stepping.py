"""Loops over steps in code for speed: right in every setting, with joint products."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_candidate
from indexcalc.rewrite.derive import derive
from tests.support.fast import fast, in_all_settings

SPECS = {
    "three states in a ring, of which two and then two others are read alike": """
index t : T
index i, j : N
input x[t,i], y[t,i], V[i,j], W[i,j]
h[t,i] = 0.5 * sum[j](V[i,j]*[1 <= t]*c[t-1,j])
c[t,i] = tanh(sum[j](W[i,j]*[1 <= t]*q[t-1,j]))
q[t,i] = sum[j](W[i,j]*[1 <= t]*h[t-1,j]) + sum[j](V[i,j]*x[t,j])
L = sum[i](h[T-1,i]^2) + sum[i](c[T-1,i]^2) + sum[i](q[T-1,i]^2)
loss L
derive x, y, V, W
""",
    "a diagonal that is carried": """
index t : T
index i, j : N
input W[i,j], x[t,i]
h[0,i] = x[0,i]
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j]) + W[i,i]*x[t,i])    for t in 1 .. T-1
upstream G[t,i] = dL/dh[t,i]
derive W, x
""",
    "numbers that are carried, and read at the end alone": """
index t : T
index i : N
param al = 0.9
input x[t,i]
s[0] = sum[i](x[0,i]^2)
s[t] = al*s[t-1] + sum[i](x[t,i]^2)    for t in 1 .. T-1
L = log(1 + s[T-1])
loss L
derive x
""",
    "a softmax of what is carried": """
index t : T
index i, j : N
input A[i,j], h0[i]
h[0,i] = h0[i]
h[t,i] = sum[j](A[i,j]*softmax[j](h[t-1,j]))    for t in 1 .. T-1
upstream G[t,i] = dL/dh[t,i]
derive A, h0
""",
    "two loops, the second down": """
index t : T
index i, j : N
input W[i,j], x[t,i]
h[0,i] = x[0,i]
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j]) + x[t,i])    for t in 1 .. T-1
c[T-1,i] = h[T-1,i]
c[t,i] = sum[j](W[j,i]*c[t+1,j]) * h[t,i]    for t in 0 .. T-2
upstream G[t,i] = dL/dc[t,i]
derive W, x
""",
    "the step on the last axis": """
index t : T
index i, j : N
index b : B
input W[i,j], x[b,i,t]
h[b,i,t] = tanh(sum[j]([1 <= t]*W[i,j]*h[b,j,t-1]) + x[b,i,t])
upstream G[b,i,t] = dL/dh[b,i,t]
derive W, x
""",
}
SHIPPED = sorted(name for name, path in shipped_paths().items() if load_problem(path).program.is_recurrent)
NAMES = (*SPECS, *SHIPPED)


@cache
def derivation_of(name):
    return derive(read_problem(SPECS[name]) if name in SPECS else load_problem(shipped_paths()[name]))


@cache
def written_of(name):
    return fast_module(derivation_of(name))


def function_of(name, function):
    source = written_of(name).source
    return re.split(r"\n\n\n", source[source.index(f"def {function}(") :])[0]


@pytest.mark.parametrize("name", NAMES)
def test_all_functions_agree_with_the_oracles(name):
    written = written_of(name)
    report = check_fast(derivation_of(name).problem, loaded(written.source), written)
    assert report.ok, report.failures


@pytest.mark.parametrize("name", [*SPECS, "lstm", "gru", "crf"])
def test_blocks_and_threads_change_nothing(name):
    module = fast(derivation_of(name), FastOptions(cache=64))
    report = check_candidate(module.problem, in_all_settings(module))
    assert report.ok, report.failures


@pytest.mark.parametrize("name", ["lstm", "transformer"])
def test_an_index_may_be_cut_into_blocks_outside_of_loops(name):
    index = derivation_of(name).problem.program.indices[0].name
    written = fast_module(derivation_of(name), FastOptions(block=(index, 2)))
    report = check_fast(derivation_of(name).problem, loaded(written.source), written)
    assert report.ok, report.failures


def test_ruff_has_nothing_to_say(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    for number, name in enumerate(NAMES):
        (tmp_path / f"module_{number}.py").write_text(written_of(name).source, encoding="utf-8")
    for arguments in (["check"], ["check", "--select", "E,F,W,I,UP"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


def products_of_steps(text):
    """The products of matrices in the loops of a function."""
    inside = "\n".join(
        line for line in text.split("\n") if line.startswith(" " * 8) and not line.strip().startswith("#")
    )
    return len(re.findall(r" @ |np\.matmul\(|np\.einsum\(", inside))


@pytest.mark.parametrize("name", ["lstm", "rnn"])
def test_one_product_of_a_step_is_left_of_those_with_a_common_factor(name):
    assert products_of_steps(function_of(name, "forward")) == 1
    assert products_of_steps(function_of(name, "backward")) == 1


def test_the_input_gates_are_computed_for_all_steps_by_one_product():
    forward = function_of("lstm", "forward")
    before, _ = forward.split("for t in range(T):")
    assert len(re.findall(r" @ ", before)) == 1


def test_no_step_makes_an_array_of_many_entries_but_what_blas_returns():
    for function in ("forward", "backward"):
        inside = function_of("lstm", function).split("for t in ")[1].split("\n    #")[0]
        assert not re.search(r"np\.(empty|zeros|stack)\(", inside)
        pointwise = [line for line in inside.split("\n") if re.search(r"np\.(add|multiply|subtract|tanh)\(", line)]
        assert pointwise
        assert all("out=" in line for line in pointwise)


def test_values_hold_what_the_backward_pass_reads():
    module = loaded(written_of("lstm").source)
    own = [field for field in module.Values._fields if not re.match("[WUb]_|x$|h0|c0", field)]
    assert own == ["i", "f", "o", "g", "c", "h"]


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (2, 1, 3, 2), (3, 2, 1, 1), (1, 4, 2, 3), (0, 2, 2, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_is_the_code_for_reading_at_any_size(sizes, dtype):
    B, T, D, H = sizes
    rng = np.random.default_rng(sum(sizes))
    shapes = {"x": (B, T, D), "h0": (B, H), "c0": (B, H)}
    for gate in "ifog":
        shapes |= {f"W_{gate}": (H, D), f"U_{gate}": (H, H), f"b_{gate}": (H,)}
    given = {name: rng.normal(size=shape).astype(dtype) for name, shape in shapes.items()}
    G = rng.normal(size=(B, T, H)).astype(dtype)
    plain, own = loaded(numpy_module(derivation_of("lstm"))), loaded(written_of("lstm").source)
    copies = {name: array.copy() for name, array in given.items()}
    values = plain.forward(**given)
    gradients = plain.backward(values, G)
    h, found = own.value_and_grad(**given, G=G)
    assert h.dtype == dtype
    bound = 2e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(h, values.h, rtol=0, atol=bound)
    for name, array in found._asdict().items():
        assert array.dtype == dtype
        np.testing.assert_allclose(array, getattr(gradients, name), rtol=0, atol=bound * 10)
    assert all(np.array_equal(given[name], copies[name]) for name in given)
    arrays = [h, *found, *given.values(), G]
    if B:
        assert not any(np.shares_memory(a, b) for n, a in enumerate(arrays) for b in arrays[:n])


def test_a_sigmoid_in_place_is_that_of_any_number():
    text = SPECS["the step on the last axis"].replace("tanh", "sigmoid")
    module = loaded(fast_module(derive(read_problem(text))).source)
    for dtype in (np.float32, np.float64):
        x = np.array([-1e30, -800.0, -90.0, -30.0, -1.0, 0.0, 1.0, 30.0, 90.0, 1e30], dtype)
        out = module._sigmoid_into(x.copy(), out=np.empty_like(x))
        with np.errstate(over="ignore", under="ignore"):
            expected = 1 / (1 + np.exp(-x.astype(np.longdouble)))
        np.testing.assert_allclose(out, expected.astype(np.float64), rtol=4 * np.finfo(dtype).eps, atol=2e-38)
        assert module._sigmoid_into(x, out=x) is x
        assert np.array_equal(x, out)


def test_systems_beside_steps_are_solved_for_all_steps_at_once():
    system = """
index t : T
index i, j : N
input A[i,j], b[t,i]
h[0,i] = b[0,i]
solve x[t,i] : sum[j](A[i,j]*x[t,j]) = b[t,i]
h[t,i] = h[t-1,i] + x[t,i]    for t in 1 .. T-1
upstream G[t,i] = dL/dh[t,i]
derive A, b
"""
    derivation = derive(read_problem(system))
    written = fast_module(derivation)
    assert check_fast(derivation.problem, loaded(written.source), written).ok
    assert written.source.count("x = np.linalg.solve(A, b.T).T") == 1
