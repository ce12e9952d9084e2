"""The shipped recurrences against PyTorch's automatic differentiation of a loop written here, in float64."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

from indexcalc.library import shipped_paths

torch = pytest.importorskip("torch")

BOUND = 1e-12
T, B, H, D, P = 6, 2, 4, 3, 5
HEADS = 2


def module_of(name):
    path = Path(shipped_paths()[name]).with_suffix(".py")
    spec = importlib.util.spec_from_file_location(f"recurrent_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(**shapes):
    rng = np.random.default_rng(7)
    return {name: rng.normal(size=shape) * 0.7 for name, shape in shapes.items()}


def rnn(x, h0, W, U, b):
    steps = [h0]
    for t in range(1, len(x)):
        steps.append(torch.tanh(W @ steps[-1] + U @ x[t] + b))
    return torch.stack(steps)


def lstm(x, h0, c0, **w):
    h, c, steps = h0, c0, [h0]
    for t in range(1, x.shape[1]):
        arg = {k: x[:, t] @ w[f"W_{k}"].T + h @ w[f"U_{k}"].T + w[f"b_{k}"] for k in "ifog"}
        c = torch.sigmoid(arg["f"]) * c + torch.sigmoid(arg["i"]) * torch.tanh(arg["g"])
        h = torch.sigmoid(arg["o"]) * torch.tanh(c)
        steps.append(h)
    return torch.stack(steps, dim=1)


def gru(x, h0, **w):
    h, steps = h0, [h0]
    for t in range(1, x.shape[1]):
        r = torch.sigmoid(x[:, t] @ w["W_r"].T + h @ w["U_r"].T + w["b_r"])
        z = torch.sigmoid(x[:, t] @ w["W_z"].T + h @ w["U_z"].T + w["b_z"])
        c = torch.tanh(x[:, t] @ w["W_c"].T + (r * h) @ w["U_c"].T + w["b_c"])
        h = (1 - z) * c + z * h
        steps.append(h)
    return torch.stack(steps, dim=1)


def discounted_returns(r):
    total, steps = torch.zeros(len(r), dtype=r.dtype), []
    for t in reversed(range(r.shape[1])):
        total = r[:, t] + 0.99 * total
        steps.insert(0, total)
    return torch.stack(steps, dim=1)


def gae(r, v, u):
    last, total, steps = u, torch.zeros(len(r), dtype=r.dtype), []
    for t in reversed(range(r.shape[1])):
        total = r[:, t] + 0.99 * last - v[:, t] + 0.99 * 0.95 * total
        last = v[:, t]
        steps.insert(0, total)
    return torch.stack(steps, dim=1)


def euler_ode(y0, W, c, V):
    steps = [y0]
    for _ in range(1, T):
        steps.append(steps[-1] + 0.1 * (V @ torch.tanh(W @ steps[-1] + c)))
    return torch.stack(steps)


def linear_attention_recurrent(q, K, V):
    S, z, steps = 0.0, 0.0, []
    for t in range(len(q)):
        S, z = S + torch.outer(K[t], V[t]), z + K[t]
        steps.append(q[t] @ S / (q[t] @ z))
    return torch.stack(steps)


def state_space(A, B, C, h0, x):
    h, steps = h0, [C @ h0]
    for t in range(1, len(x)):
        h = A @ h + B @ x[t]
        steps.append(C @ h)
    return torch.stack(steps)


def bidirectional_rnn(x, f0, g0, W_f, U_f, b_f, W_g, U_g, b_g, V_f, V_g, c):
    right = rnn(x, f0, W_f, U_f, b_f)
    left = torch.flip(rnn(torch.flip(x, (0,)), g0, W_g, U_g, b_g), (0,))
    return right @ V_f.T + left @ V_g.T + c


def hmm_forward(p0, A, b):
    a = p0 + b[0]
    for t in range(1, len(b)):
        a = torch.logsumexp(a[:, None] + A, dim=0) + b[t]
    return torch.logsumexp(a, dim=0)


def crf(u, A, y):
    a, score = u[0], u[0, y[0]]
    for t in range(1, len(u)):
        a = torch.logsumexp(a[:, None] + A, dim=0) + u[t]
        score = score + A[y[t - 1], y[t]] + u[t, y[t]]
    return torch.logsumexp(a, dim=0) - score


def transformer(tok, y, E, P, g_x, W_Q, W_K, W_V, W_O, g_u, W_1, W_2, g_e):
    def normal(x, gain):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], gain, eps=1e-5)

    def heads(x, weights):
        return (x @ weights).unflatten(2, (HEADS, -1)).transpose(1, 2)

    past = torch.ones(tok.shape[1], tok.shape[1], dtype=torch.bool).tril()
    x = E[tok] + P
    for block in range(len(g_x)):
        X = normal(x, g_x[block])
        q, k, v = (heads(X, w[block]) for w in (W_Q, W_K, W_V))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = torch.softmax(scores.masked_fill(~past, -torch.inf), dim=-1)
        x = x + (weights @ v).transpose(1, 2).flatten(2) @ W_O[block]
        x = x + torch.nn.functional.gelu(normal(x, g_u[block]) @ W_1[block]) @ W_2[block]
    logits = normal(x, g_e) @ E.T
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())


def sinkhorn(C, a, b, g0, T, eps):
    g = g0
    for _ in range(T):
        f = eps * (torch.log(a) - torch.logsumexp((g - C) / eps, dim=1))
        g = eps * (torch.log(b) - torch.logsumexp((f[:, None] - C) / eps, dim=0))
    return (torch.exp((f[:, None] + g - C) / eps) * C).sum()


def kalman_filter(y, C, r, A, Q, m0, P0):
    """The negative log-likelihood of vectors of observations, with inverses: what all steps share is given once."""
    m, P, total = m0, P0, 0
    for step, seen in enumerate(y):
        if step:
            m, P = A @ m, A @ P @ A.T + Q
        S = C @ P @ C.T + torch.diag(r)
        total = total - torch.distributions.MultivariateNormal(C @ m, S).log_prob(seen)
        gain = P @ C.T @ torch.linalg.inv(S)
        m, P = m + gain @ (seen - C @ m), P - gain @ C @ P
    return total


def gates(kinds, first):
    return {f"{letter}_{k}": s for k in kinds for letter, s in (("W", (H, D)), ("U", (H, H)), ("b", (H,)))} | first


CASES = {
    "rnn": (rnn, "h", {"h0": (H,), "x": (T, D), "W": (H, H), "U": (H, D), "b": (H,)}),
    "lstm": (lstm, "h", gates("ifog", {"x": (B, T, D), "h0": (B, H), "c0": (B, H)})),
    "gru": (gru, "h", gates("rzc", {"x": (B, T, D), "h0": (B, H)})),
    "discounted_returns": (discounted_returns, "R", {"r": (B, T)}),
    "gae": (gae, "A", {"r": (B, T), "v": (B, T), "u": (B,)}),
    "euler_ode": (euler_ode, "y", {"y0": (D,), "W": (H, D), "c": (H,), "V": (D, H)}),
    "linear_attention_recurrent": (linear_attention_recurrent, "O", {"q": (T, D), "K": (T, D), "V": (T, P)}),
    "state_space": (state_space, "y", {"A": (H, H), "B": (H, D), "C": (P, H), "h0": (H,), "x": (T, D)}),
    "bidirectional_rnn": (
        bidirectional_rnn,
        "y",
        {"x": (T, D), "f0": (H,), "g0": (H,), "V_f": (P, H), "V_g": (P, H), "c": (P,)}
        | {f"{a}_{k}": s for k in "fg" for a, s in (("W", (H, H)), ("U", (H, D)), ("b", (H,)))},
    ),
}
LOSSES = {
    "hmm_forward": (hmm_forward, {"p0": (H,), "A": (H, H), "b": (T, H)}),
    "crf": (crf, {"u": (T, H), "A": (H, H)}),
}
POSITIVE = {"linear_attention_recurrent": ("q", "K")}


@pytest.mark.parametrize("name", CASES)
def test_it_agrees_with_automatic_differentiation(name):
    loop, output, shapes = CASES[name]
    arrays = drawn(**shapes)
    arrays |= {key: 0.5 + np.abs(arrays[key]) for key in POSITIVE.get(name, ())}
    module = module_of(name)
    values = module.forward(**arrays, **({"T": T} if name == "euler_ode" else {}))
    tensors = {key: torch.tensor(array, requires_grad=True) for key, array in arrays.items()}
    expected = loop(**tensors)
    assert np.max(np.abs(getattr(values, output) - expected.detach().numpy())) < BOUND
    upstream = np.random.default_rng(8).normal(size=expected.shape)
    gradients = module.backward(values, upstream)
    (expected * torch.tensor(upstream)).sum().backward()
    for key, tensor in tensors.items():
        found, own = getattr(gradients, f"d{key}"), tensor.grad.numpy()
        assert np.max(np.abs(found - own)) <= BOUND * max(1.0, np.max(np.abs(own))), key


def compared_with_autograd(name, loop, arrays, whole=None, *, asked=None, bound=BOUND, **options):
    """The values of a derivation, whose loss and gradients, all or those asked for, are those of a loop."""
    whole = whole or {}
    module = module_of(name)
    values = module.forward(**arrays, **whole, **options)
    gradients = module.backward(values)
    tensors = {key: torch.tensor(array, requires_grad=True) for key, array in arrays.items()}
    passed = {key: option for key, option in options.items() if key in inspect.signature(loop).parameters}
    expected = loop(**tensors, **{key: torch.tensor(array) for key, array in whole.items()}, **passed)
    expected.backward()
    assert abs(float(values.L) - float(expected.detach())) <= BOUND * max(1.0, abs(float(expected.detach())))
    for key, tensor in tensors.items():
        if asked is not None and key not in asked:
            continue
        found, own = getattr(gradients, f"d{key}"), tensor.grad.numpy()
        assert np.max(np.abs(found - own)) <= bound * max(1.0, np.max(np.abs(own))), key
    return values


@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_over_states_agrees_with_automatic_differentiation(name, scale):
    loop, shapes = LOSSES[name]
    arrays = {key: scale * array for key, array in drawn(**shapes).items()}
    whole = {"y": np.array([1, 3, 0, 0, 2, 1])} if name == "crf" else {}
    compared_with_autograd(name, loop, arrays, whole, bound=BOUND * scale)


def test_one_step_leaves_the_state_before():
    arrays = drawn(h0=(H,), x=(1, D), W=(H, H), U=(H, D), b=(H,))
    module = module_of("rnn")
    values = module.forward(**arrays)
    upstream = np.ones((1, H))
    gradients = module.backward(values, upstream)
    assert np.array_equal(values.h, arrays["h0"][None])
    assert np.array_equal(gradients.dh0, upstream[0])
    assert not np.any(gradients.dW)


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_a_transformer_agrees_with_automatic_differentiation_of_its_blocks(blocks):
    features, inner, units, words = 6, 8, 10, 7
    shapes = {"E": (words, features), "P": (T, features), "g_x": (blocks, features), "g_u": (blocks, features)}
    shapes |= {f"W_{letter}": (blocks, features, inner) for letter in "QKV"} | {"W_O": (blocks, inner, features)}
    shapes |= {"W_1": (blocks, features, units), "W_2": (blocks, units, features), "g_e": (features,)}
    rng = np.random.default_rng(3)
    whole = {"tok": rng.integers(0, words, (B, T)), "y": rng.integers(0, words, (B, T))}
    compared_with_autograd("transformer", transformer, drawn(**shapes), whole, H=HEADS)


@pytest.mark.parametrize("eps", [1.0, 0.01])
@pytest.mark.parametrize("iterations", [1, 2, 30])
def test_transport_agrees_with_automatic_differentiation_of_the_iterations(iterations, eps):
    rng = np.random.default_rng(4)
    a, b = (mass / mass.sum() for mass in (rng.uniform(0.5, 2, 5), rng.uniform(0.5, 2, 4)))
    arrays = {"C": rng.uniform(0, 1, (5, 4)), "a": a, "b": b, "g0": rng.normal(0, 0.1, 4)}
    options = {"T": iterations, "eps": eps}
    values = compared_with_autograd("sinkhorn", sinkhorn, arrays, asked="Cab", bound=BOUND / eps, **options)
    assert np.allclose(values.P.sum(axis=0), b, rtol=0, atol=BOUND)  # the last step sets the columns right


@pytest.mark.parametrize("observed", [1, 3])
def test_a_filter_takes_the_components_of_vectors_one_by_one(observed):
    rng = np.random.default_rng(5)
    given = {
        "y": rng.normal(size=(T, observed)),
        "C": rng.normal(size=(observed, H)),
        "r": rng.uniform(0.5, 2, observed),
    }
    given |= {"A": rng.normal(0, 0.5, (H, H)), "m0": rng.normal(size=H)}
    given |= {name: half @ half.T for name, half in (("Q", rng.normal(size=(H, H))), ("P0", rng.normal(size=(H, H))))}
    first = np.arange(T * observed) % observed == 0
    arrays = {name: given[name] for name in ("m0", "P0")} | {"y": given["y"].ravel()}
    arrays |= {"C": np.tile(given["C"], (T, 1)), "r": np.tile(given["r"], T)}
    arrays |= {"A": np.where(first[:, None, None], given["A"], np.eye(H)), "Q": first[:, None, None] * given["Q"]}
    module = module_of("kalman_filter")
    values = module.forward(**arrays)
    gradients = module.backward(values)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in given.items()}
    expected = kalman_filter(**tensors)
    expected.backward()
    assert float(values.L) == pytest.approx(float(expected.detach()), rel=1e-12)
    found = {"y": gradients.dy.reshape(T, observed), "m0": gradients.dm0, "P0": gradients.dP0}
    found |= {"C": gradients.dC.reshape(T, observed, H).sum(0), "r": gradients.dr.reshape(T, observed).sum(0)}
    found |= {"A": gradients.dA[first].sum(0), "Q": gradients.dQ[first].sum(0)}
    for name, array in found.items():
        own = tensors[name].grad.numpy()
        # Both programs are given symmetric matrices: what they make of others is not the same.
        one, other = (array + array.T, own + own.T) if name in ("P0", "Q") else (array, own)
        assert np.max(np.abs(one - other)) <= 1e-10 * max(1.0, np.max(np.abs(other))), name
