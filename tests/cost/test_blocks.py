"""Both passes in blocks: the tensors that generated code never holds, and the entries that a run by hand touches."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from indexcalc.algebra.terms import Access, occurring_indices, walk
from indexcalc.codegen.fast import fast_module
from indexcalc.cost import cost_report
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.rewrite.derive import derive


@cache
def derivation_of(name):
    return derive(load_problem(shipped_paths()[name]))


@pytest.mark.parametrize("name", ["attention", "multi_head_attention", "cross_attention", "mha_block"])
def test_code_for_speed_has_the_same_loop(name):
    blocks = cost_report(derivation_of(name)).blocks
    loops = fast_module(derivation_of(name)).loops
    assert (blocks.indices, set(blocks.tensors)) in [(loop.indices, set(loop.tensors)) for loop in loops]


@pytest.mark.parametrize("name", ["linear", "layer_norm", "lstm", "sliding_window_attention", "softmax_jacobian"])
def test_nothing_is_said_where_no_block_is_enough(name):
    assert cost_report(derivation_of(name)).blocks is None


SIZES = {
    "attention": {"T": 150, "d": 3, "d_v": 2},
    "cross_attention": {"T_q": 150, "T_kv": 7, "D_q": 2, "D_kv": 3, "d": 2, "d_v": 3},
}


@pytest.mark.parametrize("name", SIZES)
def test_what_is_moved_is_what_a_run_touches(name):
    """Block after block, the distinct entries that equations name; here all of them call the index that is cut i."""
    derivation = derivation_of(name)
    program, backward = derivation.problem.program, derivation.backward
    report = cost_report(derivation)
    blocks = report.blocks
    sizes = {extent: SIZES[name][extent.name] for extent in report.extents}
    # Entries so wide that these sizes are more than the cache holds.
    (step,) = blocks.steps(sizes, 1 << 12)
    (cut,) = blocks.indices
    length = sizes[cut.extent]
    assert 1 < -(-length // step) < length

    def entries(access, values):
        ranges = [values if index == cut else range(sizes[index.extent]) for index in access.indices]
        return {(access.tensor, *point) for point in product(*ranges)}

    equations = (*program.computed, *backward.computed)
    accesses = {e: [base for base in walk(e.terms) if isinstance(base, Access)] for e in equations}
    inside = [e for e in equations if cut in (*e.slots, *(i for a in accesses[e] for i in occurring_indices(a)))]
    # The gradients outside of the loop read its totals, and what stands before it makes what it reads.
    local = {e.name for e in inside if e.name in blocks.tensors}
    local |= {e.name for e in inside if any(a.tensor in blocks.tensors for a in accesses[e])}
    loop = [e for e in inside if e.name in local or e.name == "r"]
    moved = 0
    for e in equations:
        if e not in loop:
            read = set().union(*(entries(a, range(length)) for a in accesses[e]))
            moved += len(read) + len(entries(e.lhs, range(length)))
    made = {e.name for e in loop}
    for start in range(0, length, step):
        values = range(start, min(start + step, length))
        moved += len({one for e in loop for a in accesses[e] if a.tensor not in made for one in entries(a, values)})
        for e in loop:
            if e.name not in blocks.tensors:
                moved += len(entries(e.lhs, values)) * (1 if cut in e.slots else 2)
    assert blocks.moved_at(sizes, 1 << 12) == moved


def test_what_is_held_of_attention():
    blocks = cost_report(derivation_of("attention")).blocks
    sizes = {
        extent: {"T": 4096, "d": 64, "d_v": 64}[extent.name]
        for extent in derivation_of("attention").problem.program.extents
    }
    # Z over all rows, and S, A of a block while A is made; D, A, dS of a block later on.
    assert blocks.steps(sizes, 4) == (64,)
    assert blocks.peak_at(sizes, 4) == 4096 + 3 * 64 * 4096
    assert str(blocks.ends) == "4 T d + 4 T d_v"
    assert blocks.steps({**sizes, min(sizes, key=str): 50}, 4) == (50,)


def test_a_block_is_no_longer_than_the_cache_holds():
    blocks = cost_report(derivation_of("attention")).blocks
    (T,) = {index.extent for index in blocks.indices}
    sizes = dict.fromkeys(derivation_of("attention").problem.program.extents, 8)
    for length in (1, 63, 64, 65, 300, 1000, 5000):
        (step,) = blocks.steps({**sizes, T: length}, 4)
        assert step <= max(64, (1 << 20) // (4 * 3 * length))
        assert step >= min(length, 33)
