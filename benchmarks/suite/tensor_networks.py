"""The steps as a user of tensorgrad writes them: tensors with named edges, differentiated and compiled by it.

Each function has the name of a spec. It is given what makes variables, which are the inputs under their names, with
edges in the order of their axes, and returns the loss, or what the spec computes where it has no loss. Sizes of edges
are symbols with the names of the spec's extents; those which the spec computes from others are said in `SIZES`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorgrad.functions as F  # noqa: N812
import torch
from sympy import Symbol, symbols
from tensorgrad import Tensor, Variable
from tensorgrad.compiler import affine_basis, affine_convolution, compile_to_callable

from indexcalc.problem import Problem

from .calling import named

Variables = Callable[..., Variable]
Step = Callable[[Variables], Any]
STEPS: dict[str, Step] = {}
SIZES: dict[str, Callable[[Mapping[str, int]], Mapping[str, int]]] = {
    "conv_step": lambda n: {
        "I": n["N"] - n["K"] + 1,
        "U": (n["N"] - n["K"] + 1) // 2,
        "Q": (n["N"] - n["K"] + 1) // 2 - n["K"] + 1,
        "R": 2,
    },
    "gpt_step": lambda n: {"R": n["T"] - 5},
}
DATA: dict[str, Callable[[Mapping[str, int]], Mapping[str, torch.Tensor]]] = {
    "gpt_step": lambda n: {"mask": torch.full((n["T"], n["T"]), -math.inf).triu(1)},
}


def step(function: Step) -> Step:
    """Enter a function under its own name."""
    STEPS[function.__name__] = function
    return function


def softplus(x: Tensor) -> Tensor:
    """Safe where `x` is large."""
    return F.relu(x) + F.log(1 + F.exp(-F.abs(x)))


def picked(values: Tensor, label: Tensor, size: Symbol, edge: str) -> Tensor:
    """The entry of `values` at a label along an edge."""
    return F.sum(F.one_hot(label, size, dim=edge) * values, dim=edge)


def residual(h: Tensor, W: Tensor, b: Tensor) -> Tensor:
    """A residual block: `h` has the edges n and m, the weights k and m."""
    return h + F.tanh(h.rename(m="k") @ W + b)


@step
def mlp_step(variable: Variables) -> Tensor:
    N, D, O = symbols("N D O")  # noqa: E741
    h, t, W = variable("x", n=N, m=D), variable("t", n=N, o=O), variable("W", m=D, o=O)
    for number in range(1, 7):
        h = residual(h, variable(f"l{number}_W", k=D, m=D), variable(f"l{number}_b", m=D))
    return F.mean((h @ W - t) ** 2)


@step
def diffusion_step(variable: Variables) -> Tensor:
    N, D, T = symbols("N D T")
    x0, eps, t, abar = variable("x0", n=N, m=D), variable("eps", n=N, m=D), variable("t", n=N), variable("abar", s=T)
    E, W, b = variable("E", s=T, m=D), variable("W", k=D, m=D), variable("b", m=D)
    at = F.one_hot(t, T, dim="s")
    h = F.sqrt(at @ abar) * x0 + F.sqrt(1 - at @ abar) * eps + at @ E
    for number in range(1, 4):
        h = residual(h, variable(f"l{number}_W", k=D, m=D), variable(f"l{number}_b", m=D))
    return F.mean((h.rename(m="k") @ W + b - eps) ** 2)


@step
def conv_step(variable: Variables) -> Tensor:
    B, N, C, K, O, H = symbols("B N C K O F")  # noqa: E741
    I, U, Q, R = symbols("I U Q R")  # noqa: E741
    x, y = variable("x", b=B, n=N, m=N), variable("y", b=B)
    W_1, b_1 = variable("W_1", c=C, k=K, l=K), variable("b_1", c=C)
    W_2, b_2 = variable("W_2", f=H, c=C, k=K, l=K), variable("b_2", f=H)
    W, b_3 = variable("W", f=H, o=O), variable("b_3", o=O)
    h = F.relu(x @ F.Convolution(n=N, k=K, i=I) @ F.Convolution(m=N, l=K, j=I) @ W_1 + b_1)
    for place, pool in ("iu", "jv"):
        h = F.sum(h @ affine_convolution(**{place: I, "r": R, pool: U}, stride=2), "r") / 2
    a = F.relu(h @ F.Convolution(u=U, k=K, p=Q) @ F.Convolution(v=U, l=K, q=Q) @ W_2 + b_2)
    z = F.mean(a, ("p", "q")) @ W + b_3
    return -F.mean(picked(F.log_softmax(z, dim="o"), y, O, "o"))


@step
def embed_step(variable: Variables) -> Tensor:
    P, A, B, D = symbols("P A B D")
    U, V, y = variable("U", a=A, m=D), variable("V", b=B, m=D), variable("y", p=P)
    left = F.one_hot(variable("i", p=P), A, dim="a") @ U
    right = F.one_hot(variable("j", p=P), B, dim="b") @ V
    return F.mean(softplus(-y * F.dot(left, right, dim="m")))


@step
def rnn_step(variable: Variables, sizes: Mapping[str, int]) -> Tensor:
    B, T, K, D, O = symbols("B T K D O")  # noqa: E741
    x, y = variable("x", b=B, t=T, k=K), variable("y", b=B, o=O)
    W_x, W_h, b_h = variable("W_x", k=K, j=D), variable("W_h", i=D, j=D), variable("b_h", j=D)
    V, c = variable("V", j=D, o=O), variable("c", o=O)
    h = F.tanh(x @ affine_basis(0, t=T) @ W_x + b_h)
    for number in range(1, sizes["T"]):
        h = F.tanh(x @ affine_basis(number, t=T) @ W_x + h.rename(j="i") @ W_h + b_h)
    return F.mean((h @ V + c - y) ** 2)


def transformer_block(x: Tensor, mask: Tensor, own: Variables, scale: float) -> Tensor:
    """A causal pre-norm block, its parameters made by `own`; the mask is minus infinity where nothing is seen."""
    D, H, d, hidden = symbols("D H d F")

    def normal(x: Tensor, number: int) -> Tensor:
        weight, bias = own(f"g{number}", m=D), own(f"c{number}", m=D)
        return F.layer_norm(x, dim="m", weight=weight, bias=bias, eps=1e-5)

    inner = normal(x, 1)
    Q, K, V = (inner @ own(f"W_{name}", m=D, h=H, k=d) + own(f"b_{name}", h=H, k=d) for name in "QKV")
    K, V = K.rename(t="s"), V.rename(t="s")
    O = F.sdpa(Q, K, V, seq="t", key="s", hs="k", mask=mask, scale=scale)  # noqa: E741
    x = x + O @ own("W_O", h=H, k=d, m=D) + own("b_O", m=D)
    G = F.gelu(normal(x, 2) @ own("W_1", m=D, f=hidden) + own("b_1", f=hidden), approximate="tanh", fused=True)
    return x + G @ own("W_2", f=hidden, m=D) + own("b_2", m=D)


@step
def gpt_step(variable: Variables, sizes: Mapping[str, int]) -> Tensor:
    B, T, D, N_V, R = symbols("B T D N_V R")
    tok, y = variable("tok", b=B, t=T), variable("y", b=B, t=T)
    E, P, W = variable("E", v=N_V, m=D), variable("P", t=T, m=D), variable("W", m=D, v=N_V)
    x, mask = F.one_hot(tok, N_V, dim="v") @ E + P, variable("mask", t=T, s=T)
    for number in range(1, 4):
        x = transformer_block(x, mask, lambda name, n=number, **e: variable(f"l{n}_{name}", **e), sizes["d"] ** -0.5)
    o = F.layer_norm(x, dim="m", weight=variable("g", m=D), bias=variable("c", m=D), eps=1e-5) @ W
    counted = F.window(t=T, i=R, start=5)
    return -F.mean(picked(F.log_softmax(o @ counted, dim="v"), y @ counted, N_V, "v"))


def divergence(mu: Tensor, r: Tensor) -> Tensor:
    """From the prior, summed over the code and averaged over the data."""
    return (F.mean(F.sum(mu**2, "k")) + F.sum(F.exp(r) - r - 1)) / 2


@step
def vae_sampled(variable: Variables) -> Tensor:
    N, D, K = symbols("N D K")
    x, eps, A = variable("x", n=N, d=D), variable("eps", n=N, k=K), variable("A", d=D, k=K)
    r, W, b = variable("r", k=K), variable("W", k=K, d=D), variable("b", d=D)
    c = x - b
    mu = c @ A
    missed = c - (mu + F.exp(r / 2) * eps) @ W
    return F.mean(F.sum(missed**2, "d")) / (2 * 0.1**2) + normalizer(D, 0.1) + divergence(mu, r)


@step
def vae_expected(variable: Variables) -> Tensor:
    N, D, K = symbols("N D K")
    x, A = variable("x", n=N, d=D), variable("A", d=D, k=K)
    r, W, b = variable("r", k=K), variable("W", k=K, d=D), variable("b", d=D)
    c = x - b
    mu = c @ A
    missed = F.mean(F.sum((c - mu @ W) ** 2, "d")) + F.exp(r) @ F.sum(W**2, "d")
    return missed / (2 * 0.1**2) + normalizer(D, 0.1) + divergence(mu, r)


def normalizer(D: Symbol, sigma: float) -> Tensor:
    """The part of a normal likelihood in `D` dimensions that depends on its width alone."""
    return F.Delta(D) * (math.log(2 * math.pi * sigma**2) / 2)


@step
def gp_step(variable: Variables) -> Tensor:
    N = symbols("N")
    x, y, a, l, s = variable("x", i=N), variable("y", i=N), variable("a"), variable("l"), variable("s")  # noqa: E741
    distance = (x - x.rename(i="j")) ** 2
    K = F.exp(a - distance / (2 * F.exp(2 * l))) + F.exp(s) * F.Delta(N, "i", "j")
    return (y @ F.inverse(K) @ y.rename(i="j") + F.log(F.det(K))) / (2 * F.Delta(N))


@step
def hessian_step(variable: Variables) -> Tensor:
    N = symbols("N")
    A, x = variable("A", i=N, j=N), variable("x", i=N)
    return x @ A @ x.rename(i="j")


@step
def newton_step(variable: Variables) -> Tensor:
    N, D = symbols("N D")
    X, y, w = variable("X", n=N, f=D), variable("y", n=N), variable("w", f=D)
    z = X @ w
    return F.mean(softplus(z) - y * z) + 0.001 / 2 * (w @ w)


@step
def logsumexp(variable: Variables) -> Tensor:
    return F.log(F.sum(F.exp(variable("x", i=symbols("N")))))


@step
def tanh_network(variable: Variables) -> Tensor:
    N, M, O = symbols("N M O")  # noqa: E741
    x, W1, W2 = variable("x", i=N), variable("W1", i=N, h=M), variable("W2", h=M, o=O)
    return F.sum(F.tanh(x @ W1) @ W2)


@step
def cross_entropy_product(variable: Variables) -> Tensor:
    N, C = symbols("N C")
    z, y = variable("z", n=N, c=C), variable("y", n=N, c=C)
    return -F.mean(F.dot(y, F.log_softmax(z, dim="c"), dim="c"))


@step
def shampoo(variable: Variables) -> tuple[Tensor, ...]:
    I, J, K = symbols("I J K")  # noqa: E741
    G = variable("G", i=I, j=J, k=K)
    return G @ G.rename(i="a"), G @ G.rename(j="b"), G @ G.rename(k="c")


@step
def kfac(variable: Variables) -> Tensor:
    N, K, I = symbols("N K I")  # noqa: E741
    a, W, y = variable("a", n=N, k=K), variable("W", k=K, i=I), variable("y", n=N)
    e = F.softmax(a @ W, dim="i") - F.one_hot(y, I, dim="i")
    count = F.Delta(N)
    A = a @ a.rename(k="l") / count + 0.1 * F.Delta(K, "k", "l")
    B = e @ e.rename(i="j") / count + 0.1 * F.Delta(I, "i", "j")
    return F.inverse(A) @ (a @ e / count) @ F.inverse(B)


def derivatives(problem: Problem, loss: Tensor, own: Mapping[str, Variable]) -> dict[str, Tensor]:
    """The gradients of inputs and the second derivatives that a problem asks for, under their names."""
    found = {problem.gradient_names[name]: loss.grad(own[name]) for name in problem.targets if name in own}
    for asked in problem.results:
        by = own[asked.by[0]]
        slope = loss.grad(by)
        if asked.along:
            way = Variable(asked.along[0].name, **by.shape)
            found[asked.name] = F.sum(slope * way).grad(by)
        else:
            found[asked.name] = slope.grad(by)
    return found


def tensor_network(problem: Problem, sizes: Mapping[str, int], *, compiled: bool = False) -> Callable[..., Any]:
    """A side: the loss and what is derived, by tensorgrad's compiler, with PyTorch's behind it if `compiled`."""
    own: dict[str, Variable] = {}

    def variable(name: str, **edges: Symbol) -> Variable:
        return own.setdefault(name, Variable(name, **edges))

    name, function = problem.slug, STEPS[problem.slug]
    takes_sizes = "sizes" in inspect.signature(function).parameters
    made = function(variable, sizes=sizes) if takes_sizes else function(variable)
    loss = problem.loss
    results = named(problem, made) if loss is None else {loss: made, **derivatives(problem, made, own)}
    program = compile_to_callable(*results.values(), torch_compile=compiled)
    lengths = {**sizes, **SIZES.get(name, lambda _: {})(sizes)}

    def side(arrays: Mapping[str, Any]) -> Callable[[], Mapping[str, Any]]:
        like = next(torch.from_numpy(array) for array in arrays.values() if array.dtype.kind == "f")
        values = {name: torch.as_tensor(array).to(like.dtype) for name, array in arrays.items()}
        values |= {key: array.to(like.dtype) for key, array in DATA.get(name, lambda _: {})(sizes).items()}
        needed = {one: values[one.name].reshape([lengths[s.name] for s in one.shape.values()]) for one in program.vars}
        dims = {symbol: lengths[symbol.name] for symbol in program.symbols}
        shapes = {problem.gradient_names[key]: array.shape for key, array in arrays.items() if key in problem.targets}

        def run() -> dict[str, Any]:
            found = program(needed, dims)
            arrays = dict(zip(results, found if isinstance(found, tuple) else (found,), strict=True))
            return {key: ordered(array, shapes.get(key)) for key, array in arrays.items()}

        return run

    return side


def ordered(array: torch.Tensor, shape: Sequence[int] | None) -> torch.Tensor:
    """A result without names, in the shape of the array that it is a gradient by."""
    plain = array.rename(None)
    return plain if shape is None else plain.reshape(shape)
