"""The twelve programs of the suite against PyTorch's autograd, in double precision at small sizes."""

import contextlib
import importlib.util
import shutil
import warnings
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from typer.testing import CliRunner

import indexcalc as ic
from benchmarks.suite.programs import PROGRAMS, SPECS, Part
from benchmarks.suite.sides import AUTOGRAD, generated, missing, other, sides_of, trained, wanted
from benchmarks.suite.updates import AdamW, Descent, Newton
from benchmarks.suite.writing import lines_of_function, lines_written
from indexcalc.cli.app import app

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the other side is PyTorch"),
    pytest.mark.filterwarnings("ignore:`torch.jit.script"),  # by PyTorch itself
]

PARTS = [part for program in PROGRAMS for part in program.parts]
STYLES = ("einsum", "fast", "torch")
COUNTS = {"mlp_step": 13, "conv_step": 6, "embed_step": 2, "gpt_step": 53, "diffusion_step": 9, "gp_step": 3}
VANISHING = {"gpt_step": {f"dl{number}_b_K" for number in (1, 2, 3)}}
"""What a softmax does not see: a number that is added to all scores of a row."""


@cache
def derived(name):
    return ic.derive(next(part for part in PARTS if part.name == name).problem)


@cache
def sides(name):
    part = next(part for part in PARTS if part.name == name)
    return sides_of(derived(name), part.small, STYLES)


def apart(one, other):
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    assert one.shape == other.shape
    return np.max(np.abs(one - other)) / max(np.max(np.abs(other)), 1e-300)


def test_there_are_twelve_and_every_spec_belongs_to_one():
    assert len({program.name for program in PROGRAMS}) == 12
    used = {"gpt_block", "residual_block"}
    assert {path.stem for path in SPECS.glob("*.ixc")} == {part.name for part in PARTS} | used


def test_small_sizes_are_all_different():
    """Axes that are exchanged show by their lengths."""
    for part in PARTS:
        assert len(set(part.small.values())) == len(part.small), part.name


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_the_gradients_that_the_suite_states_are_there(name):
    assert len(derived(name).problem.targets) == COUNTS[name]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_losses_and_derivatives_are_those_of_autograd(part):
    arrays = part.inputs(part.small, "float64")
    own = sides(part.name)
    expected = own[AUTOGRAD](arrays)()
    assert set(expected) == set(wanted(part.problem))
    # A gradient of zeros would agree with everything that is small.
    vanishing = {name for name, array in expected.items() if np.max(np.abs(np.asarray(array))) < 1e-6}
    assert vanishing == VANISHING.get(part.name, set())
    for style in STYLES:
        side = own[style]
        found = side(arrays)()
        assert set(found) == set(expected)
        errors = {name: apart(found[name], right) for name, right in expected.items() if name not in vanishing}
        assert errors == pytest.approx(dict.fromkeys(errors, 0.0), abs=1e-10), style
        assert all(np.max(np.abs(np.asarray(side[name]))) < 1e-14 for side in (found, expected) for name in vanishing)


@pytest.mark.parametrize("system", ["JAX", "tensorgrad"])
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_programs_in_other_systems_are_the_same(part, system):
    if reason := missing(system):
        pytest.skip(reason)
    arrays = part.inputs(part.small, "float64")
    expected = sides(part.name)[AUTOGRAD](arrays)()
    exact = import_module("jax").enable_x64(True) if system == "JAX" else contextlib.nullcontext()
    with exact, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # named tensors are called experimental at every use
        found = other(part.problem, system, part.small)(arrays)()
        assert set(found) == set(expected)
        vanishing = VANISHING.get(part.name, set())
        errors = {name: apart(found[name], right) for name, right in expected.items() if name not in vanishing}
        assert errors == pytest.approx(dict.fromkeys(errors, 0.0), abs=1e-10)


@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a compiler for C++")
def test_the_compiled_side_is_the_eager_one():
    part = next(part for part in PARTS if part.name == "embed_step")
    arrays = part.inputs(part.small, "float64")
    expected = sides(part.name)[AUTOGRAD](arrays)()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler imports much, some of it out of date
        found = other(part.problem, "torch.compile", part.small)(arrays)()
    assert {name: apart(found[name], right) for name, right in expected.items()} == pytest.approx(
        dict.fromkeys(expected, 0.0), abs=1e-10
    )


def test_a_system_that_is_not_there_is_left_out_with_a_word(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    part = next(part for part in PARTS if part.name == "embed_step")
    assert other(part.problem, "tensorgrad", part.small) == "tensorgrad is not installed"
    assert other(part.problem, "JAX", part.small) == "jax is not installed"


def test_lines_are_those_of_a_function_and_of_what_it_calls(tmp_path):
    path = tmp_path / "programs.py"
    path.write_text(
        '''@entered
def one(x):
    """What it says.

    More of it.
    """

    # A remark.
    return other(x) + (lambda y: inner(y))(x)  # another one


def other(x):
    return x


def inner(y):
    return y + 1


def unused():
    return None
''',
        encoding="utf-8",
    )
    assert lines_of_function(path, "one") == 6
    assert lines_of_function(path, "unused") == 2


def test_every_program_is_written_for_every_system():
    for part in PARTS:
        written = lines_written(part.name)
        assert set(written) == {"spec", "PyTorch", "JAX", "tensorgrad"}
        assert all(count > 1 for count in written.values())


@pytest.mark.parametrize("part", [part for part in PARTS if part.update], ids=lambda part: part.name)
def test_three_steps_from_equal_weights_agree(part):
    arrays = part.inputs(part.small, "float64")
    losses, weights = trained(part, sides(part.name)[AUTOGRAD], arrays, 3)
    assert len(set(losses)) == 3
    assert losses[-1] < losses[0]
    for style in STYLES:
        if isinstance(sides(part.name)[style], str):
            continue
        found, own = trained(part, sides(part.name)[style], arrays, 3)
        assert found == pytest.approx(losses, rel=1e-10)
        # Adam divides by the size of a gradient: where that is rounding alone, so is the step.
        assert max(apart(own[name], weights[name]) for name in weights) < 1e-8


def test_a_wrong_side_is_seen():
    """The comparison of losses and gradients fails for a spec that differs by one index."""
    part = next(part for part in PARTS if part.name == "embed_step")
    text = part.path.read_text(encoding="utf-8").replace("V[j[p],m]", "V[j[p],m] * V[j[p],m]")
    wrong = generated(ic.derive(ic.read_problem(text)), "einsum", part.small)
    arrays = part.inputs(part.small, "float64")
    expected, found = sides(part.name)[AUTOGRAD](arrays)(), wrong(arrays)()
    assert min(apart(found[name], right) for name, right in expected.items()) > 1e-4


def test_the_loss_of_the_gpt_falls_over_twenty_steps():
    part = next(part for part in PARTS if part.name == "gpt_step")
    faster = Part(part.name, part.stated, part.small, lambda: AdamW(rate=1e-2), part.draws)
    losses, _ = trained(faster, sides("gpt_step")["einsum"], part.inputs(part.small, "float64"), 20)
    assert losses[-1] < 0.5 * losses[0]


def test_adamw_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    weights = {"W": rng.standard_normal((3, 4)), "b": rng.standard_normal(4)}
    tensors = {name: torch.nn.Parameter(torch.from_numpy(array.copy())) for name, array in weights.items()}
    groups = [{"params": [tensors["W"]], "weight_decay": 0.1}, {"params": [tensors["b"]], "weight_decay": 0.0}]
    other, own = torch.optim.AdamW(groups, lr=0.01), AdamW(rate=0.01, decay=0.1)
    for _ in range(4):
        gradients = {name: rng.standard_normal(array.shape) for name, array in weights.items()}
        for name, tensor in tensors.items():
            tensor.grad = torch.from_numpy(gradients[name])
        other.step()
        weights = own(weights, gradients, {})
    assert all(apart(weights[name], tensors[name].detach().numpy()) < 1e-14 for name in weights)


def test_newton_solves_for_one_tensor_a_step_in_turn():
    """On a quadratic function one undamped step ends at the minimum."""
    H = np.array([[3.0, 1.0], [1.0, 2.0]])
    update = Newton({"v": "Hv", "w": "Hw"}, 0.0)
    start = {"v": np.array([1.0, -2.0]), "w": np.array([4.0, 5.0])}
    gradients, hessians = {name: H @ array for name, array in start.items()}, {"Hv": H, "Hw": H}
    for name in ("v", "w", "v"):
        assert {key: list(np.round(array, 12)) for key, array in update(start, gradients, hessians).items()} == {
            name: [0.0, 0.0]
        }


def test_descent_goes_against_the_gradient():
    assert Descent(0.5)({"w": np.array([1.0, 2.0])}, {"w": np.array([2.0, -2.0])}, {})["w"].tolist() == [0.0, 3.0]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_command_derives_every_spec(part, tmp_path):
    """Points are found, and the code passes its check at mild and at hostile inputs."""
    result = CliRunner().invoke(app, ["derive", str(SPECS / f"{part.name}.ixc"), "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert (tmp_path / f"{part.name}.py").exists()
