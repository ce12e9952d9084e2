"""The judge: mistakes planted in generated code are found, in every style, and so are failures of the engine."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import indexcalc as ic
from tests.campaign import judge
from tests.campaign.case import REFUSED, counts, failures, refusals
from tests.campaign.formulas import (
    Apply,
    Negative,
    Number,
    Over,
    Plus,
    Program,
    Ratio,
    Read,
    Statement,
    Tensor,
    Times,
)
from tests.campaign.judge import judged
from tests.campaign.oracle import evaluator, sample, truth


def softmax_program() -> Program:
    """A softmax by hand, weighted and squashed."""
    x = Read("x", (("n",), ("c",)))
    inputs = (Tensor("x", (("n",), ("c",))), Tensor("w", (("c",), ("e",))))
    weights = Ratio(Apply("exp", x), Over("sum", ("e",), Apply("exp", Read("x", (("n",), ("e",))))))
    mixed = Over("sum", ("c",), Times((Read("p", (("n",), ("c",))), Read("w", (("c",), ("e",))))))
    lines = (
        Statement("p", (("n",), ("c",)), weights),
        Statement("y", (("n",), ("e",)), Apply("tanh", mixed)),
    )
    indices = (("n", ("N",)), ("c", ("C",)), ("e", ("C",)))
    return Program(indices, (), inputs, lines, upstream=(("G", "y"),), targets=("x", "w", "p"))


PROGRAM = softmax_program()


@pytest.mark.parametrize("style", ["note", "numpy", "fast", "torch", "check"])
def test_right_code_passes(style):
    verdict = judged(PROGRAM, (style, "numpy"))
    assert not failures(verdict)
    assert counts(verdict) == {"points": 3}


def planted(source: str, old: str, new: str) -> str:
    """The source with a mistake in its backward pass."""
    head, tail = source.split("def backward", 1)
    assert old in tail
    return head + "def backward" + tail.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new"), [("**2", "**3"), (".T", ""), ("1.0 - ", "1.0 + "), ("return Gradients(", "return Gradients(2 * ")]
)
def test_a_mistake_in_plain_code_is_found(monkeypatch, old, new):
    write = ic.numpy_module
    monkeypatch.setattr(ic, "numpy_module", lambda derivation: planted(write(derivation), old, new))
    (line,) = failures(judged(PROGRAM, ("numpy",)))
    assert re.match("numpy: (wrong|traceback)", line)


@pytest.mark.parametrize(
    ("style", "library", "old"), [("fast", "numpy", "np.tanh("), ("torch fast", "torch", "torch.tanh(")]
)
def test_a_mistake_in_fast_code_is_found_in_every_way_to_run_it(monkeypatch, style, library, old):
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    write = ic.fast_module

    def mistaken(derivation, target):
        written = write(derivation, target=target)
        assert old in written.source
        return replace(written, source=written.source.replace(old, old.replace("tanh", "sin")))

    monkeypatch.setattr(ic, "fast_module", mistaken)
    found = failures(judged(PROGRAM, (style,)))
    ways = {line.split(":")[0] for line in found} - {f"{style} triton"}
    assert ways == {style, f"{style} value_and_grad", f"{style} in blocks"}


def test_a_mistake_in_code_for_torch_is_found(monkeypatch):
    if not find_spec("torch"):
        pytest.skip("PyTorch is not installed")
    write = ic.target_module

    def mistaken(derivation, target):
        written = write(derivation, target)
        return replace(written, source=planted(written.source, "return Gradients(", "return Gradients(2 * "))

    monkeypatch.setattr(ic, "target_module", mistaken)
    found = failures(judged(PROGRAM, ("torch",)))
    assert {line.split(":")[0] for line in found} == {"torch", "torch autograd"}


def test_code_that_changes_what_it_reads_is_found(monkeypatch):
    write = ic.numpy_module
    inside = "    values.p[...] = 0.0\n    return Gradients("
    monkeypatch.setattr(
        ic, "numpy_module", lambda derivation: planted(write(derivation), "    return Gradients(", inside)
    )
    (line,) = failures(judged(PROGRAM, ("numpy",)))
    assert "changed what it read" in line


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), AssertionError(), RecursionError("deep")])
def test_tracebacks_are_findings_with_their_place(monkeypatch, error):
    def fail(_problem):
        raise error

    monkeypatch.setattr(ic, "derive", fail)
    (line,) = failures(judged(PROGRAM, ("numpy",)))
    assert line.startswith(f"derive: traceback: {type(error).__name__}")


def test_refusals_count_but_are_no_failures(monkeypatch):
    def refuse(_problem):
        raise ic.LimitError("more than 10 of these\nand more")

    monkeypatch.setattr(ic, "derive", refuse)
    verdict = judged(PROGRAM, ("numpy",))
    assert not failures(verdict)
    assert refusals(verdict) == [f"{REFUSED}derive: LimitError: more than 10 of these"]


def test_a_program_that_no_point_tests_is_counted_so(monkeypatch):
    monkeypatch.setattr(judge, "BLURRED", 0.0)
    assert counts(judged(PROGRAM, ("numpy",))) == {"points": 0}


def test_what_takes_too_long_is_stopped(monkeypatch):
    def dawdle(_problem):
        end = time.process_time() + 5
        while time.process_time() < end:
            pass

    monkeypatch.setattr(ic, "derive", dawdle)
    monkeypatch.setattr(judge, "PATIENCE", 0.2)
    start = time.process_time()
    assert failures(judged(PROGRAM, ("numpy",))) == ["derive: slow: more than 0 s"]
    assert time.process_time() - start < 3


def test_what_readings_give_and_cancels_leaves_room_for_rounding():
    """The gradient of ``1e6 (x - x)`` is zero, of two parts that are not."""
    read = Read("x", (("n",),))
    line = Statement("y", (("n",),), Times((Number("1e6"), Plus((read, Negative(read))))))
    indices, inputs = (("n", ("N",)),), (Tensor("x", (("n",),)),)
    program = Program(indices, (), inputs, (line,), upstream=(("G", "y"),), targets=("x",))
    evaluate = evaluator()
    right = truth(program, sample(program, {"N": 3}, np.random.default_rng(0)), evaluate)
    assert right is not None
    assert np.all(right.gradients["x"] == 0)
    assert 1e4 < right.spread["d x"] < 1e7


def test_what_vanishes_twice_over_leaves_room_for_rounding():
    """The slope of the variance of one large entry is twice nothing times nothing."""
    read = Times((Number("1000"), Read("x", (("n",),))))
    line = Statement("y", (), Over("var", ("n",), read))
    indices, inputs = (("n", ("N",)),), (Tensor("x", (("n",),)),)
    program = Program(indices, (), inputs, (line,), upstream=(("G", "y"),), targets=("x",))
    right = truth(program, sample(program, {"N": 1}, np.random.default_rng(0)), evaluator())
    assert right is not None
    assert np.all(right.gradients["x"] == 0)
    assert 10 < right.spread["d x"] < 1e5
