"""Loops: each reads what is there by then, at its own block; and what is too large to keep is never whole."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings

from indexcalc.algebra.terms import Access, tensors_of, walk
from indexcalc.codegen.fast import scheduling
from indexcalc.codegen.fast.blocking import Blocking, Loop
from indexcalc.codegen.fast.growing import grown
from indexcalc.codegen.fast.outline import outlined
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.errors import LimitError
from indexcalc.language import load_problem, read_problem
from indexcalc.rewrite.derive import derive
from tests.support.build import N, at, ell, fn, i, j, k, m, term
from tests.support.gradients import at_once
from tests.support.programs import problems

SHIPPED = at_once()


@cache
def blocking_of(name):
    return outlined(derive(load_problem(SHIPPED[name])), {}, None).problem


def loops_of(schedule):
    return [item for item in schedule if isinstance(item, Loop)]


def outside(schedule):
    return [item.name for item in schedule if not isinstance(item, Loop)]


def assert_valid(problem, schedule):
    """Every statement runs once, after all that it reads; inside a loop it reads its own block, and no total."""
    there = set(problem.given)
    everything = [s for item in schedule for s in (item.statements if isinstance(item, Loop) else (item,))]
    assert sorted(s.name for s in everything) == sorted(s.name for s in problem.statements)
    for item in schedule:
        if not isinstance(item, Loop):
            assert set(tensors_of(item.terms)) <= there, item
            there.add(item.name)
            continue
        inside: dict[str, Statement] = {}
        for statement in item.statements:
            indices = item.indices[statement.name]
            assert tuple(index.extent for index in indices) == item.extents
            assert len(set(indices)) == len(indices)
            bound = {index for one in statement.terms for index in one.summed}
            for index in indices:
                assert index in statement.axes or index in bound, statement
                assert index not in statement.over, statement
            for base in walk(statement.terms):
                if isinstance(base, Access):
                    assert base.tensor in there or base.tensor in inside, (statement, base)
                    if base.tensor in inside:
                        assert_reads_its_block(base, inside[base.tensor], item, indices)
            inside[statement.name] = statement
        there |= set(inside)


def assert_reads_its_block(access, made, loop, indices):
    """The slot at which a tensor was cut holds the reader's own index of that dimension, and no other slot does."""
    for own, index in zip(loop.indices[made.name], indices, strict=True):
        assert own in made.axes, f"{made.name} is a total, and read within its loop"
        for slot, axis in zip(access.slots, made.axes, strict=True):
            assert (slot == index) == (axis == own), access


def left_whole(problem, schedule):
    """The tensors that are there in full at some time: made outside loops, or read after their loop."""
    found = set(outside(schedule))
    for number, item in enumerate(schedule):
        if isinstance(item, Loop):
            after = [
                s
                for other in schedule[number + 1 :]
                for s in (other.statements if isinstance(other, Loop) else (other,))
            ]
            read = {name for s in after for name in tensors_of(s.terms)}
            found |= {name for name in item.indices if name in read or name in problem.wanted}
    return found


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_schedules_are_valid(name):
    problem = blocking_of(name)
    assert_valid(problem, scheduled(problem))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_random_schedules_are_valid(problem):
    try:
        derivation = derive(problem)
    except LimitError:
        assume(False)
    whole = outlined(derivation, {}, None).problem
    assert_valid(whole, scheduled(whole))
    for index in problem.program.indices[:4:3]:
        assert_valid(whole, scheduled(whole, index.name))


@pytest.mark.parametrize(
    "name",
    [
        "attention",
        "causal_attention",
        "cross_attention",
        "multi_head_attention",
        "mha_block",
        "mixed_attention",
        "rope",
    ],
)
def test_scores_of_attention_are_never_whole(name):
    problem = blocking_of(name)
    schedule = scheduled(problem)
    assert not problem.large & left_whole(problem, schedule)


def test_attention_is_one_loop_over_queries():
    problem = blocking_of("attention")
    (loop,) = scheduled(problem)
    assert {"S", "A", "D", "dS"} <= problem.large
    assert [index.name for index in loop.indices["S"]] == ["i"]
    assert {s.name for s in loop.statements if loop.is_total(s)} == {"dV", "dK"}


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "softmax_cross_entropy", "softmax", "l2_normalize"])
def test_rows_that_stand_alone_are_one_loop(name):
    problem = blocking_of(name)
    assert len(loops_of(scheduled(problem))) == len(scheduled(problem)) == 1


def test_projections_are_left_to_blas():
    problem = blocking_of("mha_block")
    names = outside(scheduled(problem))
    assert {"Q", "K", "V", "AO_lin", "dW_Q", "dW_K", "dW_V", "dW_O"} <= set(names)
    assert not {"AS", "dAS", "X_norm"} & set(names)


def test_plain_products_of_matrices_have_no_loop():
    text = "index i : N\nindex k : K\nindex m : M\ninput X[i,k], W[k,m]\nY[i,m] = sum[k](X[i,k] * W[k,m])\nderive X, W"
    problem = outlined(derive(read_problem(text)), {}, None).problem
    assert not loops_of(scheduled(problem))


@pytest.mark.parametrize("index", ["i", "j"])
def test_the_index_that_is_asked_for_is_cut(index):
    problem = blocking_of("attention")
    schedule = scheduled(problem, index)
    assert_valid(problem, schedule)
    first = loops_of(schedule)[0]
    assert index in {chosen[-1].name for chosen in first.indices.values()}


def test_an_index_of_a_layer_norm_is_cut_where_it_can_be():
    problem = blocking_of("layer_norm")
    schedule = scheduled(problem, "h")
    assert_valid(problem, schedule)
    assert any(index.name == "h" for loop in loops_of(schedule) for chosen in loop.indices.values() for index in chosen)


def problem_of(*statements, given=(), wanted=()):
    return Blocking(statements, dict(given), tuple(wanted), {})


X = {"X": (i, k), "w": (k,)}


def exp_of(name, tensor, *slots):
    return Statement(name, slots, (term(fn("exp", term(at(tensor, *slots)))),))


def test_a_total_is_read_after_the_loop():
    first = exp_of("E", "X", i, k)
    total = Statement("t", (k,), (term(at("E", i, k), over=(i,)),))
    after = Statement("Y", (i, k), (term(at("E", i, k), (at("t", k), -1)),))
    problem = problem_of(first, total, after, given=X, wanted=["Y"])
    schedule = scheduled(problem)
    assert_valid(problem, schedule)
    rows = [loop for loop in loops_of(schedule) if "t" in loop.indices and loop.is_total(total)]
    assert all("Y" not in loop.indices for loop in rows)


def test_a_maximum_is_never_cut():
    largest = Statement("m", (i,), (term(at("X", i, k)),), Kind.MAXIMUM, (k,))
    shifted = Statement("Y", (i, k), (term(at("X", i, k)), term(at("m", i), coeff=-1)))
    problem = problem_of(largest, shifted, given=X, wanted=["Y"])
    for asked in (None, "k"):
        schedule = scheduled(problem, asked)
        assert_valid(problem, schedule)


def test_a_transposed_reader_is_in_a_loop_of_its_own():
    square = {"X": (i, j)}
    first = exp_of("E", "X", i, j)
    turned = Statement("Y", (i, j), (term(at("E", i, j)), term(at("E", j, i))))
    problem = problem_of(first, turned, given=square, wanted=["Y"])
    schedule = scheduled(problem)
    assert_valid(problem, schedule)
    assert not any({"E", "Y"} <= set(loop.indices) for loop in loops_of(schedule))


def test_what_is_as_large_as_an_input_is_not_large():
    assert not problem_of(exp_of("E", "X", i, k), given=X, wanted=["E"]).large
    outer = Statement("S", (i, j), (term(at("X", i, k), at("X", j, k), over=(k,)),))
    row = Statement("s", (i,), (term(fn("exp", term(at("S", i, ell))), over=(ell,)),))
    soft = Statement("T", (i, j), (term(fn("exp", term(at("S", i, j)))),))
    used = Statement("y", (i,), (term(at("T", i, j), over=(j,)),))
    assert problem_of(outer, soft, used, given=X, wanted=["y"]).large == {"S", "T"}
    assert row.name not in problem_of(outer, soft, used, given=X, wanted=["y"]).large


def test_known_sizes_decide_what_is_large():
    outer = Statement("S", (i, j), (term(at("X", i, k), at("X", j, k), over=(k,)),))
    soft = Statement("T", (i, j), (term(fn("exp", term(at("S", i, j)))),))
    used = Statement("y", (i,), (term(at("T", i, j), over=(j,)),))
    few = Blocking((outer, soft, used), X, ("y",), {N: 3, k.extent: 50})
    many = Blocking((outer, soft, used), X, ("y",), {N: 50, k.extent: 3})
    assert not few.large
    assert many.large == {"S", "T"}


def test_the_same_statements_give_the_same_schedule():
    for name in ("attention", "mha_block"):
        problem = blocking_of(name)
        assert scheduled(problem) == scheduled(problem)


def test_an_index_of_another_extent_is_no_meeting():
    first = exp_of("E", "X", i, k)
    other = exp_of("F", "U", m, k)
    problem = problem_of(first, other, given={**X, "U": (m, k)}, wanted=["E", "F"])
    assert_valid(problem, scheduled(problem))


def test_what_is_pointwise_runs_along_its_rows():
    (loop,) = scheduled(problem_of(exp_of("E", "X", i, k), given=X, wanted=["E"]))
    assert loop.indices["E"] == (i, k)


def test_what_is_summed_by_column_runs_along_its_rows_too():
    total = Statement("t", (k,), (term(at("E", i, k), over=(i,)),))
    (loop,) = scheduled(problem_of(exp_of("E", "X", i, k), total, given=X, wanted=["E", "t"]))
    assert loop.indices["E"] == (i,)


@pytest.mark.parametrize("rank", [5, 8, 10])
def test_no_more_loops_are_tried_around_a_tensor_than_the_limit(monkeypatch, rank):
    letters = "abcdefghij"[:rank]
    axes = ",".join(letters)
    half = rank // 2
    inputs = f"input x[{','.join(letters[:half])}], w[{','.join(letters[half:])}]"
    body = f"y[{axes}] = sigmoid(x[{','.join(letters[:half])}] * w[{','.join(letters[half:])}])"
    text = f"index {', '.join(letters)} : N\n{inputs}\n{body}\nz = sum[{axes}](y[{axes}]^2)\n"
    problem = outlined(derive(read_problem(text)), {}, None).problem
    tried = Counter()

    def counted(*given):
        tried[given[1].name] += 1
        return grown(*given)

    monkeypatch.setattr(scheduling, "grown", counted)
    assert_valid(problem, scheduled(problem))
    assert tried
    assert max(tried.values()) <= scheduling.LOOP_LIMIT
    if rank == 5:
        assert max(tried.values()) == 5 * 2**4  # all of them
