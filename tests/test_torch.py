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
from tests.support.gradients import of_gradients

torch = pytest.importorskip("torch")

from tests.test_slot_derivations import CASES  # noqa: E402 (it needs PyTorch)

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


def clip(a):
    S = a.s * a.X @ a.Y.T
    own = torch.arange(a.N)
    return {"S": S, "L": (F.cross_entropy(S, own) + F.cross_entropy(S.T, own)) / 2}


def focal_loss(a):
    log_p = F.logsigmoid(a.y * a.x)
    return {"L": -((1 - torch.exp(log_p)) ** a.gamma * log_p).mean()}


def huber(a):
    r = a.X @ a.w - a.y
    return {"r": r, "L": F.huber_loss(r, torch.zeros_like(r), delta=a.k)}


def ppo_clip(a):
    r = torch.exp(a.l - a.q)
    return {"r": r, "L": -torch.minimum(r * a.A, r.clamp(1 - a.eps, 1 + a.eps) * a.A).mean()}


def dice(a):
    p = torch.sigmoid(a.z)
    return {"p": p, "L": (1 - (2 * (p * a.y).sum(1) + a.eps) / (p.sum(1) + a.y.sum(1) + a.eps)).mean()}


def barlow_twins(a):
    views = [F.batch_norm(view, None, None, training=True, eps=a.eps) for view in (a.X, a.Y)]
    C = views[0].T @ views[1] / a.N
    diagonal = torch.diagonal(C)
    return {"C": C, "L": ((diagonal - 1) ** 2).sum() + a.lam * ((C**2).sum() - (diagonal**2).sum())}


def vicreg(a):
    loss = a.lam * ((a.X - a.Y) ** 2).sum() / a.N
    named = {}
    for name, view in (("C", a.X), ("E", a.Y)):
        named[name] = torch.cov(view.T, correction=1).reshape(a.D, a.D)
        variances = torch.diagonal(named[name])
        loss = loss + a.mu * F.relu(a.gamma - torch.sqrt(variances + a.eps)).mean()
        loss = loss + a.nu * (named[name] ** 2 - torch.diag(variances**2)).sum() / a.D
    return {**named, "L": loss}


def gat(a):
    H = a.X @ a.W
    s, t = H @ a.a, H @ a.b
    u = s[:, None] + t
    E = F.leaky_relu(u, a.slope)
    weights = a.A * torch.exp(E)
    P = weights / weights.sum(1, keepdim=True)
    return {"H": H, "s": s, "t": t, "u": u, "E": E, "P": P, "Y": P @ H}


def gcn(a):
    with_loops = a.A + torch.eye(a.N)
    scale = torch.diag(torch.rsqrt(with_loops.sum(1)))
    U = scale @ with_loops @ scale @ a.X @ a.W
    return {"U": U, "Y": F.relu(U)}


def grouped_query_attention(a):
    Q, K, V = (x.unflatten(-1, (-1, a.D_h)).transpose(1, 2) for x in (a.Q, a.K, a.V))
    heads = attend(Q, K.repeat_interleave(a.R, 1), V.repeat_interleave(a.R, 1))
    return {"O": heads.transpose(1, 2).flatten(-2)}


def alibi_attention(a):
    hidden = torch.full((a.T, a.T), -math.inf).triu(1)
    return {"O": attend(a.Q, a.K, a.V, attn_mask=hidden - a.m[:, None, None] * a.D)}


def softcap_attention(a):
    U = a.Q @ a.K.T / math.sqrt(a.d)
    S = a.c * torch.tanh(U / a.c)
    A = F.softmax(S, dim=1)
    return {"U": U, "S": S, "A": A, "O": A @ a.V}


def qk_norm_attention(a):
    Qh, Kh = (F.normalize(x, dim=1, eps=0.0) for x in (a.Q, a.K))
    S = a.g * Qh @ Kh.T
    A = F.softmax(S, dim=1)
    return {"Qh": Qh, "Kh": Kh, "S": S, "A": A, "O": A @ a.V}


def lstm_cell(a):
    weights = (torch.cat([getattr(a, f"{letter}_{gate}") for gate in "IFGO"]) for letter in "WUb")
    h, c = torch.lstm_cell(a.x, (a.h_prev, a.c_prev), *by_library(*weights))
    return {"h": h, "c_next": c}


def gru_cell(a):
    # The candidate of the library multiplies by the reset gate after the matrix, not before it.
    r, z = (
        torch.sigmoid(
            F.linear(a.x, getattr(a, f"W_{gate}"), getattr(a, f"b_{gate}")) + a.h_prev @ getattr(a, f"U_{gate}").T
        )
        for gate in "RZ"
    )
    g = torch.tanh(F.linear(a.x, a.W_G, a.b_G) + (r * a.h_prev) @ a.U_G.T)
    return {"h": torch.lerp(g, a.h_prev, z)}


def by_library(W, U, b):
    """The weights of a cell as the library takes them: a second bias of zeros."""
    return W, U, b, torch.zeros_like(b)


def poisson_regression(a):
    eta = a.X @ a.w + a.b
    return {"eta": eta, "L": F.poisson_nll_loss(eta, a.y, log_input=True)}


def cox(a):
    eta = a.X @ a.w
    at_risk = a.R * torch.exp(eta)
    return {"eta": eta, "L": -(a.s * torch.log(at_risk.diagonal() / at_risk.sum(1))).sum()}


def gaussian_mixture(a):
    distributions = torch.distributions
    component = distributions.Independent(distributions.Normal(a.mu, a.sigma), 1)
    mixture = distributions.MixtureSameFamily(distributions.Categorical(logits=a.a), component)
    return {"L": -mixture.log_prob(a.x).mean()}


def tucker(a):
    E = torch.einsum("abc,ia,jb,kc->ijk", a.G, a.A, a.B, a.C) - a.X
    return {"E": E, "L": (E**2).sum() / 2}


def cp_decomposition(a):
    E = torch.einsum("ir,jr,kr->ijk", a.A, a.B, a.C) - a.X
    return {"E": E, "L": (E**2).sum() / 2}


def triplet(a):
    s = ((a.a - a.p) ** 2).sum(1) - ((a.a - a.q) ** 2).sum(1) + a.alpha
    return {"s": s, "L": F.relu(s).mean()}


def hinge_svm(a):
    z = a.X @ a.w + a.b
    s = 1 - a.y * z
    return {"z": z, "s": s, "L": F.relu(s).mean() + a.lam / 2 * a.w @ a.w}


def ising_mean_field(a):
    entropy = torch.distributions.Bernoulli(probs=(1 + a.m) / 2).entropy().sum()
    return {"F": -a.m @ a.J @ a.m / 2 - a.h @ a.m - entropy}


def distillation(a):
    student, teacher = (F.log_softmax(x / a.tau, dim=1) for x in (a.z, a.t))
    return {"L": a.tau**2 * F.kl_div(student, teacher, reduction="batchmean", log_target=True)}


def ridge_closed_form(a):
    moments = a.X.T @ a.X + a.alpha * torch.eye(a.F, dtype=a.X.dtype)
    w = torch.linalg.inv(moments) @ a.X.T @ a.y
    return {"w": w, "L": 0.5 * F.mse_loss(a.V @ w, a.t)}


def newton_logistic(a):
    def loss(w):
        return F.binary_cross_entropy_with_logits(a.X @ w, a.y) + a.alpha / 2 * (w**2).sum()

    return {"v": a.w - torch.linalg.solve(torch.func.hessian(loss)(a.w), torch.func.grad(loss)(a.w))}


def natural_gradient(a):
    """The information of natural parameters is the second derivative of the log-partition function."""
    fisher = torch.func.hessian(lambda W: torch.logsumexp(a.X @ W.T, 1).mean())(a.W).reshape(a.C * a.F, a.C * a.F)
    gradient = (torch.softmax(a.X @ a.W.T, 1) - a.y).T @ a.X / a.N
    damped = fisher + a.alpha * torch.eye(a.C * a.F, dtype=a.W.dtype)
    return {"V": a.W - a.eta * torch.linalg.solve(damped, gradient.reshape(-1)).reshape(a.W.shape)}


def mahalanobis(a):
    u = a.x - a.mu
    return {"q": torch.einsum("ni,ij,nj->n", u, torch.linalg.inv(a.S), u)}


def least_squares_layer(a):
    roots = torch.sqrt(a.w)
    return {"x": torch.linalg.lstsq(roots[:, None] * a.J, (roots * a.y)[..., None]).solution[..., 0]}


def gaussian(a):
    # The distribution takes positive definite matrices alone, and the samples are of any symmetric ones.
    u = a.x - a.mu
    quadratic = torch.einsum("ni,ij,nj->", u, torch.linalg.inv(a.S), u)
    return {"L": (quadratic + a.N * torch.logdet(a.S @ a.S.T) / 2 + a.N * a.D * math.log(2 * math.pi)) / 2}


def gaussian_process(a):
    E = gaussian_kernel(a, a.X, a.X)
    K = a.a * E + a.noise * torch.eye(a.N, dtype=a.X.dtype)
    likelihood = torch.distributions.MultivariateNormal(torch.zeros_like(a.y), K).log_prob(a.y)
    return {"K": K, "L": -likelihood}


def log_det_flow(a):
    z = a.x @ a.W.T + a.b
    base = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(dim=1).mean()
    return {"L": -base - torch.logdet(a.W.T @ a.W) / 2}


def gaussian_kernel(a, left, right):
    return torch.exp(-a.s / 2 * ((left[:, None] - right[None]) ** 2).sum(-1))


def kernel_ridge(a):
    coefficients = torch.linalg.inv(gaussian_kernel(a, a.X, a.X) + a.ridge * torch.eye(a.N, dtype=a.X.dtype)) @ a.y
    return {"f": gaussian_kernel(a, a.Z, a.X) @ coefficients}


def deep_equilibrium(a):
    z = torch.zeros(a.N, a.D, dtype=a.x.dtype)
    for _ in range(200):
        z = torch.tanh(z @ a.W.T / a.D + a.x @ a.U.T + a.b)
    return {"z": z}


FORWARD: dict[str, Forward] = {
    "alibi_attention": alibi_attention,
    "attention": lambda a: {"O": attend(a.Q, a.K, a.V)},
    "attention_projected": projected("X", "X", "X"),
    "barlow_twins": barlow_twins,
    "batch_norm": lambda a: {"Y": F.batch_norm(a.X, None, None, a.g, a.b, training=True, eps=a.eps)},
    "causal_attention": lambda a: {"O": attend(a.Q, a.K, a.V, is_causal=True)},
    "clip": clip,
    "cosine_similarity": lambda a: {"c": F.cosine_similarity(a.x, a.y, dim=1, eps=0.0)},
    "cox_partial_likelihood": cox,
    "cp_decomposition": cp_decomposition,
    "cross_attention": projected("X_Q", "X_KV", "X_KV"),
    "deep_equilibrium": deep_equilibrium,
    "dice": dice,
    "distillation": distillation,
    "dpo": dpo,
    "flash_attention": lambda a: {"O": attend(a.Q, a.K, a.V)},
    "focal_loss": focal_loss,
    "gat": gat,
    "gaussian_full_covariance": gaussian,
    "gaussian_mixture": gaussian_mixture,
    "gaussian_nll": lambda a: {"L": F.gaussian_nll_loss(a.mu, a.y, a.sigma**2, full=True, eps=1e-12)},
    "gaussian_process": gaussian_process,
    "gaussian_samples": lambda a: {"x": a.mu + a.e @ torch.linalg.cholesky(a.S).mT},
    "gcn": gcn,
    "group_norm": lambda a: {"Y": F.group_norm(a.X, a.N_G, a.w, a.b, a.eps)},
    "grouped_query_attention": grouped_query_attention,
    "gru_cell": gru_cell,
    "hinge_svm": hinge_svm,
    "huber": huber,
    "info_nce": lambda a: {"L": F.cross_entropy(a.Q @ a.K.T / a.tau, torch.arange(a.N))},
    "ising_mean_field": ising_mean_field,
    "kernel_ridge": kernel_ridge,
    "l2_normalize": lambda a: {"y": F.normalize(a.x, dim=1, eps=0.0)},
    "layer_norm": lambda a: {"Y": F.layer_norm(a.X, (a.H,), a.g, a.b, a.eps)},
    "least_squares_layer": least_squares_layer,
    "linear": linear,
    "linear_attention": linear_attention,
    "log_det_flow": log_det_flow,
    "logistic_regression": lambda a: {"L": F.binary_cross_entropy_with_logits(a.X @ a.w + a.b, a.y)},
    "lora": lambda a: {"Y": F.linear(a.X, a.W + a.alpha / a.R * a.B @ a.A)},
    "lstm_cell": lstm_cell,
    "mahalanobis": mahalanobis,
    "matrix_factorization": matrix_factorization,
    "mha_block": block,
    "mixed_attention": projected("X", "X", "Y"),
    "mlp_gelu": perceptron(F.gelu),
    "mlp_relu": perceptron(F.relu),
    "moe_gate": moe_gate,
    "multi_head_attention": multi_head,
    "natural_gradient": natural_gradient,
    "newton_logistic": newton_logistic,
    "pca_reconstruction": lambda a: {"L": ((a.X - a.X @ a.W @ a.W.T) ** 2).sum() / a.N},
    "ppo_clip": ppo_clip,
    "poisson_regression": poisson_regression,
    "qk_norm_attention": qk_norm_attention,
    "ridge": lambda a: {"L": 0.5 * F.mse_loss(a.X @ a.w, a.y) + 0.5 * a.lam * a.w @ a.w},
    "ridge_closed_form": ridge_closed_form,
    "rms_norm": lambda a: {"Y": F.rms_norm(a.X, (a.H,), a.g, a.eps)},
    "rope": rope,
    "softcap_attention": softcap_attention,
    "softmax": lambda a: {"p": F.softmax(a.z, dim=1)},
    "softmax_cross_entropy": lambda a: {"L": F.cross_entropy(a.z, a.y, label_smoothing=a.a)},
    "spectral_norm": lambda a: {"W_sn": a.W / (a.u @ a.W @ a.v)},
    "swiglu": swiglu,
    "trace_identities": lambda a: {"s": torch.trace(a.A @ a.X @ a.B), "t": torch.trace(a.X.T @ a.C @ a.X @ a.D)},
    "triplet": triplet,
    "tsne": tsne,
    "tucker": tucker,
    "two_token_model": two_token_model,
    "vae_kl": vae_kl,
    "vicreg": vicreg,
    "weight_norm": lambda a: {"w": torch._weight_norm(a.v, a.g[:, None], 0)},
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
        close(getattr(found, f"d{target}"), expected, f"the gradient of {target} of {name}")


def test_every_shipped_derivation_is_compared():
    # Those with expressions in slots are compared at sizes of their own; recurrences, and derivatives of derivatives,
    # have tests of their own.
    at_once = {name for name in of_gradients() if not problem_of(name).program.is_recurrent}
    assert set(FORWARD) | set(CASES) == at_once
    assert not set(FORWARD) & set(CASES)


@pytest.mark.filterwarnings("ignore:`torch.jit.script`")  # by PyTorch itself
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
