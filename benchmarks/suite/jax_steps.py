"""The steps as a user of JAX writes them: forward passes, differentiated by `jax.grad` and `jax.hessian`.

Each function has the name of a spec. It takes the inputs by name, and parameters and extents as numbers, and returns
the loss, or what the spec computes where it has no loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax, nn

from indexcalc.problem import Problem, Result

from .calling import named, wanted_by

Forward = Callable[..., Any]
FORWARD: dict[str, Forward] = {}


def forward(function: Forward) -> Forward:
    """Enter a function under its own name."""
    FORWARD[function.__name__] = function
    return function


def residual(h: Array, W: Array, b: Array) -> Array:
    """A residual block."""
    return h + jnp.tanh(h @ W + b)


def cross_entropy(logits: Array, labels: Array) -> Array:
    """The mean over all rows."""
    chosen = jnp.take_along_axis(nn.log_softmax(logits), labels[..., None], axis=-1)
    return -chosen.mean()


@forward
def mlp_step(x: Array, t: Array, W: Array, **blocks: Any) -> Array:
    for number in range(1, 7):
        x = residual(x, blocks[f"l{number}_W"], blocks[f"l{number}_b"])
    return ((x @ W - t) ** 2).mean()


@forward
def diffusion_step(x0: Array, eps: Array, t: Array, abar: Array, E: Array, W: Array, b: Array, **blocks: Any) -> Array:
    left = abar[t][:, None]
    h = jnp.sqrt(left) * x0 + jnp.sqrt(1 - left) * eps + E[t]
    for number in range(1, 4):
        h = residual(h, blocks[f"l{number}_W"], blocks[f"l{number}_b"])
    return ((h @ W + b - eps) ** 2).mean()


@forward
def conv_step(x: Array, y: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array, W: Array, b_3: Array) -> Array:
    h = nn.relu(lax.conv(x[:, None], W_1[:, None], (1, 1), "VALID") + b_1[:, None, None])
    pooled = lax.reduce_window(h, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4
    a = nn.relu(lax.conv(pooled, W_2, (1, 1), "VALID") + b_2[:, None, None])
    return cross_entropy(a.mean((2, 3)) @ W + b_3, y)


@forward
def embed_step(U: Array, V: Array, i: Array, j: Array, y: Array) -> Array:
    return nn.softplus(-y * (U[i] * V[j]).sum(1)).mean()


@forward
def rnn_step(x: Array, y: Array, W_x: Array, W_h: Array, b_h: Array, V: Array, c: Array) -> Array:
    def cell(h: Array, inputs: Array) -> tuple[Array, None]:
        return jnp.tanh(inputs @ W_x + h @ W_h + b_h), None

    start = jnp.zeros((x.shape[0], W_h.shape[0]), x.dtype)
    h, _ = lax.scan(cell, start, x.swapaxes(0, 1))
    return ((h @ V + c - y) ** 2).mean()


def layer_norm(x: Array, gain: Array, shift: Array, eps: float) -> Array:
    """Over the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + eps) * gain + shift


def transformer_block(x: Array, heads: int, eps: float, own: Mapping[str, Array]) -> Array:
    """A causal pre-norm block on the parameters of one block."""
    normal = layer_norm(x, own["g1"], own["c1"], eps)
    parts = [normal @ own[f"W_{name}"] + own[f"b_{name}"] for name in "QKV"]
    Q, K, V = (part.reshape(*part.shape[:-1], heads, -1) for part in parts)
    scores = jnp.einsum("bthk,bshk->bhts", Q, K) / math.sqrt(Q.shape[-1])
    weights = nn.softmax(jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -jnp.inf))
    attended = jnp.einsum("bhts,bshk->bthk", weights, V).reshape(parts[0].shape)
    x = x + attended @ own["W_O"] + own["b_O"]
    normal = layer_norm(x, own["g2"], own["c2"], eps)
    return x + nn.gelu(normal @ own["W_1"] + own["b_1"], approximate=True) @ own["W_2"] + own["b_2"]


@forward
def gpt_step(
    tok: Array, y: Array, E: Array, P: Array, g: Array, c: Array, W: Array, H: int, eps: float, **blocks: Any
) -> Array:
    x = E[tok] + P
    for number in range(1, 4):
        own = {name[3:]: value for name, value in blocks.items() if name.startswith(f"l{number}_")}
        x = transformer_block(x, H, eps, own)
    return cross_entropy((layer_norm(x, g, c, eps) @ W)[:, 5:], y[:, 5:])


def divergence(mu: Array, r: Array) -> Array:
    """From the prior, summed over the code and averaged over the data."""
    return ((mu**2).sum(1).mean() + (jnp.exp(r) - r - 1).sum()) / 2


@forward
def vae_sampled(x: Array, eps: Array, A: Array, r: Array, W: Array, b: Array, sigma: float) -> Array:
    mu = (x - b) @ A
    missed = x - b - (mu + jnp.exp(r / 2) * eps) @ W
    likelihood = jax.scipy.stats.norm.logpdf(missed, scale=sigma).sum(1).mean()
    return divergence(mu, r) - likelihood


@forward
def vae_expected(x: Array, A: Array, r: Array, W: Array, b: Array, sigma: float) -> Array:
    mu = (x - b) @ A
    missed = ((x - b - mu @ W) ** 2).sum(1).mean() + jnp.exp(r) @ (W**2).sum(1)
    constant = x.shape[1] / 2 * math.log(2 * math.pi * sigma**2)
    return missed / (2 * sigma**2) + constant + divergence(mu, r)


@forward
def gp_step(x: Array, y: Array, a: Array, l: Array, s: Array) -> Array:  # noqa: E741
    distances = (x[:, None] - x[None, :]) ** 2
    K = jnp.exp(a - distances / (2 * jnp.exp(2 * l))) + jnp.exp(s) * jnp.eye(len(x), dtype=x.dtype)
    root = jax.scipy.linalg.cho_factor(K)
    return (y @ jax.scipy.linalg.cho_solve(root, y) + 2 * jnp.log(jnp.diagonal(root[0])).sum()) / (2 * len(x))


@forward
def hessian_step(A: Array, x: Array) -> Array:
    return x @ A @ x


@forward
def newton_step(X: Array, y: Array, w: Array, lam: float) -> Array:
    z = X @ w
    return (nn.softplus(z) - y * z).mean() + lam / 2 * (w**2).sum()


@forward
def logsumexp(x: Array) -> Array:
    return nn.logsumexp(x)


@forward
def tanh_network(x: Array, W1: Array, W2: Array) -> Array:
    return (jnp.tanh(x @ W1) @ W2).sum()


@forward
def cross_entropy_product(z: Array, y: Array) -> Array:
    return -(y * nn.log_softmax(z)).sum(1).mean()


@forward
def shampoo(G: Array) -> tuple[Array, ...]:
    unfoldings = [jnp.moveaxis(G, axis, 0).reshape(G.shape[axis], -1) for axis in range(3)]
    return tuple(matrix @ matrix.T for matrix in unfoldings)


@forward
def kfac(a: Array, W: Array, y: Array, damping: float) -> Array:
    count = len(a)
    errors = jax.grad(lambda scores: cross_entropy(scores, y) * count)(a @ W)

    def damped(rows: Array) -> Array:
        return rows.T @ rows / count + damping * jnp.eye(rows.shape[1], dtype=rows.dtype)

    half = jnp.linalg.solve(damped(a), a.T @ errors / count)
    return jnp.linalg.solve(damped(errors), half.T).T


def passes(problem: Problem, options: Mapping[str, Any]) -> Callable[[Mapping[str, Array]], dict[str, Array]]:
    """What computes the loss, the gradients of inputs and the second derivatives that a problem asks for, compiled.

    Args:
        problem: what is asked for; results have its names.
        options: parameters and extents.
    """
    function = FORWARD[problem.slug]

    def value(arrays: Mapping[str, Array]) -> Any:
        return function(**wanted_by(function, {**arrays, **options}, Array))

    def run(arrays: Mapping[str, Array]) -> dict[str, Array]:
        if problem.loss is None:
            return named(problem, value(arrays))
        chosen = {name: arrays[name] for name in problem.targets if name in arrays}
        loss, gradients = jax.value_and_grad(lambda some: value({**arrays, **some}))(chosen)
        result = {problem.loss: loss, **{problem.gradient_names[name]: one for name, one in gradients.items()}}
        return result | {asked.name: second(asked, arrays) for asked in problem.results}

    def second(asked: Result, arrays: Mapping[str, Array]) -> Array:
        (name,) = asked.by

        def of_one(point: Array) -> Any:
            return value({**arrays, name: point})

        if asked.along:
            found: Array = jax.jvp(jax.grad(of_one), (arrays[name],), (arrays[asked.along[0].name],))[1]
            return found
        return jax.hessian(of_one)(arrays[name])

    compiled = jax.jit(run)
    return lambda arrays: jax.block_until_ready(compiled(arrays))
