"""The shipped derivations with expressions in slots, against PyTorch's own convolutions, poolings and lookups."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes.text import formula_text
from indexcalc.rewrite.derive import derive

torch = pytest.importorskip("torch")
F = pytest.importorskip("torch.nn.functional")

PATHS = shipped_paths()
RNG = np.random.default_rng(5)


def module_of(name):
    path = PATHS[name].parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"shipped_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def real(*shape):
    return RNG.normal(size=shape)


def ids(below, *shape):
    return RNG.integers(0, below, size=shape)


def conv1d(a):
    return F.conv1d(a["x"], a["w"], a["bias"])


def conv2d(a):
    return F.conv2d(a["x"], a["w"], stride=(2, 1), padding=1, dilation=(1, 2), groups=2)


def conv_transpose(a):
    return F.conv_transpose1d(a["x"][None], a["w"], stride=2)[0]


def avg_pool(a):
    return F.avg_pool1d(a["x"][None], 3, stride=2)[0]


def max_pool(a):
    return F.max_pool1d(a["x"][None], 3, stride=2)[0]


def depthwise_separable(a):
    return a["v"] @ F.conv1d(a["x"][None], a["w"][:, None], groups=4)[0]


def embedding(a):
    return F.embedding(a["tok"], a["E"])


def cross_entropy_labels(a):
    return F.cross_entropy(a["z"], a["y"])


def sliding_window_attention(a):
    T, W = a["Q"].shape[0], 3
    places = torch.arange(T)
    back = places[:, None] - places
    scores = (a["Q"] @ a["K"].T / a["Q"].shape[1] ** 0.5).masked_fill((back < 0) | (back >= W), -torch.inf)
    return torch.softmax(scores, 1) @ a["V"]


def relative_position_attention(a):
    T = a["Q"].shape[0]
    places = torch.arange(T)
    scores = a["Q"] @ a["K"].T / a["Q"].shape[1] ** 0.5 + a["B"][places[:, None] - places + T - 1]
    return torch.softmax(scores, 1) @ a["V"]


def total_variation(a):
    down, right = torch.diff(a["x"], dim=0)[:, :-1], torch.diff(a["x"], dim=1)[:-1]
    return torch.sqrt(down**2 + right**2 + 1e-3).sum()


def heat_equation_step(a):
    padded = F.pad(a["u"], (1, 1))
    return a["u"] + 0.25 * a["kappa"] * (padded[:-2] - 2 * a["u"] + padded[2:])


def word2vec_ids(a):
    words, contexts = F.embedding(a["word"], a["E"]), F.embedding(a["ctx"], a["C"])
    drawn = torch.einsum("nm,nkm->nk", words, F.embedding(a["neg"], a["C"]))
    near = (words * contexts).sum(1)
    return F.softplus(-near).mean() + F.softplus(drawn).sum() / len(near)


def graph_message_passing(a):
    messages = a["g"][:, None] * (a["h"][a["src"]] @ a["W"].T)
    return torch.zeros(len(a["h"]), len(a["W"]), dtype=messages.dtype).index_add(0, a["dst"], messages)


def mean_by_segment(a):
    total = torch.zeros(4, a["x"].shape[1], dtype=a["x"].dtype).index_add(0, a["seg"], a["x"])
    return total / torch.bincount(a["seg"], minlength=4).clamp(min=1)[:, None]


CASES = {
    "conv1d": (conv1d, {"x": real(2, 3, 9), "w": real(4, 3, 4), "bias": real(4)}, {}),
    "conv2d": (conv2d, {"x": real(2, 6, 7, 9), "w": real(4, 3, 3, 3)}, {}),
    "conv_transpose": (conv_transpose, {"x": real(3, 5), "w": real(3, 2, 4)}, {}),
    "avg_pool": (avg_pool, {"x": real(2, 9)}, {"K": 3}),
    "max_pool": (max_pool, {"x": real(2, 9)}, {"K": 3}),
    "depthwise_separable": (depthwise_separable, {"x": real(4, 8), "w": real(4, 3), "v": real(5, 4)}, {}),
    "embedding": (embedding, {"E": real(5, 3), "tok": ids(5, 2, 7)}, {}),
    "cross_entropy_labels": (cross_entropy_labels, {"z": real(6, 4), "y": ids(4, 6)}, {}),
    "sliding_window_attention": (
        sliding_window_attention,
        {"Q": real(6, 4), "K": real(6, 4), "V": real(6, 2)},
        {"W": 3},
    ),
    "relative_position_attention": (
        relative_position_attention,
        {"Q": real(5, 4), "K": real(5, 4), "V": real(5, 2), "B": real(9)},
        {},
    ),
    "total_variation": (total_variation, {"x": real(5, 6)}, {}),
    "heat_equation_step": (heat_equation_step, {"u": real(7), "kappa": real(7)}, {}),
    "word2vec_ids": (
        word2vec_ids,
        {"E": real(6, 3), "C": real(6, 3), "word": ids(6, 5), "ctx": ids(6, 5), "neg": ids(6, 5, 4)},
        {},
    ),
    "graph_message_passing": (
        graph_message_passing,
        {"h": real(4, 3), "W": real(2, 3), "g": real(9), "src": ids(4, 9), "dst": ids(4, 9)},
        {},
    ),
    "mean_by_segment": (mean_by_segment, {"x": real(8, 3), "seg": ids(3, 8)}, {"S": 4}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_results_and_gradients_are_those_of_pytorch(name):
    reference, arrays, sizes = CASES[name]
    problem = load_problem(PATHS[name])
    tensors = {n: torch.tensor(array, requires_grad=array.dtype == np.float64) for n, array in arrays.items()}
    result = reference(tensors)
    upstream = torch.tensor(real(*result.shape)) if problem.upstream else torch.ones(())
    result.backward(upstream)
    module = module_of(name)
    values = module.forward(*(arrays[tensor.name] for tensor in problem.program.inputs), **sizes)
    found = getattr(values, problem.loss or problem.upstream[0].of)
    np.testing.assert_allclose(found, result.detach().numpy(), rtol=1e-11, atol=1e-12)
    given = [upstream.numpy()] if problem.upstream else []
    gradients = module.backward(values, *given)
    for target in problem.targets:
        if target in tensors:
            right = tensors[target].grad.numpy()
            np.testing.assert_allclose(getattr(gradients, f"d{target}"), right, rtol=1e-10, atol=1e-11, err_msg=target)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("conv1d", "dL/dx[b,c,n] = Σ_f,k G[b,f,n-k] w[f,c,k] [0 ≤ n-k < N-K+1]"),
        ("conv1d", "dL/dw[f,c,k] = Σ_b,i G[b,f,i] x[b,c,i+k]"),
        ("conv_transpose", "dL/dx[c,i] = Σ_f,k G[f,2*i+k] w[c,f,k]"),
        ("avg_pool", "dL/dx[c,n] = (1/K) Σ_i,k G[c,i] δ[2*i+k,n]"),
        ("embedding", "dL/dE[v,m] = Σ_b,t G[b,t,m] δ[tok[b,t],v]"),
        ("cross_entropy_labels", "dL/dz[n,c] = (1/N) (p[n,c] − δ[y[n],c])"),
        ("sliding_window_attention", "dL/dS[i,j] = A[i,j] (dL/dA[i,j] − r[i])"),
        ("mean_by_segment", "dL/dx[n,m] = G[seg[n],m] / max(c[seg[n]], 1)"),
    ],
)
def test_the_gradient_has_the_form_of_a_textbook(name, formula):
    derivation = derive(load_problem(PATHS[name]))
    assert formula in [formula_text(equation, derivation) for equation in derivation.backward.equations]


def test_a_lookup_out_of_range_names_the_entry():
    module = module_of("embedding")
    with pytest.raises(ValueError, match=r"tok\[1, 0\] is 5, but V is 5: entries go from 0"):
        module.forward(real(5, 3), np.array([[0, 1], [5, 2]]))
    with pytest.raises(ValueError, match=r"tok\[0, 1\] is -1"):
        module.forward(real(5, 3), np.array([[0, -1]]))
    with pytest.raises(ValueError, match="expected whole numbers"):
        module.forward(real(5, 3), np.array([[0.0, 1.0]]))
