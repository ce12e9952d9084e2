"""The private functions of generated modules: accurate, and silent for large arguments."""

import math

import numpy as np
import pytest

from indexcalc.calculus.pointwise import ROWS
from indexcalc.codegen.special import FAST, SPECIAL, needed_functions

SPACE = {"np": np}
for row in SPECIAL.values():
    exec(row.source, SPACE)

IN_BLOCKS = {"np": np}
for row in FAST.values():
    exec(row.source, IN_BLOCKS)

POINTS = np.concatenate([np.linspace(-8.0, 8.0, 20_001), [0.0, 1e-300, -1e-12, 40.0, -40.0]])


def test_erf_is_accurate_to_the_last_bits():
    expected = np.array([math.erf(x) for x in POINTS])
    np.testing.assert_allclose(SPACE["_erf"](POINTS), expected, rtol=2e-15, atol=0.0)


def test_erf_in_blocks_is_as_accurate_as_its_format():
    expected = np.array([math.erf(x) for x in POINTS])
    found = IN_BLOCKS["_erf"](POINTS)
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=0.0)
    short = POINTS.astype(np.float32)
    found = IN_BLOCKS["_erf"](short.reshape(2, -1))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.ravel(), [math.erf(x) for x in short], rtol=5e-7, atol=0.0)
    assert np.abs(found).max() == 1.0


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int32])
def test_erf_in_blocks_of_other_formats_and_of_what_is_no_number(kind):
    values = [0, 1, -2] if kind is np.int32 else [0, 1, -2, np.inf, -np.inf, np.nan]
    found = IN_BLOCKS["_erf"](np.array(values, kind))
    expected = [math.erf(x) for x in values]
    np.testing.assert_allclose(found, expected, rtol=5e-4 if kind is np.float16 else 5e-7)
    assert kind is np.int32 or list(found[3:5]) == [1, -1]


def test_sigmoid_is_accurate_in_both_tails():
    expected = np.array([1.0 / (1.0 + math.exp(-x)) for x in POINTS])
    np.testing.assert_allclose(SPACE["_sigmoid"](POINTS), expected, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.positive], ids=lambda row: row.name)
def test_rows_are_silent_and_keep_float32(row):
    source = row.numpy.format(x="x", y="0.5", z="y")
    for size in (0.0, 1.0, 1e4):
        if row.name == "exp" and size > 1.0:
            continue
        x = np.array([-size, size], dtype=np.float32)
        x = np.abs(x) if row.positive else x
        found = eval(source, {**SPACE, "x": x, "y": np.float32(2) * x})
        assert found.dtype == np.float32
        assert np.all(np.isfinite(found))


def test_a_function_brings_those_that_it_calls():
    assert needed_functions(["y = _gelu(x)"]) == ("_gelu", "_erf", "_ratio")
    assert needed_functions(["y = np.exp(x)"]) == ()
