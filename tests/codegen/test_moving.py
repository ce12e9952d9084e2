"""The private functions for windows, lookups and sums at other places, in three libraries, against plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.codegen.moving import JAX_MOVING, NUMPY_MOVING, TORCH_MOVING

jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
jnp = pytest.importorskip("jax.numpy")
jax.config.update("jax_enable_x64", True)
LIBRARIES = {
    "numpy": (NUMPY_MOVING, {"np": np}, np.asarray),
    "torch": (TORCH_MOVING, {"torch": torch}, torch.as_tensor),
    "jax": (JAX_MOVING, {"jax": jax, "jnp": jnp}, jnp.asarray),
}


def functions(library):
    table, names, _ = LIBRARIES[library]
    space = dict(names)
    for special in table.values():
        exec(special.source, space)
    return space


PAIRS = st.tuples(st.integers(-1, 5), st.integers(-1, 5))
STEPS = st.lists(st.tuples(st.integers(-3, 3).filter(bool), st.integers(1, 3)), min_size=1, max_size=3)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(STEPS, st.integers(-4, 4), st.integers(1, 6), st.integers(0, 1), st.integers(0, 999))
def test_windows_read_what_loops_read(library, steps, start, length, axis, seed):
    x = np.random.default_rng(seed).normal(size=(2, length) if axis else (length, 2))
    sizes = [size for _, size in steps]
    expected = np.zeros((*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))
    for place in itertools.product(*map(range, sizes)):
        at = start + sum(step * n for (step, _), n in zip(steps, place, strict=True))
        if 0 <= at < length:
            expected[(slice(None),) * axis + place] = np.take(x, at, axis)
    found = functions(library)["_windows"](LIBRARIES[library][2](x), (axis, start, *steps))
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(STEPS, STEPS, st.tuples(*[st.integers(-9, 9)] * 2), st.tuples(*[st.integers(1, 5)] * 2), st.integers(0, 999))
def test_windows_along_two_axes_are_those_along_one_after_the_other(library, first, second, starts, lengths, seed):
    x = LIBRARIES[library][2](np.random.default_rng(seed).normal(size=(lengths[0], 2, lengths[1])))
    windows = functions(library)["_windows"]
    expected = windows(windows(x, (2, starts[1], *second)), (0, starts[0], *first))
    found = windows(x, (0, starts[0], *first), (2, starts[1], *second))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(STEPS, st.integers(-4, 4), st.integers(1, 6), st.integers(0, 1), st.integers(0, 999))
def test_folding_adds_up_what_loops_add_up(library, steps, start, length, axis, seed):
    sizes = [size for _, size in steps]
    parts = np.random.default_rng(seed).normal(size=(*(2,) * axis, *sizes, 3))
    expected = np.zeros((*(2,) * axis, length, 3))
    for place in itertools.product(*map(range, sizes)):
        at = start + sum(step * n for (step, _), n in zip(steps, place, strict=True))
        if 0 <= at < length:
            expected[(slice(None),) * axis + (at,)] += parts[(slice(None),) * axis + place]
    fold = functions(library)["_folded"]
    found = fold(LIBRARIES[library][2](parts), axis, length, start, *(step for step, _ in steps))
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1), st.lists(PAIRS, max_size=7), st.integers(0, 999))
def test_sums_at_two_places_agree_with_loops(library, rows, columns, axis, ids, seed):
    convert = LIBRARIES[library][2]
    parts = np.random.default_rng(seed).normal(size=(*(2,) * axis, len(ids), 3))
    expected = np.zeros((*(2,) * axis, rows, columns, 3))
    for place, (row, column) in enumerate(ids):
        if 0 <= row < rows and 0 <= column < columns:
            expected[(slice(None),) * axis + (row, column)] += parts[(slice(None),) * axis + (place,)]
    space = functions(library)
    down, across = (convert(np.array([pair[n] for pair in ids], dtype=np.int8)) for n in (0, 1))
    joined = space["_joined"]((down, rows), (across, columns))
    total = space["_summed_at"](convert(parts), axis, joined, rows * columns)
    np.testing.assert_allclose(np.asarray(space["_parted"](total, axis, rows, columns)), expected, atol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(st.integers(1, 5), st.integers(0, 1), st.lists(st.integers(-1, 5), max_size=7), st.integers(0, 999))
def test_the_largest_at_places_agrees_with_loops(library, length, axis, ids, seed):
    convert = LIBRARIES[library][2]
    parts = np.random.default_rng(seed).normal(size=(*(2,) * axis, len(ids), 3))
    expected = np.full((*(2,) * axis, length, 3), -np.inf)
    for place, at in enumerate(ids):
        if 0 <= at < length:
            entry = (slice(None),) * axis + (at,)
            expected[entry] = np.maximum(expected[entry], parts[(slice(None),) * axis + (place,)])
    found = functions(library)["_largest_at"](convert(parts), axis, convert(np.array(ids, dtype=int)), length)
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=25)
@given(st.integers(1, 5), st.integers(0, 1), st.lists(st.integers(-1, 5), max_size=7), st.integers(0, 999))
def test_lookups_and_their_sums_agree_with_loops(library, length, axis, ids, seed):
    rng = np.random.default_rng(seed)
    convert = LIBRARIES[library][2]
    parts = rng.normal(size=(*(2,) * axis, len(ids), 3))
    expected = np.zeros((*(2,) * axis, length, 3))
    for place, at in enumerate(ids):
        if 0 <= at < length:
            expected[(slice(None),) * axis + (at,)] += parts[(slice(None),) * axis + (place,)]
    space = functions(library)
    found = space["_summed_at"](convert(parts), axis, convert(np.array(ids, dtype=int)), length)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)
    inside = np.clip(np.array(ids, dtype=int), 0, length - 1)
    read = space["_looked_up"](convert(expected), axis, convert(inside))
    np.testing.assert_array_equal(np.asarray(read), np.take(expected, inside, axis))
