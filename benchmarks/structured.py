"""Convolutions, lookups, recurrences and systems beside PyTorch and JAX: pieces of work for `performance`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import rivals
from comparison import Work, flat, normal
from limits import products

from indexcalc.codegen import numpy_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive

CONVOLUTION = """
title "Convolution in two dimensions, padded"
index b : B
index c : C
index f : F
index n, i : N
index m, j : M
index k : K
index l : Q
input x[b,c,n,m], w[f,c,k,l]
y[b,f,i,j] = sum[c,k,l]([0 <= i+k-1 < N] * [0 <= j+l-1 < M] * x[b,c,i+k-1,j+l-1] * w[f,c,k,l])
upstream G[b,f,i,j] = dL/dy[b,f,i,j]
derive x, w
"""


def fast(name: str) -> ModuleType:
    """The fast module of a shipped derivation."""
    return loaded(fast_module(derive(load_problem(find_spec(name)))).source)


def for_reading(name: str) -> ModuleType:
    """The module for reading of a shipped derivation: it solves systems."""
    return loaded(numpy_module(derive(load_problem(find_spec(name)))))


def conv2d() -> Work:
    """32 images of 16 channels and 32 x 32, 32 filters of 3 x 3, padded by one."""
    x, w, G = normal((32, 16, 32, 32), (32, 16, 3, 3), (32, 32, 32, 32))
    module = loaded(fast_module(derive(read_problem(CONVOLUTION))).source)

    def with_torch(x: Any, w: Any) -> Any:
        import torch  # noqa: PLC0415

        return torch.nn.functional.conv2d(x, w, padding=1)

    def with_jax(x: Any, w: Any) -> Any:
        import jax  # noqa: PLC0415

        return jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))

    return Work(
        "conv2d, 32×16×32×32, 32 filters 3×3",
        lambda: flat(module.value_and_grad(x, w, G), ("dx", "dw")),
        {
            "PyTorch": (2.0, lambda: rivals.torch_run(with_torch, (x, w), G, (0, 1))),
            "JAX jit": (1.0, lambda: rivals.jax_run(with_jax, (x, w), G, (0, 1))),
        },
        {"PyTorch": "torch", "JAX jit": "jax"},
        limit=lambda: products((32, 1024, 144, 32), (32, 144, 1024, 32), (32, 1024, 288, 16)),
    )


def conv1d() -> Work:
    """64 signals of 32 channels and 1024 positions, 32 kernels of 9."""
    x, w, bias, G = normal((64, 32, 1024), (32, 32, 9), (32,), (64, 32, 1016))
    module = fast("conv1d")

    def with_torch(x: Any, w: Any, bias: Any) -> Any:
        import torch  # noqa: PLC0415

        return torch.nn.functional.conv1d(x, w, bias)

    return Work(
        "conv1d, 64×32×1024, 32 kernels of 9",
        lambda: flat(module.value_and_grad(x, w, bias, G), ("dx", "dw", "dbias")),
        {"PyTorch": (1.5, lambda: rivals.torch_run(with_torch, (x, w, bias), G, (0, 1, 2)))},
        {"PyTorch": "torch"},
        limit=lambda: products((64, 1016, 288, 32), (64, 288, 1016, 32), (64, 1024, 288, 32)),
    )


def embedding() -> Work:
    """4,096 rows of a table of 50,000 x 64, and its whole gradient."""
    E, G = normal((50_000, 64), (16, 256, 64))
    tok = np.random.default_rng(1).integers(0, 50_000, (16, 256))
    module = fast("embedding")

    def with_torch(E: Any, tok: Any) -> Any:
        import torch  # noqa: PLC0415

        return torch.nn.functional.embedding(tok, E)

    return Work(
        "embedding, 4096 of 50000×64",
        lambda: flat(module.value_and_grad(E, tok, G), ("dE",)),
        {"PyTorch": (1.0, lambda: rivals.torch_run(with_torch, (E, tok), G, (0,)))},
        {"PyTorch": "torch"},
    )


def lstm() -> Work:
    """64 steps of 32 sequences, 128 units, 128 inputs."""
    steps, batch, units, inputs = 65, 32, 128, 128
    x, h0, c0, G = normal((batch, steps, inputs), (batch, units), (batch, units), (batch, steps, units))
    gates = ("i", "f", "o", "g")
    shapes = {"W": (units, inputs), "U": (units, units), "b": (units,)}
    kinds = [(kind, gate) for gate in gates for kind in shapes]
    weights = [array / np.float32(8) for array in normal(*(shapes[kind] for kind, _ in kinds))]
    names = [f"{kind}_{gate}" for kind, gate in kinds]
    arrays = dict(zip(("x", "h0", "c0", *names), (x, h0, c0, *weights), strict=True))
    module = fast("lstm")
    wanted = tuple(arrays)

    def own() -> Sequence[Any]:
        return flat(module.value_and_grad(**arrays, G=G), tuple(f"d{name}" for name in wanted))

    def stacked(join: Callable[..., Any], given: Mapping[str, Any]) -> list[Any]:
        return [join([given[f"{kind}_{gate}"] for gate in gates]) for kind in "WUb"]

    def with_torch(*values: Any) -> Any:
        import torch  # noqa: PLC0415

        given = dict(zip(wanted, values, strict=True))
        W, U, b = stacked(torch.cat, given)
        h, c, states = given["h0"], given["c0"], [given["h0"]]
        before = torch.nn.functional.linear(given["x"], W, b)
        for t in range(1, steps):
            i, f, o, g = (before[:, t] + h @ U.t()).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return torch.stack(states, 1)

    def with_jax(*values: Any) -> Any:
        import jax  # noqa: PLC0415

        given = dict(zip(wanted, values, strict=True))
        W, U, b = stacked(jax.numpy.concatenate, given)
        before = (given["x"] @ W.T + b)[:, 1:].swapaxes(0, 1)

        def step(state: Any, part: Any) -> Any:
            h, c = state
            i, f, o, g = jax.numpy.split(part + h @ U.T, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
            h = jax.nn.sigmoid(o) * jax.numpy.tanh(c)
            return (h, c), h

        _, states = jax.lax.scan(step, (given["h0"], given["c0"]), before)
        return jax.numpy.concatenate([given["h0"][:, None], states.swapaxes(0, 1)], axis=1)

    numbers = range(len(wanted))
    return Work(
        "LSTM, 64 steps, 32×128, 128 units",
        own,
        {
            "PyTorch": (0.7, lambda: rivals.torch_run(with_torch, tuple(arrays.values()), G, numbers)),
            "JAX scan": (0.85, lambda: rivals.jax_run(with_jax, tuple(arrays.values()), G, numbers)),
        },
        {"PyTorch": "torch", "JAX scan": "jax"},
    )


def gaussian_process() -> Work:
    """512 observations in four dimensions, float64: the likelihood and its gradients."""
    rng = np.random.default_rng(0)
    X, y, scalars = rng.normal(size=(512, 4)), rng.normal(size=512), [np.array(v) for v in (1.3, 0.7, 0.1)]
    module = for_reading("gaussian_process")
    order = ("da", "ds", "dnoise", "dy")

    def own() -> Sequence[Any]:
        values = module.forward(X, y, *scalars)
        gradients = module.backward(values)
        return values.L, *(getattr(gradients, name) for name in order)

    def with_torch(X: Any, y: Any, a: Any, s: Any, noise: Any) -> Any:
        import torch  # noqa: PLC0415

        squares = (X * X).sum(1)
        distances = squares[:, None] + squares - 2 * X @ X.t()
        K = a * torch.exp(-s / 2 * distances) + noise * torch.eye(len(y), dtype=y.dtype)
        L = torch.linalg.cholesky(K)
        alpha = torch.cholesky_solve(y[:, None], L)[:, 0]
        return y @ alpha / 2 + torch.log(torch.diagonal(L)).sum() + len(y) / 2 * np.log(2 * np.pi)

    arrays = (X, y, *scalars)
    return Work(
        "Gaussian process, 512 points, float64",
        own,
        {"PyTorch": (0.8, lambda: rivals.torch_run(with_torch, arrays, None, (2, 3, 4, 1)))},
        {"PyTorch": "torch"},
    )


def transformer() -> Work:
    """Three blocks of width 48 with 3 heads: 64 sequences of 11 tokens out of a vocabulary of 3."""
    blocks, batch, length, width, heads, hidden, words = 3, 64, 11, 48, 3, 192, 3
    shapes = {
        "E": (words, width),
        "P": (length, width),
        "g_x": (blocks, width),
        **{f"W_{kind}": (blocks, width, width) for kind in "QKVO"},
        "g_u": (blocks, width),
        "W_1": (blocks, width, hidden),
        "W_2": (blocks, hidden, width),
        "g_e": (width,),
    }
    weights = dict(zip(shapes, normal(*shapes.values()), strict=True))
    weights = {name: np.float32(1) + w if name.startswith("g_") else w / np.float32(7) for name, w in weights.items()}
    rng = np.random.default_rng(1)
    tok, y = rng.integers(0, words, (batch, length)), rng.integers(0, words, (batch, length))
    module = fast("transformer")
    wanted = tuple(shapes)

    def own() -> Sequence[Any]:
        found = module.value_and_grad(tok=tok, y=y, **weights, **sizes_of(module, N_L=blocks, H=heads))
        return flat(found, tuple(f"d{name}" for name in wanted))

    def with_torch(*given: Any) -> Any:
        import recurrent_references  # noqa: PLC0415
        import torch  # noqa: PLC0415

        named = dict(zip(wanted, given, strict=True))
        return recurrent_references.transformer(
            torch.from_numpy(tok), torch.from_numpy(y), named.pop("E"), named.pop("P"), 1e-5, {"H": heads}, **named
        )

    return Work(
        "transformer, 3 blocks 48 wide",
        own,
        {"PyTorch": (1.2, lambda: rivals.torch_run(with_torch, tuple(weights.values()), None, range(len(wanted))))},
        {"PyTorch": "torch"},
    )


def sizes_of(module: ModuleType, **sizes: int) -> dict[str, int]:
    """Those of the sizes that a module asks for, for no shape gives them."""
    import inspect  # noqa: PLC0415

    return {name: size for name, size in sizes.items() if name in inspect.signature(module.value_and_grad).parameters}


WORKS: Mapping[str, Callable[[], Work]] = {
    "conv2d": conv2d,
    "conv1d": conv1d,
    "embedding": embedding,
    "lstm": lstm,
    "gaussian_process": gaussian_process,
    "transformer": transformer,
}
