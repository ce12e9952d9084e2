"""The shipped derivations as a user of PyTorch writes them: with its own functions, differentiated by autograd.

Each function has the name of a derivation. It takes the inputs as they are stored, by name, and returns what
the derivation upstreams or its loss, one tensor or a tuple. `sizes` holds extents that shapes do not show, and
parameters come by name. Where PyTorch has a function for the whole, that is used; else its functional parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

Sizes = Mapping[str, int]
Reference = Callable[..., Any]
REFERENCES: dict[str, Reference] = {}


def reference(function: Reference) -> Reference:
    """Enter a function under its own name."""
    REFERENCES[function.__name__] = function
    return function


def attend(Q: Tensor, K: Tensor, V: Tensor, **options: Any) -> Tensor:
    """Scaled dot-product attention; PyTorch wants an axis of heads."""
    while Q.ndim < 4:
        Q, K, V = Q[None], K[None], V[None]
    return F.scaled_dot_product_attention(Q, K, V, **options)


@reference
def attention(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    return attend(Q, K, V)[0, 0]


@reference
def flash_attention(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    return attend(Q, K, V)[0, 0]


@reference
def causal_attention(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    return attend(Q, K, V, is_causal=True)[0, 0]


@reference
def attention_projected(X: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> Tensor:
    return attend(X @ W_Q, X @ W_K, X @ W_V)[0, 0]


@reference
def cross_attention(X_Q: Tensor, X_KV: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> Tensor:
    return attend(X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V)[0, 0]


@reference
def mixed_attention(X: Tensor, Y: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> Tensor:
    return attend(X @ W_Q, X @ W_K, Y @ W_V)[0, 0]


@reference
def softcap_attention(Q: Tensor, K: Tensor, V: Tensor, c: float) -> Tensor:
    scores = c * torch.tanh(Q @ K.T / math.sqrt(Q.shape[1]) / c)
    return F.softmax(scores, dim=1) @ V


@reference
def qk_norm_attention(Q: Tensor, K: Tensor, V: Tensor, g: Tensor) -> Tensor:
    scores = g * (F.normalize(Q, dim=1) @ F.normalize(K, dim=1).T)
    return F.softmax(scores, dim=1) @ V


@reference
def alibi_attention(Q: Tensor, K: Tensor, V: Tensor, m: Tensor, D: Tensor) -> Tensor:
    seen = torch.ones_like(D, dtype=torch.bool).tril()
    bias = (-m[:, None, None] * D).masked_fill(~seen, -math.inf)
    return attend(Q, K, V, attn_mask=bias[None])[0]


@reference
def grouped_query_attention(Q: Tensor, K: Tensor, V: Tensor, sizes: Sizes) -> Tensor:
    k = sizes["D_h"]
    Q, K, V = (x.unflatten(2, (-1, k)).transpose(1, 2) for x in (Q, K, V))
    return F.scaled_dot_product_attention(Q, K, V, enable_gqa=True).transpose(1, 2).flatten(2)


def heads(x: Tensor, k: int) -> Tensor:
    """``[b, s, (h, k)]`` as ``[b, h, s, k]``."""
    return x.unflatten(2, (-1, k)).transpose(1, 2)


@reference
def multi_head_attention(X: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor, sizes: Sizes) -> Tensor:
    parts = [heads(X @ W, sizes["D_h"]) for W in (W_Q, W_K, W_V)]
    return F.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2) @ W_O


@reference
def mha_block(
    X: Tensor,
    gamma: Tensor,
    beta: Tensor,
    W_Q: Tensor,
    W_K: Tensor,
    W_V: Tensor,
    W_O: Tensor,
    b_O: Tensor,
    M: Tensor,
    R: Tensor,
    keep: float,
    eps: float,
    sizes: Sizes,
) -> Tensor:
    normed = F.layer_norm(X, X.shape[-1:], gamma, beta, eps)
    parts = [heads(normed @ W, sizes["D_h"]) for W in (W_Q, W_K, W_V)]
    out = F.scaled_dot_product_attention(*parts, attn_mask=M).transpose(1, 2).flatten(2)
    return R * (out @ W_O + b_O) / keep


@reference
def linear_attention(Q: Tensor, K: Tensor, V: Tensor, G: Tensor) -> Tensor:
    return G * (Q @ (K.T @ V))


@reference
def softmax(z: Tensor) -> Tensor:
    return F.softmax(z, dim=1)


@reference
def softmax_cross_entropy(z: Tensor, y: Tensor, a: float) -> Tensor:
    return F.cross_entropy(z, y, label_smoothing=a)


@reference
def info_nce(Q: Tensor, K: Tensor, tau: float) -> Tensor:
    return F.cross_entropy(Q @ K.T / tau, torch.arange(len(Q)))


@reference
def clip(X: Tensor, Y: Tensor, s: Tensor) -> Tensor:
    S, right = s * (X @ Y.T), torch.arange(len(X))
    return (F.cross_entropy(S, right) + F.cross_entropy(S.T, right)) / 2


@reference
def distillation(z: Tensor, t: Tensor, tau: float) -> Tensor:
    student, teacher = F.log_softmax(z / tau, dim=1), F.log_softmax(t / tau, dim=1)
    return tau**2 * F.kl_div(student, teacher, reduction="batchmean", log_target=True)


@reference
def focal_loss(x: Tensor, y: Tensor, gamma: float) -> Tensor:
    return -(torch.sigmoid(-y * x) ** gamma * F.logsigmoid(y * x)).mean()


@reference
def logistic_regression(X: Tensor, y: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(X @ w + b, y)


@reference
def poisson_regression(X: Tensor, y: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.poisson_nll_loss(X @ w + b, y)


@reference
def cox_partial_likelihood(X: Tensor, w: Tensor, s: Tensor, R: Tensor) -> Tensor:
    eta = X @ w
    weights, largest = masked_exponentials(eta.expand(len(R), -1), R)
    return -(s * (torch.log(R.diagonal()) + eta - largest[:, 0] - torch.log(weights.sum(dim=1)))).sum()


@reference
def gaussian_nll(y: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    return F.gaussian_nll_loss(mu, y, sigma**2, full=True, eps=0.0)


@reference
def gaussian_mixture(x: Tensor, a: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
    normal = torch.distributions.Normal(mu, sigma, validate_args=False)
    joint = F.log_softmax(a, dim=0) + normal.log_prob(x[:, None]).sum(dim=2)
    return -torch.logsumexp(joint, dim=1).mean()


@reference
def vae_kl(mu: Tensor, lv: Tensor) -> Tensor:
    return -(1 + lv - mu**2 - torch.exp(lv)).sum() / (2 * len(mu))


@reference
def dpo(lw: Tensor, ll: Tensor, rw: Tensor, rl: Tensor, beta: float) -> Tensor:
    return -F.logsigmoid(beta * ((lw - rw) - (ll - rl))).mean()


@reference
def word2vec_negative_sampling(v: Tensor, u: Tensor, w: Tensor) -> Tensor:
    near, far = (u * v).sum(dim=1), torch.einsum("bkm,bm->bk", w, v)
    return -(F.logsigmoid(near).sum() + F.logsigmoid(-far).sum()) / len(v)


@reference
def two_token_model(X: Tensor, WQ: Tensor, WK: Tensor, WV: Tensor, WO: Tensor, e: Tensor, y: Tensor) -> Tensor:
    context = e @ attend(X @ WQ, X @ WK, X @ WV)[0, 0]
    return F.cross_entropy((context @ WO)[None], y[None])


@reference
def moe_gate(X: Tensor, W: Tensor, F: Tensor) -> Tensor:
    return torch.einsum("ne,neo->no", torch.softmax(X @ W, dim=1), F)


def masked_exponentials(scores: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """``mask * exp(scores - largest)`` by rows, and the largest score of each row that the mask shows."""
    shown = scores.masked_fill(mask == 0, -math.inf)
    largest = shown.amax(dim=1, keepdim=True).detach()
    return mask * torch.exp(shown - largest), largest


@reference
def gat(X: Tensor, A: Tensor, W: Tensor, a: Tensor, b: Tensor, slope: float) -> Tensor:
    H = X @ W
    scores = F.leaky_relu((H @ a)[:, None] + (H @ b)[None], slope)
    weights, _ = masked_exponentials(scores, A)
    return weights / weights.sum(dim=1, keepdim=True) @ H


@reference
def gcn(A: Tensor, X: Tensor, W: Tensor) -> Tensor:
    root = torch.rsqrt(1 + A.sum(dim=1))
    return F.relu(root[:, None] * (A + torch.eye(len(A), dtype=A.dtype)) * root @ X @ W)


@reference
def layer_norm(X: Tensor, g: Tensor, b: Tensor, eps: float) -> Tensor:
    return F.layer_norm(X, X.shape[1:], g, b, eps)


@reference
def rms_norm(X: Tensor, g: Tensor, eps: float) -> Tensor:
    return F.rms_norm(X, X.shape[1:], g, eps)


@reference
def batch_norm(X: Tensor, g: Tensor, b: Tensor, eps: float) -> Tensor:
    return F.batch_norm(X, None, None, g, b, training=True, eps=eps)


@reference
def group_norm(X: Tensor, w: Tensor, b: Tensor, eps: float, sizes: Sizes) -> Tensor:
    return F.group_norm(X, sizes["N_G"], w, b, eps)


@reference
def l2_normalize(x: Tensor) -> Tensor:
    return F.normalize(x, dim=1)


@reference
def weight_norm(v: Tensor, g: Tensor) -> Tensor:
    return torch._weight_norm(v, g[:, None], 0)


@reference
def spectral_norm(W: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return W / torch.dot(u, torch.mv(W, v))


@reference
def cosine_similarity(x: Tensor, y: Tensor) -> Tensor:
    return F.cosine_similarity(x, y, dim=1)


@reference
def linear(X: Tensor, W: Tensor, b: Tensor) -> Tensor:
    return F.linear(X, W, b)


@reference
def lora(X: Tensor, W: Tensor, A: Tensor, B: Tensor, alpha: float) -> Tensor:
    return F.linear(X, W) + alpha / len(A) * F.linear(F.linear(X, A), B)


@reference
def mlp_relu(X: Tensor, W1: Tensor, b1: Tensor, W2: Tensor, b2: Tensor) -> Tensor:
    return F.relu(X @ W1 + b1) @ W2 + b2


@reference
def mlp_gelu(X: Tensor, W1: Tensor, b1: Tensor, W2: Tensor, b2: Tensor) -> Tensor:
    return F.gelu(X @ W1 + b1) @ W2 + b2


@reference
def swiglu(X: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return (F.silu(X @ W_gate) * (X @ W_up)) @ W_down


@reference
def lstm_cell(x: Tensor, h_prev: Tensor, c_prev: Tensor, **weights: Tensor) -> tuple[Tensor, Tensor]:
    parts = [torch.cat([weights[f"{kind}_{gate}"] for gate in "IFGO"]) for kind in "WUb"]
    return torch._VF.lstm_cell(x, (h_prev, c_prev), *parts[:2], parts[2], torch.zeros_like(parts[2]))


@reference
def gru_cell(x: Tensor, h_prev: Tensor, **weights: Tensor) -> Tensor:
    # The reset gate multiplies the hidden state itself, as in the paper; PyTorch's own cell multiplies its product.
    def before(gate: str, hidden: Tensor) -> Tensor:
        return F.linear(x, weights[f"W_{gate}"], weights[f"b_{gate}"]) + F.linear(hidden, weights[f"U_{gate}"])

    r, z = torch.sigmoid(before("R", h_prev)), torch.sigmoid(before("Z", h_prev))
    return (1 - z) * torch.tanh(before("G", r * h_prev)) + z * h_prev


@reference
def rope(X: Tensor, theta: Tensor) -> Tensor:
    pairs = X.unflatten(1, (-1, 2))
    first, second = pairs.unbind(dim=2)
    cos, sin = torch.cos(theta), torch.sin(theta)
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=2).flatten(1)


@reference
def ridge(X: Tensor, y: Tensor, w: Tensor, lam: float) -> Tensor:
    return F.mse_loss(X @ w, y) / 2 + lam / 2 * (w**2).sum()


@reference
def huber(X: Tensor, y: Tensor, w: Tensor, k: float) -> Tensor:
    return F.huber_loss(X @ w, y, delta=k)


@reference
def hinge_svm(X: Tensor, y: Tensor, w: Tensor, b: Tensor, lam: float) -> Tensor:
    return F.relu(1 - y * (X @ w + b)).mean() + lam / 2 * (w**2).sum()


@reference
def triplet(a: Tensor, p: Tensor, q: Tensor, alpha: float) -> Tensor:
    return F.relu(((a - p) ** 2).sum(dim=1) - ((a - q) ** 2).sum(dim=1) + alpha).mean()


@reference
def dice(z: Tensor, y: Tensor, eps: float) -> Tensor:
    p = torch.sigmoid(z)
    return (1 - (2 * (p * y).sum(dim=1) + eps) / (p.sum(dim=1) + y.sum(dim=1) + eps)).mean()


@reference
def barlow_twins(X: Tensor, Y: Tensor, lam: float, eps: float) -> Tensor:
    normed = [F.batch_norm(view, None, None, training=True, eps=eps) for view in (X, Y)]
    C = normed[0].T @ normed[1] / len(X)
    off = ~torch.eye(len(C), dtype=torch.bool)
    return ((1 - C.diagonal()) ** 2).sum() + lam * (C[off] ** 2).sum()


@reference
def vicreg(X: Tensor, Y: Tensor, lam: float, mu: float, nu: float, gamma: float, eps: float) -> Tensor:
    total = lam * F.mse_loss(X, Y, reduction="sum") / len(X)
    for view in (X, Y):
        centred = view - view.mean(dim=0)
        C = centred.T @ centred / (len(view) - 1)
        off = ~torch.eye(len(C), dtype=torch.bool)
        total = total + mu * F.relu(gamma - torch.sqrt(C.diagonal() + eps)).mean() + nu * (C[off] ** 2).sum() / len(C)
    return total


@reference
def tsne(Y: Tensor, P: Tensor) -> Tensor:
    D = ((Y[:, None] - Y[None]) ** 2).sum(dim=2)
    off = ~torch.eye(len(Y), dtype=torch.bool)
    return torch.log((1 / (1 + D))[off].sum()) + (P * torch.log1p(D)).sum()


@reference
def matrix_factorization(R: Tensor, W: Tensor, P: Tensor, Q: Tensor, lam: float) -> Tensor:
    return (W * (P @ Q.T - R) ** 2).sum() / 2 + lam / 2 * ((P**2).sum() + (Q**2).sum())


@reference
def pca_reconstruction(X: Tensor, W: Tensor) -> Tensor:
    return ((X - X @ W @ W.T) ** 2).sum() / len(X)


@reference
def cp_decomposition(X: Tensor, A: Tensor, B: Tensor, C: Tensor) -> Tensor:
    return ((torch.einsum("ir,jr,kr->ijk", A, B, C) - X) ** 2).sum() / 2


@reference
def tucker(X: Tensor, G: Tensor, A: Tensor, B: Tensor, C: Tensor) -> Tensor:
    return ((torch.einsum("abc,ia,jb,kc->ijk", G, A, B, C) - X) ** 2).sum() / 2


@reference
def ising_mean_field(m: Tensor, J: Tensor, h: Tensor) -> Tensor:
    shares = torch.stack((1 + m, 1 - m)) / 2
    return -m @ J @ m / 2 - h @ m + torch.xlogy(shares, shares).sum()


@reference
def trace_identities(X: Tensor, A: Tensor, B: Tensor, C: Tensor, D: Tensor) -> tuple[Tensor, Tensor]:
    return torch.trace(A @ X @ B), torch.trace(X.T @ C @ X @ D)


@reference
def conv1d(x: Tensor, w: Tensor, bias: Tensor) -> Tensor:
    return F.conv1d(x, w, bias)


@reference
def conv2d(x: Tensor, w: Tensor, sizes: Sizes) -> Tensor:
    return F.conv2d(x, w, stride=(2, 1), padding=1, dilation=(1, 2), groups=sizes["S"])


@reference
def conv_transpose(x: Tensor, w: Tensor) -> Tensor:
    return F.conv_transpose1d(x[None], w, stride=2)[0]


@reference
def avg_pool(x: Tensor, sizes: Sizes) -> Tensor:
    return F.avg_pool1d(x[None], sizes["K"], stride=2)[0]


@reference
def max_pool(x: Tensor, sizes: Sizes) -> Tensor:
    return F.max_pool1d(x[None], sizes["K"], stride=2)[0]


@reference
def depthwise_separable(x: Tensor, w: Tensor, v: Tensor) -> Tensor:
    return v @ F.conv1d(x[None], w[:, None], groups=len(w))[0]


@reference
def embedding(E: Tensor, tok: Tensor) -> Tensor:
    return F.embedding(tok.long(), E)


@reference
def cross_entropy_labels(z: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(z, y.long())


@reference
def sliding_window_attention(Q: Tensor, K: Tensor, V: Tensor, sizes: Sizes) -> Tensor:
    places = torch.arange(len(Q))
    back = places[:, None] - places
    return attend(Q, K, V, attn_mask=(back >= 0) & (back < sizes["W"]))[0, 0]


@reference
def relative_position_attention(Q: Tensor, K: Tensor, V: Tensor, B: Tensor) -> Tensor:
    places = torch.arange(len(Q))
    return attend(Q, K, V, attn_mask=B[places[:, None] - places + len(Q) - 1])[0, 0]


@reference
def total_variation(x: Tensor, eps: float) -> Tensor:
    down, right = torch.diff(x, dim=0)[:, :-1], torch.diff(x, dim=1)[:-1]
    return torch.sqrt(down**2 + right**2 + eps).sum()


@reference
def heat_equation_step(u: Tensor, kappa: Tensor, r: float) -> Tensor:
    padded = F.pad(u, (1, 1))
    return u + r * kappa * (padded[:-2] - 2 * u + padded[2:])


@reference
def word2vec_ids(E: Tensor, C: Tensor, word: Tensor, ctx: Tensor, neg: Tensor) -> Tensor:
    words, contexts = F.embedding(word.long(), E), F.embedding(ctx.long(), C)
    drawn = torch.einsum("nm,nkm->nk", words, F.embedding(neg.long(), C))
    return F.softplus(-(words * contexts).sum(1)).mean() + F.softplus(drawn).sum() / len(words)


@reference
def graph_message_passing(h: Tensor, W: Tensor, g: Tensor, src: Tensor, dst: Tensor) -> Tensor:
    messages = g[:, None] * (h[src.long()] @ W.T)
    return torch.zeros(len(h), len(W), dtype=messages.dtype).index_add(0, dst.long(), messages)


@reference
def mean_by_segment(x: Tensor, seg: Tensor, sizes: Sizes) -> Tensor:
    total = torch.zeros(sizes["S"], x.shape[1], dtype=x.dtype).index_add(0, seg.long(), x)
    return total / torch.bincount(seg.long(), minlength=sizes["S"]).clamp(min=1)[:, None]


@reference
def ppo_clip(l: Tensor, q: Tensor, A: Tensor, eps: float) -> Tensor:  # noqa: E741
    ratio = torch.exp(l - q)
    return -torch.minimum(ratio * A, ratio.clamp(1 - eps, 1 + eps) * A).mean()
