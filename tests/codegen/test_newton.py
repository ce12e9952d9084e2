"""The private function that finds roots, in all libraries: no root is found where there is no residual."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from indexcalc.codegen.newton import JAX_ROOT, NUMPY_ROOT, TORCH_ROOT


def root_in(library: str) -> SimpleNamespace:
    """The function, and what makes arrays for it."""
    space: dict[str, Any] = {"np": np, "Callable": Callable}
    if library != "numpy":
        pytest.importorskip(library)
        whole = import_module(library)
        space |= {library: whole, "jnp": import_module("jax.numpy")} if library == "jax" else {library: whole}
    rows = {"numpy": NUMPY_ROOT, "torch": TORCH_ROOT, "jax": JAX_ROOT}[library]
    for row in rows.values():
        exec(row.source, space)
    array = {"numpy": "np.asarray", "torch": "torch.tensor", "jax": "jnp.asarray"}[library]
    return SimpleNamespace(root=space["_root"], array=eval(array, space))


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_a_root_is_found(library):
    found = root_in(library)
    start = found.array(np.array([1.0, 3.0], np.float32))
    assert np.allclose(np.asarray(found.root(lambda x: (x * x - 2.0, (x * x - 2.0) / (2.0 * x)), start)), 2**0.5)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("residual", [np.inf, np.nan])
def test_where_there_is_no_residual_no_root_is_found(library, residual):
    """However small the step is: nothing says that it leads anywhere."""
    found = root_in(library)
    start = found.array(np.array([1.0, 3.0], np.float32))

    def newton(x):
        return x * 0.0 + residual, x * 0.0

    if library == "jax":
        assert np.all(np.isnan(np.asarray(found.root(newton, start))))
    else:
        with pytest.raises(ValueError, match="finds no root"):
            found.root(newton, start)
