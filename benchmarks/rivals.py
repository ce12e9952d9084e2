"""The other sides of the performance benchmark: the same work in PyTorch, in JAX, and in NumPy by hand.

Each function takes the work's arrays and gives a function without arguments that runs forward and
backward pass once and returns the output and the gradients, as NumPy arrays or as the library's own.
PyTorch and JAX are imported where they are used; a side whose library is missing is left out.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]
Run = Callable[[], Sequence[Any]]


def has(library: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(library) is not None


def torch_run(forward: Callable[..., Any], arrays: Arrays, upstream: np.ndarray | None, wanted: Sequence[int]) -> Run:
    """PyTorch's autograd on a function of tensors; `wanted` are the arguments to differentiate by."""
    import torch  # noqa: PLC0415

    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    for number in wanted:
        tensors[number].requires_grad_()
    given = None if upstream is None else torch.from_numpy(upstream.copy())

    def run() -> Sequence[Any]:
        output = forward(*tensors)
        return output.detach(), *torch.autograd.grad(output, [tensors[number] for number in wanted], given)

    return run


def jax_run(forward: Callable[..., Any], arrays: Arrays, upstream: np.ndarray, wanted: Sequence[int]) -> Run:
    """JAX's vector-Jacobian product of a function, compiled."""
    import jax  # noqa: PLC0415

    tensors = [jax.numpy.asarray(array) for array in arrays]

    @jax.jit
    def both(given: Any, *chosen: Any) -> Any:
        def of_chosen(*values: Any) -> Any:
            whole = list(tensors)
            for number, value in zip(wanted, values, strict=True):
                whole[number] = value
            return forward(*whole)

        output, pull = jax.vjp(of_chosen, *chosen)
        return output, *pull(given)

    given, chosen = jax.numpy.asarray(upstream), [tensors[number] for number in wanted]
    return lambda: jax.block_until_ready(both(given, *chosen))


def attention_by_hand(Q: np.ndarray, K: np.ndarray, V: np.ndarray, G: np.ndarray) -> Arrays:
    """Attention and its gradients as a careful person writes them, with operations in place."""
    scale = Q.shape[-1] ** -0.5
    A = Q @ K.swapaxes(-1, -2)
    A *= scale
    A -= A.max(axis=-1, keepdims=True)
    np.exp(A, out=A)
    A /= A.sum(axis=-1, keepdims=True)
    output = A @ V
    dV = A.swapaxes(-1, -2) @ G
    dS = G @ V.swapaxes(-1, -2)
    dS -= (G * output).sum(axis=-1, keepdims=True)
    dS *= A
    dS *= scale
    return output, dS @ K, dS.swapaxes(-1, -2) @ Q, dV


def torch_attention(Q: Any, K: Any, V: Any) -> Any:
    """Attention from products and a softmax: nothing fused."""
    import torch  # noqa: PLC0415

    return torch.softmax(Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1]), -1) @ V


def torch_fused_attention(Q: Any, K: Any, V: Any) -> Any:
    """PyTorch's own attention."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])[0]


def torch_causal_attention(Q: Any, K: Any, V: Any) -> Any:
    """PyTorch's own attention on what is not behind a query."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=True)[0]


def jax_attention(Q: Any, K: Any, V: Any) -> Any:
    """The same formulas in JAX."""
    import jax  # noqa: PLC0415

    return jax.nn.softmax(Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1]), axis=-1) @ V


def torch_layer_norm(X: Any, g: Any, b: Any) -> Any:
    """LayerNorm from means and roots."""
    import torch  # noqa: PLC0415

    centred = X - X.mean(-1, keepdim=True)
    return g * centred * torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) + b


def torch_fused_layer_norm(X: Any, g: Any, b: Any) -> Any:
    """PyTorch's own LayerNorm."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.layer_norm(X, (X.shape[-1],), g, b, 1e-5)


def jax_layer_norm(X: Any, g: Any, b: Any) -> Any:
    """LayerNorm from means and roots in JAX."""
    import jax  # noqa: PLC0415

    centred = X - X.mean(-1, keepdims=True)
    return g * centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) + b


def torch_rms_norm(X: Any, g: Any) -> Any:
    """RMSNorm from a mean and a root."""
    import torch  # noqa: PLC0415

    return g * X * torch.rsqrt((X * X).mean(-1, keepdim=True) + 1e-5)


def torch_fused_rms_norm(X: Any, g: Any) -> Any:
    """PyTorch's own RMSNorm."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.rms_norm(X, (X.shape[-1],), g, 1e-5)


def jax_rms_norm(X: Any, g: Any) -> Any:
    """RMSNorm from a mean and a root in JAX."""
    import jax  # noqa: PLC0415

    return g * X * jax.lax.rsqrt((X * X).mean(-1, keepdims=True) + 1e-5)


def torch_cross_entropy(z: Any, y: Any) -> Any:
    """PyTorch's own softmax cross-entropy, with class probabilities as targets."""
    import torch  # noqa: PLC0415

    return torch.nn.functional.cross_entropy(z, y, label_smoothing=0.1)


def torch_mlp(X: Any, W1: Any, b1: Any, W2: Any, b2: Any) -> Any:
    """Two linear layers with GELU between them."""
    import torch  # noqa: PLC0415

    functional = torch.nn.functional
    return functional.linear(functional.gelu(functional.linear(X, W1.t(), b1)), W2.t(), b2)


def torch_block(heads: int, keep: float) -> Callable[..., Any]:
    """The pre-norm attention block on the functions behind PyTorch's modules."""
    import torch  # noqa: PLC0415

    functional = torch.nn.functional

    def block(*arrays: Any) -> Any:
        X, gamma, beta, W_Q, W_K, W_V, W_O, b_O, M, R = arrays
        normal = functional.layer_norm(X, (X.shape[-1],), gamma, beta, 1e-5)
        batch, length, _ = X.shape
        Q, K, V = (
            functional.linear(normal, W.t()).view(batch, length, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V)
        )
        output = functional.scaled_dot_product_attention(Q, K, V, attn_mask=M)
        merged = output.transpose(1, 2).reshape(batch, length, -1)
        return functional.linear(merged, W_O.t(), b_O) * R / keep

    return block
