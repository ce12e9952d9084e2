"""What each pass of the fast style buys: the same work with one pass left out, against all of them.

Run it with ``python benchmarks/passes.py``. Medians of one process on float32 arrays; a ratio of 1.5
says that the work takes half as long again without the pass.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from comparison import disagreement, flat, normal
from performance import BATCHED

from indexcalc.codegen.fast import scheduling
from indexcalc.codegen.fast.graph import Graph, Node
from indexcalc.codegen.fast.lowering import Lowering
from indexcalc.codegen.fast.module import fast_module
from indexcalc.codegen.fast.storage import Storage
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive

Run = Callable[[], Any]
SECONDS = 4.0
WHOLE = 1 << 60


def unshared(graph: Graph, node: Node) -> int:
    """A node of its own for every value that is asked for, but for tensors."""
    if not node.arguments and node in graph.numbers:
        return graph.numbers[node]
    graph.nodes.append(node)
    graph.numbers[node] = len(graph.nodes) - 1
    return graph.numbers[node]


def nothing_to_inherit(_storage: Storage, _number: int) -> list[int]:
    """No memory is taken over."""
    return []


@contextmanager
def without(name: str) -> Iterator[None]:
    """Code is generated without one pass."""
    patches = {
        "loops": lambda: patch.object(scheduling, "STATEMENT_LIMIT", -1),
        "shared values": lambda: patch.object(Graph, "add", unshared),
        "memory taken over": lambda: patch.object(Storage, "inheritable", nothing_to_inherit),
        "scalars folded": lambda: patch.object(Lowering, "weight", heavier_operands),
        "reused space": lambda: patch("indexcalc.codegen.fast.storage.takes_space", lambda _node: False),
    }
    if name in patches:
        with patches[name]():
            yield
    else:
        yield


def heavier_operands(_lowering: Lowering, array: Any, _tensor: str) -> int:
    """The result always counts as the smallest: scalars multiply it."""
    return 0 if array.node < 0 else 1


PASSES = ("loops", "blocks", "threads", "memory taken over", "reused space", "shared values", "scalars folded")


def module_without(spec: str, name: str) -> ModuleType:
    """The fast module of a derivation without one pass."""
    heads = spec.startswith("attention")
    problem = read_problem(BATCHED) if heads else load_problem(find_spec(spec))
    with without(name):
        module = loaded(fast_module(derive(problem)).source)
    if name == "blocks":
        module.CACHE = WHOLE  # type: ignore[attr-defined]
    return module


def works() -> Mapping[str, Callable[[ModuleType, int | None], Run]]:
    """The pieces of work: from a module and a number of threads, what to run."""
    short, long = normal(*[(8, 1024, 64)] * 4), normal(*[(8, 4096, 64)] * 4)
    X, H, g, b = normal((8192, 1024), (8192, 1024), (1024,), (1024,))
    (z,) = normal((2048, 8192))
    y = np.full_like(z, 1 / 8192)
    return {
        "attention, T=1024": lambda module, threads: lambda: flat(module.value_and_grad(*short, threads=threads)),
        "attention, T=4096": lambda module, threads: lambda: flat(module.value_and_grad(*long, threads=threads)),
        "layer_norm": lambda module, threads: lambda: flat(module.value_and_grad(X, g, b, H, threads=threads)),
        "softmax_cross_entropy": lambda module, threads: (
            lambda: flat(module.value_and_grad(z, y, a=0.1, threads=threads))
        ),
    }


def medians(runs: Mapping[str, Run]) -> dict[str, float]:
    """The median time of each; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(next(iter(times.values()))) < 5:
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(own) for name, own in times.items()}


def main() -> int:
    """Print a table: work by work, the time without each pass over the time with all."""
    print(f"NumPy {np.__version__}, float32, value_and_grad; time without a pass over time with all passes")
    print(f"{'':24}" + "".join(f"{name:>19}" for name in PASSES))
    for spec, make in works().items():
        runs = {"all": make(module_without(spec, "all"), None)}
        expected = runs["all"]()
        for name in PASSES:
            runs[name] = make(module_without(spec, name), 1 if name == "threads" else None)
            assert disagreement(runs[name](), expected) < 1e-3
        found = medians(runs)
        ratios = "".join(f"{found[name] / found['all']:>19.2f}" for name in PASSES)
        print(f"{spec:24}{ratios}   ({found['all'] * 1e3:.1f} ms)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
