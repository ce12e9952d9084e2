"""The steps as a user of PyTorch writes them: forward passes with its own functions, differentiated by autograd.

Each function has the name of a spec. It takes the inputs by name, and parameters and extents as numbers, and returns
the loss, or what the spec computes where it has no loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from indexcalc.problem import Kind, Problem, Result

from .calling import named, wanted_by

Forward = Callable[..., Any]
FORWARD: dict[str, Forward] = {}


def forward(function: Forward) -> Forward:
    """Enter a function under its own name."""
    FORWARD[function.__name__] = function
    return function


def residual(h: Tensor, W: Tensor, b: Tensor) -> Tensor:
    """A residual block."""
    return h + torch.tanh(h @ W + b)


@forward
def mlp_step(x: Tensor, t: Tensor, W: Tensor, **blocks: Any) -> Tensor:
    for number in range(1, 7):
        x = residual(x, blocks[f"l{number}_W"], blocks[f"l{number}_b"])
    return F.mse_loss(x @ W, t)


@forward
def diffusion_step(
    x0: Tensor, eps: Tensor, t: Tensor, abar: Tensor, E: Tensor, W: Tensor, b: Tensor, **blocks: Any
) -> Tensor:
    left = abar[t][:, None]
    h = left.sqrt() * x0 + (1 - left).sqrt() * eps + F.embedding(t, E)
    for number in range(1, 4):
        h = residual(h, blocks[f"l{number}_W"], blocks[f"l{number}_b"])
    return F.mse_loss(h @ W + b, eps)


@forward
def conv_step(
    x: Tensor, y: Tensor, W_1: Tensor, b_1: Tensor, W_2: Tensor, b_2: Tensor, W: Tensor, b_3: Tensor
) -> Tensor:
    h = F.relu(F.conv2d(x[:, None], W_1[:, None], b_1))
    a = F.relu(F.conv2d(F.avg_pool2d(h, 2), W_2, b_2))
    return F.cross_entropy(a.mean((2, 3)) @ W + b_3, y)


@forward
def embed_step(U: Tensor, V: Tensor, i: Tensor, j: Tensor, y: Tensor) -> Tensor:
    return F.softplus(-y * (F.embedding(i, U) * F.embedding(j, V)).sum(1)).mean()


@forward
def rnn_step(x: Tensor, y: Tensor, W_x: Tensor, W_h: Tensor, b_h: Tensor, V: Tensor, c: Tensor) -> Tensor:
    h = x.new_zeros(x.shape[0], W_h.shape[0])
    for inputs in x.unbind(1):
        h = torch.tanh(inputs @ W_x + h @ W_h + b_h)
    return F.mse_loss(h @ V + c, y)


def transformer_block(x: Tensor, heads: int, eps: float, own: Mapping[str, Tensor]) -> Tensor:
    """A causal pre-norm block on the parameters of one block."""
    width = x.shape[-1:]

    def split(array: Tensor) -> Tensor:
        return array.unflatten(2, (heads, -1)).transpose(1, 2)

    normal = F.layer_norm(x, width, own["g1"], own["c1"], eps)
    parts = [split(normal @ own[f"W_{name}"] + own[f"b_{name}"]) for name in "QKV"]
    attended = F.scaled_dot_product_attention(*parts, is_causal=True).transpose(1, 2).flatten(2)
    x = x + attended @ own["W_O"] + own["b_O"]
    normal = F.layer_norm(x, width, own["g2"], own["c2"], eps)
    hidden = F.gelu(normal @ own["W_1"] + own["b_1"], approximate="tanh")
    return x + hidden @ own["W_2"] + own["b_2"]


@forward
def gpt_step(
    tok: Tensor, y: Tensor, E: Tensor, P: Tensor, g: Tensor, c: Tensor, W: Tensor, H: int, eps: float, **blocks: Any
) -> Tensor:
    x = F.embedding(tok, E) + P
    for number in range(1, 4):
        own = {name[3:]: value for name, value in blocks.items() if name.startswith(f"l{number}_")}
        x = transformer_block(x, H, eps, own)
    logits = F.layer_norm(x, x.shape[-1:], g, c, eps) @ W
    ignored = torch.full_like(y[:, :5], -100)
    return F.cross_entropy(logits.flatten(0, 1), torch.cat([ignored, y[:, 5:]], 1).flatten())


@forward
def vae_sampled(x: Tensor, eps: Tensor, A: Tensor, r: Tensor, W: Tensor, b: Tensor, sigma: float) -> Tensor:
    posterior = torch.distributions.Normal((x - b) @ A, torch.exp(r / 2))
    z = posterior.loc + posterior.scale * eps
    likelihood = torch.distributions.Normal(z @ W + b, sigma).log_prob(x).sum(1)
    prior = torch.distributions.Normal(torch.zeros_like(r), torch.ones_like(r))
    divergence = torch.distributions.kl_divergence(posterior, prior).sum(1)
    return (divergence - likelihood).mean()


@forward
def vae_expected(x: Tensor, A: Tensor, r: Tensor, W: Tensor, b: Tensor, sigma: float) -> Tensor:
    mean = (x - b) @ A
    spread = torch.trace(W.T @ torch.diag(r.exp()) @ W)
    missed = ((x - b - mean @ W) ** 2).sum(1).mean() + spread
    likelihood = -missed / (2 * sigma**2) - x.shape[1] / 2 * math.log(2 * math.pi * sigma**2)
    divergence = ((mean**2).sum(1).mean() + (r.exp() - r - 1).sum()) / 2
    return divergence - likelihood


@forward
def gp_step(x: Tensor, y: Tensor, a: Tensor, l: Tensor, s: Tensor) -> Tensor:  # noqa: E741
    distances = (x[:, None] - x[None, :]) ** 2
    K = torch.exp(a) * torch.exp(-distances / (2 * torch.exp(l) ** 2)) + torch.exp(s) * torch.eye(len(x), dtype=x.dtype)
    root = torch.linalg.cholesky(K)
    fit = y @ torch.cholesky_solve(y[:, None], root)[:, 0]
    return (fit + 2 * root.diagonal().log().sum()) / (2 * len(x))


@forward
def hessian_step(A: Tensor, x: Tensor) -> Tensor:
    return x @ A @ x


@forward
def newton_step(X: Tensor, y: Tensor, w: Tensor, lam: float) -> Tensor:
    return F.binary_cross_entropy_with_logits(X @ w, y) + lam / 2 * (w**2).sum()


@forward
def logsumexp(x: Tensor) -> Tensor:
    return torch.logsumexp(x, 0)


@forward
def tanh_network(x: Tensor, W1: Tensor, W2: Tensor) -> Tensor:
    return (torch.tanh(x @ W1) @ W2).sum()


@forward
def cross_entropy_product(z: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(z, y)


@forward
def shampoo(G: Tensor) -> tuple[Tensor, ...]:
    unfoldings = [G.movedim(axis, 0).flatten(1) for axis in range(3)]
    return tuple(matrix @ matrix.T for matrix in unfoldings)


@forward
def kfac(a: Tensor, W: Tensor, y: Tensor, damping: float) -> Tensor:
    scores = (a @ W).detach().requires_grad_()
    (errors,) = torch.autograd.grad(F.cross_entropy(scores, y, reduction="sum"), scores)
    count = len(a)

    def damped(rows: Tensor) -> Tensor:
        return rows.T @ rows / count + damping * torch.eye(rows.shape[1], dtype=rows.dtype)

    half = torch.linalg.solve(damped(a), a.T @ errors / count)
    return torch.linalg.solve(damped(errors), half.T).T


def passes(
    problem: Problem, options: Mapping[str, Any], *, compiled: bool = False
) -> Callable[[Mapping[str, Tensor]], dict[str, Tensor]]:
    """What computes the loss, the gradients of inputs and the second derivatives that a problem asks for.

    Args:
        problem: what is asked for; results have its names.
        options: parameters and extents.
        compiled: whether `torch.compile` is given the loss and what computes second derivatives.
    """
    function = FORWARD[problem.slug]
    wrapped: Callable[[Any], Any] = torch.compile if compiled else lambda plain: plain

    def value(tensors: Mapping[str, Tensor]) -> Any:
        return function(**wanted_by(function, {**tensors, **options}, Tensor))

    def second(asked: Result) -> Callable[[Mapping[str, Tensor]], Tensor]:
        (name,) = asked.by

        def of(tensors: Mapping[str, Tensor]) -> Any:
            def of_one(point: Tensor) -> Any:
                return value({**tensors, name: point})

            if asked.along:
                return torch.func.jvp(torch.func.grad(of_one), (tensors[name],), (tensors[asked.along[0].name],))[1]
            return torch.func.hessian(of_one)(tensors[name])

        assert asked.kind is Kind.HESSIAN
        return wrapped(of)

    whole, seconds = wrapped(value), {asked.name: second(asked) for asked in problem.results}
    inputs = {tensor.name for tensor in problem.program.inputs}

    def run(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        if problem.loss is None:
            return named(problem, whole(tensors))
        chosen = {name: tensors[name].detach().requires_grad_() for name in problem.targets if name in inputs}
        loss = whole({**tensors, **chosen})
        result = {problem.loss: loss.detach()}
        if chosen:
            gradients = torch.autograd.grad(loss, list(chosen.values()))
            result |= {problem.gradient_names[name]: one for name, one in zip(chosen, gradients, strict=True)}
        return result | {name: compute(tensors) for name, compute in seconds.items()}

    return run
