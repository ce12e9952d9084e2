"""Axes end where masks end them: right in blocks of any size, and left out only where nothing else reads them."""

from __future__ import annotations

import re
import tracemalloc
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy as sp

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.module import FastOptions
from indexcalc.codegen.fast.reach import COMPARISONS, mapped, within_reach
from indexcalc.codegen.fast.storage import ELEMENTWISE
from indexcalc.codegen.source import Atom
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_candidate
from indexcalc.proof.sampling import size_sets
from indexcalc.rewrite.derive import derive
from tests.support.fast import fast, in_all_settings

MASKS = {
    "[j <= i]": "[: i.stop]",
    "[j < i]": "[: i.stop]",
    "[i <= j]": "[i.start :]",
    "[i < j]": "[i.start :]",
    "[j <= i] * [i <= j]": "[i.start : i.stop]",
    "[i != j]": "",
    "[j <= i + 1]": "",
    "[j <= 2]": "",
    "": "",
}
"""Masks, and the part of an axis over ``j`` that blocks of ``i`` read."""

SCORES = """
index h, i, j, l : N
index k : D
index p : P
input Q[i,k], K[j,k], V[j,p], b[h]
S[i,j] = sum[k](Q[i,k] * K[j,k])
"""

REST = {
    "sum": """
y[i,p] = sum[j]({mask}sin(S[i,j]) * V[j,p]) + sum[h](b[h])
upstream G[i,p] = dL/dy[i,p]
derive Q, K, V
""",
    "exponentials": """
y[i,p] = sum[j]({mask}exp(S[i,j]) * V[j,p]) / (1 + sum[j]({mask}exp(S[i,j]))) + sum[h](b[h])
upstream G[i,p] = dL/dy[i,p]
derive Q, K, V
""",
    "squares": """
E[i,j] = {mask}(S[i,j] - b[i])^2
y[i,p] = sum[j](E[i,j] * V[j,p]) / 7 + sum[j](E[i,j]) * sum[j](V[j,p])
upstream G[i,p] = dL/dy[i,p]
derive Q, K, V, b
""",
    "once without a mask": """
y[i,p] = sum[j]({mask}sin(S[i,j]) * V[j,p]) + sum[j](cos(S[i,j])) * sum[h](b[h])
upstream G[i,p] = dL/dy[i,p]
derive Q, K, V
""",
    "in a total without a mask": """
y[i,p] = sum[j]({mask}sin(S[i,j]) * V[j,p]) + sum[h](b[h])
z[j] = sum[i](sin(S[i,j]))
upstream G[i,p] = dL/dy[i,p]
upstream H[j] = dL/dz[j]
derive V
""",
    "in full": """
A[i,j] = {mask}sin(S[i,j])
y[i,p] = sum[j](A[i,j] * V[j,p]) + sum[h](b[h])
upstream G[i,p] = dL/dy[i,p]
upstream H[i,j] = dL/dA[i,j]
derive Q, K, V
""",
}


@cache
def made(rest, mask):
    text = SCORES + REST[rest].format(mask=f"{mask} * " if mask else "")
    return fast(derive(read_problem(text)), FastOptions(block=("i", 2)))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("rest", REST)
def test_what_masks_hide_is_left_out_and_nothing_else(rest, mask):
    module = made(rest, mask)
    sets = size_sets(module.problem.program, np.random.default_rng(1))
    report = check_candidate(module.problem, in_all_settings(module), seed=1, sizes=sets)
    assert report.comparisons
    assert report.ok, "\n".join(map(str, report.comparisons))
    parts = {part for _, part in re.findall(r"\b([KV])(\[[^]]*i\.st[^]]*\])", module.written.source)}
    assert parts == ({MASKS[mask]} - {""} if rest not in WHOLE else set())


OWN = {
    "an axis between the blocks of two dimensions": """
index h, i, j : N
input x[i,j], z[h,j], w[j]
Z[i,h] = sum[j]([i <= j] * [j <= h] * exp(x[i,j] + z[h,j]))
y[i,h] = sum[j]([i <= j] * [j <= h] * exp(x[i,j] + z[h,j]) * w[j]) / (1 + Z[i,h])
upstream G[i,h] = dL/dy[i,h]
derive x, z, w
""",
    "parameters that have the names of numbers": """
index i, j : N
index k : K
param inf = 1.5
param nan = 0.5
input Q[i,k], W[j,k]
S[i,j] = sum[k](Q[i,k] * W[j,k])
U[i,j] = tanh(S[i,j]) + inf
y[i] = min[j](U[i,j]) + sum[j](exp(-S[i,j] - inf) * nan)
upstream G[i] = dL/dy[i]
derive Q
""",
    "a mask, and the same in full": """
index i, j, l : N
index k : K
input Q[i,k], W[j,k], X[i,l], w[j]
S[i,j] = sum[k](Q[i,k] * W[j,k])
y[i] = sum[j]([j <= i] * exp(S[i,j]) * w[j])
F[i,l] = [l <= i] * sin(X[i,l]) * y[i]
upstream G[i,l] = dL/dF[i,l]
derive Q, W, X, w
""",
}
"""Programs that were wrong, or might be."""


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("options", [None, FastOptions(block=("i", 1))], ids=["free", "block"])
def test_programs_in_which_masks_meet_something_else(name, options):
    module = fast(derive(read_problem(OWN[name])), options)
    sets = size_sets(module.problem.program, np.random.default_rng(1))
    report = check_candidate(module.problem, in_all_settings(module), seed=1, sizes=sets)
    assert report.comparisons
    assert report.ok, "\n".join(map(str, report.comparisons))


def test_a_bound_of_memory_counts_copies_of_what_is_cut_within_merged_axes():
    problem = read_problem("""
index i, j : N
index p : P
index k : K
input A[i,k,j], B[p,k,j]
y[i,p] = sum[j,k]([j <= i] * sin(A[i,k,j]) * B[p,k,j])
upstream G[i,p] = dL/dy[i,p]
derive A, B
""")
    module = fast(derive(problem), FastOptions(block=("i", 8), memory=1 << 24)).module
    rng = np.random.default_rng(0)
    given, bound = (rng.normal(size=(60, 40, 60)), rng.normal(size=(400, 40, 60))), 12 << 20
    module.forward(*given, threads=1, memory=1 << 28)
    tracemalloc.start()
    values = module.forward(*given, threads=1, memory=bound)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - values.y.nbytes < bound
    with pytest.raises(ValueError, match="memory is"):
        module.forward(*given, threads=1, memory=1 << 20)


def shares_of(module, length, threads):
    """The blocks that each thread is given along one dimension."""
    module.CACHE, module.LEAST = 1, 16
    shares = []
    module._run(lambda blocks, *_: shares.append([block for (block,) in blocks]), (length,), 8, [], threads)
    return shares


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("length", [1, 2, 7, 64, 65, 130, 1000])
def test_threads_have_each_block_once_and_as_many_of_them(length, threads):
    module = made("sum", "").module
    free = fast(derive(read_problem(SCORES + REST["sum"].format(mask="[j <= i] * ")))).module
    for one in (module, free):
        shares = shares_of(one, length, threads)
        places = sorted(place for share in shares for block in share for place in range(length)[block])
        assert places == list(range(length))
    work = [sum((block.stop - block.start) * block.stop for block in share) for share in shares]
    assert length < 500 or max(work) < 1.2 * min(work)


WHOLE = ("once without a mask", "in a total without a mask", "in full")
"""Where all scores are needed, whatever hides some of them elsewhere."""

ENTRIES = (None, 0.0, 1.0, -1.5, np.inf, -np.inf)


@pytest.mark.parametrize("name", sorted({*ELEMENTWISE, *COMPARISONS, "np.where", "np.logical_or"}))
def test_what_is_known_of_a_function_of_known_entries_holds_whatever_the_others_are(name):
    function = getattr(np, name.removeprefix("np."))
    count = 3 if name == "np.where" else function.nin
    truths = (None, 0.0, 1.0)
    rng, known = np.random.default_rng(0), 0
    for given in product(truths if name in ("np.where", "np.logical_or") else ENTRIES, *[ENTRIES] * (count - 1)):
        if name == "np.logical_or" and not {*given} <= {*truths}:
            continue
        found = mapped(name, given)
        if found is None or np.isnan(found):
            continue
        known += 1
        for _ in range(5):
            others = rng.normal(size=count)
            entries = [other if one is None else one for one, other in zip(given, others, strict=True)]
            if name in ("np.where", "np.logical_or"):
                entries = [bool(one) if place < 1 or name != "np.where" else one for place, one in enumerate(entries)]
            with np.errstate(all="ignore"):
                assert float(function(*entries)) == found, (given, entries)
    assert known or name in COMPARISONS


def test_a_product_ends_where_one_of_its_factors_is_zero():
    """``c_ip = sum_j a_ij b_jp``, ``a`` zero beyond the block: whether it is `c` or `a` that must be there in full."""
    t, p = sp.Symbol("T"), sp.Symbol("P")
    rows, columns, places = Axis(t, 0), Axis(t), Axis(p)
    at = [Node(Operation.POSITIONS, "", (), (axis,)) for axis in (columns, rows)]
    hidden = Node(Operation.MAP, "np.greater", (Use(0, (1,)), Use(1, (0,))), (rows, columns))
    scores = Node(Operation.LEAF, "s", (), (rows, columns))
    shown = Node(Operation.MAP, "np.where", (Use(2, (0, 1)), Atom("0.0"), Use(3, (0, 1))), (rows, columns))
    values = Node(Operation.LEAF, "b", (), (columns, places))
    total = Node(Operation.PRODUCT, "", (Use(4, (0, 2)), Use(5, (2, 1))), (rows, places), (columns,))
    nodes = [*at, hidden, scores, shown, values, total]
    ended = Axis(t, until=0)
    for full, wanted in ((6, ended), (4, columns)):
        found = within_reach(nodes, range(7), [full], [], [t])
        assert {axis for node in found for axis in (*node.axes, *node.summed)} == {rows, wanted, places}
