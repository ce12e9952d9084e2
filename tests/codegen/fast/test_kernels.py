"""Triton kernels of the blocked loops: in Triton's interpreter they compute what the oracles do.

The interpreter must be asked for before Triton is imported. So one test runs this file once more, with the variable of
the environment set, and the others of the interpreter are skipped without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.generation import loaded
from indexcalc.proof.fast import check_fast, kernels_missing, unchecked_kernels
from tests.codegen.fast.test_programs import PROGRAMS

torch = pytest.importorskip("torch")

interpreted = pytest.mark.skipif(bool(kernels_missing()), reason="Triton, or its interpreter, is not there")

SHIPPED = (
    "layer_norm", "rms_norm", "softmax_cross_entropy", "cross_entropy_labels", "attention", "causal_attention",
    "conv2d", "gaussian_mixture", "info_nce", "batch_norm", "sliding_window_attention", "mlp_gelu",
)  # fmt: skip


@cache
def written_for(name):
    return ic.fast_module(ic.derive(ic.load_problem(ic.find_spec(name))), target="torch")


def rows(count, width, dtype=torch.float64):
    """Random arguments of `value_and_grad` for the normalisation of rows."""
    rng = np.random.default_rng(0)
    shapes = [(count, width), (width,), (width,), (count, width)]
    return [torch.as_tensor(rng.standard_normal(shape), dtype=dtype) for shape in shapes]


def run(module, *arguments, by):
    """The tensors that `value_and_grad` returns; what a tile holds outside of a tensor may be infinite."""
    with np.errstate(all="ignore"):
        output, gradients = module.value_and_grad(*arguments, by=by)
    return [output, *gradients]


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
@pytest.mark.skipif(not kernels_missing(), reason="this is the run with the interpreter")
def test_kernels_in_the_interpreter():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    result = subprocess.run(
        command, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout


class Recorded:
    """Stands for a kernel, and notes what it is launched with."""

    def __init__(self, kernel, launched):
        self.kernel, self.launched = kernel, launched

    def __getitem__(self, grid):
        return lambda *arguments, **keywords: self.launched.append((self.kernel, arguments, keywords))


def recorded(module):
    """What the kernels of a module are launched with from now on, instead of being launched."""
    launched = []
    for name in [one for one in vars(module) if "_kernel" in one]:
        setattr(module, name, Recorded(getattr(module, name), launched))
    return launched


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
@pytest.mark.skipif(not kernels_missing(), reason="the interpreter compiles nothing")
@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
@pytest.mark.parametrize(
    ("name", "shapes"),
    [("attention", [(4096, 64)] * 4), ("layer_norm", [(8192, 4096), (4096,), (4096,), (8192, 4096)])],
)
def test_a_kernel_compiles_for_a_gpu_and_finds_room_there(name, shapes, monkeypatch, tmp_path):
    from triton import compile as compiled  # noqa: PLC0415
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    module = loaded(written_for(name).source)
    launched = recorded(module)
    with monkeypatch.context() as patched:
        # No tensor is on a GPU here.
        patched.setenv("TRITON_INTERPRET", "1")
        module.value_and_grad(*(torch.empty(shape, device="meta") for shape in shapes), by="triton")
    assert len(launched) == 2
    for kernel, arguments, options in launched:
        given = dict(zip(kernel.arg_names, arguments, strict=True))
        sizes = {one: value for one, value in given.items() if one.startswith("size_")}
        kinds = {one: "*fp32" if isinstance(value, torch.Tensor) else "i32" for one, value in given.items()}
        source = ASTSource(kernel, signature={**kinds, **dict.fromkeys(sizes, "constexpr")}, constexprs=sizes)
        result = compiled(source, target=GPUTarget("cuda", 80, 32), options=options)
        assert result.metadata.shared <= 96 << 10


@interpreted
@pytest.mark.parametrize("name", SHIPPED)
def test_a_kernel_computes_what_the_oracles_do(name):
    written = written_for(name)
    assert written.kernels >= 2
    report = check_fast(ic.derive(ic.load_problem(ic.find_spec(name))).problem, loaded(written.source), written)
    assert report.ok, report.failures
    assert any(comparison.method.endswith(", torch fast triton") for comparison in report.comparisons)
    assert not unchecked_kernels(written)


@interpreted
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_so_does_one_of_a_program_that_nobody_tuned_for(text):
    derivation = ic.derive(ic.read_problem(text))
    written = ic.fast_module(derivation, target="torch")
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures


@interpreted
@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("layer_norm", "tl.where(inside_2[None, :], tile_var_1, 0.0)", "tile_var_1"),
        ("layer_norm", "tl.store(result_db", "tl.store(result_dg"),
        ("softmax_cross_entropy", "tl.atomic_add(result_L", "tl.store(result_L"),
        ("attention", "tl.where(inside_4[None, :], tile_exp_S, 0.0)", "tile_exp_S"),
        ("attention", "tile_O *= scale_1[:, None]", "pass"),
        ("attention", "tile_Z_shifted *= scale_1", "pass"),
        ("layer_norm", "range(0, length_2, size_2)", "range(0, size_2, size_2)"),
    ],
)
def test_a_mistake_in_a_kernel_is_found(name, right, wrong):
    written = written_for(name)
    assert right in written.source
    problem = ic.derive(ic.load_problem(ic.find_spec(name))).problem
    report = check_fast(problem, loaded(written.source.replace(right, wrong)), written)
    assert not report.ok
    assert all(comparison.method.endswith(", torch fast triton") for comparison in report.failures)


@interpreted
@pytest.mark.parametrize(("count", "width"), [(1, 1), (37, 5), (3, 130), (0, 4)])
@pytest.mark.parametrize("room", [1, 64, 1 << 13])
def test_many_programs_share_the_rows(count, width, room):
    module = loaded(written_for("layer_norm").source)
    module.ROOM = room
    arguments = rows(count, width)
    plain, found = (run(module, *arguments, by=by) for by in ("eager", "triton"))
    assert all(torch.allclose(one, two, rtol=0, atol=1e-12) for one, two in zip(plain, found, strict=True))


def agree(text, sizes, room, change=lambda arguments: None):
    """Whether both ways through a module with kernels give what code for speed in NumPy gives, NaN included."""
    derivation = ic.derive(ic.read_problem(text))
    module = loaded(ic.fast_module(derivation, target="torch").source)
    module.ROOM, program = room, derivation.problem.program
    slots = [tensor.slots for tensor in program.inputs]
    slots += [program.tensors[up.of].slots for up in derivation.problem.handed]
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal([sizes[str(slot.extent)] for slot in own]) for own in slots]
    change(arrays)
    with np.errstate(all="ignore"):
        output, gradients = loaded(ic.fast_module(derivation).source).value_and_grad(*arrays)
        tensors = [torch.as_tensor(array) for array in arrays]
        found = run(module, *tensors, by="triton")
        values = module.forward(*tensors[:-1], by="triton")
        again = module.backward(values, tensors[-1], by="triton")
    wanted = [torch.as_tensor(np.asarray(one)) for one in (output, *gradients)]
    for one, two in zip([*wanted, *wanted[1:]], [*found, *again], strict=True):
        scale = one.nan_to_num().abs().max()
        assert torch.allclose(one, two, rtol=0, atol=1e-12 * float(scale), equal_nan=True)
    return wanted


ATTENDED = """
index i, j, l : N
index k : D
index p : P
input Q[i,k], K[j,k], V[j,p], b[j]
S[i,j] = sum[k](Q[i,k] * K[j,k]) + b[j]
E[i,j] = {mask}exp(S[i,j])
y[i,p] = sum[j](E[i,j] * V[j,p]) / sum[j](E[i,j])
upstream G[i,p] = dL/dy[i,p]
derive Q, K, V, b
"""
"""A softmax of scores, and what it weighs."""

LONG = {"N": 37, "D": 5, "P": 3}
"""More places than one tile has, and not a whole number of tiles."""


@interpreted
@pytest.mark.parametrize("mask", ["", "[j <= i] * [i <= j + 3] * ", "[i <= j] * "])
def test_keys_in_many_tiles_are_summed_as_in_one(mask):
    agree(ATTENDED.format(mask=mask), LONG, 1)


@interpreted
def test_rows_of_which_all_is_masked_are_no_numbers_and_leave_the_others_alone():
    output, *_ = agree(ATTENDED.format(mask="[j < i] * "), LONG, 1)
    assert output[0].isnan().all()
    assert not output[1:].isnan().any()


@interpreted
def test_tiles_that_are_masked_before_there_is_a_number_are_forgotten():
    def padded(arrays):
        arrays[3][:20], arrays[3][30] = -np.inf, -1e300

    output, *_ = agree(ATTENDED.format(mask=""), LONG, 1, padded)
    assert not output.isnan().any()


@interpreted
@pytest.mark.parametrize("offset", [1e4, -1e4, 1e8])
def test_a_largest_value_that_grows_from_tile_to_tile_takes_along_what_was_summed(offset):
    def rising(arrays):
        # Differences of whole numbers: whatever is taken off, nothing is rounded.
        arrays[0][:] = 0
        arrays[3][:] = offset + np.arange(37) // 2

    agree(ATTENDED.format(mask=""), LONG, 1, rising)


@interpreted
@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("attention", [(4096, 64)] * 4),
        ("causal_attention", [(4096, 128)] * 4),
        ("layer_norm", [(8192, 4096), (4096,), (4096,), (8192, 4096)]),
        ("rms_norm", [(64, 1 << 20), (1 << 20,), (64, 1 << 20)]),
        ("softmax_cross_entropy", [(4096, 128000)] * 2),
    ],
)
def test_tiles_are_bounded_whatever_the_sizes(name, shapes):
    module = loaded(written_for(name).source)
    launched = recorded(module)
    tiles = []
    launch = module._launch

    def noted(kernel, lengths, dimensions, growing, among, dots, *arguments):
        launch(kernel, lengths, dimensions, growing, among, dots, *arguments)
        sizes = launched[-1][1][-len(lengths) :]
        assert all(size & (size - 1) == 0 for size in sizes)
        tiles.extend(np.prod([sizes[axis] for axis in tile]) for tile in among)

    module._launch = noted
    keywords = {"a": 0.0} if name == "softmax_cross_entropy" else {}
    module.value_and_grad(*(torch.empty(shape, device="meta") for shape in shapes), by="triton", **keywords)
    assert launched
    assert max(tiles) * 4 <= module.ROOM


@interpreted
def test_half_precision_is_refused_with_the_way_out():
    module = loaded(written_for("layer_norm").source)
    with pytest.raises(ValueError, match=r'not in torch.float16; take by="eager"'):
        run(module, *rows(2, 3, torch.float16), by="triton")


@interpreted
def test_what_is_not_contiguous_is_read_as_it_is():
    module = loaded(written_for("layer_norm").source)
    X, g, b, G = rows(6, 5)
    turned = [X.T.contiguous().T, g, b, torch.stack([G, G], -1)[..., 0]]
    plain, found = run(module, X, g, b, G, by="triton"), run(module, *turned, by="triton")
    assert all(torch.equal(one, two) for one, two in zip(plain, found, strict=True))


@interpreted
def test_single_precision_stays_single():
    module = loaded(written_for("layer_norm").source)
    plain, found = (run(module, *rows(9, 5, torch.float32), by=by) for by in ("eager", "triton"))
    for one, two in zip(plain, found, strict=True):
        assert two.dtype is torch.float32
        assert torch.allclose(one, two, rtol=0, atol=1e-5)


@interpreted
def test_a_tile_that_cannot_be_short_is_said():
    module = loaded(written_for("attention").source)
    module.ENTRIES = 1024
    arguments = [torch.zeros(3, 100, dtype=torch.float64) for _ in range(4)]
    with pytest.raises(ValueError, match=r'tiles of 2048 entries, and 1024 are the most for Triton; take by="eager"'):
        run(module, *arguments, by="triton")


@interpreted
def test_without_a_gpu_the_way_to_the_interpreter_is_said(monkeypatch):
    module = loaded(written_for("layer_norm").source)
    monkeypatch.delenv("TRITON_INTERPRET")
    with pytest.raises(ValueError, match="kernels run on a GPU; TRITON_INTERPRET=1 in the environment"):
        run(module, *rows(2, 3), by="triton")


def test_without_triton_it_is_said(monkeypatch):
    module = loaded(written_for("layer_norm").source)
    monkeypatch.setattr(module, "triton", None)
    with pytest.raises(ValueError, match="Triton is not installed"):
        run(module, *rows(2, 3), by="triton")


def test_kernels_that_are_not_checked_are_named(monkeypatch):
    monkeypatch.setattr("indexcalc.proof.fast.is_installed", lambda package: False)
    (reason,) = unchecked_kernels(written_for("layer_norm"))
    assert reason.endswith("triton is not installed (pip install 'indexcalc[triton]')")
    assert not unchecked_kernels(ic.fast_module(ic.derive(ic.load_problem(ic.find_spec("layer_norm")))))


@interpreted
def test_what_triton_has_no_word_for_runs_without_a_kernel():
    text = "index n : N\nindex h : H\ninput X[n,h]\nY[n,h] = tanh(X[n,h] - mean[h](X[n,h]))\n"
    written = ic.fast_module(ic.derive(ic.read_problem(text)), target="torch")
    assert written.kernels < written.source.count(" in _blocks(")
    module = loaded(written.source)
    arguments = [rows(4, 3)[0], rows(4, 3)[3]]
    plain, other = (run(module, *arguments, by=by) for by in ("eager", "triton"))
    assert all(torch.equal(one, two) for one, two in zip(plain, other, strict=True))
