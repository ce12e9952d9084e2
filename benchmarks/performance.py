"""How fast generated code is against NumPy by hand, PyTorch and JAX: ratios of median times in one process.

Run it with ``python benchmarks/performance.py [WORK ...]``; ``pip install 'indexcalc[performance]'`` brings
PyTorch and JAX. All sides of a piece of work get the same float32 arrays, take turns, and must agree.
The exit code is 1 if a ratio is above its bound. Bounds are meant for two cores. The limit of a piece of work is the
time of its matrix products alone, or of reading and writing its arrays once, in NumPy: see `limits`.
``--runs 3`` does all of it three times, each in a process of its own, for medians and how far they spread; with
``--write`` they go into docs/performance.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import rivals
import structured
from comparison import Measurement, Work, blas, flat, measured, normal
from limits import CORES, Product, products, traffic
from pages import machine, replaced, table

from indexcalc.codegen import numpy_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
LIBRARIES = ("numpy", "torch", "jax")

BATCHED = """
title "Attention of several heads"
index h : H
index i, j, l : T
index k, p : d
input Q[h,i,k], K[h,j,k], V[h,j,p]
S[h,i,j] = 1/sqrt(d) * sum[k](Q[h,i,k] * K[h,j,k])
A[h,i,j] = exp(S[h,i,j]) / sum[l](exp(S[h,i,l]))
O[h,i,p] = sum[j](A[h,i,j] * V[h,j,p])
upstream G[h,i,p] = dL/dO[h,i,p]
derive Q, K, V
"""
CAUSAL = BATCHED.replace("several heads", "several heads, each query on what is not behind it")
CAUSAL = CAUSAL.replace("= exp(S[h,i,j])", "= [j <= i] * exp(S[h,i,j])").replace(
    "exp(S[h,i,l])", "[l <= i] * exp(S[h,i,l])"
)
SINGLE = BATCHED.replace("index h : H\n", "").replace("[h,", "[")


@cache
def fast(name: str) -> ModuleType:
    """The fast module of a shipped derivation, or of attention with heads."""
    text = {"heads": BATCHED, "causal": CAUSAL}.get(name)
    problem = read_problem(text) if text else load_problem(find_spec(name))
    return loaded(fast_module(derive(problem)).source)


def attention_products(heads: int, length: int, width: int) -> list[Product]:
    """The six products of attention, forward and backward."""
    wide, narrow = (heads, length, width, length), (heads, length, length, width)
    return [wide, narrow, wide, narrow, narrow, narrow]


def attention(heads: int, length: int, width: int, bounds: tuple[float, float, float]) -> Work:
    """Attention, forward and backward."""
    Q, K, V, G = normal(*[(heads, length, width)] * 4)
    module = fast("heads")
    unfused, jit, fused = bounds
    return Work(
        f"attention {heads}×{length}×{width}",
        lambda: flat(module.value_and_grad(Q, K, V, G), ("dQ", "dK", "dV")),
        {
            "PyTorch unfused": (unfused, lambda: rivals.torch_run(rivals.torch_attention, (Q, K, V), G, (0, 1, 2))),
            "JAX jit": (jit, lambda: rivals.jax_run(rivals.jax_attention, (Q, K, V), G, (0, 1, 2))),
            "PyTorch fused": (fused, lambda: rivals.torch_run(rivals.torch_fused_attention, (Q, K, V), G, (0, 1, 2))),
        },
        {"PyTorch unfused": "torch", "JAX jit": "jax", "PyTorch fused": "torch"},
        limit=lambda: products(*attention_products(heads, length, width)),
    )


def causal_attention(length: int) -> Work:
    """Attention of 8 heads of width 64 on what is not behind a query, forward and backward."""
    Q, K, V, G = normal(*[(8, length, 64)] * 4)
    module = fast("causal")
    return Work(
        f"causal attention 8×{length}×64",
        lambda: flat(module.value_and_grad(Q, K, V, G), ("dQ", "dK", "dV")),
        {"PyTorch fused": (1.0, lambda: rivals.torch_run(rivals.torch_causal_attention, (Q, K, V), G, (0, 1, 2)))},
        {"PyTorch fused": "torch"},
        # Half of each product, which is as much as those of half the heads.
        limit=lambda: products(*attention_products(4, length, 64)),
    )


def plain_attention(length: int) -> Work:
    """The einsum style of the same."""
    Q, K, V, G = normal(*[(8, length, 64)] * 4)
    module = loaded(numpy_module(derive(read_problem(BATCHED))))

    def own() -> Sequence[Any]:
        values = module.forward(Q, K, V)
        return flat((values.O, module.backward(values, G)), ("dQ", "dK", "dV"))

    hand = {"NumPy by hand": (1.05, lambda: partial(rivals.attention_by_hand, Q, K, V, G))}
    limit = partial(products, *attention_products(8, length, 64))
    return Work(f"einsum style, attention 8×{length}×64", own, hand, limit=limit)


def small_attention() -> Work:
    """The backward pass alone of one small head: what the calls cost."""
    Q, K, V, G = normal(*[(32, 8)] * 4)
    module = loaded(numpy_module(derive(read_problem(SINGLE))))
    values = module.forward(Q, K, V)

    def by_hand() -> Sequence[np.ndarray]:
        scale = 8**-0.5
        dS = values.A * (G @ V.T - (G * values.O).sum(axis=-1, keepdims=True)) * scale
        return dS @ K, dS.T @ Q, values.A.T @ G

    def own() -> Sequence[Any]:
        gradients = module.backward(values, G)
        return gradients.dQ, gradients.dK, gradients.dV

    # What stands by hand does not look at shapes.
    limit = partial(products, (1, 32, 8, 32), (1, 32, 32, 8), (1, 32, 32, 8), (1, 32, 32, 8))
    return Work("einsum style, backward, 32×8", own, {"NumPy by hand": (1.0, lambda: by_hand)}, limit=limit)


def layer_norm(rows: int, width: int) -> Work:
    """LayerNorm."""
    X, G, g, b = normal((rows, width), (rows, width), (width,), (width,))
    module = fast("layer_norm")
    return Work(
        f"LayerNorm {rows}×{width}",
        lambda: flat(module.value_and_grad(X, g, b, G), ("dX", "dg", "db")),
        {
            "PyTorch primitives": (0.25, lambda: rivals.torch_run(rivals.torch_layer_norm, (X, g, b), G, (0, 1, 2))),
            "JAX jit": (0.6, lambda: rivals.jax_run(rivals.jax_layer_norm, (X, g, b), G, (0, 1, 2))),
            "PyTorch fused": (0.9, lambda: rivals.torch_run(rivals.torch_fused_layer_norm, (X, g, b), G, (0, 1, 2))),
        },
        {"PyTorch primitives": "torch", "JAX jit": "jax", "PyTorch fused": "torch"},
        limit=lambda: traffic(2 * rows * width, 2 * rows * width),
    )


def rms_norm(rows: int, width: int) -> Work:
    """RMSNorm."""
    X, G, g = normal((rows, width), (rows, width), (width,))
    module = fast("rms_norm")
    return Work(
        f"RMSNorm {rows}×{width}",
        lambda: flat(module.value_and_grad(X, g, G), ("dX", "dg")),
        {
            "PyTorch primitives": (0.25, lambda: rivals.torch_run(rivals.torch_rms_norm, (X, g), G, (0, 1))),
            "JAX jit": (0.6, lambda: rivals.jax_run(rivals.jax_rms_norm, (X, g), G, (0, 1))),
            "PyTorch fused": (0.9, lambda: rivals.torch_run(rivals.torch_fused_rms_norm, (X, g), G, (0, 1))),
        },
        {"PyTorch primitives": "torch", "JAX jit": "jax", "PyTorch fused": "torch"},
        limit=lambda: traffic(2 * rows * width, 2 * rows * width),
    )


def block() -> Work:
    """The pre-norm attention block: 2 x 512 tokens of width 512, 8 heads."""
    X, G, W_Q, W_K, W_V, W_O, gamma, beta, b_O = normal(*[(2, 512, 512)] * 2, *[(512, 512)] * 4, (512,), (512,), (512,))
    weights = [W / np.float32(512**0.5) for W in (W_Q, W_K, W_V, W_O)]
    M = np.zeros((512, 512), np.float32)
    R = (np.random.default_rng(1).random((2, 512, 512)) < 0.9).astype(np.float32)
    arrays = (X, gamma, beta, *weights, b_O, M, R)
    module = fast("mha_block")
    order = ("dX", "dgamma", "dbeta", "dW_Q", "dW_K", "dW_V", "dW_O", "db_O")
    return Work(
        "pre-norm block 2×512×512, 8 heads",
        lambda: flat(module.value_and_grad(*arrays, G, N_H=8), order),
        {"PyTorch": (0.75, lambda: rivals.torch_run(rivals.torch_block(8, 0.9), arrays, G, range(8)))},
        {"PyTorch": "torch"},
        limit=lambda: products(*[(1, 1024, 512, 512)] * 12, *attention_products(16, 512, 64)),
    )


def cross_entropy() -> Work:
    """Softmax cross-entropy of 4096 rows over 32000 classes."""
    (z,) = normal((4096, 32000))
    y = np.zeros_like(z)
    y[np.arange(4096), np.random.default_rng(1).integers(0, 32000, 4096)] = 1.0
    module = fast("softmax_cross_entropy")
    return Work(
        "cross-entropy 4096×32000",
        lambda: flat(module.value_and_grad(z, y, a=0.1), ("dz",)),
        {"PyTorch": (0.5, lambda: rivals.torch_run(rivals.torch_cross_entropy, (z, y), None, (0,)))},
        {"PyTorch": "torch"},
        limit=lambda: traffic(2 * z.size, z.size),
    )


def mlp() -> Work:
    """Two layers, 4096 x 1024 x 4096, with GELU."""
    X, G, W1, W2, b1, b2 = normal((4096, 1024), (4096, 1024), (1024, 4096), (4096, 1024), (4096,), (1024,))
    arrays = (X, W1 / np.float32(32), b1, W2 / np.float32(64), b2)
    module = fast("mlp_gelu")
    return Work(
        "MLP 4096×1024×4096, GELU",
        lambda: flat(module.value_and_grad(*arrays, G), ("dX", "dW1", "db1", "dW2", "db2")),
        {"PyTorch": (1.1, lambda: rivals.torch_run(rivals.torch_mlp, arrays, G, range(5)))},
        {"PyTorch": "torch"},
        limit=lambda: products(
            *[(1, 4096, 1024, 4096), (1, 4096, 4096, 1024)] * 2, (1, 4096, 4096, 1024), (1, 1024, 4096, 4096)
        ),
        near=1.03,
    )


WORKS: Mapping[str, Callable[[], Work]] = {
    "attention-1024": partial(attention, 8, 1024, 64, (0.6, 0.5, 1.0)),
    "attention-4096": partial(attention, 8, 4096, 64, (0.6, 0.5, 1.0)),
    "attention-512": partial(attention, 1, 512, 64, (1.1, 1.1, 1.1)),
    "attention-256": partial(attention, 32, 256, 32, (1.1, 1.1, 1.1)),
    "causal-1024": partial(causal_attention, 1024),
    "causal-4096": partial(causal_attention, 4096),
    "einsum-attention-1024": partial(plain_attention, 1024),
    "einsum-attention-4096": partial(plain_attention, 4096),
    "small-backward": small_attention,
    "layer_norm": partial(layer_norm, 8192, 1024),
    "layer_norm-narrow": partial(layer_norm, 65536, 128),
    "rms_norm": partial(rms_norm, 8192, 1024),
    "rms_norm-narrow": partial(rms_norm, 65536, 128),
    "mha_block": block,
    "softmax_cross_entropy": cross_entropy,
    "mlp_gelu": mlp,
    **structured.WORKS,
}

MEMORY_BOUND = 300e6
"""The most bytes that blocked attention over 16384 positions may take over inputs and outputs."""


def measured_memory() -> bool:
    """Print what blocked attention over 16384 positions takes; whether that is within its bound."""
    Q, K, V, G = normal(*[(1, 16384, 64)] * 4)
    module = fast("heads")
    tracemalloc.start()
    output, gradients = module.value_and_grad(Q, K, V, G)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    over = peak - sum(array.nbytes for array in (output, *gradients))
    print(f"memory: attention over 16384 positions takes {over / 1e6:.0f} MB over inputs and outputs", end=" ")
    print(f"(scores in full: {16384**2 * 4 / 1e6:.0f} MB; bound {MEMORY_BOUND / 1e6:.0f} MB)")
    return over <= MEMORY_BOUND


@dataclass(frozen=True)
class Summary:
    """One comparison over several runs, each in a process of its own."""

    runs: Sequence[Measurement]

    def of(self, figure: Callable[[Measurement], float]) -> float:
        """The median of a figure."""
        return statistics.median(map(figure, self.runs))

    def spread(self, figure: Callable[[Measurement], float]) -> str:
        """The median of a figure, and from where to where it goes if that is more than a hundredth."""
        least, most = min(map(figure, self.runs)), max(map(figure, self.runs))
        around = f" ({least:.2f} to {most:.2f})" if f"{least:.2f}" != f"{most:.2f}" else ""
        return f"{self.of(figure):.2f}{around}"

    @property
    def met(self) -> bool:
        """Whether the median ratio is as asked for, and all runs agree."""
        return all(run.agrees for run in self.runs) and self.of(lambda run: run.ratio - run.allowed) <= 0

    def beside_limit(self) -> Sequence[str]:
        """The limit, and the times of both sides over it; nothing where no limit is known."""
        if self.runs[0].limit is None:
            return "", "", ""
        least = self.of(lambda run: run.limit or 0.0)
        return shown(least), *(f"{self.of(side) / least:.2f}" for side in (lambda run: run.own, lambda run: run.other))

    def cells(self) -> Sequence[str]:
        """A line of the table on the page."""
        first = self.runs[0]
        near = f" or {first.near} of the limit" if first.near else ""
        over = [
            self.of(lambda run, side=side: getattr(run, side) / run.limit) for side in ("own", "other") if first.limit
        ]
        return (
            first.work,
            first.against,
            shown(self.of(lambda run: run.own)),
            shown(self.of(lambda run: run.other)),
            self.spread(lambda run: run.ratio),
            f"{first.bound}{near}",
            "yes" if self.met else "no",
            self.spread(lambda run: run.in_a_row),
            *(
                [f"{self.of(lambda run: run.limit or 0.0):.3g}", *(f"{ratio:.2f}" for ratio in over)]
                if over
                else ("", "", "")
            ),
        )


HEAD = (
    "work",
    "against",
    "ms",
    "other, ms",
    "ratio in turn",
    "at most",
    "met",
    "in a row",
    "limit, ms",
    "over it",
    "other over it",
)


def shown(milliseconds: float) -> str:
    """A time in three digits, or as a whole number."""
    return f"{milliseconds:.3g}" if milliseconds < 1000 else f"{milliseconds:.0f}"


def summaries(works: Sequence[str], seconds: float, runs: int) -> list[Summary]:
    """What several runs found, each in a process of its own, one after another."""
    found: dict[tuple[str, str], list[Measurement]] = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "record.json"
            command = [sys.executable, __file__, *works, "--seconds", str(seconds), "--record", str(record)]
            subprocess.run(command, check=False)
            for row in json.loads(record.read_text(encoding="utf-8")):
                one = Measurement(**row)
                found.setdefault((one.work, one.against), []).append(one)
    return [Summary(several) for several in found.values()]


def with_table(page: str, found: Sequence[Summary]) -> str:
    """A page with these summaries for its table, and what they were measured on."""
    words = machine(CORES, LIBRARIES).removesuffix(".")
    count = max(len(one.runs) for one in found)
    how = f"medians of {count} runs" if count > 1 else "one run"
    return replaced(page, "times", [f"{words}; {blas()}; {how}.", "", *table(HEAD, [one.cells() for one in found], 2)])


def print_rows(works: Sequence[str], seconds: float) -> list[Measurement]:
    """Print a line for each comparison."""
    print(f"NumPy {np.__version__} ({blas()}), float32, forward and backward pass; medians in milliseconds")
    columns = f"{'generated':>10} {'other':>10} {'ratio':>6} {'bound':>6} {'in a row':>8} {'limit':>10} {'to limit':>8}"
    print(f"{'work':36} {'against':20} {columns}", flush=True)
    rows = []
    for name, make in WORKS.items():
        for row in measured(make(), seconds) if not works or name in works else ():
            least = " " * 19 if row.limit is None else f"{row.limit:10.3f} {row.own / row.limit:8.2f}"
            times = f"{row.own:10.3f} {row.other:10.3f} {row.ratio:6.2f} {row.allowed:6.2f} {row.in_a_row:8.2f}"
            print(f"{row.work:36} {row.against:20} {times} {least} {row.verdict}", flush=True)
            rows.append(row)
    return rows


def main() -> int:
    """Print a line for each comparison, or summaries of several runs."""
    parser = argparse.ArgumentParser(description="generated code against NumPy by hand, PyTorch and JAX")
    parser.add_argument("work", nargs="*", choices=[*WORKS, "memory", []], help="what to run; by default everything")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long the sides of one work take turns")
    parser.add_argument("--runs", type=int, default=1, help="how many runs, each in a process; medians and spread")
    parser.add_argument("--record", type=Path, help="a file for what was measured, as JSON")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md; needs all works")
    chosen = parser.parse_args()
    if chosen.write and chosen.work:
        parser.error("--write makes the whole table: leave the names out")
    if chosen.runs > 1 or chosen.write:
        found = summaries(chosen.work, chosen.seconds, chosen.runs)
        print("", *(" ".join(one.cells()) for one in found), sep="\n")
        if chosen.write:
            page = with_table(PAGE.read_text(encoding="utf-8"), found)
            PAGE.write_text(page, encoding="utf-8", newline="\n")
        return 0 if all(one.met for one in found) else 1
    rows = print_rows(chosen.work, chosen.seconds)
    if chosen.record:
        chosen.record.write_text(json.dumps([dataclasses.asdict(row) for row in rows]), encoding="utf-8")
    good = all(row.met for row in rows)
    if not chosen.work or "memory" in chosen.work:
        good &= measured_memory()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
