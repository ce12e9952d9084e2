"""Windows that products of matrices read: copied once, block by block, positions last; and the results of it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product as cartesian

import numpy as np
import pytest

from indexcalc.codegen import numpy_module
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.codegen.fast.outline import outlined
from indexcalc.codegen.fast.overlaps import order_of_copy
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.fast.storing import ancestors
from indexcalc.generation import loaded
from indexcalc.language import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive

SPEC = """
index b : B
index c : C
index f : F
index n : N
index k : K
index i : {length}
input x[b,c,n], w[f,c,k]
y[b,f,i] = sum[c,k]({guard}x[b,c,{place}] * w[f,c,k])
upstream G[b,f,i] = dL/dy[b,f,i]
derive x, w
"""
KINDS = {
    "as it is": {"length": "N-K+1", "place": "i+k", "guard": ""},
    "turned": {"length": "N-K+1", "place": "i+K-1-k", "guard": ""},
    "padded": {"length": "N", "place": "i+k-1", "guard": "[0 <= i+k-1 < N] * "},
    "with steps": {"length": "(N-K)//2+1", "place": "2*i+k", "guard": ""},
    "with gaps": {"length": "N-2*K+2", "place": "i+2*k", "guard": ""},
}


def problem_of(kind):
    return read_problem(SPEC.format(**KINDS[kind]))


def places_of(kind, i, k, K):
    return {
        "as it is": i + k,
        "turned": i + K - 1 - k,
        "padded": i + k - 1,
        "with steps": 2 * i + k,
        "with gaps": i + 2 * k,
    }[kind]


def by_hand(kind, x, w, G):
    """The convolution and both gradients, entry by entry."""
    y, dx, dw = np.zeros_like(G), np.zeros_like(x), np.zeros_like(w)
    for i, k in cartesian(range(G.shape[2]), range(w.shape[2])):
        n = places_of(kind, i, k, w.shape[2])
        if 0 <= n < x.shape[2]:
            y[:, :, i] += x[:, :, n] @ w[:, :, k].T
            dx[:, :, n] += G[:, :, i] @ w[:, :, k]
            dw[:, :, k] += G[:, :, i].T @ x[:, :, n]
    return y, dx, dw


def lengths(kind, N, K):
    return {"padded": N, "with steps": (N - K) // 2 + 1, "with gaps": N - 2 * K + 2}.get(kind, N - K + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("cache", "threads"), [(1 << 20, None), (1, 2), (700, 1), (4000, 2)])
def test_blocks_of_any_length_give_the_same(kind, cache, threads):
    module = loaded(fast_module(derive(problem_of(kind)), FastOptions(cache=cache)).source)
    rng = np.random.default_rng(0)
    for B, C, F, N, K in ((5, 2, 3, 9, 3), (1, 1, 2, 8, 2), (3, 3, 1, 7, 1)):
        x, w = rng.normal(size=(B, C, N)), rng.normal(size=(F, C, K))
        G = rng.normal(size=(B, F, lengths(kind, N, K)))
        y, gradients = module.value_and_grad(x, w, G, threads=threads)
        values = module.forward(x, w, threads=threads)
        again = module.backward(values, G, threads=threads)
        right = by_hand(kind, x, w, G)
        for found in ((y, gradients.dx, gradients.dw), (values.y, again.dx, again.dw)):
            for one, other in zip(found, right, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_told_from_what_lies_in_a_window(kind):
    fast = outlined(derive(problem_of(kind)), {}, None)
    found = {name: [fast.problem.by_name[name].axes[n].name for n in on] for name, on in fast.problem.windows.items()}
    assert found["x_win"] == ["i"]
    assert all(names in (["n"], ["i"]) for name, names in found.items() if name != "x_win")


def test_known_sizes_tell_positions():
    spec = SPEC.format(length="N-K+1", place="i+k", guard="")
    sizes = {"B": 2, "C": 2, "F": 2, "N": 12, "K": 10}
    fast = outlined(derive(read_problem(spec)), sizes, None)
    axes = fast.problem.by_name["x_win"].axes
    assert [axes[n].name for n in fast.problem.windows["x_win"]] == ["k"]


@pytest.mark.parametrize("name", ["conv1d", "conv2d"])
def test_windows_are_copied_in_blocks_and_once_for_all_products(name):
    fast = outlined(derive(load_problem(find_spec(name))), {}, None)
    schedule = scheduled(fast.problem)
    inside = {s.name for item in schedule if isinstance(item, Loop) for s in item.statements}
    reading = {s.name for s in fast.problem.statements if fast.problem.windows.keys() & set(s.reads)}
    assert reading
    assert reading <= inside
    source = fast_module(derive(load_problem(find_spec(name)))).source
    whole = source[source.index("def value_and_grad") : source.index("def _checked")]
    # One copy of what the forward pass and the gradient of the kernels read, one for the gradient of the signal.
    assert whole.count("np.copyto") == 2


def test_rows_of_a_copy_stay_whole():
    fast = outlined(derive(load_problem(find_spec("conv2d"))), {}, None)
    for loop in (item for item in scheduled(fast.problem) if isinstance(item, Loop)):
        for statement in loop.statements:
            for access in fast.problem.accesses[statement.name]:
                if access.tensor in fast.problem.windows:
                    last = access.indices[max(fast.problem.windows[access.tensor])]
                    assert last not in loop.indices[statement.name]


PADDED = """
index b : B
index c : C
index f : F
index n, i : N
index m, j : M
index k : K
index l : Q
input x[b,c,n,m], w[f,c,k,l]
y[b,f,i,j] = sum[c,k,l]([0 <= i+k-1 < N] * [0 <= j+l-1 < M] * x[b,c,i+k-1,j+l-1] * w[f,c,k,l])
upstream G[b,f,i,j] = dL/dy[b,f,i,j]
derive x, w
"""


def test_each_block_puts_zeros_around_the_part_that_it_reads():
    source = fast_module(derive(read_problem(PADDED))).source
    for function in ("forward", "backward", "value_and_grad"):
        body = source[source.index(f"def {function}") :].split("\ndef ", 1)[0]
        before, *loops = body.split("def loop_")
        assert loops
        assert "_windows(" not in before
        assert all(loop.split("_run(")[0].count("_windows(") == 1 for loop in loops)
        assert "_windows(" not in "".join(loop.split("_run(")[1] for loop in loops)


def test_blocks_of_images_are_rows_of_them_for_every_product():
    fast = outlined(derive(read_problem(PADDED)), {}, None)
    for wanted in (("y",), fast.problem.wanted[1:], fast.problem.wanted):
        needed = ancestors(fast.problem.statements, wanted)
        problem = replace(fast.problem, statements=tuple(fast.problem.by_name[n] for n in needed), wanted=wanted)
        loops = [item for item in scheduled(problem) if isinstance(item, Loop)]
        assert {tuple(map(str, loop.extents)) for loop in loops} == {("B", "N")}
        assert all(loop.is_total(s) == (s.name == "dw") for loop in loops for s in loop.statements)


@pytest.mark.parametrize("cache", [1, 3000, 10**6])
def test_windows_at_the_edge_of_a_block_read_its_neighbours(cache):
    derivation = derive(read_problem(PADDED))
    module = loaded(fast_module(derivation, FastOptions(cache=cache)).source)
    plain = loaded(numpy_module(derivation))
    rng = np.random.default_rng(0)
    x, w, G = rng.normal(size=(3, 2, 7, 5)), rng.normal(size=(4, 2, 3, 2)), rng.normal(size=(3, 4, 7, 5))
    expected = plain.backward(plain.forward(x, w), G)
    y, found = module.value_and_grad(x, w, G, threads=2)
    np.testing.assert_allclose(y, plain.forward(x, w).y, atol=1e-12)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)
    for one, other in zip(module.backward(module.forward(x, w, threads=2), G, threads=2), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)


def test_a_product_that_sums_the_other_side_reads_the_same_copy():
    fast = outlined(derive(problem_of("as it is")), {}, None)
    b, c, i, k = fast.problem.by_name["x_win"].axes
    assert (b.name, c.name, i.name, k.name) == ("b", "c", "i", "k")
    forward = order_of_copy((b, c, i, k), [i], kept=(b, i), summed=(c, k))
    assert forward == (c, k, b, i)
    assert order_of_copy((b, c, i, k), [i], kept=(c, k), summed=(b, i)) == forward
    assert order_of_copy((b, c, i, k), [i], kept=(i,), summed=(c, k)) == (b, c, k, i)


def test_windows_summed_along_their_rows_are_the_first_factor():
    """BLAS takes two thirds of the time if the factor with many rows is the first."""
    source = fast_module(derive(problem_of("as it is"))).source
    window = r"part_\d+\.reshape\(C \* K, size_1 \* \(N - K \+ 1\)\)"
    assert len(re.findall(rf"= {window} @ part_\d+\n", source)) == 2
    assert not re.search(rf"{window}\.T", source)


def test_a_block_fills_the_cache_where_no_matrix_gets_thin_by_it():
    conv = fast_module(derive(load_problem(find_spec("conv1d")))).source
    attention = fast_module(derive(load_problem(find_spec("attention")))).source
    assert conv.count("least=1") == conv.count("_run(") - 1
    assert "least=1" not in attention


def test_windows_that_are_turned_stay_turned():
    problem = read_problem(
        "index i : N\nindex j : K\nindex p : K+N\ninput x[p], u[j]\ny[i,j] = x[i+j]\nz[j] = u[j]\n"
        "upstream G[i,j] = dL/dy[i,j]\nderive x, u\n"
    )
    module = loaded(fast_module(derive(problem)).source)
    x = np.arange(7.0)
    for columns in (2, 3, 4):
        values = module.forward(x=x[: 3 + columns], u=np.zeros(columns), N=3)
        np.testing.assert_array_equal(values.y, np.add.outer(np.arange(3), np.arange(columns)))


CLASSIFIER = """
index b : B
index c : C
index f : F
index n : N
index k : K
index i : N-K+1
input x[b,c,n], w[f,c,k]
y[b,f,i] = sum[c,k](x[b,c,i+k] * w[f,c,k])
{rest}
"""


@pytest.mark.parametrize(
    ("rest", "copied"),
    [
        # What a softmax is of sums up the products: these are not compared.
        ("e[b,f] = mean[i](relu(y[b,f,i]))\np[b,f] = softmax[f](e[b,f])", True),
        # A softmax of the products themselves subtracts them from their largest, which must be one of them.
        ("p[b,f,i] = softmax[f](y[b,f,i])", False),
        ("p[b,f,i] = softmax[f](y[b,f,i]/3)", False),
        ("p[b,f] = max[i](y[b,f,i])", False),
    ],
)
def test_windows_whose_products_are_compared_are_not_copied_in_blocks(rest, copied):
    fast = outlined(derive(read_problem(CLASSIFIER.format(rest=rest))), {}, None)
    assert ("x_win" in fast.problem.windows) == copied


def test_zeros_behind_an_axis_stay_where_a_block_cuts_another_one():
    # The gradient of u has an entry more than y has rows: behind them, G is zero.
    problem = read_problem(
        "index i, l : N\nindex j : K\nindex k : M\nindex p : K+2*M-2\nindex q : K+1\ninput x[p], u[q]\n"
        "y[j,l] = sum[i,k](delta[l,i+k+3] * x[j+2*k] * u[j])\nupstream G[j,l] = dL/dy[j,l]\nderive x, u\n"
    )
    source = fast_module(derive(problem)).source
    module, rng = loaded(source), np.random.default_rng(1)
    for K, M, N in ((1, 2, 4), (3, 2, 6)):
        x, u, G = rng.normal(size=K + 2 * M - 2), rng.normal(size=K + 1), rng.normal(size=(K, N))
        expected = np.zeros(K + 1)
        for i, j, k in cartesian(range(N), range(K), range(M)):
            if i + k + 3 < N:
                expected[j] += G[j, i + k + 3] * x[j + 2 * k]
        _, gradients = module.value_and_grad(x, u, G, K=K, M=M, N=N)
        np.testing.assert_allclose(gradients.du, expected, atol=1e-12)
    # A sum of extents is one factor of how large a block is.
    assert "dtype.itemsize * (K + 2 * M - 2)" in source
