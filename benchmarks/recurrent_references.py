"""The shipped recurrences as a user of PyTorch writes them: with its own layers over time, or else in a loop.

Each function is as those in `references`. Step 0 holds what is given before the first step, as in the derivations.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from references import Sizes, reference
from torch import Tensor


def tanh_states(x: Tensor, h0: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """The states of PyTorch's recurrent network, that before the first step included."""
    options = {"num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False, "batch_first": False}
    h, _ = torch.rnn_tanh(x[1:, None], h0[None, None], [U, W, b, torch.zeros_like(b)], has_biases=True, **options)
    return torch.cat((h0[None], h[:, 0]))


@reference
def rnn(h0: Tensor, x: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    return tanh_states(x, h0, W, U, b)


@reference
def bidirectional_rnn(
    x: Tensor,
    f0: Tensor,
    g0: Tensor,
    W_f: Tensor,
    U_f: Tensor,
    b_f: Tensor,
    W_g: Tensor,
    U_g: Tensor,
    b_g: Tensor,
    V_f: Tensor,
    V_g: Tensor,
    c: Tensor,
) -> Tensor:
    right = tanh_states(x, f0, W_f, U_f, b_f)
    left = tanh_states(x.flip(0), g0, W_g, U_g, b_g).flip(0)
    return F.linear(right, V_f, c) + F.linear(left, V_g)


@reference
def lstm(x: Tensor, h0: Tensor, c0: Tensor, **weights: Tensor) -> Tensor:
    W, U, b = (torch.cat([weights[f"{kind}_{gate}"] for gate in "ifgo"]) for kind in "WUb")
    options = {"num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False, "batch_first": True}
    states = (h0[None], c0[None])
    h, _, _ = torch.lstm(x[:, 1:], states, [W, U, b, torch.zeros_like(b)], has_biases=True, **options)
    return torch.cat((h0[:, None], h), dim=1)


@reference
def gru(x: Tensor, h0: Tensor, **weights: Tensor) -> Tensor:
    # The reset gate multiplies the hidden state itself, as in the paper; PyTorch's own layer multiplies its product.
    def before(gate: str, step: Tensor, hidden: Tensor) -> Tensor:
        return F.linear(step, weights[f"W_{gate}"], weights[f"b_{gate}"]) + F.linear(hidden, weights[f"U_{gate}"])

    states = [h0]
    for step in x.unbind(1)[1:]:
        h = states[-1]
        r, z = torch.sigmoid(before("r", step, h)), torch.sigmoid(before("z", step, h))
        states.append((1 - z) * torch.tanh(before("c", step, r * h)) + z * h)
    return torch.stack(states, dim=1)


@reference
def state_space(A: Tensor, B: Tensor, C: Tensor, h0: Tensor, x: Tensor) -> Tensor:
    states = [h0]
    for step in x[1:]:
        states.append(A @ states[-1] + B @ step)
    return torch.stack(states) @ C.T


@reference
def euler_ode(y0: Tensor, W: Tensor, c: Tensor, V: Tensor, dt: float, sizes: Sizes) -> Tensor:
    states = [y0]
    for _ in range(1, sizes["T"]):
        states.append(states[-1] + dt * V @ torch.tanh(W @ states[-1] + c))
    return torch.stack(states)


@reference
def linear_attention_recurrent(q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    S, z = torch.cumsum(K[:, :, None] * V[:, None], dim=0), torch.cumsum(K, dim=0)
    return torch.einsum("tk,tkp->tp", q, S) / (q * z).sum(dim=1, keepdim=True)


@reference
def discounted_returns(r: Tensor, gamma: float) -> Tensor:
    return discounted(r, gamma)


@reference
def gae(r: Tensor, v: Tensor, u: Tensor, gamma: float, lam: float) -> Tensor:
    after = torch.cat((v[:, 1:], u[:, None]), dim=1)
    return discounted(r + gamma * after - v, gamma * lam)


def discounted(rewards: Tensor, factor: float) -> Tensor:
    """What comes from each step on, less by a factor with each."""
    total, returns = torch.zeros_like(rewards[:, 0]), []
    for reward in reversed(rewards.unbind(1)):
        total = reward + factor * total
        returns.append(total)
    return torch.stack(returns[::-1], dim=1)


def forward_scores(first: Tensor, A: Tensor, scores: Tensor) -> Tensor:
    """The logarithm of the sum over all ways through the states, by the forward algorithm."""
    a = first
    for score in scores:
        a = torch.logsumexp(a[:, None] + A, dim=0) + score
    return torch.logsumexp(a, dim=0)


@reference
def hmm_forward(p0: Tensor, A: Tensor, b: Tensor) -> Tensor:
    return forward_scores(p0 + b[0], A, b[1:])


@reference
def crf(u: Tensor, A: Tensor, y: Tensor) -> Tensor:
    labels = y.long()
    own = u.gather(1, labels[:, None]).sum() + A[labels[:-1], labels[1:]].sum()
    return forward_scores(u[0], A, u[1:]) - own


@reference
def transformer(tok: Tensor, y: Tensor, E: Tensor, P: Tensor, eps: float, sizes: Sizes, **weights: Tensor) -> Tensor:
    def heads(x: Tensor) -> Tensor:
        return x.unflatten(2, (sizes["H"], -1)).transpose(1, 2)

    names = ("g_x", "W_Q", "W_K", "W_V", "W_O", "g_u", "W_1", "W_2")
    x = F.embedding(tok.long(), E) + P
    for g_x, W_Q, W_K, W_V, W_O, g_u, W_1, W_2 in zip(*(weights[name] for name in names), strict=True):
        X = F.layer_norm(x, x.shape[2:], g_x, eps=eps)
        read = F.scaled_dot_product_attention(heads(X @ W_Q), heads(X @ W_K), heads(X @ W_V), is_causal=True)
        x = x + read.transpose(1, 2).flatten(2) @ W_O
        x = x + F.gelu(F.layer_norm(x, x.shape[2:], g_u, eps=eps) @ W_1) @ W_2
    logits = F.layer_norm(x, x.shape[2:], weights["g_e"], eps=eps) @ E.T
    return F.cross_entropy(logits.flatten(0, 1), y.long().flatten())


@reference
def sinkhorn(C: Tensor, a: Tensor, b: Tensor, g0: Tensor, eps: float, sizes: Sizes) -> Tensor:
    g = g0
    for _ in range(sizes["T"]):
        f = eps * (torch.log(a) - torch.logsumexp((g - C) / eps, dim=1))
        g = eps * (torch.log(b) - torch.logsumexp((f[:, None] - C) / eps, dim=0))
    return (torch.exp((f[:, None] + g - C) / eps) * C).sum()


@reference
def kalman_filter(y: Tensor, C: Tensor, r: Tensor, A: Tensor, Q: Tensor, m0: Tensor, P0: Tensor) -> Tensor:
    m, P, total = m0, P0, y.new_zeros(())
    for step in range(len(y)):
        if step:
            m, P = A[step] @ m, A[step] @ P @ A[step].T + Q[step]
        c, e = P @ C[step], y[step] - C[step] @ m
        s = C[step] @ c + r[step]
        total = total + (e**2 / s + torch.log(s) + math.log(2 * math.pi)) / 2
        m, P = m + c / s * e, P - torch.outer(c / s, c)
    return total
