"""Every shipped module against PyTorch: the same forward pass written there by hand, gradients by autograd.

Nothing here knows how the derivations came about: arrays go in and come out in the shapes that users see.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.problem import Problem
from indexcalc.proof.sampling import sample_point, size_sets

torch = pytest.importorskip("torch")
F = torch.nn.functional

BOUND = 1e-10
PATHS = shipped_paths()

Torch = Mapping[str, "torch.Tensor"]
Forward = Callable[[SimpleNamespace], Torch]


def linear(a):
    return {"Y": F.linear(a.X, a.W, a.b)}


def perceptron(nonlinearity):
    def forward(a):
        A = nonlinearity(F.linear(a.X, a.W1.T, a.b1))
        return {"A": A, "Y": F.linear(A, a.W2.T, a.b2)}

    return forward


def attend(Q, K, V, **options):
    return F.scaled_dot_product_attention(Q[None, None], K[None, None], V[None, None], **options)[0, 0]


def projected(queries, keys, values):
    """Attention whose three inputs have the names given."""

    def forward(a):
        inputs = vars(a)
        Q, K, V = inputs[queries] @ a.W_Q, inputs[keys] @ a.W_K, inputs[values] @ a.W_V
        return {"Q": Q, "K": K, "V": V, "O": attend(Q, K, V)}

    return forward


def heads(X, weight, number):
    """[B, S, D] to [B, N_H, S, D_h]."""
    return (X @ weight).unflatten(-1, (number, -1)).transpose(1, 2)


def multi_head(a):
    Q, K, V = (heads(a.X, weight, a.N_H) for weight in (a.W_Q, a.W_K, a.W_V))
    per_head = F.scaled_dot_product_attention(Q, K, V)
    O_cat = per_head.transpose(1, 2).flatten(-2)
    return {"Q": Q, "K": K, "V": V, "O": per_head, "O_cat": O_cat, "Y": O_cat @ a.W_O}


def block(a):
    X_norm = F.layer_norm(a.X, (a.D,), a.gamma, a.beta, a.eps)
    Q, K, V = (heads(X_norm, weight, a.N_H) for weight in (a.W_Q, a.W_K, a.W_V))
    AO_heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=a.M)
    AO_cat = AO_heads.transpose(1, 2).flatten(-2)
    AO_bias = F.linear(AO_cat, a.W_O.T, a.b_O)
    A_out = AO_bias * a.R / a.keep
    return {
        "X_norm": X_norm, "Q": Q, "K": K, "V": V, "AO_heads": AO_heads, "AO_cat": AO_cat, "AO_bias": AO_bias,
        "A_out": A_out,
    }  # fmt: skip


def two_token_model(a):
    Q, K, V = a.X @ a.WQ, a.X @ a.WK, a.X @ a.WV
    z = a.e @ attend(Q, K, V) @ a.WO
    return {"Q": Q, "K": K, "V": V, "z": z, "L": F.cross_entropy(z[None], a.y[None])}


def swiglu(a):
    A = F.silu(a.X @ a.W_gate) * (a.X @ a.W_up)
    return {"A": A, "Y": A @ a.W_down}


def linear_attention(a):
    QKV = (a.Q @ a.K.T) @ a.V
    return {"QKV": QKV, "O": a.G * QKV}


def moe_gate(a):
    z = a.X @ a.W
    return {"z": z, "Y": (F.softmax(z, 1)[:, None] @ a.F)[:, 0]}


def rope(a):
    x = torch.view_as_complex(a.X.unflatten(-1, (-1, 2)).contiguous())
    return {"Y": torch.view_as_real(x * torch.polar(torch.ones_like(a.theta), a.theta)).flatten(-2)}


def tsne(a):
    D = ((a.Y[:, None] - a.Y[None]) ** 2).sum(-1)
    kernel = torch.where(torch.eye(len(D), dtype=bool), 0.0, 1.0 / (1.0 + D))
    off = ~torch.eye(len(D), dtype=bool)
    q = kernel / kernel.sum()
    diagonal = a.P.diagonal().sum() * kernel.sum().log()  # where D is zero: -log w is zero, and the rest is log Z
    return {"L": -(a.P[off] * q[off].log()).sum() + diagonal}


def matrix_factorization(a):
    squares = (a.P**2).sum() + (a.Q**2).sum()
    return {"L": 0.5 * (a.W * (a.R - a.P @ a.Q.T) ** 2).sum() + 0.5 * a.lam * squares}


def word2vec(a):
    positive, negative = (a.u * a.v).sum(1), (a.w @ a.v[:, :, None])[..., 0]
    return {"L": -(F.logsigmoid(positive).sum() + F.logsigmoid(-negative).sum()) / a.B}


def dpo(a):
    return {"L": -F.logsigmoid(a.beta * ((a.lw - a.ll) - (a.rw - a.rl))).mean()}


def vae_kl(a):
    posterior = torch.distributions.Normal(a.mu, torch.exp(a.lv / 2))
    prior = torch.distributions.Normal(torch.zeros_like(a.mu), torch.ones_like(a.mu))
    return {"L": torch.distributions.kl_divergence(posterior, prior).sum() / a.N}


FORWARD: dict[str, Forward] = {
    "attention": lambda a: {"O": attend(a.Q, a.K, a.V)},
    "attention_projected": projected("X", "X", "X"),
    "batch_norm": lambda a: {"Y": F.batch_norm(a.X, None, None, a.g, a.b, training=True, eps=a.eps)},
    "causal_attention": lambda a: {"O": attend(a.Q, a.K, a.V, is_causal=True)},
    "cosine_similarity": lambda a: {"c": F.cosine_similarity(a.x, a.y, dim=1, eps=0.0)},
    "cross_attention": projected("X_Q", "X_KV", "X_KV"),
    "dpo": dpo,
    "flash_attention": lambda a: {"O": attend(a.Q, a.K, a.V)},
    "gaussian_nll": lambda a: {"L": F.gaussian_nll_loss(a.mu, a.y, a.sigma**2, full=True, eps=1e-12)},
    "group_norm": lambda a: {"Y": F.group_norm(a.X, a.N_G, a.w, a.b, a.eps)},
    "info_nce": lambda a: {"L": F.cross_entropy(a.Q @ a.K.T / a.tau, torch.arange(a.N))},
    "l2_normalize": lambda a: {"y": F.normalize(a.x, dim=1, eps=0.0)},
    "layer_norm": lambda a: {"Y": F.layer_norm(a.X, (a.H,), a.g, a.b, a.eps)},
    "linear": linear,
    "linear_attention": linear_attention,
    "logistic_regression": lambda a: {"L": F.binary_cross_entropy_with_logits(a.X @ a.w + a.b, a.y)},
    "lora": lambda a: {"Y": F.linear(a.X, a.W + a.alpha / a.R * a.B @ a.A)},
    "matrix_factorization": matrix_factorization,
    "mha_block": block,
    "mixed_attention": projected("X", "X", "Y"),
    "mlp_gelu": perceptron(F.gelu),
    "mlp_relu": perceptron(F.relu),
    "moe_gate": moe_gate,
    "multi_head_attention": multi_head,
    "ridge": lambda a: {"L": 0.5 * F.mse_loss(a.X @ a.w, a.y) + 0.5 * a.lam * a.w @ a.w},
    "rms_norm": lambda a: {"Y": F.rms_norm(a.X, (a.H,), a.g, a.eps)},
    "rope": rope,
    "softmax": lambda a: {"p": F.softmax(a.z, dim=1)},
    "softmax_cross_entropy": lambda a: {"L": F.cross_entropy(a.z, a.y, label_smoothing=a.a)},
    "swiglu": swiglu,
    "trace_identities": lambda a: {"s": torch.trace(a.A @ a.X @ a.B), "t": torch.trace(a.X.T @ a.C @ a.X @ a.D)},
    "tsne": tsne,
    "two_token_model": two_token_model,
    "vae_kl": vae_kl,
    "word2vec_negative_sampling": word2vec,
}


@cache
def problem_of(name: str) -> Problem:
    return load_problem(PATHS[name])


@cache
def module_of(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"shipped_{name}", PATHS[name].with_suffix(".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stored(problem: Problem, tensor: str, array: np.ndarray) -> np.ndarray:
    """The array in the shape that users see: one axis for each group of slots."""
    groups = iter(problem.program.layouts.get(tensor, (1,) * array.ndim))
    places = iter(array.shape)
    return array.reshape([math.prod(next(places) for _ in range(group)) for group in groups])


def call(function: Callable, first: tuple, known: Mapping[str, object]):
    """A generated function, each of its parameters taken by name."""
    names = list(inspect.signature(function).parameters)[len(first) :]
    return function(*first, **{name: known[name] for name in names})


def random_inputs(name: str, seed: int) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Inputs in stored shape, and the scalars: extents and parameters by name."""
    problem = problem_of(name)
    rng = np.random.default_rng(seed)
    parameters = {p.symbol: float(p.default) for p in problem.program.parameters}
    sizes = size_sets(problem.program, rng)[seed]
    point = sample_point(problem.program, sizes, rng, parameters)
    inputs = {t.name: stored(problem, t.name, point.values[t.name]) for t in problem.program.inputs}
    return inputs, {str(s): value for s, value in (sizes | parameters).items()}


def close(ours: np.ndarray, theirs: torch.Tensor, what: str) -> None:
    expected = theirs.detach().numpy()
    assert np.shape(ours) == expected.shape, what
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(ours - expected).max(initial=0.0) <= BOUND * scale, what


def compare(name: str, inputs: Mapping[str, np.ndarray], scalars: Mapping[str, float]) -> None:
    """Outputs and gradients of the module, and those of PyTorch."""
    problem, module = problem_of(name), module_of(name)
    values = call(module.forward, (), {**inputs, **scalars})
    leaves = {key: torch.tensor(array, requires_grad=True) for key, array in inputs.items()}
    theirs = FORWARD[name](SimpleNamespace(**scalars, **leaves))
    for tensor, array in theirs.items():
        close(getattr(values, tensor), array, f"{tensor} of {name}")

    rng = np.random.default_rng(0)
    upstream = {up.name: rng.normal(size=np.shape(theirs[up.of].detach())) for up in problem.upstream}
    loss = sum((theirs[up.of] * torch.tensor(upstream[up.name])).sum() for up in problem.upstream)
    loss = loss if problem.loss is None else theirs[problem.loss]
    found = call(module.backward, (values,), {**upstream, **scalars})
    known = {**leaves, **theirs}
    targets = [target for target in problem.targets if target in known]
    assert set(targets) >= {target for target in problem.targets if target in inputs}
    for target, expected in zip(targets, torch.autograd.grad(loss, [known[t] for t in targets]), strict=True):
        close(getattr(found, problem.gradient_names[target]), expected, f"the gradient of {target} of {name}")


def test_every_shipped_derivation_is_compared():
    assert set(FORWARD) == set(PATHS)


@pytest.mark.parametrize("name", FORWARD)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_module_agrees_with_autograd(name, seed):
    compare(name, *random_inputs(name, seed))


def test_the_block_agrees_where_keys_are_hidden_and_entries_dropped():
    inputs, scalars = random_inputs("mha_block", 0)
    size = inputs["M"].shape[0]
    hidden = np.where(np.tri(size, dtype=bool), 0.0, -np.inf)
    kept = np.random.default_rng(1).integers(0, 2, inputs["R"].shape).astype(float)
    compare("mha_block", {**inputs, "M": hidden, "R": kept}, scalars)


@pytest.mark.parametrize("name", ["attention", "causal_attention", "flash_attention", "softmax_cross_entropy"])
def test_large_scores_agree_too(name):
    inputs, scalars = random_inputs(name, 0)
    compare(name, {key: array * (30.0 if key in "QKz" else 1.0) for key, array in inputs.items()}, scalars)
