"""Axes end where masks end them: right in blocks of any size, and left out only where nothing else reads them."""

from __future__ import annotations

import re
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
